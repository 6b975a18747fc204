// What two peers agreed on, in one shape for both eras. Downstream code reads the capabilities and never asks the era.
import type { Settled } from "./client/State.ts"
import type { ClientIdentity, Implementation } from "./Envelope.ts"
import { MetaKey } from "./Envelope.ts"
import type { JsonObject } from "./Message.ts"
import { isObject } from "./Message.ts"
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

/** Returns the agreement that an ended negotiation holds. Source: the InitializeResult or the DiscoverResult. */
export const fromSettled = (
  settled: Settled,
  client: ClientIdentity,
  warnings: ReadonlyArray<string>,
  trace: ReadonlyArray<TraceEntry>
): Agreement => {
  const { result } = settled
  const modern = settled.method === "server/discover"
  const meta = result["_meta"]
  const serverInfo = modern ? (isObject(meta) ? meta[MetaKey.ServerInfo] : undefined) : result["serverInfo"]
  const instructions = result["instructions"]
  return {
    version: settled.version,
    era: modern ? "modern" : "legacy",
    capabilities: isObject(result["capabilities"]) ? result["capabilities"] : {},
    serverInfo: implementationOf(serverInfo),
    instructions: typeof instructions === "string" ? instructions : undefined,
    offered: settled.offered,
    named: settled.named,
    client,
    sessionId: settled.sessionId,
    discovered: modern ? discoveredOf(result) : undefined,
    warnings,
    trace
  }
}

/** Returns what a DiscoverResult says of versions and of its own freshness. */
export const discoveredOf = (result: JsonObject): Discovered => {
  const versions = result["supportedVersions"]
  const ttl = result["ttlMs"]
  return {
    supportedVersions: Array.isArray(versions) ? versions.filter((one): one is string => typeof one === "string") : [],
    ttlMs: typeof ttl === "number" && Number.isFinite(ttl) && ttl > 0 ? ttl : 0,
    cacheScope: result["cacheScope"] === "public" ? "public" : "private",
    result
  }
}

const implementationOf = (value: unknown): Implementation | undefined => {
  if (!isObject(value) || typeof value["name"] !== "string") return undefined
  const version = value["version"]
  return { ...value, name: value["name"], version: typeof version === "string" ? version : "" }
}
