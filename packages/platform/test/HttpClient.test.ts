import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@parley/core/client/Event"
import type { Headers, Outgoing } from "@parley/core/client/Outgoing"
import * as Message from "@parley/core/Message"
import * as FetchClient from "@parley/platform/FetchClient"
import * as HttpClient from "@parley/platform/HttpClient"
import type { HttpOptions } from "@parley/runtime/HttpOptions"
import type { Channel, Transport } from "@parley/runtime/Transport"
import { Cause, Effect, Exit, Fiber, type Layer, Queue, type Scope } from "effect"
import { FetchHttpClient, HttpClient as Client, HttpClientRequest } from "effect/http"
import type { Socket } from "node:net"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

const json = { "content-type": "application/json" }
const sse = { "content-type": "text/event-stream" }

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}
type Handler = (response: ServerResponse, seen: Seen, context: { nth: number; note: (text: string) => void }) => void

const serve = (handler: Handler) =>
  Effect.gen(function* () {
    const notes = yield* Queue.unbounded<string>()
    const seen: Array<Seen> = []
    const sockets = new Set<Socket>()
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("error", () => {})
      response.on("error", () => {})
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { method = "", url = "", headers } = request
        const one: Seen = { method, path: url, headers, body: Buffer.concat(chunks).toString("utf8") }
        seen.push(one)
        handler(response, one, { nth: seen.length, note: (text) => void Queue.offerUnsafe(notes, text) })
      })
    })
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          if (typeof address === "object" && address !== null) resume(Effect.succeed(address.port))
        })
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    return { port, url: `http://127.0.0.1:${port}/mcp`, seen, notes, sockets }
  })

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
const answerJson: Handler = (response, seen) => {
  response.writeHead(200, json).end(JSON.stringify(Message.success(idIn(seen.body), {})))
}
const event = (message: Message.Message): string => `data: ${JSON.stringify(message)}\n\n`
const next = (channel: Channel): Effect.Effect<Event, Cause.Done> => Queue.take(channel.events)
const ask = (channel: Channel, outgoing: Outgoing): Effect.Effect<Event, Cause.Done> =>
  Effect.andThen(channel.send(outgoing), next(channel))
const open = (options: HttpOptions) => Effect.flatMap(HttpClient.make(options), (transport) => transport.open)

type Make = (options: HttpOptions) => Effect.Effect<Transport, never, Client.HttpClient>
const plain: Make = (options) => Effect.succeed(FetchClient.make(options))

const backends: ReadonlyArray<readonly [name: string, layer: Layer.Layer<Client.HttpClient>, make: Make]> = [
  ["HttpClient over fetch", FetchHttpClient.layer, HttpClient.make],
  ["HttpClient over node:http", NodeHttpClient.layerNodeHttp, HttpClient.make],
  ["HttpClient over undici", NodeHttpClient.layerUndici, HttpClient.make],
  ["FetchClient", FetchHttpClient.layer, plain]
]

