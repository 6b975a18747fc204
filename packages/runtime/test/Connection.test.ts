// Calling any method in either era: what goes out, what comes back, how each answer is read.
import { describe, expect, it } from "@effect/vitest"
import { failure, success } from "@parley/core/Message"
import * as Connection from "@parley/runtime/Connection"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const tools = { tools: [{ name: "add", inputSchema: { type: "object" } }] }
const everywhere = Served.places.map((place) => [place.title, place] as const)
const reason = (connection: Connection.Shape, method = "tools/list") =>
  Effect.map(Effect.flip(connection.request(method)), (error) => error.reason)

describe("a request", () => {
  it.effect.each(everywhere)("is the same two lines in %s", ([, place]) =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(place, { "tools/list": (turn) => turn.result(tools) })
      expect((yield* connection.request("tools/list"))["tools"]).toEqual(tools.tools)
      expect(connection.agreement).toMatchObject({ era: place.era, capabilities: { tools: {} } })
    })
  )

  it.effect("of the legacy era goes out as it is, with the negotiated revision and the session as headers", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        "prompts/get": (turn) => turn.result({})
      })
      yield* connection.request("prompts/get", { name: "greet" })
      const [sent] = peer.posts("prompts/get")
      expect(sent).toEqual({
        _tag: "Post",
        exchange: expect.any(Number),
        message: { jsonrpc: "2.0", id: sent?.exchange, method: "prompts/get", params: { name: "greet" } },
        headers: { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "s1" }
      })
    })
  )

  it.effect("of the modern era carries the envelope, and its headers name revision, method and name", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.modernHttp, {
        "prompts/get": (turn) => turn.result({})
      })
      yield* connection.request("prompts/get", { name: "grüß", _meta: { trace: 1 } })
      const [sent] = peer.posts("prompts/get")
      expect(sent).toEqual({
        _tag: "Post",
        exchange: expect.any(Number),
        message: {
          jsonrpc: "2.0",
          id: sent?.exchange,
          method: "prompts/get",
          params: {
            name: "grüß",
            _meta: {
              trace: 1,
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": Peer.client.info,
              "io.modelcontextprotocol/clientCapabilities": {}
            }
          }
        },
        headers: {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "prompts/get",
          "mcp-name": "=?base64?Z3LDvMOf?="
        }
      })
    })
  )

  it.effect.each(everywhere)("has an id of its own that is never used again in %s", ([, place]) =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, { ping: (turn) => turn.result({}) })
      for (let round = 0; round < 5; round++) {
        yield* Effect.all([connection.request("ping"), connection.request("ping")], { concurrency: "unbounded" })
      }
      const ids = peer.seen.sent.flatMap((one) => (one._tag === "Post" && "id" in one.message ? [one.message.id] : []))
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBeGreaterThan(10)
    })
  )

  it.effect.each(everywhere)("gets its own answer, in whatever order they come in %s", ([, place]) =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(place, {
        echo: (turn) => Effect.delay(turn.result({ of: turn.params["of"] }), Number(turn.params["after"]))
      })
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          [3, 1, 2],
          (of) => Effect.map(connection.request("echo", { of, after: of * 100 }), (result) => result["of"]),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(300)
      expect(yield* Fiber.join(fiber)).toEqual([3, 1, 2])
    })
  )

  it.effect("is bounded in time, by the connection or by itself", () =>
    Effect.gen(function* () {
      for (const [options, own, millis] of [
        [{}, undefined, 60_000],
        [{ requestMillis: 500 }, undefined, 500],
        [{ requestMillis: 500 }, { millis: 2000 }, 2000]
      ] as const) {
        const { connection } = yield* Served.connected(Served.legacyStdio, {}, options)
        const fiber = yield* Effect.forkChild(Effect.flip(connection.request("slow", {}, own)))
        yield* TestClock.adjust(millis - 1)
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        const error = yield* Fiber.join(fiber)
        expect(error).toMatchObject({ _tag: "RequestError", method: "slow", retryable: true })
        expect(error.reason).toMatchObject({ _tag: "Timeout", phase: "request", waitedMillis: millis })
      }
    })
  )

  it.effect("without a bound waits as long as it takes", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyStdio, {
        slow: (turn) => Effect.delay(turn.result({}), "30 days")
      })
      const fiber = yield* Effect.forkChild(connection.request("slow", {}, { millis: Infinity }))
      yield* TestClock.adjust("30 days")
      expect(yield* Fiber.join(fiber)).toEqual({})
    })
  )
})

