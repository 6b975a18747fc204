// Server-Sent Events: text to events, and events to text. What an event means is not decided here.
// The format is that of the HTML standard, section "Server-sent events".
import * as Pieces from "./Pieces.ts"

/** What a reader gives: an event, or the news that the stream is no longer read. */
export type Item = Event | Overlong

/**
 * A block of the stream that a blank line ended. A block without data is given too if it had an id or a `retry`, as the
 * priming events of MCP servers have: its `data` is then empty.
 */
export interface Event {
  readonly _tag: "Event"
  /** The block's own `id` field. An empty one is absent here and takes the last event id back. */
  readonly id?: string
  /** The event type. Absent means `message`. */
  readonly event?: string
  /** The data lines, joined with LF. */
  readonly data: string
  /** How long to wait before a reconnect, in milliseconds. */
  readonly retry?: number
}

/** An event passed the limit. Told once; everything that follows on the stream is dropped. */
export interface Overlong {
  readonly _tag: "Overlong"
  readonly limit: number
}

/** Reads one stream. What it gives does not depend on how the stream was cut into chunks. */
export interface Reader {
  /** Takes the next text and returns what it completes. An event that the stream's end cuts is never given. */
  readonly push: (chunk: string) => ReadonlyArray<Item>
  /** The last event id of the stream so far, or "" where there is none. */
  readonly lastEventId: () => string
  /** The last `retry` of the stream so far, in milliseconds. It counts as soon as its line is complete. */
  readonly retryMillis: () => number | undefined
}

/** How long an event may be by default, in UTF-16 code units: 16 Mi. */
export const defaultLimit: number = 16 * 1024 * 1024

/** Returns a limit as given, or the default where it is no positive number. */
export const limitOf = (limit: number | undefined): number => (limit !== undefined && limit > 0 ? limit : defaultLimit)

/**
 * Returns a reader of one stream. Lines end with CRLF, LF or CR; one leading BOM and comments are dropped. An event (its
 * data, and the line that is being read) of more than `limit` code units becomes {@link Overlong}. It never throws.
 */
export const reader = (options?: { readonly limit?: number }): Reader => {
  const limit = limitOf(options?.limit)
  const line = Pieces.make()
  const data = Pieces.make()
  let dataLines = 0
  let id: string | undefined
  let event: string | undefined
  let retry: number | undefined
  let lastEventId = ""
  let retryMillis: number | undefined
  let started = false
  let afterReturn = false
  let inComment = false
  let overlong = false

  const push = (chunk: string): ReadonlyArray<Item> => {
    if (overlong || chunk === "") return none
    const items: Array<Item> = []
    let start = 0
    if (!started) {
      started = true
      if (chunk.charCodeAt(0) === byteOrderMark) start = 1
    }
    if (afterReturn && start < chunk.length) {
      afterReturn = false
      if (chunk.charCodeAt(start) === lineFeed) start += 1
    }
    let feed = chunk.indexOf("\n", start)
    let carriage = chunk.indexOf("\r", start)
    while (start < chunk.length) {
      if (feed !== -1 && feed < start) feed = chunk.indexOf("\n", start)
      if (carriage !== -1 && carriage < start) carriage = chunk.indexOf("\r", start)
      const end = feed === -1 ? carriage : carriage === -1 ? feed : Math.min(feed, carriage)
      if (end === -1) {
        keep(chunk, start, items)
        break
      }
      if (!finish(chunk, start, end, items)) break
      start = end + 1
      if (end === carriage) {
        if (start === chunk.length) afterReturn = true
        else if (chunk.charCodeAt(start) === lineFeed) start += 1
      }
    }
    return items
  }

  // The line goes on in the next chunk. Of a comment nothing is kept: keep-alives may go on for ever.
  const keep = (chunk: string, start: number, items: Array<Item>): void => {
    if (inComment || (line.length() === 0 && chunk.charCodeAt(start) === colon)) {
      inComment = true
      return
    }
    line.add(start === 0 ? chunk : chunk.slice(start))
    weigh(line.length(), items)
  }

  // Returns whether the stream is read on.
  const finish = (chunk: string, start: number, end: number, items: Array<Item>): boolean => {
    if (inComment) {
      inComment = false
    } else if (line.length() > 0) {
      line.add(chunk.slice(start, end))
      if (!weigh(line.length(), items)) return false
      field(line.take())
    } else if (start === end) {
      dispatch(items)
    } else if (chunk.charCodeAt(start) !== colon) {
      if (!weigh(end - start, items)) return false
      field(chunk.slice(start, end))
    }
    return true
  }

  // What a line adds to the data is shorter than the line, so that weighing lines is enough.
  const weigh = (more: number, items: Array<Item>): boolean => {
    if (data.length() + more <= limit) return true
    overlong = true
    line.take()
    data.take()
    items.push({ _tag: "Overlong", limit })
    return false
  }

  const field = (text: string): void => {
    const split = text.indexOf(":")
    const name = split === -1 ? text : text.slice(0, split)
    const value = split === -1 ? "" : text.slice(text.charCodeAt(split + 1) === space ? split + 2 : split + 1)
    if (name === "data") {
      if (dataLines > 0) data.add("\n")
      dataLines += 1
      data.add(value)
    } else if (name === "event") {
      event = value
    } else if (name === "id") {
      if (!value.includes("\0")) id = value
    } else if (name === "retry" && /^[0-9]+$/.test(value)) {
      retry = Math.min(Number(value), Number.MAX_SAFE_INTEGER)
      retryMillis = retry
    }
  }

  const dispatch = (items: Array<Item>): void => {
    if (dataLines > 0 || id !== undefined || retry !== undefined) {
      items.push({
        _tag: "Event",
        ...(id === undefined || id === "" ? undefined : { id }),
        ...(event === undefined || event === "" ? undefined : { event }),
        data: data.take(),
        ...(retry === undefined ? undefined : { retry })
      })
      if (id !== undefined) lastEventId = id
    }
    dataLines = 0
    id = undefined
    event = undefined
    retry = undefined
  }

  return { push, lastEventId: () => lastEventId, retryMillis: () => retryMillis }
}

/**
 * Returns an event as text. Line breaks of any kind in `data` become data lines, and arrive as LF. An id or event type
 * cannot hold a line break or NUL: these are left out.
 */
export const encode = (
  data: string,
  fields?: { readonly id?: string; readonly event?: string; readonly retry?: number }
): string => {
  let text = ""
  if (fields?.event !== undefined) text += `event: ${oneLine(fields.event)}\n`
  if (fields?.id !== undefined) text += `id: ${oneLine(fields.id)}\n`
  if (fields?.retry !== undefined && fields.retry >= 0) text += `retry: ${integer(fields.retry)}\n`
  return `${text}data: ${lines(data, "data: ")}\n\n`
}

/** Returns a comment as text, for keeping a connection alive: readers drop it. */
export const comment = (text = ""): string => `: ${lines(text, ": ")}\n`

const lines = (text: string, prefix: string): string =>
  /[\r\n]/.test(text) ? text.replace(/\r\n|\r|\n/g, `\n${prefix}`) : text

// oxlint-disable-next-line no-control-regex
const oneLine = (text: string): string => text.replace(/[\r\n\u0000]/g, "")

const integer = (value: number): string => String(Math.floor(Math.min(value, Number.MAX_SAFE_INTEGER)))

const lineFeed = 0x0a
const colon = 0x3a
const space = 0x20
const byteOrderMark = 0xfeff
const none: ReadonlyArray<Item> = []