describe.each(backends)("%s", (name, layer, make) => {
  const open = (options: HttpOptions) => Effect.flatMap(make(options), (transport) => transport.open)
  const live = <E>(title: string, body: () => Effect.Effect<void, E, Scope.Scope | Client.HttpClient>): void =>
    it.live(title, () => Effect.scoped(Effect.provide(body(), layer)))

  live("posts JSON that asks for both types, with the headers of message and application", () =>
    Effect.gen(function* () {
      const server = yield* serve(answerJson)
      const url = `http://ann:s3cret@127.0.0.1:${server.port}/mcp?a=%20b`
      const transport = yield* make({ url, headers: Effect.succeed({ "X-Key": "k" }) })
      expect(transport.target).toBe(server.url)
      const channel = yield* transport.open
      expect(yield* ask(channel, post(7, { "mcp-protocol-version": "2025-06-18" }))).toEqual({
        _tag: "Arrived",
        exchange: 7,
        message: Message.success(7, {}),
        head: { status: 200, contentType: "application/json" }
      })
      const [seen] = server.seen
      expect(seen).toMatchObject({ method: "POST", path: "/mcp?a=%20b" })
      expect(JSON.parse(seen?.body ?? "")).toEqual({ jsonrpc: "2.0", id: 7, method: "tools/list" })
      expect(seen?.headers).toMatchObject({
        accept: "application/json, text/event-stream",
        authorization: `Basic ${Buffer.from("ann:s3cret").toString("base64")}`,
        "content-length": String(seen?.body.length),
        "content-type": "application/json",
        "mcp-protocol-version": "2025-06-18",
        "x-key": "k"
      })
    })
  )

  live("gets a stream and deletes a session without a body", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, { method }) => {
        if (method === "GET") response.writeHead(200, sse).end(event(Message.request("s1", "ping")))
        else response.writeHead(200).end()
      })
      const channel = yield* open({ url: server.url })
      expect(yield* ask(channel, { _tag: "Listen", exchange: 1, headers: {} })).toMatchObject({
        message: { method: "ping" }
      })
      expect(yield* next(channel)).toMatchObject({ _tag: "Unanswered", exchange: 1, problem: "the stream ended" })
      expect(yield* ask(channel, { _tag: "Delete", exchange: 2, headers: {} })).toMatchObject({
        _tag: "Unanswered",
        exchange: 2,
        head: { status: 200 }
      })
      expect(server.seen.map(({ method, body }) => [method, body])).toEqual([
        ["GET", ""],
        ["DELETE", ""]
      ])
      expect(server.seen[0]?.headers.accept).toBe("text/event-stream")
    })
  )

  live("reads a stream that comes byte by byte, with CRLF and text beyond ASCII", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, seen) => {
        const stream = `: hi\r\n\r\nid: e1\r\n${event(Message.notification("n", { text: "žluťoučký 🐎" })).replaceAll("\n", "\r\n")}${event(Message.success(idIn(seen.body), { text: "漢字" }))}`
        response.writeHead(200, sse)
        const bytes = Buffer.from(stream)
        const write = (at: number): void => {
          if (at === bytes.length) response.end()
          else response.write(bytes.subarray(at, at + 1), () => write(at + 1))
        }
        write(0)
      })
      const channel = yield* open({ url: server.url })
      expect(yield* ask(channel, post(1))).toMatchObject({ message: { params: { text: "žluťoučký 🐎" } } })
      expect(yield* next(channel)).toMatchObject({ message: { id: 1, result: { text: "漢字" } } })
    })
  )

  live("tells acceptance, refusal and what is no answer", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, _seen, { nth }) => {
        if (nth === 1) response.writeHead(202).end()
        else if (nth === 2) response.writeHead(204).end()
        else if (nth === 3) response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>")
        else if (nth === 4) response.writeHead(200, json).end(Buffer.from([0x7b, 0xff, 0xfe, 0xc3, 0x28, 0xc3]))
        else response.writeHead(200, sse).flushHeaders()
      })
      const channel = yield* open({ url: server.url })
      expect(yield* ask(channel, notify(1))).toMatchObject({ _tag: "Unanswered", exchange: 1, head: { status: 202 } })
      expect(yield* ask(channel, notify(2))).toMatchObject({ _tag: "Unanswered", exchange: 2, head: { status: 204 } })
      expect(yield* ask(channel, post(3))).toMatchObject({ head: { status: 502 }, body: "<h1>Bad gateway</h1>" })
      expect(yield* ask(channel, post(4))).toMatchObject({
        _tag: "Unanswered",
        problem: expect.stringContaining("no JSON"),
        body: "{\ufffd\ufffd\ufffd(\ufffd"
      })
      // A stream that answers a notification says nothing more, and may never end.
      expect(yield* ask(channel, notify(5))).toMatchObject({ _tag: "Unanswered", exchange: 5, head: { status: 200 } })
    })
  )

  live("keeps no session id of different copies, and takes equal ones as one", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, seen, { nth }) => {
        response.writeHead(200, { ...json, "mcp-session-id": ["s-1", nth === 1 ? "s-1" : "s-2"] })
        response.end(JSON.stringify(Message.success(idIn(seen.body), {})))
      })
      const channel = yield* open({ url: server.url })
      expect(yield* ask(channel, post(1))).toMatchObject({ head: { sessionId: "s-1" } })
      const second = yield* ask(channel, post(2))
      expect(second._tag === "Arrived" && second.head?.sessionId).toBeUndefined()
      expect(second).toMatchObject({ head: { note: expect.stringContaining("different copies") } })
    })
  )

  live("follows a redirect within the origin and asks nothing of another", () =>
    Effect.gen(function* () {
      const other = yield* serve(answerJson)
      const server = yield* serve((response, seen, context) => {
        if (seen.path === "/new") return answerJson(response, seen, context)
        if (context.nth < 3) response.writeHead(308, { location: "/new" }).end()
        else if (context.nth === 3) response.writeHead(307, { location: other.url }).end()
        else response.writeHead(302, { location: "/new" }).end()
      })
      const channel = yield* open({ url: server.url, headers: { "x-key": "s3cret" } })
      expect(yield* ask(channel, post(1, { "mcp-session-id": "s" }))).toMatchObject({ _tag: "Arrived", exchange: 1 })
      expect(server.seen[1]).toMatchObject({ method: "POST", path: "/new", body: server.seen[0]?.body })
      expect(server.seen[1]?.headers).toMatchObject({ "x-key": "s3cret", "mcp-session-id": "s" })
      expect(yield* ask(channel, post(2))).toMatchObject({ _tag: "Unanswered", head: { status: 307 } })
      expect(yield* ask(channel, post(3))).toMatchObject({ _tag: "Unanswered", head: { status: 302 } })
      expect(other.seen).toEqual([])
    })
  )

  live("follows five redirects and tells the sixth", () =>
    Effect.gen(function* () {
      const server = yield* serve((response) => void response.writeHead(307, { location: "/mcp" }).end())
      const channel = yield* open({ url: server.url })
      expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Unanswered", head: { status: 307 } })
      expect(server.seen).toHaveLength(6)
    })
  )

  live("answers a challenge once", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, seen, context) => {
        if (seen.headers.authorization === "Bearer good") return answerJson(response, seen, context)
        response.writeHead(401, { "www-authenticate": "Bearer" }).end("no")
      })
      let token = "old"
      const channel = yield* open({
        url: server.url,
        headers: Effect.sync(() => ({ authorization: `Bearer ${token}` })),
        onChallenge: (challenge) =>
          Effect.sync(() => {
            expect(challenge).toEqual({ status: 401, challenge: "Bearer" })
            return token === "good" ? { authorization: "Bearer bad" } : (token = "good") === "good"
          })
      })
      expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Arrived", exchange: 1 })
      expect(server.seen).toHaveLength(2)
      token = "stale"
      const refusing = yield* open({
        url: server.url,
        onChallenge: () => Effect.succeed({ authorization: "Bearer bad" })
      })
      expect(yield* ask(refusing, post(2))).toMatchObject({
        _tag: "Unanswered",
        head: { status: 401, challenge: "Bearer" },
        body: "no"
      })
      expect(server.seen).toHaveLength(4)
    })
  )

  live("loses a request whose headers fail or whose message has no JSON, without sending it", () =>
    Effect.gen(function* () {
      const server = yield* serve(answerJson)
      const failing = yield* open({ url: server.url, headers: Effect.fail(new TypeError("s3cret")) })
      const lost = yield* ask(failing, post(1))
      expect(lost).toMatchObject({ _tag: "Lost", exchange: 1, cause: expect.stringContaining("TypeError") })
      expect(JSON.stringify(lost)).not.toContain("s3cret")
      const channel = yield* open({ url: server.url })
      const broken: Outgoing = { _tag: "Post", exchange: 2, message: Message.request(2, "x", { big: 1n }), headers: {} }
      expect(yield* ask(channel, broken)).toMatchObject({ _tag: "Lost", exchange: 2 })
      expect(yield* ask(channel, post(3, { "mcp-name": "a\nb" }))).toMatchObject({ _tag: "Lost", exchange: 3 })
      expect(server.seen).toEqual([])
    })
  )

  live("does not open with what is no address", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(open({ url: "nowhere" }))).toMatchObject({ _tag: "TransportFailure", retryable: false })
      expect(yield* Effect.flip(open({ url: "http://a/", headers: { a: "\n" } }))).toMatchObject({
        _tag: "TransportFailure"
      })
    })
  )

  live("loses a request where nothing listens, and tells the code", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(Effect.map(serve(answerJson), (server) => server.port))
      const channel = yield* open({ url: `http://127.0.0.1:${port}/mcp?key=s3cret` })
      expect(yield* ask(channel, post(1))).toEqual({
        _tag: "Lost",
        exchange: 1,
        cause: `http://127.0.0.1:${port}/mcp could not be asked: nothing listens there (ECONNREFUSED).`
      })
    })
  )

  live("loses a request whose answer is cut, and tells where its stream goes on", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, _seen, { nth }) => {
        if (nth === 1) response.socket?.resetAndDestroy()
        else if (nth === 2)
          response.writeHead(200, { ...json, "content-length": "99" }).write("{", () => response.socket?.destroy())
        else response.writeHead(200, sse).write("id: e7\nretry: 250\ndata:\n\n", () => response.socket?.destroy())
      })
      const channel = yield* open({ url: server.url })
      expect(yield* ask(channel, post(1))).toMatchObject({
        _tag: "Lost",
        exchange: 1,
        cause: expect.stringContaining("could not be asked")
      })
      expect(yield* ask(channel, post(2))).toMatchObject({
        _tag: "Lost",
        exchange: 2,
        cause: expect.stringContaining("was cut")
      })
      expect(yield* ask(channel, post(3))).toMatchObject({
        _tag: "Lost",
        exchange: 3,
        resume: { lastEventId: "e7", retryMillis: 250 }
      })
      expect(server.seen).toHaveLength(3)
    })
  )

  live("gives up a body and an event over the limit, and aborts their responses", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, _seen, { nth, note }) => {
        response.on("close", () => note("closed"))
        response.writeHead(200, nth === 1 ? json : sse)
        const pump = (): void => {
          while (
            !response.destroyed &&
            response.write(nth === 1 ? "x".repeat(10_000) : `data: ${"x".repeat(10_000)}\n`)
          );
        }
        response.on("drain", pump)
        pump()
      })
      const channel = yield* open({ url: server.url, limit: 100_000 })
      expect(yield* ask(channel, post(1))).toMatchObject({ problem: "the body is longer than 100000 characters" })
      expect(yield* Queue.take(server.notes)).toBe("closed")
      expect(yield* ask(channel, post(2))).toMatchObject({ problem: "an event is longer than 100000 characters" })
      expect(yield* Queue.take(server.notes)).toBe("closed")
    })
  )

  live("closes the stream of an abandoned exchange and tells nothing more of it", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, seen, context) => {
        if (idIn(seen.body) !== 1) return answerJson(response, seen, context)
        response.on("close", () => context.note("closed"))
        response.writeHead(200, sse).write(event(Message.notification("begun")))
      })
      const channel = yield* open({ url: server.url })
      expect(yield* ask(channel, post(1))).toMatchObject({ message: { method: "begun" } })
      yield* channel.abandon(1)
      yield* channel.abandon(9)
      expect(yield* Queue.take(server.notes)).toBe("closed")
      expect(yield* ask(channel, post(2))).toMatchObject({ _tag: "Arrived", exchange: 2 })
    })
  )

  live("aborts what is under way when it closes, ends its events and takes nothing more", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, seen, { note }) => {
        response.on("close", () => note("closed"))
        if (idIn(seen.body) === 1) response.writeHead(200, sse).write(event(Message.notification("begun")))
        else note("asked")
      })
      const channel = yield* open({ url: server.url })
      yield* ask(channel, post(1))
      yield* channel.send(post(2))
      expect(yield* Queue.take(server.notes)).toBe("asked")
      const waiting = yield* Effect.forkChild(Effect.exit(next(channel)))
      yield* channel.close
      yield* channel.close
      expect(yield* Fiber.join(waiting)).toEqual(Exit.fail(Cause.Done()))
      expect(yield* Queue.takeN(server.notes, 2)).toEqual(["closed", "closed"])
      yield* channel.send(post(3))
      expect(yield* Effect.exit(next(channel))).toEqual(Exit.fail(Cause.Done()))
      expect(server.seen).toHaveLength(2)
    })
  )

  live("keeps a few answered streams that their server does not end, and cuts the oldest", () =>
    Effect.gen(function* () {
      let openNow = 0
      const server = yield* serve((response, seen, { note }) => {
        openNow += 1
        response.on("close", () => {
          openNow -= 1
          note("closed")
        })
        response.writeHead(200, sse).write(event(Message.success(idIn(seen.body), {})))
      })
      const channel = yield* open({ url: server.url })
      for (let exchange = 1; exchange <= 20; exchange++) {
        expect(yield* ask(channel, post(exchange))).toMatchObject({ _tag: "Arrived", exchange })
      }
      yield* Queue.takeN(server.notes, 12)
      expect(openNow).toBe(8)
    })
  )

  live("is not read faster than its events are taken, and loses none", () =>
    Effect.gen(function* () {
      let written = 0
      const server = yield* serve((response, _seen, { note }) => {
        response.writeHead(200, sse)
        const pump = (): void => {
          while (written < 100_000) {
            if (!response.write(event(Message.notification("flood", { n: written++, pad: "x".repeat(1_000) })))) {
              note("blocked")
              return
            }
          }
          note("done")
        }
        response.on("drain", pump)
        pump()
      })
      const channel = yield* open({ url: server.url })
      yield* channel.send(post(1))
      // The server says each time that it is blocked; when it says nothing more for a while, it is dammed.
      let note = yield* Queue.take(server.notes)
      for (;;) {
        const more = yield* Effect.timeoutOption(Queue.take(server.notes), 500)
        if (more._tag === "None") break
        note = more.value
      }
      expect(note).toBe("blocked")
      expect(written).toBeLessThan(20_000)
      for (let n = 0; n < 1_000; n++) {
        expect(yield* next(channel)).toMatchObject({ exchange: 1, message: { params: { n } } })
      }
    })
  )

  if (make !== plain) {
    live("does not read what its client fetched from another origin by itself", () =>
      Effect.gen(function* () {
        const other = yield* serve(answerJson)
        const server = yield* serve((response) => void response.writeHead(307, { location: other.url }).end())
        const client = yield* Client.HttpClient
        const transport = yield* HttpClient.make({ url: server.url }).pipe(
          Effect.provideService(Client.HttpClient, Client.followRedirects(client))
        )
        const channel = yield* transport.open
        expect(yield* ask(channel, post(1))).toMatchObject({
          _tag: "Lost",
          cause: expect.stringContaining(`followed a redirect to http://127.0.0.1:${other.port} by itself`)
        })
      })
    )
  }

  if (name === "HttpClient over fetch") {
    live("keeps the options that its program gives to fetch, but for redirects", () =>
      Effect.gen(function* () {
        const given: Array<RequestInit | undefined> = []
        const server = yield* serve(answerJson)
        const fetch: typeof globalThis.fetch = (input, init) => {
          given.push(init)
          return globalThis.fetch(input, init)
        }
        const channel = yield* open({ url: server.url }).pipe(
          Effect.provideService(FetchHttpClient.RequestInit, { credentials: "omit", redirect: "follow" }),
          Effect.provideService(FetchHttpClient.Fetch, fetch)
        )
        expect(yield* ask(channel, post(1))).toMatchObject({ _tag: "Arrived" })
        expect(given).toMatchObject([{ credentials: "omit", redirect: "manual" }])
      })
    )
  }
})

