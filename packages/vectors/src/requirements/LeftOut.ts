// What the same pages demand that is not about opening, envelope, headers or admission, and who sees to it.
import { legacyVersions, modernVersions } from "@parley/core/Version"
import type { LeftOut } from "./Requirement.ts"

const all = [...legacyVersions, ...modernVersions]

export const leftOut: ReadonlyArray<LeftOut> = [
  {
    revisions: all,
    place: "basic/index: Auth; basic/authorization",
    why: "Authorization is the application's: a carrier takes headers for each request, and hands a challenge to it."
  },
  {
    revisions: all,
    place: "basic/transports: binding to localhost, authentication of connections",
    why: "Whoever listens decides where: the command line's server listens on 127.0.0.1 unless told otherwise."
  },
  {
    revisions: ["2025-11-25", "2026-07-28"],
    place: "basic/index: JSON Schema Usage; icons",
    why: "Schemas of tools and icons are content. Of schemas only the marks for headers are read, within bounds."
  },
  {
    revisions: ["2025-06-18", "2025-11-25", "2026-07-28"],
    place: "basic/index: names of _meta keys, trace context",
    why: "Keys of the application are carried as they are."
  },
  {
    revisions: ["2026-07-28"],
    place: "basic/versioning#extension-negotiation",
    why: "Extensions are declared in capabilities, which are carried as they are; what follows from them is the application's."
  },
  {
    revisions: ["2026-07-28"],
    place: "basic/transports/streamable-http: intermediaries",
    why: "Parley is no intermediary."
  },
  {
    revisions: ["2025-03-26", "2025-06-18", "2025-11-25"],
    place:
      "basic/transports#resumability-and-redelivery: ids of events, replay; since 2025-11-25 #sending-messages-to-the-server and #listening-for-messages-from-the-server: a first event with an id, a retry before a connection is closed",
    why: "Parley's server gives its events no ids, which it MAY leave out; so it closes no connection before its stream ends, and nothing is replayed. The client's side is above."
  },
  {
    revisions: ["2024-11-05", "2026-07-28"],
    place: "basic/transports#http-with-sse; basic/transports/streamable-http#httpsse-transport-2024-11-05",
    why: "This transport is deprecated since 2025-03-26 and not carried. A client that meets it says so in its error."
  },
  {
    revisions: ["2026-07-28"],
    place: "basic/index#statelessness: tasks, conversations, handles that span requests",
    why: "What a process is kept for, and which handles a tool gives out, is the application's."
  },
  {
    revisions: ["2026-07-28"],
    place: "basic/patterns: what cancellations, subscriptions and rounds of input hold",
    why: "They belong to requests that were admitted; the runtime's tests keep them."
  },
  {
    revisions: ["2025-06-18", "2025-11-25"],
    place: "basic/transports#session-management: where a client keeps session ids",
    why: "A session id lives in its connection alone, and in no log and no error."
  },
  {
    revisions: all,
    place: "basic/transports#custom-transports",
    why: "Whoever writes a transport has a contract to test it by, exported by the testing package."
  },
  {
    revisions: all,
    place: "basic/utilities/ping: how often to ping; basic/utilities/cancellation: logs, interfaces",
    why: "When to ping, and what a user is shown, is the application's."
  },
  {
    revisions: legacyVersions,
    place: "basic/utilities/cancellation: which requests may be cancelled, races, what a receiver does",
    why: "They belong to requests that were admitted; the runtime's tests keep them."
  },
  {
    revisions: ["2026-07-28"],
    place: "basic/index#error-codes: -32002 of earlier servers; server/utilities/caching: results of other methods",
    why: "What an answer to an admitted request means is the application's; a server's hints are completed for it."
  }
]
