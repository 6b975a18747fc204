// What the lines of one HTTP header say together: copies, and agreement with a value of the body. Names and the Base64
// sentinel are in Envelope.
import { decodeHeaderValue } from "../Envelope.ts"
import type { ToolHeader } from "../ToolHeaders.ts"

/** The headers of a request by lower-case name: as Node's `request.headers` has them, or with a list of lines. */
export interface RequestHeaders {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
}

/** Copies of a header that differ. */
export const conflict: unique symbol = Symbol("parley/conflict")

/**
 * Returns the one value of a header whose values hold no comma: equal copies are one value (as lines, or joined by
 * commas), different copies are a {@link conflict}, and no header or an empty one is undefined.
 */
export const single = (raw: string | ReadonlyArray<string> | undefined): string | undefined | typeof conflict => {
  if (raw === undefined) return undefined
  if (typeof raw === "string") return raw.includes(",") ? agreed(raw.split(",")) : raw.trim() || undefined
  return agreed(raw.flatMap((line) => line.split(",")))
}

/** Returns what was received in a header, for a person. */
export const written = (received: string | ReadonlyArray<string> | undefined | typeof conflict): string => {
  if (received === undefined) return "absent"
  if (received === conflict) return "copies that differ"
  return typeof received === "string" ? received : received.join(", ")
}

/** Returns whether every copy of a header, decoded, is the text. An absent header is not. */
export const agrees = (raw: string | ReadonlyArray<string> | undefined, text: string): boolean => {
  if (raw === undefined) return false
  if (typeof raw !== "string") return raw.length > 0 && raw.every((line) => agrees(line, text))
  return (raw === text && isPlain(raw)) || saysAll(raw, text, (value) => value === text)
}

/** Returns whether every copy of a parameter's header, decoded, is the value. Integers are compared as numbers. */
export const agreesWithParameter = (
  raw: string | ReadonlyArray<string> | undefined,
  value: string | number | boolean,
  type: ToolHeader["type"]
): boolean => {
  if (raw === undefined) return false
  if (typeof raw !== "string") return raw.length > 0 && raw.every((line) => agreesWithParameter(line, value, type))
  if (type === "integer" && typeof value === "number") {
    return saysAll(raw, String(value), (text) => decimal.test(text) && Number(text) === value)
  }
  return agrees(raw, String(value))
}

// A value may hold a comma of its own, so the text is tried as it stands before it is taken for copies of one.
const saysAll = (raw: string, text: string, is: (decoded: string) => boolean): boolean => {
  const whole = raw.trim()
  return (
    isOne(whole, is) ||
    (isPlain(text) && repeats(whole, text)) ||
    whole.split(",").every((copy) => isOne(copy.trim(), is))
  )
}

// Stands for itself in a header: what looks like the sentinel would be decoded by others.
const isPlain = (text: string): boolean => isVisible(text) && !text.startsWith("=?base64?")

const isOne = (text: string, is: (decoded: string) => boolean): boolean => {
  if (!isVisible(text)) return false
  const decoded = decodeHeaderValue(text)
  return decoded !== undefined && is(decoded)
}

const repeats = (whole: string, text: string): boolean => {
  let at = 0
  while (whole.startsWith(text, at)) {
    at += text.length
    if (at === whole.length) return true
    const comma = /^[ \t]*,[ \t]*/.exec(whole.slice(at, at + 8))
    if (comma === null) return false
    at += comma[0].length
  }
  return false
}

const agreed = (copies: ReadonlyArray<string>): string | undefined | typeof conflict => {
  const first = copies[0]?.trim()
  return copies.every((copy) => copy.trim() === first) ? first || undefined : conflict
}

const decimal = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/

// RFC 9110, Field Values: visible ASCII, space and tab. Anything else had to be sent in the sentinel.
const isVisible = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code < 32 && code !== 9) || code > 126) return false
  }
  return true
}
