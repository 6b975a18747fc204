// Every way in which an opening can fail, on either side: whose fault it is, whether trying again can help, and a
// sentence derived from the fields. No code and no status is decided here.
import * as Data from "effect/Data"
import type { JsonObject } from "./Message.ts"
import { head } from "./Message.ts"
import type { TraceEntry } from "./Machine.ts"

/** Who is at fault: the other side, what lies between, the owner of this side's policy or profile, or the caller. */
export type Fault = "peer" | "network" | "owner" | "caller"

/** Where a wait ended. */
export type Phase = "initialize" | "server/discover" | "negotiation" | "opening" | "initialized" | "idle" | "request"

const whoseFault = (failure: TransportFailure): Fault => {
  const { exitCode, head: beginning, retryable, signal, status, stderr } = failure
  if ([status, beginning, exitCode, signal, stderr].some((one) => one !== undefined)) return "peer"
  return retryable ? "network" : "owner"
}

// A message is for people and logs: what a peer wrote is shown on one line, without control characters, and not at length.
const shown = (text: string, limit = 200): string => head(text, limit)

const list = (versions: ReadonlyArray<string>): string =>
  `${versions
    .slice(0, 20)
    .map((version) => shown(version, 64))
    .join(", ")}${versions.length > 20 ? " and more" : ""}`

/**
 * The two sides share no revision, or one side named a revision that the other does not speak. `requested` is what was
 * asked for, `supported` what the refusing side listed (empty if it listed nothing), `named` what a peer answered
 * instead, `cause` the refusal where the version was not its subject.
 */
export class UnsupportedProtocolVersion extends Data.TaggedError("UnsupportedProtocolVersion")<{
  readonly requested: string
  readonly supported: ReadonlyArray<string>
  readonly named?: string
  readonly detail?: string
  readonly cause?: unknown
}> {
  readonly fault: Fault = "owner"
  readonly retryable = false
  override get message(): string {
    const what =
      this.named !== undefined
        ? `The server was asked for ${shown(this.requested, 64)} and named ${shown(this.named, 64)}.`
        : this.supported.length > 0
          ? `${shown(this.requested, 64)} was refused; on offer: ${list(this.supported)}.`
          : `${shown(this.requested, 64)} was refused, and no revision was listed instead.`
    return `${what} ${this.detail === undefined ? "Allow one of its revisions in the policy, or upgrade the older side." : shown(this.detail, 500)}`
  }
}

/** The other side does not know the method. `cause` is a later refusal, where two methods were refused. */
export class MethodNotFound extends Data.TaggedError("MethodNotFound")<{
  readonly method: string
  readonly cause?: unknown
}> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The other side does not know the method ${shown(this.method, 100)}. Check that the address is an MCP server, and that it serves this revision.`
  }
}

/**
 * Nothing came within the time allowed. A timeout is never a verdict on the era. Where the time of a whole negotiation was
 * over, `during` is the method whose answer was waited for.
 */
export class Timeout extends Data.TaggedError("Timeout")<{
  readonly phase: Phase
  readonly during?: "initialize" | "server/discover"
  readonly waitedMillis: number
}> {
  readonly fault: Fault = "network"
  readonly retryable = true
  override get message(): string {
    const awaited = this.during === undefined ? "" : `to ${this.during} `
    return `No answer ${awaited}in the phase ${this.phase} within ${this.waitedMillis} ms. Allow more time, or look at what the server writes to its log.`
  }
}

/** An opening message whose shape is not what its revision demands. `path` names the member, as in `result.protocolVersion`. */
export class MalformedInit extends Data.TaggedError("MalformedInit")<{
  readonly method: string
  readonly path: string
  readonly problem: string
}> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The ${shown(this.method, 100)} message is malformed at ${shown(this.path, 100)}: ${shown(this.problem)}. The side that wrote it must be mended.`
  }
}

/** A legacy request came before the handshake. */
export class MissingInit extends Data.TaggedError("MissingInit")<{ readonly method: string }> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `${shown(this.method, 100)} came before the connection was initialized. Send initialize first, or carry the request envelope of a modern revision where one is served.`
  }
}

/** The server answered the opening with an error that says nothing about versions. */
export class InitializeRejected extends Data.TaggedError("InitializeRejected")<{
  readonly method: string
  readonly code: number
  /** The server's own words, on one line, at most 200 characters. */
  readonly serverMessage: string
  readonly data?: unknown
  readonly cause?: unknown
}> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The server refused ${shown(this.method, 100)} with ${this.code}: ${shown(this.serverMessage)}. Look for the reason in the server's log; another revision would not help.`
  }
}

