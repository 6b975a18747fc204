// The steps of a negotiation for a person: where it stood, what came, what was done, and why.
import type { TraceEntry } from "@parley/core/Machine"
import type { Style } from "./Style.ts"
import { column, duration, oneLine, wrap } from "./Text.ts"

/** Returns the trace as lines of at most so many columns: one for each step, and its reason below it. */
export const trace = (entries: ReadonlyArray<TraceEntry>, style: Style, columns: number): ReadonlyArray<string> =>
  entries.flatMap((entry, index) => {
    const at = entry.atMillis === undefined ? "" : duration(entry.atMillis)
    const evidence = oneLine(entry.evidence, 160)
    const head = `${oneLine(entry.state, 40)}${evidence === "" ? "" : `: ${evidence}`} → ${oneLine(entry.move, 40)}`
    const [first = "", ...rest] = wrap(head, Math.max(20, columns - indent.length))
    return [
      `${column(String(index + 1), 2, "right")} ${style.dim(column(at, 8, "right"))}  ${style.bold(first)}`,
      ...rest.map((line) => indent + style.bold(line)),
      ...wrap(oneLine(entry.because, 300), Math.max(20, columns - indent.length)).map(
        (line) => indent + style.dim(line)
      )
    ]
  })

const indent = " ".repeat(13)
