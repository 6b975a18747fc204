// The tables of clients that live in one era: the handshake alone, or one revision alone. No fallback leaves the era.
import { discoverAt, fail, failUnsupported, settle } from "./Moves.ts"
import type { Row, Table } from "./Rules.ts"
import { cell, countering, counterOnce, failing, never, notFromDiscover, unreachable } from "./Table.ts"

const alone = never("this policy sends no second method")

const onlyLegacy = unreachable("no list holds a modern revision that this policy speaks")

/** `initialize`, and one counter; never `server/discover`. */
export const handshakeOnly: Table = {
  Initializing: {
    ...failing,
    Agreed: cell(settle, "lifecycle, Version Negotiation: the server answers with a version it supports"),
    ModernNamed: cell(fail, "The owner wants a handshake revision; the server named one that has no handshake"),
    Corrected: onlyLegacy,
    Countered: counterOnce
  },
  Discovering: alone,
  DiscoveringAgain: alone,
  Holding: alone,
  Countering: { ...countering, Corrected: onlyLegacy },
  Keeping: alone
}

const refusedModern = cell(
  failUnsupported,
  "versioning, Compatibility Matrix: a modern client fails with an actionable error"
)
const noLegacy = cell(failUnsupported, "Unreachable: no list holds a legacy revision that this policy speaks")

const pinnedDiscovering: Row = {
  ...failing,
  ...notFromDiscover,
  Agreed: cell(settle, "server/discover: the pinned revision is among the supported versions"),
  Corrected: cell(
    discoverAt,
    "versioning, Protocol Version Negotiation: the list names the pinned revision; ask once more"
  ),
  Countered: noLegacy,
  Disjoint: cell(failUnsupported, "The list names no revision that the pin allows"),
  VersionRefused: cell(failUnsupported, "The pinned revision was refused"),
  MethodMissing: refusedModern,
  Refused: refusedModern,
  HttpRefused: refusedModern
}

/** One modern revision: `server/discover` alone. */
export const pinnedModern: Table = {
  Initializing: alone,
  Discovering: pinnedDiscovering,
  DiscoveringAgain: pinnedDiscovering,
  Holding: alone,
  Countering: alone,
  Keeping: alone
}

const refusedLegacy = cell(failUnsupported, "lifecycle, Version Negotiation: the pinned revision is not to be had")
const noModern = cell(failUnsupported, "Unreachable: no list holds a modern revision that this policy speaks")
const noOther = cell(failUnsupported, "Unreachable: no list holds another legacy revision that this policy speaks")

/** One legacy revision: `initialize` alone. */
export const pinnedLegacy: Table = {
  Initializing: {
    ...failing,
    Agreed: cell(settle, "lifecycle, Version Negotiation: the server answers with the version requested"),
    ModernNamed: refusedLegacy,
    StrangerNamed: refusedLegacy,
    Corrected: noModern,
    Countered: noOther,
    Disjoint: refusedLegacy,
    VersionRefused: refusedLegacy,
    ModernSign: refusedLegacy,
    MethodMissing: refusedLegacy,
    ParamsRefused: refusedLegacy
  },
  Discovering: alone,
  DiscoveringAgain: alone,
  Holding: alone,
  Countering: alone,
  Keeping: alone
}
