// A row of the table: one figure of Parley's beside those of its peers, and what it is held to.
import type { Figure } from "./Rounds.ts"

/** What a figure may be at most, or must be at least, or must be. */
export type Bound = { readonly most: number } | { readonly least: number } | { readonly exactly: number }

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
  /** Whether the figure is a count that must hold in every round of every run; `--smoke` fails where it does not. */
  readonly isExact?: boolean | undefined
  /** What an exact figure was when somebody last looked: `--smoke` fails where it is another, better or worse. */
  readonly expected?: number | undefined
  /** What keeps the figure from its aim, one or two sentences: shown where it does not reach it. */
  readonly heldBackBy?: string | undefined
}

/** How a row stands: it reaches its aim, it holds, or it misses what it is held to. */
export type Verdict = "aim" | "holds" | "misses"

/** Returns how a row stands: by its median, or by every round where the figure is exact. */
export const verdict = ({ aim, hold, isExact, parley }: Row): Verdict => {
  const { least, median, most } = parley.figure
  const values = isExact === true ? [least, most] : [median]
  const meetsAll = (bound: Bound): boolean => values.every((value) => meets(value, bound))
  if (!meetsAll(hold)) return "misses"
  return aim === undefined || meetsAll(aim) ? "aim" : "holds"
}

/** Returns what is wrong with a row whatever the machine: nothing was measured, or a count is not what it must be. */
export const fault = (row: Row): string | undefined => {
  const { figure } = row.parley
  if (!Number.isFinite(figure.median)) return "nothing was measured"
  if (row.expected !== undefined && (figure.least !== row.expected || figure.most !== row.expected)) {
    return `it was ${number(row.expected)}, and it is ${rangeOf(figure)}`
  }
  return row.isExact === true && verdict(row) === "misses"
    ? `${textOf(row.hold)} is demanded, and it is ${rangeOf(figure)}`
    : undefined
}

/** Returns a bound in few characters. */
export const textOf = (bound: Bound | undefined): string =>
  bound === undefined
    ? ""
    : "most" in bound
      ? `≤ ${bound.most}`
      : "least" in bound
        ? `≥ ${bound.least}`
        : `= ${bound.exactly}`

/** Returns a figure's range: one number where it does not vary. */
export const rangeOf = ({ least, most }: Figure): string =>
  least === most ? number(least) : `${number(least)}–${number(most)}`

/** Returns a number with three figures, or whole where it is a count. */
export const number = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2)

const meets = (value: number, bound: Bound): boolean =>
  "most" in bound ? value <= bound.most : "least" in bound ? value >= bound.least : value === bound.exactly