/** A header and the body, or a header and the specification, disagree (-32020). */
export class HeaderMismatch extends Data.TaggedError("HeaderMismatch")<{
  readonly header: string
  readonly expected: string
  readonly received: string
  readonly cause?: unknown
}> {
  readonly fault: Fault = "network"
  readonly retryable = false
  override get message(): string {
    return `The header ${shown(this.header)} was expected as ${shown(this.expected)} and received as ${shown(this.received)}. Check proxies that strip or rewrite headers.`
  }
}

/** The request needs a capability that the client did not declare (-32021). */
export class MissingRequiredClientCapability extends Data.TaggedError("MissingRequiredClientCapability")<{
  readonly requiredCapabilities: JsonObject
  readonly cause?: unknown
}> {
  readonly fault: Fault = "caller"
  readonly retryable = false
  override get message(): string {
    return `The server needs the client capability ${list(Object.keys(this.requiredCapabilities)) || "(not named)"}. Declare it, or do not call this.`
  }
}

/** The request envelope of a modern revision lacks a key or holds a wrong one (-32602). */
export class InvalidEnvelope extends Data.TaggedError("InvalidEnvelope")<{
  readonly key: string
  readonly problem: string
}> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The request envelope is invalid at ${shown(this.key)}: ${shown(this.problem)}. Put the key into params._meta as the revision demands.`
  }
}

/** What came is no JSON, no JSON-RPC message, or one that has no place here (-32700, -32600). */
export class InvalidMessage extends Data.TaggedError("InvalidMessage")<{
  readonly code: number
  readonly problem: string
}> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The message is not usable: ${shown(this.problem)}. Send one JSON-RPC 2.0 message.`
  }
}

/** The session is not known to the server: it ended, or it never was. */
export class SessionUnknown extends Data.TaggedError("SessionUnknown")<{ readonly problem: "missing" | "unknown" }> {
  readonly fault: Fault = "caller"
  readonly retryable = true
  override get message(): string {
    return this.problem === "missing"
      ? "The request names no session. Send initialize first, and its Mcp-Session-Id with every later request."
      : "The session is unknown or has ended. Open a new one with initialize, without a session id."
  }
}

/** The Origin or the Host of a request is not allowed. */
export class OriginRefused extends Data.TaggedError("OriginRefused")<{
  readonly header: "Origin" | "Host"
  readonly received: string
}> {
  readonly fault: Fault = "owner"
  readonly retryable = false
  override get message(): string {
    return `The ${this.header} ${shown(this.received)} is not allowed here. Add it to the profile's list if it is yours.`
  }
}

/** A body or a line is larger than the limit. */
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The message is larger than ${this.limitBytes} bytes. Send less, or raise the limit.`
  }
}

/** The server demands authorization (401) or denies access (403). Never a verdict on the era. */
export class Unauthorized extends Data.TaggedError("Unauthorized")<{
  readonly status: number
  readonly challenge?: string
}> {
  readonly fault: Fault = "caller"
  readonly retryable = false
  override get message(): string {
    return `The server answered ${this.status}${this.challenge === undefined ? "" : ` and asks for ${shown(this.challenge, 300)}`}. Provide a credential that it accepts.`
  }
}

/** The server is overloaded or not ready (408, 429, 503). `retryAfterMillis` is what it asked for, if it did. */
export class Busy extends Data.TaggedError("Busy")<{
  readonly status: number
  readonly retryAfterMillis?: number
}> {
  readonly fault: Fault = "network"
  readonly retryable = true
  override get message(): string {
    return `The server answered ${this.status}${this.retryAfterMillis === undefined ? "" : ` and asks to wait ${this.retryAfterMillis} ms`}. Try again later.`
  }
}

/**
 * The carrier failed, or what came back is no MCP: a refused or broken connection, a status without a JSON-RPC body, a
 * web page, a process that cannot be started or ended. `head` is the beginning of what came instead, `stderr` the end of
 * what a process wrote there (at most 64 KiB; the message shows the last 500 characters).
 */
export class TransportFailure extends Data.TaggedError("TransportFailure")<{
  readonly reason: string
  readonly status?: number
  readonly head?: string
  readonly exitCode?: number
  readonly signal?: string
  readonly stderr?: string
  readonly retryable: boolean
  readonly cause?: unknown
}> {
  /**
   * `peer` where it answered something, wrote something or ended; `owner` where nothing could be sent at all, as to an
   * address that is none or a command that does not exist; else `network`.
   */
  readonly fault: Fault = whoseFault(this)
  override get message(): string {
    const parts = [shown(this.reason, 600)]
    if (this.head !== undefined && this.head !== "") parts.push(`It began: ${shown(this.head)}`)
    if (this.stderr !== undefined && this.stderr.trim() !== "")
      parts.push(`Its standard error ended: ${shown(this.stderr.trim().slice(-500), 500)}`)
    return parts.join(" ")
  }
}

/** The policy, or the client that it is used with, forbids the opening before a byte is sent. */
export class PolicyForbids extends Data.TaggedError("PolicyForbids")<{
  readonly policy: string
  readonly what: string
}> {
  readonly fault: Fault = "owner"
  readonly retryable = false
  override get message(): string {
    return `The policy ${shown(this.policy, 100)} does not allow this: ${shown(this.what, 500)}. Choose another policy, or a client that can.`
  }
}

/** The server answered a request with a JSON-RPC error that has no meaning of its own here. */
export class ErrorResponse extends Data.TaggedError("ErrorResponse")<{
  readonly method: string
  readonly code: number
  /** The server's own words, on one line, at most 1,000 characters. */
  readonly serverMessage: string
  readonly data?: unknown
  /** HTTP: the status of the response that the error came in. */
  readonly status?: number
}> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The server answered ${shown(this.method, 100)} with the error ${this.code}: ${shown(this.serverMessage, 1000)}. Change the request, or look for the reason in the server's log.`
  }
}

