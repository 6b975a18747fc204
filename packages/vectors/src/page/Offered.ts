// Which of the walk's events the page offers: enough to reach every cell that a preset reaches, few enough to choose from.
// A test sees that no cell is lost.
import type { Medium } from "@parley/core/Medium"
import type { Awaiting } from "@parley/core/client/State"
import type { Occurrence } from "../Occurrences.ts"
import { occurrences } from "../Occurrences.ts"
import type { ServerOccurrence } from "../server/Occurrences.ts"
import { serverOccurrences } from "../server/Occurrences.ts"
import type { Carrier } from "../server/Subjects.ts"

/** Returns what the page lets happen to a client in a state: some of what the walk lets happen, in its order. */
export const offered = (medium: Medium, state: Awaiting): ReadonlyArray<Occurrence> =>
  occurrences(medium, state).filter(({ id }) => isOffered(id))

/** Returns what the page lets happen to a server on a carrier. */
export const offeredToServer = (carrier: Carrier): ReadonlyArray<ServerOccurrence> =>
  serverOccurrences(carrier).filter(({ id }) => !withheld.has(id))

const isOffered = (id: string): boolean => others.has(id) || lists.some((list) => list.has(id))

const shapes = (of: string, ...names: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(names.map((name) => `${of}.${name}`))

const lists = [
  shapes("result.lists", "modern", "both", "legacy", "unknown", "empty"),
  shapes("error.-32022", "modern", "legacy", "refused", "unknown", "absent"),
  shapes("error.-32602", "modern", "legacy", "unknown", "absent"),
  shapes("result.names", "2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "2027-01-01", "1999-01-01"),
  shapes("late.result", "2026-07-28", "2025-11-25"),
  shapes("unanswered", "200.html", "202", "302", "401", "403", "404", "405", "429", "500", "503")
]

const others: ReadonlySet<string> = new Set([
  "result.names.2025-11-25+session",
  "result.names.2026-07-28+session",
  "result.noServerInfo",
  "error.-32602",
  "error.-32020",
  "error.-32021",
  "error.-32601",
  "error.-32601#null",
  "error.-32603",
  "error.-32000",
  "error.-32601@200",
  "result#unknown",
  "late.error.-32601",
  "older.result",
  "ping",
  "notification",
  "noise",
  "closed",
  "closed.exit",
  "deadline",
  "deadline.negotiation",
  "lost",
  "lost.all"
])

// What means to a server what another one means.
const withheld: ReadonlySet<string> = new Set([
  "initialize.2025-03-26",
  "initialize.draft",
  "initialize.versionNumber",
  "initialize.noCapabilities",
  "initialize.nameless",
  "legacy.logging/setLevel",
  "progress",
  "response.error",
  "discover.2027-01-01",
  "discover.2025-11-25",
  "discover.capabilitiesNull",
  "discover.nameless",
  "discover.badLogLevel",
  "modern.notification.2099-01-01",
  "invalid.null",
  "invalid.text",
  "invalid.jsonrpc1",
  "invalid.idFraction",
  "invalid.method",
  "invalid.params",
  "discover+sameVersionTwice",
  "modern.tools/call+noNameHeader",
  "modern.tools/call.placed+noParamHeader",
  "modern.cancelled+otherVersionHeader",
  "modern.cancelled+noVersionHeader",
  "initialized#batched",
  "modern.tools/list#batched"
])
