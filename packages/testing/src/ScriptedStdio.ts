// A scripted MCP server on stdio: the command to start, and the record of what its processes received. The process
// itself is scripted-stdio-bin.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { methodOf, type Received, type Row } from "./Script.ts"
import { type CommandTarget, type ProcessRecord, type Scripted, type Transcript, wireLine } from "./Scripted.ts"

/** The program of the process, beside this file in the sources and in the build. */
const program = fileURLToPath(
  new URL(`./scripted-stdio-bin.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url)
)

/**
 * Prepares a scripted server that answers by these rows until the scope closes. Each start of the command is a new
 * process with the same rows; counts and the record go on over restarts. When the scope closes, a process that its
 * client left behind is killed.
 */
export const open = (
  rows: ReadonlyArray<Row>
): Effect.Effect<Scripted & { readonly target: CommandTarget }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => prepare(rows)),
      (folder) => Effect.promise(() => clear(folder))
    ),
    (folder) => ({
      target: { command: process.execPath, args: [program, folder] },
      record: Effect.promise(() => read(folder))
    })
  )

/** Returns whether a process of the record still lives. */
export const lives = (record: ProcessRecord): boolean => {
  if (record.exitCode !== undefined) return false
  try {
    return process.kill(record.pid, 0)
  } catch {
    return false
  }
}

const prepare = async (rows: ReadonlyArray<Row>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-scripted-"))
  await writeFile(join(folder, "rows.json"), JSON.stringify(rows))
  await writeFile(join(folder, "record.ndjson"), "")
  return folder
}

const clear = async (folder: string): Promise<void> => {
  const { processes } = await read(folder)
  for (const record of processes.filter(lives)) process.kill(record.pid, "SIGKILL")
  await rm(folder, { recursive: true, force: true })
}

/** One line of the record, as scripted-stdio-bin writes it. */
interface Entry {
  readonly at: number
  readonly pid: number
  readonly started?: true
  readonly heard?: unknown
  readonly nth?: number
  readonly row?: number
  readonly text?: string
  readonly wrote?: string
  readonly ended?: number
}

const read = async (folder: string): Promise<Transcript> => {
  const lines = (await readFile(join(folder, "record.ndjson"), "utf8")).split("\n").filter((line) => line !== "")
  // Its only writer is scripted-stdio-bin.
  const entries = lines.map((line) => JSON.parse(line) as Entry)
  const start = entries[0]?.at ?? 0
  return {
    received: entries.flatMap(receivedOf),
    wire: entries.map((entry) => wireOf(entry, start)),
    processes: entries
      .filter((entry) => entry.started === true)
      .map(({ pid }) => {
        const end = entries.find((entry) => entry.pid === pid && entry.ended !== undefined)
        return end?.ended === undefined ? { pid } : { pid, exitCode: end.ended }
      }),
    problems: []
  }
}

const receivedOf = (entry: Entry): ReadonlyArray<Received> => {
  const row = entry.row === undefined ? undefined : { row: entry.row }
  const common = { headers: {}, at: entry.at, pid: entry.pid, nth: entry.nth ?? 0, ...row }
  if (entry.text !== undefined) return [{ ...common, text: entry.text }]
  if (!("heard" in entry)) return []
  const method = methodOf(entry.heard)
  return [{ ...common, body: entry.heard, ...(method === undefined ? undefined : { method }) }]
}

const wireOf = (entry: Entry, start: number): string => {
  const since = entry.at - start
  if (entry.started === true) return wireLine(since, "*", `process ${entry.pid} started`)
  if (entry.ended !== undefined) return wireLine(since, "*", `process ${entry.pid} ended with code ${entry.ended}`)
  if (entry.wrote !== undefined) return wireLine(since, "<", entry.wrote)
  return wireLine(since, ">", entry.text ?? JSON.stringify(entry.heard))
}
