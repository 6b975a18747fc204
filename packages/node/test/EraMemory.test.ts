// What a memory of eras does against real servers: real sockets and processes, whose era changes behind its back.
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import * as Profile from "@parley/core/server/Profile"
import type { Era } from "@parley/core/Version"
import * as HttpClient from "@parley/node/HttpClient"
import * as HttpServer from "@parley/node/HttpServer"
import * as StdioClient from "@parley/node/StdioClient"
import * as Admission from "@parley/runtime/Admission"
import * as Connection from "@parley/runtime/Connection"
import * as EraMemory from "@parley/runtime/EraMemory"
import * as Servers from "@parley/testing/SoakServers"
import { Effect, Exit, Fiber, Scope } from "effect"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"

const register = new URL("../../../scripts/register.mjs", import.meta.url).pathname
const client = { info: { name: "memory-test", version: "1" }, capabilities: {} }
const day = 86_400_000

/** What a server saw: each request that reached its handler, and each message that was posted. */
interface Seen {
  readonly executed: Array<string>
  readonly posted: Array<string>
}

const options = (cacheScope: "public" | "private", instructions?: string): Profile.Options => ({
  serverInfo: { name: "memory", version: "1" },
  capabilities: { tools: {} },
  ...(instructions === undefined ? {} : { instructions }),
  caching: { methods: { "server/discover": { ttlMs: 60_000, cacheScope } } }
})

const admission = (era: Era | "dual", seen: Seen, profile = options("private")) =>
  Admission.make(
    era === "dual"
      ? Profile.dual(profile)
      : era === "modern"
        ? Profile.modernOnly(profile)
        : Profile.handshakeOnly(profile),
    (request) =>
      Effect.sync(() => {
        seen.executed.push(String(request.params?.["name"]))
        return { content: [], era }
      })
  )

/** A server whose listener can be changed while its address stays. */
const switchable = Effect.gen(function* () {
  const seen: Seen = { executed: [], posted: [] }
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      if (body !== "") seen.posted.push(String(JSON.parse(body).method))
      // As behind `express.json()`: the listener takes the body that is there.
      listener(Object.assign(request, { body }), response)
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return {
    seen,
    url: `http://127.0.0.1:${port}/mcp`,
    become: (era: Era | "dual", profile?: Profile.Options) =>
      Effect.map(admission(era, seen, profile), (made) => {
        listener = HttpServer.listener(made)
      }),
    answer: (how: (request: IncomingMessage, response: ServerResponse) => void) =>
      Effect.sync(() => {
        listener = how
      })
  }
})

const opened = (
  url: string,
  memory: EraMemory.Shape,
  more: { readonly policy?: Policy.Policy; readonly principal?: string } = {}
) =>
  Connection.connect({
    transport: HttpClient.make({
      url,
      headers: more.principal === undefined ? {} : { "x-principal": more.principal }
    }),
    client,
    policy: Policy.discoverFirst,
    memory,
    ...more
  })

