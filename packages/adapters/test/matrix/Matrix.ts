// The matrix of clients and servers: what each client makes of each server by itself and with Parley, with what crossed
// the wire. Everything in it is run, on real processes and sockets; nothing is expected here.
import * as Policy from "@parley/core/client/Policy"
import type { NegotiationError } from "@parley/core/Errors"
import * as EffectAi from "@parley/adapters/effect-ai"
import * as Sdk from "@parley/adapters/sdk"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ChildProcess from "effect/process/ChildProcess"
import type * as Scope from "effect/Scope"
import * as Clients from "../support/Clients.ts"
import * as Servers from "../support/Servers.ts"
import * as Wire from "../support/Wire.ts"

export type Carrier = "stdio" | "http"

/** What happened in one place of the matrix. */
export interface Cell {
  readonly client: string
  readonly server: string
  readonly carrier: Carrier
  readonly way: Way
  /** The agreed revision, "connected" where the client does not tell it, or why there is none. */
  readonly outcome: string
  /** The openings on the wire, in their order: I for initialize, D for server/discover, N for notifications/initialized. */
  readonly wire: string
}

/** How a client opened: by itself, or with Parley under a policy. */
export type Way = "alone" | "auto" | "discoverFirst"

/** One client in one way, on the carriers that it has. */
interface Run {
  readonly client: string
  readonly way: Way
  readonly stdio: (command: Wire.Command) => Effect.Effect<string, unknown, Scope.Scope>
  readonly http?: (url: string) => Effect.Effect<string, unknown, Scope.Scope>
}

/** Runs every client against one server. */
export const run = (server: Servers.Server): Effect.Effect<ReadonlyArray<Cell>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* Servers.startHttp(server)
      const cells = yield* Effect.forEach(runs, (one) => both(server, url, one), { concurrency: 2 })
      return cells.flat()
    })
  ).pipe(Effect.provide(Logger.layer([])))

const both = (server: Servers.Server, url: string, one: Run): Effect.Effect<ReadonlyArray<Cell>> => {
  const cell = (carrier: Carrier, outcome: string, said: ReadonlyArray<Wire.Said>): Cell => ({
    client: one.client,
    server: server.name,
    carrier,
    way: one.way,
    outcome,
    wire: Wire.openings(said)
      .map((method) => letters.get(method) ?? "?")
      .join("")
  })
  const overStdio = Effect.scoped(
    Effect.gen(function* () {
      const wire = yield* Wire.overStdio(process.execPath, Servers.argumentsOf(server, "stdio"))
      const outcome = yield* settled(one.stdio(wire))
      return cell("stdio", outcome, yield* wire.said)
    })
  )
  const { http } = one
  if (http === undefined) return Effect.map(overStdio, (found) => [found])
  const overHttp = Effect.scoped(
    Effect.gen(function* () {
      const wire = yield* Wire.overHttp(url)
      const outcome = yield* settled(http(wire.url))
      return cell("http", outcome, wire.said())
    })
  )
  return Effect.all([overStdio, overHttp])
}

const settled = (connecting: Effect.Effect<string, unknown, Scope.Scope>): Effect.Effect<string> =>
  Effect.scoped(connecting).pipe(Effect.catch((error) => Effect.succeed(wordOf(error))))

// A tag is stable; what an SDK says by itself is not, and means the same: it does not connect.
const wordOf = (error: unknown): string => {
  const reason = error instanceof Error && "reason" in error ? error.reason : undefined
  const tag = typeof reason === "object" && reason !== null && "_tag" in reason ? reason._tag : undefined
  const isOurs = error instanceof Error && "_tag" in error && error._tag === "NegotiationError"
  return isOurs && typeof tag === "string" ? tag : "fails"
}

const letters = new Map([
  ["initialize", "I"],
  ["server/discover", "D"],
  ["notifications/initialized", "N"]
])

const tested = ["echo", "clock"].join()

// A connection counts where a request works on it.
const checked = (tools: ReadonlyArray<{ readonly name: string }>, outcome: string): string =>
  tools.map(({ name }) => name).join() === tested ? outcome : `${outcome}, but not its tools`

const sdkAlone = (
  client: Clients.TestClient,
  transport: Sdk.SdkTransport
): Effect.Effect<string, unknown, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise(() => client.connect(transport)),
    () => Effect.promise(() => client.close())
  ).pipe(
    Effect.andThen(Effect.tryPromise(() => client.listTools())),
    Effect.map(({ tools }) => checked(tools, "connected"))
  )

const sdkWith = (
  client: Clients.TestClient,
  transport: Sdk.Source,
  policy: Policy.Policy
): Effect.Effect<string, NegotiationError | string, Scope.Scope> =>
  Effect.gen(function* () {
    const { agreement } = yield* Sdk.connect(client, transport, { policy })
    const { tools } = yield* Effect.tryPromise({ try: () => client.listTools(), catch: String })
    return checked(tools, agreement.version)
  })

const sdkRuns = (release: Clients.Release): ReadonlyArray<Run> => {
  const { http } = release
  const alone: Run = {
    client: release.name,
    way: "alone",
    stdio: (command) => sdkAlone(release.make(), release.stdio(command)),
    ...(http === undefined ? undefined : { http: (url: string) => sdkAlone(release.make(), http(url)) })
  }
  const withParley = [Policy.auto, Policy.discoverFirst].map((policy): Run => ({
    client: release.name,
    way: policy === Policy.auto ? "auto" : "discoverFirst",
    stdio: (command) => sdkWith(release.make(), () => release.stdio(command), policy),
    ...(http === undefined ? undefined : { http: (url: string) => sdkWith(release.make(), () => http(url), policy) })
  }))
  return [alone, ...withParley]
}

const who = { name: "parley-matrix", version: "1" }

const effectTools = (client: McpClient.McpClient) =>
  Effect.map(client.listTools(), (tools) => checked(tools, client.protocolVersion))

const effectAlone = (protocol: McpProtocol.ProtocolAdapter<McpClient.ProtocolVersion>): Run => {
  const build = <E>(layer: Layer.Layer<McpClient.McpClient, E>) =>
    Effect.flatMap(McpClient.McpClient, effectTools).pipe(Effect.provide(layer))
  return {
    client: `effect/ai 4.1.0, ${protocol.protocolVersion}`,
    way: "alone",
    stdio: ({ args, command }) =>
      build(
        McpClient.layerStdio({ ...who, protocol, command: ChildProcess.make(command, args) }).pipe(
          Layer.provide(NodeServices.layer)
        )
      ),
    http: (url) => build(McpClient.layerHttp({ ...who, protocol, url }).pipe(Layer.provide(FetchHttpClient.layer)))
  }
}

const effectWith = (policy: Policy.Policy): Run => {
  const connect = (target: EffectAi.Target) => Effect.flatMap(EffectAi.make({ ...who, target, policy }), effectTools)
  return {
    client: "effect/ai 4.1.0",
    way: policy === Policy.auto ? "auto" : "discoverFirst",
    stdio: ({ args, command }) => connect({ command, args }),
    http: (url) => connect({ url })
  }
}

const runs: ReadonlyArray<Run> = [
  ...Clients.releases.flatMap(sdkRuns),
  effectAlone(McpProtocol.v2025_11_25),
  effectAlone(McpProtocol.v2026_07_28),
  effectWith(Policy.auto),
  effectWith(Policy.discoverFirst)
]
