// Where a conversation stands on the server's side: one for each pipe, and one for each legacy HTTP session.
import type { Client } from "./Evidence.ts"

/** Where a server's conversation stands. */
export type State = Open | Closed

/** The states that read messages: the columns of the table. */
export type Open = AwaitingOpening | AwaitingInitialized | Serving
/** The tags of the states that read messages. */
export type OpenTag = Open["_tag"]

/** Nothing was agreed by a handshake. Modern requests are served here without leaving it. */
export interface AwaitingOpening {
  readonly _tag: "AwaitingOpening"
  /** Whether a request of either era was admitted: it clears the opening deadline. */
  readonly admitted: boolean
}

/** `initialize` was answered, and `notifications/initialized` has not come. */
export interface AwaitingInitialized {
  readonly _tag: "AwaitingInitialized"
  readonly admitted: boolean
  readonly opening: Opening
}

/** The handshake is complete. */
export interface Serving {
  readonly _tag: "Serving"
  readonly opening: Opening
}

/** Nothing more is read; an answer still due is written. Over HTTP every request is SessionUnknown. */
export interface Closed {
  readonly _tag: "Closed"
  readonly why: "ended" | "deleted" | "timeout" | "idle"
}

/** What a handshake agreed on. */
export interface Opening {
  readonly version: string
  readonly client: Client
}

/** A conversation in which nothing happened yet. */
export const awaiting: AwaitingOpening = { _tag: "AwaitingOpening", admitted: false }
