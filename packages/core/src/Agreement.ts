// What two peers agreed on, in one shape for both eras. Downstream code reads the capabilities and never asks the era.
import type { ClientIdentity, Implementation } from "./Envelope.ts"
import type { JsonObject } from "./Message.ts"
import type { TraceEntry } from "./Machine.ts"
import type { Era } from "./Version.ts"

/** The outcome of a negotiation. */
export interface Agreement {
  /** The revision that both sides speak from here on. */
  readonly version: string
  readonly era: Era
  /** What the server can do, as it declared it. */
  readonly capabilities: JsonObject
  /** Who the server says it is. For display and logs only. */
  readonly serverInfo?: Implementation | undefined
  readonly instructions?: string | undefined
  /** The revision of our last opening message. */
  readonly offered: string
  /** The revision that the server named: differs from `version` only where a handshake is held. */
  readonly named: string
  /** Who we are, for the envelope of later requests. */
  readonly client: ClientIdentity
  /** Legacy HTTP: the session that the server issued. */
  readonly sessionId?: string | undefined
  /** Modern era, and a legacy server that was probed: what `server/discover` said. */
  readonly discovered?: Discovered | undefined
  /** What was not as it should be and did not stop us, one sentence each. */
  readonly warnings: ReadonlyArray<string>
  /** Every step that led here. */
  readonly trace: ReadonlyArray<TraceEntry>
}

/** A DiscoverResult and how long it may be remembered. */
export interface Discovered {
  readonly supportedVersions: ReadonlyArray<string>
  /** How long it stays fresh, in milliseconds. Absent or negative on the wire is 0: stale at once. */
  readonly ttlMs: number
  /** Who may share it. Absent on the wire is private. */
  readonly cacheScope: "public" | "private"
  /** The result as it came. */
  readonly result: JsonObject
}
