// A row of the table: one figure of Parley's beside those of its peers, and what it is held to.
import type { Figure } from "./Rounds.ts"

/** What a figure may be at most, or must be at least. */
export type Bound = { readonly most: number } | { readonly least: number }

/** A contender and its figure; `cost` is the same in absolute terms, for the reader alone. */
export interface Entry {
  readonly name: string
  readonly figure: Figure
  readonly cost?: string | undefined
}

export interface Row {
  /** What the row belongs to. */
  readonly group: string
  readonly title: string
  /** What a figure counts: `×` for times the floor, or `requests`, `bytes`, `µs`, `KB`, … */
  readonly unit: string
  /** What the floor is and costs. */
  readonly floor: string
  readonly parley: Entry
  readonly peers: ReadonlyArray<Entry>
  readonly hold: Bound
  readonly aim?: Bound | undefined
  /** Whether the figure is a count that must be exact in every run. */
  readonly isExact?: boolean | undefined
}

/** How a row stands: it reaches its aim, it holds, or it misses what it is held to. */
export type Verdict = "aim" | "holds" | "misses"

/** Returns how a row stands. */
export const verdict = ({ aim, hold, parley }: Row): Verdict => {
  const { median } = parley.figure
  if (!meets(median, hold)) return "misses"
  return aim === undefined || meets(median, aim) ? "aim" : "holds"
}

/** Returns a bound in few characters. */
export const textOf = (bound: Bound | undefined): string =>
  bound === undefined ? "" : "most" in bound ? `≤ ${bound.most}` : `≥ ${bound.least}`

/** Returns a number with three figures, or whole where it is a count. */
export const number = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2)

const meets = (value: number, bound: Bound): boolean => ("most" in bound ? value <= bound.most : value >= bound.least)
