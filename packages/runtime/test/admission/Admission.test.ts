import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { MethodNotFound, MissingRequiredClientCapability } from "@parley/core/Errors"
import type { AdmissionError } from "@parley/core/Errors"
import * as Profile from "@parley/core/server/Profile"
import * as Admission from "@parley/runtime/Admission"
import type { RequestContext } from "@parley/runtime/Handler"
import { Rejection } from "@parley/runtime/Handler"
import * as Fake from "./Fake.ts"

const echo = (context: RequestContext) => ({
  era: context.era,
  version: context.version,
  client: context.client,
  sessionId: context.sessionId ?? null,
  principal: context.principal ?? null,
  logLevel: context.logLevel ?? null,
  trace: context.trace
})

const server = Admission.make(Fake.dual, (_, context) => Effect.succeed({ seen: echo(context) }))

describe("Admission, over HTTP", () => {
  it.effect("hands an admitted modern request to the handler, with its terms, and completes the result", () =>
    Effect.gen(function* () {
      const admission = yield* server
      const response = Fake.send(
        admission,
        Fake.stamped(
          1,
          "tools/list",
          {},
          { "io.modelcontextprotocol/logLevel": "warning", traceparent: "00-a-b-01", baggage: "k=v" }
        )
      )
      expect(response.status).toBe(200)
      expect(response.headers["content-type"]).toBe("application/json")
      expect(response.message).toEqual({
        jsonrpc: "2.0",
        id: 1,
        result: {
          resultType: "complete",
          ttlMs: 0,
          cacheScope: "private",
          seen: {
            era: "modern",
            version: Fake.modern,
            client: Fake.client,
            sessionId: null,
            principal: null,
            logLevel: "warning",
            trace: { traceparent: "00-a-b-01", baggage: "k=v" }
          },
          _meta: { "io.modelcontextprotocol/serverInfo": Fake.options.serverInfo }
        }
      })
      expect(response.inFlight).toBeUndefined()
    })
  )

  it.effect("hands an admitted legacy request on in its session, and leaves the result as it is", () =>
    Effect.gen(function* () {
      const admission = yield* server
      const session = Fake.openSession(admission, { principal: "ada" })
      const response = Fake.send(admission, Fake.legacy("a"), { session, principal: "ada" })
      expect(response.message).toMatchObject({
        id: "a",
        result: {
          seen: {
            era: "legacy",
            version: "2025-11-25",
            client: Fake.client,
            sessionId: session,
            principal: "ada",
            logLevel: "info"
          }
        }
      })
      expect(Object.keys(response.message.result)).toEqual(["seen"])
    })
  )

  it.effect("answers discover, initialize, initialized and ping itself, without the handler", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, () => Effect.die("the handler was called"))
      expect(Fake.send(admission, Fake.stamped(1, "server/discover")).message).toMatchObject({
        id: 1,
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
        }
      })
      const opened = Fake.send(admission, Fake.initialize(2))
      const session = String(opened.headers["mcp-session-id"])
      expect(session).toMatch(/^[\x21-\x7e]{24}$/)
      expect(opened.message).toMatchObject({
        id: 2,
        result: { protocolVersion: "2025-11-25", serverInfo: Fake.options.serverInfo }
      })
      const notified = Fake.send(admission, Fake.initialized, { session })
      expect([notified.status, notified.body]).toEqual([202, undefined])
      expect(Fake.send(admission, Fake.legacy(3, "ping"), { session }).message).toEqual({
        jsonrpc: "2.0",
        id: 3,
        result: {}
      })
    })
  )

  it.effect("answers refusals at once, with code, status and a remedy, and tells the hook", () =>
    Effect.gen(function* () {
      const errors: Array<AdmissionError> = []
      const admission = yield* Admission.make(Fake.dual, () => Effect.succeed({}), {
        onRefused: (error) => Effect.sync(() => errors.push(error))
      })
      const refusals = [
        Fake.send(admission, Fake.stamped(1), { headers: { "mcp-method": "tools/call" } }),
        Fake.send(admission, Fake.legacy(2)),
        Fake.send(admission, Fake.legacy(3), { session: "nobody" }),
        Fake.send(admission, "{"),
        Fake.send(admission, Fake.initialize(4), { headers: { origin: "http://evil.example" } })
      ]
      expect(
        refusals.map(({ status, message }) => [status, message.id, message.error.code, message.error.data.parley.rung])
      ).toEqual([
        [400, 1, -32020, "modern.mcp-method"],
        [400, 2, -32600, "legacy.session-missing"],
        [404, 3, -32600, "legacy.session-unknown"],
        [400, undefined, -32700, "json"],
        [403, undefined, -32600, "origin"]
      ])
      expect(errors.map(({ reason }) => reason._tag)).toEqual([
        "HeaderMismatch",
        "SessionUnknown",
        "SessionUnknown",
        "InvalidMessage",
        "OriginRefused"
      ])
      expect(admission.head({ method: "POST", headers: { host: "evil.example" } })?.status).toBe(403)
      expect(
        admission.head({ method: "POST", headers: { host: "localhost", "content-type": "application/json" } })
      ).toBeUndefined()
      expect(admission.overflow().status).toBe(413)
      expect(admission.unreadable().status).toBe(400)
      expect(errors.map(({ reason }) => reason._tag).slice(5)).toEqual([
        "OriginRefused",
        "PayloadTooLarge",
        "InvalidMessage"
      ])
    })
  )

  it.effect("gives the failures that mean something their code and status, in each era", () =>
    Effect.gen(function* () {
      const failures: { readonly [name: string]: unknown } = {
        missing: new MethodNotFound({ method: "tools/call" }),
        needs: new MissingRequiredClientCapability({ requiredCapabilities: { sampling: {} } }),
        rejected: new Rejection({ code: -32602, message: "No such tool.", data: { tool: "x" } })
      }
      const admission = yield* Admission.make(Fake.dual, ({ params }) =>
        Effect.fail(failures[String(params?.["name"])])
      )
      const session = Fake.openSession(admission)
      const told = (name: string) => {
        const modern = Fake.send(admission, Fake.stamped(1, "tools/call", { name }))
        const legacy = Fake.send(admission, Fake.legacy(1, "tools/call", { name }), { session })
        expect([modern.message.id, legacy.message.id]).toEqual([1, 1])
        return [modern.status, modern.message.error.code, legacy.status, legacy.message.error.code]
      }
      expect(told("missing")).toEqual([404, -32601, 200, -32601])
      expect(told("needs")).toEqual([400, -32021, 200, -32600])
      expect(told("rejected")).toEqual([200, -32602, 200, -32602])
      const needs = Fake.send(admission, Fake.stamped(1, "tools/call", { name: "needs" }))
      expect(needs.message.error.data.requiredCapabilities).toEqual({ sampling: {} })
      const rejected = Fake.send(admission, Fake.stamped(1, "tools/call", { name: "rejected" }))
      expect(rejected.message.error).toEqual({ code: -32602, message: "No such tool.", data: { tool: "x" } })
    })
  )

  it.effect("tells a client nothing of any other failure, and the log all of it", () =>
    Effect.gen(function* () {
      const secret = "hunter2"
      const cycle: Record<string, unknown> = {}
      cycle["self"] = cycle
      const programs: { readonly [name: string]: Effect.Effect<any, unknown> } = {
        fails: Effect.fail(new Error(secret)),
        failsTagged: Effect.fail({ _tag: "MethodNotFound", method: secret }),
        dies: Effect.die(new Error(secret)),
        throws: Effect.sync(() => {
          throw new Error(secret)
        }),
        interrupts: Effect.interrupt,
        noObject: Effect.succeed(secret),
        noJson: Effect.succeed({ cycle, secret }),
        bigint: Effect.succeed({ n: 1n }),
        asksWrongly: Effect.succeed({ resultType: "input_required", requestState: secret })
      }
      const logged: Array<string> = []
      const admission = yield* Admission.make(
        Fake.dual,
        ({ method, params }) => {
          const name = String(params?.["name"])
          if (name === "throwsBefore") throw new Error(secret)
          return method === "tools/list" ? (programs["asksWrongly"] ?? Effect.never) : (programs[name] ?? Effect.never)
        },
        { onFailed: (method, cause) => Effect.sync(() => logged.push(`${method} ${Cause.pretty(cause)}`)) }
      )
      const names = [...Object.keys(programs).filter((name) => name !== "asksWrongly"), "throwsBefore"]
      for (const name of names) {
        const response = Fake.send(admission, Fake.stamped(7, "tools/call", { name }))
        expect([name, response.status, response.message.id, response.message.error?.code]).toEqual([
          name,
          200,
          7,
          -32603
        ])
        expect(response.body).not.toContain(secret)
        expect(Object.keys(response.message.error)).toEqual(["code", "message"])
      }
      const wrongly = Fake.send(admission, Fake.stamped(8, "tools/list"))
      expect(wrongly.message.error.code).toBe(-32603)
      // An interruption is nobody's fault that an operator must hear of.
      expect(logged).toHaveLength(names.length)
      expect(logged.filter((line) => line.includes(secret)).length).toBeGreaterThanOrEqual(5)
    })
  )

  it.effect("refuses an input_required result in the legacy era, where nobody would understand it", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(
        Fake.dual,
        () => Effect.succeed({ resultType: "input_required", requestState: "s" }),
        {
          onFailed: () => Effect.void
        }
      )
      const session = Fake.openSession(admission)
      expect(Fake.send(admission, Fake.legacy(1, "tools/call", { name: "x" }), { session }).message.error.code).toBe(
        -32603
      )
      expect(Fake.send(admission, Fake.stamped(1, "tools/call", { name: "x" })).message.result).toEqual({
        resultType: "input_required",
        requestState: "s",
        _meta: { "io.modelcontextprotocol/serverInfo": Fake.options.serverInfo }
      })
    })
  )

  it.effect("answers each request once, whatever happens around it", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const admission = yield* Admission.make(Fake.dual, () => Effect.as(Deferred.await(gate), {}))
      const responses = Array.from({ length: 50 }, (_, id) => Fake.send(admission, Fake.stamped(id)))
      expect(responses.every(({ ended }) => !ended)).toBe(true)
      yield* Deferred.succeed(gate, undefined)
      const complete = yield* Effect.forEach(responses, (response) => response.complete)
      expect(complete.map(({ message }) => message.id)).toEqual(responses.map((_, id) => id))
      for (const response of responses) {
        expect(response.writes).toBe(1)
        response.inFlight?.gone()
        expect(response.writes).toBe(1)
      }
    })
  )

  it.effect("gives the handler what it needs from where the server is made", () =>
    Effect.gen(function* () {
      class Greeting extends Context.Service<Greeting, { readonly text: string }>()("test/Greeting") {}
      const admission = yield* Admission.make(Fake.dual, () => Effect.map(Greeting, ({ text }) => ({ text }))).pipe(
        Effect.provideService(Greeting, { text: "hello" })
      )
      expect(Fake.send(admission, Fake.stamped(1)).message.result.text).toBe("hello")
    })
  )

  it.effect("serves a batch at 2025-03-26, with its answers in one array", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const admission = yield* Admission.make(Fake.dual, ({ id }) =>
        id === 2 ? Effect.as(Deferred.await(gate), { slow: true }) : Effect.succeed({})
      )
      const opened = Fake.send(admission, Fake.initialize(0, "2025-03-26"))
      const session = String(opened.headers["mcp-session-id"])
      const batch = [
        Fake.legacy(1),
        Fake.initialized,
        Fake.legacy(2),
        Fake.legacy(3, "no/such"),
        Fake.legacy(4, "ping")
      ]
      const response = Fake.send(admission, batch, { session })
      expect(response.ended).toBe(false)
      yield* Deferred.succeed(gate, undefined)
      const { message } = yield* response.complete
      expect(message.map(({ id, error }: any) => [id, error?.code])).toEqual([
        [1, undefined],
        [3, -32601],
        [4, undefined],
        [2, undefined]
      ])
      const silent = Fake.send(admission, [Fake.initialized, Fake.cancelled(9)], { session })
      expect([silent.status, silent.body]).toEqual([202, undefined])
    })
  )

  it.effect("serves each legacy request alone where the profile has no sessions", () =>
    Effect.gen(function* () {
      const profile = Profile.dual({ ...Fake.options, sessions: "none" })
      const admission = yield* Admission.make(profile, (_, context) => Effect.succeed(echo(context)))
      const opened = Fake.send(admission, Fake.initialize(1))
      expect(opened.headers["mcp-session-id"]).toBeUndefined()
      expect(opened.message.result.protocolVersion).toBe("2025-11-25")
      expect(
        Fake.send(admission, Fake.legacy(2), { headers: { "mcp-protocol-version": "2025-06-18" } }).message.result
      ).toMatchObject({
        era: "legacy",
        version: "2025-06-18",
        sessionId: null
      })
    })
  )
})

