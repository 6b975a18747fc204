// Bytes to lines and a message to a line, as both ends of a pipe need it. What a line means is not decided here.
import type { Message } from "./Message.ts"
import { head } from "./Message.ts"

/** What a reader gives: the text of a line, or the beginning of one that was too long to keep. */
export type Line = Text | Overlong

/** A line without its end. It is valid text: bytes that are no UTF-8 became U+FFFD, and the line is then marked. */
export interface Text {
  readonly _tag: "Text"
  readonly text: string
  /** Its bytes were no UTF-8. */
  readonly isMended?: true
}

/** A line passed the limit. It is told once, as soon as it passes; the rest is skipped up to its newline. */
export interface Overlong {
  readonly _tag: "Overlong"
  /** The beginning of it, on one line, at most 200 characters. */
  readonly head: string
  readonly limitBytes: number
}

/** Reads one stream. What it gives does not depend on how the stream was cut into chunks. */
export interface Reader {
  /** Takes the next bytes and returns the lines that they complete. The chunk is not kept. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Line>
  /** Takes the end of the stream and returns a last line that had no newline, if there is one. */
  readonly end: () => ReadonlyArray<Line>
}

/** How long a line may be by default, in bytes: 16 MiB. */
export const defaultLimitBytes: number = 16 * 1024 * 1024

/** How long a line may be at most, whatever is asked for, in bytes: 256 MiB, since longer text is no string everywhere. */
export const largestLimitBytes: number = 256 * 1024 * 1024

/**
 * Returns a reader of one stream of UTF-8. Lines end with LF or CRLF; one leading BOM of the stream and blank lines are
 * dropped. A line of more than `limitBytes` (default 16 MiB, at least 1, counted without its newline) becomes
 * {@link Overlong}. It never throws, and keeps at most one line.
 */
export const reader = (options?: { readonly limitBytes?: number }): Reader => {
  const asked = options?.limitBytes ?? defaultLimitBytes
  const limit = asked >= 1 ? Math.min(asked, largestLimitBytes) : defaultLimitBytes
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true })
  let kept: Uint8Array = nothing
  let length = 0
  let skipping = false
  let first = true

  // Copies, so that a peer that sends single bytes costs a byte for each, not a chunk object.
  const keep = (bytes: Uint8Array): void => {
    const needed = length + bytes.length
    if (needed > kept.length) {
      const grown = new Uint8Array(Math.max(needed, Math.min(2 * kept.length, limit), smallestBuffer))
      grown.set(kept.subarray(0, length))
      kept = grown
    }
    kept.set(bytes, length)
    length = needed
  }

  const forget = (): void => {
    length = 0
    if (kept.length > largestIdleBuffer) kept = nothing
  }

  const emit = (bytes: Uint8Array, lines: Array<Line>): void => {
    const line = withoutCarriageReturn(bytes)
    let text: string
    let isMended = false
    try {
      text = decoder.decode(line)
    } catch {
      text = mending.decode(line)
      isMended = true
    }
    if (first) {
      first = false
      if (text.charCodeAt(0) === byteOrderMark) text = text.slice(1)
    }
    if (!isBlank(text)) lines.push(isMended ? { _tag: "Text", text, isMended } : { _tag: "Text", text })
  }

  const refuse = (bytes: Uint8Array, lines: Array<Line>): void => {
    const beginning = new TextDecoder("utf-8", { ignoreBOM: !first })
    // As a stream: a character that the cut split is left out.
    const text = beginning.decode(bytes.subarray(0, Math.min(limit, headBytes)), { stream: true })
    first = false
    lines.push({ _tag: "Overlong", head: head(text, headCharacters), limitBytes: limit })
  }

  const push = (chunk: Uint8Array): ReadonlyArray<Line> => {
    const lines: Array<Line> = []
    let start = 0
    while (start < chunk.length) {
      const newline = chunk.indexOf(lineFeed, start)
      const end = newline === -1 ? chunk.length : newline
      if (!skipping) {
        if (length + end - start > limit) {
          // The head needs no more than the limit; the rest of the line is never kept.
          keep(chunk.subarray(start, Math.min(end, start + headBytes)))
          refuse(kept.subarray(0, length), lines)
          forget()
          skipping = true
        } else if (newline === -1) {
          keep(chunk.subarray(start))
        } else if (length === 0) {
          emit(chunk.subarray(start, end), lines)
        } else {
          keep(chunk.subarray(start, end))
          emit(kept.subarray(0, length), lines)
          forget()
        }
      }
      if (newline === -1) break
      skipping = false
      start = newline + 1
    }
    return lines
  }

  const end = (): ReadonlyArray<Line> => {
    const lines: Array<Line> = []
    if (length > 0) emit(kept.subarray(0, length), lines)
    kept = nothing
    length = 0
    skipping = false
    return lines
  }

  return { push, end }
}

/** A message as a line with its newline, or why it has no JSON (a cycle, a BigInt in what the caller gave). */
export type Encoded = { readonly ok: true; readonly line: string } | { readonly ok: false; readonly problem: string }

/** Writes one message as one line. JSON has no raw newline, so that the line holds exactly one. Never throws. */
export const encode = (message: Message): Encoded => {
  try {
    return { ok: true, line: `${JSON.stringify(message)}\n` }
  } catch (cause) {
    return { ok: false, problem: head(cause instanceof Error ? cause.message : String(cause), headCharacters) }
  }
}

const withoutCarriageReturn = (bytes: Uint8Array): Uint8Array =>
  bytes[bytes.length - 1] === carriageReturn ? bytes.subarray(0, -1) : bytes

const isBlank = (text: string): boolean => text.charCodeAt(0) !== openBrace && !/[^ \t\r\f\v]/.test(text)

const mending = new TextDecoder("utf-8", { ignoreBOM: true })
const lineFeed = 0x0a
const carriageReturn = 0x0d
const openBrace = 0x7b
const byteOrderMark = 0xfeff
const headCharacters = 200
// A character takes at most four bytes, and one more character tells that there is more.
const headBytes = 4 * (headCharacters + 1)
const smallestBuffer = 4096
const largestIdleBuffer = 65_536
const nothing = new Uint8Array(0)