/** The answer to a request is no result that its revision allows. `path` names the member, as in `result.resultType`. */
export class MalformedResult extends Data.TaggedError("MalformedResult")<{
  readonly method: string
  readonly path: string
  readonly problem: string
}> {
  readonly fault: Fault = "peer"
  readonly retryable = false
  override get message(): string {
    return `The answer to ${shown(this.method, 100)} is malformed at ${shown(this.path, 100)}: ${shown(this.problem)}. The server must be mended.`
  }
}

/** Why a client's opening failed. */
export type NegotiationReason =
  | UnsupportedProtocolVersion
  | MethodNotFound
  | Timeout
  | MalformedInit
  | InitializeRejected
  | HeaderMismatch
  | MissingRequiredClientCapability
  | SessionUnknown
  | Unauthorized
  | Busy
  | TransportFailure
  | PolicyForbids

/** Why a request over a connection failed. */
export type RequestReason =
  | ErrorResponse
  | MalformedResult
  | MethodNotFound
  | Timeout
  | HeaderMismatch
  | MissingRequiredClientCapability
  | UnsupportedProtocolVersion
  | SessionUnknown
  | Unauthorized
  | Busy
  | TransportFailure
  | NegotiationError

/** Why a server did not admit a request. */
export type AdmissionReason =
  | UnsupportedProtocolVersion
  | MethodNotFound
  | Timeout
  | MalformedInit
  | MissingInit
  | HeaderMismatch
  | MissingRequiredClientCapability
  | InvalidEnvelope
  | InvalidMessage
  | SessionUnknown
  | OriginRefused
  | PayloadTooLarge
  | TransportFailure

/** A client's opening failed: `reason` says why, `trace` what led there, step by step. */
export class NegotiationError extends Data.TaggedError("NegotiationError")<{
  readonly reason: NegotiationReason
  readonly trace: ReadonlyArray<TraceEntry>
}> {
  override get message(): string {
    const { cause, message } = this.reason
    return cause instanceof Error ? `${message} Then: ${cause.message}` : message
  }
  get fault(): Fault {
    return this.reason.fault
  }
  get retryable(): boolean {
    return this.reason.retryable
  }
}

/** A request over a connection failed: `reason` says why. What was `retryable` was certainly not executed, or may be repeated by the caller. */
export class RequestError extends Data.TaggedError("RequestError")<{
  readonly method: string
  readonly reason: RequestReason
}> {
  override get message(): string {
    return this.reason.message
  }
  get fault(): Fault {
    return this.reason.fault
  }
  get retryable(): boolean {
    return this.reason.retryable
  }
}

/** A server did not admit a request or a connection: `reason` says why. */
export class AdmissionError extends Data.TaggedError("AdmissionError")<{ readonly reason: AdmissionReason }> {
  override get message(): string {
    return this.reason.message
  }
  get fault(): Fault {
    return this.reason.fault
  }
  get retryable(): boolean {
    return this.reason.retryable
  }
}
