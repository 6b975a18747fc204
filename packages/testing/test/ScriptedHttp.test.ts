import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Row } from "@parley/testing/Script"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", redirect: "manual", headers, body: JSON.stringify(body) })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** Everything that comes back on a socket of its own for one POST, until the peer closes or nothing more is awaited. */
const rawPost = (url: string, body: string, until: (text: string) => boolean) =>
  Effect.promise(
    () =>
      new Promise<{ text: string; ended: boolean }>((resolve) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1")
        let text = ""
        const done = (ended: boolean) => {
          socket.destroy()
          resolve({ text, ended })
        }
        socket.setEncoding("latin1")
        socket.on("data", (chunk: string) => {
          text += chunk
          if (until(text)) done(false)
        })
        socket.on("close", () => done(true))
        socket.on("error", () => done(true))
        socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      })
  )

const ping = (id: unknown = 1) => ({ jsonrpc: "2.0", id, method: "ping" })
const row = (reply: Row["reply"], on: Row["on"] = { method: "ping" }): Row => ({ on, reply })

describe("ScriptedHttp", () => {
  it.live("answers by its rows, counts over the whole case and records what it heard", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([
        row({ status: 503, raw: "later" }, { method: "ping", nth: 1 }),
        row({ headers: { "Mcp-Session-Id": "s" }, body: { jsonrpc: "2.0", id: "{{request.id}}", result: {} } })
      ])
      const { url } = peer.target
      const first = yield* post(url, ping())
      expect([first.status, first.text]).toEqual([503, "later"])
      const second = yield* post(url, ping("two"), { "MCP-Protocol-Version": "2025-11-25" })
      expect(second.status).toBe(200)
      expect(second.headers.get("content-type")).toBe("application/json")
      expect(second.headers.get("mcp-session-id")).toBe("s")
      expect(JSON.parse(second.text)).toEqual({ jsonrpc: "2.0", id: "two", result: {} })
      const { received, wire } = yield* peer.record
      expect(received).toMatchObject([
        { httpMethod: "POST", method: "ping", nth: 1, row: 0, body: ping() },
        { method: "ping", nth: 2, row: 1, path: "/mcp", headers: { "mcp-protocol-version": "2025-11-25" } }
      ])
      expect(wire).toHaveLength(4)
    })
  )

  it.live("answers GET by its HTTP method", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([row({ status: 404 }, { httpMethod: "GET" })])
      const response = yield* Effect.promise(() => fetch(peer.target.url))
      expect(response.status).toBe(404)
      const { received } = yield* peer.record
      expect(received).toMatchObject([{ httpMethod: "GET", nth: 1 }])
      expect(received[0]).not.toHaveProperty("method")
    })
  )

  it.live("leaves a request that no row answers open", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([])
      const outcome = yield* Effect.promise(() =>
        fetch(peer.target.url, { signal: AbortSignal.timeout(150) }).then(
          () => "answered",
          () => "silent"
        )
      )
      expect(outcome).toBe("silent")
      expect((yield* peer.record).received).toMatchObject([{ httpMethod: "GET" }])
    })
  )

  it.live("writes raw before a body, and a list of header values as lines", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([
        row({ headers: { "x-twice": ["a", "b"] }, raw: "<!-- {{request.id}} -->", body: { id: "{{request.id}}" } })
      ])
      const { text } = yield* rawPost(peer.target.url, JSON.stringify(ping()), (seen) => seen.endsWith('{"id":1}'))
      expect(text).toMatch(/\r\nx-twice: a\r\nx-twice: b\r\n/)
      expect(text).toMatch(/\r\n\r\n<!-- 1 -->\{"id":1\}$/)
    })
  )

  it.live("closes without a word, and cuts a stream before its end", () =>
    Effect.gen(function* () {
      const silent = yield* ScriptedHttp.open([row({ close: true })])
      const nothing = yield* rawPost(silent.target.url, JSON.stringify(ping()), () => false)
      expect(nothing).toEqual({ text: "", ended: true })
      const cut = yield* ScriptedHttp.open([
        row({ headers: { "content-type": "text/event-stream" }, raw: ": hello\n\n", close: true })
      ])
      const { text, ended } = yield* rawPost(cut.target.url, JSON.stringify(ping()), () => false)
      expect(ended).toBe(true)
      expect(text).toContain(": hello\n\n")
      expect(text.endsWith("0\r\n\r\n")).toBe(false)
    })
  )

  it.live("holds a stream open, and writes in pieces", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([
        row({ headers: { "content-type": "text/event-stream" }, raw: "data: 12345\n\n", chunkBytes: 4, hold: true })
      ])
      const { text, ended } = yield* rawPost(peer.target.url, JSON.stringify(ping()), (seen) =>
        seen.includes("\r\n1\r\n")
      )
      expect(ended).toBe(false)
      expect(text.match(/\r\n[14]\r\n/g)).toHaveLength(4)
    })
  )

  it.live("waits before it answers, and answers others meanwhile", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([
        row({ raw: "slow", delayMs: 120 }, { method: "ping", nth: 1 }),
        row({ raw: "fast" })
      ])
      const order: Array<string> = []
      const one = post(peer.target.url, ping()).pipe(Effect.tap(({ text }) => Effect.sync(() => order.push(text))))
      const start = performance.now()
      yield* Effect.all([one, Effect.delay(one, 20)], { concurrency: 2 })
      expect(order).toEqual(["fast", "slow"])
      expect(performance.now() - start).toBeGreaterThan(110)
    })
  )

  it.live("knows a redirect that is followed from a second request", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([
        row({ status: 307, headers: { location: "/other" } }, { method: "ping", nth: 1 }),
        row({ raw: "there" })
      ])
      yield* post(peer.target.url, ping())
      yield* post(new URL("/other", peer.target.url).href, ping())
      yield* post(peer.target.url, ping())
      const { received } = yield* peer.record
      expect(received.map(({ redirected }) => redirected ?? false)).toEqual([false, true, false])
      expect(received[1]?.path).toBe("/other")
    })
  )

  it.live("tells of a reply that cannot be sent", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([row({ headers: { "x-bad": "a\nb" } })])
      yield* rawPost(peer.target.url, JSON.stringify(ping()), () => false)
      expect((yield* peer.record).problems).toEqual([expect.stringContaining("the reply to ping cannot be sent")])
    })
  )

  it.live("is gone when its scope closes, held connections with it", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* ScriptedHttp.open([])
          void fetch(peer.target.url).catch(() => undefined)
          for (;;) {
            if ((yield* peer.record).received.length === 1) return peer.target.url
            yield* Effect.sleep(5)
          }
        })
      )
      const refused = yield* Effect.promise(() =>
        fetch(url).then(
          () => "answered",
          () => "refused"
        )
      )
      expect(refused).toBe("refused")
    })
  )
})
