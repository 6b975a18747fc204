import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { HeaderName } from "@parley/core/Envelope"
import * as Profile from "@parley/core/server/Profile"
import type { Options as AdmissionOptions } from "@parley/runtime/Admission"
import * as Admission from "@parley/runtime/Admission"
import type { Door, Handler } from "@parley/runtime/Handler"
import * as HttpServer from "@parley/node/HttpServer"
import express from "express"
import { createServer } from "node:http"
import * as Caller from "./support/Caller.ts"
import { admissionOf, listening } from "./support/Carried.ts"

const profile = Profile.dual({
  serverInfo: { name: "tested", version: "1.0.0" },
  capabilities: { tools: { listChanged: true }, logging: {} }
})

const served = (
  handler: Handler<unknown>,
  options?: Partial<HttpServer.ServeOptions>,
  admission?: AdmissionOptions,
  changed?: Partial<Profile.Profile>
) =>
  Effect.flatMap(Admission.make({ ...profile, ...changed }, handler, admission), (made) =>
    HttpServer.serve({ admission: made, ...options })
  )

/**
 * A server whose requests tell their progress, wait until the test lets them go, and tell when they begin and when they are
 * interrupted.
 */
const held = (options?: Partial<HttpServer.ServeOptions>) =>
  Effect.gen(function* () {
    const began = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const { url } = yield* served(
      (_, context) =>
        context.progress({ progress: 1 }).pipe(
          Effect.andThen(Deferred.succeed(began, undefined)),
          Effect.andThen(Deferred.await(go)),
          Effect.as({ done: true }),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        ),
      options
    )
    return { url, began: Deferred.await(began), interrupted, go }
  })

