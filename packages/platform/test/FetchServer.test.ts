// What the fetch handler owes a host: in memory, since any host will do. What it shares with the other skins is tested there.
import { describe, expect, it } from "@effect/vitest"
import { HeaderName } from "@parley/core/Envelope"
import type { JsonObject } from "@parley/core/Message"
import * as FetchServer from "@parley/platform/FetchServer"
import { Effect } from "effect"
import { call, headersOf, initialize, Signal, subscribe } from "./support/Caller.ts"
import * as Example from "./support/Example.ts"

const requestOf = (
  message: JsonObject,
  init: RequestInit & { readonly url?: string; readonly extra?: Record<string, string>; readonly duplex?: string } = {}
): Request => {
  const { extra = {}, url = "http://localhost:3000/mcp", ...rest } = init
  const headers = new Headers(extra)
  for (const [name, value] of Object.entries(headersOf(message))) if (value !== undefined) headers.set(name, value)
  return new Request(url, { method: "POST", headers, body: JSON.stringify(message), ...rest })
}

const ask = (handler: FetchServer.FetchHandler, request: Request) => Effect.promise(() => handler(request))
const json = (response: Response) => Effect.promise<any>(() => response.json())

/** A body that a test writes by hand. */
const byHand = () => {
  const cancelled = new Signal()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
    cancel: () => cancelled.tell("cancelled")
  })
  return {
    stream,
    cancelled,
    write: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    fail: () => controller?.error(new Error("cut")),
    end: () => controller?.close()
  }
}

const listened = (ended: Signal) =>
  Example.admission(Example.both, {
    listener: (door) =>
      Effect.andThen(door.notify("notifications/tools/list_changed"), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.sync(() => ended.tell("listener")))
      )
  })

