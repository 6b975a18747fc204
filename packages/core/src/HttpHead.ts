// What the headers of an HTTP response say to a client: the session, the challenge, how long to wait. Bodies are not here.
import type { ResponseHead } from "./client/Event.ts"
import { HeaderName } from "./Envelope.ts"
import { head } from "./Message.ts"

/** Returns a header by its name in lower case, its copies joined with ", ", or undefined where there is none. */
export type HeaderLookup = (name: string) => string | undefined

/** The longest wait that a `Retry-After` may ask for, in milliseconds: 24 hours. */
export const longestRetryAfterMillis: number = 24 * 60 * 60 * 1000

/**
 * Returns the head of a response. A session id that is not 1 to 1024 visible ASCII characters, or that came in different
 * copies, counts as absent, with a note. `now` is asked only where a `Retry-After` date needs it.
 */
export const responseHead = (status: number, header: HeaderLookup, now: () => number): ResponseHead => {
  const contentType = header("content-type")
  const session = sessionOf(header(HeaderName.SessionId))
  const challenge = header("www-authenticate")
  const retryAfter = header("retry-after")
  const location = status >= 300 && status <= 399 ? header("location") : undefined
  const wait = retryAfter === undefined ? undefined : retryAfterMillis(retryAfter, now(), header("date"))
  return {
    status,
    ...(contentType === undefined ? undefined : { contentType: head(contentType, 200) }),
    ...session,
    ...(challenge === undefined ? undefined : { challenge: head(challenge, 2_000) }),
    ...(wait === undefined ? undefined : { retryAfterMillis: wait }),
    ...(location === undefined ? undefined : { location: head(withoutSecrets(location), 1_000) })
  }
}

/** Returns whether a content type is that of an event stream. Different copies are none. */
export const isEventStream = (contentType: string | undefined): boolean =>
  contentType !== undefined &&
  /^[ \t]*text\/event-stream[ \t]*(?:;[^,]*)?(?:,[ \t]*text\/event-stream[ \t]*(?:;[^,]*)?)*$/i.test(contentType)

/**
 * Returns the wait that a `Retry-After` value asks for, in milliseconds, or undefined for a value that is none. It holds
 * seconds or an HTTP date; a date counts from the response's own `Date`, where that is readable, so that the clocks need
 * not agree. Past dates and negative numbers are 0; more than 24 hours is 24 hours.
 */
export const retryAfterMillis = (value: string, nowMillis: number, dateHeader?: string): number | undefined => {
  const text = single(value).trim()
  const wait = /^[+-]?\d+(?:\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : waitUntil(text, dateHeader === undefined ? nowMillis : (httpDate(dateHeader.trim(), nowMillis) ?? nowMillis))
  return wait === undefined ? undefined : Math.min(Math.max(0, Math.ceil(wait)), longestRetryAfterMillis)
}

const waitUntil = (text: string, from: number): number | undefined => {
  const date = httpDate(text, from)
  return date === undefined ? undefined : date - from
}

// RFC 9110, 5.6.7: one format to write, and two more to read.
const httpDate = (text: string, nowMillis: number): number | undefined => {
  const fixed = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text)
  if (fixed !== null) return time(fixed[3], fixed[2], fixed[1], fixed[4], fixed[5], fixed[6])
  const unix = /^[A-Za-z]{3} ([A-Za-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/.exec(text)
  if (unix !== null) return time(unix[6], unix[1], unix[2], unix[3], unix[4], unix[5])
  const old = /^[A-Za-z]{6,9}, (\d{2})-([A-Za-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text)
  if (old === null) return undefined
  // A year of two digits that is more than 50 years ahead is of the century before.
  const thisYear = new Date(nowMillis).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(old[3])
  return time(String(year > thisYear + 50 ? year - 100 : year), old[2], old[1], old[4], old[5], old[6])
}

type Part = string | undefined

const time = (year: Part, month: Part, day: Part, hour: Part, minute: Part, second: Part): number | undefined => {
  const index = months.indexOf((month ?? "").toLowerCase())
  if (index === -1) return undefined
  const found = Date.UTC(Number(year), index, Number(day), Number(hour), Number(minute), Number(second))
  return Number.isNaN(found) ? undefined : found
}

// What a redirect to a login carries in its query is nobody's to keep, nor is a password before an @. Browsers and Node read
// a backslash as a slash, and an address of HTTP without any.
const withoutSecrets = (location: string): string =>
  location.replace(/[?#].*/s, "").replace(/^([^/\\@:]*:)?([/\\]*)[^/\\]*@/, "$1$2")

const sessionOf = (value: string | undefined): { readonly sessionId?: string; readonly note?: string } | undefined => {
  if (value === undefined) return undefined
  const sessionId = single(value)
  if (/^[\x21-\x7e]{1,1024}$/.test(sessionId)) return { sessionId }
  return {
    note: value.includes(separator)
      ? "The response had different copies of Mcp-Session-Id; none was kept."
      : "The Mcp-Session-Id of the response is not 1 to 1024 visible ASCII characters; it was not kept."
  }
}

// Equal copies of a header are one value.
const single = (value: string): string => {
  const length = value.length + separator.length
  for (let comma = value.indexOf(separator); comma !== -1; comma = value.indexOf(separator, comma + 1)) {
    const copies = length / (comma + separator.length)
    const first = value.slice(0, comma)
    if (Number.isInteger(copies) && value === Array.from({ length: copies }, () => first).join(separator)) return first
  }
  return value
}

const separator = ", "
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