describe("a memory of a real server", () => {
  it.live("that is fresh and modern asks nothing at all: the first request is the first that the server sees", () =>
    Effect.gen(function* () {
      const { become, seen, url } = yield* switchable
      yield* become("modern")
      const memory = EraMemory.memory()
      yield* Effect.scoped(opened(url, memory))
      expect(seen.posted).toEqual(["server/discover"])
      const connection = yield* opened(url, memory)
      expect(seen.posted).toEqual(["server/discover"])
      expect(yield* connection.request("tools/call", { name: "one" })).toMatchObject({ era: "modern" })
      expect(seen.posted).toEqual(["server/discover", "tools/call"])
    }).pipe(Effect.scoped)
  )

  it.live("that became legacy is dropped by the first request, which is executed once, in the other era", () =>
    Effect.gen(function* () {
      const { become, seen, url } = yield* switchable
      yield* become("modern")
      const memory = EraMemory.memory()
      yield* Effect.scoped(opened(url, memory))
      yield* become("legacy")
      const connection = yield* opened(url, memory)
      expect(connection.agreement.era).toBe("modern")
      expect(yield* connection.request("tools/call", { name: "once" })).toMatchObject({ era: "legacy" })
      expect(connection.agreement.era).toBe("legacy")
      expect(seen.executed).toEqual(["once"])
      const key = { target: HttpClient.make({ url }).target, principal: "" }
      expect(yield* memory.lookup(key)).toMatchObject({ era: "legacy", probed: true })
    }).pipe(Effect.scoped)
  )

  it.live("that became modern is dropped by its refusal of the handshake, and nothing is executed twice", () =>
    Effect.gen(function* () {
      const { become, seen, url } = yield* switchable
      yield* become("legacy")
      const memory = EraMemory.memory()
      yield* Effect.scoped(opened(url, memory))
      seen.posted.length = 0
      yield* become("modern")
      const connection = yield* opened(url, memory)
      // The probe was skipped; its handshake was refused; one negotiation in full followed.
      expect(seen.posted).toEqual(["initialize", "server/discover"])
      expect(yield* connection.request("tools/call", { name: "once" })).toMatchObject({ era: "modern" })
      expect(seen.executed).toEqual(["once"])
    }).pipe(Effect.scoped)
  )

  it.live("that is legacy and a day old is probed again, and the upgrade is found", () =>
    Effect.gen(function* () {
      const { become, seen, url } = yield* switchable
      const memory = EraMemory.memory()
      const key = { target: HttpClient.make({ url }).target, principal: "" }
      const legacy = { era: "legacy", version: "2025-11-25", probed: true } as const
      yield* become("dual")
      yield* memory.remember(key, { ...legacy, at: Date.now() - day + 60_000 })
      expect((yield* Effect.scoped(opened(url, memory))).agreement.era).toBe("legacy")
      yield* memory.remember(key, { ...legacy, at: Date.now() - day - 1 })
      expect((yield* Effect.scoped(opened(url, memory))).agreement.era).toBe("modern")
      expect(seen.posted.filter((method) => method !== "notifications/initialized")).toEqual([
        "initialize",
        "server/discover"
      ])
    }).pipe(Effect.scoped)
  )

  it.live.each(["private", "public"] as const)(
    "never gives one principal what another was told, %s results included",
    (cacheScope) =>
      Effect.gen(function* () {
        const { answer, seen, url } = yield* switchable
        const listeners = yield* Effect.forEach(["ann", "bob"], (name) =>
          Effect.map(
            admission("modern", seen, options(cacheScope, `for ${name}`)),
            (made) => [name, HttpServer.listener(made)] as const
          )
        )
        yield* answer((request, response) => {
          const own = listeners.find(([name]) => name === request.headers["x-principal"])
          own?.[1](request, response)
        })
        const memory = EraMemory.memory()
        const told = (principal: string) =>
          Effect.map(Effect.scoped(opened(url, memory, { principal })), ({ agreement }) => agreement.instructions)
        expect(yield* told("ann")).toBe("for ann")
        expect(yield* told("bob")).toBe("for bob")
        expect(yield* told("ann")).toBe("for ann")
        expect(yield* told("bob")).toBe("for bob")
        expect(seen.posted).toEqual(["server/discover", "server/discover"])
      }).pipe(Effect.scoped)
  )

  it.live("is made by one negotiation, however many open it at once", () =>
    Effect.gen(function* () {
      const { become, seen, url } = yield* switchable
      yield* become("modern")
      const memory = EraMemory.memory()
      const connections = yield* Effect.forEach(Array.from({ length: 50 }), () => opened(url, memory), {
        concurrency: "unbounded"
      })
      expect(seen.posted).toEqual(["server/discover"])
      yield* Effect.forEach(connections, (one, at) => one.request("tools/call", { name: String(at) }), {
        concurrency: "unbounded"
      })
      expect(new Set(seen.executed).size).toBe(50)
      expect(seen.executed.length).toBe(50)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    { what: "is cut off", end: (response: ServerResponse) => void response.destroy() },
    { what: "answers 500", end: (response: ServerResponse) => void response.writeHead(500).end() },
    { what: "answers 502 with a page", end: (response: ServerResponse) => void response.writeHead(502).end("<html>") },
    {
      what: "answers with an error of its own",
      end: (response: ServerResponse) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"after all"}}')
    }
  ])("does not send a request again whose server $what: it may have been executed", ({ end }) =>
    Effect.gen(function* () {
      const { answer, become, seen, url } = yield* switchable
      yield* become("modern")
      const memory = EraMemory.memory()
      yield* Effect.scoped(opened(url, memory))
      yield* answer((_request, response) => {
        seen.executed.push("transfer")
        end(response)
      })
      const connection = yield* opened(url, memory)
      const error = yield* Effect.flip(connection.request("tools/call", { name: "transfer" }))
      expect(["TransportFailure", "ErrorResponse"]).toContain(error.reason._tag)
      expect(seen.executed).toEqual(["transfer"])
    }).pipe(Effect.scoped)
  )
})

