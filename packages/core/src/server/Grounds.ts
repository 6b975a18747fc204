// The grounds on which the machine and its runtime refuse: those that need to know where the conversation stands, or
// that no rung of the ladder can see.
import type { Id } from "../Message.ts"
import { Code, Method } from "../Message.ts"
import type { Phase } from "../Errors.ts"
import type { Compiled } from "./Compiled.ts"
import type { Ground, Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"

/** `initialize` lacks what its revision demands. */
export const initMalformed: Ground = {
  id: "legacy.init-malformed",
  code: Code.InvalidParams,
  status: 200,
  remedy: "mendInitialize",
  because: "lifecycle, Initialization: it MUST contain the protocol version, capabilities and client info"
}

/** `initialize` came a second time. */
export const initRepeated: Ground = {
  id: "legacy.init-repeated",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "doNotInitializeAgain",
  because: "lifecycle, Initialization: it is the first interaction; the specification is silent on a second"
}

/** A legacy request came before `initialize`. */
export const initMissing: Ground = {
  id: "legacy.init-missing",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "initialize",
  because: "lifecycle, Initialization: it MUST be the first interaction"
}

/** A legacy method that is not served. */
export const legacyMethod: Ground = {
  id: "legacy.method",
  code: Code.MethodNotFound,
  status: 200,
  remedy: "useKnownMethod",
  because: "JSON-RPC 2.0, Error Object: -32601; before 2026-07-28 an error answers with 200 like any response"
}

/** A modern request on a pipe that was opened with `initialize`, where the profile does not interleave. */
export const interleaved: Ground = {
  id: "modern.interleaved",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "reopen",
  because: "versioning: a server MAY serve both eras concurrently; this profile does not"
}

/** Nothing was admitted within the opening deadline, or the session was idle too long. */
export const overdue: Ground = {
  id: "deadline",
  code: Code.InvalidRequest,
  status: 404,
  remedy: "reopen",
  because: "lifecycle, Timeouts: no wait without an end"
}

/** The session store cannot be reached, or has no room. */
export const storeDown: Ground = {
  id: "store",
  code: Code.InternalError,
  status: 503,
  remedy: "waitAndRetry",
  because: "Whether the session exists cannot be told now; RFC 9110: 503 with Retry-After"
}

/** The server is closing: nothing more is served. */
export const closing: Ground = {
  id: "closing",
  code: Code.InternalError,
  status: 503,
  remedy: "waitAndRetry",
  because: "What is admitted must be answered, and a server that closes cannot promise that"
}

/** The body of a request came too slowly. */
export const stalled: Ground = {
  id: "body-time",
  code: Code.InvalidRequest,
  status: 408,
  remedy: "waitAndRetry",
  because: "A body that anyone may send must have a bound in time; RFC 9110: 408"
}

/** The handler needs a client capability that a legacy client did not declare: the era has no code for it. */
export const legacyCapability: Ground = {
  id: "legacy.capability",
  code: Code.InvalidRequest,
  status: 200,
  remedy: "declareCapability",
  because: "index, Error Codes: -32021 belongs to the modern era; legacy revisions name no code"
}

/** A line of a pipe is longer than the limit. */
export const line: Ground = {
  id: "line",
  code: Code.InvalidRequest,
  status: 413,
  remedy: "sendLess",
  because: "A line that anyone may send must have a bound; what follows its newline is read"
}

/** The requests of a pipe that are not yet answered are at their bound. */
export const unanswered: Ground = {
  id: "unanswered",
  code: Code.InternalError,
  status: 503,
  remedy: "waitAndRetry",
  because: "What a client can pile up must have a bound"
}

/** Every ground of this file, for whoever lists them. */
export const grounds: ReadonlyArray<Ground> = [
  initMalformed,
  initRepeated,
  initMissing,
  legacyMethod,
  interleaved,
  overdue,
  storeDown,
  closing,
  stalled,
  legacyCapability,
  line,
  unanswered
]

/** Returns the refusal of a line that passed the limit. */
export const overlong = (limitBytes: number): Refusal => refusal(line, { _tag: "PayloadTooLarge", limitBytes })

/** Returns the refusal of a request for which there is no room. */
export const noRoom = (limit: number, id: Id): Refusal =>
  refusal(
    unanswered,
    {
      _tag: "TransportFailure",
      reason: `${limit} requests on this connection are not yet answered.`,
      retryable: true
    },
    id
  )

/** Returns the refusal of a legacy request before `initialize`. */
export const missing = (compiled: Compiled, method: string, id: Id): Refusal =>
  refusal(initMissing, { _tag: "MissingInit", method, modern: compiled.modernVersions.size > 0 }, id)

/** Returns the refusal of a second `initialize`. */
export const repeated = (id: Id): Refusal =>
  refusal(
    initRepeated,
    { _tag: "InvalidMessage", code: Code.InvalidRequest, problem: "the connection is initialized already" },
    id
  )

/** Returns the refusal of an `initialize` that lacks what its revision demands. */
export const malformed = (path: string, problem: string, id: Id): Refusal =>
  refusal(initMalformed, { _tag: "MalformedInit", method: Method.Initialize, path, problem }, id)

/** Returns the refusal of a legacy method that is not served. */
export const unknownMethod = (method: string, id: Id): Refusal =>
  refusal(legacyMethod, { _tag: "MethodNotFound", method }, id)

/** Returns the refusal of a modern request on a pipe that was opened by a handshake. */
export const notInterleaved = (compiled: Compiled, id: Id): Refusal =>
  refusal(
    interleaved,
    {
      _tag: "InvalidMessage",
      code: Code.InvalidRequest,
      problem: `this connection was opened with initialize, and ${compiled.profile.serverInfo.name} does not mix eras on one connection`
    },
    id
  )

/** Returns the refusal of a conversation that took too long. */
export const timedOut = (phase: Phase, waitedMillis: number): Refusal =>
  refusal(overdue, { _tag: "Timeout", phase, waitedMillis })

/** Returns the refusal of a request whose session cannot be looked up now. */
export const storeUnavailable = (id: Id | undefined): Refusal =>
  refusal(storeDown, { _tag: "TransportFailure", reason: "Sessions cannot be looked up now.", retryable: true }, id)

/** Returns the refusal of a request that came while the server closes. */
export const nowClosing = (id: Id | undefined): Refusal =>
  refusal(closing, { _tag: "TransportFailure", reason: "The server is closing.", retryable: true }, id)

/** Returns the refusal of a body that came too slowly. */
export const tooSlow = (waitedMillis: number): Refusal =>
  refusal(stalled, { _tag: "Timeout", phase: "request", waitedMillis })
