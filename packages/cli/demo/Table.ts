// The table of the demo: a row for each pairing, in 80 columns, and below it what a reader will ask about.
import type { Style } from "@parley/cli/render/Style"
import { column, oneLine, wrap } from "@parley/cli/render/Text"
import type { Demand, PolicyName } from "./Demands.ts"
import type { Server } from "./Servers.ts"

/** What was seen when a policy met a server, beside what is demanded. */
export interface Row {
  readonly server: Server
  readonly policy: PolicyName
  readonly demand: Demand
  /** The revision agreed on, or the tag of the error. */
  readonly outcome: string
  readonly era?: "legacy" | "modern"
  /** Why it failed, in a sentence. */
  readonly problem?: string
  readonly roundTrips: number
  /** How many tools were listed; absent where there was no agreement. */
  readonly tools?: number
  /** What is not as demanded, one sentence each. */
  readonly wrong: ReadonlyArray<string>
  readonly millis: number
}

/** Returns the head of the table. */
export const head = (style: Style): string =>
  style.bold(line(["server", "via", "policy", "outcome", "trips", "tools", "ms", ""]))

/** Returns a row as a line of 80 columns. */
export const row = ({ era, millis, outcome, policy, roundTrips, server, tools, wrong }: Row, style: Style): string => {
  const text = line([
    server.name,
    server.carrier,
    policy,
    era === undefined ? outcome : `${era} ${outcome}`,
    String(roundTrips),
    tools === undefined ? "-" : String(tools),
    String(Math.round(millis)),
    wrong.length === 0 ? "ok" : "NO"
  ])
  return wrong.length > 0 ? style.bad(text) : era === undefined ? style.notable(text) : text
}

/** Returns what follows the table: why some failures are right, what is wrong, and the verdict. */
export const foot = (rows: ReadonlyArray<Row>, seconds: number, style: Style): ReadonlyArray<string> => {
  const wrong = rows.filter((row) => row.wrong.length > 0)
  const failures = rows.filter((row) => row.era === undefined && row.wrong.length === 0)
  return [
    ...(failures.length === 0 ? [] : ["", style.bold("Failures that must be")]),
    ...failures.flatMap((row) => paragraph(`${title(row)}: ${row.demand.because}.`)),
    ...(wrong.length === 0 ? [] : ["", style.bad("Not as demanded")]),
    ...wrong.flatMap((row) => [
      ...paragraph(`${title(row)}: ${row.wrong.join(" ")}`),
      ...(row.problem === undefined ? [] : paragraph(`It said: ${oneLine(row.problem, 400)}`)),
      ...paragraph(`Demanded because ${row.demand.because}.`)
    ]),
    "",
    wrong.length === 0
      ? style.good(`${rows.length} of ${rows.length} pairings are as demanded, in ${seconds.toFixed(1)} s.`)
      : style.bad(`${wrong.length} of ${rows.length} pairings are not as demanded.`)
  ]
}

const title = ({ policy, server }: Row): string => `${server.name} (${server.carrier}) under ${policy}`

const paragraph = (text: string): ReadonlyArray<string> =>
  wrap(text, 76).map((part, index) => (index === 0 ? `  ${part}` : `    ${part}`))

const line = (cells: ReadonlyArray<string>): string =>
  cells
    .map((cell, index) => column(cell, widths[index] ?? 4, index >= 4 && index <= 6 ? "right" : "left"))
    .join(" ")
    .trimEnd()

const widths = [13, 5, 13, 26, 5, 5, 4, 2]
