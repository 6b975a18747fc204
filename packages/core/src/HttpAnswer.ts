// The pure part of reading the HTTP response to an Outgoing, the same for every HTTP carrier: a status, headers, text and
// an end or a cut become events. Sockets, redirects and retries are not here; how a header is read is in HttpHead.
import type { Event, Lost, ResponseHead, Unanswered } from "./client/Event.ts"
import { arrived } from "./client/Event.ts"
import type { Outgoing } from "./client/Outgoing.ts"
import { HeaderName } from "./Envelope.ts"
import { type HeaderLookup, isEventStream, responseHead } from "./HttpHead.ts"
import {
  head,
  type Id,
  isFailure,
  isRequest,
  isResponse,
  isSuccess,
  type Message,
  parse,
  read as readMessage,
  tooDeep
} from "./Message.ts"
import * as Pieces from "./Pieces.ts"
import * as Sse from "./Sse.ts"

/** A response, as far as it is known when its headers are. */
export interface Given {
  /** What was sent. */
  readonly outgoing: Outgoing
  readonly status: number
  /** Returns a header by its name in lower case; several copies are joined with ", ". */
  readonly header: HeaderLookup
  /** The time, in milliseconds since 1970. Asked only where a `Retry-After` needs it. */
  readonly now: () => number
  /** The most text that is kept of a body, or of one event of a stream, in UTF-16 code units. Default 16 Mi. */
  readonly limit?: number | undefined
}

/**
 * Reads one response. An exchange is concluded exactly once: by the `Arrived` that answers it (for a request a result
 * with its id, or any error), or by one `Unanswered` or `Lost`. A result with another id arrives and concludes nothing.
 */
export interface Reader {
  readonly head: ResponseHead
  /**
   * Takes the next text and returns what it tells. A carrier calls it once with "" as soon as the headers are there, for
   * what needs no text.
   */
  readonly push: (chunk: string) => ReadonlyArray<Event>
  /** Takes the regular end of the response. */
  readonly end: () => ReadonlyArray<Event>
  /** Takes its irregular end: one sentence about what happened. */
  readonly cut: (cause: string) => ReadonlyArray<Event>
  readonly phase: () => Phase
}

/**
 * `open`: not concluded. `answered`: concluded by its answer; what else the stream brings is told, and its end is not.
 * `done`: nothing that may still come is told; a carrier closes the response if it has not ended.
 */
export type Phase = "open" | "answered" | "done"

/** The longest wait before a resumption that a server may ask for, in milliseconds: 60 s. */
export const longestRetryMillis = 60_000

/** The wait before a resumption where a server asks for none, in milliseconds: 1 s. */
export const defaultRetryMillis = 1_000

/** Returns the reader of a response. */
export const reader = (given: Given): Reader => {
  const response = responseHead(given.status, given.header, given.now)
  const { outgoing } = given
  const limit = Sse.limitOf(given.limit)
  const streams = isEventStream(given.header("content-type"))
  if (outgoing._tag === "Listen") {
    return streams && isGood(given.status)
      ? stream(outgoing, response, limit, askedFrom(outgoing) === undefined ? () => false : isResponse)
      : unread(outgoing, response, false)
  }
  if (outgoing._tag === "Delete" || !isRequest(outgoing.message)) return unread(outgoing, response, streams)
  const { id } = outgoing.message
  return streams
    ? stream(outgoing, response, limit, answering(id))
    : body(outgoing.exchange, id, response, limit, given.header("content-encoding"))
}

/** Returns the event of an exchange that the carrier could not carry. The sentence is cut at 300 characters. */
export const lost = (exchange: number, cause: string, resume?: Lost["resume"]): Lost => ({
  _tag: "Lost",
  exchange,
  cause: head(cause, 300),
  ...(resume === undefined ? undefined : { resume })
})

// A JSON body: one message, or an array of which one answers.
const body = (
  exchange: number,
  id: Id,
  response: ResponseHead,
  limit: number,
  encoding: string | undefined
): Reader => {
  const text = Pieces.make()
  let phase: Phase = "open"

  const push = (chunk: string): ReadonlyArray<Event> => {
    if (phase !== "open") return none
    text.add(chunk)
    if (text.length() <= limit) return none
    phase = "done"
    return [unanswered(exchange, response, text.take(), `the body is longer than ${limit} characters`)]
  }

  const end = (): ReadonlyArray<Event> => {
    if (phase !== "open") return none
    phase = "done"
    const whole = withoutByteOrderMark(text.take())
    if (whole.trim() === "") return [unanswered(exchange, response, "", "the response has no body")]
    const parsed = parse(whole)
    if (!parsed.ok) return [unanswered(exchange, response, whole, unreadable(parsed.problem))]
    const found = messagesOf(parsed.value)
    if (found.length === 0) {
      return [unanswered(exchange, response, whole, `the body is no JSON-RPC message${typed(response)}`)]
    }
    const answer = answerAmong(found, id)
    // Where one response answers, the others in the array are answers to nothing.
    const events: Array<Event> = found
      .filter((message) => answer === undefined || message === answer || !isResponse(message))
      .map((message) => arrived(message, exchange, response))
    if (answer === undefined) events.push(unanswered(exchange, response, whole, noAnswer(found)))
    return events
  }

  const unreadable = (problem: string): string =>
    problem === tooDeep
      ? `the body cannot be read: ${problem}`
      : encoding === undefined
        ? `the body is no JSON${typed(response)}`
        : `the body is encoded as ${head(encoding, 40)}, which was not asked for`

  const cut = (cause: string): ReadonlyArray<Event> => {
    if (phase !== "open") return none
    phase = "done"
    return [lost(exchange, cause)]
  }

  return { head: response, push, end, cut, phase: () => phase }
}

