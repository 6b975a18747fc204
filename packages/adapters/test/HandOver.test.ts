// The clients and transports of the SDK have properties where others have listeners.
// oxlint-disable unicorn/prefer-add-event-listener
import * as Policy from "@parley/core/client/Policy"
import { NegotiationError } from "@parley/core/Errors"
import * as Sdk from "@parley/adapters/sdk"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"
import * as ScriptedStdio from "@parley/testing/ScriptedStdio"
import {
  Client as Client240,
  InMemoryTransport as Memory240,
  StreamableHTTPClientTransport as Http240,
  UnauthorizedError as Unauthorized240
} from "@modelcontextprotocol/client"
import { UnauthorizedError as Unauthorized132 } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as Client132 } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as Stdio132 } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as Http132 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { InMemoryTransport as Memory132 } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server as Server132 } from "@modelcontextprotocol/sdk/server/index.js"
import {
  ListRootsRequestSchema,
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Clients from "./support/Clients.ts"
import * as Rows from "./support/Rows.ts"
import * as Servers from "./support/Servers.ts"
import * as Wire from "./support/Wire.ts"

const closing = <C extends { close(): Promise<void> }>(client: C): Effect.Effect<C, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.succeed(client), () => Effect.promise(() => client.close()))

const rejection = (promise: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    promise.then(
      () => undefined,
      (error: unknown) => error
    )
  )

