// What can happen to a client, before anyone says what it means. Carriers emit these; the runtime adds deadlines.
import type { Message } from "../Message.ts"

/**
 * Something that happened. `exchange` is the number under which the request was sent (an {@link Outgoing}); it is
 * absent where the carrier cannot tell, as on a shared pipe.
 */
export type Event = Arrived | Stray | Unanswered | Lost | Closed | DeadlinePassed

/** A JSON-RPC message came. Over HTTP with the exchange on whose response it came, and that response's head. */
export interface Arrived {
  readonly _tag: "Arrived"
  readonly message: Message
  readonly exchange?: number
  readonly head?: ResponseHead
}

/** Output that is no JSON-RPC message: a banner, a log line. `overlong` when it passed the line limit. */
export interface Stray {
  readonly _tag: "Stray"
  /** The beginning of it, on one line, at most 200 characters. */
  readonly head: string
  readonly problem: "notJson" | "notJsonRpc" | "overlong"
}

/** The HTTP response of an exchange ended and held no JSON-RPC answer to it. For a notification a 2xx is acceptance. */
export interface Unanswered {
  readonly _tag: "Unanswered"
  readonly exchange: number
  readonly head: ResponseHead
  /** The beginning of the body, on one line, at most 200 characters. */
  readonly body: string
  readonly problem: string
}

/** The carrier could not carry: nothing to connect to, no process, a broken connection, a stream cut in the middle. */
export interface Lost {
  readonly _tag: "Lost"
  /** Absent when everything is lost: a process that cannot be started. */
  readonly exchange?: number
  /** One sentence without credentials, at most 300 characters. */
  readonly cause: string
  /** False where trying again cannot help, as with a command that does not exist. */
  readonly retryable?: false
  /** Where a cut stream can be resumed: the last event id, and how long the server asked to wait. */
  readonly resume?: { readonly lastEventId: string; readonly retryMillis: number }
}

/** The peer of a pipe closed its output or exited. */
export interface Closed {
  readonly _tag: "Closed"
  readonly exitCode?: number
  readonly signal?: string
  /** The end of what it wrote to standard error, at most 64 KiB. */
  readonly stderr: string
}

/** A deadline that the machine asked for passed. */
export interface DeadlinePassed {
  readonly _tag: "DeadlinePassed"
  readonly of: number | "negotiation"
  readonly waitedMillis: number
}

/** What an HTTP response says of itself, as far as an opening may need it. */
export interface ResponseHead {
  readonly status: number
  readonly contentType?: string
  readonly sessionId?: string
  /** The `WWW-Authenticate` header, at most 2,000 characters. */
  readonly challenge?: string
  /** `Retry-After`, seconds or date, already turned into a wait from now. */
  readonly retryAfterMillis?: number
  /** Where a redirect leads, without credentials, query and fragment, at most 1,000 characters. */
  readonly location?: string
  /** What was wrong with the headers and was passed over, in a sentence. */
  readonly note?: string
}

/** Makes the event of a message; over HTTP with the exchange and the head of its response. */
export const arrived = (message: Message, exchange?: number, head?: ResponseHead): Arrived => ({
  _tag: "Arrived",
  message,
  ...(exchange === undefined ? undefined : { exchange }),
  ...(head === undefined ? undefined : { head })
})
