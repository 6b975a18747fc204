// The rows as a table for a terminal.
import type { Entry, Row } from "./Row.ts"
import { number, rangeOf, textOf, verdict } from "./Row.ts"

/** Returns the table of the rows: what was measured, Parley's figure, the best peer's, what is demanded, how it stands. */
export const table = (rows: ReadonlyArray<Row>): string => {
  const lines: Array<ReadonlyArray<string>> = [["", "Parley", "best peer", "hold", "aim", "", "floor"]]
  let group = ""
  for (const row of rows) {
    if (row.group !== group) lines.push([row.group.toUpperCase(), "", "", "", "", "", ""])
    group = row.group
    const best = bestOf(row)
    lines.push([
      `  ${row.title}`,
      shown(row, row.parley),
      best === undefined ? "" : `${shown(row, best)} ${best.name}`,
      textOf(row.hold),
      textOf(row.aim),
      verdict(row),
      row.floor
    ])
  }
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Returns the peer that stands best, if there is one. */
export const bestOf = ({ hold, peers }: Row): Entry | undefined =>
  peers
    .filter(({ figure }) => Number.isFinite(figure.median))
    .toSorted((a, b) => ("least" in hold ? -1 : 1) * (a.figure.median - b.figure.median))[0]

/** Returns a figure with its unit, and with the range of its middle half where it varies. */
export const shown = ({ unit }: Row, { figure }: Entry): string => {
  const value = `${number(figure.median)} ${unit}`.trimEnd()
  if (figure.least === figure.most) return value
  const [least, most] = figure.middle ?? [figure.least, figure.most]
  return `${value} (${rangeOf({ median: figure.median, least, most })})`
}
