// What can happen to a server's conversation, before anyone says what it means.
import type { RequestHeaders } from "./HeaderValue.ts"
import type { Refusal } from "./Refusal.ts"

/** Something that happened to a server's conversation. */
export type Event = Received | Unreadable | DeadlinePassed | EndOfInput | Deleted

/** A JSON value came that is no array: the members of a batch come one by one. Over HTTP with its headers. */
export interface Received {
  readonly _tag: "Received"
  readonly value: unknown
  readonly headers?: RequestHeaders | undefined
  /** Whether it came in a batch. */
  readonly batched?: boolean
}

/** What came could not be read as JSON, or is a batch that is not allowed. */
export interface Unreadable {
  readonly _tag: "Unreadable"
  readonly refusal: Refusal
}

/** A deadline that the machine asked for passed. `unanswered` counts requests admitted and not yet answered. */
export interface DeadlinePassed {
  readonly _tag: "DeadlinePassed"
  readonly of: "opening" | "idle"
  readonly waitedMillis: number
  readonly unanswered: number
}

/** The client closed its end of the pipe. */
export interface EndOfInput {
  readonly _tag: "EndOfInput"
}

/** The client ended its HTTP session by DELETE. */
export interface Deleted {
  readonly _tag: "Deleted"
}
