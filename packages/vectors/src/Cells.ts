// The cells of the tables: their ids, their moves and reasons, and which of them a walk reaches.
// A cell keeps its id when tables grow; a removed one is never given to another.
import type { EvidenceTag } from "@parley/core/client/Evidence"
import type { Policy } from "@parley/core/client/Policy"
import type { AwaitingTag } from "@parley/core/client/State"
import type { TableName } from "./Subjects.ts"
import { presetOf, tableNames } from "./Subjects.ts"
import type { Walk } from "./Walk.ts"

/** One cell of one table. */
export interface CellOfTable {
  /** `<table>.<state>.<evidence>`. */
  readonly id: string
  readonly table: TableName
  readonly state: AwaitingTag
  readonly evidence: EvidenceTag
  readonly move: string
  readonly because: string
}

/** The columns, in the order of a conversation. */
export const stateTags: ReadonlyArray<AwaitingTag> = [
  "Initializing",
  "Discovering",
  "DiscoveringAgain",
  "Holding",
  "Countering",
  "Keeping"
]

/** The rows, in the order of the design page. */
export const evidenceTags: ReadonlyArray<EvidenceTag> = [
  "Agreed",
  "ModernNamed",
  "StrangerNamed",
  "Corrected",
  "Countered",
  "Disjoint",
  "VersionRefused",
  "ModernSign",
  "MethodMissing",
  "ParamsRefused",
  "Refused",
  "HttpRefused",
  "AccessRefused",
  "Busy",
  "Outage",
  "Silence",
  "OutOfTime",
  "Ended",
  "Garbled",
  "LateAgreed",
  "OutOfTurn"
]

/** Returns the cells of a policy's table under a table's name. */
export const cellsOf = (table: TableName, policy: Policy = presetOf(table)): ReadonlyArray<CellOfTable> =>
  stateTags.flatMap((state) =>
    evidenceTags.map((evidence) => {
      const { because, move } = policy.fallback[state][evidence]
      return { id: `${table}.${state}.${evidence}`, table, state, evidence, move: move.name, because }
    })
  )

/** Every cell of every table. */
export const cells: ReadonlyArray<CellOfTable> = tableNames.flatMap((table) => cellsOf(table))

/** Returns whether a cell says of itself that no event can reach it. */
export const isMarkedUnreachable = (cell: { readonly because: string }): boolean =>
  cell.because.startsWith("Unreachable: ")

/** Which cells the walks reached, and how often. */
export type Coverage = ReadonlyMap<string, number>

/** Adds the cells that a walk reaches to a count. */
export const cover = (counts: Map<string, number>, walk: Walk): void => {
  for (const { cell } of walk.steps) counts.set(cell, (counts.get(cell) ?? 0) + 1)
}

/** Where the marks of the tables and the walk disagree. */
export interface Disagreement {
  /** Marked unreachable, and an event reaches it. */
  readonly reached: ReadonlyArray<CellOfTable>
  /** Not marked, and no event reaches it. */
  readonly unreached: ReadonlyArray<CellOfTable>
}

/** Returns where the marks of the tables and the walk disagree. */
export const disagreement = (coverage: Coverage): Disagreement => ({
  reached: cells.filter((cell) => isMarkedUnreachable(cell) && coverage.has(cell.id)),
  unreached: cells.filter((cell) => !isMarkedUnreachable(cell) && !coverage.has(cell.id))
})
