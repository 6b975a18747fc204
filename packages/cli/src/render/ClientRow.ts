// A client's row for a person: what it leads with, and what it did on each answer.
import type { Row } from "../Observation.ts"
import { ways } from "../Observation.ts"
import type { Style } from "./Style.ts"
import { wrap } from "./Text.ts"

/** Returns the row as lines of at most so many columns. */
export const lines = (row: Row, style: Style, columns: number): ReadonlyArray<string> => {
  const say = (text: string): ReadonlyArray<string> => wrap(text, columns - 4).map((line) => `    ${line}`)
  return [
    style.bold(row.client === "" ? "A client without a name" : row.client),
    `  eras       ${row.eras.join(", ") || "none"}`,
    `  revisions  ${row.revisions.slice(0, 8).join(", ") || "none"}`,
    `  leads with ${row.preferredProtocolVersion ?? "no revision"}`,
    ...row.ways.flatMap(({ heard, outcome, way }) => [
      `  ${style.bold(way)}: ${outcome}`,
      ...say(ways[way]).map(style.dim),
      ...heard
        .slice(0, 12)
        .flatMap(({ answered, method, version }) =>
          say(
            `${method}${version === undefined ? "" : ` ${version}`}${method.startsWith("notifications/") ? "" : ` → ${answered}`}`
          )
        )
    ])
  ]
}
