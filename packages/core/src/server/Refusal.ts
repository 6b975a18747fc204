// Why something is not admitted, as plain data, and what it becomes: one JSON-RPC error on the wire with a sentence for a
// person and a remedy for a program, and an error of the program for logs and hooks. Which rung refuses is in Ladder.
import { HeaderName } from "../Envelope.ts"
import type { AdmissionReason, Phase } from "../Errors.ts"
import * as Errors from "../Errors.ts"
import type { ErrorObject, Failure, Id, JsonObject } from "../Message.ts"
import { failure, head } from "../Message.ts"

/** What refuses: a rung of the ladder or a move of the machine. */
export interface Ground {
  /** Stable. Names the rung in `data.parley.rung`. */
  readonly id: string
  /** The JSON-RPC code of the answer. */
  readonly code: number
  /** The HTTP status of the answer. A pipe has none. */
  readonly status: number
  /** What a program can do about it: a word that does not change. */
  readonly remedy: Remedy
  /** A clause of the specification, or the reason where it is silent. */
  readonly because: string
}

/** What a program can do about a refusal: words that do not change. */
export type Remedy =
  | "allowOrigin"
  | "usePost"
  | "setHeader"
  | "sendLess"
  | "sendOneMessage"
  | "useSupportedVersion"
  | "addMetaKey"
  | "matchHeader"
  | "useKnownMethod"
  | "declareCapability"
  | "initialize"
  | "initializeAgain"
  | "doNotInitializeAgain"
  | "mendInitialize"
  | "waitAndRetry"
  | "reopen"

/**
 * The facts of a refusal: the fields of the error class of the same tag. A peer's text stands here as it came; it is
 * bounded when it is written or kept.
 */
export type Problem =
  | {
      readonly _tag: "UnsupportedProtocolVersion"
      /** Empty where the request named none. */
      readonly requested: string
      readonly supported: ReadonlyArray<string>
      /** Whether `initialize` was refused because no revision with a handshake is served. */
      readonly handshake?: boolean
    }
  | { readonly _tag: "MethodNotFound"; readonly method: string }
  | { readonly _tag: "Timeout"; readonly phase: Phase; readonly waitedMillis: number }
  | { readonly _tag: "MalformedInit"; readonly method: string; readonly path: string; readonly problem: string }
  | {
      readonly _tag: "MissingInit"
      readonly method: string
      /** Whether a modern revision is served, so that its envelope would do as well. */
      readonly modern: boolean
    }
  | {
      readonly _tag: "HeaderMismatch"
      readonly header: string
      readonly expected: string
      readonly received: string
    }
  | { readonly _tag: "MissingRequiredClientCapability"; readonly requiredCapabilities: JsonObject }
  | { readonly _tag: "InvalidEnvelope"; readonly key: string; readonly problem: string }
  | { readonly _tag: "InvalidMessage"; readonly code: number; readonly problem: string }
  | { readonly _tag: "SessionUnknown"; readonly problem: "missing" | "unknown" }
  | { readonly _tag: "OriginRefused"; readonly header: "Origin" | "Host"; readonly received: string }
  | { readonly _tag: "PayloadTooLarge"; readonly limitBytes: number }
  | { readonly _tag: "TransportFailure"; readonly reason: string; readonly retryable: boolean }

/** A refusal: what refuses, why, and whom it answers. */
export interface Refusal {
  readonly ground: Ground
  readonly problem: Problem
  /** The id of the request that is answered. Absent where none could be read, and for what is no request. */
  readonly id: Id | undefined
}

/** Makes a refusal. */
export const refusal = (ground: Ground, problem: Problem, id?: Id | undefined): Refusal => ({ ground, problem, id })

/** Returns the one JSON-RPC answer of a refusal. */
export const toMessage = (refusal: Refusal): Failure => failure(refusal.id, toError(refusal))

/**
 * Returns the error object of a refusal. `data` has what the specification puts there (`supported` and `requested`, or
 * `requiredCapabilities`) and, under `parley`, `{ rung, remedy, … }` with the facts that a program needs to mend it.
 */
export const toError = ({ ground, problem: raw }: Refusal): ErrorObject => {
  const problem = bounded(raw)
  return {
    code: ground.code,
    message: sentence(problem),
    data: { ...specified(problem), parley: { rung: ground.id, remedy: ground.remedy, ...facts(problem) } }
  }
}

/** Returns the refusal as an error of the program, for the error channel, logs, metrics and hooks. */
export const toReason = (raw: Problem): AdmissionReason => {
  const problem = bounded(raw)
  switch (problem._tag) {
    case "UnsupportedProtocolVersion":
      return new Errors.UnsupportedProtocolVersion({ requested: problem.requested, supported: problem.supported })
    case "MethodNotFound":
      return new Errors.MethodNotFound(problem)
    case "Timeout":
      return new Errors.Timeout(problem)
    case "MalformedInit":
      return new Errors.MalformedInit(problem)
    case "MissingInit":
      return new Errors.MissingInit({ method: problem.method })
    case "HeaderMismatch":
      return new Errors.HeaderMismatch(problem)
    case "MissingRequiredClientCapability":
      return new Errors.MissingRequiredClientCapability(problem)
    case "InvalidEnvelope":
      return new Errors.InvalidEnvelope(problem)
    case "InvalidMessage":
      return new Errors.InvalidMessage(problem)
    case "SessionUnknown":
      return new Errors.SessionUnknown(problem)
    case "OriginRefused":
      return new Errors.OriginRefused(problem)
    case "PayloadTooLarge":
      return new Errors.PayloadTooLarge(problem)
    case "TransportFailure":
      return new Errors.TransportFailure(problem)
  }
}

