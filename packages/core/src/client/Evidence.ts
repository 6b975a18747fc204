// What an event means here: the finite alphabet of the client's tables. How an event is weighed is in Weigh.
import type { JsonObject, Notification, Request } from "../Message.ts"

/** What an event means to a client that opens. */
export type Evidence =
  | Agreed
  | ModernNamed
  | StrangerNamed
  | Corrected
  | Countered
  | Disjoint
  | VersionRefused
  | ModernSign
  | MethodMissing
  | ParamsRefused
  | Refused
  | HttpRefused
  | AccessRefused
  | Busy
  | Outage
  | Silence
  | OutOfTime
  | Ended
  | Garbled
  | LateAgreed
  | OutOfTurn

/** The words of the alphabet. */
export type EvidenceTag = Evidence["_tag"]
/** The evidence of a tag. */
export type EvidenceOf<E extends EvidenceTag> = EvidenceByTag[E]
type EvidenceByTag = { readonly [E in EvidenceTag]: Extract<Evidence, { readonly _tag: E }> }

/** An initialize answered with a legacy revision that we speak; a DiscoverResult with a mutual modern one. */
export interface Agreed {
  readonly _tag: "Agreed"
  readonly version: string
  readonly result: JsonObject
  readonly sessionId?: string | undefined
}

/** An initialize answered with a date later than the last handshake revision, known to us or not. */
export interface ModernNamed {
  readonly _tag: "ModernNamed"
  readonly version: string
  readonly result: JsonObject
  readonly sessionId?: string | undefined
}

/** An initialize answered with any other revision that we do not speak. */
export interface StrangerNamed {
  readonly _tag: "StrangerNamed"
  readonly version: string
  readonly sessionId?: string | undefined
}

/** A refusal whose list holds a modern revision that we speak, even the one just refused. */
export interface Corrected {
  readonly _tag: "Corrected"
  readonly version: string
  readonly theirs: ReadonlyArray<string>
  readonly code: number
}

/** A list with a legacy revision that we speak and no mutual modern one. `code` is absent for a DiscoverResult. */
export interface Countered {
  readonly _tag: "Countered"
  readonly version: string
  readonly theirs: ReadonlyArray<string>
  readonly code?: number
}

/** A list with nothing that we speak, or nothing but the legacy revision just refused. */
export interface Disjoint {
  readonly _tag: "Disjoint"
  readonly theirs: ReadonlyArray<string>
  readonly code?: number
}

/** A -32022 without a usable list. */
export interface VersionRefused {
  readonly _tag: "VersionRefused"
}

/** -32020 or -32021: codes that only a modern server may emit. */
export interface ModernSign {
  readonly _tag: "ModernSign"
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** -32601 for the method that we asked. */
export interface MethodMissing {
  readonly _tag: "MethodMissing"
}

/** A -32602 to initialize without a list: what a modern-only server owes a request that lacks the envelope. */
export interface ParamsRefused {
  readonly _tag: "ParamsRefused"
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Any other JSON-RPC error. */
export interface Refused {
  readonly _tag: "Refused"
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A 4xx without a JSON-RPC error, or a 3xx that the carrier does not follow. */
export interface HttpRefused {
  readonly _tag: "HttpRefused"
  readonly status: number
  readonly head: string
  /** Where a redirect leads. */
  readonly location?: string
}

/** 401 or 403: never a verdict on the era. */
export interface AccessRefused {
  readonly _tag: "AccessRefused"
  readonly status: number
  readonly challenge?: string
}

/** 408, 429 or 503: never a verdict on the era. */
export interface Busy {
  readonly _tag: "Busy"
  readonly status: number
  readonly retryAfterMillis?: number
}

/** A 5xx without a JSON-RPC error, a process that cannot be started, a refused, broken or cut connection. */
export interface Outage {
  readonly _tag: "Outage"
  readonly cause: string
  /** False where trying again cannot help, as with a command that does not exist. */
  readonly retryable?: false
  readonly status?: number
  readonly head?: string
}

/** The deadline of the exchange passed. */
export interface Silence {
  readonly _tag: "Silence"
  readonly waitedMillis: number
}

/** The deadline of the whole negotiation passed. */
export interface OutOfTime {
  readonly _tag: "OutOfTime"
  readonly waitedMillis: number
}

/** The peer closed its output or exited, on a carrier that can be opened once more: stdio. Elsewhere that is an Outage. */
export interface Ended {
  readonly _tag: "Ended"
  readonly exitCode?: number
  readonly signal?: string
  readonly stderr: string
}

/** An answer to our request that is no usable result. `foreign` where it is no MCP at all, such as a web page. */
export interface Garbled {
  readonly _tag: "Garbled"
  readonly path: string
  readonly problem: string
  readonly foreign: boolean
  readonly status?: number
  readonly head?: string
}

/** A DiscoverResult with a mutual modern revision for a probe that timed out. */
export interface LateAgreed {
  readonly _tag: "LateAgreed"
  readonly version: string
  readonly result: JsonObject
}

/** Anything else: the state stays, and it is counted. */
export interface OutOfTurn {
  readonly _tag: "OutOfTurn"
  /** Noise has a budget of its own. */
  readonly kind: "message" | "noise"
  readonly what: string
  /** A request or notification of the server, to be answered or kept. */
  readonly message?: Request | Notification
  readonly sessionId?: string | undefined
  /** Whether this was the answer to the probe that timed out: nothing older is unanswered any more. */
  readonly probeAnswered?: true
}

/** Returns an evidence in a few words, for a trace: the tag and the fact that decides. */
export const describe = (evidence: Evidence): string => {
  switch (evidence._tag) {
    case "Agreed":
    case "ModernNamed":
    case "StrangerNamed":
    case "Corrected":
    case "Countered":
    case "LateAgreed":
      return `${evidence._tag} ${evidence.version}`
    case "Disjoint":
      return `Disjoint: ${evidence.theirs.slice(0, 8).join(", ")}`
    case "ModernSign":
    case "ParamsRefused":
    case "Refused":
      return `${evidence._tag} ${evidence.code}`
    case "HttpRefused":
    case "AccessRefused":
    case "Busy":
      return `${evidence._tag} ${evidence.status}`
    case "Outage":
      return `Outage: ${evidence.cause}`
    case "Silence":
    case "OutOfTime":
      return `${evidence._tag} after ${evidence.waitedMillis} ms`
    case "Ended":
      return evidence.exitCode === undefined ? "Ended" : `Ended with exit code ${evidence.exitCode}`
    case "Garbled":
      return `Garbled: ${evidence.problem}`
    case "OutOfTurn":
      return `OutOfTurn: ${evidence.what}`
    case "VersionRefused":
    case "MethodMissing":
      return evidence._tag
  }
}
