// The process of a scripted stdio peer: reads lines, answers by its rows, and writes down what it heard. It must start
// fast, so it imports only node: modules and the rows' own logic. Its one argument is the folder that ScriptedStdio made.
import { appendFileSync, closeSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { choose, countedAs, exitCode, idOf, type Reply, type Row, textOf } from "./Script.ts"

const folder = process.argv[2] ?? "."
const recordFile = join(folder, "record.ndjson")
// The parent wrote this file; its shape is its own.
const rows = JSON.parse(readFileSync(join(folder, "rows.json"), "utf8")) as ReadonlyArray<Row>

/** Entries of the record: a start, something heard, something written, the end. One JSON line each. */
const note = (entry: object): void =>
  appendFileSync(recordFile, `${JSON.stringify({ ...entry, pid: process.pid, at: Date.now() })}\n`)

// Counts go on over a restart: the record of the processes before this one is where they stand.
const counts = new Map<string, number>()
const ids = new Map<string, unknown>()
const count = (name: string, id: unknown): number => {
  const nth = (counts.get(name) ?? 0) + 1
  counts.set(name, nth)
  ids.set(`${name} ${nth}`, id)
  return nth
}
for (const line of earlier()) {
  const entry: unknown = JSON.parse(line)
  if (typeof entry === "object" && entry !== null && "heard" in entry)
    count(countedAs({ headers: {}, body: entry.heard }), idOf(entry.heard))
}
note({ started: true })

function earlier(): ReadonlyArray<string> {
  try {
    return readFileSync(recordFile, "utf8")
      .split("\n")
      .filter((line) => line !== "")
  } catch {
    return []
  }
}

const heard = (line: string): void => {
  let body: unknown
  try {
    body = JSON.parse(line)
  } catch {
    note({ text: line.slice(0, 400) })
    return
  }
  const request = { headers: {}, body }
  const nth = count(countedAs(request), idOf(body))
  const row = choose(rows, request, nth)
  note({ heard: body, nth, ...(row === undefined ? undefined : { row: rows.indexOf(row) }) })
  if (row === undefined) return
  const delay = row.reply.delayMs ?? 0
  if (delay > 0) setTimeout(() => answer(row.reply, idOf(body)), delay)
  else answer(row.reply, idOf(body))
}

const answer = (reply: Reply, id: unknown): void => {
  const text = textOf(reply, id, "\n", (method, place) => ids.get(`${method} ${place}`))
  if (reply.stderr !== undefined) process.stderr.write(reply.stderr)
  if (text !== "") note({ wrote: text.slice(0, 2000) })
  write(Buffer.from(text), reply.chunkBytes ?? text.length * 4, () => {
    if (reply.exit !== undefined && reply.exit !== false) process.exit(reply.exit === true ? exitCode : reply.exit)
    // process.stdout.end() would leave the descriptor open.
    if (reply.close === true) closeSync(1)
  })
}

const write = (bytes: Buffer, size: number, then: () => void): void => {
  if (bytes.length === 0 || !process.stdout.writable) return then()
  process.stdout.write(bytes.subarray(0, size), () => setImmediate(write, bytes.subarray(size), size, then))
}

let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) if (line.trim() !== "") heard(line)
})
// A server ends with its input. What it has still to say is not said, as nobody reads it any more.
process.stdin.on("end", () => process.exit(0))
process.stdout.on("error", () => process.exit(0))
process.on("exit", (code) => note({ ended: code }))
