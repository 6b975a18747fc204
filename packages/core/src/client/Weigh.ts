// From an event to its evidence: correlation, precedence, and what the peer's lists and ours have in common.
// What follows from an evidence is the table's business, not decided here.
import type { Failure, JsonObject, Success } from "../Message.ts"
import { Code, head, isFailure, isObject, isSuccess, isUnaddressed } from "../Message.ts"
import type { Medium } from "../Medium.ts"
import { idOf } from "../Medium.ts"
import { isLegacy, isModern, isRevision, newest } from "../Version.ts"
import type { Arrived, Event, ResponseHead, Unanswered } from "./Event.ts"
import type { AccessRefused, Busy, Evidence, Garbled, OutOfTurn } from "./Evidence.ts"
import { errorOf, kept, listOf, longestVersion } from "./Kept.ts"
import type { Policy } from "./Rules.ts"
import type { Awaiting } from "./State.ts"
import { methodOf } from "./State.ts"

/** Returns what an event means in a state. Total: what fits nowhere is OutOfTurn, and too much of that is Garbled. */
export const weigh = (policy: Policy, medium: Medium, state: Awaiting, event: Event): Evidence => {
  const evidence = weighFreely(policy, medium, state, event)
  if (evidence._tag !== "OutOfTurn") return evidence
  const { ledger } = state
  if (evidence.kind === "noise" && ledger.noise >= policy.budgets.noise) {
    return garbled("stdout", `more than ${policy.budgets.noise} lines are no JSON-RPC message`, true, {
      head: ledger.strays[0] ?? evidence.what
    })
  }
  if (evidence.kind === "message" && ledger.outOfTurn >= policy.budgets.outOfTurn) {
    return garbled("message", `more than ${policy.budgets.outOfTurn} messages came out of turn`, false, {})
  }
  return evidence
}

const weighFreely = (policy: Policy, medium: Medium, state: Awaiting, event: Event): Evidence => {
  const current = state.ledger.exchanges
  switch (event._tag) {
    case "Arrived":
      return weighMessage(policy, medium, state, event)
    case "Stray":
      return event.problem === "overlong"
        ? garbled("stdout", "a line is over the size bound", true, { head: head(event.head, 200) })
        : { _tag: "OutOfTurn", kind: "noise", what: head(event.head, 200) }
    case "Unanswered":
      return event.exchange === current ? weighUnanswered(event) : outOfTurn("the end of an older response")
    case "Lost":
      return event.exchange === undefined || event.exchange === current
        ? {
            _tag: "Outage",
            cause: head(event.cause, 300),
            ...(event.retryable === undefined ? undefined : { retryable: event.retryable })
          }
        : outOfTurn("the loss of an older response")
    case "Closed":
      if (medium.reopens === "never") return { _tag: "Outage", cause: "The server closed the connection." }
      return {
        _tag: "Ended",
        stderr: event.stderr.slice(-longestStderr),
        ...(event.exitCode === undefined ? undefined : { exitCode: event.exitCode }),
        ...(event.signal === undefined ? undefined : { signal: event.signal })
      }
    case "DeadlinePassed":
      if (event.of === "negotiation") return { _tag: "OutOfTime", waitedMillis: event.waitedMillis }
      return event.of === current
        ? { _tag: "Silence", waitedMillis: event.waitedMillis }
        : outOfTurn("the deadline of an older exchange")
  }
}

const weighMessage = (policy: Policy, medium: Medium, state: Awaiting, event: Arrived): Evidence => {
  const { message } = event
  if (isSuccess(message) || isFailure(message)) {
    switch (correlate(medium, state, event, message)) {
      case "answer":
        return weighAnswer(policy, medium, state, event.head, message)
      case "probe":
        return weighLateProbe(policy, message)
      case "stranger":
        return outOfTurn("a response to nothing that was asked")
    }
  }
  return {
    _tag: "OutOfTurn",
    kind: "message",
    what: head(message.method, 100),
    message,
    ...(event.head?.sessionId === undefined ? undefined : { sessionId: event.head.sessionId })
  }
}

