// Which clients meet which servers in the product, and how often the link may misbehave.
import { pinned } from "@parley/core/client/Policy"
import type { Policy } from "@parley/core/client/Policy"
import { isLegacy, isModern } from "@parley/core/Version"
import * as Explore from "../Explore.ts"
import { parley } from "../link/Peer.ts"
import { profiles } from "../server/Subjects.ts"
import type { TableName } from "../Subjects.ts"
import { media, presetOf, tableNames } from "../Subjects.ts"
import type { Pair, World, WorldLabel } from "./World.ts"
import { begin, next, worldKey } from "./World.ts"

/** How often the link may misbehave in one negotiation. */
export const faults = 4

/** The servers of the product, by the names of their profiles. */
export const serverNames = ["modernOnly", "dual", "handshakeOnly", "separate", "sessionless", "sparse"] as const

/** Returns a pair of a client's policy and a server's profile on every medium. */
export const pairsOf = (client: string, policy: Policy, server: string): ReadonlyArray<Pair> =>
  media.flatMap((medium) => {
    const compiled = profiles[server]
    return compiled === undefined
      ? []
      : [{ id: `${client} × ${server} @${medium.name}`, policy, medium, peer: parley(server, compiled) }]
  })

/** Every pair of the product. */
export const pairs: ReadonlyArray<Pair> = [
  ...tableNames.flatMap((table: TableName) => serverNames.flatMap((server) => pairsOf(table, presetOf(table), server))),
  ...serverNames.flatMap((server) => pairsOf("pinned:2025-03-26", pinned("2025-03-26"), server))
]

/** Everything that can happen to a pair. */
export interface Product extends Explore.Graph<World, WorldLabel> {
  readonly pair: Pair
}

export type ProductStep = Explore.Step<World, WorldLabel>

/** Returns everything that can happen to a pair, with as many faults of the link as given. */
export const productOf = (pair: Pair, most: number = faults): Product => ({
  pair,
  ...Explore.explore({ opening: begin(pair, most), keyOf: worldKey, next: (world) => next(pair, world) }, mostWorlds)
})

/** A product that finds more states than this is not small enough to be explored whole. */
export const mostWorlds = 200_000

/** Returns whether a client speaks an era. */
export const speaks = (policy: Policy, era: "legacy" | "modern"): boolean =>
  policy.versions.some(era === "modern" ? isModern : isLegacy)

/** Returns whether a server and a client have a revision of an era in common. */
export const share = ({ peer, policy }: Pair, era: "legacy" | "modern"): boolean => {
  const compiled = profiles[peer.name]
  const served = era === "modern" ? compiled?.modernVersions : compiled?.legacyVersions
  return policy.versions.some((version) => served?.has(version) === true)
}
