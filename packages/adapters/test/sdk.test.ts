// The clients and transports of the SDK have properties where others have listeners.
// oxlint-disable unicorn/prefer-add-event-listener
import * as Policy from "@parley/core/client/Policy"
import type { NegotiationError } from "@parley/core/Errors"
import * as Sdk from "@parley/adapters/sdk"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"
import * as ScriptedStdio from "@parley/testing/ScriptedStdio"
import { Client as Client240, StreamableHTTPClientTransport as Http240 } from "@modelcontextprotocol/client"
import { StdioClientTransport as Stdio240 } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Clients from "./support/Clients.ts"
import * as Rows from "./support/Rows.ts"
import * as Servers from "./support/Servers.ts"
import * as Wire from "./support/Wire.ts"

const names = (client: Clients.TestClient) =>
  Effect.promise(() => client.listTools()).pipe(Effect.map(({ tools }) => tools.map(({ name }) => name)))

const reasonOf = <A, R>(effect: Effect.Effect<A, NegotiationError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const overHttp = Clients.releases.filter((one) => one.http !== undefined)
const httpOf = (release: Clients.Release, url: string): Sdk.SdkTransport => {
  if (release.http === undefined) throw new Error(`${release.name} has no Streamable HTTP`)
  return release.http(url)
}

describe.each(overHttp)("$name over HTTP", (release) => {
  it.live("is connected with one handshake, keeps its session and says the agreed revision", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.legacy))
      const client = release.make()
      const transport = httpOf(release, wire.url)
      const connected = yield* Sdk.connect(client, transport)
      expect(yield* names(client)).toEqual(["echo", "clock"])
      expect(Wire.openings(wire.said())).toEqual(["initialize", "notifications/initialized"])
      expect(connected.transport).toBe(transport)

      const [initialize, initialized, list] = wire.said().filter(({ method }) => method !== "GET")
      expect(initialize?.body).toMatchObject({
        id: "parley-1",
        params: { clientInfo: Clients.info, capabilities: Clients.capabilities }
      })
      expect(initialize?.headers).not.toHaveProperty("mcp-session-id")
      expect(initialize?.headers).not.toHaveProperty("mcp-protocol-version")
      const session = transport.sessionId
      expect(session).toMatch(/^[0-9a-f-]{36}$/)
      // 1.12 is older than the header.
      const version = release === Clients.sdk112 ? undefined : connected.agreement.version
      for (const said of [initialized, list]) {
        expect(said?.headers["mcp-session-id"]).toBe(session)
        expect(said?.headers["mcp-protocol-version"]).toBe(version)
      }
      // The client counts its own requests from the beginning, in numbers.
      expect(typeof Reflect.get(Object(list?.body), "id")).toBe("number")
      expect(client.getServerVersion()).toEqual({ name: "parley-demo-sdk1", version: "1.32.2" })
    })
  )

  it.live.each([
    [401, "Unauthorized"],
    [403, "Unauthorized"],
    [404, "TransportFailure"],
    [429, "Busy"],
    [500, "TransportFailure"],
    [503, "Busy"]
  ] as const)("fails as Parley's own carrier does on %i, and is closed", ([status, tag]) =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([{ on: {}, reply: { status, raw: "nothing here" } }])
      const client = release.make()
      const closes: Array<string> = []
      client.onclose = () => closes.push("closed")
      const reason = yield* reasonOf(Sdk.connect(client, httpOf(release, target.url)))
      expect(reason._tag).toBe(tag)
      expect(reason).toMatchObject({ status })
      expect(client.transport).toBeUndefined()
      // A client of 2.x that probes is not attached to its transport yet, and does not say that it closed.
      expect(closes).toEqual(release === Clients.client240Auto ? [] : ["closed"])
    })
  )

  it.live("fails on a web page and on a broken answer", () =>
    Effect.gen(function* () {
      const page = yield* ScriptedHttp.open([
        { on: {}, reply: { headers: { "content-type": "text/html" }, raw: "<p>" } }
      ])
      expect((yield* reasonOf(Sdk.connect(release.make(), httpOf(release, page.target.url))))._tag).toBe(
        "TransportFailure"
      )
      const broken = yield* ScriptedHttp.open([
        { on: {}, reply: { headers: { "content-type": "application/json" }, raw: "{" } }
      ])
      expect((yield* reasonOf(Sdk.connect(release.make(), httpOf(release, broken.target.url))))._tag).toBe(
        "MalformedInit"
      )
    })
  )

  it.live("fails with the deadline of the policy on a server that does not answer, not with the SDK's", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([])
      const policy = Policy.withBudgets(Policy.auto, { exchangeMillis: 150 })
      const reason = yield* reasonOf(Sdk.connect(release.make(), httpOf(release, target.url), { policy }))
      expect(reason).toMatchObject({ _tag: "Timeout", phase: "initialize" })
    })
  )

  it.live("connects once the server has recovered, where a function makes its transport", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([
        { on: { method: "initialize", nth: 1 }, reply: { status: 503 } },
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-03-26")) },
        ...Rows.rest
      ])
      const client = release.make()
      const { agreement } = yield* Sdk.connect(client, () => httpOf(release, peer.target.url)).pipe(
        Effect.retry(Schedule.recurs(1))
      )
      expect(agreement.version).toBe("2025-03-26")
      expect(yield* names(client)).toEqual(["echo"])
    })
  )
})

