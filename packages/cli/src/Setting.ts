// The values of flags that are more than a word: a duration, an HTTP header. Reading only.
import { oneLine } from "./render/Text.ts"
import type { Reading } from "./Target.ts"

/** The longest timeout that can be asked for, in milliseconds: one day. */
export const longestMillis = 86_400_000

/** Reads a duration, in milliseconds: "250", "250ms", "5s", "1.5 s", "2m", "2min". At least 1 ms, at most a day. */
export const duration = (text: string): Reading<number> => {
  const match = /^\s*(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]*)\s*$/i.exec(text)
  const factor = match === null ? undefined : units.get(match[2]?.toLowerCase() ?? "")
  if (match === null || factor === undefined) {
    return { ok: false, problem: `${oneLine(text, 40)} is no duration. Write 5s, 1500ms or 2min.` }
  }
  const millis = Math.round(Number(match[1]) * factor)
  return millis >= 1 && millis <= longestMillis
    ? { ok: true, value: millis }
    : { ok: false, problem: `A timeout is at least 1 ms and at most a day; ${oneLine(text, 40)} is not.` }
}

/** Reads headers as `Name: value`. Names come out in lower case; a repeated name is a problem, not a list. */
export const headers = (texts: ReadonlyArray<string>): Reading<{ readonly [name: string]: string }> => {
  const read = new Map<string, string>()
  for (const text of texts) {
    const colon = text.indexOf(":")
    const name = text.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    // A value may be a credential: no message repeats it.
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
      return { ok: false, problem: 'A header is written as "Name: value".' }
    }
    const value = text.slice(colon + 1).trim()
    if (!/^[\x20-\x7e\t]*$/.test(value)) {
      return { ok: false, problem: `The value of the header ${name} holds characters that a header cannot carry.` }
    }
    if (reserved.test(name)) {
      return { ok: false, problem: `The header ${name} belongs to the protocol; the policy decides what it says.` }
    }
    if (read.has(name)) return { ok: false, problem: `The header ${name} is given twice.` }
    read.set(name, value)
  }
  return { ok: true, value: Object.fromEntries(read) }
}

const units: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["ms", 1],
  ["s", 1000],
  ["sec", 1000],
  ["m", 60_000],
  ["min", 60_000],
  ["h", 3_600_000]
])

const reserved = /^(?:mcp-.*|accept|content-type|content-length|transfer-encoding|connection|host|last-event-id)$/
