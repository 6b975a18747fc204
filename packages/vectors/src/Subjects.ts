// What is walked: every policy, narrowed to each era, with and without a revision of tomorrow, on every medium.
// Which events it meets is in Occurrences.
import * as Medium from "@parley/core/Medium"
import * as Policy from "@parley/core/client/Policy"
import type { Era } from "@parley/core/Version"
import { allVersions, legacyVersions, modernVersions } from "@parley/core/Version"

/** A policy on a medium. */
export interface Subject {
  /** Unique and stable: `<variant>@<medium>`. */
  readonly id: string
  /** The name of the table that the policy runs: the first part of a cell's id. */
  readonly table: TableName
  readonly policy: Policy.Policy
  readonly medium: Medium.Medium
  /** Whether this is a preset as it stands, on a carrier that can live in both eras. */
  readonly plain: boolean
  /** Whether this is the preset that stands for its table: plain, and of the pinned ones one of each era. */
  readonly preset: boolean
}

/** The tables that are executed. Every pinned revision of an era runs the same one. */
export const tableNames = [
  "auto",
  "hermes",
  "discoverFirst",
  "stateless",
  "handshakeOnly",
  "pinnedModern",
  "pinnedLegacy"
] as const
/** The name of a table that is walked. */
export type TableName = (typeof tableNames)[number]

/** A modern revision that is not published yet: some subjects speak it, to the others it is unknown. */
export const tomorrow = "2027-01-01"

/** How much is borne out of turn in a walk: enough to pass the bound, little enough to be exhaustive. */
export const walkBudgets = { outOfTurn: 2, noise: 2 } as const

/** The media that every table is walked on. */
export const media: ReadonlyArray<Medium.Medium> = [Medium.stdio, Medium.http]

/** Returns the preset that runs a table; for the pinned tables, one of them. */
export const presetOf = (table: TableName): Policy.Policy => {
  switch (table) {
    case "auto":
      return Policy.auto
    case "hermes":
      return Policy.hermes
    case "discoverFirst":
      return Policy.discoverFirst
    case "stateless":
      return Policy.stateless
    case "handshakeOnly":
      return Policy.handshakeOnly
    case "pinnedModern":
      return Policy.pinned("2026-07-28")
    case "pinnedLegacy":
      return Policy.pinned("2025-11-25")
  }
}

interface Variant {
  readonly id: string
  readonly table: TableName
  readonly policy: Policy.Policy
  readonly plain: boolean
}

const eras: ReadonlyArray<{ readonly suffix: string; readonly eras: ReadonlyArray<Era> }> = [
  { suffix: "", eras: ["legacy", "modern"] },
  { suffix: "-legacyCarrier", eras: ["legacy"] },
  { suffix: "-modernCarrier", eras: ["modern"] }
]

const narrowed = (id: string, table: TableName, policy: Policy.Policy): ReadonlyArray<Variant> =>
  eras.map(({ suffix, eras }) => ({
    id: `${id}${suffix}`,
    table,
    policy: Policy.narrow(policy, eras),
    plain: suffix === ""
  }))

const open = (table: "auto" | "hermes" | "discoverFirst" | "stateless"): ReadonlyArray<Variant> => {
  const preset = presetOf(table)
  const ofTomorrow = Policy.withVersions(preset, [...allVersions, tomorrow])
  return [
    ...narrowed(table, table, preset),
    { id: `${table}-tomorrow`, table, policy: ofTomorrow, plain: false },
    { id: `${table}-sparse`, table, policy: Policy.withVersions(preset, ["2025-03-26", "2026-07-28"]), plain: false }
  ]
}

const variants: ReadonlyArray<Variant> = [
  ...open("auto"),
  ...open("hermes"),
  ...open("discoverFirst"),
  ...open("stateless"),
  ...narrowed("handshakeOnly", "handshakeOnly", Policy.handshakeOnly),
  ...[...modernVersions, tomorrow].flatMap((version) =>
    narrowed(`pinned:${version}`, "pinnedModern", Policy.pinned(version))
  ),
  ...legacyVersions.flatMap((version) => narrowed(`pinned:${version}`, "pinnedLegacy", Policy.pinned(version))),
  { id: "pinned:none", table: "pinnedLegacy", policy: Policy.pinned("draft"), plain: false }
]

/** Every subject of the walk. */
export const subjects: ReadonlyArray<Subject> = media.flatMap((medium) =>
  variants.map(({ id, plain, policy, table }) => ({
    id: `${id}@${medium.name}`,
    table,
    policy: Policy.withBudgets(policy, walkBudgets),
    medium,
    plain,
    preset: plain && policy.name === presetOf(table).name
  }))
)

/**
 * The other media that can be: a pipe on which silence says nothing, or whose other end cannot be opened again, or both, and
 * ids in text, as where another client shares the carrier. With {@link media} these are all that a pipe can be.
 */
export const otherMedia: ReadonlyArray<Medium.Medium> = [
  { ...Medium.stdio, name: "pipe", reopens: "never", ids: "text" },
  { ...Medium.stdio, name: "sse", silence: "nothing", reopens: "never", ids: "text" },
  { ...Medium.stdio, name: "stdioSilenceSaysNothing", silence: "nothing", ids: "text" },
  { ...Medium.http, name: "httpTextIds", ids: "text" }
]

/** The presets on the other media: the laws are checked on them too, and nothing is drawn of them. */
export const otherSubjects: ReadonlyArray<Subject> = otherMedia.flatMap((medium) =>
  tableNames.map((table) => ({
    id: `${presetOf(table).name}@${medium.name}`,
    table,
    policy: Policy.withBudgets(presetOf(table), { outOfTurn: 1, noise: 1 }),
    medium,
    plain: false,
    preset: false
  }))
)

/** Returns a subject of a policy of one's own, such as one with an overridden cell. */
export const subjectOf = (table: TableName, policy: Policy.Policy, medium: Medium.Medium): Subject => ({
  id: `${policy.name}@${medium.name}`,
  table,
  policy: Policy.withBudgets(policy, walkBudgets),
  medium,
  plain: false,
  preset: false
})
