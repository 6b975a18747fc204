// What `npm run conform-sdks` found, as data: a file that is committed, from which the page is drawn.
import type { Clause } from "@parley/cli/conform/Difference"
import type { Counts } from "@parley/cli/conform/Report"
import { readFile, writeFile } from "node:fs/promises"

export interface Results {
  readonly format: 1
  /** The day of the last change, as an ISO date. */
  readonly date: string
  readonly machine: string
  /** The version of the conversations. */
  readonly dataVersion: string
  readonly rows: ReadonlyArray<Row>
}

/** One side of one subject on one carrier. */
export interface Row {
  readonly title: string
  readonly side: "client" | "server"
  readonly medium: "http" | "stdio"
  /** The policy or the profile that it was held to. */
  readonly heldTo: string
  readonly repeat: string
  readonly counts: Counts
  readonly kinds: ReadonlyArray<Kind>
  /** Why conversations were left out, each reason with its number. */
  readonly leftOut: ReadonlyArray<readonly [why: string, count: number]>
}

/** One kind of difference. */
export interface Kind {
  readonly about: string
  readonly expected: ReadonlyArray<string>
  readonly came: string
  readonly clause: Clause
  readonly times: number
  /** A conversation that shows it. */
  readonly example: string
}

const file = new URL("../../results/sdks.json", import.meta.url)

/** Returns what is committed, or nothing where there is none. */
export const load = async (): Promise<Results> => {
  try {
    // Its only writer is `save`.
    return JSON.parse(await readFile(file, "utf8")) as Results
  } catch {
    return { format: 1, date: "", machine: "", dataVersion: "", rows: [] }
  }
}

export const save = (results: Results): Promise<void> => writeFile(file, textOf(results))

/** Returns the text of the file: a kind a line, so that a change can be read. */
export const textOf = ({ rows, ...rest }: Results): string => {
  const row = ({ kinds, ...more }: Row): string =>
    `${JSON.stringify(more).slice(0, -1)},"kinds":[${kinds.map((kind) => `\n  ${JSON.stringify(kind)}`).join(",")}]}`
  return `${JSON.stringify(rest).slice(0, -1)},"rows":[\n${rows.map(row).join(",\n")}\n]}\n`
}

/** Returns which row a row is. */
export const keyOf = ({ medium, side, title }: Pick<Row, "medium" | "side" | "title">): string =>
  `${side}|${title}|${medium}`