describe("Admission, as a gate", () => {
  it.effect("stands in front of somebody else's handler: it refuses, or hands the request on", () =>
    Effect.gen(function* () {
      const errors: Array<string> = []
      const profile = Profile.dual({ ...Fake.options, sessions: "none" })
      const admission = yield* Admission.make(profile, () => Effect.die("not asked"), {
        onRefused: ({ reason }) => Effect.sync(() => errors.push(reason._tag))
      })
      const headers = { host: "localhost", "content-type": "application/json" }
      const gate = (message: unknown, more = {}) =>
        admission.gate({ method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(message) })
      expect(gate(Fake.initialize(1))).toBeUndefined()
      expect(gate(Fake.legacy(2), { "mcp-session-id": "theirs" })).toBeUndefined()
      expect(gate(Fake.stamped(3))?.status).toBe(400)
      expect(gate(Fake.initialize(4), { origin: "http://evil.example" })?.status).toBe(403)
      expect(admission.gate({ method: "POST", headers, parsed: { ok: true, value: 7 } })?.status).toBe(400)
      expect(errors).toEqual(["HeaderMismatch", "OriginRefused", "InvalidMessage"])
    })
  )
})

describe("Admission, when it closes", () => {
  it.effect("interrupts what is being served and answers it, and lets no fiber go on", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      let interrupted = 0
      const admission = yield* Admission.make(Fake.dual, () =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted += 1)))
      ).pipe(Scope.provide(scope))
      const session = Fake.openSession(admission)
      const responses = [
        Fake.send(admission, Fake.stamped(1)),
        Fake.send(admission, Fake.legacy(2), { session }),
        Fake.send(admission, Fake.stamped(3, "subscriptions/listen", { notifications: { toolsListChanged: true } }))
      ]
      const pipe = new Fake.Pipe(admission).send(Fake.stamped(4))
      yield* Scope.close(scope, Exit.void)
      expect(interrupted).toBe(3)
      expect(responses.map(({ message }) => message.error?.code ?? message.result.resultType)).toEqual([
        -32603,
        -32603,
        "complete"
      ])
      expect(pipe.lines.map(({ id, error }) => [id, error.code])).toEqual([[4, -32603]])
      const late = Fake.send(admission, Fake.stamped(5))
      pipe.send(Fake.stamped(6))
      expect([late.status, late.message.id, late.headers["retry-after"], pipe.lines[1].error.data.parley.rung]).toEqual(
        [503, 5, "2", "closing"]
      )
    })
  )

  it.effect("can be a layer of an application", () =>
    Effect.gen(function* () {
      class Served extends Context.Service<Served, Admission.Admission>()("test/Served") {
        static readonly layer = Layer.effect(
          Served,
          Admission.make(Fake.dual, () => Effect.succeed({}))
        )
      }
      const status = yield* Effect.map(Served, (admission) => Fake.send(admission, Fake.stamped(1)).status).pipe(
        Effect.provide(Served.layer)
      )
      expect(status).toBe(200)
    })
  )

  it.effect("warns of what is wrong with the profile, and serves the rest", () =>
    Effect.gen(function* () {
      const profile = Profile.make({ ...Fake.options, versions: ["latest", "2026-07-28"] })
      const admission = yield* Admission.make(profile, () => Effect.succeed({}))
      expect(Fake.send(admission, Fake.stamped(1)).status).toBe(200)
      expect(admission.compiled.supported).toEqual(["2026-07-28"])
    })
  )
})

describe("Admission, over time", () => {
  it.effect("waits for no handler longer than the handler takes", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, () => Effect.as(Effect.sleep("1 hour"), { done: true }))
      const response = Fake.send(admission, Fake.stamped(1))
      const fiber = yield* Effect.forkChild(response.complete)
      yield* TestClock.adjust("59 minutes")
      expect(response.ended).toBe(false)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      expect(response.message.result.done).toBe(true)
    })
  )
})
