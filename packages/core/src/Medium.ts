// What silence, a close and a status mean on a carrier, as data. No carrier's code lives here.
import type { Id } from "./Message.ts"

/** The properties of a carrier that the client machine weighs. */
export interface Medium {
  readonly name: string
  /** What a passed deadline of a probe says. On stdio a silent server may be legacy; over HTTP it says nothing. */
  readonly silence: "maybeLegacy" | "nothing"
  /** Whether the peer's end can be opened once more: a fresh process. Over HTTP there is nothing to reopen. */
  readonly reopens: "once" | "never"
  /** Whether all messages share one ordered pipe, or every request has a stream of its own. */
  readonly streams: "shared" | "perRequest"
  /** How Parley writes its own request ids: 1, 2, … or "parley-1", … where another client shares the pipe. */
  readonly ids: "integer" | "text"
}

/** A pipe to a process: silence may mean a legacy server, and a process that ended is started once more. */
export const stdio: Medium = {
  name: "stdio",
  silence: "maybeLegacy",
  reopens: "once",
  streams: "shared",
  ids: "integer"
}

/** Streamable HTTP: every request has its own response, and silence says nothing on the era. */
export const http: Medium = {
  name: "http",
  silence: "nothing",
  reopens: "never",
  streams: "perRequest",
  ids: "integer"
}

/** Returns the request id of an exchange on this medium. */
export const idOf = (medium: Medium, exchange: number): Id =>
  medium.ids === "integer" ? exchange : `parley-${exchange}`
