// What the specification demands of each pairing, with its reason: the expectations that the demo is judged by.
import { counted } from "@parley/cli/render/Text"
import type { Server } from "./Servers.ts"

/** The policies of the demo, in the order of the table. */
export const policies = ["auto", "hermes", "discoverFirst", "handshakeOnly"] as const
export type PolicyName = (typeof policies)[number]

/** How a pairing must end: with a revision, or with an error of this tag; after so many requests. */
export interface Demand {
  readonly outcome: "2025-11-25" | "2026-07-28" | "UnsupportedProtocolVersion" | "HeaderMismatch"
  readonly roundTrips: number
  readonly because: string
}

/** Returns what is demanded of a policy that meets a server. */
export const demand = (server: Server, policy: PolicyName): Demand => {
  switch (server.speaks) {
    case "legacy":
      return policy === "discoverFirst"
        ? legacy(2, "the probe is refused with an error that no modern server gives; initialize follows")
        : legacy(1, "initialize is answered with a revision that both speak; nothing else is needed")
    case "dual":
      return policy === "discoverFirst"
        ? modern(1, "server/discover lists a modern revision that both speak; no handshake may follow")
        : legacy(1, "a server that serves the handshake agrees by it, and a modern revision never comes out of one")
    case "modern":
      return modernOnly(server, policy)
  }
}

/** Returns what is not as demanded, one sentence each. */
export const judge = (
  demand: Demand,
  seen: { readonly outcome: string; readonly roundTrips: number }
): ReadonlyArray<string> => [
  ...(seen.outcome === demand.outcome ? [] : [`${demand.outcome} was demanded, ${seen.outcome} was seen.`]),
  ...(seen.roundTrips === demand.roundTrips
    ? []
    : [
        `${counted(demand.roundTrips, "round trip")} ${demand.roundTrips === 1 ? "was" : "were"} demanded, ${seen.roundTrips} were made.`
      ])
]

const modernOnly = ({ refusal }: Server, policy: PolicyName): Demand => {
  if (policy === "discoverFirst") return modern(1, "server/discover lists a modern revision that both speak")
  if (policy === "handshakeOnly") {
    return refusal === "-32020"
      ? failed("HeaderMismatch", "it refuses the handshake with -32020, and this policy sends nothing else")
      : failed("UnsupportedProtocolVersion", "it refuses the handshake with -32022, and this policy sends nothing else")
  }
  if (refusal === "-32020" && policy === "hermes") {
    return failed(
      "HeaderMismatch",
      "it refuses the handshake with -32020, which hermes does not take for a modern sign"
    )
  }
  return modern(
    2,
    `initialize is refused with ${refusal ?? "an error"}: only a modern server says so; discover follows`
  )
}

const legacy = (roundTrips: number, because: string): Demand => ({ outcome: "2025-11-25", roundTrips, because })
const modern = (roundTrips: number, because: string): Demand => ({ outcome: "2026-07-28", roundTrips, because })
const failed = (outcome: "UnsupportedProtocolVersion" | "HeaderMismatch", because: string): Demand => ({
  outcome,
  roundTrips: 1,
  because
})