describe.each([Clients.sdk112, Clients.sdk132])("$name, which knows the handshake only", (release) => {
  it.live("sends no session that a refusal has issued with its second handshake", () =>
    Effect.gen(function* () {
      const refusal = Rows.failure(-32602, { supported: ["2024-11-05"] })
      const peer = yield* ScriptedHttp.open([
        {
          on: { method: "initialize", nth: 1 },
          reply: { ...refusal, status: 400, headers: { "mcp-session-id": "of-a-refusal" } }
        },
        { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2024-11-05")) },
        ...Rows.rest
      ])
      const client = release.make()
      const { agreement } = yield* Sdk.connect(client, httpOf(release, peer.target.url))
      expect(agreement.version).toBe("2024-11-05")
      const { received } = yield* peer.record
      const second = received.find(({ method, nth }) => method === "initialize" && nth === 2)
      expect(second?.headers).not.toHaveProperty("mcp-session-id")
    })
  )

  it.live("holds a handshake that was answered with a modern revision, on a fresh session", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.namesModern))
      const client = release.make()
      const { agreement } = yield* Sdk.connect(client, httpOf(release, wire.url))
      expect(agreement).toMatchObject({ named: "2026-07-28", era: "legacy" })
      expect(agreement.version).toBe(agreement.offered)
      expect(yield* names(client)).toEqual(["echo", "clock"])
      const said = wire.said().map(({ method }) => method)
      expect(said.slice(0, 4)).toEqual(["initialize", "DELETE", "initialize", "notifications/initialized"])
    })
  )

  it.live("is told what to install where the server is modern only", () =>
    Effect.gen(function* () {
      for (const server of [Servers.modern, Servers.effectModern]) {
        const url = yield* Servers.startHttp(server)
        for (const policy of [Policy.auto, Policy.discoverFirst]) {
          const error = yield* Effect.flip(Sdk.connect(release.make(), httpOf(release, url), { policy }))
          expect(error.reason._tag).toBe("UnsupportedProtocolVersion")
          expect(error.message).toMatch(/official SDK 1\.x.*install @modelcontextprotocol\/client 2/)
          expect(error.trace[0]?.because).toContain("official SDK 1.x")
        }
      }
    })
  )

  it.live("is forbidden a pinned modern revision before a byte is sent", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedHttp.open([])
      const policy = Policy.pinned("2026-07-28")
      const reason = yield* reasonOf(Sdk.connect(release.make(), httpOf(release, peer.target.url), { policy }))
      expect(reason._tag).toBe("PolicyForbids")
      expect(reason.message).toContain("official SDK 1.x")
      expect((yield* peer.record).received).toEqual([])
    })
  )
})