describe("an error response", () => {
  const cases: ReadonlyArray<readonly [code: number, data: unknown, status: number, reason: object]> = [
    [-32603, undefined, 200, { _tag: "ErrorResponse", code: -32603, serverMessage: "refused" }],
    [-32602, { why: "no" }, 200, { _tag: "ErrorResponse", code: -32602, data: { why: "no" } }],
    [-32601, undefined, 404, { _tag: "MethodNotFound", method: "tools/list" }],
    [-32020, undefined, 400, { _tag: "HeaderMismatch" }],
    [
      -32021,
      { requiredCapabilities: { sampling: {} } },
      400,
      { _tag: "MissingRequiredClientCapability", requiredCapabilities: { sampling: {} } }
    ],
    [
      -32022,
      { supported: ["2027-01-01"] },
      400,
      { _tag: "UnsupportedProtocolVersion", requested: "2026-07-28", supported: ["2027-01-01"] }
    ],
    [-32000, undefined, 401, { _tag: "Unauthorized", status: 401 }],
    [-32000, undefined, 429, { _tag: "Busy", status: 429 }]
  ]
  it.effect.each(cases)("%d becomes its reason", ([code, data, status, expected]) =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.modernHttp, {
        "tools/list": (turn) => turn.error(code, data, { status })
      })
      expect(yield* reason(connection)).toMatchObject(expected)
    })
  )

  it.effect("on a pipe that names no request is that of the one under way, and of none of several", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyStdio, {
        "tools/list": (turn) => turn.say(failure(undefined, { code: -32700, message: "no JSON" })),
        slow: () => Effect.void
      })
      expect(yield* reason(connection)).toMatchObject({ _tag: "ErrorResponse", code: -32700 })

      const slow = yield* Effect.forkChild(Effect.flip(connection.request("slow", {}, { millis: 1000 })))
      yield* TestClock.adjust(1)
      const listing = yield* Effect.forkChild(Effect.flip(connection.request("tools/list", {}, { millis: 1000 })))
      yield* TestClock.adjust(1000)
      expect((yield* Fiber.join(slow)).reason._tag).toBe("Timeout")
      expect((yield* Fiber.join(listing)).reason._tag).toBe("Timeout")
      expect(peer.posts("notifications/cancelled").length).toBe(2)
    })
  )
})

describe("the reason of an error", () => {
  it.effect("is caught by its tag, of a request and of a negotiation alike", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyHttp, { work: (turn) => turn.status(429) })
      const request = connection
        .request("work")
        .pipe(Effect.catchReason("RequestError", "Busy", ({ status }) => Effect.succeed({ status })))
      expect(yield* request).toEqual({ status: 429 })
      const refusing = Served.peer(Served.legacyHttp, { initialize: (turn) => turn.status(403) })
      const negotiation = Effect.map(Served.connect(refusing, Served.legacyHttp), () => "connected").pipe(
        Effect.unwrapReason("NegotiationError"),
        Effect.catchTag("Unauthorized", ({ status }) => Effect.succeed(`refused ${status}`))
      )
      expect(yield* negotiation).toBe("refused 403")
    })
  )
})

