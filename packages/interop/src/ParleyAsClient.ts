// Parley's client meets somebody else's server under every policy: what was agreed, what it cost, and whether its tool
// can be called. Judged by what the specification and the policy demand.
import * as Policy from "@parley/core/client/Policy"
import { isObject } from "@parley/core/Message"
import type { TraceEntry } from "@parley/core/Machine"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import * as Recording from "@parley/cli/Recording"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { ServerPeer } from "./Language.ts"
import * as Process from "./Process.ts"
import type { ServerRow } from "./Results.ts"

/** The policies of the matrix, as settings. */
export const policies = [
  "auto",
  "hermes",
  "discoverFirst",
  "stateless",
  "handshakeOnly",
  "pin:2026-07-28",
  "pin:2025-06-18"
] as const

export type PolicyName = (typeof policies)[number]

/** Meets one server under every policy, one after the other. */
export const meet = (peer: ServerPeer): Effect.Effect<ReadonlyArray<ServerRow>, Process.CommandFailed> =>
  Effect.gen(function* () {
    const transport =
      peer.carriage === "stdio"
        ? StdioClient.make({ command: peer.command, args: peer.args })
        : HttpClient.make({ url: yield* Process.serve(peer.command, peer.args) })
    return yield* Effect.forEach(policies, (policy) =>
      Effect.scoped(
        Effect.gen(function* () {
          const recording = yield* Recording.record(transport)
          const result = yield* Effect.result(
            Connection.connect({
              transport: recording.transport,
              policy: Policy.fromSetting(policy).policy,
              client: { info: { name: "parley-interop", version: "0.0.0" }, capabilities: {} },
              requestMillis: 20_000
            })
          )
          const entries = recording.entries()
          const trace = result._tag === "Success" ? result.success.agreement.trace : result.failure.trace
          const outcome =
            result._tag === "Success"
              ? `${result.success.agreement.era} ${result.success.agreement.version}`
              : result.failure.reason._tag
          const base = {
            library: peer.library,
            carriage: peer.carriage,
            policy,
            outcome,
            exchanges: Recording.roundTrips(entries.filter(({ what }) => what !== "DELETE" && what !== "GET")),
            processes: peer.carriage === "stdio" ? entries.filter(({ kind }) => kind === "opened").length : 0,
            path: pathOf(trace)
          }
          if (result._tag === "Failure") return { ...base, wrong: judge(peer, policy, outcome, undefined) }
          const called = yield* Effect.match(call(result.success), {
            onFailure: () => false,
            onSuccess: (echoed) => echoed
          })
          return { ...base, called, wrong: judge(peer, policy, outcome, called) }
        })
      )
    )
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))

/** Lists the tools, calls `echo`, and returns whether both went well. */
const call = Effect.fnUntraced(function* (connection: Connection.Shape) {
  const listed = yield* connection.request("tools/list")
  const tools = Array.isArray(listed["tools"]) ? listed["tools"] : []
  if (!tools.some((tool: unknown) => isObject(tool) && tool["name"] === "echo")) return false
  const answer = yield* connection.request("tools/call", { name: "echo", arguments: { message: "hello" } })
  const content: unknown = Array.isArray(answer["content"]) ? answer["content"][0] : undefined
  return isObject(content) && content["text"] === "hello"
})

/** Returns the evidence of each step; the opening has none. */
export const pathOf = (trace: ReadonlyArray<TraceEntry>): ReadonlyArray<string> =>
  trace.map(({ evidence }) => evidence).filter((evidence) => evidence !== "")

type Met = Pick<ServerPeer, "speaks" | "newestLegacy" | "probed">

/** Returns what is not as it must be, one sentence each. */
export const judge = (
  peer: Met,
  policy: PolicyName,
  outcome: string,
  called: boolean | undefined
): ReadonlyArray<string> => {
  const wanted = demand(peer, policy)
  return [
    ...(wanted === outcome ? [] : [`${wanted} was demanded, ${outcome} was seen.`]),
    ...(called === false ? ["Its tool could not be called."] : [])
  ]
}

/** Returns how a policy must end with a server: "era version", or the tag of an error. */
export const demand = ({ newestLegacy, probed, speaks }: Met, policy: PolicyName): string => {
  const legacy = speaks === "modern" ? "UnsupportedProtocolVersion" : `legacy ${newestLegacy}`
  const modern = speaks === "legacy" ? "UnsupportedProtocolVersion" : "modern 2026-07-28"
  switch (policy) {
    case "auto":
    case "hermes":
      return speaks === "modern" ? modern : legacy
    case "discoverFirst":
    case "stateless":
      return speaks === "legacy" ? legacy : modern
    case "handshakeOnly":
      return legacy
    case "pin:2026-07-28":
      // Without an answer there is no refusal to report: its exit is.
      return probed === "exits" ? "TransportFailure" : modern
    case "pin:2025-06-18":
      return speaks === "modern" || newestLegacy < "2025-06-18" ? "UnsupportedProtocolVersion" : "legacy 2025-06-18"
  }
}