describe("HttpServer, answers", () => {
  it.live("writes a JSON answer whole, with its length, and keeps the connection", () =>
    Effect.gen(function* () {
      const { url } = yield* served(() => Effect.succeed({ said: "žluťoučký 🐎" }))
      const raw = new Caller.Raw(url)
      const message = Caller.stamped(1)
      raw.socket.write(Caller.postText(url, message))
      yield* raw.until(({ text }) => text.includes('"jsonrpc"') && text.endsWith("}"))
      const [head = "", body = ""] = raw.text.split("\r\n\r\n")
      expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(head.match(/content-length: /gi)).toHaveLength(1)
      expect(head).toContain(`content-length: ${body.length}`)
      expect(head).not.toMatch(/transfer-encoding/i)
      const answered = JSON.parse(Buffer.from(body, "latin1").toString("utf8"))
      expect(answered).toMatchObject({ id: 1, result: { said: "žluťoučký 🐎", resultType: "complete" } })
      raw.text = ""
      raw.socket.write(Caller.postText(url, message))
      yield* raw.until(({ text }) => text.endsWith("}"))
      expect(raw.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      raw.socket.destroy()
    })
  )

  it.live("answers several requests that came in one piece in their order", () =>
    Effect.gen(function* () {
      const last = yield* Deferred.make<void>()
      const { url } = yield* served((_, { id }) =>
        Effect.as(id === 1 ? Deferred.await(last) : id === 3 ? Deferred.succeed(last, undefined) : Effect.void, { id })
      )
      const raw = new Caller.Raw(url)
      raw.socket.write([1, 2, 3].map((id) => Caller.postText(url, Caller.stamped(id))).join(""))
      yield* raw.until(({ text }) => text.split("HTTP/1.1 200").length === 4 && text.endsWith("}"))
      expect([...raw.text.matchAll(/"jsonrpc":"2.0","id":(\d)/g)].map(([, id]) => id)).toEqual(["1", "2", "3"])
      raw.socket.destroy()
    })
  )

  it.live("streams what a handler says before its answer, and ends with the answer", () =>
    Effect.gen(function* () {
      const { url } = yield* served((_, context) =>
        Effect.gen(function* () {
          yield* context.progress({ progress: 1, total: 2 })
          yield* context.log("warning", "half")
          return { done: true }
        })
      )
      const response = yield* Caller.send(
        url,
        Caller.stamped(7, "tools/list", {}, { progressToken: "p", "io.modelcontextprotocol/logLevel": "info" })
      )
      expect(response.status).toBe(200)
      expect(response.headers).toMatchObject({
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no"
      })
      expect(response.headers["content-length"]).toBeUndefined()
      expect(response.events).toMatchObject([
        { method: "notifications/progress", params: { progressToken: "p", progress: 1, total: 2 } },
        { method: "notifications/message", params: { level: "warning", data: "half" } },
        { id: 7, result: { done: true } }
      ])
      expect(response.cut).toBe(false)
    })
  )

  it.live("keeps a silent stream alive with comments", () =>
    Effect.gen(function* () {
      const { go, url } = yield* held({ keepAliveMillis: 10 })
      const response = yield* Caller.open(url, Caller.stamped(1, "tools/list", {}, { progressToken: 1 }))
      yield* response.until(({ comments }) => comments() >= 3)
      yield* Deferred.succeed(go, undefined)
      yield* response.until(({ ended }) => ended)
      expect(response.events).toHaveLength(2)
    })
  )

  it.live("writes no comment where it is to wait for ever", () =>
    Effect.gen(function* () {
      const { go, url } = yield* held({ keepAliveMillis: Infinity })
      const response = yield* Caller.open(url, Caller.stamped(1, "tools/list", {}, { progressToken: 1 }))
      for (let id = 0; id < 10; id++) yield* Caller.send(url, Caller.stamped(id, "server/discover"))
      yield* Deferred.succeed(go, undefined)
      yield* response.until(({ ended }) => ended)
      expect(response.comments()).toBe(0)
      expect(response.events).toHaveLength(2)
    })
  )

  it.live("lets a handler wait while the client does not read", () =>
    Effect.gen(function* () {
      const total = 400
      const text = "x".repeat(65_536)
      const waits = yield* Deferred.make<number>()
      const { url } = yield* served((_, context) =>
        Effect.gen(function* () {
          for (let sent = 0; sent < total; sent++) {
            const told = context.notify("notifications/progress", { progressToken: 1, text })
            const fiber = yield* Effect.forkChild(told, { startImmediately: true })
            if (fiber.pollUnsafe() === undefined) yield* Deferred.succeed(waits, sent)
            yield* Fiber.join(fiber)
          }
          return { done: true }
        })
      )
      const response = yield* Caller.open(url, Caller.stamped(1, "tools/list", {}, { progressToken: 1 }))
      response.incoming?.pause()
      expect(yield* Deferred.await(waits)).toBeLessThan(total)
      response.incoming?.resume()
      yield* response.until(({ ended }) => ended)
      expect(response.message.result).toMatchObject({ done: true })
      expect(response.events).toHaveLength(total + 1)
    })
  )

  it.live("speaks to clients of HTTP/1.0", () =>
    Effect.gen(function* () {
      const { url } = yield* served((_, context) => Effect.as(context.progress({ progress: 1 }), { done: true }))
      const raw = new Caller.Raw(url)
      const message = Caller.stamped(1, "tools/list", {}, { progressToken: 1 })
      raw.socket.write(Caller.postText(url, message).replace("HTTP/1.1", "HTTP/1.0"))
      yield* raw.until(({ ended }) => ended)
      expect(raw.text.match(/^data: /gm)).toHaveLength(2)
    })
  )
})

describe("HttpServer, clients that go", () => {
  it.live("interrupts a modern request whose stream the client closes", () =>
    Effect.gen(function* () {
      const { interrupted, url } = yield* held()
      const response = yield* Caller.open(url, Caller.stamped(1, "tools/list", {}, { progressToken: 1 }))
      yield* response.until(({ events }) => events.length === 1)
      response.close()
      yield* Deferred.await(interrupted)
    })
  )

  it.live("interrupts a modern request whose connection the client closes", () =>
    Effect.gen(function* () {
      const { began, interrupted, url } = yield* held()
      const raw = new Caller.Raw(url)
      raw.socket.write(Caller.postText(url, Caller.stamped(1)))
      yield* began
      raw.socket.destroy()
      yield* Deferred.await(interrupted)
    })
  )

  it.live("interrupts a modern request whose client closes its half of the connection", () =>
    Effect.gen(function* () {
      const { began, interrupted, url } = yield* held()
      const raw = new Caller.Raw(url)
      raw.socket.write(Caller.postText(url, Caller.stamped(1)))
      yield* began
      raw.socket.end()
      yield* Deferred.await(interrupted)
      yield* raw.until(({ ended }) => ended)
      expect(raw.text).toBe("")
    })
  )

  it.live("serves a legacy request on when its client goes, and interrupts it when it is cancelled", () =>
    Effect.gen(function* () {
      const { began, go, interrupted, url } = yield* held()
      const session = yield* Caller.openSession(url)
      const response = yield* Effect.forkChild(Caller.send(url, Caller.legacy(5), { session }))
      yield* began
      const cancelled = yield* Caller.send(url, Caller.notification("notifications/cancelled", { requestId: 5 }), {
        session
      })
      expect(cancelled.status).toBe(202)
      yield* Deferred.await(interrupted)
      const ended = yield* Fiber.join(response)
      expect([ended.status, ended.events, ended.cut]).toEqual([200, [], false])
      yield* Deferred.succeed(go, undefined)

      const second = yield* held()
      const other = yield* Caller.openSession(second.url)
      const raw = new Caller.Raw(second.url)
      raw.socket.write(Caller.postText(second.url, Caller.legacy(6), { [HeaderName.SessionId]: other }))
      yield* second.began
      raw.socket.destroy()
      yield* raw.until(({ ended }) => ended)
      const ping = yield* Caller.send(second.url, Caller.legacy(7, "ping"), { session: other })
      expect(ping.message).toMatchObject({ id: 7, result: {} })
      expect(yield* Deferred.isDone(second.interrupted)).toBe(false)
      yield* Deferred.succeed(second.go, undefined)
    })
  )
})

describe("HttpServer, sessions and streams", () => {
  it.live("carries what the server says by itself on the stream of a session, and ends it with the session", () =>
    Effect.gen(function* () {
      const doors = yield* Queue.unbounded<Door>()
      const { url } = yield* served(
        () => Effect.succeed({}),
        {},
        {
          listener: (door) => Effect.andThen(Queue.offer(doors, door), Effect.never)
        }
      )
      const session = yield* Caller.openSession(url)
      const stream = yield* Caller.open(url, undefined, { method: "GET", session })
      expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"])
      const door = yield* Queue.take(doors)
      expect(door).toMatchObject({ era: "legacy", sessionId: session })
      yield* door.notify("notifications/tools/list_changed")
      yield* stream.until(({ events }) => events.length === 1)
      expect(stream.events).toEqual([{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }])

      const second = yield* Caller.open(url, undefined, { method: "GET", session })
      yield* stream.until(({ ended }) => ended)
      expect(stream.cut).toBe(false)
      yield* (yield* Queue.take(doors)).notify("notifications/tools/list_changed")
      yield* second.until(({ events }) => events.length === 1)

      expect((yield* Caller.send(url, undefined, { method: "DELETE", session })).status).toBe(204)
      yield* second.until(({ ended }) => ended)
      expect(second.cut).toBe(false)
      expect((yield* Caller.send(url, Caller.legacy(1, "ping"), { session })).status).toBe(404)
    })
  )

  it.live("asks a legacy client on the stream of its request, and hands its answer to the handler", () =>
    Effect.gen(function* () {
      const { url } = yield* served((_, context) => context.ask("elicitation/create", { message: "Who?" }))
      const session = yield* Caller.openSession(url)
      const response = yield* Caller.open(url, Caller.legacy(1), { session })
      yield* response.until(({ events }) => events.length === 1)
      const asked = response.events[0]
      expect(asked).toMatchObject({ method: "elicitation/create", params: { message: "Who?" } })
      const answer = { jsonrpc: "2.0", id: asked.id, result: { action: "accept" } }
      expect((yield* Caller.send(url, answer, { session })).status).toBe(202)
      yield* response.until(({ ended }) => ended)
      expect(response.message).toMatchObject({ id: 1, result: { action: "accept" } })
    })
  )

  it.live("serves a subscription until the client closes it", () =>
    Effect.gen(function* () {
      const doors = yield* Queue.unbounded<Door>()
      const gone = yield* Deferred.make<void>()
      const { url } = yield* served(
        () => Effect.succeed({}),
        {},
        {
          listener: (door) =>
            Queue.offer(doors, door).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(gone, undefined))
            )
        }
      )
      const listen = Caller.stamped("s", "subscriptions/listen", { notifications: { toolsListChanged: true } })
      const stream = yield* Caller.open(url, listen)
      const tag = { "io.modelcontextprotocol/subscriptionId": "s" }
      yield* (yield* Queue.take(doors)).notify("notifications/tools/list_changed")
      yield* stream.until(({ events }) => events.length === 2)
      expect(stream.events).toMatchObject([
        { method: "notifications/subscriptions/acknowledged", params: { _meta: tag } },
        { method: "notifications/tools/list_changed", params: { _meta: tag } }
      ])
      stream.close()
      yield* Deferred.await(gone)
    })
  )

  it.live("lets nobody but its principal use a session", () =>
    Effect.gen(function* () {
      const { url } = yield* served(
        (_, { principal }) => Effect.succeed({ principal: principal ?? null }),
        { principal: (request) => request.headers["authorization"] },
        { listener: () => Effect.never }
      )
      const ada = { headers: { authorization: "Bearer ada" } }
      const session = yield* Caller.openSession(url, ada)
      const own = yield* Caller.send(url, Caller.legacy(1), { ...ada, session })
      expect(own.message.result).toEqual({ principal: "Bearer ada" })
      for (const headers of [{ authorization: "Bearer eve" }, undefined]) {
        const other = headers === undefined ? { session } : { session, headers }
        expect((yield* Caller.send(url, Caller.legacy(2), other)).status).toBe(404)
        expect((yield* Caller.send(url, undefined, { ...other, method: "GET" })).status).toBe(404)
        expect((yield* Caller.send(url, undefined, { ...other, method: "DELETE" })).status).toBe(404)
      }
      expect((yield* Caller.send(url, Caller.legacy(3), { ...ada, session })).status).toBe(200)
    })
  )
})

