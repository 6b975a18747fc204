// The tables that open with `server/discover`: the specification's probe, and the seed's own reading of it.
import {
  correctOrHandshake,
  counter,
  counterIfFresh,
  discoverAt,
  discoverOrHold,
  fail,
  handshakeOnce,
  initialize,
  initializeAt,
  initializeListening,
  reopenAndInitialize,
  settle
} from "./Moves.ts"
import type { Row, Table } from "./Rules.ts"
import {
  cell,
  countering,
  counteringListening,
  failing,
  holding,
  keeping,
  listening,
  never,
  notFromDiscover,
  unreachable
} from "./Table.ts"

const discovering: Row = {
  ...failing,
  ...notFromDiscover,
  Agreed: cell(settle, "stdio, Backward Compatibility: a DiscoverResult; select a mutually supported version"),
  Corrected: cell(discoverAt, "versioning, Protocol Version Negotiation: retry once at a listed version"),
  Countered: cell(initializeAt, "versioning: use one of the listed versions; this one opens with a handshake"),
  Disjoint: cell(fail, "stdio, Backward Compatibility: a recognized modern error never falls back to initialize"),
  VersionRefused: cell(fail, "stdio, Backward Compatibility: a recognized modern error never falls back to initialize"),
  ModernSign: cell(fail, "streamable-http, Backward Compatibility: correct the request, never fall back"),
  MethodMissing: cell(
    initialize,
    "stdio and streamable-http, Backward Compatibility: any other error is a legacy server"
  ),
  Refused: cell(initialize, "stdio, Backward Compatibility: the fallback is not keyed to one code"),
  HttpRefused: cell(initialize, "streamable-http, Backward Compatibility: a body that is no modern error: fall back"),
  Garbled: cell(initialize, "versioning, Backward Compatibility: anything else identifies a legacy server"),
  Silence: cell(
    initializeListening,
    "stdio, Backward Compatibility: no response within a reasonable timeout; HTTP names no silence"
  ),
  Ended: cell(reopenAndInitialize, "stdio, Unexpected Termination: restart the process that the probe ended")
}

const initializing: Row = {
  ...failing,
  ...listening,
  Agreed: cell(settle, "lifecycle, Version Negotiation: the server answers with a version it supports"),
  ModernNamed: cell(
    discoverOrHold,
    "A silent probe is asked once more; a refused one leaves the handshake, which is held at the revision offered"
  ),
  Corrected: cell(discoverAt, "versioning: re-probe if the assumption fails; retry at a listed version"),
  Countered: cell(counter, "lifecycle, Error Handling: the list of a refusal is an offer")
}

const discoveringAgain: Row = {
  ...failing,
  ...notFromDiscover,
  Agreed: cell(settle, "server/discover: choose one of the supported versions"),
  Corrected: cell(fail, "One correction: a server that refuses what it lists is not chased"),
  Countered: cell(counterIfFresh, "The list names a legacy revision: one handshake, if none was sent"),
  LateAgreed: cell(settle, "stdio, Backward Compatibility: a DiscoverResult proves the server modern, however late")
}

/** The specification's probe: `server/discover`, and `initialize` unless a modern error forbids it. */
export const discoverFirst: Table = {
  Discovering: discovering,
  Initializing: initializing,
  DiscoveringAgain: discoveringAgain,
  Holding: holding,
  Countering: counteringListening,
  Keeping: keeping
}

const handshake = cell(
  handshakeOnce,
  "seed: whatever the probe met but access, load, outage and silence, try one handshake"
)

const stateless = {
  Corrected: cell(
    correctOrHandshake,
    "versioning: retry once at a listed version; after that, as the seed does, one handshake"
  ),
  Countered: handshake,
  Disjoint: handshake,
  VersionRefused: handshake,
  ModernSign: handshake,
  MethodMissing: handshake,
  Refused: handshake,
  HttpRefused: handshake,
  Garbled: handshake,
  Ended: handshake,
  Silence: cell(fail, "seed: a timeout never falls back, on any carrier")
} as const

const deaf = { LateAgreed: unreachable("silence fails, so no probe is left unanswered") } as const

/** As Hermes Agent's `stateless`: the probe first, then one handshake whatever it met; silence fails on every carrier. */
export const statelessFirst: Table = {
  ...discoverFirst,
  Discovering: { ...discovering, ...stateless },
  Initializing: { ...initializing, ...deaf },
  DiscoveringAgain: { ...discoveringAgain, ...stateless, ...deaf },
  Countering: countering,
  Keeping: never("silence fails, so no probe is left unanswered")
}