const server132 = (): Server132 => {
  const server = new Server132({ name: "in memory", version: "1" }, { capabilities: { tools: {}, logging: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))
  return server
}

describe("whose transport it is", () => {
  it.live("works over a subclass, whose own ways with a message are kept", () =>
    Effect.gen(function* () {
      const sent: Array<unknown> = []
      class Logged extends Stdio132 {
        override send(message: Parameters<Stdio132["send"]>[0]): Promise<void> {
          sent.push("method" in message ? message.method : "answer")
          return super.send(message)
        }
      }
      const client = yield* closing(new Client132(Clients.info))
      const transport = new Logged({
        command: process.execPath,
        args: Servers.argumentsOf(Servers.legacy, "stdio"),
        stderr: "ignore"
      })
      yield* Effect.promise(() => client.connect(Sdk.wrap(transport)))
      yield* Effect.promise(() => client.listTools())
      expect(sent).toEqual(["initialize", "notifications/initialized", "tools/list"])
    })
  )

  it.live.each(["1.32.2", "2.4.0"] as const)("works in memory, with a client of %s", (version) =>
    Effect.gen(function* () {
      const server = server132()
      if (version === "1.32.2") {
        const [mine, theirs] = Memory132.createLinkedPair()
        yield* Effect.promise(() => server.connect(theirs))
        const client = yield* closing(new Client132(Clients.info))
        const { agreement } = yield* Sdk.connect(client, mine)
        expect(agreement.version).toBe("2025-11-25")
        expect((yield* Effect.promise(() => client.listTools())).tools).toEqual([])
      } else {
        const [mine, theirs] = Memory240.createLinkedPair()
        // The two generations differ in the types of their messages alone.
        yield* Effect.promise(() => server.connect(theirs as Parameters<Server132["connect"]>[0]))
        const client = yield* closing(new Client240(Clients.info))
        const { agreement } = yield* Sdk.connect(client, mine, { policy: Policy.discoverFirst })
        expect(agreement.version).toBe("2025-11-25")
        expect((yield* Effect.promise(() => client.listTools())).tools).toEqual([])
      }
    })
  )

  it.live("works over an object that a user wrote, and says beside a message what that said", () =>
    Effect.gen(function* () {
      const answers = new Map<string, unknown>([["initialize", Rows.initializeResult("2025-03-26")]])
      const own: Sdk.SdkTransport = {
        start: () => Promise.resolve(),
        close: () => Promise.resolve(own.onclose?.()),
        send: (message) => {
          const { id, method } = Object(message)
          if (id === undefined) return Promise.resolve()
          const result = answers.get(method) ?? { tools: [] }
          queueMicrotask(() => own.onmessage?.({ jsonrpc: "2.0", id, result }, { authInfo: method }))
          return Promise.resolve()
        }
      }
      const client = yield* closing(new Client132(Clients.info))
      const handOver = Sdk.wrap(own)
      const heard: Array<unknown> = []
      handOver.onmessage = (_, extra) => heard.push(extra)
      yield* Effect.promise(() => client.connect(handOver))
      yield* Effect.promise(() => client.listTools())
      expect(handOver.agreement?.version).toBe("2025-03-26")
      expect(handOver.inner).toBe(own)
      // The answer to the opening is Parley's own; what follows comes as it came.
      expect(heard).toEqual([undefined, { authInfo: "tools/list" }])
    })
  )

  it.live("calls the callbacks that the transport had before, and gives them back when it closes", () =>
    Effect.gen(function* () {
      const transport = new Http132(new URL(yield* Servers.startHttp(Servers.legacy)))
      const heard: Array<string> = []
      const before = {
        onmessage: () => heard.push("message"),
        onerror: () => heard.push("error"),
        onclose: () => heard.push("close")
      }
      Object.assign(transport, before)
      const client = new Client132(Clients.info)
      yield* Effect.promise(() => client.connect(Sdk.wrap(transport)))
      yield* Effect.promise(() => client.listTools())
      expect(heard).toEqual(["message", "message"])
      yield* Effect.promise(() => client.close())
      expect(heard.filter((one) => one === "close")).toEqual(["close"])
      expect(transport).toMatchObject(before)
    })
  )
})

describe("what the server says meanwhile", () => {
  it.live("reaches the client once it is through its own opening, and its answers reach the server", () =>
    Effect.gen(function* () {
      const said = [
        { method: "notifications/message", params: { level: "info", data: "early" } },
        { id: 77, method: "roots/list" }
      ]
      const early = said.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`)
      const peer = yield* ScriptedStdio.open([
        {
          on: { method: "initialize" },
          reply: { ...Rows.success(Rows.initializeResult("2025-11-25")), raw: early[0] ?? "" }
        },
        { on: { method: "notifications/initialized" }, reply: { raw: early[1] ?? "" } },
        ...Rows.restOfPipe,
        { on: {}, reply: {} }
      ])
      const client = yield* closing(new Client132(Clients.info, { capabilities: { roots: {} } }))
      const logged: Array<unknown> = []
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
        logged.push(params.data)
      })
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///here" }] }))
      const transport = new Stdio132({ command: peer.target.command, args: [...peer.target.args] })
      yield* Effect.promise(() => client.connect(Sdk.wrap(transport)))
      yield* until(
        Effect.map(peer.record, ({ received }) =>
          received.some(({ body }) => JSON.stringify(body)?.includes("file:///here") === true)
        )
      )
      expect(logged).toEqual(["early"])
    })
  )

  it.live("is held until the client is through, and what else that writes before goes its way", () =>
    Effect.gen(function* () {
      const written: Array<unknown> = []
      const own: Sdk.SdkTransport = {
        start: () => Promise.resolve(),
        close: () => Promise.resolve(own.onclose?.()),
        send: (message) => {
          const { id, method } = Object(message)
          written.push(method)
          if (method === "initialize") {
            queueMicrotask(() => own.onmessage?.({ jsonrpc: "2.0", id, result: Rows.initializeResult("2025-11-25") }))
          }
          return Promise.resolve()
        }
      }
      const heard: Array<unknown> = []
      const handOver = Sdk.wrap(own)
      handOver.onmessage = (message) => heard.push(message)
      const send = (message: object) => Effect.promise(() => handOver.send({ jsonrpc: "2.0", ...message }))
      yield* Effect.promise(() => handOver.start())
      const params = { protocolVersion: "2025-11-25", clientInfo: Clients.info, capabilities: {} }
      yield* send({ id: 0, method: "initialize", params })
      yield* send({ id: 1, method: "tools/list" })
      own.onmessage?.({ jsonrpc: "2.0", id: 1, result: { tools: [] } })
      expect(heard).toHaveLength(1)
      yield* send({ method: "notifications/initialized" })
      expect(heard).toHaveLength(2)
      expect(written).toEqual(["initialize", "notifications/initialized", "tools/list"])
      yield* Effect.promise(() => handOver.close())
    })
  )

  it.live("is noise where it is no message, and the agreement warns of it", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([
        {
          on: { method: "initialize" },
          reply: { ...Rows.success(Rows.initializeResult("2024-11-05")), raw: "Server is starting!\n" }
        },
        ...Rows.restOfPipe
      ])
      for (const release of Clients.releases) {
        const { agreement } = yield* Effect.scoped(
          Sdk.connect(release.make(), release.stdio({ command: peer.target.command, args: [...peer.target.args] }))
        )
        // 2.x passes such a line over by itself.
        expect(agreement.warnings).toHaveLength(release.generation === "sdk1" ? 1 : 0)
      }
    })
  )
})

describe("the end", () => {
  it.live.each(Clients.releases)("of the server's process is told to $name once", (release) =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2024-11-05")) },
        { on: { method: "notifications/initialized" }, reply: {} },
        { on: { method: "tools/list" }, reply: { exit: 0 } }
      ])
      const client = release.make()
      const closes: Array<string> = []
      client.onclose = () => closes.push("closed")
      const transport = release.stdio({ command: peer.target.command, args: [...peer.target.args] })
      yield* Sdk.connect(client, transport)
      expect(yield* rejection(client.listTools())).toBeInstanceOf(Error)
      yield* until(Effect.sync(() => closes.length > 0))
      yield* Effect.promise(() => client.close())
      expect(closes).toEqual(["closed"])
      expect(client.transport).toBeUndefined()
    })
  )

  it.live("that the client makes is told to it once, and the transport is closed", () =>
    Effect.gen(function* () {
      const transport = new Stdio132({
        command: process.execPath,
        args: Servers.argumentsOf(Servers.legacy, "stdio"),
        stderr: "ignore"
      })
      const client = new Client132(Clients.info)
      const closes: Array<string> = []
      client.onclose = () => closes.push("closed")
      const handOver = Sdk.wrap(transport)
      yield* Effect.promise(() => client.connect(handOver))
      const { pid } = transport
      yield* Effect.promise(() => client.close())
      yield* Effect.promise(() => client.close())
      expect(closes).toEqual(["closed"])
      expect(pid !== null && isAlive(pid)).toBe(false)
      expect(yield* rejection(handOver.send({ jsonrpc: "2.0", method: "x" }))).toBeInstanceOf(Error)
    })
  )

  it.live("before the opening is nobody's but the client's", () =>
    Effect.gen(function* () {
      const handOver = Sdk.wrap(new Http132(new URL("http://127.0.0.1:9/mcp")))
      const closes: Array<string> = []
      handOver.onclose = () => closes.push("closed")
      yield* Effect.promise(() => handOver.start())
      expect(yield* rejection(handOver.start())).toBeInstanceOf(Error)
      yield* Effect.promise(() => handOver.close())
      expect(closes).toEqual(["closed"])
    })
  )
})

describe("a wrapped transport that the client is connected to by its owner", () => {
  it.live("answers a client that probes in whichever era the server speaks", () =>
    Effect.gen(function* () {
      for (const [server, era] of [
        [Servers.modern, "modern"],
        [Servers.legacy, "legacy"]
      ] as const) {
        const wire = yield* Wire.overHttp(yield* Servers.startHttp(server))
        const client = yield* closing(new Client240(Clients.info, { versionNegotiation: { mode: "auto" } }))
        yield* Effect.promise(() => client.connect(Sdk.wrap(new Http240(new URL(wire.url)))))
        expect(client.getProtocolEra()).toBe(era)
        expect((yield* Effect.promise(() => client.listTools())).tools).toHaveLength(2)
        // `auto` opens with the handshake.
        expect(Wire.openings(wire.said())).toEqual(
          era === "modern" ? ["initialize", "server/discover"] : ["initialize", "notifications/initialized"]
        )
      }
    })
  )

  it.live("keeps a client that opens with the handshake to it, and says how to do better", () =>
    Effect.gen(function* () {
      const url = new URL(yield* Servers.startHttp(Servers.modern))
      const client = new Client240(Clients.info)
      const handOver = Sdk.wrap(new Http240(url), { client })
      const error = yield* rejection(client.connect(handOver))
      expect(error).toBeInstanceOf(NegotiationError)
      expect(error).toBe(handOver.failure)
      expect(String(error)).toMatch(/official SDK 2\.x.*Sdk\.connect.*versionNegotiation/)

      const other = yield* rejection(new Client132(Clients.info).connect(Sdk.wrap(new Http132(url))))
      expect(String(other)).toContain("nothing else is known of it")
    })
  )

  it.live("fails 2.x that probes with an error that has the NegotiationError as its cause", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([{ on: {}, reply: { status: 503 } }])
      const client = new Client240(Clients.info, { versionNegotiation: { mode: "auto" } })
      const error = yield* rejection(client.connect(Sdk.wrap(new Http240(new URL(target.url)))))
      expect(error instanceof Error && error.cause).toMatchObject({ reason: { _tag: "Busy" } })
    })
  )

  it.live("lets the SDK's own error through where the application must finish an authorization", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([
        { on: { httpMethod: "GET" }, reply: { status: 404 } },
        { on: {}, reply: { status: 401 } }
      ])
      const url = new URL(target.url)
      const authProvider = { token: () => Promise.resolve(undefined) }
      const modern = Sdk.wrap(new Http240(url, { authProvider }))
      expect(yield* rejection(new Client240(Clients.info).connect(modern))).toBeInstanceOf(Unauthorized240)
      expect(modern.failure?.reason._tag).toBe("Unauthorized")

      const asked: Array<string> = []
      const legacy = Sdk.wrap(
        new Http132(url, {
          authProvider: {
            redirectUrl: "http://127.0.0.1/back",
            clientMetadata: { redirect_uris: ["http://127.0.0.1/back"] },
            clientInformation: () => ({ client_id: "me" }),
            tokens: () => undefined,
            saveTokens: () => undefined,
            redirectToAuthorization: ({ pathname }) => {
              asked.push(pathname)
            },
            saveCodeVerifier: () => undefined,
            codeVerifier: () => ""
          }
        })
      )
      expect(yield* rejection(new Client132(Clients.info).connect(legacy))).toBeInstanceOf(Unauthorized132)
      expect(asked).toEqual(["/authorize"])
    })
  )

  it.live("is out of the way of a session that is resumed", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.legacy))
      const url = new URL(wire.url)
      const first = new Http132(url)
      yield* Effect.promise(() => new Client132(Clients.info).connect(first))
      const { sessionId } = first
      const client = yield* closing(new Client132(Clients.info))
      const resumed = new Http132(url, sessionId === undefined ? {} : { sessionId })
      resumed.setProtocolVersion("2025-11-25")
      const handOver = Sdk.wrap(resumed)
      yield* Effect.promise(() => client.connect(handOver))
      expect((yield* Effect.promise(() => client.listTools({}))).tools).toHaveLength(2)
      expect(handOver.sessionId).toBe(sessionId)
      expect(handOver.agreement).toBeUndefined()
      expect(Wire.openings(wire.said())).toEqual(["initialize", "notifications/initialized"])
    })
  )

  it.live("is out of the way of a client that was given a prior result", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.modern))
      const client = yield* closing(new Client240(Clients.info))
      const discover = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
      yield* Effect.promise(() =>
        client.connect(Sdk.wrap(new Http240(new URL(wire.url))), { prior: { kind: "modern", discover } })
      )
      expect((yield* Effect.promise(() => client.listTools())).tools).toHaveLength(2)
      expect(wire.said().map(({ method }) => method)).toEqual(["tools/list"])
    })
  )

  it.live("ends a session where its owner asks for that", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.legacy))
      const client = yield* closing(new Client132(Clients.info))
      const handOver = Sdk.wrap(new Http132(new URL(wire.url)))
      yield* Effect.promise(() => client.connect(handOver))
      expect(handOver.sessionId).toBeTypeOf("string")
      yield* Effect.promise(async () => handOver.terminateSession?.())
      expect(handOver.sessionId).toBeUndefined()
      expect(Wire.count(wire.said(), "DELETE")).toBe(1)
    })
  )
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const until = (condition: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(condition))
  )
