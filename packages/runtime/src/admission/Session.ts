// What a legacy HTTP session is to its store: the record that is kept, and the two ports that a store may have. When a
// session ends is decided by core's machine; a store keeps, finds and forgets.
import type { Client } from "@parley/core/server/Evidence"
import type { LogLevel } from "@parley/core/server/LogLevel"
import type { State } from "@parley/core/server/State"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** What is kept of a session: plain data, JSON through and through, and bounded by the profile. */
export interface SessionRecord {
  readonly version: string
  readonly client: Client
  /** Whether `notifications/initialized` has come. */
  readonly initialized: boolean
  /** Whether a request was admitted before that. */
  readonly admitted: boolean
  /** What `logging/setLevel` asked for last. */
  readonly logLevel: LogLevel | undefined
  /** Whom the application said the session belongs to: nobody else can use it. */
  readonly principal: string | undefined
  /** In milliseconds since 1970. */
  readonly createdAt: number
}

/** A session as it was found: its record, and how long it had not been used, in milliseconds. */
export interface Found {
  readonly record: SessionRecord
  readonly idleMillis: number
}

/** The store cannot be reached, or has no room. The client is told 503 with Retry-After. */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly why: "full" | "unreachable"
  readonly cause?: unknown
}> {}

/**
 * A store that answers at once. `now` is the time in milliseconds since 1970: a store has no clock. A server that has one
 * admits a request without starting a fiber.
 */
export interface Immediate {
  /** Keeps a new session. Returns false where there is no room. */
  readonly create: (id: string, record: SessionRecord, now: number) => boolean
  /** Finds a session and marks it used now. */
  readonly use: (id: string, now: number) => Found | undefined
  /** Keeps what changed of a session that is still known. */
  readonly update: (id: string, record: SessionRecord) => void
  /** Forgets a session. */
  readonly remove: (id: string) => void
  /** Marks a session as one with something under way: it neither expires nor is evicted until {@link release}. */
  readonly hold: (id: string) => void
  /** Ends one {@link hold}, and marks the session used now. */
  readonly release: (id: string, now: number) => void
  /** Forgets the sessions that were not used for so long, and returns how many. */
  readonly expire: (now: number, openingMillis: number, idleMillis: number) => Expired
  /** How many sessions are kept. */
  readonly size: () => number
}

/** How many sessions were forgotten: before anything was admitted, and after. */
export interface Expired {
  readonly opening: number
  readonly idle: number
}

/** A store that takes time: the same operations as effects. It must forget sessions that nobody uses, as by a TTL. */
export interface Deferred {
  readonly create: (id: string, record: SessionRecord) => Effect.Effect<void, StoreUnavailable>
  readonly use: (id: string) => Effect.Effect<Found | undefined, StoreUnavailable>
  readonly update: (id: string, record: SessionRecord) => Effect.Effect<void, StoreUnavailable>
  readonly remove: (id: string) => Effect.Effect<void, StoreUnavailable>
}

/** Returns where a session stands for the machine. */
export const stateOf = ({ version, client, initialized, admitted }: SessionRecord): State => {
  const opening = { version, client }
  return initialized ? { _tag: "Serving", opening } : { _tag: "AwaitingInitialized", admitted, opening }
}

/** Returns the record once its session stands elsewhere; the same one where nothing is to be kept anew. */
export const standing = (record: SessionRecord, state: State): SessionRecord => {
  const initialized = state._tag === "Serving" || record.initialized
  const admitted = (state._tag === "AwaitingInitialized" && state.admitted) || record.admitted
  return initialized === record.initialized && admitted === record.admitted
    ? record
    : { ...record, initialized, admitted }
}
