// The runtime's negotiation and connection on the real carriers: what only sockets and processes can show.
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import * as Negotiation from "@parley/runtime/Negotiation"
import type { Row } from "@parley/testing/Script"
import type { Transcript } from "@parley/testing/Scripted"
import * as ScriptedStdio from "@parley/testing/ScriptedStdio"
import { Effect, Exit, Fiber, Queue, Schedule } from "effect"
import * as HttpServer from "./HttpServer.ts"

const client = { info: { name: "test", version: "1" }, capabilities: {} }
const legacy = "2025-11-25"
const modern = "2026-07-28"
const initializeResult = {
  protocolVersion: legacy,
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" }
}
const discoverResult = { resultType: "complete", supportedVersions: [modern], capabilities: { tools: {} } }

describe("on a real process", () => {
  const answer = (method: string, result: object): Row => ({
    on: { method },
    reply: { body: { jsonrpc: "2.0", id: "{{request.id}}", result } }
  })
  const handshake = answer("initialize", initializeResult)

  const scripted = (rows: ReadonlyArray<Row>) =>
    Effect.map(ScriptedStdio.open(rows), ({ record, target }) => ({ record, transport: StdioClient.make(target) }))

  /** Waits until the record says so. */
  const until = (record: Effect.Effect<Transcript>, says: (transcript: Transcript) => boolean) =>
    Effect.repeat(record, { until: says, schedule: Schedule.spaced("10 millis") })

  const moments: ReadonlyArray<
    readonly [title: string, rows: ReadonlyArray<Row>, policy: Policy.Policy, heard: string]
  > = [
    ["while initialize is unanswered", [], Policy.auto, "initialize"],
    ["while the probe is unanswered", [], Policy.discoverFirst, "server/discover"],
    [
      "while the reopened process is unanswered",
      [{ on: { method: "server/discover" }, reply: { exit: true } }],
      Policy.discoverFirst,
      "initialize"
    ]
  ]
  it.live.each(moments)("a negotiation interrupted %s leaves no process", ([, rows, policy, heard]) =>
    Effect.gen(function* () {
      const { record, transport } = yield* scripted(rows)
      const fiber = yield* Effect.forkChild(Effect.scoped(Negotiation.negotiate({ transport, client, policy })))
      yield* until(record, ({ received }) => received.some((one) => one.method === heard))
      yield* Fiber.interrupt(fiber)
      const { processes } = yield* record
      expect(processes.length).toBe(policy === Policy.discoverFirst && heard === "initialize" ? 2 : 1)
      expect(processes.filter(ScriptedStdio.lives)).toEqual([])
    })
  )

  it.live("a process that exits fails what is under way, with its code, and ends incoming", () =>
    Effect.gen(function* () {
      const { record, transport } = yield* scripted([
        handshake,
        { on: { method: "die" }, reply: { stderr: "no memory left", exit: 7 } }
      ])
      const connection = yield* Connection.connect({ transport, client })
      const incoming = yield* connection.incoming
      const slow = yield* Effect.forkChild(Effect.flip(connection.request("slow")))
      const expected = {
        _tag: "TransportFailure",
        exitCode: 7,
        stderr: expect.stringContaining("no memory left"),
        retryable: true
      }
      expect((yield* Effect.flip(connection.request("die"))).reason).toMatchObject(expected)
      expect((yield* Fiber.join(slow)).reason).toMatchObject(expected)
      expect((yield* Effect.flip(connection.request("late"))).reason).toMatchObject(expected)
      expect(Exit.isFailure(yield* Effect.exit(Queue.take(incoming)))).toBe(true)
      yield* connection.close
      expect((yield* record).processes.filter(ScriptedStdio.lives)).toEqual([])
    })
  )

  it.live("a request that is interrupted is cancelled on the pipe, and the next is answered", () =>
    Effect.gen(function* () {
      const { record, transport } = yield* scripted([handshake, answer("tools/list", { tools: [] })])
      const connection = yield* Connection.connect({ transport, client })
      const fiber = yield* Effect.forkChild(connection.request("slow"))
      const { received } = yield* until(record, (all) => all.received.some((one) => one.method === "slow"))
      yield* Fiber.interrupt(fiber)
      expect(yield* connection.request("tools/list")).toEqual({ tools: [] })
      const later = yield* record
      expect(later.received.map((one) => one.method).slice(received.length)).toEqual([
        "notifications/cancelled",
        "tools/list"
      ])
    })
  )
})