describe("HttpClient over a client of one's own", () => {
  it.live("loses a request that a platform shows as an opaque redirect", () =>
    Effect.gen(function* () {
      const opaque: typeof globalThis.fetch = () => Promise.resolve(Response.error())
      const channel = yield* open({ url: "http://127.0.0.1/" }).pipe(
        Effect.provideService(FetchHttpClient.Fetch, opaque)
      )
      expect(yield* ask(channel, post(1))).toMatchObject({
        _tag: "Lost",
        cause: expect.stringContaining("no redirect")
      })
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
  )

  it.live("loses a request where the client fails with what has no code, without its words", () =>
    Effect.gen(function* () {
      const client = Client.mapRequest(yield* Client.HttpClient, HttpClientRequest.setUrl("not a url: s3cret"))
      const channel = yield* open({ url: "http://127.0.0.1/" }).pipe(Effect.provideService(Client.HttpClient, client))
      const lost = yield* ask(channel, post(1))
      expect(lost).toMatchObject({ _tag: "Lost", exchange: 1 })
      expect(JSON.stringify(lost)).not.toContain("s3cret")
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
  )
})

describe("FetchClient with a fetch of one's own", () => {
  const lostBy = (fetch: FetchClient.Options["fetch"]) =>
    Effect.scoped(
      Effect.flatMap(FetchClient.make({ url: "http://127.0.0.1/", fetch }).open, (channel) => ask(channel, post(1)))
    )

  it.live("asks by it with its own options, but for redirects", () =>
    Effect.gen(function* () {
      const given: Array<RequestInit> = []
      const server = yield* serve(answerJson)
      const transport = FetchClient.make({
        url: server.url,
        init: { credentials: "omit" },
        fetch: (url, init) => {
          given.push(init)
          return fetch(url, init)
        }
      })
      expect(yield* ask(yield* transport.open, post(1))).toMatchObject({ _tag: "Arrived" })
      expect(given).toMatchObject([{ credentials: "omit", redirect: "manual", method: "POST" }])
    }).pipe(Effect.scoped)
  )

  it.live("loses a request that the platform shows as an opaque redirect", () =>
    Effect.map(
      lostBy(() => Promise.resolve(Response.error())),
      (lost) => expect(lost).toMatchObject({ _tag: "Lost", cause: expect.stringContaining("no redirect") })
    )
  )

  it.live("does not read what was fetched from another origin", () =>
    Effect.gen(function* () {
      const server = yield* serve(answerJson)
      const lost = yield* lostBy((_, init) => fetch(server.url, init))
      const cause = expect.stringContaining(`followed a redirect to http://127.0.0.1:${server.port} by itself`)
      expect(lost).toMatchObject({ _tag: "Lost", cause })
    }).pipe(Effect.scoped)
  )

  it.live("loses a request where it fails with what has no code, without its words, and where it throws", () =>
    Effect.gen(function* () {
      const rejecting = yield* lostBy(() => Promise.reject(new TypeError("s3cret")))
      const throwing = yield* lostBy(() => {
        throw new TypeError("s3cret")
      })
      for (const lost of [rejecting, throwing]) {
        expect(lost).toMatchObject({ _tag: "Lost", exchange: 1 })
        expect(JSON.stringify(lost)).not.toContain("s3cret")
      }
    })
  )
})