describe("a memory that a -32602 makes doubtful", () => {
  const reply = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

  // The listener above has put it there.
  const bodyOf = (request: IncomingMessage) =>
    JSON.parse(String(Object.getOwnPropertyDescriptor(request, "body")?.value || "{}"))
  const discovered = {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 60_000,
    cacheScope: "private"
  }

  // As the Python SDK does: before the handshake whatever is asked has invalid parameters.
  it.live.each([200, 400])("is dropped where the server became legacy (HTTP %i), and nothing is sent again", (status) =>
    Effect.gen(function* () {
      const { answer, become, seen, url } = yield* switchable
      yield* become("modern")
      const memory = EraMemory.memory()
      yield* Effect.scoped(opened(url, memory))
      seen.posted.length = 0
      yield* answer((request, response) => {
        const { id, method, params } = bodyOf(request)
        if (request.method !== "POST") return void response.writeHead(405).end()
        if (id === undefined) return void response.writeHead(202).end()
        const shakes = method === "initialize"
        if (!shakes && request.headers["mcp-session-id"] === undefined) {
          const error =
            method === "server/discover"
              ? { code: -32601, message: "Method not found" }
              : { code: -32602, message: "Invalid request parameters", data: "" }
          return reply(response, status, { jsonrpc: "2.0", id, error })
        }
        if (shakes) response.setHeader("mcp-session-id", "s")
        const named = {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" }
        }
        if (!shakes) seen.executed.push(params.name)
        reply(response, 200, { jsonrpc: "2.0", id, result: shakes ? named : { content: [] } })
      })
      const connection = yield* opened(url, memory)
      const error = yield* Effect.flip(connection.request("tools/call", { name: "first" }))
      expect(error.reason).toMatchObject({ _tag: "ErrorResponse", code: -32602 })
      expect(connection.agreement.era).toBe("legacy")
      expect(yield* connection.request("tools/call", { name: "second" })).toEqual({ content: [] })
      expect(seen.executed).toEqual(["second"])
      expect(seen.posted.filter((method) => method === "tools/call").length).toBe(2)
      expect(yield* memory.lookup({ target: HttpClient.make({ url }).target, principal: "" })).toMatchObject({
        era: "legacy"
      })
    }).pipe(Effect.scoped)
  )

  it.live("is made again where it was the arguments, and the connection goes on", () =>
    Effect.gen(function* () {
      const { answer, become, seen, url } = yield* switchable
      yield* become("modern")
      const memory = EraMemory.memory()
      yield* Effect.scoped(opened(url, memory))
      seen.posted.length = 0
      yield* answer((request, response) => {
        const { id, method, params } = bodyOf(request)
        if (method === "server/discover") return reply(response, 200, { jsonrpc: "2.0", id, result: discovered })
        seen.executed.push(params.name)
        const error = { code: -32602, message: "Unknown tool" }
        const result = { resultType: "complete", content: [] }
        reply(response, 200, { jsonrpc: "2.0", id, ...(params.name === "wrong" ? { error } : { result }) })
      })
      const connection = yield* opened(url, memory)
      const error = yield* Effect.flip(connection.request("tools/call", { name: "wrong" }))
      expect(error.reason).toMatchObject({ _tag: "ErrorResponse", code: -32602 })
      expect(connection.agreement.era).toBe("modern")
      expect(yield* connection.request("tools/call", { name: "right" })).toMatchObject({ content: [] })
      expect(seen.executed).toEqual(["wrong", "right"])
      expect(seen.posted).toEqual(["tools/call", "server/discover", "tools/call"])
    }).pipe(Effect.scoped)
  )

  it.live("is dropped on a pipe too", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const target = "python server.py"
      const of = (script: string) => ({
        ...StdioClient.make({ command: process.execPath, args: ["-e", script] }),
        target
      })
      const connect = (script: string) =>
        Connection.connect({ transport: of(script), client, policy: Policy.discoverFirst, memory })
      yield* Effect.scoped(connect(piped("modern")))
      const connection = yield* connect(piped("legacy"))
      expect(connection.agreement.era).toBe("modern")
      const error = yield* Effect.flip(connection.request("tools/list"))
      expect(error.reason).toMatchObject({ _tag: "ErrorResponse", code: -32602 })
      expect(connection.agreement.era).toBe("legacy")
      expect(yield* connection.request("tools/list")).toEqual({ tools: [] })
    }).pipe(Effect.scoped)
  )

  // Two servers on a pipe by hand: one that lists a revision for a minute, one that wants its handshake first.
  const piped = (era: Era): string => `
    let open = false
    const say = (id, body) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n")
    const legacy = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
    const modern = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 60000, cacheScope: "private" }
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line)
      if (id === undefined) return
      if (${era === "modern"}) return say(id, { result: modern })
      if (method === "server/discover") return say(id, { error: { code: -32601, message: "Method not found" } })
      if (method === "initialize") { open = true; return say(id, { result: legacy }) }
      say(id, open ? { result: { tools: [] } } : { error: { code: -32602, message: "Invalid request parameters", data: "" } })
    }).on("close", () => process.exit(0))`
})

