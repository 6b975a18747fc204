// What a session keeps of who its client is, bounded: a client could otherwise make every session as large as a body.
import type { Implementation } from "../Envelope.ts"
import type { JsonObject } from "../Message.ts"

/** How deep the members of a client's identity may be nested. */
export const mostDeep = 32

/**
 * Returns the client info that a session keeps: all of it where it is within the bound, else the name and the version
 * alone, at most 200 characters each. It is for display, so what cannot be kept is no reason to refuse.
 */
export const bounded = (info: JsonObject, name: string, version: string, most: number): Implementation =>
  isWithin(info, most) ? { ...info, name, version } : { name: name.slice(0, 200), version: version.slice(0, 200) }

/**
 * Returns whether a JSON value takes at most so many characters, about, and is at most {@link mostDeep} levels deep. Stops
 * as soon as it is told, so that a large value costs no more than a small one.
 */
export const isWithin = (value: unknown, most: number): boolean => left(value, most, 0) >= 0

const left = (value: unknown, most: number, depth: number): number => {
  if (typeof value === "string") return most - value.length - 2
  if (typeof value !== "object" || value === null) return most - 5
  if (depth >= mostDeep) return -1
  let rest = most - 2
  for (const [key, member] of Object.entries(value)) {
    rest = left(member, rest - key.length - 4, depth + 1)
    if (rest < 0) return rest
  }
  return rest
}