describe.each([Clients.client200, Clients.client240, Clients.client240Auto])(
  "$name, which knows both eras",
  (release) => {
    it.live("adopts what the probe found: one server/discover, no handshake", () =>
      Effect.gen(function* () {
        const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.modern))
        const client = release.make()
        const closes: Array<string> = []
        client.onclose = () => closes.push("closed")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { agreement } = yield* Sdk.connect(client, httpOf(release, wire.url), {
              policy: Policy.discoverFirst
            })
            expect(agreement).toMatchObject({ version: "2026-07-28", era: "modern" })
            expect(yield* names(client)).toEqual(["echo", "clock"])
            expect(Wire.openings(wire.said())).toEqual(["server/discover"])
            expect(closes).toEqual([])
          })
        )
        expect(closes).toEqual(["closed"])
        const [discover, list] = wire.said()
        expect(discover?.body).toMatchObject({
          id: "parley-1",
          params: {
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": Clients.info,
              "io.modelcontextprotocol/clientCapabilities": Clients.capabilities
            }
          }
        })
        expect(discover?.headers).toMatchObject({
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "server/discover"
        })
        expect(list?.headers).toMatchObject({ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" })
      })
    )

    it.live("speaks the handshake where the policy does, whatever it would open with itself", () =>
      Effect.gen(function* () {
        const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.dual))
        const client = release.make()
        const policy = Policy.pinned("2025-06-18")
        const { agreement } = yield* Sdk.connect(client, httpOf(release, wire.url), { policy })
        expect(agreement.version).toBe("2025-06-18")
        expect(yield* names(client)).toEqual(["echo", "clock"])
        expect(Wire.openings(wire.said())).toEqual(["initialize", "notifications/initialized"])
        expect(wire.said().find(({ method }) => method === "tools/list")?.headers).toMatchObject({
          "mcp-protocol-version": "2025-06-18"
        })
      })
    )

    it.live("refuses a result that its SDK does not take, and is closed", () =>
      Effect.gen(function* () {
        const peer = yield* ScriptedHttp.open([
          {
            on: { method: "server/discover" },
            reply: Rows.success({ ...Rows.discoverResult(["2026-07-28"]), capabilities: { tools: 7 } })
          },
          {
            on: { method: "initialize" },
            reply: Rows.success({ ...Rows.initializeResult("2025-11-25"), capabilities: { tools: 7 } })
          },
          ...Rows.rest
        ])
        for (const [policy, method] of [
          [Policy.discoverFirst, "server/discover"],
          [Policy.auto, "initialize"]
        ] as const) {
          const client = release.make()
          const reason = yield* reasonOf(Sdk.connect(client, httpOf(release, peer.target.url), { policy }))
          expect(reason).toMatchObject({ _tag: "MalformedInit", method })
          expect(client.transport).toBeUndefined()
        }
      })
    )

    it.live("is opened on a fresh process where the probe ended the first, if a function makes its transport", () =>
      Effect.gen(function* () {
        const peer = yield* ScriptedStdio.open([
          { on: { method: "server/discover" }, reply: { exit: true } },
          { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-11-25")) },
          ...Rows.restOfPipe
        ])
        const command = { command: peer.target.command, args: [...peer.target.args] }
        const client = release.make()
        const closes: Array<string> = []
        client.onclose = () => closes.push("closed")
        const options = { policy: Policy.discoverFirst }
        const { agreement } = yield* Sdk.connect(client, () => release.stdio(command), options)
        expect(agreement.version).toBe("2025-11-25")
        expect(yield* names(client)).toEqual(["echo"])
        const { processes, received } = yield* peer.record
        expect(processes).toHaveLength(2)
        expect(received.map(({ method }) => method)).toEqual([
          "server/discover",
          "initialize",
          "notifications/initialized",
          "tools/list"
        ])
        expect(closes).toEqual([])
        const reason = yield* reasonOf(Sdk.connect(release.make(), release.stdio(command), options))
        expect(reason._tag).toBe("TransportFailure")
      })
    )

    it.live("hears nothing of the late answer to a probe that nobody waits for any more", () =>
      Effect.gen(function* () {
        const peer = yield* ScriptedStdio.open([
          { on: { method: "server/discover" }, reply: {} },
          { on: { method: "initialize" }, reply: Rows.success(Rows.initializeResult("2025-11-25")) },
          { on: { method: "notifications/initialized" }, reply: {} },
          {
            on: { method: "tools/list" },
            reply: {
              ...Rows.success({ tools: [] }),
              raw: '{"jsonrpc":"2.0","id":"parley-1","error":{"code":-32601,"message":"late"}}\n'
            }
          }
        ])
        const client = release.make()
        const errors: Array<unknown> = []
        client.onerror = (error) => errors.push(error)
        const policy = Policy.withBudgets(Policy.discoverFirst, { probeMillis: 100 })
        const command = { command: peer.target.command, args: [...peer.target.args] }
        yield* Sdk.connect(client, release.stdio(command), { policy })
        expect(yield* names(client)).toEqual([])
        expect(errors).toEqual([])
      })
    )
  }
)