const correlate = (
  medium: Medium,
  state: Awaiting,
  event: Arrived,
  message: Success | Failure
): "answer" | "probe" | "stranger" => {
  const { exchanges, probe } = state.ledger
  if (medium.streams === "perRequest") return event.exchange === exchanges ? "answer" : "stranger"
  if (message.id === idOf(medium, exchanges)) return "answer"
  if (probe !== undefined && message.id === idOf(medium, probe)) return "probe"
  return isFailure(message) && isUnaddressed(message) && probe === undefined ? "answer" : "stranger"
}

const weighAnswer = (
  policy: Policy,
  medium: Medium,
  state: Awaiting,
  response: ResponseHead | undefined,
  message: Success | Failure
): Evidence => {
  const decided = isFailure(message) ? weighModernCode(policy, state, message) : undefined
  if (decided !== undefined) return decided
  const status = response === undefined ? undefined : weighStatus(response)
  if (status !== undefined) return status
  if (isFailure(message)) return weighError(policy, state, message)
  if (response !== undefined && (response.status < 200 || response.status > 299)) {
    return weighUnanswered({ head: response, body: "", problem: "a result under an error status" })
  }
  const id = idOf(medium, state.ledger.exchanges)
  if (message.id !== id)
    return garbled(
      "id",
      `the answer has the id ${head(JSON.stringify(message.id), 80)}, not ${JSON.stringify(id)}`,
      false,
      {}
    )
  return methodOf(state) === "initialize"
    ? weighInitializeResult(policy, message.result, response?.sessionId)
    : weighDiscoverResult(policy, message.result)
}

// HTTP precedence, first rung: a body with one of the three modern codes is read whatever the status.
const weighModernCode = (policy: Policy, state: Awaiting, message: Failure): Evidence | undefined => {
  const { code } = message.error
  if (code === Code.UnsupportedProtocolVersion) {
    const list = listOf(message.error.data)
    return list === undefined ? { _tag: "VersionRefused" } : weighList(policy, list, code, state.asked)
  }
  return code === Code.HeaderMismatch || code === Code.MissingRequiredClientCapability
    ? { _tag: "ModernSign", ...errorOf(message) }
    : undefined
}

/** HTTP precedence, second and third rung: access and load come before any other error in the body. */
export const weighStatus = ({
  status,
  challenge,
  retryAfterMillis
}: ResponseHead): AccessRefused | Busy | undefined => {
  if (status === 401 || status === 403) {
    return {
      _tag: "AccessRefused",
      status,
      ...(challenge === undefined ? undefined : { challenge: head(challenge, 2_000) })
    }
  }
  if (status === 408 || status === 429 || status === 503) {
    return { _tag: "Busy", status, ...(retryAfterMillis === undefined ? undefined : { retryAfterMillis }) }
  }
  return undefined
}

const weighError = (policy: Policy, state: Awaiting, message: Failure): Evidence => {
  const { code } = message.error
  if (code === Code.MethodNotFound) return { _tag: "MethodMissing" }
  if (code === Code.InvalidParams && methodOf(state) === "initialize") {
    const list = listOf(message.error.data)
    return list === undefined
      ? { _tag: "ParamsRefused", ...errorOf(message) }
      : weighHandshakeList(policy, list, code, state.asked)
  }
  return { _tag: "Refused", ...errorOf(message) }
}

/** How a response ended that held no answer. */
export type ResponseEnd = Pick<Unanswered, "head" | "body" | "problem">

/** Returns what a response says that ended without an answer, by its status. */
export const weighUnanswered = ({ head: response, body: text, problem }: ResponseEnd): Evidence => {
  const { location, status } = response
  const body = head(text, 200)
  const decided = weighStatus(response)
  if (decided !== undefined) return decided
  if (status >= 500)
    return {
      _tag: "Outage",
      cause: `The server answered ${status}.`,
      status,
      head: body
    }
  if (status >= 300)
    return { _tag: "HttpRefused", status, head: body, ...(location === undefined ? undefined : { location }) }
  const foreign = !/^(application\/json|text\/event-stream)\b/i.test(response.contentType ?? "")
  return garbled("body", problem, foreign, { status, head: body })
}

