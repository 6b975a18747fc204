// What each skin over HTTP owes by itself: bytes, streams, bounds, and ends. What is admitted is tested with the cases.
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { HeaderName } from "@parley/core/Envelope"
import * as HttpServer from "@parley/platform/HttpServer"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { connect, createServer as createHttp2Server } from "node:http2"
import { call, Call, headersOf, initialize, post, session, Signal, stamped, subscribe } from "./support/Caller.ts"
import * as Example from "./support/Example.ts"
import { listening, route, skins } from "./support/Skins.ts"

const watching = () => {
  const begun = new Signal()
  const interrupted = new Signal()
  return { begun, interrupted, watch: { begun: begun.tell, interrupted: interrupted.tell } }
}

/** Waits until a number that may grow has not grown while the server answered a few other requests. */
const settled = (url: string, read: () => number): Effect.Effect<number> =>
  Effect.gen(function* () {
    for (let last = -1, same = 0; ;) {
      yield* post(url, stamped(1, "server/discover")).complete
      same = read() === last ? same + 1 : 0
      last = read()
      if (same === 20) return last
    }
  })

describe.each(skins.map((skin) => [skin.name, skin] as const))("%s", (_, skin) => {
  it.live("answers with plain JSON and its length where nothing was said before", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission())
      const echoed = yield* post(url, call(1, "echo")).complete
      expect(echoed.status).toBe(200)
      expect(echoed.headers["content-type"]).toBe("application/json")
      expect(echoed.message.result.content).toEqual([{ type: "text", text: "echo" }])
      const large = yield* post(url, call(2, "large")).complete
      expect(large.message.result.content[0].text).toHaveLength(1_048_576)
      const taken = yield* post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, yield* session(url))
        .complete
      expect([taken.status, taken.text]).toEqual([202, ""])
    })
  )

  it.live("streams what a handler says before its answer, unbuffered, and ends", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission())
      const counted = yield* post(url, call(7, "count")).complete
      expect(counted.headers).toMatchObject({
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no"
      })
      expect(counted.events.map((event) => event.params?.progress ?? event.id)).toEqual([1, 2, 3, 7])
    })
  )

  it.live("keeps a silent stream alive with comments", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission(), { keepAliveMillis: 10 })
      const open = post(url, subscribe(1))
      yield* open.until(({ text }) => text.split(": keep-alive\n").length > 3)
      expect(open.events).toHaveLength(1)
      open.leave()
    })
  )

  it.live("interrupts a modern request whose client has gone", () =>
    Effect.gen(function* () {
      const { begun, interrupted, watch } = watching()
      const { url } = yield* skin.serve(yield* Example.admission(Example.both, { watch }))
      const waiting = post(url, call(1, "wait"))
      yield* begun.until("wait")
      waiting.leave()
      yield* interrupted.until("wait")
      const streaming = post(url, call(2, "flood"))
      yield* streaming.until(({ text }) => text.length > 100_000)
      streaming.leave()
      yield* interrupted.until("flood")
    })
  )

  it.live("serves a legacy request on whose client has gone, until a message cancels it", () =>
    Effect.gen(function* () {
      const { begun, interrupted, watch } = watching()
      const { url } = yield* skin.serve(yield* Example.admission(Example.both, { watch }))
      const headers = yield* session(url)
      const closed = new Signal()
      const waiting = post(url, { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "wait" } }, headers)
      yield* begun.until("wait")
      waiting.request.on("close", () => closed.tell("closed"))
      waiting.leave()
      yield* closed.until("closed")
      for (let turn = 0; turn < 5; turn++) {
        yield* post(url, { jsonrpc: "2.0", id: turn, method: "ping" }, headers).complete
      }
      expect(interrupted.has("wait")).toBe(false)
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } }
      expect((yield* post(url, cancel, headers).complete).status).toBe(202)
      yield* interrupted.until("wait")
    })
  )

  it.live("interrupts what listens on the GET stream of a session when that is left", () =>
    Effect.gen(function* () {
      const ended = new Signal()
      const admission = yield* Example.admission(Example.both, {
        listener: (door) =>
          Effect.andThen(door.notify("notifications/tools/list_changed"), Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => ended.tell("listener")))
          )
      })
      const { url } = yield* skin.serve(admission)
      const headers = { ...(yield* session(url)), accept: "text/event-stream" }
      const stream = new Call(url, { method: "GET", headers, body: "" })
      yield* stream.until(({ events }) => events.length === 1)
      stream.leave()
      yield* ended.until("listener")
    })
  )

  it.live("waits for a client that reads slowly, and keeps little meanwhile", () =>
    Effect.gen(function* () {
      const { interrupted, watch } = watching()
      const { url } = yield* skin.serve(yield* Example.admission(Example.both, { watch }))
      const slow = post(url, call(1, "flood"))
      yield* slow.until(({ response }) => response !== undefined)
      slow.response?.pause()
      const before = yield* settled(url, () => Example.flood.sent)
      // What the sockets of this machine hold; a server that does not wait would have said a hundred times more.
      expect(before).toBeLessThan(3_000)
      slow.response?.resume()
      yield* slow.until(() => Example.flood.sent > before + 50)
      slow.leave()
      yield* interrupted.until("flood")
    })
  )

  it.live("refuses a body that grows past the limit, whatever it declared", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(
        yield* Example.admission(Example.both, { profile: { limits: { bodyBytes: 1_000 } } })
      )
      const message = stamped(1, "server/discover")
      const declared = new Call(url, { headers: { ...headersOf(message), "content-length": "1001" } })
      declared.request.flushHeaders()
      yield* declared.until(({ status }) => status === 413)
      const chunked = new Call(url, { headers: headersOf(message) })
      for (let at = 0; at < 30; at++) chunked.request.write(" ".repeat(100))
      yield* chunked.until(({ status }) => status === 413)
      chunked.request.end()
      yield* chunked.complete
      expect(chunked.message.error.data.parley).toMatchObject({ rung: "size", limitBytes: 1_000 })
      const fitting = JSON.stringify(message).padEnd(1_000, " ")
      expect((yield* new Call(url, { headers: headersOf(message), body: fitting }).complete).status).toBe(200)
    })
  )

  it.live("has a limit of 4 MiB where the profile names none", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission())
      const message = stamped(1, "server/discover")
      const length = String(4 * 1024 * 1024 + 1)
      const large = new Call(url, { headers: { ...headersOf(message), "content-length": length } })
      large.request.flushHeaders()
      yield* large.until(({ status }) => status === 413)
      const whole = JSON.stringify(message).padEnd(4 * 1024 * 1024, " ")
      expect((yield* new Call(url, { headers: headersOf(message), body: whole }).complete).status).toBe(200)
    })
  )

  it.live("answers a body that does not come with 408", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission(), { bodyMillis: 30 })
      const stalled = new Call(url, { headers: { ...headersOf(initialize), "content-length": "100" } })
      stalled.request.write("{")
      yield* stalled.until(({ text }) => text.endsWith("}"))
      expect(stalled.status).toBe(408)
      expect(stalled.message.error.data.parley).toMatchObject({ rung: "body-time", remedy: "waitAndRetry" })
      stalled.leave()
    })
  )

  it.live("serves on when a client leaves in the middle of its body", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission())
      const closed = new Signal()
      const half = new Call(url, { headers: { ...headersOf(initialize), "content-length": "100" } })
      half.request.on("close", () => closed.tell("closed"))
      half.request.write("{")
      half.request.on("socket", (socket) => socket.on("connect", () => half.leave()))
      yield* closed.until("closed")
      expect((yield* post(url, initialize).complete).status).toBe(200)
    })
  )

  it.live("answers a body that is no UTF-8, no JSON, or not there", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission())
      for (const body of [new Uint8Array([0x7b, 0xff, 0x7d]), "{", ""]) {
        const answer = yield* new Call(url, { headers: headersOf(initialize), body }).complete
        expect([answer.status, answer.message.error.code]).toEqual([400, -32700])
      }
      const marked = new Call(url, { headers: headersOf(initialize), body: `\uFEFF${JSON.stringify(initialize)}` })
      expect((yield* marked.complete).status).toBe(200)
    })
  )

  it.live("lets in neither a foreign page nor a rebound name", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission())
      const page = yield* post(url, initialize, { origin: "https://evil.example" }).complete
      expect([page.status, page.message.error.data.parley.header]).toEqual([403, "Origin"])
      const rebound = yield* post(url, initialize, { host: "evil.example" }).complete
      expect([rebound.status, rebound.message.error.data.parley.header]).toEqual([403, "Host"])
      expect((yield* post(url, initialize, { origin: "http://localhost:5173" }).complete).status).toBe(200)
    })
  )

  it.live("answers other methods with 405 and Allow, and a deletion with 204", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission())
      for (const method of ["PUT", "PATCH", "OPTIONS", "HEAD", "GET"]) {
        const refused = yield* new Call(url, { method, headers: {}, body: "" }).complete
        expect([method, refused.status, refused.headers.allow]).toEqual([method, 405, "POST, DELETE"])
        expect(refused.headers["access-control-allow-origin"]).toBeUndefined()
      }
      const headers = yield* session(url)
      expect((yield* new Call(url, { method: "DELETE", headers, body: "" }).complete).status).toBe(204)
      expect((yield* new Call(url, { method: "DELETE", headers, body: "" }).complete).status).toBe(404)
    })
  )

  it.live("speaks to pages of allowed origins where it is asked to", () =>
    Effect.gen(function* () {
      const { url } = yield* skin.serve(yield* Example.admission(), { cors: {} })
      const origin = "http://localhost:5173"
      const asked = { origin, "access-control-request-method": "POST" }
      const flight = yield* new Call(url, { method: "OPTIONS", headers: asked, body: "" }).complete
      expect([flight.status, flight.headers["access-control-allow-origin"]]).toEqual([204, origin])
      const opened = yield* post(url, initialize, { origin }).complete
      expect(opened.headers["access-control-allow-origin"]).toBe(origin)
      expect(opened.headers["access-control-expose-headers"]).toContain(HeaderName.SessionId)
      const streamed = yield* post(url, call(1, "count"), { origin }).complete
      expect(streamed.headers["access-control-allow-origin"]).toBe(origin)
      const foreign = { ...asked, origin: "https://evil.example" }
      const refused = yield* new Call(url, { method: "OPTIONS", headers: foreign, body: "" }).complete
      expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([403, undefined])
    })
  )

  it.live("leaves nothing behind when its scope closes", () =>
    Effect.gen(function* () {
      const { begun, interrupted, watch } = watching()
      const scope = yield* Scope.make()
      const { url } = yield* Effect.flatMap(Example.admission(Example.both, { watch }), skin.serve).pipe(
        Scope.provide(scope)
      )
      const waiting = post(url, call(1, "wait"))
      const stream = post(url, subscribe(2))
      yield* begun.until("wait")
      yield* stream.until(({ events }) => events.length === 1)
      yield* Scope.close(scope, Exit.void)
      yield* interrupted.until("wait")
      waiting.leave()
      stream.leave()
      const refused = post(url, initialize)
      expect((yield* Effect.exit(refused.complete))._tag).toBe("Failure")
      expect(refused.failure).toMatchObject({ code: "ECONNREFUSED" })
    })
  )
})

