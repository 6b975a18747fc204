// Where the time of a hot path goes: the functions in which a CPU profile found the program most often. They are taken by
// hand (profile-bin.ts), kept in profiles/, and printed on the page; nothing is measured here.
import { existsSync, readdirSync, readFileSync } from "node:fs"

/** The summary of one CPU profile. */
export interface Profile {
  /** What ran, in a few words. */
  readonly title: string
  /** The day on which it was taken, as YYYY-MM-DD. */
  readonly taken: string
  /** How it can be taken again. */
  readonly command: string
  /** What follows from it, in a few sentences. */
  readonly note?: string | undefined
  /** The functions with the most time of their own, and what part of the busy time that was, in percent. */
  readonly self: ReadonlyArray<{ readonly name: string; readonly where: string; readonly percent: number }>
  /** The same by module or package. */
  readonly modules: ReadonlyArray<{ readonly where: string; readonly percent: number }>
}

/** What a `.cpuprofile` holds, as far as it is needed. */
export interface Recorded {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** Returns the summary of a recorded profile: idle time is left out. */
export const summary = (recorded: Recorded, about: Pick<Profile, "title" | "taken" | "command" | "note">): Profile => {
  const frames = new Map(recorded.nodes.map(({ callFrame, id }) => [id, callFrame]))
  const functions = new Map<string, { readonly name: string; readonly where: string; micros: number }>()
  const modules = new Map<string, number>()
  let busy = 0
  recorded.samples.forEach((sample, at) => {
    const frame = frames.get(sample)
    if (frame === undefined || idle.has(frame.functionName)) return
    const micros = recorded.timeDeltas[at] ?? 0
    busy += micros
    const where = whereOf(frame.url, frame.functionName)
    modules.set(moduleOf(where), (modules.get(moduleOf(where)) ?? 0) + micros)
    const key = `${frame.functionName} ${frame.url} ${frame.lineNumber}`
    const known = functions.get(key) ?? { name: frame.functionName || "(anonymous)", where, micros: 0 }
    known.micros += micros
    functions.set(key, known)
  })
  const percentOf = (micros: number): number => Math.round((1000 * micros) / busy) / 10
  return {
    ...about,
    self: [...functions.values()]
      .toSorted((a, b) => b.micros - a.micros)
      .slice(0, mostFunctions)
      .map(({ micros, name, where }) => ({ name, where, percent: percentOf(micros) })),
    modules: [...modules]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, mostModules)
      .map(([where, micros]) => ({ where, percent: percentOf(micros) }))
  }
}

/** Returns the summaries that are kept, by the names of their files. */
export const kept = (): ReadonlyArray<Profile> =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    // Written by profile-bin.ts from a Profile.
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Profile)

/** Where the summaries are kept. */
export const folder: URL = new URL("../profiles/", import.meta.url)

// A file within the workspace or within its package; what is no file is the engine's.
const whereOf = (url: string, name: string): string => {
  if (url.startsWith("node:")) return url
  const own = /\/packages\/([a-z]+)\/(?:src|dist)\/(.+)$/.exec(url)
  if (own !== null) return `${own[1]}/${own[2]}`
  const foreign = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(url)
  if (foreign !== null) return `${foreign[1]}: ${foreign[2]}`
  return name === "(garbage collector)" ? "garbage collector" : "engine and system"
}

const moduleOf = (where: string): string => {
  if (where.startsWith("node:")) return "node"
  const end = where.includes(": ") ? where.indexOf(": ") : where.indexOf("/")
  return end === -1 ? where : where.slice(0, end)
}

const idle = new Set(["(idle)", "(root)"])
const mostFunctions = 15
const mostModules = 8
