// What the server's machine asks of the runtime, in order. Each is small enough that a runtime in any language can
// perform it.
import type { Era } from "../Version.ts"
import type { Id, JsonObject, Notification, Request, Response } from "../Message.ts"
import type { Client } from "./Evidence.ts"
import type { Refusal } from "./Refusal.ts"
import type { Closed, Opening } from "./State.ts"

/** What the server machine asks of the runtime, in order. */
export type Command = Reply | Refuse | Deliver | Hear | Resolve | Issue | StartDeadline | ClearDeadline | Close

/** Answer a request with a result of Parley's own: of `initialize`, `ping` or `server/discover`. */
export interface Reply {
  readonly _tag: "Reply"
  readonly id: Id
  readonly result: JsonObject
}

/** Answer with an error. Without an id it is written all the same: what it answers could not be read. */
export interface Refuse {
  readonly _tag: "Refuse"
  readonly refusal: Refusal
}

/** Hand an admitted request to the handler, and write the one answer that it gives. */
export interface Deliver {
  readonly _tag: "Deliver"
  readonly request: Request
  readonly admitted: Admitted
}

/** Hand a notification on: `notifications/cancelled` ends a request, others are the owner's. Nothing is answered. */
export interface Hear {
  readonly _tag: "Hear"
  readonly notification: Notification
  /** The revision that its envelope names, if it has one. */
  readonly version: string | undefined
}

/** Hand the client's answer to the request of the server that it answers, if one still waits for it. */
export interface Resolve {
  readonly _tag: "Resolve"
  readonly response: Response
}

/** A handshake succeeded. Over HTTP with sessions: issue an id and keep the state under it. A pipe ignores it. */
export interface Issue {
  readonly _tag: "Issue"
  readonly opening: Opening
}

/**
 * Start the opening deadline of a pipe, in the place of one that runs; when it passes, `DeadlinePassed` is the event. The
 * deadlines of an HTTP session, opening and idle, follow from when it was last used: nobody need wait for them.
 */
export interface StartDeadline {
  readonly _tag: "StartDeadline"
  readonly of: "opening"
  readonly millis: number
}

/** Forget the opening deadline. */
export interface ClearDeadline {
  readonly _tag: "ClearDeadline"
  readonly of: "opening"
}

/** Read nothing more, and close once the last answer that is due is out. A timeout comes with its refusal, for the log. */
export interface Close {
  readonly _tag: "Close"
  readonly why: Closed["why"]
  readonly refusal?: Refusal
}

/** On what terms a request was admitted. */
export interface Admitted {
  readonly era: Era
  readonly version: string
  readonly client: Client
  /** The `_meta` of a modern request. */
  readonly meta: JsonObject | undefined
}