describe("on a process that stops reading", () => {
  const program = `
    process.stdin.once("data", () => {
      process.stdin.pause()
      process.stdout.write(${JSON.stringify(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result: initializeResult })}\n`)})
    })
    setInterval(() => {}, 1000)`

  it.live("requests end in time, however much waits to be written, and closing ends the process", () =>
    Effect.gen(function* () {
      const transport = StdioClient.make({
        command: process.execPath,
        args: ["-e", program],
        limits: { stdinMillis: 50, termMillis: 50 }
      })
      const connection = yield* Connection.connect({ transport, client })
      const large = { text: "x".repeat(4 * 1024 * 1024) }
      for (let nth = 0; nth < 4; nth++) {
        const error = yield* Effect.flip(connection.request("work", large, { millis: 100 }))
        expect(error.reason).toMatchObject({ _tag: "Timeout", waitedMillis: 100 })
      }
      yield* connection.close
      expect((yield* Effect.flip(connection.request("work"))).reason._tag).toBe("TransportFailure")
    })
  )
})

/** What a server of the tests does with one request that it has read. */
interface Asked {
  readonly response: Parameters<HttpServer.Handler>[0]
  readonly seen: HttpServer.Seen
  readonly id: unknown
  readonly note: (text: string) => void
  readonly result: (result: object, headers?: { readonly [name: string]: string }) => void
  readonly event: (text: string) => void
}

/** Starts a server that answers each method, `GET` and `DELETE` as told, and leaves the rest unanswered. */
const serving = (answers: { readonly [word: string]: (asked: Asked) => void }) =>
  HttpServer.start((response, seen, { note }) => {
    const body: unknown = seen.body === "" ? undefined : JSON.parse(seen.body)
    const message = typeof body === "object" && body !== null ? body : {}
    const word = "method" in message && typeof message.method === "string" ? message.method : seen.method
    const id = "id" in message ? message.id : undefined
    note(word)
    answers[word]?.({
      response,
      seen,
      id,
      note,
      result: (result, headers = {}) => {
        response.writeHead(200, { "content-type": "application/json", ...headers })
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
      },
      event: (text) => {
        if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(text)
      }
    })
  })

const accept = ({ response }: Asked): void => void response.writeHead(202).end()
const session = { "mcp-session-id": "s-1" }
const legacyServer = {
  initialize: ({ result }: Asked) => result(initializeResult, session),
  "notifications/initialized": accept,
  "notifications/cancelled": accept,
  DELETE: accept
}
const modernServer = { "server/discover": ({ result }: Asked) => result(discoverResult) }
const messageEvent = (message: object, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`

/** Takes notes until one is heard. */
const hear = (server: HttpServer.HttpServer, word: string): Effect.Effect<void> =>
  Effect.flatMap(Queue.take(server.notes), (note) => (note === word ? Effect.void : hear(server, word)))

/** Takes notes until all of these are heard, in any order. */
const hearAll = (server: HttpServer.HttpServer, words: Set<string>): Effect.Effect<void> =>
  Effect.flatMap(Queue.take(server.notes), (note) => {
    words.delete(note)
    return words.size === 0 ? Effect.void : hearAll(server, words)
  })

const connect = (server: HttpServer.HttpServer, policy: Policy.Policy = Policy.auto) =>
  Connection.connect({ transport: HttpClient.make({ url: server.url }), client, policy })

