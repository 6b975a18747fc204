// How a data file has changed, by the rule of its version: what is gone or means something else, what is new, what reads
// otherwise. `npm run generate` tells it to whoever changed something; writing the version is theirs.
import { isObject } from "@parley/core/Message"

/** What a change asks of the version of the data. */
export type Bump = "none" | "patch" | "minor" | "major"

/** A change, with the first entry that asks for it. */
export interface Change {
  readonly bump: Bump
  readonly why: string
}

const bumps: ReadonlyArray<Bump> = ["none", "patch", "minor", "major"]

/** Returns what has changed between two texts of a data file. What is no data file has not changed. */
export const changeOf = (before: string, after: string): Change => {
  const [older, newer] = [entriesOf(before), entriesOf(after)]
  let found: Change = { bump: "none", why: "" }
  const see = (bump: Bump, why: string): void => {
    if (bumps.indexOf(bump) > bumps.indexOf(found.bump)) found = { bump, why }
  }
  for (const [id, entry] of older) {
    const next = newer.get(id)
    if (next === undefined) see("major", `${id} is gone`)
    else if (JSON.stringify(withoutTexts(entry)) !== JSON.stringify(withoutTexts(next))) {
      see("major", `${id} says something else`)
    } else if (JSON.stringify(entry) !== JSON.stringify(next)) see("patch", `${id} is told in other words`)
  }
  for (const id of newer.keys()) if (!older.has(id)) see("minor", `${id} is new`)
  return found
}

/** Returns whether a version follows another by at least this much. */
export const isFollowed = (before: string, after: string, bump: Bump): boolean => {
  const [older = [], newer = []] = [before, after].map((version) => version.split(".").map(Number))
  const differs = [0, 1, 2].find((place) => older[place] !== newer[place])
  if (differs === undefined) return bump === "none"
  return (newer[differs] ?? 0) > (older[differs] ?? 0) && bumps.length - 1 - differs >= bumps.indexOf(bump)
}

/** Returns the version that a text of a data file names. */
export const versionOf = (text: string): string => /"dataVersion": "([^"]*)"/.exec(text)?.[1] ?? "0.0.0"

// Every entry of every list and map, by its member and its own name.
const entriesOf = (text: string): ReadonlyMap<string, unknown> => {
  const data: unknown = JSON.parse(text)
  const entries = new Map<string, unknown>()
  if (!isObject(data)) return entries
  for (const [member, value] of Object.entries(data)) {
    if (member === "dataVersion") continue
    if (Array.isArray(value)) for (const one of value) entries.set(`${member} ${nameOf(one)}`, one)
    else if (isObject(value)) for (const [name, one] of Object.entries(value)) entries.set(`${member} ${name}`, one)
    else entries.set(member, value)
  }
  return entries
}

const nameOf = (entry: unknown): string => {
  if (!isObject(entry)) return String(entry)
  const name = entry["id"] ?? entry["code"] ?? entry["name"] ?? entry["evidence"]
  return name === undefined ? `${String(entry["policy"])}@${String(entry["medium"])}` : String(name)
}

// What is for people may be told otherwise without anybody's program noticing.
const texts: ReadonlySet<string> = new Set(["because", "message", "example", "title", "description"])

/** Returns data without the texts that only a person reads. */
export const withoutTexts = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (texts.has(name) ? [] : [[name, withoutTexts(one)]]))
  )
}
