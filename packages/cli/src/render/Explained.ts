// A negotiation that was written down: as text with the reason of each step, and as a Mermaid state diagram of its policy
// in which the way that it took is numbered and coloured.
import type { TraceEntry } from "@parley/core/Machine"
import type { Arrow } from "../Arrows.ts"
import type { Recorded } from "../Recorded.ts"
import type { Style } from "./Style.ts"
import { counted, oneLine, wrap } from "./Text.ts"
import * as Trace from "./Trace.ts"

/** Returns the explanation as lines of at most so many columns. */
export const text = (recorded: Recorded, style: Style, columns: number): ReadonlyArray<string> => [
  ...wrap(subject(recorded), columns).map(style.bold),
  how(recorded),
  "",
  ...Trace.trace(recorded.trace, style, columns),
  "",
  ...wrap(ending(recorded), columns).map((line) =>
    recorded.trace.at(-1)?.next === "Settled" ? style.good(line) : style.bad(line)
  )
]

/** Returns the Mermaid source. Without arrows it draws the way alone. */
export const diagram = (recorded: Recorded, arrows: ReadonlyArray<Arrow>): string => {
  const way = recorded.trace
    .map((entry, index) => ({ entry, label: stepLabel(entry, index) }))
    .filter(({ entry }) => !entry.evidence.startsWith("OutOfTurn"))
  const drawn = new Map<string, Array<string>>()
  for (const { entry, label } of way) add(drawn, nameOf(entry.state), nameOf(entry.next), label)
  for (const { evidence, from, to } of arrows) {
    const labels = drawn.get(`${nameOf(from)} --> ${nameOf(to)}`)
    if (to !== "Failed") add(drawn, nameOf(from), nameOf(to), safe(evidence))
    else if (labels?.includes("otherwise") !== true) add(drawn, nameOf(from), "Failed", "otherwise")
  }
  const met = [...new Set(way.flatMap(({ entry }) => [nameOf(entry.state), nameOf(entry.next)]))].filter(
    (name) => name !== start
  )
  return [
    "stateDiagram-v2",
    `  %% ${safe(`${subject(recorded)} ${how(recorded)}`)}`,
    "  direction LR",
    ...[...drawn].map(([arrow, labels]) => `  ${arrow}: ${labels.join("<br/>")}`),
    "  classDef met fill:#2563eb,color:#ffffff,stroke:#1e3a8a",
    ...(met.length === 0 ? [] : [`  class ${met.join(",")} met`])
  ].join("\n")
}

const subject = ({ target }: Recorded): string => (target === undefined ? "A negotiation" : oneLine(target, 120))

const how = ({ carrier, policy, trace }: Recorded): string =>
  [
    ...(policy === undefined ? [] : [`under ${oneLine(policy, 30)}`]),
    ...(carrier === undefined ? [] : [`over ${carrier}`]),
    `in ${counted(trace.length, "step")}`
  ].join(" ")

const ending = ({ error, trace, version }: Recorded): string => {
  const last = trace.at(-1)?.next ?? ""
  if (last === "Settled") return version === undefined ? "Agreed." : `Agreed on ${oneLine(version, 40)}.`
  if (error !== undefined) return `No agreement. ${oneLine(error, 600)}`
  return last === "Failed" ? "No agreement." : `The trace ends in ${oneLine(last, 40)}: it is not complete.`
}

const add = (drawn: Map<string, Array<string>>, from: string, to: string, label: string): void => {
  const key = `${from} --> ${to}`
  const labels = drawn.get(key)
  if (labels === undefined) drawn.set(key, [label])
  else labels.push(label)
}

const stepLabel = ({ evidence, move }: TraceEntry, index: number): string =>
  `(${index + 1}) ${evidence === "" ? "" : `${safe(oneLine(evidence, 60))}, `}${safe(oneLine(move, 40))}`

const start = "[*]"

// The file may have been written by anyone: a name of a state is letters and digits.
const nameOf = (state: string): string =>
  state === "Idle" ? start : state.replace(/\W/g, "").slice(0, 40) || "Nameless"

// A colon is fine behind the first one; the others end, begin or are markup.
const safe = (label: string): string =>
  label.replace(/[#;<>&%"`\\{}]/g, (character) => `#${character.codePointAt(0)};`).replaceAll("::", ": :")