describe("on real sockets", () => {
  const moments: ReadonlyArray<
    readonly [title: string, answers: Parameters<typeof serving>[0], policy: Policy.Policy, word: string]
  > = [
    ["while initialize is unanswered", {}, Policy.auto, "initialize"],
    ["while the probe is unanswered", {}, Policy.discoverFirst, "server/discover"],
    [
      "while notifications/initialized is not accepted",
      { initialize: legacyServer.initialize },
      Policy.auto,
      "notifications/initialized"
    ],
    [
      "in the middle of an answer",
      { initialize: ({ event, note }) => (event(": wait\n\n"), note("begun")) },
      Policy.auto,
      "begun"
    ]
  ]
  it.live.each(moments)("a negotiation interrupted %s leaves no connection", ([, answers, policy, word]) =>
    Effect.gen(function* () {
      const server = yield* serving(answers)
      const transport = HttpClient.make({ url: server.url })
      const fiber = yield* Effect.forkChild(Effect.scoped(Negotiation.negotiate({ transport, client, policy })))
      yield* hear(server, word)
      expect(server.sockets.size).toBe(1)
      yield* Fiber.interrupt(fiber)
      yield* server.openAtMost(0)
    })
  )

  it.live("the DELETE of a session that is of no use reaches the server, though the channel is closed after it", () =>
    Effect.gen(function* () {
      const server = yield* serving({
        ...legacyServer,
        initialize: ({ result }) => result({ ...initializeResult, protocolVersion: "1999-01-01" }, session)
      })
      const transport = HttpClient.make({ url: server.url })
      const error = yield* Effect.flip(Negotiation.negotiate({ transport, client }))
      expect(error.reason._tag).toBe("UnsupportedProtocolVersion")
      expect(server.seen.map((one) => [one.method, one.headers["mcp-session-id"]])).toEqual([
        ["POST", undefined],
        ["DELETE", "s-1"]
      ])
      yield* server.openAtMost(0)
    })
  )

  it.live("closing a connection deletes its session, and leaves no connection", () =>
    Effect.gen(function* () {
      const server = yield* serving({ ...legacyServer, GET: ({ event }) => event(": hello\n\n") })
      const connection = yield* connect(server)
      yield* connection.incoming
      yield* hear(server, "GET")
      yield* connection.close
      expect(server.seen.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "s-1" } })
      yield* server.openAtMost(0)
    })
  )

  it.live("a modern request that is interrupted has its stream closed, and nothing else is sent", () =>
    Effect.gen(function* () {
      const server = yield* serving({
        ...modernServer,
        slow: ({ event, note, response }) => {
          response.on("close", () => note("closed"))
          event(": working\n\n")
        },
        quick: ({ result }) => result({ quick: true })
      })
      const connection = yield* connect(server, Policy.discoverFirst)
      const fiber = yield* Effect.forkChild(connection.request("slow"))
      yield* hear(server, "slow")
      yield* Fiber.interrupt(fiber)
      yield* hear(server, "closed")
      expect(yield* connection.request("quick")).toEqual({ quick: true })
      expect(server.seen.length).toBe(3)
    })
  )

  it.live("a legacy request that is interrupted is cancelled, and has its stream closed", () =>
    Effect.gen(function* () {
      const server = yield* serving({
        ...legacyServer,
        slow: ({ note, response }) => response.on("close", () => note("closed"))
      })
      const connection = yield* connect(server)
      const fiber = yield* Effect.forkChild(connection.request("slow"))
      yield* hear(server, "slow")
      yield* Fiber.interrupt(fiber)
      yield* hearAll(server, new Set(["closed", "notifications/cancelled"]))
      const cancelled = server.seen.find((one) => one.body.includes("notifications/cancelled"))
      expect(cancelled?.headers["mcp-session-id"]).toBe("s-1")
    })
  )

  it.live("a legacy stream that is cut goes on by GET from its last event", () =>
    Effect.gen(function* () {
      let id: unknown
      const server = yield* serving({
        ...legacyServer,
        work: (asked) => {
          id = asked.id
          asked.event("retry: 20\nid: e-1\ndata:\n\n")
          asked.response.end()
        },
        GET: ({ event, response }) => {
          event(messageEvent({ method: "notifications/message", params: { data: "again" } }, "e-2"))
          event(messageEvent({ id, result: { done: true } }, "e-3"))
          response.end()
        }
      })
      const connection = yield* connect(server)
      expect(yield* connection.request("work")).toEqual({ done: true })
      expect(server.seen.at(-1)).toMatchObject({
        method: "GET",
        headers: { "last-event-id": "e-1", "mcp-session-id": "s-1" }
      })
      expect(server.seen.filter((one) => one.body.includes('"work"')).length).toBe(1)
    })
  )

  it.live("the GET stream opens when incoming is first read, and brings what the server says", () =>
    Effect.gen(function* () {
      const server = yield* serving({
        ...legacyServer,
        GET: ({ event }) => event(messageEvent({ method: "notifications/tools/list_changed" }))
      })
      const connection = yield* connect(server)
      expect(server.seen.some((one) => one.method === "GET")).toBe(false)
      expect(yield* Queue.take(yield* connection.incoming)).toMatchObject({
        method: "notifications/tools/list_changed"
      })
    })
  )

  it.live("a session that is gone is replaced without its id, on a channel of its own", () =>
    Effect.gen(function* () {
      let sessions = 0
      const server = yield* serving({
        ...legacyServer,
        initialize: ({ result }) => result(initializeResult, { "mcp-session-id": `s-${(sessions += 1)}` }),
        work: ({ response, result, seen }) =>
          seen.headers["mcp-session-id"] === "s-1" ? void response.writeHead(404).end() : result({ ok: true })
      })
      const connection = yield* connect(server)
      const results = yield* Effect.all(
        Array.from({ length: 8 }, () => connection.request("work")),
        { concurrency: "unbounded" }
      )
      expect(results).toEqual(Array.from({ length: 8 }, () => ({ ok: true })))
      expect(sessions).toBe(2)
      const opening = server.seen.filter((one) => one.body.includes('"initialize"'))
      expect(opening.map((one) => one.headers["mcp-session-id"])).toEqual([undefined, undefined])
    })
  )

  it.live("answered streams that the server never ends do not pile up", () =>
    Effect.gen(function* () {
      const server = yield* serving({
        ...modernServer,
        work: ({ event, id }) => event(messageEvent({ id, result: {} }))
      })
      const connection = yield* connect(server, Policy.discoverFirst)
      yield* Effect.forEach(Array.from({ length: 50 }), () => connection.request("work"), { discard: true })
      yield* server.openAtMost(16)
    })
  )

  it.live("headers that are never made do not outlast the deadline", () =>
    Effect.gen(function* () {
      const server = yield* serving(legacyServer)
      const transport = HttpClient.make({ url: server.url, headers: Effect.never })
      const policy = Policy.withBudgets(Policy.auto, { exchangeMillis: 100 })
      const error = yield* Effect.flip(Negotiation.negotiate({ transport, client, policy }))
      expect(error.reason).toMatchObject({ _tag: "Timeout", phase: "initialize" })
      expect(server.connections()).toBe(0)
    })
  )
})
