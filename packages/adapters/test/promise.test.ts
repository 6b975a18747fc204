import * as Parley from "@parley/adapters/promise"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"
import * as ScriptedStdio from "@parley/testing/ScriptedStdio"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Clients from "./support/Clients.ts"
import * as Rows from "./support/Rows.ts"
import * as Servers from "./support/Servers.ts"
import * as Wire from "./support/Wire.ts"

const client = { ...Clients.info, capabilities: { roots: {} } }

const rejection = (promise: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    promise.then(
      () => expect.fail("it was resolved"),
      (error: unknown) => error
    )
  )

const until = (condition: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(condition))
  )

describe("negotiate", () => {
  it.live("resolves with what the server speaks, and leaves no session and no process", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.legacy))
      const agreement = yield* Effect.promise(() => Parley.negotiate({ target: { url: wire.url }, client }))
      expect(agreement).toMatchObject({ version: "2025-11-25", era: "legacy" })
      expect(wire.said().at(-1)?.method).toBe("DELETE")
      expect(wire.said()[0]?.body).toMatchObject({
        params: { clientInfo: Clients.info, capabilities: { roots: {} } }
      })

      const peer = yield* ScriptedStdio.open([
        { on: { method: "server/discover" }, reply: Rows.success(Rows.discoverResult(["2026-07-28"])) }
      ])
      const target = { command: peer.target.command, args: peer.target.args }
      const found = yield* Effect.promise(() => Parley.negotiate({ target, client, policy: "discover-first" }))
      expect(found).toMatchObject({ version: "2026-07-28", era: "modern" })
      const { processes } = yield* peer.record
      expect(processes.map(ScriptedStdio.lives)).toEqual([false])
    })
  )

  it.live("reads a policy from a configuration value, and warns of one that is none", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-06-18")) },
        ...Rows.rest
      ])
      const warned = new Promise<Error>((resolve) => process.once("warning", resolve))
      const agreement = yield* Effect.promise(() => Parley.negotiate({ target, client, policy: "fastest" }))
      expect(agreement.version).toBe("2025-06-18")
      expect(yield* Effect.promise(() => warned)).toMatchObject({ name: "ParleyWarning" })
      const pinned = yield* rejection(Parley.negotiate({ target, client, policy: "pin:2025-11-25" }))
      expect(pinned).toMatchObject({ reason: { _tag: "UnsupportedProtocolVersion", named: "2025-06-18" } })
    })
  )

  it.live("rejects with an Error that carries its tag, its reason and its trace", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([{ on: {}, reply: { status: 401 } }])
      const error = yield* rejection(Parley.negotiate({ target, client }))
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject({ _tag: "NegotiationError", reason: { _tag: "Unauthorized", status: 401 } })
      expect(Reflect.get(Object(error), "trace")).toHaveLength(2)
    })
  )

  it.live("rejects with an AbortError when its signal is aborted, before or meanwhile", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([{ on: {}, reply: {} }])
      const target = { command: peer.target.command, args: peer.target.args }
      const controller = new AbortController()
      const negotiating = Parley.negotiate({ target, client, signal: controller.signal })
      const failed = rejection(negotiating)
      yield* until(Effect.map(peer.record, ({ received }) => received.length > 0))
      controller.abort("enough")
      const error = yield* failed
      expect(error).toBeInstanceOf(Parley.AbortError)
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject({ _tag: "AbortError", name: "AbortError", cause: "enough" })
      yield* until(Effect.map(peer.record, ({ processes }) => !processes.some(ScriptedStdio.lives)))

      const before = Parley.negotiate({ target, client, signal: AbortSignal.abort("no") })
      expect(yield* rejection(before)).toMatchObject({ _tag: "AbortError", cause: "no" })
    })
  )
})

