import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@parley/core/client/Event"
import type { Headers, Outgoing } from "@parley/core/client/Outgoing"
import * as Message from "@parley/core/Message"
import * as HttpClient from "@parley/node/HttpClient"
import type { Challenge } from "@parley/runtime/HttpOptions"
import type { Channel } from "@parley/runtime/Transport"
import { Cause, Data, Effect, Exit, Fiber, Queue, type Scope } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { createServer as createTlsServer } from "node:https"
import { createServer as createTcpServer, Socket } from "node:net"
import * as HttpServer from "./HttpServer.ts"
import { certificate, key } from "./Tls.ts"

const json = { "content-type": "application/json" }
const sse = { "content-type": "text/event-stream" }

const post = (exchange: number, headers: Headers = {}): Outgoing => ({
  _tag: "Post",
  exchange,
  message: Message.request(exchange, "tools/list"),
  headers
})
const notify = (exchange: number): Outgoing => ({
  _tag: "Post",
  exchange,
  message: Message.notification("notifications/initialized"),
  headers: {}
})
const idIn = (body: string): Message.Id => {
  const value: unknown = JSON.parse(body)
  const id = Message.isObject(value) ? value["id"] : undefined
  return Message.isId(id) ? id : "none"
}
const result = (id: Message.Id, value: Message.JsonObject = {}): Message.Message => Message.success(id, value)
const answerJson: HttpServer.Handler = (response, seen) => {
  response.writeHead(200, json).end(JSON.stringify(result(idIn(seen.body))))
}
const event = (message: Message.Message): string => `data: ${JSON.stringify(message)}\n\n`

const next = (channel: Channel): Effect.Effect<Event, Cause.Done> => Queue.take(channel.events)
const ask = (channel: Channel, outgoing: Outgoing): Effect.Effect<Event, Cause.Done> =>
  Effect.andThen(channel.send(outgoing), next(channel))