describe("HttpServer, pages of other origins", () => {
  const from = (origin: string, headers: Record<string, string> = {}) => ({ headers: { origin, ...headers } })
  const preflight = (origin: string, asked = "content-type,mcp-protocol-version,mcp-param-region") => ({
    method: "OPTIONS",
    ...from(origin, { "access-control-request-method": "POST", "access-control-request-headers": asked })
  })
  const lists = (value: unknown): ReadonlyArray<string> => String(value).toLowerCase().split(/,\s*/)

  it.live("may call where that was chosen", () =>
    Effect.gen(function* () {
      const { url } = yield* served(
        () => Effect.succeed({}),
        { cors: { exposeHeaders: ["x-request-id"] } },
        {},
        {
          origins: ["https://app.example"]
        }
      )
      const asked = yield* Caller.send(url, undefined, preflight("https://app.example"))
      expect([asked.status, asked.text]).toEqual([204, ""])
      expect(asked.headers).toMatchObject({
        "access-control-allow-origin": "https://app.example",
        "access-control-allow-methods": "POST, DELETE",
        "access-control-max-age": "7200",
        vary: "Origin, Access-Control-Request-Headers"
      })
      expect(lists(asked.headers["access-control-allow-headers"])).toEqual(
        expect.arrayContaining(["content-type", "authorization", "mcp-session-id", "mcp-name", "mcp-param-region"])
      )

      const opened = yield* Caller.send(url, Caller.initialize(), from("https://app.example"))
      expect(opened.status).toBe(200)
      expect(opened.headers).toMatchObject({ "access-control-allow-origin": "https://app.example", vary: "Origin" })
      expect(lists(opened.headers["access-control-expose-headers"])).toEqual(
        expect.arrayContaining(["mcp-session-id", "www-authenticate", "x-request-id"])
      )
      const refused = yield* Caller.send(url, Caller.legacy(1), from("https://app.example"))
      expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([400, "https://app.example"])
    })
  )

  it.live("may not, from any other origin", () =>
    Effect.gen(function* () {
      const { url } = yield* served(() => Effect.succeed({}), { cors: {} }, {}, { origins: ["https://app.example"] })
      for (const options of [preflight("https://evil.example"), from("https://evil.example"), from("null")]) {
        const refused = yield* Caller.send(url, Caller.stamped(1), options)
        expect(refused.status).toBe(403)
        expect(Object.keys(refused.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
        expect(refused.headers.vary).toBe("Origin")
      }
    })
  )

  it.live("get no header that names more than parameters of tools", () =>
    Effect.gen(function* () {
      const { url } = yield* served(() => Effect.succeed({}), { cors: {} })
      const asked = ["cookie", "x-other", "mcp-param-ok", "mcp-param-\u00e9", "mcp-param-", "*"].join(",")
      const answer = yield* Caller.send(url, undefined, preflight("http://localhost:5173", asked))
      const allowed = lists(answer.headers["access-control-allow-headers"])
      expect(allowed.filter((name) => !name.startsWith("mcp-") && name !== "content-type")).toEqual([
        "accept",
        "authorization",
        "last-event-id"
      ])
      expect(allowed.filter((name) => name.startsWith("mcp-param"))).toEqual(["mcp-param-ok"])
    })
  )

  it.live("are told nothing by default", () =>
    Effect.gen(function* () {
      const { url } = yield* served(() => Effect.succeed({}))
      const asked = yield* Caller.send(url, undefined, preflight("http://localhost:5173"))
      expect([asked.status, asked.headers.allow]).toEqual([405, "POST, DELETE"])
      const opened = yield* Caller.send(url, Caller.initialize(), from("http://localhost:5173"))
      expect(opened.status).toBe(200)
      expect(Object.keys(opened.headers).filter((name) => /^access-control|^vary$/.test(name))).toEqual([])
    })
  )
})

describe("HttpServer, bodies", () => {
  it.live("are read as they come, cut inside a character", () =>
    Effect.gen(function* () {
      const { url } = yield* served((request) => Effect.succeed({ said: request.params?.["said"] }))
      const raw = new Caller.Raw(url)
      const bytes = Buffer.from(Caller.postText(url, Caller.stamped(1, "tools/list", { said: "žluťoučký 🐎" })))
      raw.socket.setNoDelay(true)
      // Each byte of the last hundred goes out alone, as soon as the one before it has.
      raw.socket.write(bytes.subarray(0, -100))
      for (const byte of bytes.subarray(-100)) {
        yield* Effect.callback<void>((resume) => {
          raw.socket.write(Uint8Array.of(byte), () => resume(Effect.void))
        })
      }
      yield* raw.until(({ text }) => text.endsWith("}"))
      const body = Buffer.from(raw.text.split("\r\n\r\n")[1] ?? "", "latin1").toString("utf8")
      expect(JSON.parse(body).result.said).toBe("žluťoučký 🐎")
      raw.socket.destroy()
    })
  )

  it.live("may begin with a BOM", () =>
    Effect.gen(function* () {
      const { url } = yield* served(() => Effect.succeed({}))
      const response = yield* Caller.send(url, `\ufeff${JSON.stringify(Caller.initialize())}`)
      expect(response.status).toBe(200)
    })
  )

  it.live("are refused with 413 as soon as they pass the limit, whatever length they declared", () =>
    Effect.gen(function* () {
      const { url } = yield* served(
        () => Effect.succeed({}),
        {},
        {},
        {
          limits: { ...profile.limits, bodyBytes: 10_000 }
        }
      )
      const raw = new Caller.Raw(url)
      raw.socket.write(
        Caller.postText(url, "", { "content-length": 0 }).replace("content-length: 0", "transfer-encoding: chunked")
      )
      const chunk = `1000\r\n${"x".repeat(0x1000)}\r\n`
      raw.socket.write(chunk.repeat(3))
      yield* raw.until(({ text }) => text.endsWith("}"))
      expect(raw.text).toMatch(/^HTTP\/1\.1 413 /)
      expect(raw.text).toContain('"limitBytes":10000')
      // What still comes is read and dropped, and the connection serves on.
      raw.text = ""
      raw.socket.write(`${chunk.repeat(20)}0\r\n\r\n${Caller.postText(url, Caller.stamped(1))}`)
      yield* raw.until(({ text }) => text.endsWith("}"))
      expect(raw.text).toMatch(/^HTTP\/1\.1 200 /)
      raw.socket.destroy()
    })
  )

  it.live("are refused with 408 when they take too long, and the connection is closed", () =>
    Effect.gen(function* () {
      const { url } = yield* served(() => Effect.succeed({}), { bodyMillis: 50 })
      const raw = new Caller.Raw(url)
      raw.socket.write(Caller.postText(url, '{"jsonrpc"', {}, 1_000))
      yield* raw.until(({ ended }) => ended)
      expect(raw.text).toMatch(/^HTTP\/1\.1 408 /)
      expect(raw.text).toContain('"rung":"body-time"')
      expect((yield* Caller.send(url, Caller.stamped(1))).status).toBe(200)
    })
  )

  it.live("may be long in coming where the owner allows it, and a handler may be longer still", () =>
    Effect.gen(function* () {
      const { go, began, url } = yield* held({ bodyMillis: 40 })
      const response = yield* Effect.forkChild(Caller.send(url, Caller.stamped(1)))
      yield* began
      // Another body passes its time meanwhile: the first one was complete.
      const raw = new Caller.Raw(url)
      raw.socket.write(Caller.postText(url, "{", {}, 1_000))
      yield* raw.until(({ ended }) => ended)
      yield* Deferred.succeed(go, undefined)
      expect((yield* Fiber.join(response)).message.result).toMatchObject({ done: true })
    })
  )
})

describe("HttpServer.serve", () => {
  it.live("serves at its path alone", () =>
    Effect.gen(function* () {
      const { port, url } = yield* served(() => Effect.succeed({}), { path: "/a/b" })
      expect(url).toBe(`http://127.0.0.1:${port}/a/b`)
      const statusAt = (path: string) =>
        Effect.map(
          Caller.send(`http://127.0.0.1:${port}${path}`, Caller.stamped(1)),
          ({ status, text }) => [status, text !== ""] as const
        )
      for (const path of ["/a/b", "/a/b/", "/a/b?x=1", "/a/b/?x=1"]) expect(yield* statusAt(path)).toEqual([200, true])
      for (const path of ["/", "/mcp", "/a", "/a/bc", "/a/b/c", "//a/b", "/A/b"]) {
        expect(yield* statusAt(path)).toEqual([404, false])
      }
    })
  )

  it.live("tells why it cannot listen, and what to do", () =>
    Effect.gen(function* () {
      const { port } = yield* served(() => Effect.succeed({}))
      const taken = yield* Effect.flip(served(() => Effect.succeed({}), { port }))
      expect(taken).toMatchObject({ _tag: "TransportFailure", retryable: true })
      expect(taken.message).toBe(
        `The server cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Another program listens there: end it, or choose another port.`
      )
      const elsewhere = yield* Effect.flip(served(() => Effect.succeed({}), { host: "192.0.2.1" }))
      expect(elsewhere).toMatchObject({ _tag: "TransportFailure", retryable: false })
      expect(elsewhere.message).toContain("EADDRNOTAVAIL")
    })
  )

  it.live("listens on IPv6 too, and writes its address as a URL has it", () =>
    Effect.gen(function* () {
      const { port, url } = yield* served(() => Effect.succeed({}), { host: "::1" })
      expect(url).toBe(`http://[::1]:${port}/mcp`)
      expect((yield* Caller.send(url, Caller.stamped(1))).status).toBe(200)
    })
  )

  it.live("answers what is being served when its scope closes, ends streams cleanly and leaves no socket", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const began = yield* Deferred.make<void>()
      const { server, url } = yield* served(
        () => Effect.andThen(Deferred.succeed(began, undefined), Effect.never),
        {},
        {
          listener: () => Effect.never
        }
      ).pipe(Scope.provide(scope))
      const session = yield* Caller.openSession(url)
      const stream = yield* Caller.open(url, undefined, { method: "GET", session })
      const listening = yield* Caller.open(
        url,
        Caller.stamped("s", "subscriptions/listen", { notifications: { toolsListChanged: true } })
      )
      yield* listening.until(({ events }) => events.length === 1)
      const request = yield* Effect.forkChild(Caller.send(url, Caller.stamped(1)))
      const silent = new Caller.Raw(url)
      yield* Deferred.await(began)

      yield* Scope.close(scope, Exit.void)
      expect(server.listening).toBe(false)
      const answered = yield* Fiber.join(request)
      expect(answered.message).toMatchObject({ id: 1, error: { code: -32603 } })
      yield* Effect.all([stream, listening].map((response) => response.until(({ ended }) => ended)))
      expect([stream.cut, listening.cut]).toEqual([false, false])
      expect(listening.events.at(-1)).toMatchObject({ id: "s", result: { resultType: "complete" } })
      yield* silent.until(({ ended }) => ended)
      const left = yield* Effect.callback<number>((resume) => {
        server.getConnections((_, count) => resume(Effect.succeed(count)))
      })
      expect(left).toBe(0)
    })
  )

  it.live("waits for answers to be read when its scope closes, but not for ever", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { url } = yield* served(() => Effect.succeed({ text: "x".repeat(20_000_000) }), { stopMillis: 100 }).pipe(
        Scope.provide(scope)
      )
      const slow = yield* Caller.open(url, Caller.stamped(1))
      slow.incoming?.pause()
      yield* Scope.close(scope, Exit.void)
      slow.incoming?.resume()
      yield* slow.until(({ ended }) => ended)
      expect(slow.cut).toBe(true)
    })
  )
})

