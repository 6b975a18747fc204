// Text on its way to a terminal: what a peer wrote made harmless, lines wrapped, columns padded. Knows no protocol.
import { displayWidth } from "effect/cli/CliOutput"

/**
 * Returns a peer's text as one harmless line of at most so many characters: escape sequences are dropped, control
 * characters and line breaks become one space, characters that reorder or hide text become U+FFFD.
 */
export const oneLine = (text: string, limit = 200): string => {
  const line = text
    .slice(0, limit * 4)
    .replace(escapeSequences, "")
    .replace(controls, " ")
    .replace(deceivers, "\ufffd")
    .trim()
  return line.length > limit ? `${wellFormed(line.slice(0, limit - 1))}…` : wellFormed(line)
}

/** Returns the last lines of a peer's text, each made harmless, at most so many lines and characters a line. */
export const lastLines = (text: string, lines = 16, limit = 200): ReadonlyArray<string> =>
  text
    .slice(-lines * limit * 4)
    .split(/\r\n|\r|\n/)
    .map((line) => oneLine(line, limit))
    .filter((line) => line !== "")
    .slice(-lines)

/** Returns a value as JSON text in which every character that a terminal may act on is escaped. */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Returns the text broken at blanks into lines of at most so many columns. A word that is longer is cut. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ").flatMap((word) => cutAt(word, columns))) {
    if (line === "") line = word
    else if (displayWidth(line) + 1 + displayWidth(word) <= columns) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  return line === "" ? lines : [...lines, line]
}

/**
 * Returns a line broken at blanks into lines of at most so many columns, those after the first indented by so many blanks.
 * Emphasis takes no room, blanks within a line stay, a number keeps its unit, and a word that is longer is left whole, so that
 * it can be copied.
 */
export const hang = (line: string, columns: number, indent: number): ReadonlyArray<string> => {
  if (displayWidth(line) <= columns) return [line]
  const lines: Array<string> = []
  let open = ""
  let isBlank = true
  for (const word of line.split(breakable)) {
    if (!isBlank && displayWidth(open) + displayWidth(word) > columns) {
      lines.push(open.trimEnd())
      open = " ".repeat(indent)
      isBlank = true
    }
    if (word !== "") isBlank = false
    // Blanks that follow a break are what was broken at.
    if (word !== "" || !isBlank || lines.length === 0) open += `${word} `
  }
  return isBlank ? lines : [...lines, open.trimEnd()]
}

/** Returns the text filled with blanks, or cut with an ellipsis, to exactly so many columns. */
export const column = (text: string, columns: number, align: "left" | "right" = "left"): string => {
  const fitted = displayWidth(text) > columns ? `${cutAt(text, columns - 1)[0] ?? ""}…` : text
  const blanks = " ".repeat(Math.max(0, columns - displayWidth(fitted)))
  return align === "left" ? fitted + blanks : blanks + fitted
}

/** Returns a count with its noun: "1 round trip", "2 round trips". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Returns a duration as people say it: "84 ms", "2.3 s", "1 min 10 s", "2 h 5 min". */
export const duration = (millis: number): string => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1).replace(/\.0$/, "")} s`
  const seconds = Math.round(millis / 1000)
  if (seconds >= 3600) {
    const minutes = Math.round(seconds / 60)
    return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`
  }
  return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`
}

const cutAt = (word: string, columns: number): ReadonlyArray<string> => {
  if (displayWidth(word) <= columns) return [word]
  const parts: Array<string> = []
  let part = ""
  for (const character of word) {
    if (part !== "" && displayWidth(part + character) > columns) {
      parts.push(part)
      part = ""
    }
    part += character
  }
  return [...parts, part]
}

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd")

// CSI, OSC and the short escapes of ECMA-48, in their 7-bit and 8-bit forms.
const escapeSequences =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
// Zero-width characters, direction marks, overrides and isolates, and the byte order mark.
const deceivers = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g
const unprintable = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

// A blank that does not stand between a number and its unit.
const breakable = /(?<!\d(?= (?:ms|s|min)\b)) /