describe("client 2.4.0 as its owner made it", () => {
  it.live("opens the subscription of its listChanged handlers as if it had probed itself", () =>
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(yield* Servers.startHttp(Servers.modern))
      const client = new Client240(Clients.info, {
        versionNegotiation: { mode: "auto" },
        listChanged: { tools: { onChanged: () => undefined } }
      })
      yield* Sdk.connect(client, new Http240(new URL(wire.url)), { policy: Policy.discoverFirst })
      expect(Wire.count(wire.said(), "server/discover")).toBe(1)
      expect(Wire.count(wire.said(), "subscriptions/listen")).toBe(1)
    })
  )

  it.live("is told that its pin stands in the way of a server that speaks the handshake", () =>
    Effect.gen(function* () {
      const url = yield* Servers.startHttp(Servers.legacy)
      const client = new Client240(Clients.info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
      const reason = yield* reasonOf(Sdk.connect(client, new Http240(new URL(url))))
      expect(reason).toMatchObject({ _tag: "UnsupportedProtocolVersion", requested: "2026-07-28" })
      expect(reason.message).toContain("unpin")
    })
  )

  it.live("may give its own probe up before Parley has found out: the handshake that it writes then is answered", () =>
    Effect.gen(function* () {
      const make = () => new Client240(Clients.info, { versionNegotiation: { mode: "auto", probe: { timeoutMs: 50 } } })
      for (const [reply, version] of [
        [Rows.success(Rows.initializeResult("2025-11-25")), "2025-11-25"],
        [Rows.failure(-32022, { supported: ["2026-07-28"] }), "2026-07-28"]
      ] as const) {
        const peer = yield* ScriptedStdio.open([
          { on: { method: "initialize" }, reply: { ...reply, delayMs: 300 } },
          { on: { method: "server/discover" }, reply: Rows.success(Rows.discoverResult(["2026-07-28"])) },
          ...Rows.restOfPipe
        ])
        const client = make()
        const transport = new Stdio240({ command: peer.target.command, args: [...peer.target.args] })
        const { agreement } = yield* Sdk.connect(client, transport)
        expect(agreement.version).toBe(version)
        expect(client.getNegotiatedProtocolVersion()).toBe(version)
        expect((yield* Effect.promise(() => client.listTools())).tools).toHaveLength(1)
        const { received } = yield* peer.record
        expect(received.filter(({ method }) => method === "initialize")).toHaveLength(1)
      }
    })
  )

  it.live("agrees on no revision that its own list leaves out", () =>
    Effect.gen(function* () {
      const url = yield* Servers.startHttp(Servers.dual)
      const client = new Client240(Clients.info, { supportedProtocolVersions: ["2025-06-18"] })
      const { agreement } = yield* Sdk.connect(client, new Http240(new URL(url)))
      expect(agreement.version).toBe("2025-06-18")
    })
  )

  it.live("is forbidden where it writes no opening: a list without a handshake, and no probe", () =>
    Effect.gen(function* () {
      const client = new Client240(Clients.info, { supportedProtocolVersions: ["2026-07-28"] })
      const reason = yield* reasonOf(Sdk.connect(client, new Http240(new URL("http://127.0.0.1:9/mcp"))))
      expect(reason._tag).toBe("PolicyForbids")
      expect(reason.message).toContain("wrote no opening")
    })
  )

  it.live("is known as a child process by its transport, and says what that wrote to standard error", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([
        {
          on: { method: "initialize" },
          reply: { ...Rows.success(Rows.initializeResult("2025-11-25")), stderr: "warned\n" }
        },
        ...Rows.restOfPipe
      ])
      const inner = new Stdio240({ command: peer.target.command, args: [...peer.target.args], stderr: "pipe" })
      const client = new Client240(Clients.info)
      yield* Sdk.connect(client, inner)
      const shown = client.transport
      expect(shown !== undefined && "pid" in shown && shown.pid).toBe(inner.pid)
      expect(shown !== undefined && "stderr" in shown && shown.stderr).toBe(inner.stderr)
    })
  )
})