describe("HttpServer.listener, in an application of Express 5", () => {
  const application = (mount: (app: express.Express, listener: HttpServer.Listener) => void) =>
    Effect.gen(function* () {
      const app = express()
      mount(app, HttpServer.listener(yield* admissionOf({ tools: ["plain_tool"] })))
      const port = yield* listening(createServer(app))
      return `http://127.0.0.1:${port}/mcp`
    })
  const works = Effect.fnUntraced(function* (url: string) {
    const session = yield* Caller.openSession(url)
    const call = { name: "plain_tool", arguments: { big: "x".repeat(50_000) } }
    const legacy = yield* Caller.send(url, Caller.legacy(1, "tools/call", call), { session })
    const modern = yield* Caller.send(url, Caller.stamped(2, "tools/call", call))
    const stream = yield* Caller.open(url, undefined, { method: "GET", session })
    const ended = yield* Caller.send(url, undefined, { method: "DELETE", session })
    yield* stream.until((response) => response.ended)
    return [legacy.status, modern.status, modern.message.id, stream.status, ended.status]
  })
  const worked = [200, 200, 2, 200, 204]

  it.live("serves on a route", () =>
    Effect.gen(function* () {
      expect(yield* works(yield* application((app, listener) => app.all("/mcp", listener)))).toEqual(worked)
    })
  )

  it.live("serves at a path that a router has taken off the URL", () =>
    Effect.gen(function* () {
      expect(yield* works(yield* application((app, listener) => app.use("/mcp", listener)))).toEqual(worked)
    })
  )

  it.live.each<[string, express.RequestHandler]>([
    ["express.json", express.json()],
    ["express.text", express.text({ type: "*/*" })],
    ["express.raw", express.raw({ type: "*/*" })]
  ])("takes the body that %s has read", ([, parser]) =>
    Effect.gen(function* () {
      const url = yield* application((app, listener) => app.use(parser).all("/mcp", listener))
      expect(yield* works(url)).toEqual(worked)
    })
  )

  it.live("takes a body that somebody has read and thrown away for an empty one", () =>
    Effect.gen(function* () {
      const url = yield* application((app, listener) => {
        app.use((request, _, next) => request.resume().on("end", () => next())).all("/mcp", listener)
      })
      const response = yield* Caller.send(url, Caller.stamped(1))
      expect([response.status, response.message.error.code]).toEqual([400, -32700])
    })
  )

  it.live("leaves other routes alone, and headers that the application has set", () =>
    Effect.gen(function* () {
      const url = yield* application((app, listener) => {
        app.use((_, response, next) => {
          response.setHeader("x-request-id", "7")
          next()
        })
        app.all("/mcp", listener)
        app.get("/health", (_, response) => void response.json({ ok: true }))
      })
      const response = yield* Caller.send(url, Caller.stamped(1))
      expect([response.status, response.headers["x-request-id"]]).toEqual([200, "7"])
      const health = yield* Caller.send(url.replace("/mcp", "/health"), undefined, { method: "GET" })
      expect(health.message).toEqual({ ok: true })
    })
  )

  it.live("writes nothing on a response that the application has answered", () =>
    Effect.gen(function* () {
      const url = yield* application((app, listener) => {
        app.all("/mcp", (request, response) => {
          response.status(418).end("mine")
          listener(request, response)
        })
      })
      const response = yield* Caller.send(url, Caller.stamped(1))
      expect([response.status, response.text]).toEqual([418, "mine"])
    })
  )
})
