import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { HeaderName } from "@parley/core/Envelope"
import { deepest } from "@parley/core/Message"
import * as Besieged from "./support/Besieged.ts"
import * as Caller from "./support/Caller.ts"

const megabytes = 1024 * 1024

/** So many connections at once, each used by the attack, and all of them ended in the end. */
const connections = <A>(url: string, count: number, use: (raw: Caller.Raw, nth: number) => Effect.Effect<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => Array.from({ length: count }, () => new Caller.Raw(url))),
    (raws) => Effect.forEach(raws, use, { concurrency: "unbounded" }),
    (raws) =>
      Effect.sync(() => {
        for (const { socket } of raws) socket.destroy()
      })
  )

/** Writes a piece again and again until the connection is gone. */
const drip = (raw: Caller.Raw, piece: string): Effect.Effect<Caller.Raw> =>
  Effect.suspend(() => {
    const timer = setInterval(() => raw.socket.write(piece), 15)
    return Effect.ensuring(
      raw.until(({ ended }) => ended),
      Effect.sync(() => clearInterval(timer))
    )
  })

describe("HttpServer, under hostile clients", { timeout: 60_000 }, () => {
  it.live("refuses bodies that never end, and serves others meanwhile", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start({ serve: { bodyMillis: 5_000 } })
      yield* server.serves
      const before = yield* server.usage
      const attack = connections(server.url, 300, (raw) => {
        raw.socket.write(Caller.postText(server.url, "{", {}, 4_000_000))
        return drip(raw, " ")
      })
      const [ended] = yield* Effect.all(
        [
          attack,
          Effect.andThen(
            server.until((usage) => usage.connections >= 300),
            server.serves
          )
        ],
        { concurrency: 2 }
      )
      expect(ended.filter(({ text }) => text.startsWith("HTTP/1.1 408 "))).toHaveLength(300)
      const after = yield* server.until((usage) => usage.connections === 0)
      expect(after.heap - before.heap).toBeLessThan(10 * megabytes)
      yield* server.serves
    })
  )

  it.live("cuts off headers that never end, and serves others meanwhile", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start({
        serve: { server: { headersTimeout: 5_000, requestTimeout: 6_000, connectionsCheckingInterval: 100 } }
      })
      yield* server.serves
      const before = yield* server.usage
      const attack = connections(server.url, 300, (raw, nth) => {
        raw.socket.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\n`)
        return drip(raw, `x-${nth}: y\r\n`)
      })
      const [ended] = yield* Effect.all(
        [
          attack,
          Effect.andThen(
            server.until((usage) => usage.connections >= 300),
            server.serves
          )
        ],
        { concurrency: 2 }
      )
      // Most of them have read a 408 before they were cut.
      expect(ended.every((raw) => raw.ended)).toBe(true)
      const after = yield* server.until((usage) => usage.connections === 0)
      expect(after.heap - before.heap).toBeLessThan(10 * megabytes)
      yield* server.serves
    })
  )

  it.live("answers ten thousand openings at once, keeps a session that is worked in, and grows no further", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const session = yield* Caller.openSession(server.url)
      const work = Effect.gen(function* () {
        const response = yield* Caller.send(server.url, Caller.legacy(1), { session })
        expect(response.status).toBe(200)
      })
      yield* work
      const opening = Caller.postText(server.url, Caller.initialize())
      const wave = connections(server.url, 100, (raw) => {
        raw.socket.write(opening.repeat(100))
        return raw.until(({ text }) => text.split('"protocolVersion":"2025-11-25"').length === 101)
      })
      const idsOf = (raws: ReadonlyArray<Caller.Raw>) =>
        new Set(raws.flatMap(({ text }) => [...text.matchAll(/mcp-session-id: (\S+)/g)].map(([, id]) => id)))
      const [first] = yield* Effect.all([wave, Effect.forEach([1, 2, 3], () => work)], { concurrency: 2 })
      expect(idsOf(first).size).toBe(10_000)
      const once = yield* server.usage
      expect(once.heap).toBeLessThan(80 * megabytes)
      yield* wave
      yield* wave
      yield* work
      const thrice = yield* server.until((usage) => usage.connections === 0)
      expect(thrice.heap - once.heap).toBeLessThan(5 * megabytes)
      yield* server.serves
    })
  )

  it.live.each([
    { depth: 1_000_000, title: "refuses JSON that is as deep as a body can be", isRead: false },
    { depth: deepest - 10, title: "answers JSON that is as deep as is read", isRead: true }
  ])("$title", ({ depth, isRead }) =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const lists = `${"[".repeat(depth)}${"]".repeat(depth)}`
      const objects = `${'{"a":'.repeat(depth / 2)}1${"}".repeat(depth / 2)}`
      const inside = (message: Caller.Json) => JSON.stringify(message).replace('"DEEP"', lists)
      const meta = { "io.modelcontextprotocol/clientCapabilities": "DEEP" }
      const init = (changed: Caller.Json) =>
        Caller.legacy(1, "initialize", {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: Caller.client.info,
          ...changed
        })
      const call = (id: unknown, args: unknown) => ({ id, name: "plain_tool", arguments: args })
      const modern = { [HeaderName.ProtocolVersion]: Caller.modern, [HeaderName.Method]: "tools/call" }
      const named = { ...modern, [HeaderName.Name]: "plain_tool" }
      const bodies: ReadonlyArray<readonly [string, Record<string, string>, ReadonlyArray<number>]> = [
        [lists, {}, [400]],
        [objects, {}, [400]],
        ["[".repeat(4_000_000), {}, [400]],
        [inside(Caller.legacy("DEEP", "ping")), {}, [400]],
        [inside(init({ capabilities: { deep: "DEEP" } })), {}, [200]],
        [inside(init({ clientInfo: { ...Caller.client.info, deep: "DEEP" } })), {}, [200]],
        [inside(init({ extra: "DEEP" })), {}, [200]],
        [inside(Caller.stamped(1, "tools/call", call(1, { a: "DEEP" }))), named, [200]],
        [inside(Caller.stamped(1, "tools/call", call(1, "DEEP"), meta)), named, [400]],
        [
          inside(Caller.stamped(1, "tools/call", call(1, {}), { "io.modelcontextprotocol/logLevel": "DEEP" })),
          named,
          [400]
        ],
        [
          inside(Caller.stamped(1, "subscriptions/listen", { notifications: "DEEP" })),
          { ...modern, [HeaderName.Method]: "subscriptions/listen" },
          [200, 400]
        ]
      ]
      for (const [body, headers, statuses] of bodies) {
        const response = yield* Caller.send(server.url, body, { headers })
        const expected = isRead ? statuses : [400]
        expect([body.slice(0, 100), expected]).toEqual([body.slice(0, 100), expect.arrayContaining([response.status])])
      }
      yield* server.serves
    })
  )

  it.live("refuses headers that are too large, too many, doubled or at odds", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const message = JSON.stringify(Caller.stamped(1))
      const good = Caller.postText(server.url, Caller.stamped(1))
      const adding = (lines: string) => good.replace("\r\n\r\n", `\r\n${lines}\r\n\r\n`)
      const requests: ReadonlyArray<readonly [string, RegExp]> = [
        [adding(`x-large: ${"x".repeat(20_000)}`), /^HTTP\/1\.1 431 /],
        [adding(Array.from({ length: 5_000 }, (_, nth) => `x-${nth}: y`).join("\r\n")), /^HTTP\/1\.1 431 /],
        [adding(`authorization: ${"x".repeat(10_000)}`), /^HTTP\/1\.1 200 /],
        [adding(Array.from({ length: 500 }, () => "x-same: y").join("\r\n")), /^HTTP\/1\.1 200 /],
        [adding(`content-length: ${message.length + 1}`), /^HTTP\/1\.1 400 /],
        [adding("transfer-encoding: chunked"), /^HTTP\/1\.1 400 /],
        [adding("host: evil.example"), /^HTTP\/1\.1 (?:200|400|403) /],
        [good.replace(/host: .*\r\n/, ""), /^HTTP\/1\.1 400 /],
        [adding("origin: http://localhost\r\norigin: http://evil.example"), /^HTTP\/1\.1 403 /],
        [adding("mcp-method: tools/list"), /^HTTP\/1\.1 200 /],
        [adding("mcp-method: tools/call"), /^HTTP\/1\.1 400 /],
        [adding("x-broken header"), /^HTTP\/1\.1 400 /],
        [adding("__proto__: polluted\r\nconstructor: polluted"), /^HTTP\/1\.1 200 /],
        ["GARBAGE\r\n\r\n", /^HTTP\/1\.1 400 /],
        ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", /^HTTP\/1\.1 400 /],
        ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1\.1 400 /],
        [`${"A".repeat(100_000)} / HTTP/1.1\r\n\r\n`, /^HTTP\/1\.1 4\d\d /],
        [good.replace("/mcp", `/${"a".repeat(20_000)}`), /^HTTP\/1\.1 4(?:04|31) /]
      ]
      yield* connections(server.url, requests.length, (raw, nth) => {
        const [bytes = "", expected = /never/] = requests[nth] ?? []
        raw.socket.write(bytes, "latin1")
        return Effect.map(
          raw.until(({ ended, text }) => ended || text.includes("\r\n\r\n")),
          ({ text }) => {
            if (!expected.test(text)) throw new Error(`to ${bytes.slice(0, 400)} it answered ${text.slice(0, 400)}`)
          }
        )
      })
      expect((yield* server.usage).pollution).toEqual([])
      yield* server.serves
    })
  )

  it.live("takes keys that name prototypes for what they are: keys", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const evil = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1'
      const meta = JSON.stringify(Caller.stamped(1)).replace('"_meta":{', `${evil},"_meta":{${evil},`)
      const named = Caller.stamped(1, "tools/call", { name: "plain_tool", arguments: {} })
      const open = JSON.stringify(Caller.initialize()).replace('"capabilities":{', `${evil},"capabilities":{${evil},`)
      const whole = `{${evil},${JSON.stringify(Caller.stamped(1)).slice(1)}`
      const sent: ReadonlyArray<readonly [string, Record<string, string>]> = [
        [meta, { [HeaderName.ProtocolVersion]: Caller.modern, [HeaderName.Method]: "tools/list" }],
        [whole, { [HeaderName.ProtocolVersion]: Caller.modern, [HeaderName.Method]: "tools/list" }],
        [open, {}]
      ]
      for (const [body, headers] of sent) {
        expect([body, (yield* Caller.send(server.url, body, { headers })).status]).toEqual([body, 200])
      }
      for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
        const tool = Caller.stamped(1, "tools/call", { name, arguments: {} })
        expect((yield* Caller.send(server.url, tool)).message.error.code).toBe(-32602)
        expect((yield* Caller.send(server.url, Caller.stamped(1, name))).message.error.code).toBe(-32601)
        expect((yield* Caller.send(server.url, Caller.legacy(1), { session: name })).status).toBe(404)
      }
      const echoed = JSON.stringify(named).replace('"arguments":{}', `"arguments":{${evil}}`)
      const answer = yield* Caller.send(server.url, echoed, {
        headers: {
          [HeaderName.ProtocolVersion]: Caller.modern,
          [HeaderName.Method]: "tools/call",
          [HeaderName.Name]: "plain_tool"
        }
      })
      expect(answer.message.result.content[0].text).toContain('"__proto__":{"polluted":true}')
      expect((yield* server.usage).pollution).toEqual([])
      yield* server.serves
    })
  )

  it.live("refuses bodies whose bytes are no UTF-8, and reads none of them as anything else", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const before = yield* server.usage
      const headers = { [HeaderName.ProtocolVersion]: Caller.modern, [HeaderName.Method]: "tools/call" }
      const named = { ...headers, [HeaderName.Name]: "plain_tool" }
      const call = JSON.stringify(Caller.stamped(1, "tools/call", { name: "plain_tool", arguments: { text: "?" } }))
      const [start = "", end = ""] = call.split("?")
      // Overlong forms, halves of pairs, beginnings without an end, bytes that occur nowhere.
      const broken = [
        [0xc0, 0xaf],
        [0xe0, 0x80, 0xaf],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xe2, 0x82],
        [0xff]
      ]
      const bodies = [
        ...broken.map((bytes) => Buffer.concat([Buffer.from(start), Uint8Array.from(bytes), Buffer.from(end)])),
        ...broken.map((bytes) => Uint8Array.from(bytes)),
        ...Array.from({ length: 300 }, () => crypto.getRandomValues(new Uint8Array(1_000))),
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(call, "utf16le")])
      ]
      yield* Effect.forEach(
        bodies,
        (bytes) =>
          Effect.map(Caller.send(server.url, "", { bytes, headers: named }), ({ message, status }) => {
            expect([status, message.error.code, message.id]).toEqual([400, -32700, undefined])
          }),
        { concurrency: 20 }
      )
      expect((yield* server.usage).heap - before.heap).toBeLessThan(5 * megabytes)
      yield* server.serves
    })
  )

  it.live("lets go of clients that close half of a connection", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      yield* server.serves
      const whole = Caller.postText(server.url, Caller.stamped(1))
      const halves = [
        "",
        "POST /mcp HTTP/1.1\r\nhost: loc",
        whole.slice(0, whole.indexOf("\r\n\r\n") + 4),
        whole.slice(0, -10),
        Caller.postText(server.url, "{", {}, 1_000_000),
        whole,
        whole.repeat(3),
        Caller.postText(
          server.url,
          Caller.stamped(1, "subscriptions/listen", { notifications: { toolsListChanged: true } })
        )
      ]
      const ended = yield* connections(server.url, 40 * halves.length, (raw, nth) => {
        raw.socket.end(halves[nth % halves.length] ?? "")
        return raw.until((now) => now.ended)
      })
      expect(ended.every((raw) => raw.ended)).toBe(true)
      const after = yield* server.until((usage) => usage.connections === 0 && usage.doors === 0)
      expect(after.connections).toBe(0)
      yield* server.serves
    })
  )

  it.live("does not serve a name that was rebound to its address", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const { port } = new URL(server.url)
      const headers = (host: string) => ({ headers: { host, origin: `http://${host}` } })
      for (const host of [
        `evil.example:${port}`,
        `127.0.0.1.evil.example:${port}`,
        "[::ffff:7f00:1]",
        "0x7f.1",
        "2130706433"
      ]) {
        const opened = yield* Caller.send(server.url, Caller.initialize(), headers(host))
        expect([host, opened.status, opened.headers["mcp-session-id"]]).toEqual([host, 403, undefined])
        expect((yield* Caller.send(server.url, Caller.stamped(1), headers(host))).status).toBe(403)
        for (const method of ["GET", "DELETE", "OPTIONS"]) {
          expect((yield* Caller.send(server.url, undefined, { method, ...headers(host) })).status).toBe(403)
        }
        // Without an Origin, as a page's plain GET or an image would come.
        expect((yield* Caller.send(server.url, Caller.stamped(1), { headers: { host } })).status).toBe(403)
      }
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
        expect((yield* Caller.send(server.url, Caller.stamped(1), headers(host))).status).toBe(200)
      }
      yield* server.serves
    })
  )

  it.live("tells nobody which sessions there are", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const session = yield* Caller.openSession(server.url)
      const near = [...session].map(
        (_, at) => `${session.slice(0, at)}${session[at] === "A" ? "B" : "A"}${session.slice(at + 1)}`
      )
      const guesses = [
        ...near,
        ...Array.from({ length: 2_000 }, () =>
          Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString("base64url")
        ),
        session.toLowerCase(),
        session.slice(0, -1),
        `${session}=`,
        `${session} x`,
        `${session},x`,
        "*",
        "%",
        "../x",
        "x".repeat(10_000)
      ]
      const before = yield* server.usage
      const answers = new Set<string>()
      yield* Effect.forEach(
        guesses,
        (guess) =>
          Effect.map(Caller.send(server.url, Caller.legacy(1), { session: guess }), ({ status, text }) => {
            answers.add(`${status} ${text}`)
          }),
        { concurrency: 20 }
      )
      // Two different copies of the header are as good as none.
      expect([...answers].map((answer) => answer.slice(0, 3)).toSorted()).toEqual(["400", "404"])
      expect([...answers].every((answer) => !answer.includes(session))).toBe(true)
      const after = yield* server.usage
      expect(after.heap - before.heap).toBeLessThan(5 * megabytes)
      expect((yield* Caller.send(server.url, Caller.legacy(1), { session })).status).toBe(200)
      yield* server.serves
    })
  )

  it.live("keeps nothing of streams whose clients vanish", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      const session = yield* Caller.openSession(server.url)
      const before = yield* server.usage
      for (let wave = 0; wave < 3; wave++) {
        const streams = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, nth) => nth),
          (nth) =>
            Caller.open(
              server.url,
              Caller.stamped(nth, "subscriptions/listen", { notifications: { toolsListChanged: true } })
            ),
          { concurrency: 20 }
        )
        streams.push(yield* Caller.open(server.url, undefined, { method: "GET", session }))
        yield* server.until(({ doors }) => doors === 101)
        for (const stream of streams) stream.close()
        yield* server.until(({ doors, connections: open }) => doors === 0 && open === 0)
      }
      const after = yield* server.usage
      expect(after.heap - before.heap).toBeLessThan(5 * megabytes)
      yield* server.serves
    })
  )

  it.live("bounds what waits for clients that ask and do not read", () =>
    Effect.gen(function* () {
      const server = yield* Besieged.start()
      yield* server.serves
      const before = yield* server.usage
      const call = Caller.postText(
        server.url,
        Caller.stamped(1, "tools/call", { name: "plain_tool", arguments: { text: "x".repeat(100_000) } })
      )
      const asked = 200
      yield* connections(server.url, 20, (raw) => {
        raw.socket.pause()
        // As much as the server takes: it stops reading once its answers are not read.
        return Effect.callback<void>((resume) => {
          let count = 0
          const write = (): void => {
            while (count < asked) {
              count += 1
              if (!raw.socket.write(call)) break
            }
            if (count >= asked || raw.socket.writableLength > 1_000_000) resume(Effect.void)
          }
          raw.socket.on("drain", write)
          raw.socket.on("connect", write)
        }).pipe(Effect.timeoutOption(1_000))
      }).pipe(Effect.tap(() => server.serves))
      const during = yield* server.usage
      expect(during.heap - before.heap).toBeLessThan(100 * megabytes)
      yield* server.until((usage) => usage.connections === 0)
      yield* server.serves
    })
  )
})
