// What may happen to a client, as the page offers it: in words for the button, and as it is on the wire. Written once for
// all states: where a text depends on the request in flight, a mark stands for it.
import type { Event, ResponseHead } from "@parley/core/client/Event"
import type { AskedMethod, Awaiting } from "@parley/core/client/State"
import { emptyLedger } from "@parley/core/client/State"
import type { ErrorObject, JsonObject, Message } from "@parley/core/Message"
import { isFailure, isObject, isSuccess } from "@parley/core/Message"
import type { Medium } from "@parley/core/Medium"
import { offered } from "./Offered.ts"
import type { Happening } from "./Graphs.ts"
import type { Written } from "./Lines.ts"
import { answerText, streamed } from "./Lines.ts"

/** The method that a state awaits an answer to, and whether another request went before: they decide what may happen. */
export type MenuName = `${"stdio" | "http"}.${AskedMethod}.${"first" | "later"}`

/** Returns what may happen to a client on a medium, in the order of the walk. */
export const clientMenu = (medium: Medium, method: AskedMethod, place: "first" | "later"): ReadonlyArray<Happening> => {
  const state: Awaiting = {
    _tag: method === "initialize" ? "Initializing" : "Discovering",
    asked: marks.asked,
    ledger: { ...emptyLedger, exchanges: standIn }
  }
  const first = new Set(offered(medium, { ...state, ledger: { ...emptyLedger, exchanges: 1 } }).map(({ id }) => id))
  return offered(medium, state)
    .filter(({ id }) => place === "later" || first.has(id))
    .map(({ event, id }) => ({
      id,
      label: marked(labelOf(medium, event, standIn)),
      wire: wireOf(medium, event, standIn).map(marked)
    }))
}

/** What stands for the revision asked for, the request in flight, and the one before it. */
export const marks = { asked: "{asked}", exchange: "{exchange}", older: "{older}" } as const

// A number that occurs nowhere else in what may happen.
const standIn = 990_002
const marked = (text: string): string =>
  text.replaceAll(String(standIn), marks.exchange).replaceAll(String(standIn - 1), marks.older)

// ---- on the wire

/** Returns an event as it is on the wire; what is on none, in words. */
export const wireOf = (medium: Medium, event: Event, exchange: number): Written => {
  switch (event._tag) {
    case "Arrived": {
      if (medium.streams === "shared") return [JSON.stringify(event.message)]
      const body = event.head?.contentType === "text/event-stream" ? streamed(event.message) : json(event.message)
      return answered(event.exchange, exchange, event.head, body)
    }
    case "Unanswered":
      return answered(event.exchange, exchange, event.head, event.body)
    case "Stray":
      return [event.head]
    case "Closed":
      return [event.stderr === "" ? "the end" : `standard error: ${event.stderr}`]
    case "Lost":
      return [event.cause]
    case "DeadlinePassed":
      return [`nothing for ${event.waitedMillis / 1000} s`]
  }
}

const answered = (of: number | undefined, exchange: number, head: ResponseHead | undefined, body: string): Written => [
  ...(of === undefined || of === exchange ? [] : [`on the response to request ${of}:`]),
  ...answerText(head?.status ?? 200, headersOf(head), body)
]

const json = (message: Message): string => JSON.stringify(message)

const headersOf = (head: ResponseHead | undefined): { readonly [name: string]: string | undefined } => ({
  "content-type": head?.contentType,
  "mcp-session-id": head?.sessionId,
  "www-authenticate": head?.challenge,
  "retry-after": head?.retryAfterMillis === undefined ? undefined : String(head.retryAfterMillis / 1000)
})

// ---- in words

/** Returns an event in words. */
export const labelOf = (medium: Medium, event: Event, exchange: number): string => {
  switch (event._tag) {
    case "Arrived": {
      const status = event.head === undefined ? "" : `${event.head.status}: `
      const session = event.head?.sessionId === undefined ? "" : ", with a session"
      const old = event.exchange === undefined || event.exchange === exchange ? "" : ", to an older request"
      return `${status}${sayMessage(event.message, event.exchange ?? exchange)}${session}${old}`
    }
    case "Unanswered": {
      const { contentType, status } = event.head
      const old = event.exchange === exchange ? "" : ", to an older request"
      const body = event.body === "" ? "an empty body" : `no JSON-RPC: ${event.body}`
      return `${status}${contentType === undefined ? "" : ` ${contentType}`}, ${body}${old}`
    }
    case "Stray":
      return event.problem === "overlong"
        ? "a line over the size bound"
        : `${medium.streams === "shared" ? "a line that" : "what"} is no message: ${event.head}`
    case "Lost":
      if (event.exchange === undefined) return "the server cannot be reached"
      return event.exchange === exchange ? "the connection is cut" : "the connection of an older request is cut"
    case "Closed":
      if (medium.streams !== "shared") return "the server closes the connection"
      if (event.signal !== undefined) return `the process is ended by ${event.signal}`
      return event.exitCode === undefined ? "the output is closed" : `the process exits with code ${event.exitCode}`
    case "DeadlinePassed":
      if (event.of === "negotiation") return "the time for the whole negotiation is over"
      return event.of === exchange ? "no answer in time" : "the time for an older request is over"
  }
}

const sayMessage = (message: Message, exchange: number): string => {
  if (isSuccess(message)) return `result ${sayResult(message.result)}${sayId(message.id, exchange)}`
  if (isFailure(message)) return `error ${sayError(message.error)}${sayId(message.id, exchange)}`
  return "id" in message ? `a request of the server: ${message.method}` : `a notification: ${message.method}`
}

const sayId = (id: unknown, exchange: number): string => {
  if (id === exchange) return ""
  if (id === undefined) return ", without id"
  if (id === 1) return ", to request 1"
  return `, id ${JSON.stringify(id)}`
}

const sayResult = (result: JsonObject): string => {
  const { protocolVersion, resultType, supportedVersions } = result
  const lists = "resultType" in result || "supportedVersions" in result
  const parts = [
    protocolVersion === undefined ? undefined : `that names ${JSON.stringify(protocolVersion)}`,
    supportedVersions === undefined ? undefined : `that lists ${sayList(supportedVersions)}`,
    lists && supportedVersions === undefined ? "without supportedVersions" : undefined,
    !lists && protocolVersion === undefined ? "without protocolVersion" : undefined,
    "capabilities" in result ? undefined : "without capabilities",
    "serverInfo" in result ? undefined : "without serverInfo",
    lists && resultType === undefined ? "without resultType" : undefined,
    resultType === undefined || resultType === "complete" ? undefined : `of type ${JSON.stringify(resultType)}`
  ]
  return parts.filter((part) => part !== undefined).join(", ")
}

const sayError = ({ code, data, message }: ErrorObject): string => {
  const said = message === "" ? String(code) : `${code} ${message}`
  if (!isObject(data) || !("requested" in data)) return said
  return "supported" in data ? `${said}, supported ${sayList(data["supported"])}` : `${said}, without a list`
}

const sayList = (list: unknown): string =>
  Array.isArray(list) && list.length > 4
    ? `${list.length} revisions, the last ${JSON.stringify(list.at(-1))}`
    : JSON.stringify(list)
