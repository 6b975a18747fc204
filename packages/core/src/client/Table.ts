// What the rows of every policy share: endings that are nobody's choice, and the row that awaits a handshake's answer
// beside a kept late one. The policies' own rows are in InitializeFirst, DiscoverFirst and SingleEra.
import type { EvidenceTag } from "./Evidence.ts"
import { counter, fail, keep, settle, settleHeld, settleKept, stay } from "./Moves.ts"
import type { Cell, Move, Row } from "./Rules.ts"

/** Returns a cell: the move, and a clause of the specification or the reason where it is silent. */
export const cell = <E extends EvidenceTag>(move: Move<E>, because: string): Cell<E> => ({ move, because })

/** A cell that no event can reach in its state, and why. If one did, it would fail rather than guess. */
export const unreachable = (because: string): Cell<EvidenceTag> => ({ move: fail, because: `Unreachable: ${because}` })

/** A row in which everything fails with its own error, but for what is out of turn. Other rows say what they do instead. */
export const failing: Row = {
  Agreed: unreachable("every row that can agree says how"),
  ModernNamed: cell(fail, "2026-07-28 versioning, Terminology: a modern revision is never agreed by a handshake"),
  StrangerNamed: cell(
    fail,
    "lifecycle, Version Negotiation: a client that does not speak the answered version disconnects"
  ),
  Corrected: cell(fail, "The list names a modern revision, and this state has no way to it"),
  Countered: cell(fail, "The list names a legacy revision, and this state has no way to it"),
  Disjoint: cell(fail, "versioning, Protocol Version Negotiation: surface an error if no compatible version exists"),
  VersionRefused: cell(fail, "The refused revision was ours, and no other was listed"),
  ModernSign: cell(fail, "The server is modern and refuses the request for another reason: correct it, never demote"),
  MethodMissing: cell(fail, "The server does not know the method that would settle the question"),
  ParamsRefused: cell(fail, "The server refuses the parameters and lists no revision"),
  Refused: cell(fail, "index, Error Codes: no meaning may be assumed for this code"),
  HttpRefused: cell(fail, "The endpoint refuses before JSON-RPC is reached"),
  AccessRefused: cell(fail, "authorization: access is its own question, never a verdict on the era"),
  Busy: cell(fail, "A server under load was never asked about versions"),
  Outage: cell(fail, "An outage is never a verdict on the era"),
  Silence: cell(fail, "A timeout never falls back"),
  OutOfTime: cell(fail, "lifecycle, Timeouts: the whole negotiation has one deadline"),
  Ended: cell(fail, "A closed pipe answers nothing more"),
  Garbled: cell(fail, "An answer that is no usable result says nothing on the era"),
  LateAgreed: unreachable("no probe is left unanswered in this state"),
  OutOfTurn: cell(stay, "index, Responses: only the exact id answers")
}

/** Evidence that an answer to `server/discover` cannot give. */
export const notFromDiscover = {
  ModernNamed: unreachable("only an answer to initialize names a revision"),
  StrangerNamed: unreachable("only an answer to initialize names a revision"),
  ParamsRefused: unreachable("a -32602 to server/discover is Refused")
} as const

/** A second `initialize` was sent to a server that had named a modern revision in a handshake. */
export const holding: Row = {
  ...failing,
  Agreed: cell(settle, "lifecycle, Version Negotiation: the server answers with a version it supports"),
  ModernNamed: cell(
    settleHeld,
    "seed: a server that gives the same answer again is held at the revision offered; one that changes its mind is not"
  ),
  Corrected: cell(fail, "The one way to the modern revision was tried before the hold"),
  Countered: cell(fail, "A third handshake is not tried"),
  LateAgreed: unreachable("a handshake is held only after the probe was answered")
}

/** `initialize` was sent at a revision that the server had listed. */
export const countering: Row = {
  ...failing,
  Agreed: cell(settle, "lifecycle, Version Negotiation: the server answers with a version it supports"),
  ModernNamed: cell(fail, "The server listed a legacy revision and names a modern one: it contradicts itself"),
  Corrected: cell(fail, "The server refuses the revision that it listed"),
  Countered: cell(fail, "One counter: a server that refuses its own list is not chased")
}

/** An `initialize` is unanswered, and a late DiscoverResult proves the server modern. */
export const keeping: Row = {
  ...failing,
  Agreed: cell(settle, "versioning: an initialize selects legacy semantics, and the server answered it"),
  ModernNamed: cell(settleKept, "The late DiscoverResult is a definite sign"),
  StrangerNamed: cell(settleKept, "The late DiscoverResult is a definite sign"),
  Corrected: cell(settleKept, "versioning: a recognized modern error identifies a modern server"),
  Countered: cell(settleKept, "The late DiscoverResult already names a mutual revision"),
  Disjoint: cell(settleKept, "The late DiscoverResult already names a mutual revision"),
  VersionRefused: cell(settleKept, "versioning: a recognized modern error identifies a modern server"),
  ModernSign: cell(settleKept, "versioning: a recognized modern error identifies a modern server"),
  MethodMissing: cell(settleKept, "A modern server need not know initialize"),
  ParamsRefused: cell(settleKept, "A modern server refuses a request that lacks the envelope"),
  Refused: cell(settleKept, "versioning: the code with which a modern server refuses initialize is its own choice"),
  HttpRefused: unreachable("a late answer is kept on a pipe only"),
  AccessRefused: unreachable("a late answer is kept on a pipe only"),
  Busy: unreachable("a late answer is kept on a pipe only"),
  Silence: cell(settleKept, "The late DiscoverResult is evidence of its own: nothing more is needed"),
  OutOfTime: cell(settleKept, "The late DiscoverResult is evidence of its own: nothing more is needed"),
  Garbled: cell(settleKept, "The late DiscoverResult is a definite sign"),
  LateAgreed: unreachable("the probe is answered once"),
  Outage: cell(fail, "Nothing settles on a pipe that is lost"),
  Ended: cell(fail, "Nothing settles on a closed pipe")
}

/** Cells for a state in which the silent probe may still be answered. */
export const listening = {
  LateAgreed: cell(keep, "stdio, Backward Compatibility: a DiscoverResult proves the server modern, however late")
} as const

/** `countering`, in a policy that keeps listening for a silent probe. */
export const counteringListening: Row = { ...countering, ...listening }

/** A state that a policy never enters. */
export const never = (because: string): Row => {
  const nowhere = unreachable(because)
  return {
    Agreed: nowhere,
    ModernNamed: nowhere,
    StrangerNamed: nowhere,
    Corrected: nowhere,
    Countered: nowhere,
    Disjoint: nowhere,
    VersionRefused: nowhere,
    ModernSign: nowhere,
    MethodMissing: nowhere,
    ParamsRefused: nowhere,
    Refused: nowhere,
    HttpRefused: nowhere,
    AccessRefused: nowhere,
    Busy: nowhere,
    Outage: nowhere,
    Silence: nowhere,
    OutOfTime: nowhere,
    Ended: nowhere,
    Garbled: nowhere,
    LateAgreed: nowhere,
    OutOfTurn: nowhere
  }
}

/** The one counter of a policy that never discovers. */
export const counterOnce: Cell<"Countered"> = cell(
  counter,
  "lifecycle, Error Handling: the list of a refusal is an offer; one more handshake at a listed revision"
)
