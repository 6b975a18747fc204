// Where a client's conversation stands. A state awaits one answer; an ending accepts no events.
import type { NegotiationReason } from "../Errors.ts"
import type { JsonObject } from "../Message.ts"
import type { Agreed, Evidence } from "./Evidence.ts"

/** Where the client's conversation stands. */
export type State = Awaiting | Settled | Failed

/** The states that await an answer: the columns of the tables. */
export type Awaiting = Initializing | Discovering | DiscoveringAgain | Holding | Countering | Keeping
/** The states that take evidence: the rows of a policy's table. */
export type AwaitingTag = Awaiting["_tag"]

/** `initialize` was sent: the opening, or the fallback of a probe. */
export interface Initializing extends Asking {
  readonly _tag: "Initializing"
}

/** `server/discover` was sent: the opening, or what an answer to `initialize` led to. */
export interface Discovering extends Asking {
  readonly _tag: "Discovering"
}

/** `server/discover` was sent once more, after the opening probe of a discover-first policy. */
export interface DiscoveringAgain extends Asking {
  readonly _tag: "DiscoveringAgain"
}

/** A second `initialize` was sent to a server that named a modern revision in a handshake. */
export interface Holding extends Asking {
  readonly _tag: "Holding"
}

/** `initialize` was sent at a legacy revision that the server listed. */
export interface Countering extends Asking {
  readonly _tag: "Countering"
}

/** An `initialize` is unanswered, and a late DiscoverResult of the silent probe is kept. */
export interface Keeping extends Asking {
  readonly _tag: "Keeping"
  readonly late: Agreed
}

/** What every awaiting state knows: the revision asked for, and what has been spent. */
export interface Asking {
  readonly asked: string
  readonly ledger: Ledger
}

/** What a conversation has spent and must remember. Bounded: nothing in it grows past a policy's budget. */
export interface Ledger {
  /** How many exchanges were begun; the number of the one in flight. */
  readonly exchanges: number
  readonly initializes: number
  readonly discovers: number
  readonly corrected: boolean
  readonly countered: boolean
  readonly held: boolean
  readonly reopened: boolean
  readonly outOfTurn: number
  readonly noise: number
  /** The first lines of noise, each at most 200 characters. */
  readonly strays: ReadonlyArray<string>
  /** What ended the opening exchange, once another was begun. */
  readonly opening: Opening | undefined
  /** The modern revision that an `initialize` was answered with, while the handshake can still be held. */
  readonly holdable: string | undefined
  /** The session that an `initialize` result opened and that is not in use. */
  readonly session: Session | undefined
  /** The exchange of a probe that timed out and may still be answered on the same pipe. */
  readonly probe: number | undefined
}

/** What the opening was and how it ended. */
export interface Opening {
  readonly method: AskedMethod
  readonly asked: string
  readonly evidence: Evidence
}

/** A legacy HTTP session, and the revision to name when it is deleted. */
export interface Session {
  readonly id: string
  readonly version: string
}

/** The two methods that open. */
export type AskedMethod = "initialize" | "server/discover"

/** An agreement was reached. */
export interface Settled {
  readonly _tag: "Settled"
  readonly version: string
  /** What the server named: differs from `version` only where a handshake is held. */
  readonly named: string
  readonly offered: string
  readonly method: AskedMethod
  readonly result: JsonObject
  readonly sessionId: string | undefined
  readonly strays: ReadonlyArray<string>
}

/** No agreement: why. */
export interface Failed {
  readonly _tag: "Failed"
  readonly reason: NegotiationReason
}

/** Returns the method that the state awaits an answer to. */
export const methodOf = (state: Awaiting): AskedMethod =>
  state._tag === "Discovering" || state._tag === "DiscoveringAgain" ? "server/discover" : "initialize"

/** The ledger of a conversation in which nothing happened yet. */
export const emptyLedger: Ledger = {
  exchanges: 0,
  initializes: 0,
  discovers: 0,
  corrected: false,
  countered: false,
  held: false,
  reopened: false,
  outOfTurn: 0,
  noise: 0,
  strays: [],
  opening: undefined,
  holdable: undefined,
  session: undefined,
  probe: undefined
}