describe("a client that cannot be connected", () => {
  it.live("is no client, is connected already, or resumes a session", () =>
    Effect.gen(function* () {
      const transport = () => Clients.sdk132.stdio({ command: process.execPath, args: [] })
      // A value of the wrong type, as JavaScript may pass it.
      const nothing = {} as Sdk.SdkClient
      expect((yield* reasonOf(Sdk.connect(nothing, transport))).message).toContain("no client")

      const url = yield* Servers.startHttp(Servers.dual)
      const client = Clients.sdk132.make()
      yield* Sdk.connect(client, httpOf(Clients.sdk132, url))
      expect((yield* reasonOf(Sdk.connect(client, transport))).message).toContain("connected already")

      const resumed = new Http240(new URL(url), { sessionId: "from-before" })
      expect((yield* reasonOf(Sdk.connect(Clients.client240.make(), resumed))).message).toContain("resumes a session")
    })
  )

  it.live("finds no process to start: the error says so and that trying again does not help", () =>
    Effect.gen(function* () {
      for (const release of Clients.releases) {
        const transport = release.stdio({ command: "/nowhere/parley-no-such-command", args: [] })
        const reason = yield* reasonOf(Sdk.connect(release.make(), transport))
        expect(reason).toMatchObject({ _tag: "TransportFailure", retryable: false })
        expect(reason.message).toContain("ENOENT")
      }
    })
  )

  it.live("uses a transport up: a second opening needs a function that makes one", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([{ on: {}, reply: { status: 503 } }])
      const transport = httpOf(Clients.sdk132, target.url)
      const client = Clients.sdk132.make()
      expect((yield* reasonOf(Sdk.connect(client, transport)))._tag).toBe("Busy")
      expect((yield* reasonOf(Sdk.connect(client, transport)))._tag).toBe("TransportFailure")
      const broken = () => {
        throw new Error("no transport today")
      }
      expect((yield* reasonOf(Sdk.connect(client, broken))).message).toContain("no transport today")
    })
  )
})

describe("giving up", () => {
  it.live.each(Clients.releases)("interrupting closes $name and leaves no process", (release) =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([{ on: {}, reply: {} }])
      const client = release.make()
      const command = { command: peer.target.command, args: [...peer.target.args] }
      const fiber = yield* Effect.forkChild(Effect.scoped(Sdk.connect(client, release.stdio(command))))
      yield* until(Effect.map(peer.record, ({ received }) => received.length > 0))
      yield* Fiber.interrupt(fiber)
      expect(client.transport).toBeUndefined()
      yield* until(Effect.map(peer.record, ({ processes }) => processes.every((one) => !ScriptedStdio.lives(one))))
    })
  )

  it.live("the client's own close, and its own deadline, are not taken for the server's", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedHttp.open([])
      const client = Clients.sdk132.make()
      const request = { timeout: 100 }
      const reason = yield* reasonOf(Sdk.connect(client, httpOf(Clients.sdk132, target.url), { request }))
      expect(reason._tag).toBe("TransportFailure")
      expect(reason.message).toContain("gave up")
    })
  )

  it("a client whose connect takes no options is given less time than its own deadline", () => {
    expect(Clients.sdk104.make().connect).toHaveLength(1)
    expect(Clients.sdk112.make().connect).toHaveLength(2)
  })
})

const until = (condition: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(condition))
  )
