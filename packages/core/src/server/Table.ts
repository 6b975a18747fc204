// The server's one table: what every evidence leads to in every state, and why. It is what runs; diagrams and documents
// are drawn from it. Closed has no row, for an ending accepts no events.
import type { EvidenceTag } from "./Evidence.ts"
import {
  admitLegacy,
  admitModern,
  begin,
  drop,
  end,
  expire,
  expireIdle,
  hear,
  hearEarly,
  interleave,
  miss,
  open,
  pong,
  refuse,
  remove,
  repeat,
  resolve
} from "./Moves.ts"
import type { Cell, Move, Row, Table } from "./Rules.ts"
import type { OpenTag } from "./State.ts"

const cell = <S extends OpenTag, E extends EvidenceTag>(move: Move<S, E>, because: string): Cell<S, E> => ({
  move,
  because
})

// What means the same in every state.
const everywhere = {
  OpenedBadly: cell(refuse, "JSON-RPC 2.0, Error Object: invalid params; no session comes of a failed opening"),
  Ping: cell(pong, "lifecycle, Initialization: pings are allowed at any time; ping: an empty response"),
  VersionUnserved: cell(refuse, "versioning, Protocol Version Negotiation: MUST list the versions supported"),
  HeadersDisagree: cell(refuse, "streamable-http, Server Validation: MUST reject with -32020"),
  EnvelopeInvalid: cell(refuse, "index, _meta: MUST reject with -32602"),
  MethodUnknown: cell(
    refuse,
    "JSON-RPC 2.0, Error Object: the method does not exist; a probe never ends a conversation"
  ),
  CapabilityMissing: cell(refuse, "index, _meta: MUST return -32021 with what is missing"),
  Malformed: cell(refuse, "JSON-RPC 2.0, Error Object: parse error or invalid request; the next message is read"),
  EndOfInput: cell(end, "stdio, Shutdown: closing the input is the signal to exit; answers due are written first"),
  Deleted: cell(remove, "2025-11-25 transports, Session Management: DELETE terminates the session")
} as const

const awaitingOpening: Row<"AwaitingOpening"> = {
  ...everywhere,
  Opened: cell(
    open,
    "lifecycle, Version Negotiation: the version requested if it is supported, else the latest supported"
  ),
  Initialized: cell(drop, "There was no handshake to complete"),
  LegacyRequest: cell(
    miss,
    "lifecycle, Initialization: it MUST be the first interaction, ahead of whether the method exists"
  ),
  ModernRequest: cell(
    admitModern,
    "versioning: a request with _meta is served statelessly; it opens nothing and locks nothing"
  ),
  Notification: cell(hearEarly, "cancellation: a modern client on a pipe cancels without an envelope"),
  Response: cell(drop, "Nothing was asked of the client"),
  DeadlinePassed: cell(expire, "lifecycle, Timeouts: a client that opens nothing is not waited for without end")
}

const awaitingInitialized: Row<"AwaitingInitialized"> = {
  ...everywhere,
  Opened: cell(repeat, "lifecycle, Initialization: the first interaction; a second changes no agreement"),
  Initialized: cell(begin, "lifecycle, Initialization: the client is ready for normal operations"),
  LegacyRequest: cell(admitLegacy, "lifecycle, Initialization: a client SHOULD wait, and is served if it does not"),
  ModernRequest: cell(interleave, "versioning: a dual-era server MAY serve both eras concurrently on the same process"),
  Notification: cell(hear, "index, Notifications: taken, never answered"),
  Response: cell(resolve, "index, Responses: the answer to a request of the server"),
  DeadlinePassed: cell(expire, "lifecycle, Timeouts: a handshake that is not completed is not waited for without end")
}

const serving: Row<"Serving"> = {
  ...everywhere,
  Opened: cell(repeat, "lifecycle, Initialization: the first interaction; a second changes no agreement"),
  Initialized: cell(drop, "The handshake is complete"),
  LegacyRequest: cell(admitLegacy, "lifecycle, Operation: served according to the negotiated version"),
  ModernRequest: cell(interleave, "versioning: a dual-era server MAY serve both eras concurrently on the same process"),
  Notification: cell(hear, "index, Notifications: taken, never answered"),
  Response: cell(resolve, "index, Responses: the answer to a request of the server"),
  DeadlinePassed: cell(
    expireIdle,
    "2025-11-25 transports, Session Management: the server MAY terminate a session at any time"
  )
}

/** The table, by state and evidence. */
export const table: Table = {
  AwaitingOpening: awaitingOpening,
  AwaitingInitialized: awaitingInitialized,
  Serving: serving
}
