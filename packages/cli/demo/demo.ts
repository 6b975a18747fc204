// `npm run demo`: negotiates with real servers under four policies, lists their tools, and judges every pairing by what
// the specification demands. Starts and ends the servers itself. Exit code 1 if any pairing is not as demanded.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Policy from "@parley/core/client/Policy"
import { isObject } from "@parley/core/Message"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import type { Transport } from "@parley/runtime/Transport"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { TaskFailed } from "@parley/cli/Exit"
import * as Recording from "@parley/cli/Recording"
import * as Release from "@parley/cli/Release"
import { screen } from "@parley/cli/Screen"
import { demand, judge, policies, type PolicyName } from "./Demands.ts"
import { type HostFailed, legend, type Server, servers, start } from "./Servers.ts"
import * as Table from "./Table.ts"

const demo = Effect.gen(function* () {
  const { out } = yield* screen
  const started = yield* Clock.currentTimeMillis
  yield* Console.log([out.bold("Negotiating with real servers on this machine"), ...legend, ""].join("\n"))
  // They start while the table already fills: a server is waited for when its first row is due.
  const reached = yield* Effect.forEach(servers, (server) =>
    Effect.map(Effect.forkScoped(reach(server)), (fiber) => ({ server, fiber }))
  )
  yield* Console.log(Table.head(out))
  const rows: Array<Table.Row> = []
  for (const { fiber, server } of reached) {
    const transport = yield* Fiber.join(fiber)
    for (const policy of policies) {
      const row = yield* meet(server, transport, policy)
      rows.push(row)
      yield* Console.log(Table.row(row, out))
    }
  }
  const seconds = ((yield* Clock.currentTimeMillis) - started) / 1000
  yield* Console.log(Table.foot(rows, seconds, out).join("\n"))
  if (rows.some((row) => row.wrong.length > 0)) return yield* new TaskFailed()
})

const reach = (server: Server): Effect.Effect<Transport, HostFailed, Scope.Scope> =>
  server.carrier === "http"
    ? Effect.map(start(server), (url) => HttpClient.make({ url }))
    : Effect.succeed(StdioClient.make({ command: process.execPath, args: server.args }))

/** Negotiates once, lists the tools through the connection if there is one, and judges the outcome. */
const meet = Effect.fnUntraced(function* (server: Server, transport: Transport, policy: PolicyName) {
  const demanded = demand(server, policy)
  const recording = yield* Recording.record(transport)
  const started = yield* Clock.currentTimeMillis
  return yield* Effect.gen(function* () {
    const result = yield* Effect.result(
      Connection.connect({ transport: recording.transport, policy: policyOf[policy], client: Release.identity })
    )
    const base = {
      server,
      policy,
      demand: demanded,
      roundTrips: Recording.roundTrips(recording.entries()),
      millis: (yield* Clock.currentTimeMillis) - started
    }
    if (Result.isFailure(result)) {
      const { reason } = result.failure
      const outcome = reason._tag
      return {
        ...base,
        outcome,
        problem: reason.message,
        wrong: judge(demanded, { outcome, roundTrips: base.roundTrips })
      }
    }
    const { agreement } = result.success
    const tools = yield* Effect.result(listTools(result.success))
    const names = Result.isSuccess(tools) ? tools.success : []
    return {
      ...base,
      outcome: agreement.version,
      era: agreement.era,
      tools: names.length,
      wrong: [
        ...judge(demanded, { outcome: agreement.version, roundTrips: base.roundTrips }),
        ...(Result.isSuccess(tools) ? [] : [`Its tools could not be listed: ${tools.failure.message}.`]),
        ...(names.includes(server.tool) ? [] : [`The tool ${server.tool} is not among those listed.`])
      ]
    }
  }).pipe(Effect.scoped)
})

const policyOf: { readonly [name in PolicyName]: Policy.Policy } = {
  auto: Policy.auto,
  hermes: Policy.hermes,
  discoverFirst: Policy.discoverFirst,
  handshakeOnly: Policy.handshakeOnly
}

/** Returns the names of all tools, page by page: the same lines in both eras. */
const listTools = Effect.fnUntraced(function* (connection: Connection.Shape) {
  const names: Array<string> = []
  let cursor: unknown
  for (let page = 0; page < 20; page += 1) {
    const result = yield* connection.request("tools/list", cursor === undefined ? undefined : { cursor })
    for (const tool of Array.isArray(result["tools"]) ? result["tools"] : []) {
      if (isObject(tool) && typeof tool["name"] === "string") names.push(tool["name"])
    }
    cursor = result["nextCursor"]
    if (typeof cursor !== "string") break
  }
  return names
})

demo.pipe(
  Effect.scoped,
  Effect.provide(
    Layer.mergeAll(
      Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
      Layer.succeed(References.MinimumLogLevel, "Error")
    )
  ),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
