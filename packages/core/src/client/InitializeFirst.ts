// The tables that open with `initialize`: Parley's default, and the seed's to the letter.
import {
  counter,
  discover,
  discoverAt,
  discoverAtOnVersionError,
  discoverHoldably,
  discoverOnVersionError,
  discoverOrCounterOnVersionError,
  fail,
  holdOrCounter,
  holdOrFail,
  reopenAndHold,
  settle
} from "./Moves.ts"
import type { Row, Table } from "./Rules.ts"
import { cell, countering, failing, holding, never, notFromDiscover } from "./Table.ts"

const initializing: Row = {
  ...failing,
  Agreed: cell(settle, "lifecycle, Version Negotiation: the server answers with a version it supports"),
  ModernNamed: cell(
    discoverHoldably,
    "versioning, Terminology: the revision named has no handshake, so it is asked for by server/discover"
  ),
  Corrected: cell(
    discoverAt,
    "versioning: a recognized modern error identifies a modern server; retry at a listed version"
  ),
  Countered: cell(counter, "lifecycle, Error Handling: the list of a refusal is an offer"),
  VersionRefused: cell(discover, "versioning: a recognized modern error identifies a modern server"),
  ModernSign: cell(discover, "versioning: a recognized modern error identifies a modern server"),
  MethodMissing: cell(discover, "2026-07-28 changelog: a modern server does not know initialize"),
  ParamsRefused: cell(discover, "index, _meta: a modern-only server owes -32602 to a request that lacks the envelope")
}

const discovering: Row = {
  ...failing,
  ...notFromDiscover,
  Agreed: cell(settle, "server/discover: choose one of the supported versions"),
  Corrected: cell(discoverAt, "versioning, Protocol Version Negotiation: retry once at a listed version"),
  Countered: cell(holdOrCounter, "The server lists a legacy revision: that is what its handshake is for"),
  MethodMissing: cell(holdOrFail, "seed: a handshake answered 200 is completed when server/discover is not to be had"),
  Refused: cell(holdOrFail, "seed: a handshake answered 200 is completed when server/discover is not to be had"),
  HttpRefused: cell(holdOrFail, "seed: a handshake answered 200 is completed when server/discover is not to be had"),
  Garbled: cell(holdOrFail, "seed: a handshake answered 200 is completed when server/discover is not to be had"),
  Ended: cell(reopenAndHold, "stdio, Unexpected Termination: restart the process; it never sees the probe")
}

/** The default: `initialize`, and `server/discover` only on a definite sign, never on a timeout. */
export const auto: Table = {
  Initializing: initializing,
  Discovering: discovering,
  DiscoveringAgain: never("discovering after an initialize is one state"),
  Holding: holding,
  Countering: countering,
  Keeping: never("no probe is left unanswered")
}

/** As Hermes Agent does: any -32022, a -32601 and a modern revision in a 200 lead on; other signs do not. */
export const hermes: Table = {
  ...auto,
  Initializing: {
    ...initializing,
    Corrected: cell(discoverAtOnVersionError, "seed: any -32022 falls forward; a -32602 does not"),
    Countered: cell(
      discoverOrCounterOnVersionError,
      "seed: any -32022 falls forward, whatever its list; a -32602 does not"
    ),
    Disjoint: cell(discoverOnVersionError, "seed: any -32022 falls forward, whatever its list; a -32602 does not"),
    ModernSign: cell(fail, "seed: only -32022 and -32601 fall forward"),
    ParamsRefused: cell(fail, "seed: only -32022 and -32601 fall forward")
  }
}