describe("a response without an answer", () => {
  it.effect("over HTTP becomes the reason of its status", () =>
    Effect.gen(function* () {
      for (const [status, head, expected] of [
        [401, { challenge: "Bearer" }, { _tag: "Unauthorized", status: 401, challenge: "Bearer" }],
        [403, {}, { _tag: "Unauthorized", status: 403 }],
        [503, { retryAfterMillis: 5000 }, { _tag: "Busy", status: 503, retryAfterMillis: 5000 }],
        [500, {}, { _tag: "TransportFailure", status: 500, retryable: true }],
        [404, {}, { _tag: "TransportFailure", status: 404, retryable: false }],
        [202, {}, { _tag: "TransportFailure", status: 202, retryable: false }]
      ] as const) {
        const { connection } = yield* Served.connected(Served.modernHttp, {
          "tools/list": (turn) => turn.status(status, head)
        })
        expect(yield* reason(connection)).toMatchObject(expected)
      }
    })
  )

  it.effect("that was cut is a failure that can be tried again", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.modernHttp, { "tools/list": (turn) => turn.cut() })
      expect(yield* reason(connection)).toMatchObject({ _tag: "TransportFailure", retryable: true })
    })
  )
})

describe("a result", () => {
  it.effect("of an unknown kind is an error in the modern era, and no kind at all is complete", () =>
    Effect.gen(function* () {
      const kinds = (kind: unknown) => ({
        "tools/list": (turn: Peer.Turn) => turn.result({ ...tools, resultType: kind })
      })
      const result = (place: Served.Place, kind: unknown, options: Partial<Connection.Options> = {}) =>
        Effect.gen(function* () {
          const { connection } = yield* Served.connected(place, kinds(kind), options)
          return yield* Effect.match(connection.request("tools/list"), {
            onFailure: (error) => error.reason._tag,
            onSuccess: () => "result"
          })
        })
      for (const place of [Served.modernHttp, Served.modernStdio]) {
        expect(yield* result(place, "complete")).toBe("result")
        expect(yield* result(place, undefined)).toBe("result")
        expect(yield* result(place, "input_required")).toBe("result")
        for (const kind of ["later", 7, null]) expect(yield* result(place, kind)).toBe("MalformedResult")
        expect(yield* result(place, "later", { resultTypes: ["later"] })).toBe("result")
      }
      for (const place of [Served.legacyHttp, Served.legacyStdio]) expect(yield* result(place, "later")).toBe("result")
    })
  )

  it.effect("over HTTP with another id is malformed, on a pipe it is nobody's", () =>
    Effect.gen(function* () {
      const other = { "tools/list": (turn: Peer.Turn) => turn.say(success("other", tools)) }
      const http = yield* Served.connected(Served.modernHttp, other)
      expect(yield* reason(http.connection)).toMatchObject({ _tag: "MalformedResult", path: "id" })
      const { connection } = yield* Served.connected(Served.modernStdio, other, { requestMillis: 1000 })
      const fiber = yield* Effect.forkChild(reason(connection))
      yield* TestClock.adjust(1000)
      expect((yield* Fiber.join(fiber))._tag).toBe("Timeout")
    })
  )
})

describe("the layer", () => {
  it.effect("provides a connection that lives as long as it does", () =>
    Effect.gen(function* () {
      const peer = Served.peer(Served.legacyHttp, { "tools/list": (turn) => turn.result(tools) })
      const layer = Connection.layer({ transport: peer.transport, client: Peer.client })
      const listed = yield* Connection.Connection.use((connection) => connection.request("tools/list")).pipe(
        Effect.provide(layer)
      )
      expect(listed).toEqual(tools)
      expect(peer.words().at(-1)).toBe("DELETE")
      expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
    })
  )

  it.effect("fails as the negotiation does", () =>
    Effect.gen(function* () {
      const peer = Served.peer(Served.legacyHttp, { initialize: (turn) => turn.status(401) })
      const exit = yield* Effect.exit(Layer.build(Connection.layer({ transport: peer.transport, client: Peer.client })))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
        _tag: "NegotiationError",
        reason: { _tag: "Unauthorized" }
      })
      expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
    })
  )
})