describe("the fetch handler", () => {
  it.live("answers a request with a response", () =>
    Effect.gen(function* () {
      const handler = FetchServer.fetchHandler(yield* Example.admission())
      const response = yield* ask(handler, requestOf(call(1, "echo")))
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
      expect(yield* json(response)).toMatchObject({ id: 1, result: { content: [{ text: "echo" }] } })
      const opened = yield* ask(handler, requestOf(initialize))
      const session = { [HeaderName.SessionId]: opened.headers.get(HeaderName.SessionId) ?? "" }
      const taken = yield* ask(
        handler,
        requestOf({ jsonrpc: "2.0", method: "notifications/initialized" }, { extra: session })
      )
      expect([taken.status, taken.body]).toEqual([202, null])
    })
  )

  it.live.each<[string, (body: ReadableStream) => Promise<unknown>]>([
    ["a reader of it waits", async (body) => body.getReader().cancel()],
    [
      "it was partly read",
      async (body) => {
        const reader = body.getReader()
        await reader.read()
        await reader.cancel()
      }
    ],
    [
      "a read of it is under way",
      async (body) => {
        const reader = body.getReader()
        await reader.read()
        const pending = reader.read()
        await reader.cancel()
        expect((await pending).done).toBe(true)
      }
    ],
    ["nobody has begun to read it", (body) => body.cancel()]
  ])("takes the cancelling of a stream for the client's going: %s", ([_, cancel]) =>
    Effect.gen(function* () {
      const ended = new Signal()
      const handler = FetchServer.fetchHandler(yield* listened(ended))
      const { body } = yield* ask(handler, requestOf(subscribe(1)))
      yield* Effect.promise(() => (body === null ? Promise.reject(new Error("no body")) : cancel(body)))
      yield* ended.until("listener")
    })
  )

  it.live("takes the abort of a request for the client's going, at any time", () =>
    Effect.gen(function* () {
      const begun = new Signal()
      const interrupted = new Signal()
      const watch = { begun: begun.tell, interrupted: interrupted.tell }
      const handler = FetchServer.fetchHandler(yield* Example.admission(Example.both, { watch }))
      const waiting = new AbortController()
      const response = handler(requestOf(call(1, "wait"), { signal: waiting.signal }))
      yield* begun.until("wait")
      waiting.abort()
      yield* interrupted.until("wait")
      const streaming = new AbortController()
      const flood = yield* ask(handler, requestOf(call(2, "flood"), { signal: streaming.signal }))
      streaming.abort()
      yield* interrupted.until("flood")
      expect(yield* Effect.promise(() => flood.text())).toBe("")
      // The host is not left waiting.
      expect((yield* Effect.promise(() => response)).status).toBe(499)
    })
  )

  it.live("serves nothing on for a request that was aborted before", () =>
    Effect.gen(function* () {
      const interrupted = new Signal()
      const watch = { begun: () => undefined, interrupted: interrupted.tell }
      const handler = FetchServer.fetchHandler(yield* Example.admission(Example.both, { watch }))
      const response = yield* ask(handler, requestOf(call(1, "wait"), { signal: AbortSignal.abort() }))
      expect(response.status).toBe(499)
      yield* interrupted.until("wait")
    })
  )

  it.live("checks the host of the address where no header names it", () =>
    Effect.gen(function* () {
      const handler = FetchServer.fetchHandler(yield* Example.admission())
      expect((yield* ask(handler, requestOf(initialize, { url: "http://evil.example/mcp" }))).status).toBe(403)
      expect((yield* ask(handler, requestOf(initialize, { url: "http://[::1]:3000/" }))).status).toBe(200)
    })
  )

  it.live("binds a session to who the application says the client is", () =>
    Effect.gen(function* () {
      const handler = FetchServer.fetchHandler(yield* Example.admission(), {
        principal: async (request) => request.headers.get("authorization") ?? undefined
      })
      const opened = yield* ask(handler, requestOf(initialize, { extra: { authorization: "ada" } }))
      const session = { [HeaderName.SessionId]: opened.headers.get(HeaderName.SessionId) ?? "" }
      const ping = (authorization: string) =>
        ask(handler, requestOf({ jsonrpc: "2.0", id: 2, method: "ping" }, { extra: { ...session, authorization } }))
      expect((yield* ping("ada")).status).toBe(200)
      expect((yield* ping("eve")).status).toBe(404)
    })
  )

  it.live("hands on the response with which the application refuses, for pages to read", () =>
    Effect.gen(function* () {
      const handler = FetchServer.fetchHandler(yield* Example.admission(), {
        cors: {},
        principal: () => new Response("who?", { status: 401, headers: { "www-authenticate": "Bearer" } })
      })
      const origin = "http://localhost:5173"
      const response = yield* ask(handler, requestOf(initialize, { extra: { origin } }))
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
      expect(response.headers.get("access-control-allow-origin")).toBe(origin)
      expect(yield* Effect.promise(() => response.text())).toBe("who?")
    })
  )

  it.live("rejects where the application throws, and where the body was read already", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission()
      const failing = FetchServer.fetchHandler(admission, {
        principal: () => {
          throw new Error("no database")
        }
      })
      yield* Effect.promise(() => expect(failing(requestOf(initialize))).rejects.toThrow("no database"))
      const handler = FetchServer.fetchHandler(admission)
      const read = requestOf(initialize)
      yield* Effect.promise(() => read.text())
      yield* Effect.promise(() => expect(handler(read)).rejects.toThrow(TypeError))
    })
  )

  it.live("answers a body that stalls, and gives it up when it goes on", () =>
    Effect.gen(function* () {
      const handler = FetchServer.fetchHandler(yield* Example.admission(), { bodyMillis: 20 })
      const body = byHand()
      body.write("{")
      const response = yield* ask(handler, requestOf(initialize, { body: body.stream, duplex: "half" }))
      expect(response.status).toBe(408)
      expect(body.cancelled.has("cancelled")).toBe(false)
      body.write("}")
      yield* body.cancelled.until("cancelled")
    })
  )

  it.live("answers a body past the limit, reads on so that the client sees it, and not for ever", () =>
    Effect.gen(function* () {
      const limits = { bodyBytes: 100 }
      const handler = FetchServer.fetchHandler(yield* Example.admission(Example.both, { profile: { limits } }), {
        bodyMillis: 30
      })
      const body = byHand()
      body.write(" ".repeat(101))
      const response = yield* ask(handler, requestOf(initialize, { body: body.stream, duplex: "half" }))
      expect(response.status).toBe(413)
      expect(body.cancelled.has("cancelled")).toBe(false)
      yield* body.cancelled.until("cancelled")
    })
  )

  it.live("answers a body that breaks off", () =>
    Effect.gen(function* () {
      const handler = FetchServer.fetchHandler(yield* Example.admission())
      const body = byHand()
      const response = handler(requestOf(initialize, { body: body.stream, duplex: "half" }))
      body.write("{")
      body.fail()
      const answer = yield* Effect.promise(() => response)
      expect([answer.status, (yield* json(answer)).error.code]).toEqual([400, -32700])
      const none = yield* ask(handler, requestOf(initialize, { body: null }))
      expect([none.status, (yield* json(none)).error.code]).toEqual([400, -32700])
    })
  )
})
