// The rungs that judge a legacy HTTP request by its session and its version header. What its message means to the
// session is the machine's business.
import { HeaderName } from "../Envelope.ts"
import type { Id } from "../Message.ts"
import { Code } from "../Message.ts"
import { batchVersion, isModern } from "../Version.ts"
import type { Compiled } from "./Compiled.ts"
import type { RequestHeaders } from "./HeaderValue.ts"
import { conflict, single } from "./HeaderValue.ts"
import type { Ground, Problem, Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import type { State } from "./State.ts"

/** A legacy HTTP request as its rungs see it. */
export interface Legacy {
  readonly headers: RequestHeaders
  /** The session that the request names, where sessions are issued. */
  readonly sessionId: string | undefined
  /** Where that session stands. Undefined when it is not known, has ended, or belongs to somebody else. */
  readonly state: State | undefined
  /** Whether an array of messages was sent. */
  readonly batched: boolean
}

/** A rung that judges a legacy request. Undefined lets it pass. */
export interface LegacyRung extends Ground {
  readonly stage: "legacy"
  readonly check: (compiled: Compiled, legacy: Legacy) => Problem | undefined
}

/** The request names no session, and none may do without one. */
export const sessionMissing: LegacyRung = {
  stage: "legacy",
  id: "legacy.session-missing",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "initialize",
  because: "2025-11-25 transports, Session Management: a server that requires a session SHOULD answer 400 without one",
  check: (compiled, { sessionId }) =>
    compiled.sessions && sessionId === undefined ? { _tag: "SessionUnknown", problem: "missing" } : undefined
}

/** The session is not known, has ended, or belongs to another principal. */
export const sessionUnknown: LegacyRung = {
  stage: "legacy",
  id: "legacy.session-unknown",
  code: Code.InvalidRequest,
  status: 404,
  remedy: "initializeAgain",
  because: "2025-11-25 transports, Session Management: a session that ended MUST be answered 404",
  check: (compiled, { state }) =>
    compiled.sessions && versionOf(state) === undefined ? { _tag: "SessionUnknown", problem: "unknown" } : undefined
}

const versionHeader: LegacyRung = {
  stage: "legacy",
  id: "legacy.version-header",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "matchHeader",
  because: "2025-11-25 transports, Protocol Version Header: an invalid or unsupported one MUST be 400; absent is fine",
  check: (compiled, { headers, state }) => {
    const raw = headers[HeaderName.ProtocolVersion]
    if (raw === undefined) return undefined
    const named = single(raw)
    const session = versionOf(state)
    if (named === undefined || named === session) return undefined
    if (named === conflict) return disagree(session ?? "one version", "copies that differ")
    if (session !== undefined) return disagree(session, named)
    return compiled.legacyVersions.has(named)
      ? undefined
      : { _tag: "UnsupportedProtocolVersion", requested: named, supported: compiled.supported }
  }
}

/** An array in a conversation whose revision has no batches. A pipe asks this rung too. */
export const batchAtVersion: LegacyRung = {
  stage: "legacy",
  id: "legacy.batch",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "sendOneMessage",
  because: "2025-03-26 index, Batching: that revision alone has batches, so a session must be at it",
  check: (_, { state, batched }) =>
    !batched || versionOf(state) === batchVersion
      ? undefined
      : {
          _tag: "InvalidMessage",
          code: Code.InvalidRequest,
          problem: `an array is allowed only in a session at ${batchVersion}`
        }
}

/** The rungs of the legacy era in the order of their evaluation. */
export const legacyRungs: ReadonlyArray<LegacyRung> = [sessionMissing, sessionUnknown, versionHeader, batchAtVersion]

/** Returns the refusal of a legacy HTTP request, or undefined where its messages may be weighed. */
export const climbLegacy = (compiled: Compiled, legacy: Legacy, id: Id | undefined): Refusal | undefined => {
  for (const rung of legacyRungs) {
    const problem = rung.check(compiled, legacy)
    if (problem !== undefined) return refusal(rung, problem, id)
  }
  return undefined
}

/** Returns whether a request's version header names a modern revision. */
export const namesModern = (headers: RequestHeaders | undefined): boolean => {
  const raw = headers?.[HeaderName.ProtocolVersion]
  if (raw === undefined) return false
  const named = single(raw)
  return typeof named === "string" && isModern(named)
}

// A session begins with its opening, which no state before it and no state after the end has.
const versionOf = (state: State | undefined): string | undefined =>
  state !== undefined && "opening" in state ? state.opening.version : undefined

const disagree = (expected: string, received: string): Problem => ({
  _tag: "HeaderMismatch",
  header: HeaderName.ProtocolVersion,
  expected,
  received
})
