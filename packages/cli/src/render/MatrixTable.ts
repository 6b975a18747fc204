// A support matrix for a person at a terminal: a line for each server, a column for each revision, and what stands out.
import { allVersions } from "@parley/core/Version"
import type { Revision, Row } from "../Matrix.ts"
import type { Style } from "./Style.ts"
import { column, counted, wrap } from "./Text.ts"

/** Returns the matrix as lines of at most so many columns. */
export const table = (rows: ReadonlyArray<Row>, style: Style, columns: number): ReadonlyArray<string> => {
  const nameColumns = Math.min(
    Math.max(8, ...rows.map(({ name }) => name.length)),
    Math.max(12, columns - allVersions.length * 9 - 11)
  )
  const head = [
    column("server", nameColumns),
    ...allVersions.map((version) => column(version.slice(2), 8)),
    "prefers"
  ].join(" ")
  return [
    style.bold(head),
    ...rows.map((row) => line(row, nameColumns, style)),
    "",
    ...rows.flatMap((row) => details(row, style, columns)),
    style.dim(ending(rows))
  ]
}

/** What stands for each kind of support. */
export const marks: { readonly [support in Revision["support"]]: string } = {
  agreed: "yes",
  listed: "listed",
  refused: "-",
  unknown: "?"
}

const line = (row: Row, nameColumns: number, style: Style): string => {
  const name = column(row.name, nameColumns)
  if (!row.reached) return `${name} ${style.bad("not reached")}: ${row.error?.tag ?? ""}`
  const cells = allVersions.map((version) => {
    const support = row.revisions.find((revision) => revision.version === version)?.support ?? "unknown"
    const mark = column(marks[support], 8)
    return support === "agreed" || support === "listed" ? style.good(mark) : style.dim(mark)
  })
  return `${name} ${cells.join(" ")} ${row.prefers ?? ""}`
}

const details = (row: Row, style: Style, columns: number): ReadonlyArray<string> => {
  const say = (text: string): ReadonlyArray<string> => wrap(text, columns - 2).map((part) => `  ${part}`)
  if (!row.reached) return [style.bold(row.name), ...say(row.error?.message ?? ""), ""]
  const others = row.revisions.filter(({ version }) => !allVersions.includes(version)).map(({ version }) => version)
  return [
    style.bold(row.name),
    ...say(`${row.server} (${row.eras.join(" and ")}): ${row.capabilities.join(", ") || "no capabilities"}`),
    ...(others.length === 0 ? [] : say(`lists also ${others.join(", ")}`)),
    ...Object.entries(row.refuses).flatMap(([era, answer]) => say(`an unheard-of ${era} revision: ${answer}`)),
    ...row.quirks.flatMap((quirk) => say(`quirk: ${quirk}`)),
    ""
  ]
}

const ending = (rows: ReadonlyArray<Row>): string => {
  const reached = rows.filter((row) => row.reached).length
  return `${reached} of ${counted(rows.length, "server")} reached, ${rows[0]?.verified ?? ""}.`
}
