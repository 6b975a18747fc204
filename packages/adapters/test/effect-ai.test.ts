import * as Policy from "@parley/core/client/Policy"
import { NegotiationError } from "@parley/core/Errors"
import * as EffectAi from "@parley/adapters/effect-ai"
import * as HttpClient from "@parley/node/HttpClient"
import type { Reply } from "@parley/testing/Script"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"
import * as ScriptedStdio from "@parley/testing/ScriptedStdio"
import { describe, expect, it } from "@effect/vitest"
import * as McpClient from "effect/ai/McpClient"
import { McpClientError } from "effect/ai/McpClientError"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Rows from "./support/Rows.ts"
import * as Servers from "./support/Servers.ts"
import * as Wire from "./support/Wire.ts"

const who = { name: "parley-effect-client", version: "4.5.6", title: "A client" }

const toolsOf = (target: EffectAi.Target, policy?: Policy.Policy) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* EffectAi.make({ ...who, target, policy })
      const tools = yield* client.listTools()
      return [client.protocolVersion, ...tools.map(({ name }) => name)]
    })
  )

describe("a client of effect/ai", () => {
  for (const [server, policy, version, openings] of [
    [Servers.legacy, Policy.auto, "2025-11-25", ["initialize", "notifications/initialized"]],
    [Servers.dual, Policy.auto, "2025-11-25", ["initialize", "notifications/initialized"]],
    [Servers.dual, Policy.discoverFirst, "2026-07-28", ["server/discover"]],
    [Servers.modern, Policy.auto, "2026-07-28", ["initialize", "server/discover"]],
    [Servers.effectModern, Policy.auto, "2026-07-28", ["initialize", "server/discover"]],
    [Servers.effectModern, Policy.discoverFirst, "2026-07-28", ["server/discover"]],
    [
      Servers.namesModern,
      Policy.auto,
      "2025-11-25",
      ["initialize", "server/discover", "initialize", "notifications/initialized"]
    ]
  ] as const) {
    it.live(`speaks ${version} with ${server.name} under ${policy.name}, with one opening, on either carrier`, () =>
      Effect.gen(function* () {
        const http = yield* Wire.overHttp(yield* Servers.startHttp(server))
        expect(yield* toolsOf({ url: http.url }, policy)).toEqual([version, "echo", "clock"])
        expect(Wire.openings(http.said())).toEqual(openings)

        const stdio = yield* Wire.overStdio(process.execPath, Servers.argumentsOf(server, "stdio"))
        expect(yield* toolsOf({ command: stdio.command, args: stdio.args }, policy)).toEqual([version, "echo", "clock"])
        expect(Wire.openings(yield* stdio.said)).toEqual(openings)
      })
    )
  }

  it.live("is on the wire who it says it is by itself", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.dual))
      yield* toolsOf({ url: wire.url })
      const alone = McpClient.layerHttp({ ...who, url: wire.url, protocol: McpProtocol.v2025_11_25 })
      yield* Effect.scoped(Layer.build(alone)).pipe(Effect.provide(FetchHttpClient.layer))
      const [mine, its] = wire.said().filter(({ method }) => method === "initialize")
      expect(Reflect.get(Object(mine?.body), "params")).toEqual(Reflect.get(Object(its?.body), "params"))
    })
  )

  it.live("is a service that a layer provides, whose session ends with it", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.legacy))
      const program = Effect.gen(function* () {
        const client = yield* McpClient.McpClient
        const [echo] = yield* client.listTools()
        return echo === undefined ? undefined : yield* client.callTool({ tool: echo, arguments: { text: "hello" } })
      })
      // A transport that the application made is a target as well.
      const target = HttpClient.make({ url: wire.url })
      const result = yield* Effect.provide(program, EffectAi.layer({ ...who, target }))
      expect(result?.content).toEqual([{ type: "text", text: "hello" }])
      expect(wire.said().at(-1)?.method).toBe("DELETE")
    })
  )

  it.live("says which client would do where the server speaks a revision that it does not", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-06-18")) },
        ...Rows.rest
      ])
      const error = yield* Effect.flip(toolsOf(target))
      expect(error).toBeInstanceOf(NegotiationError)
      expect(error.reason).toMatchObject({ _tag: "UnsupportedProtocolVersion", named: "2025-06-18" })
      expect(error.message).toMatch(/effect\/ai's McpClient, which speaks 2025-11-25 and 2026-07-28.*official SDK/)
    })
  )

  it.live("is forbidden a revision that it does not speak before a byte is sent", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([])
      const error = yield* Effect.flip(toolsOf(peer.target, Policy.pinned("2025-06-18")))
      expect(error.reason._tag).toBe("PolicyForbids")
      expect(error.message).toContain("official SDK")
      expect((yield* peer.record).received).toEqual([])
    })
  )

  it.live("fails with effect/ai's own error where that refuses what was agreed", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([
        {
          on: { method: "initialize" },
          reply: Rows.success({ ...Rows.initializeResult("2025-11-25"), serverInfo: { name: 7 } })
        },
        ...Rows.rest
      ])
      // An identity that is none is no reason for Parley to give up, nor for effect/ai.
      expect(yield* toolsOf(target)).toEqual(["2025-11-25", "echo"])
      const other = yield* ScriptedHttp.open([
        {
          on: { method: "initialize" },
          reply: Rows.success({ ...Rows.initializeResult("2025-11-25"), capabilities: { tools: 7 } })
        },
        ...Rows.rest
      ])
      expect(yield* Effect.flip(toolsOf(other.target))).toBeInstanceOf(McpClientError)
    })
  )
})

