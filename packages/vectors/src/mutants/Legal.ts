// Every move that a cell could hold instead of its own: typed, so that a move that an evidence cannot feed does not
// compile, and a new move must be named here to be tried.
import type { EvidenceTag } from "@parley/core/client/Evidence"
import * as Moves from "@parley/core/client/Moves"
import type { Move } from "@parley/core/client/Rules"

const anywhere: ReadonlyArray<Move> = [
  Moves.discover,
  Moves.initialize,
  Moves.holdOrFail,
  Moves.handshakeOnce,
  Moves.settleKept,
  Moves.fail,
  Moves.failUnsupported
]

/** The moves that take an evidence, by its tag. */
export const legalMoves: { readonly [E in EvidenceTag]: ReadonlyArray<Move<E>> } = {
  Agreed: [...anywhere, Moves.settle],
  ModernNamed: [...anywhere, Moves.settleHeld, Moves.discoverHoldably, Moves.discoverOrHold],
  StrangerNamed: anywhere,
  Corrected: [...anywhere, Moves.discoverAt, Moves.correctOrHandshake, Moves.discoverAtOnVersionError],
  Countered: [
    ...anywhere,
    Moves.initializeAt,
    Moves.counter,
    Moves.counterIfFresh,
    Moves.holdOrCounter,
    Moves.discoverOrCounterOnVersionError
  ],
  Disjoint: [...anywhere, Moves.discoverOnVersionError],
  VersionRefused: anywhere,
  ModernSign: anywhere,
  MethodMissing: anywhere,
  ParamsRefused: anywhere,
  Refused: anywhere,
  HttpRefused: anywhere,
  AccessRefused: anywhere,
  Busy: anywhere,
  Outage: anywhere,
  Silence: [...anywhere, Moves.initializeListening],
  OutOfTime: anywhere,
  Ended: [...anywhere, Moves.reopenAndInitialize, Moves.reopenAndHold],
  Garbled: anywhere,
  LateAgreed: [...anywhere, Moves.settle, Moves.keep],
  OutOfTurn: [...anywhere, Moves.stay]
}
