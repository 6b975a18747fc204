// The turns of a client conversation: how what a client sends and what it gets look as texts, and what is made of them.
import type { Event, ResponseHead } from "@parley/core/client/Event"
import { HeaderName } from "@parley/core/Envelope"
import type { Medium } from "@parley/core/Medium"
import type { Came, Sent } from "../link/Wire.ts"
import { eventsOf } from "../link/Wire.ts"

/** What the client puts on the wire. On stdio a line; over HTTP a request. */
export type Out =
  | { readonly line: string }
  | { readonly method: string; readonly headers: { readonly [name: string]: string }; readonly text?: string }
  | { readonly reopen: true }

/** What the client gets. On stdio a line or an end; over HTTP the answer to the last request, or its loss. */
export type In =
  | { readonly line: string }
  | { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly text?: string }
  | { readonly silentMillis: number }
  | { readonly ended: { readonly exitCode?: number; readonly signal?: string } }
  | { readonly cut: true }

/** Returns what the client sent as a turn tells it. */
export const outOf = (medium: Medium, { headers, httpMethod, text }: Sent): Out =>
  medium.streams === "shared"
    ? { line: text ?? "" }
    : { method: httpMethod, headers, ...(text === undefined ? undefined : { text }) }

/** An event as it looks on the wire, and what a client makes of that. */
export interface Said {
  readonly told: In
  readonly events: (sent: Sent | undefined) => ReadonlyArray<Event>
}

/** Returns how an event looks on the wire. Undefined for what no single text can be. */
export const wireOf = (medium: Medium, event: Event, exchange: number): Said | undefined => {
  if (medium.streams === "shared") return onPipe(event, exchange)
  switch (event._tag) {
    case "Arrived":
      return event.exchange !== exchange || "method" in event.message
        ? undefined
        : answered(exchange, event.head, JSON.stringify(event.message))
    case "Unanswered":
      return event.exchange === exchange ? answered(exchange, event.head, event.body) : undefined
    case "Lost":
      return event.exchange === exchange ? { told: { cut: true }, events: () => [event] } : undefined
    case "DeadlinePassed":
      return silent(event, exchange)
    case "Stray":
    case "Closed":
      return undefined
  }
}

const onPipe = (event: Event, exchange: number): Said | undefined => {
  switch (event._tag) {
    case "Arrived":
      return line(JSON.stringify(event.message))
    case "Stray":
      return event.problem === "overlong" ? undefined : line(event.head)
    case "Closed": {
      const { exitCode, signal } = event
      const ended = {
        ...(exitCode === undefined ? undefined : { exitCode }),
        ...(signal === undefined ? undefined : { signal })
      }
      return { told: { ended }, events: () => [event] }
    }
    case "DeadlinePassed":
      return silent(event, exchange)
    case "Lost":
    case "Unanswered":
      return undefined
  }
}

const line = (text: string): Said => ({
  told: { line: text },
  events: () => eventsOf({ _tag: "Line", text }, undefined)
})

const silent = (event: Extract<Event, { readonly _tag: "DeadlinePassed" }>, exchange: number): Said | undefined =>
  event.of === exchange ? { told: { silentMillis: event.waitedMillis }, events: () => [event] } : undefined

const answered = (exchange: number, head: ResponseHead | undefined, body: string): Said => {
  const status = head?.status ?? 200
  const headers = {
    ...(head?.contentType === undefined ? undefined : { "content-type": head.contentType }),
    ...(head?.sessionId === undefined ? undefined : { [HeaderName.SessionId]: head.sessionId }),
    ...(head?.challenge === undefined ? undefined : { "www-authenticate": head.challenge }),
    ...(head?.retryAfterMillis === undefined ? undefined : { "retry-after": String(head.retryAfterMillis / 1000) })
  }
  const text = body === "" ? undefined : body
  const came: Came = { _tag: "Answer", exchange, status, headers, text }
  return {
    told: { status, headers, ...(text === undefined ? undefined : { text }) },
    events: (sent) => eventsOf(came, sent?.outgoing)
  }
}

/** Returns the events that a client makes of what a turn tells. */
export const heardAs = (said: In, exchange: number, sent: Sent | undefined): ReadonlyArray<Event> => {
  if ("line" in said) return eventsOf({ _tag: "Line", text: said.line }, undefined)
  if ("silentMillis" in said) return [{ _tag: "DeadlinePassed", of: exchange, waitedMillis: said.silentMillis }]
  if ("cut" in said) return [{ _tag: "Lost", exchange, cause: "The connection was cut." }]
  if ("ended" in said) return [{ _tag: "Closed", stderr: "", ...said.ended }]
  const { headers, status, text } = said
  return eventsOf({ _tag: "Answer", exchange, status, headers, text }, sent?.outgoing)
}
