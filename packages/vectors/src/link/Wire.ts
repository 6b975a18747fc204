// The wire between a client and a server, as texts: what a command puts on it, and what events come of what is on it.
// Core's own framing is used in both directions, so that nothing here can mean anything else than it does in a carrier.
import { firstFreeExchange } from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import type { Headers, Outgoing } from "@parley/core/client/Outgoing"
import type { ClientIdentity } from "@parley/core/Envelope"
import * as Envelope from "@parley/core/Envelope"
import * as HttpAnswer from "@parley/core/HttpAnswer"
import type { Medium } from "@parley/core/Medium"
import { idOf } from "@parley/core/Medium"
import * as PipeAnswer from "@parley/core/PipeAnswer"

/** Who the client on the wire is. */
export const identity: ClientIdentity = { info: { name: "client", version: "1.0.0" }, capabilities: {} }

/** What a client puts on the wire. A pipe carries the text alone. */
export interface Sent {
  readonly exchange: number
  readonly httpMethod: "POST" | "DELETE"
  readonly headers: Headers
  /** One JSON-RPC message; absent for DELETE. */
  readonly text: string | undefined
  readonly outgoing: Outgoing
}

/** What comes back. */
export type Came =
  | { readonly _tag: "Line"; readonly text: string }
  | {
      readonly _tag: "Answer"
      readonly exchange: number
      readonly status: number
      readonly headers: Headers
      readonly text: string | undefined
    }
  | { readonly _tag: "Exited"; readonly exitCode: number; readonly stderr: string }

/** Returns what a command puts on the wire, or undefined for a command that puts nothing there. */
export const sentBy = (medium: Medium, command: Command, free: () => number): Sent | undefined => {
  const outgoing = outgoingOf(medium, command, free)
  if (outgoing === undefined || (outgoing._tag === "Delete" && medium.streams === "shared")) return undefined
  return {
    exchange: outgoing.exchange,
    httpMethod: outgoing._tag === "Delete" ? "DELETE" : "POST",
    headers: medium.streams === "shared" ? {} : { ...carrierHeaders(outgoing), ...outgoing.headers },
    text: outgoing._tag === "Post" ? JSON.stringify(outgoing.message) : undefined,
    outgoing
  }
}

// What every HTTP carrier adds of its own.
const carrierHeaders = (outgoing: Outgoing): Headers =>
  outgoing._tag === "Post" ? { "content-type": "application/json", accept: "application/json, text/event-stream" } : {}

const outgoingOf = (medium: Medium, command: Command, free: () => number): Outgoing | undefined => {
  switch (command._tag) {
    case "SendInitialize": {
      const { exchange, version } = command
      return { _tag: "Post", exchange, ...Envelope.initialize(idOf(medium, exchange), version, identity) }
    }
    case "SendDiscover": {
      const { exchange, version } = command
      return { _tag: "Post", exchange, ...Envelope.discover(idOf(medium, exchange), version, identity) }
    }
    case "SendInitialized":
      return { _tag: "Post", exchange: free(), ...Envelope.initialized({ ...command, client: identity }) }
    case "DeleteSession":
      return { _tag: "Delete", exchange: free(), headers: Envelope.legacyHeaders({ ...command, client: identity }) }
    case "Reply": {
      const { message, sessionId } = command
      const headers = sessionId === undefined ? {} : { [Envelope.HeaderName.SessionId]: sessionId }
      return { _tag: "Post", exchange: free(), message, headers }
    }
    case "Open":
    case "Reopen":
    case "StartDeadline":
    case "ClearDeadline":
    case "Keep":
      return undefined
  }
}

/** Returns the events that a client makes of what came, to what it had sent on that exchange. */
export const eventsOf = (came: Came, outgoing: Outgoing | undefined): ReadonlyArray<Event> => {
  switch (came._tag) {
    case "Line":
      return PipeAnswer.events([{ _tag: "Text", text: came.text }])
    case "Exited":
      return [{ _tag: "Closed", exitCode: came.exitCode, stderr: came.stderr }]
    case "Answer": {
      if (outgoing === undefined) return []
      const { headers, status, text } = came
      const reader = HttpAnswer.reader({ outgoing, status, header: (name) => headers[name], now: () => 0 })
      return [...reader.push(text ?? ""), ...reader.end()]
    }
  }
}

/** Returns whether an event belongs to what a connection sends for itself, such as a DELETE: a runtime keeps it from the machine. */
export const isAside = (event: Event): boolean =>
  "exchange" in event && event.exchange !== undefined && event.exchange >= firstFreeExchange