describe("a memory of a real process", () => {
  // The same name for different processes, as when a command is upgraded.
  const target = "node server.js"
  const process = (kind: Servers.Kind) => {
    const { args, command } = Servers.command(kind)
    return { ...StdioClient.make({ command, args: ["--import", register, ...args.slice(-3)] }), target }
  }
  const connect = (kind: Servers.Kind, memory: EraMemory.Shape) =>
    Connection.connect({ transport: process(kind), client, policy: Policy.discoverFirst, memory })

  it.live.each([
    { was: "modern", is: "legacy" },
    { was: "legacy", is: "modern" }
  ] as const)("that was $was and is $is is dropped, and the request is answered once", ({ is, was }) =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* Effect.scoped(connect(was, memory))
      expect(yield* memory.lookup({ target, principal: "" })).toMatchObject({ era: was })
      const connection = yield* connect(is, memory)
      const nonce = `${was}-${is}`
      expect(yield* connection.request("tools/call", { name: "echo", arguments: { nonce } })).toMatchObject({
        echo: { nonce }
      })
      expect(connection.agreement.era).toBe(is)
      expect(yield* memory.lookup({ target, principal: "" })).toMatchObject({ era: is })
    }).pipe(Effect.scoped)
  )

  it.live("leaves no process when it is closed while it is negotiated with once more", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* Effect.scoped(connect("legacy", memory))
      const scope = yield* Scope.make()
      const fiber = yield* Effect.forkChild(Scope.provide(connect("modern", memory), scope), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* Scope.close(scope, Exit.void)
      expect(yield* Effect.promise(() => processesOf(Servers.mark))).toEqual([])
    }).pipe(Effect.scoped)
  )
})

const processesOf = async (mark: string): Promise<ReadonlyArray<number>> =>
  (await import("@parley/testing/SoakTrend")).marked(mark)