// An event stream: any number of messages, one of which answers, unless the stream is there to listen. One that resumes
// does not know the id of what it resumes, and the first response is for it.
const stream = (
  outgoing: Outgoing,
  response: ResponseHead,
  limit: number,
  answers: (message: Message) => boolean
): Reader => {
  const events = Sse.reader({ limit })
  const { exchange } = outgoing
  let phase: Phase = "open"
  let noise: Noise | undefined
  let strangers = false

  const push = (chunk: string): ReadonlyArray<Event> => {
    if (phase === "done") return none
    const items = events.push(chunk)
    if (items.length === 0) return none
    const told: Array<Event> = []
    for (const item of items) {
      if (item._tag === "Overlong") {
        if (phase === "open") {
          told.push(unanswered(exchange, response, "", `an event is longer than ${item.limit} characters`))
        }
        phase = "done"
      } else if (item.data !== "" && (item.event === undefined || item.event === "message")) {
        read(item.data, told)
      }
    }
    return told
  }

  const read = (text: string, told: Array<Event>): void => {
    const parsed = parse(text)
    const found = parsed.ok ? messagesOf(parsed.value) : none
    if (found.length === 0) {
      noise ??= {
        head: head(text, 200),
        problem: parsed.ok ? "an event is no JSON-RPC message" : "an event is no JSON"
      }
    }
    for (const message of found) {
      told.push(arrived(message, exchange, response))
      if (answers(message)) phase = "answered"
      else if (isResponse(message)) strangers = true
    }
  }

  // A resumed stream that brought no new event id goes on from where it was asked to.
  const resumption = (): Lost["resume"] => {
    const lastEventId = events.lastEventId() || askedFrom(outgoing)
    if (lastEventId === undefined || !/^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/.test(lastEventId))
      return undefined
    return { lastEventId, retryMillis: Math.min(events.retryMillis() ?? defaultRetryMillis, longestRetryMillis) }
  }

  const end = (): ReadonlyArray<Event> => {
    if (phase !== "open") return none
    phase = "done"
    const resume = resumption()
    if (resume !== undefined) return [lost(exchange, "The server ended the stream.", resume)]
    const what = outgoing._tag === "Listen" ? "the stream ended" : "the stream ended before the answer"
    const why = noise?.problem ?? (strangers ? "its result has another id" : undefined)
    return [unanswered(exchange, response, noise?.head ?? "", why === undefined ? what : `${what}; ${why}`)]
  }

  const cut = (cause: string): ReadonlyArray<Event> => {
    if (phase !== "open") return none
    phase = "done"
    return [lost(exchange, cause, resumption())]
  }

  return { head: response, push, end, cut, phase: () => phase }
}

// A response whose body answers nothing: to a notification, a response, a DELETE, or a GET that opened no stream.
const unread = (outgoing: Outgoing, response: ResponseHead, streams: boolean): Reader => {
  const good = isGood(response.status)
  const problem =
    outgoing._tag === "Listen" ? "the server opens no stream" : good ? "accepted" : `refused with ${response.status}`
  let beginning = ""
  let seen = 0
  let phase: Phase = "open"

  const conclude = (): ReadonlyArray<Event> => {
    if (phase !== "open") return none
    phase = "done"
    return [unanswered(outgoing.exchange, response, beginning, problem)]
  }

  const push = (chunk: string): ReadonlyArray<Event> => {
    if (beginning.length < longestBeginning) beginning += chunk.slice(0, longestBeginning)
    seen += chunk.length
    // A stream says nothing more here and may never end.
    return streams || seen > longestUnread ? conclude() : none
  }

  // The status of an accepted message is all there is to know; how its empty body ends is not.
  const cut = (cause: string): ReadonlyArray<Event> => {
    if (phase !== "open" || good) return conclude()
    phase = "done"
    return [lost(outgoing.exchange, cause)]
  }

  return { head: response, push, end: conclude, cut, phase: () => phase }
}

interface Noise {
  readonly head: string
  readonly problem: string
}

// An error answers whatever its id; a result answers with our id, type included.
const answering =
  (id: Id) =>
  (message: Message): boolean =>
    isFailure(message) || (isSuccess(message) && message.id === id)

const askedFrom = (outgoing: Outgoing): string | undefined =>
  outgoing._tag === "Listen" ? outgoing.headers[HeaderName.LastEventId] : undefined

// Our own id comes before an error with another.
const answerAmong = (messages: ReadonlyArray<Message>, id: Id): Message | undefined =>
  messages.find((message) => isResponse(message) && message.id === id) ?? messages.find(isFailure)

const noAnswer = (messages: ReadonlyArray<Message>): string =>
  messages.some(isSuccess) ? "the result has another id" : "the body holds no answer"

const messagesOf = (value: unknown): ReadonlyArray<Message> => {
  const found: Array<Message> = []
  for (const member of Array.isArray(value) ? value : [value]) {
    const message = readMessage(member)
    if (message !== undefined) found.push(message)
  }
  return found
}

const unanswered = (exchange: number, response: ResponseHead, text: string, problem: string): Unanswered => ({
  _tag: "Unanswered",
  exchange,
  head: response,
  body: head(text, 200),
  problem
})

const typed = (response: ResponseHead): string =>
  response.contentType === undefined ? " and has no content type" : ` but ${head(response.contentType, 100)}`

const withoutByteOrderMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

const isGood = (status: number): boolean => status >= 200 && status <= 299

const none: ReadonlyArray<never> = []
const longestBeginning = 800
const longestUnread = 65_536