const weighInitializeResult = (policy: Policy, result: JsonObject, sessionId: string | undefined): Evidence => {
  const named = result["protocolVersion"]
  if (typeof named !== "string") return garbled("result.protocolVersion", "it is no string", false, {})
  if (!isObject(result["capabilities"])) return garbled("result.capabilities", "it is no object", false, {})
  if (!isObject(result["serverInfo"])) return garbled("result.serverInfo", "it is no object", false, {})
  // A revision is short and plain; anything else is bounded before it is kept.
  const version = isRevision(named) ? named : head(named, longestVersion)
  if (isModern(named)) return { _tag: "ModernNamed", version, result, sessionId }
  return isLegacy(named) && policy.versions.includes(named)
    ? { _tag: "Agreed", version, result, sessionId }
    : { _tag: "StrangerNamed", version, sessionId }
}

const weighDiscoverResult = (policy: Policy, result: JsonObject): Evidence => {
  const problem = discoverProblem(result)
  if (problem !== undefined) return problem
  const list = listOf({ supported: result["supportedVersions"] })
  if (list === undefined) return garbled("result.supportedVersions", "it is no list of revisions", false, {})
  const version = newest(list.filter((one) => isModern(one) && policy.versions.includes(one)))
  // Nothing was asked for that could have been refused, and a list is no refusal: it has no code.
  return version === undefined
    ? weighLegacyList(policy, list, undefined, undefined)
    : { _tag: "Agreed", version, result }
}

const discoverProblem = (result: JsonObject): Garbled | undefined => {
  const kind = result["resultType"]
  if (kind !== undefined && kind !== "complete") return garbled("result.resultType", "it is not complete", false, {})
  return isObject(result["capabilities"]) ? undefined : garbled("result.capabilities", "it is no object", false, {})
}

const weighLateProbe = (policy: Policy, message: Success | Failure): Evidence => {
  const found = isSuccess(message) ? weighDiscoverResult(policy, message.result) : undefined
  return found?._tag === "Agreed"
    ? { _tag: "LateAgreed", version: found.version, result: found.result }
    : { _tag: "OutOfTurn", kind: "message", what: "the late answer to the probe", probeAnswered: true }
}

/** A list that names a mutual modern revision corrects us; else one that names a legacy revision counters; else nothing is shared. */
const weighList = (policy: Policy, theirs: ReadonlyArray<string>, code: number, refused: string): Evidence => {
  const modern = newest(theirs.filter((one) => isModern(one) && policy.versions.includes(one)))
  if (modern !== undefined) return { _tag: "Corrected", version: modern, theirs: kept(theirs), code }
  return weighLegacyList(policy, theirs, code, refused)
}

// A -32602 is the handshake's own refusal: its legacy revisions are an offer that comes before its modern ones.
const weighHandshakeList = (policy: Policy, theirs: ReadonlyArray<string>, code: number, refused: string): Evidence => {
  const legacy = weighLegacyList(policy, theirs, code, refused)
  return legacy._tag === "Countered" ? legacy : weighList(policy, theirs, code, refused)
}

const weighLegacyList = (
  policy: Policy,
  theirs: ReadonlyArray<string>,
  code: number | undefined,
  refused: string | undefined
): Evidence => {
  const legacy = newest(theirs.filter((one) => isLegacy(one) && one !== refused && policy.versions.includes(one)))
  const found = { theirs: kept(theirs), ...(code === undefined ? undefined : { code }) }
  return legacy === undefined ? { _tag: "Disjoint", ...found } : { _tag: "Countered", version: legacy, ...found }
}

const garbled = (
  path: string,
  problem: string,
  foreign: boolean,
  found: { readonly status?: number; readonly head?: string }
): Garbled => ({ _tag: "Garbled", path, problem, foreign, ...found })

const outOfTurn = (what: string): OutOfTurn => ({ _tag: "OutOfTurn", kind: "message", what })

const longestStderr = 64 * 1024
