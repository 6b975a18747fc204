// What an event means here: the finite alphabet of the server's table. How an event is weighed is in Weigh.
import type { Implementation } from "../Envelope.ts"
import type * as Message from "../Message.ts"
import type { Refusal } from "./Refusal.ts"

/** What an event means to a server. */
export type Evidence =
  | Opened
  | OpenedBadly
  | Initialized
  | Ping
  | LegacyRequest
  | ModernRequest
  | VersionUnserved
  | HeadersDisagree
  | EnvelopeInvalid
  | MethodUnknown
  | CapabilityMissing
  | Notification
  | Response
  | Malformed
  | DeadlinePassed
  | EndOfInput
  | Deleted

/** The words of the alphabet. */
export type EvidenceTag = Evidence["_tag"]
/** The evidence of a tag. */
export type EvidenceOf<E extends EvidenceTag> = EvidenceByTag[E]
type EvidenceByTag = { readonly [E in EvidenceTag]: Extract<Evidence, { readonly _tag: E }> }

/** Who the client says it is and what it can do. A modern client need not say who it is. */
export interface Client {
  readonly info: Implementation | undefined
  readonly capabilities: Message.JsonObject
}

/** A good `initialize`. */
export interface Opened {
  readonly _tag: "Opened"
  readonly id: Message.Id
  /** The version that the client offers: any text. */
  readonly requested: string
  readonly client: Client
}

/** An `initialize` whose shape is not what its revision demands. */
export interface OpenedBadly extends Refusing {
  readonly _tag: "OpenedBadly"
}

/** `notifications/initialized` without an envelope. */
export interface Initialized {
  readonly _tag: "Initialized"
}

/** A legacy `ping`. The modern era has none. */
export interface Ping {
  readonly _tag: "Ping"
  readonly id: Message.Id
}

/** A request without an envelope, at a server that serves the legacy era. */
export interface LegacyRequest {
  readonly _tag: "LegacyRequest"
  readonly request: Message.Request
}

/** A request whose envelope and headers are in order, for a method that is served. */
export interface ModernRequest {
  readonly _tag: "ModernRequest"
  readonly request: Message.Request
  readonly version: string
  readonly meta: Message.JsonObject
}

/** The envelope names a revision that is not served among the modern ones, or `initialize` met a modern-only server. */
export interface VersionUnserved extends Refusing {
  readonly _tag: "VersionUnserved"
}

/** A header is missing or says something else than the body. */
export interface HeadersDisagree extends Refusing {
  readonly _tag: "HeadersDisagree"
}

/** The envelope lacks a key or holds a wrong one. */
export interface EnvelopeInvalid extends Refusing {
  readonly _tag: "EnvelopeInvalid"
}

/** The method is not served in this era. */
export interface MethodUnknown extends Refusing {
  readonly _tag: "MethodUnknown"
}

/** The request needs a client capability that was not declared. */
export interface CapabilityMissing extends Refusing {
  readonly _tag: "CapabilityMissing"
}

/** A notification other than a legacy `notifications/initialized`. `version` is the envelope's, if it has one. */
export interface Notification {
  readonly _tag: "Notification"
  readonly notification: Message.Notification
  readonly version: string | undefined
}

/** A response of the client to a request of the server. */
export interface Response {
  readonly _tag: "Response"
  readonly response: Message.Response
}

/** What is no JSON, no JSON-RPC message, too large, or a batch where none is allowed. */
export interface Malformed extends Refusing {
  readonly _tag: "Malformed"
}

/** A deadline passed. `unanswered` counts the requests that were admitted and are not yet answered. */
export interface DeadlinePassed {
  readonly _tag: "DeadlinePassed"
  readonly of: "opening" | "idle"
  readonly waitedMillis: number
  readonly unanswered: number
}

/** The client closed its end of the pipe. */
export interface EndOfInput {
  readonly _tag: "EndOfInput"
}

/** The client ended its HTTP session. */
export interface Deleted {
  readonly _tag: "Deleted"
}

interface Refusing {
  readonly refusal: Refusal
}

/** Returns the evidence in a few words, for a trace. */
export const describe = (evidence: Evidence): string => {
  switch (evidence._tag) {
    case "Opened":
      return `Opened ${evidence.requested.slice(0, 40)}`
    case "LegacyRequest":
      return `LegacyRequest ${evidence.request.method.slice(0, 80)}`
    case "ModernRequest":
      return `ModernRequest ${evidence.request.method.slice(0, 80)} at ${evidence.version}`
    case "Notification":
      return `Notification ${evidence.notification.method.slice(0, 80)}`
    case "DeadlinePassed":
      return `DeadlinePassed ${evidence.of}, ${evidence.unanswered} unanswered`
    case "Initialized":
    case "Ping":
    case "Response":
    case "EndOfInput":
    case "Deleted":
      return evidence._tag
    default:
      return `${evidence._tag} at ${evidence.refusal.ground.id}`
  }
}