const withServer = <A, E>(
  handler: HttpServer.Handler,
  body: (server: HttpServer.HttpServer) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E> => Effect.scoped(Effect.flatMap(HttpServer.start(handler), body))

describe("HttpClient: what is sent", () => {
  it.live("posts JSON that asks for both types, in one piece, with the headers of the message", () =>
    withServer(answerJson, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({ url: `${server.url}?a=1` }).open
        yield* ask(channel, post(7, { "mcp-protocol-version": "2025-06-18", "mcp-session-id": "s-1" }))
        expect(server.seen).toHaveLength(1)
        const [seen] = server.seen
        expect(seen).toMatchObject({ method: "POST", path: "/mcp?a=1" })
        expect(JSON.parse(seen?.body ?? "")).toEqual({ jsonrpc: "2.0", id: 7, method: "tools/list" })
        expect(seen?.headers).toEqual({
          accept: "application/json, text/event-stream",
          "accept-encoding": "identity",
          "content-length": String(seen?.body.length),
          "content-type": "application/json",
          host: `127.0.0.1:${server.port}`,
          "mcp-protocol-version": "2025-06-18",
          "mcp-session-id": "s-1"
        })
      })
    )
  )

  it.live("gets a stream and deletes a session without a body", () =>
    withServer(
      (response, { method }) => {
        if (method === "GET") response.writeHead(200, sse).end(event(Message.request("s1", "ping")))
        else response.writeHead(200).end()
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          const headers = { "mcp-session-id": "s-1", "last-event-id": "e1" }
          expect(yield* ask(channel, { _tag: "Listen", exchange: 1, headers })).toMatchObject({
            _tag: "Arrived",
            exchange: 1,
            message: { id: "s1", method: "ping" }
          })
          expect(yield* next(channel)).toMatchObject({ _tag: "Lost", resume: { lastEventId: "e1" } })
          expect(
            yield* ask(channel, { _tag: "Delete", exchange: 2, headers: { "mcp-session-id": "s-1" } })
          ).toMatchObject({
            _tag: "Unanswered",
            exchange: 2,
            head: { status: 200 }
          })
          const [get, remove] = server.seen
          expect(get).toMatchObject({
            method: "GET",
            body: "",
            headers: { accept: "text/event-stream", "last-event-id": "e1" }
          })
          expect(get?.headers["content-type"]).toBeUndefined()
          expect(remove).toMatchObject({ method: "DELETE", body: "", headers: { "mcp-session-id": "s-1" } })
        })
    )
  )

  it.live("runs the application's headers anew for each request", () =>
    withServer(answerJson, (server) =>
      Effect.gen(function* () {
        let count = 0
        const headers = Effect.sync(() => ({ Authorization: `Bearer ${++count}` }))
        const channel = yield* HttpClient.make({ url: server.url, headers }).open
        yield* ask(channel, post(1))
        yield* ask(channel, post(2))
        expect(server.seen.map((seen) => seen.headers.authorization)).toEqual(["Bearer 1", "Bearer 2"])
      })
    )
  )

  class TokenGone extends Data.TaggedError("TokenGone")<{ readonly token: string }> {}

  it.live.each([
    ["fail", Effect.fail(new TokenGone({ token: "s3cret" })), "TokenGone"],
    ["die", Effect.die(new TypeError("s3cret")), "TypeError"],
    ["are none", Effect.succeed({ authorization: "s3cret\r\nx: y" }), "authorization"]
  ] as const)(
    "loses a request whose headers %s, without sending it and without telling their value",
    ([, headers, named]) =>
      withServer(answerJson, (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url, headers }).open
          const lost = yield* ask(channel, post(1))
          expect(lost).toMatchObject({ _tag: "Lost", exchange: 1, cause: expect.stringContaining(named) })
          expect(JSON.stringify(lost)).not.toContain("s3cret")
          expect(server.connections()).toBe(0)
        })
      )
  )

  it.live("loses a request that has no JSON, and goes on", () =>
    withServer(answerJson, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({ url: server.url }).open
        const broken: Outgoing = { ...post(1), _tag: "Post", message: Message.request(1, "x", { big: 1n }) }
        expect(yield* ask(channel, broken)).toMatchObject({
          _tag: "Lost",
          exchange: 1,
          cause: expect.stringContaining("JSON")
        })
        expect(yield* ask(channel, post(2))).toMatchObject({ _tag: "Arrived", exchange: 2 })
        expect(server.seen).toHaveLength(1)
      })
    )
  )

  it.live("loses a request whose protocol headers no HTTP can carry, and goes on", () =>
    withServer(answerJson, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({ url: server.url }).open
        expect(yield* ask(channel, post(1, { "mcp-name": "a\nb" }))).toMatchObject({ _tag: "Lost", exchange: 1 })
        expect(yield* ask(channel, post(2))).toMatchObject({ _tag: "Arrived", exchange: 2 })
      })
    )
  )

  it.live("sends the credentials of the address as Basic and never shows them", () =>
    withServer(answerJson, (server) =>
      Effect.gen(function* () {
        const transport = HttpClient.make({ url: `http://ann:s3cret@127.0.0.1:${server.port}/mcp?key=s3cret` })
        expect(transport.target).toBe(server.url)
        const channel = yield* transport.open
        yield* ask(channel, post(1))
        expect(server.seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from("ann:s3cret").toString("base64")}`)
        expect(server.seen[0]?.path).toBe("/mcp?key=s3cret")
      })
    )
  )

  it.live.each([
    ["no address", { url: "not an address" }, /address/],
    ["no HTTP", { url: "ftp://127.0.0.1/" }, /http/],
    ["a header that cannot be sent", { url: "http://127.0.0.1/", headers: { "x-key": "a\nb" } }, /x-key/],
    [
      "a header of the carrier's own",
      { url: "http://127.0.0.1/", headers: { "Content-Length": "1" } },
      /content-length/
    ]
  ] as const)("does not open with %s", ([, options, reason]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Effect.scoped(HttpClient.make(options).open))
      expect(failure).toMatchObject({
        _tag: "TransportFailure",
        retryable: false,
        reason: expect.stringMatching(reason)
      })
    })
  )
})

describe("HttpClient: what comes back", () => {
  it.live("tells a JSON answer with the head of its response", () =>
    withServer(
      (response, seen) => {
        response
          .writeHead(200, { ...json, "mcp-session-id": ["s-1", "s-1"], "retry-after": "3" })
          .end(JSON.stringify(result(idIn(seen.body))))
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toEqual({
            _tag: "Arrived",
            exchange: 1,
            message: result(1),
            head: { status: 200, contentType: "application/json", sessionId: "s-1", retryAfterMillis: 3_000 }
          })
        })
    )
  )

  it.live("keeps no session id of different copies, and says so", () =>
    withServer(
      (response, seen) => {
        response
          .writeHead(200, { ...json, "mcp-session-id": ["s-1", "s-2"] })
          .end(JSON.stringify(result(idIn(seen.body))))
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          const arrived = yield* ask(channel, post(1))
          expect(arrived._tag === "Arrived" && arrived.head).toEqual({
            status: 200,
            contentType: "application/json",
            note: expect.stringContaining("different copies")
          })
        })
    )
  )

  it.live("reads a stream that comes byte by byte, with CRLF and text beyond ASCII", () =>
    withServer(
      (response, seen) => {
        const stream = `: hello\r\n\r\nevent: message\r\nid: e1\r\n${event(Message.notification("n", { text: "žluťoučký 🐎" })).replaceAll("\n", "\r\n")}${event(result(idIn(seen.body), { text: "漢字" }))}`
        response.writeHead(200, sse)
        response.socket?.setNoDelay(true)
        const bytes = Buffer.from(stream)
        const write = (at: number): void => {
          if (at === bytes.length) response.end()
          else response.write(bytes.subarray(at, at + 1), () => write(at + 1))
        }
        write(0)
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({ message: { params: { text: "žluťoučký 🐎" } } })
          expect(yield* next(channel)).toMatchObject({ message: { id: 1, result: { text: "漢字" } } })
        })
    )
  )

  it.live.each([202, 204, 200])("tells the acceptance of a notification by %i", (status) =>
    withServer(
      (response) => void response.writeHead(status).end(),
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, notify(4))).toMatchObject({ _tag: "Unanswered", exchange: 4, head: { status } })
        })
    )
  )

  it.live("tells an error status with the beginning of its body", () =>
    withServer(
      (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>"),
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({
            _tag: "Unanswered",
            head: { status: 502, contentType: "text/html" },
            body: "<h1>Bad gateway</h1>"
          })
        })
    )
  )

  it.live("never throws on bytes that are no UTF-8", () =>
    withServer(
      (response) => void response.writeHead(200, json).end(Buffer.from([0x7b, 0xff, 0xfe, 0xc3, 0x28, 0xf0, 0x9f])),
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({
            _tag: "Unanswered",
            problem: expect.stringContaining("no JSON")
          })
        })
    )
  )

  it.live("gives a body up at its limit and cuts the connection", () =>
    withServer(
      (response) => {
        response.writeHead(200, json)
        const pump = (): void => {
          while (!response.destroyed && response.write("x".repeat(10_000)));
        }
        response.on("drain", pump)
        pump()
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url, limit: 100_000 }).open
          expect(yield* ask(channel, post(1))).toMatchObject({
            _tag: "Unanswered",
            problem: "the body is longer than 100000 characters"
          })
          yield* server.openAtMost(0)
        })
    )
  )

  it.live("gives a stream up at an event over the limit and cuts the connection", () =>
    withServer(
      (response) => void response.writeHead(200, sse).write(`data: ${"x".repeat(200_000)}`),
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url, limit: 100_000 }).open
          expect(yield* ask(channel, post(1))).toMatchObject({
            _tag: "Unanswered",
            problem: "an event is longer than 100000 characters"
          })
          yield* server.openAtMost(0)
        })
    )
  )

  it.live("does not wait for the end of a stream that answers a notification", () =>
    withServer(
      (response) => {
        response.writeHead(200, sse).flushHeaders()
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, notify(1))).toMatchObject({ _tag: "Unanswered", head: { status: 200 } })
          yield* server.openAtMost(0)
        })
    )
  )
})

describe("HttpClient: redirects", () => {
  it.live.each([307, 308])("follows %i within the origin, with method, headers and body", (status) =>
    withServer(
      (response, seen, context) => {
        if (seen.path === "/mcp") response.writeHead(status, { location: "/new?x=1" }).end("moved")
        else answerJson(response, seen, context)
      },
      (server) =>
        Effect.gen(function* () {
          const headers = { authorization: "Bearer t" }
          const channel = yield* HttpClient.make({ url: server.url, headers }).open
          expect(yield* ask(channel, post(5, { "mcp-session-id": "s" }))).toMatchObject({
            _tag: "Arrived",
            exchange: 5
          })
          const [first, second] = server.seen
          expect(second).toMatchObject({ method: "POST", path: "/new?x=1", body: first?.body })
          expect(second?.headers).toEqual(first?.headers)
        })
    )
  )

  it.live("asks nothing of another origin", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const other = yield* HttpServer.start(answerJson)
        const server = yield* HttpServer.start((response) => {
          response.writeHead(307, { location: other.url }).end()
        })
        const headers = { authorization: "Bearer t" }
        const channel = yield* HttpClient.make({ url: server.url, headers }).open
        expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Unanswered", head: { status: 307 } })
        expect(other.connections()).toBe(0)
      })
    )
  )

  it.live.each([300, 301, 302, 303, 304, 305])("does not follow %i", (status) =>
    withServer(
      (response) => void response.writeHead(status, { location: "/new" }).end(),
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({
            _tag: "Unanswered",
            head: { status, location: "/new" }
          })
          expect(server.seen).toHaveLength(1)
        })
    )
  )

  it.live("follows five redirects and tells the sixth", () =>
    withServer(
      (response) => void response.writeHead(307, { location: "/mcp" }).end(),
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Unanswered", head: { status: 307 } })
          expect(server.seen).toHaveLength(6)
        })
    )
  )

  it.live("does not read the endless body of a redirect", () =>
    withServer(
      (response, seen, context) => {
        if (seen.path === "/new") return answerJson(response, seen, context)
        response.writeHead(307, { location: "/new" })
        response.on("close", () => context.note("cut"))
        const pump = (): void => {
          while (!response.destroyed && response.write("x".repeat(10_000)));
        }
        response.on("drain", pump)
        pump()
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Arrived" })
          expect(yield* Queue.take(server.notes)).toBe("cut")
        })
    )
  )
})

/** Completes when a connection that this process made from now on is closed on its own side. */
const closedClientSocket: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> = Effect.gen(function* () {
  const closed = yield* Queue.unbounded<void>()
  const onSocket = (message: unknown): void => {
    if (!Message.isObject(message) || !(message["socket"] instanceof Socket)) return
    message["socket"].on("close", () => void Queue.offerUnsafe(closed, undefined))
  }
  subscribe("net.client.socket", onSocket)
  yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("net.client.socket", onSocket)))
  return Queue.take(closed)
})

describe("HttpClient: a challenge", () => {
  const guarded: HttpServer.Handler = (response, seen, context) => {
    if (seen.headers.authorization === "Bearer good") return answerJson(response, seen, context)
    response.writeHead(401, { ...json, "www-authenticate": 'Bearer realm="x"' }).end('{"error":"invalid_token"}')
  }

  it.live("is told as it is where nobody answers it", () =>
    withServer(guarded, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({ url: server.url }).open
        expect(yield* ask(channel, post(1))).toMatchObject({
          _tag: "Unanswered",
          head: { status: 401, challenge: 'Bearer realm="x"' }
        })
      })
    )
  )

  it.live("is answered by headers made anew", () =>
    withServer(guarded, (server) =>
      Effect.gen(function* () {
        let token = "old"
        const asked: Array<Challenge> = []
        const channel = yield* HttpClient.make({
          url: server.url,
          headers: Effect.sync(() => ({ authorization: `Bearer ${token}` })),
          onChallenge: (challenge) =>
            Effect.sync(() => {
              asked.push(challenge)
              token = "good"
              return true
            })
        }).open
        expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Arrived", exchange: 1 })
        expect(yield* ask(channel, post(2))).toMatchObject({ _tag: "Arrived", exchange: 2 })
        expect(asked).toEqual([{ status: 401, challenge: 'Bearer realm="x"' }])
        expect(server.seen).toHaveLength(3)
        expect(server.seen[1]?.body).toBe(server.seen[0]?.body)
      })
    )
  )

  it.live("is answered by the headers that it gives, after a while", () =>
    withServer(guarded, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({
          url: server.url,
          headers: { authorization: "Bearer old", "x-key": "k" },
          onChallenge: () => Effect.delay(Effect.succeed({ Authorization: "Bearer good" }), 20)
        }).open
        expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Arrived" })
        expect(server.seen[1]?.headers).toMatchObject({ authorization: "Bearer good", "x-key": "k" })
      })
    )
  )

  it.live.each([
    ["says no", Effect.succeed(false)],
    ["fails", Effect.fail("no token")],
    ["dies", Effect.die("no token")]
  ] as const)("is told with its body where the application %s", ([, answer]) =>
    withServer(guarded, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({ url: server.url, onChallenge: () => answer }).open
        expect(yield* ask(channel, post(1))).toMatchObject({
          _tag: "Unanswered",
          head: { status: 401 },
          body: '{"error":"invalid_token"}'
        })
        expect(server.seen).toHaveLength(1)
      })
    )
  )

  it.live("is answered once", () =>
    withServer(guarded, (server) =>
      Effect.gen(function* () {
        let asked = 0
        const onChallenge = () => Effect.sync(() => ++asked > 0)
        const channel = yield* HttpClient.make({ url: server.url, onChallenge }).open
        expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Unanswered", head: { status: 401 } })
        expect(asked).toBe(1)
        expect(server.seen).toHaveLength(2)
      })
    )
  )

  it.live("is lost where its headers cannot be sent", () =>
    withServer(guarded, (server) =>
      Effect.gen(function* () {
        const onChallenge = () => Effect.succeed({ authorization: "s3cret\n" })
        const channel = yield* HttpClient.make({ url: server.url, onChallenge }).open
        const lost = yield* ask(channel, post(1))
        expect(lost).toMatchObject({ _tag: "Lost", cause: expect.stringContaining("authorization") })
        expect(JSON.stringify(lost)).not.toContain("s3cret")
      })
    )
  )

  it.live("is lost where the response breaks while the application thinks", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* HttpServer.startRaw((socket) => {
          socket.write("HTTP/1.1 401 No\r\ncontent-length: 100\r\n\r\nhalf", () => socket.destroy())
        })
        const broken = yield* closedClientSocket
        const channel = yield* HttpClient.make({ url: server.url, onChallenge: () => Effect.as(broken, false) }).open
        expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Lost", exchange: 1 })
      })
    )
  )

  it.live("is interrupted when its exchange is abandoned", () =>
    withServer(guarded, (server) =>
      Effect.gen(function* () {
        const thinking = yield* Queue.unbounded<string>()
        const channel = yield* HttpClient.make({
          url: server.url,
          onChallenge: () =>
            Effect.andThen(Queue.offer(thinking, "begun"), Effect.never).pipe(
              Effect.onInterrupt(() => Queue.offer(thinking, "interrupted"))
            )
        }).open
        yield* channel.send(post(1))
        expect(yield* Queue.take(thinking)).toBe("begun")
        yield* channel.abandon(1)
        expect(yield* Queue.take(thinking)).toBe("interrupted")
      })
    )
  )
})

describe("HttpClient: connections", () => {
  it.live("makes one connection for requests that follow each other, whatever their answers", () =>
    withServer(
      (response, seen, context) => {
        const id = idIn(seen.body)
        if (context.nth === 1) return answerJson(response, seen, context)
        if (context.nth === 2) return void response.writeHead(202).end()
        if (context.nth === 3) return void response.writeHead(200, sse).end(event(result(id)))
        if (context.nth === 4) return void response.writeHead(404).end("nothing here")
        if (context.nth === 5) return void response.writeHead(307, { location: "/mcp" }).end()
        if (context.nth === 6) return void response.writeHead(204).end()
        response.writeHead(200, json)
        response.write(JSON.stringify(result(id)))
        response.end()
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(server.connections()).toBe(0)
          for (const outgoing of [post(1), notify(2), post(3), post(4), notify(5), post(6)])
            yield* ask(channel, outgoing)
          expect(server.seen).toHaveLength(7)
          expect(server.connections()).toBe(1)
        })
    )
  )

  it.live("tells each of many answers with the exchange that it belongs to", () =>
    withServer(answerJson, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({ url: server.url }).open
        const count = 50
        for (let exchange = 1; exchange <= count; exchange++) yield* channel.send(post(exchange))
        const found = new Set<number>()
        for (let i = 0; i < count; i++) {
          const arrived = yield* next(channel)
          expect(arrived).toMatchObject({
            _tag: "Arrived",
            message: { id: "exchange" in arrived ? arrived.exchange : 0 }
          })
          if (arrived._tag === "Arrived" && arrived.exchange !== undefined) found.add(arrived.exchange)
        }
        expect(found.size).toBe(count)
      })
    )
  )

  it.live("never sends a request again when a kept connection breaks before its answer", () =>
    withServer(
      (response, seen, context) => {
        if (context.nth === 1) answerJson(response, seen, context)
        else response.socket?.resetAndDestroy()
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          yield* ask(channel, post(1))
          const lost = yield* ask(channel, post(2))
          expect(lost).toMatchObject({
            _tag: "Lost",
            exchange: 2,
            cause: expect.stringMatching(/ECONNRESET.*may have taken/)
          })
          expect(server.seen).toHaveLength(2)
          yield* ask(channel, post(3))
          expect(server.seen).toHaveLength(3)
        })
    )
  )

  it.live("keeps a few answered streams that their server does not end, and cuts the oldest", () =>
    withServer(
      (response, seen) => void response.writeHead(200, sse).write(event(result(idIn(seen.body)))),
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          for (let exchange = 1; exchange <= 20; exchange++) {
            expect(yield* ask(channel, post(exchange))).toMatchObject({ _tag: "Arrived", exchange })
          }
          yield* server.openAtMost(8)
          expect(server.sockets.size).toBe(8)
          yield* channel.close
          yield* server.openAtMost(0)
        })
    )
  )

  it.live("tells what an answered stream still brings, and not its end", () =>
    withServer(
      (response, seen, context) => {
        const id = idIn(seen.body)
        if (id === 2) return answerJson(response, seen, context)
        response.writeHead(200, sse).end(event(result(id)) + event(Message.notification("late")))
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          yield* ask(channel, post(1))
          expect(yield* next(channel)).toMatchObject({ _tag: "Arrived", exchange: 1, message: { method: "late" } })
          expect(yield* ask(channel, post(2))).toMatchObject({ _tag: "Arrived", exchange: 2 })
        })
    )
  )

  it.live("closes the stream of an abandoned exchange and tells nothing more of it", () =>
    withServer(
      (response, seen, context) => {
        if (idIn(seen.body) !== 1) return answerJson(response, seen, context)
        response.on("close", () => context.note("closed"))
        response.writeHead(200, sse).write(event(Message.notification("begun")))
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({ message: { method: "begun" } })
          yield* channel.abandon(1)
          expect(yield* Queue.take(server.notes)).toBe("closed")
          expect(yield* ask(channel, post(2))).toMatchObject({ _tag: "Arrived", exchange: 2 })
          yield* channel.abandon(2)
          yield* channel.abandon(99)
          expect(yield* ask(channel, post(3))).toMatchObject({ _tag: "Arrived", exchange: 3 })
          expect(server.connections()).toBe(2)
        })
    )
  )

  it.live("closes everything that is under way, ends its events and takes nothing more", () =>
    withServer(
      (response, seen, context) => {
        if (idIn(seen.body) === 1) answerJson(response, seen, context)
        else if (idIn(seen.body) === 2) response.writeHead(200, sse).write(event(Message.notification("begun")))
        context.note("asked")
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          yield* ask(channel, post(1))
          yield* ask(channel, post(2))
          yield* channel.send(post(3))
          yield* channel.send(post(4))
          for (let i = 0; i < 4; i++) yield* Queue.take(server.notes)
          const waiting = yield* Effect.forkChild(Effect.exit(next(channel)))
          yield* channel.close
          yield* channel.close
          expect(Exit.isFailure(yield* Fiber.join(waiting))).toBe(true)
          yield* channel.send(post(5))
          expect(yield* Effect.exit(next(channel))).toEqual(Exit.fail(Cause.Done()))
          yield* server.openAtMost(0)
          // What another channel asks now is answered after what this one might still have asked.
          yield* ask(yield* HttpClient.make({ url: server.url }).open, post(1))
          expect(server.seen).toHaveLength(5)
        })
    )
  )

  it.live("is closed by its scope at any moment, and leaves no connection", () =>
    withServer(
      (response, seen, context) => {
        context.note("asked")
        if (seen.body.includes("stream")) response.writeHead(200, sse).write(event(Message.notification("begun")))
      },
      (server) =>
        Effect.gen(function* () {
          const transport = HttpClient.make({ url: server.url })
          yield* Effect.scoped(transport.open)
          yield* Effect.scoped(Effect.flatMap(transport.open, (channel) => channel.send(post(1))))
          yield* Effect.scoped(
            Effect.flatMap(transport.open, (channel) => Effect.andThen(channel.send(post(2)), Effect.yieldNow))
          )
          const fiber = yield* Effect.forkChild(
            Effect.scoped(Effect.flatMap(transport.open, (channel) => ask(channel, post(3))))
          )
          yield* Queue.take(server.notes)
          yield* Fiber.interrupt(fiber)
          yield* server.openAtMost(0)
        })
    )
  )
})

describe("HttpClient: what goes wrong", () => {
  it.live("loses a request where nothing listens", () =>
    Effect.gen(function* () {
      const server = createTcpServer()
      const port = yield* Effect.promise(async () => {
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        const address = server.address()
        server.close()
        await once(server, "close")
        return typeof address === "object" && address !== null ? address.port : 0
      })
      const channel = yield* HttpClient.make({ url: `http://127.0.0.1:${port}/mcp?key=s3cret` }).open
      expect(yield* ask(channel, post(1))).toEqual({
        _tag: "Lost",
        exchange: 1,
        cause: `http://127.0.0.1:${port}/mcp could not be asked: nothing listens there (ECONNREFUSED).`
      })
    }).pipe(Effect.scoped)
  )

  it.live("loses a request whose host has no address", () =>
    Effect.gen(function* () {
      const channel = yield* HttpClient.make({ url: "http://nowhere.invalid/mcp" }).open
      expect(yield* ask(channel, post(1))).toMatchObject({
        _tag: "Lost",
        cause: expect.stringMatching(
          /^http:\/\/nowhere\.invalid\/mcp could not be asked: its name .*(ENOTFOUND|EAI_AGAIN)/
        )
      })
    }).pipe(Effect.scoped)
  )

  const broken: ReadonlyArray<readonly [title: string, bytes: string, tag: string, cause: RegExp]> = [
    ["closes before it answers", "", "Lost", /ECONNRESET/],
    ["answers what is no HTTP", "SSH-2.0-OpenSSH_9.9\r\n", "Lost", /no valid HTTP \(HPE_/],
    ["breaks off in the headers", "HTTP/1.1 200 OK\r\ncontent-ty", "Lost", /ECONNRESET|HPE_/],
    ["breaks off in the body", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{", "Lost", /was cut/],
    ["breaks off in a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{", "Lost", /was cut/],
    [
      "sends a chunk that is none",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n",
      "Lost",
      /was cut.*HPE_/
    ],
    ["sends endless headers", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(10_000)}`, "Lost", /HPE_HEADER_OVERFLOW/],
    [
      "switches protocols",
      "HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
      "Lost",
      /could not be asked/
    ],
    ["sends a body without a length and closes", "HTTP/1.1 200 OK\r\n\r\nhello", "Unanswered", /no JSON/]
  ]
  it.live.each(broken)("concludes where the server %s", ([, bytes, tag, cause]) =>
    Effect.gen(function* () {
      const server = yield* HttpServer.startRaw((socket) => void socket.end(bytes))
      const channel = yield* HttpClient.make({ url: server.url }).open
      const found = yield* ask(channel, post(1))
      expect(found).toMatchObject({ _tag: tag, exchange: 1 })
      expect(found._tag === "Lost" ? found.cause : found._tag === "Unanswered" ? found.problem : "").toMatch(cause)
    }).pipe(Effect.scoped)
  )

  it.live("tells where a cut stream goes on", () =>
    withServer(
      (response) => {
        response.writeHead(200, sse)
        response.write("id: e7\nretry: 250\ndata:\n\n", () => response.socket?.resetAndDestroy())
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          expect(yield* ask(channel, post(1))).toMatchObject({
            _tag: "Lost",
            exchange: 1,
            cause: expect.stringContaining("was cut"),
            resume: { lastEventId: "e7", retryMillis: 250 }
          })
        })
    )
  )

  it.live("loses a request to a plain server that is asked for TLS", () =>
    withServer(answerJson, (server) =>
      Effect.gen(function* () {
        const channel = yield* HttpClient.make({ url: server.url.replace("http:", "https:") }).open
        expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Lost", cause: expect.stringContaining("TLS") })
      })
    )
  )

  it.live("trusts a certificate that its agent is told to trust, and no other", () =>
    Effect.gen(function* () {
      const tls = createTlsServer({ key, cert: certificate }, (request, response) => {
        request.resume()
        request.on("end", () => void response.writeHead(200, json).end(JSON.stringify(result(1))))
      })
      tls.on("tlsClientError", () => {})
      const server = yield* HttpServer.listen(tls)
      const url = server.url.replace("http:", "https:")
      const suspicious = yield* HttpClient.make({ url }).open
      expect(yield* ask(suspicious, post(1))).toMatchObject({
        _tag: "Lost",
        cause: expect.stringMatching(/TLS handshake failed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/)
      })
      const trusting = yield* HttpClient.make({ url, agent: { ca: certificate } }).open
      expect(yield* ask(trusting, post(1))).toMatchObject({ _tag: "Arrived", exchange: 1 })
      expect(yield* ask(trusting, post(1))).toMatchObject({ _tag: "Arrived", exchange: 1 })
      yield* trusting.close
      yield* suspicious.close
      yield* server.openAtMost(0)
    }).pipe(Effect.scoped)
  )
})

describe("HttpClient: any bytes", () => {
  const fragments = [
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 404 No\r\n",
    "HTTP/1.1 202 Accepted\r\n",
    "HTTP/1.0 200 OK\r\n",
    "HTTP/1.1 307 Go\r\nlocation: /x\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "content-type: text/event-stream\r\n",
    "content-type: application/json\r\n",
    "content-length: 5\r\n",
    "content-length: 80\r\n",
    "transfer-encoding: chunked\r\n",
    "connection: close\r\n",
    "mcp-session-id: \r\n",
    "\r\n",
    "\r\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "id: e1\n\n",
    'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    "\u0000\u00ff\u00fe"
  ]

  it.live("conclude each exchange exactly once", () =>
    Effect.gen(function* () {
      let state = 20_261_130
      const draw = (limit: number): number => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return Math.floor((state / 2 ** 32) * limit)
      }
      let bytes = ""
      const server = yield* HttpServer.startRaw((socket) => {
        socket.write(Buffer.from(bytes, "latin1"), () => socket.end())
      })
      const channel = yield* HttpClient.make({ url: server.url, limit: 1_000 }).open
      const tags = new Set<string>()
      for (let exchange = 1; exchange <= 300; exchange++) {
        // Most begin like an answer, so that not all end at the first byte.
        bytes = draw(4) === 0 ? "" : (fragments[draw(6)] ?? "")
        for (let count = draw(9); count > 0; count--) bytes += fragments[draw(fragments.length)] ?? ""
        yield* channel.send({ _tag: "Post", exchange, message: Message.request(1, "x"), headers: {} })
        for (;;) {
          const one = yield* Effect.timeout(next(channel), "5 seconds")
          tags.add(one._tag)
          const of = "exchange" in one ? one.exchange : undefined
          // A stream may bring more after its answer, and nothing but messages.
          if (of !== exchange) expect({ bytes, late: one._tag }).toEqual({ bytes, late: "Arrived" })
          if (of !== exchange) continue
          if (one._tag !== "Arrived" || Message.isResponse(one.message)) break
        }
      }
      expect([...tags].toSorted()).toEqual(["Arrived", "Lost", "Unanswered"])
    }).pipe(Effect.scoped)
  )
})

describe("HttpClient: a flood", () => {
  it.live("is not read faster than its events are taken, and loses none", () =>
    withServer(
      (response, _seen, { note }) => {
        let written = 0
        let blocked = 0
        response.writeHead(200, sse)
        const pump = (): void => {
          while (written < 100_000) {
            const text = event(Message.notification("flood", { n: written++, pad: "x".repeat(1_000) }))
            if (!response.write(text)) {
              note(`blocked ${(blocked = written)}`)
              return
            }
          }
          note(`done after ${blocked}`)
        }
        response.on("drain", pump)
        response.on("close", () => note("closed"))
        pump()
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          yield* channel.send(post(1))
          const last = yield* lastNote(server)
          // 100 MB were to come; the rest waits at the server, in the kernel and in 64 KiB here.
          expect(last).toMatch(/^blocked/)
          expect(Number(last.slice(8))).toBeLessThan(20_000)
          for (let n = 0; n < 2_000; n++) {
            expect(yield* next(channel)).toMatchObject({ exchange: 1, message: { params: { n } } })
          }
          yield* channel.abandon(1)
          yield* Effect.repeat(Queue.take(server.notes), { until: (note) => note === "closed" })
        })
    )
  )

  // The server says each time that it is blocked; when it says nothing more for a while, it is dammed.
  const lastNote = (server: HttpServer.HttpServer): Effect.Effect<string> =>
    Effect.gen(function* () {
      let last = yield* Queue.take(server.notes)
      for (;;) {
        const more = yield* Effect.timeoutOption(Queue.take(server.notes), 500)
        if (more._tag === "None") return last
        last = more.value
      }
    })

  it.live("keeps the order and the conclusion of what waits when the connection breaks", () =>
    withServer(
      (response) => {
        const burst = Array.from({ length: 50 }, (_, n) => event(Message.notification("n", { n }))).join("")
        response.writeHead(200, sse).write(burst, () => setImmediate(() => response.socket?.destroy()))
      },
      (server) =>
        Effect.gen(function* () {
          const channel = yield* HttpClient.make({ url: server.url }).open
          yield* channel.send(post(1))
          yield* server.openAtMost(1)
          const found: Array<Event> = []
          for (;;) {
            const one = yield* next(channel)
            found.push(one)
            if (one._tag !== "Arrived") break
          }
          expect(found.at(-1)).toMatchObject({ _tag: "Lost", exchange: 1 })
          const numbers = found
            .slice(0, -1)
            .map((one) => (one._tag === "Arrived" && "params" in one.message ? one.message.params?.["n"] : -1))
          expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => n))
        })
    )
  )
})