// A peer's text on one line and at most 200 characters. Only what is written or kept pays for it: most refusals are
// counted and forgotten.
const bounded = (problem: Problem): Problem => {
  switch (problem._tag) {
    case "UnsupportedProtocolVersion":
      return { ...problem, requested: head(problem.requested, 200) }
    case "MethodNotFound":
    case "MissingInit":
      return { ...problem, method: head(problem.method, 200) }
    case "HeaderMismatch":
      return {
        _tag: problem._tag,
        header: spelled(problem.header),
        expected: head(problem.expected, 200),
        received: head(problem.received, 200)
      }
    case "OriginRefused":
      return { ...problem, received: head(problem.received, 200) }
    case "InvalidMessage":
      return { ...problem, problem: head(problem.problem, 200) }
    default:
      return problem
  }
}

// As people write them: MCP-Protocol-Version, Mcp-Name.
const spelled = (header: string): string =>
  header === HeaderName.ProtocolVersion
    ? "MCP-Protocol-Version"
    : header
        .split("-")
        .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
        .join("-")

const specified = (problem: Problem): JsonObject | undefined =>
  problem._tag === "UnsupportedProtocolVersion"
    ? { supported: problem.supported, requested: problem.requested }
    : problem._tag === "MissingRequiredClientCapability"
      ? { requiredCapabilities: problem.requiredCapabilities }
      : undefined

const facts = (problem: Problem): JsonObject | undefined => {
  switch (problem._tag) {
    case "UnsupportedProtocolVersion":
      return { supported: problem.supported }
    case "MethodNotFound":
    case "MissingInit":
      return { method: problem.method }
    case "Timeout":
      return { phase: problem.phase, waitedMillis: problem.waitedMillis }
    case "MalformedInit":
      return { path: problem.path }
    case "HeaderMismatch":
      return { header: problem.header, expected: problem.expected, received: problem.received }
    case "InvalidEnvelope":
      return { key: problem.key }
    case "OriginRefused":
      return { header: problem.header }
    case "PayloadTooLarge":
      return { limitBytes: problem.limitBytes }
    case "MissingRequiredClientCapability":
    case "InvalidMessage":
    case "SessionUnknown":
    case "TransportFailure":
      return undefined
  }
}

// What the client's user reads: what happened, then what to do about it. The error classes speak to the server's owner.
const sentence = (problem: Problem): string => {
  switch (problem._tag) {
    case "UnsupportedProtocolVersion":
      return unserved(problem)
    case "MethodNotFound":
      return `This server does not serve the method ${problem.method} here. Use one that its capabilities declare.`
    case "Timeout":
      return `Nothing was heard in the phase ${problem.phase} for ${problem.waitedMillis} ms. Connect again.`
    case "MalformedInit":
      return `The ${problem.method} request is malformed at ${problem.path}: ${problem.problem}. The client must be mended.`
    case "MissingInit":
      return `${problem.method} came before the connection was initialized. Send initialize first${problem.modern ? ", or the request envelope of a modern revision" : ""}.`
    case "HeaderMismatch":
      return `The header ${problem.header} was expected as ${problem.expected} and received as ${problem.received}. Send it so, or check proxies that strip or rewrite headers.`
    case "MissingRequiredClientCapability":
      return `This request needs a client capability that was not declared: ${Object.keys(problem.requiredCapabilities).join(", ")}. Declare it, or do not send this.`
    case "InvalidEnvelope":
      return `The request envelope is invalid at params._meta["${problem.key}"]: ${problem.problem}. Send it as the revision demands.`
    case "InvalidMessage":
      return `The message is not usable: ${problem.problem}. Send one JSON-RPC 2.0 message as the revision demands.`
    case "SessionUnknown":
      return problem.problem === "missing"
        ? "The request names no session. Send initialize first, and its Mcp-Session-Id with every later request."
        : "The session is unknown or has ended. Open a new one with initialize, without a session id."
    case "OriginRefused":
      return `The ${problem.header} ${problem.received} is not allowed here. The server's owner can allow it.`
    case "PayloadTooLarge":
      return `The message is larger than ${problem.limitBytes} bytes. Send less.`
    case "TransportFailure":
      return `${problem.reason} Try again later.`
  }
}

const unserved = (problem: Extract<Problem, { readonly _tag: "UnsupportedProtocolVersion" }>): string => {
  const { handshake, requested, supported } = problem
  const served = supported.join(", ")
  if (served === "") return "This server serves no revision at all. Its profile must be mended."
  return handshake === true
    ? `This server has no initialize handshake: it serves ${served}. Put one of these into the envelope of every request (server/discover tells more), or upgrade the client.`
    : `This server does not serve ${requested === "" ? "a request that names no revision" : requested}; it serves ${served}. Use one of these as its revision demands, or upgrade the client.`
}
