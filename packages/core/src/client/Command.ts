// What the machine asks of the runtime, in order. Each is small enough that a runtime in any language can perform it.
import type { Notification, Response } from "../Message.ts"

/** What the client machine asks of the runtime, in order. */
export type Command =
  | Open
  | Reopen
  | StartDeadline
  | ClearDeadline
  | SendInitialize
  | SendDiscover
  | SendInitialized
  | DeleteSession
  | Reply
  | Keep

/** Open the transport. */
export interface Open {
  readonly _tag: "Open"
}

/** Close what is left of the channel and open a fresh one: a new process. */
export interface Reopen {
  readonly _tag: "Reopen"
}

/** Start a deadline of an exchange or of the whole negotiation; when it passes, `DeadlinePassed` is the event. */
export interface StartDeadline {
  readonly _tag: "StartDeadline"
  readonly of: number | "negotiation"
  readonly millis: number
}

/** Forget a deadline. */
export interface ClearDeadline {
  readonly _tag: "ClearDeadline"
  readonly of: number | "negotiation"
}

/** Send `initialize` offering a revision, without a version header and without a session id. */
export interface SendInitialize {
  readonly _tag: "SendInitialize"
  readonly exchange: number
  readonly version: string
}

/** Send `server/discover` at a revision, with its envelope and headers. */
export interface SendDiscover {
  readonly _tag: "SendDiscover"
  readonly exchange: number
  readonly version: string
}

/** Send `notifications/initialized` with the agreed revision and session. Its refusal or loss is a warning. */
export interface SendInitialized {
  readonly _tag: "SendInitialized"
  readonly version: string
  readonly sessionId: string | undefined
}

/** End a legacy HTTP session that will not be used. Nothing waits for the outcome. */
export interface DeleteSession {
  readonly _tag: "DeleteSession"
  readonly sessionId: string
  readonly version: string
}

/** Answer a request of the server: a ping with an empty result, anything else with -32601. */
export interface Reply {
  readonly _tag: "Reply"
  readonly message: Response
  readonly sessionId: string | undefined
}

/** Keep a notification for the connection. */
export interface Keep {
  readonly _tag: "Keep"
  readonly message: Notification
}
