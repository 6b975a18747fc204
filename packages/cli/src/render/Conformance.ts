// What came of a conformance run, for a person at a terminal: the counts, then each kind of difference with what was
// expected, what came, why, and a conversation that shows it.
import type { Kind, Verdict } from "../conform/Difference.ts"
import { kinds } from "../conform/Difference.ts"
import type { Report } from "../conform/Report.ts"
import { countsOf, reasons } from "../conform/Report.ts"
import type { Style } from "./Style.ts"
import { counted, oneLine, wrap } from "./Text.ts"

/** Returns the report as lines of at most so many columns; with `wire` also what went over the wire of each example. */
export const lines = (report: Report, style: Style, columns: number, wire: boolean): ReadonlyArray<string> => {
  const { conform, differ, held, leftOut } = countsOf(report)
  const found = kinds(report.verdicts)
  const heldTo = `${report.side} over ${report.medium}, held to ${report.side === "client" ? "policy" : "profile"} ${report.heldTo}`
  return [
    ...wrap(oneLine(report.subject, 400), columns).map(style.bold),
    ...wrap(heldTo, columns),
    ...factsOf(report).flatMap((line) => wrap(line, columns)),
    [
      counted(held, "conversation"),
      differ === 0 ? style.good(`${conform} as told`) : `${conform} as told`,
      differ === 0 ? "none otherwise" : style.bad(`${differ} otherwise`),
      `${leftOut} left out`
    ].join(", "),
    ...found.flatMap((kind) => ["", ...block(kind, report, style, columns, wire)]),
    ...(leftOut === 0
      ? []
      : [
          "",
          style.dim("Left out"),
          ...reasons(report).map(([why, count]) => style.dim(`  ${count} because ${oneLine(why, columns - 20)}`))
        ])
  ]
}

const factsOf = ({ facts }: Report): ReadonlyArray<string> => {
  if (facts === undefined) return []
  const legacy = facts.legacy.length === 0 ? "no handshake" : `handshakes ${facts.legacy.join(", ")}`
  return [`serves ${legacy}`, `lists ${facts.listed.join(", ") || "nothing: it knows no server/discover"}`]
}

const block = (
  { about, came, clause, expected, ids }: Kind,
  report: Report,
  style: Style,
  columns: number,
  wire: boolean
): ReadonlyArray<string> => {
  const [example = ""] = ids
  const level = clause.level === "choice" || clause.level === "page" ? clause.level : style.notable(clause.level)
  return [
    `${style.bold(`${ids.length}x`)} ${oneLine(about, columns - 20)} ${level}`,
    ...field("expected", expected.join(" or "), columns),
    ...field("came", came, columns),
    ...field("why", clause.place === "" ? clause.says : `${clause.says} (${clause.place})`, columns),
    ...field("such as", example, columns),
    ...(wire ? wireOf(report.verdicts, example, columns).map(style.dim) : [])
  ]
}

const field = (name: string, text: string, columns: number): ReadonlyArray<string> =>
  wrap(oneLine(text, 600), columns - 12).map((part, index) => `  ${(index === 0 ? name : "").padEnd(9)} ${part}`)

const wireOf = (verdicts: ReadonlyArray<Verdict>, id: string, columns: number): ReadonlyArray<string> =>
  (verdicts.find((verdict) => verdict.id === id)?.wire ?? []).flatMap((line) =>
    wrap(oneLine(line, 600), columns - 6).map((part) => `    | ${part}`)
  )
