// What a run found, as data: one file a language, committed, from which the pages are drawn. Times are not kept, so that
// the same peers give the same file.
import { readFile, writeFile } from "node:fs/promises"

/** What a language's peers and Parley made of each other. */
export interface Results {
  readonly language: string
  readonly toolchain: string
  readonly skipped: ReadonlyArray<{ readonly peer: string; readonly why: string }>
  readonly servers: ReadonlyArray<ServerRow>
  readonly clients: ReadonlyArray<ClientRow>
  readonly seeds: ReadonlyArray<SeedRow>
}

/** Parley as the client of somebody else's server. */
export interface ServerRow {
  readonly library: string
  readonly carriage: string
  readonly policy: string
  /** "legacy 2025-11-25", or the tag of the error. */
  readonly outcome: string
  /** How many requests were sent until it was agreed or failed. */
  readonly exchanges: number
  /** How many processes were started; 0 over HTTP. */
  readonly processes: number
  /** The evidence of each step, in order: "MethodMissing", "Agreed 2025-11-25". */
  readonly path: ReadonlyArray<string>
  /** Whether `echo` was among the tools and answered with its text; absent where nothing was agreed. */
  readonly called?: boolean
  /** What is not as it must be, one sentence each. */
  readonly wrong: ReadonlyArray<string>
}

/** Somebody else's client and Parley as the server. */
export interface ClientRow {
  readonly library: string
  readonly mode: string
  readonly carriage: string
  /** The eras that Parley's server serves. */
  readonly eras: string
  readonly outcome: string
  /** What it sent, in order, over HTTP with the status of the answer. */
  readonly sent: ReadonlyArray<string>
  readonly called?: boolean
  readonly wrong: ReadonlyArray<string>
}

/** A real client and Parley under the matching policy, each given the same scripted server. */
export interface SeedRow {
  readonly seed: string
  readonly policy: string
  readonly case: string
  readonly real: Said
  readonly parley: Said
  /** Why they differ; absent where they do not. */
  readonly because?: string
}

export interface Said {
  readonly sent: ReadonlyArray<string>
  readonly outcome: string
}

const folder = new URL("../results/", import.meta.url)

/** Returns the committed results of a language, or undefined where there are none. */
export const load = async (language: string): Promise<Results | undefined> => {
  try {
    // Its only writer is `save`.
    return JSON.parse(await readFile(new URL(`${language}.json`, folder), "utf8")) as Results
  } catch {
    return undefined
  }
}

export const save = (results: Results): Promise<void> =>
  writeFile(new URL(`${results.language}.json`, folder), textOf(results))

/** Returns the text of a results file: a row a line, so that a difference can be read. */
export const textOf = (results: Results): string => {
  const list = (name: string, rows: ReadonlyArray<unknown>): string =>
    `  ${JSON.stringify(name)}: [${rows.map((row) => `\n    ${JSON.stringify(row)}`).join(",")}${rows.length > 0 ? "\n  " : ""}]`
  return `{\n${[
    `  "language": ${JSON.stringify(results.language)}`,
    `  "toolchain": ${JSON.stringify(results.toolchain)}`,
    list("skipped", results.skipped),
    list("servers", results.servers),
    list("clients", results.clients),
    list("seeds", results.seeds)
  ].join(",\n")}\n}\n`
}