describe("what a later request of it fails with", () => {
  const failing = (reply: Reply, headers: Reply["headers"] = {}) =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([
        { on: { method: "initialize" }, reply: { ...Rows.success(Rows.initializeResult("2025-11-25")), headers } },
        { on: { method: "tools/list" }, reply },
        ...Rows.rest
      ])
      const error = yield* Effect.flip(toolsOf(target))
      return error instanceof McpClientError ? error.reason : expect.fail(`${error}`)
    })

  it.live("is what its own transport would say: the server's error with its code and data", () =>
    Effect.gen(function* () {
      const reason = yield* failing(Rows.failure(-32050, { why: "because" }))
      expect(reason).toMatchObject({ _tag: "ProtocolError", code: -32050, data: { why: "because" } })
      expect(yield* failing(Rows.failure(-32601))).toMatchObject({ _tag: "ProtocolError", code: -32601 })
      expect(yield* failing(Rows.failure(-32021, { requiredCapabilities: { roots: {} } }))).toMatchObject({
        _tag: "ProtocolError",
        code: -32021,
        data: { requiredCapabilities: { roots: {} } }
      })
      expect(yield* failing(Rows.failure(-32020))).toMatchObject({ _tag: "ProtocolError", code: -32020 })
      expect(yield* failing(Rows.failure(-32022, { supported: ["2026-07-28"] }))).toMatchObject({
        _tag: "ProtocolError",
        code: -32022,
        data: { supported: ["2026-07-28"], requested: "2025-11-25" }
      })
    })
  )

  it.live("a status with its challenge or its wait, an expired session, a malformed result", () =>
    Effect.gen(function* () {
      expect(yield* failing({ status: 401, headers: { "www-authenticate": "Bearer" } })).toMatchObject({
        _tag: "HttpError",
        status: 401,
        wwwAuthenticate: "Bearer"
      })
      expect(yield* failing({ status: 429, headers: { "retry-after": 7 } })).toMatchObject({
        _tag: "HttpError",
        status: 429,
        retryAfter: "7"
      })
      expect(yield* failing({ status: 500 })).toMatchObject({ _tag: "HttpError", status: 500 })
      expect(yield* failing({ status: 404 }, { "mcp-session-id": "gone" })).toMatchObject({
        _tag: "ClosedError",
        sessionExpired: true
      })
      for (const reply of [
        { body: { jsonrpc: "2.0", id: "another", result: {} } },
        { headers: { "content-type": "text/html" }, raw: "<p>" },
        { headers: { "content-type": "application/json" }, raw: "{" }
      ]) {
        expect((yield* failing(reply))._tag).toBe("ProtocolError")
      }
    })
  )

  it.live("a process that ended, and the client's own deadline", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedStdio.open([
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-11-25")) },
        { on: { method: "tools/list", nth: 1 }, reply: { exit: 4 } },
        { on: {}, reply: {} }
      ])
      const ended = yield* Effect.flip(toolsOf({ ...target, args: target.args }))
      expect(ended.reason).toMatchObject({ _tag: "TransportError" })
      expect(ended.message).toContain("exited with code 4")
      const late = yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* EffectAi.make({ ...who, target: { ...target, args: target.args } })
          return yield* Effect.flip(client.listTools({ timeout: "50 millis" }))
        })
      )
      expect(late.reason).toMatchObject({ _tag: "TimeoutError" })
    })
  )
})