describe("the route", () => {
  it.live("ends its streams with their closing result when the server stops", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { url } = yield* Effect.flatMap(Example.admission(), route.serve).pipe(Scope.provide(scope))
      const stream = post(url, subscribe(3))
      yield* stream.until(({ events }) => events.length === 1)
      yield* Scope.close(scope, Exit.void)
      yield* stream.complete
      expect(stream.events.at(-1)).toMatchObject({ id: 3, result: { resultType: "complete" } })
    })
  )

  it.live("ends its streams with their closing result when a web handler is disposed of", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission()
      const { handler, dispose } = HttpRouter.toWebHandler(
        HttpServer.route({ admission }).pipe(HttpServer.stoppingFirst(admission)),
        { disableLogger: true }
      )
      const message = subscribe(4)
      const headers = Object.entries(headersOf(message)).flatMap(([name, value]) =>
        value === undefined ? [] : ([[name, value]] as Array<[string, string]>)
      )
      const response = yield* Effect.promise(() =>
        handler(
          new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(message) }),
          Context.empty()
        )
      )
      const text = response.text()
      yield* Effect.promise(dispose)
      expect(yield* Effect.promise(() => text)).toContain('"id":4,"result":{"resultType":"complete"')
    })
  )

  it.live("stands beside other routes, at its path alone", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission()
      const routes = Layer.mergeAll(
        HttpServer.route({ admission, path: "/tools/mcp" }),
        HttpRouter.add("GET", "/health", HttpServerResponse.text("well")),
        HttpRouter.add("POST", "/echo", (request) => Effect.map(request.text, HttpServerResponse.text))
      )
      const { port } = yield* listening(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }))
      const at = (path: string) => `http://127.0.0.1:${port}${path}`
      expect((yield* post(at("/tools/mcp"), initialize).complete).status).toBe(200)
      expect((yield* new Call(at("/health"), { method: "GET", body: "" }).complete).text).toBe("well")
      expect((yield* new Call(at("/echo"), { body: "hello" }).complete).text).toBe("hello")
      expect((yield* post(at("/mcp"), initialize).complete).status).toBe(404)
      expect((yield* post(at("/tools/mcp/more"), initialize).complete).status).toBe(404)
    })
  )

  it.live("takes a body that a middleware has read as text", () =>
    Effect.gen(function* () {
      const read: Array<string> = []
      const admission = yield* Example.admission()
      const peeking = HttpRouter.middleware((program) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          read.push(yield* Effect.orDie(request.text))
          return yield* program
        })
      )
      const routes = HttpServer.route({ admission }).pipe(Layer.provide(peeking.layer))
      const { url } = yield* listening(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }))
      expect((yield* post(url, initialize).complete).status).toBe(200)
      expect(read).toEqual([JSON.stringify(initialize)])
    })
  )

  it.live("tells the server that nobody wants a stream that a middleware put away", () =>
    Effect.gen(function* () {
      const ended = new Signal()
      const admission = yield* Example.admission(Example.both, {
        listener: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.tell("listener")))
      })
      const replacing = HttpRouter.middleware((program) =>
        Effect.as(program, HttpServerResponse.text("something else"))
      )
      const routes = HttpServer.route({ admission }).pipe(Layer.provide(replacing.layer))
      const { url } = yield* listening(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }))
      expect((yield* post(url, subscribe(1)).complete).text).toBe("something else")
      yield* ended.until("listener")
    })
  )

  it.live("closes the connection of a body that does not come", () =>
    Effect.gen(function* () {
      const { url } = yield* route.serve(yield* Example.admission(), { bodyMillis: 30 })
      const stalled = new Call(url, { headers: { ...headersOf(initialize), "content-length": "100" } })
      const closed = new Signal()
      stalled.request.on("socket", (socket) => socket.on("close", () => closed.tell("closed")))
      stalled.request.write("{")
      yield* stalled.until(({ status }) => status === 408)
      yield* closed.until("closed")
      expect(stalled.headers.connection).toBe("close")
    })
  )

  it.live("asks for a body that waits to be asked for only where it will be read", () =>
    Effect.gen(function* () {
      const { url } = yield* route.serve(yield* Example.admission())
      const body = JSON.stringify(initialize)
      const ask = (length: number) => {
        const headers = { ...headersOf(initialize), expect: "100-continue", "content-length": String(length) }
        const asked = new Call(url, { headers })
        let isAsked = false
        asked.request.on("continue", () => {
          isAsked = true
          asked.request.end(body)
        })
        asked.request.flushHeaders()
        return { asked, wasAsked: () => isAsked }
      }
      const good = ask(body.length)
      expect((yield* good.asked.until(({ text }) => text !== "")).status).toBe(200)
      expect(good.wasAsked()).toBe(true)
      const large = ask(5_000_000)
      expect((yield* large.asked.until(({ text }) => text !== "")).status).toBe(413)
      expect(large.wasAsked()).toBe(false)
    })
  )

  it.live("serves HTTP/2, and checks the authority that it names", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission()
      const { port } = yield* listening(
        HttpRouter.serve(HttpServer.route({ admission }), { disableLogger: true, disableListenLog: true }),
        createHttp2Server
      )
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => connect(`http://127.0.0.1:${port}`)),
        (session) => Effect.sync(() => session.destroy())
      )
      const ask = (authority: string) =>
        Effect.callback<number>((resume) => {
          const stream = client.request({
            ":method": "POST",
            ":path": "/mcp",
            ":authority": authority,
            "content-type": "application/json"
          })
          stream.on("response", (headers) => resume(Effect.succeed(headers[":status"] ?? 0)))
          stream.end(JSON.stringify(initialize))
        })
      expect(yield* ask(`127.0.0.1:${port}`)).toBe(200)
      expect(yield* ask("evil.example")).toBe(403)
    })
  )

  it.live("asks the application who the client is, before the body is read, and lets it refuse", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission()
      const challenge = HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": "Bearer" } })
      const principal = Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const token = headers["authorization"]
        return token === undefined ? yield* Effect.fail(challenge) : token.slice("Bearer ".length)
      })
      const routes = HttpServer.route({ admission, principal })
      const { url } = yield* listening(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }))
      const stranger = new Call(url, { headers: { ...headersOf(initialize), "content-length": "100" } })
      stranger.request.flushHeaders()
      yield* stranger.until(({ status }) => status === 401)
      expect(stranger.headers["www-authenticate"]).toBe("Bearer")
      stranger.leave()
      const ada = { authorization: "Bearer ada" }
      const opened = yield* post(url, initialize, ada).complete
      const id = String(opened.headers[HeaderName.SessionId])
      const ping = (authorization: string) =>
        post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, { authorization, [HeaderName.SessionId]: id }).complete
      expect((yield* ping("Bearer ada")).status).toBe(200)
      expect((yield* ping("Bearer eve")).status).toBe(404)
    })
  )

  it.live("is a program too, for a node:http server that somebody else owns", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission()
      const scope = yield* Effect.scope
      const listener = yield* NodeHttpServer.makeHandler(HttpServer.handler(admission), { scope })
      const server = createServer((request, response) => {
        if (request.url === "/mcp") listener(request, response)
        else response.writeHead(200).end("somebody else")
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)).closeAllConnections())
      )
      const address = server.address()
      const at = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
      expect((yield* post(`${at}/mcp`, call(1, "echo")).complete).message.result.content[0].text).toBe("echo")
      expect((yield* new Call(`${at}/other`, { method: "GET", body: "" }).complete).text).toBe("somebody else")
    })
  )

  it.live("checks the host of the address where a fetch-style host hands on no header", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission()
      const { handler } = HttpRouter.toWebHandler(HttpServer.route({ admission }), { disableLogger: true })
      const ask = (url: string) =>
        Effect.promise(() =>
          handler(
            new Request(url, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify(initialize)
            }),
            Context.empty()
          )
        )
      expect((yield* ask("http://evil.example/mcp")).status).toBe(403)
      expect((yield* ask("http://localhost:3000/mcp")).status).toBe(200)
    })
  )
})