describe("connect", () => {
  it.live("resolves with a connection that calls, hears and ends", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.legacy))
      const connection = yield* Effect.promise(() => Parley.connect({ target: { url: wire.url }, client }))
      expect(connection.agreement.version).toBe("2025-11-25")
      const result = yield* Effect.promise(() =>
        connection.request("tools/call", { name: "echo", arguments: { text: "hi" } })
      )
      expect(result).toMatchObject({ content: [{ type: "text", text: "hi" }] })
      const error = yield* rejection(connection.request("no/such/method"))
      expect(error).toMatchObject({ _tag: "RequestError", reason: { _tag: "MethodNotFound" } })
      yield* Effect.promise(() => connection.notify("notifications/roots/list_changed"))
      yield* Effect.promise(() => connection.close())
      yield* Effect.promise(() => connection.close())
      expect(Wire.count(wire.said(), "DELETE")).toBe(1)
    })
  )

  it.live("tells what the server says by itself until the connection ends, and answers what it asks", () =>
    Effect.gen(function* () {
      const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
      const peer = yield* ScriptedStdio.open([
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-11-25")) },
        {
          on: { method: "notifications/initialized" },
          reply: {
            raw:
              line({ method: "notifications/message", params: { level: "info", data: 1 } }) +
              line({ id: "a", method: "roots/list" }) +
              line({ id: "b", method: "sampling/createMessage" })
          }
        },
        { on: {}, reply: {} }
      ])
      const target = { command: peer.target.command, args: peer.target.args }
      const heard: Array<unknown> = []
      const connection = yield* Effect.promise(() =>
        Parley.connect({
          target,
          client,
          onRequest: ({ method }) => {
            if (method === "roots/list") return { roots: [] }
            throw Object.assign(new Error("not that"), { code: -1 })
          }
        })
      )
      const listening = (async () => {
        for await (const { params } of connection.incoming()) heard.push(params?.["data"])
        return "ended"
      })()
      yield* until(Effect.map(peer.record, ({ received }) => received.length === 4))
      const { received } = yield* peer.record
      expect(received.slice(2).map(({ body }) => body)).toEqual([
        { jsonrpc: "2.0", id: "a", result: { roots: [] } },
        { jsonrpc: "2.0", id: "b", error: { code: -1, message: "not that" } }
      ])
      yield* Effect.promise(() => connection[Symbol.asyncDispose]())
      expect(yield* Effect.promise(() => listening)).toBe("ended")
      expect(heard).toEqual([1])
    })
  )

  it.live("a request that is aborted is cancelled on the wire", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-11-25")) },
        { on: {}, reply: {} }
      ])
      const target = { command: peer.target.command, args: peer.target.args }
      const connection = yield* Effect.promise(() => Parley.connect({ target, client }))
      const controller = new AbortController()
      const failed = rejection(connection.request("tools/list", {}, { signal: controller.signal }))
      const heard = (method: string) =>
        until(Effect.map(peer.record, ({ received }) => received.some((one) => one.method === method)))
      yield* heard("tools/list")
      controller.abort()
      expect(yield* failed).toMatchObject({ _tag: "AbortError" })
      yield* heard("notifications/cancelled")
      yield* Effect.promise(() => connection.close())
    })
  )
})

describe("connectSdk", () => {
  it.live("connects a client of another SDK, and its own close ends it", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overStdio(process.execPath, Servers.argumentsOf(Servers.modern, "stdio"))
      const sdk = Clients.client240.make()
      expect(String(Parley.detect(sdk))).toContain("official SDK 2.x")
      const { agreement } = yield* Effect.promise(() =>
        Parley.connectSdk(sdk, Clients.client240.stdio(wire), { policy: "discover-first" })
      )
      expect(agreement.version).toBe("2026-07-28")
      expect((yield* Effect.promise(() => sdk.listTools())).tools).toHaveLength(2)
      yield* Effect.promise(() => sdk.close())
      expect(sdk.transport).toBeUndefined()
      expect(Wire.openings(yield* wire.said)).toEqual(["server/discover"])
    })
  )

  it.live("rejects with an AbortError, and the client is closed", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([{ on: {}, reply: {} }])
      const sdk = Clients.sdk132.make()
      const controller = new AbortController()
      const transport = Clients.sdk132.stdio({ command: peer.target.command, args: [...peer.target.args] })
      const failed = rejection(Parley.connectSdk(sdk, transport, { signal: controller.signal }))
      yield* until(Effect.map(peer.record, ({ received }) => received.length > 0))
      controller.abort()
      expect(yield* failed).toMatchObject({ _tag: "AbortError" })
      expect(sdk.transport).toBeUndefined()
    })
  )
})
