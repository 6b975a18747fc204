// Reads case files: an array of cases or an object with `cases`, and beside `x.json` an optional `x.notes.json` that
// says in data what the cases of `x.json` say in prose. A broken case is a failed one, never a crash.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { type Case, decode, Notes, problemsOf } from "./Case.ts"

/** What stands in a file. */
export interface CaseFile {
  readonly file: string
  readonly cases: ReadonlyArray<Case>
  readonly broken: ReadonlyArray<Broken>
  /** Members that the format does not know and that are therefore not looked at: `id: member`. */
  readonly ignored: ReadonlyArray<string>
}

/** Something in a file that is no case. */
export interface Broken {
  readonly file: string
  readonly id: string
  /** Each with its member: `server[0].reply.status: Expected number, saw "x"`. */
  readonly problems: ReadonlyArray<string>
}

/** Reads a file from disk, with its notes if it has some. A file that cannot be read is one broken case. */
export const load = async (path: string): Promise<CaseFile> => {
  const file = basename(path)
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (cause) {
    return whole(file, `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  const notes = await readFile(path.replace(/\.json$/, ".notes.json"), "utf8").catch(() => undefined)
  return read(file, text, path.endsWith(".json") ? notes : undefined)
}

/** Reads the text of a file, and that of its notes. */
export const read = (file: string, text: string, notes?: string): CaseFile => {
  const value = parse(text)
  if (value instanceof SyntaxError) return whole(file, `is no JSON: ${value.message.slice(0, 200)}`)
  const list = Array.isArray(value) ? value : inside(value, "cases")
  if (!Array.isArray(list)) return whole(file, "is neither an array of cases nor an object with `cases`")
  const cases: Array<Case> = []
  const broken: Array<Broken> = []
  const ignored: Array<string> = []
  const ids = new Set<string>()
  list.forEach((item: unknown, index) => {
    const decoded = decode(item)
    if (decoded._tag === "Broken") {
      const id = decoded.id === "(no id)" ? `number ${index + 1}` : decoded.id
      return void broken.push({ file, id, problems: decoded.problems })
    }
    const { id } = decoded.value
    if (ids.has(id)) broken.push({ file, id, problems: ["id: Expected another one, this was seen before in the file"] })
    ids.add(id)
    cases.push(decoded.value)
    ignored.push(...decoded.ignored.map((member) => `${id}: ${member}`))
  })
  if (notes === undefined) return { file, cases, broken, ignored }
  const noted = withNotes(file.replace(/\.json$/, ".notes.json"), notes, cases)
  return { file, cases: noted.cases, broken: [...broken, ...noted.broken], ignored }
}

const withNotes = (
  file: string,
  text: string,
  cases: ReadonlyArray<Case>
): { readonly cases: ReadonlyArray<Case>; readonly broken: ReadonlyArray<Broken> } => {
  const value = parse(text)
  if (value instanceof SyntaxError) return { cases, broken: whole(file, `is no JSON: ${value.message}`).broken }
  const decoded = decodeNotes(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isFailure(decoded)) {
    return { cases, broken: [{ file, id: "(notes)", problems: problemsOf(decoded.failure.issue, value) }] }
  }
  const notes = decoded.success
  const known = new Set(cases.filter(({ side }) => side === "client").map(({ id }) => id))
  return {
    cases: cases.map((item) =>
      item.side === "client" && notes[item.id] !== undefined
        ? { ...item, right: { ...item.right, ...notes[item.id] } }
        : item
    ),
    broken: Object.keys(notes)
      .filter((id) => !known.has(id))
      .map((id) => ({ file, id, problems: ["there is no client case with this id"] }))
  }
}

const decodeNotes = Schema.decodeUnknownResult(Schema.Record(Schema.String, Notes))

const whole = (file: string, problem: string): CaseFile => ({
  file,
  cases: [],
  broken: [{ file, id: "(file)", problems: [problem] }],
  ignored: []
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (cause) {
    return cause
  }
}

const inside = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
