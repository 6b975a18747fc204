// From an evidence that ends a conversation to the error that the caller sees, with the opening's refusal where there
// was one. The sentences live in Errors.
import {
  Busy,
  HeaderMismatch,
  InitializeRejected,
  MalformedInit,
  MethodNotFound,
  MissingRequiredClientCapability,
  type NegotiationReason,
  PolicyForbids,
  Timeout,
  TransportFailure,
  Unauthorized,
  UnsupportedProtocolVersion
} from "../Errors.ts"
import { Code, isObject } from "../Message.ts"
import type { AccessRefused, Busy as BusyEvidence, Evidence, EvidenceTag, ModernSign } from "./Evidence.ts"
import type { Context, Policy } from "./Rules.ts"
import type { AskedMethod } from "./State.ts"
import { methodOf } from "./State.ts"

/**
 * Returns the error of a context that fails. Where both methods were refused it is the opening's refusal, and the
 * second is its cause; access, load, outage, end and silence of the second always speak for themselves.
 */
export const reasonOf = ({ evidence, policy, state }: Context): NegotiationReason => {
  const method = methodOf(state)
  const { opening } = state.ledger
  if (opening === undefined || !refuses(opening.evidence) || !refusesToo(evidence, opening.method)) {
    return errorOf(policy, method, state.asked, evidence)
  }
  return errorOf(
    policy,
    opening.method,
    opening.asked,
    opening.evidence,
    errorOf(policy, method, state.asked, evidence)
  )
}

/** Returns the error of a pinned policy: its one revision is not to be had, and the refusal is the cause. */
export const unsupportedOf = ({ evidence, policy, state }: Context): NegotiationReason => {
  const refusal = errorOf(policy, methodOf(state), state.asked, evidence)
  return refusal._tag === "UnsupportedProtocolVersion"
    ? refusal
    : new UnsupportedProtocolVersion({ requested: state.asked, supported: [], cause: refusal, ...detail(policy) })
}

const errorOf = (
  policy: Policy,
  method: AskedMethod,
  asked: string,
  evidence: Evidence,
  cause?: NegotiationReason
): NegotiationReason => {
  const because = cause === undefined ? undefined : { cause }
  switch (evidence._tag) {
    case "ModernNamed":
    case "StrangerNamed":
      return new UnsupportedProtocolVersion({
        requested: asked,
        supported: [],
        named: evidence.version,
        ...detail(policy),
        ...because
      })
    case "Corrected":
    case "Countered":
    case "Disjoint":
      return new UnsupportedProtocolVersion({
        requested: asked,
        supported: evidence.theirs,
        ...detail(policy),
        ...because
      })
    case "VersionRefused":
      return new UnsupportedProtocolVersion({ requested: asked, supported: [], ...detail(policy), ...because })
    case "ModernSign":
      return modernError(evidence, cause)
    case "MethodMissing":
      return new MethodNotFound({ method, ...because })
    case "ParamsRefused":
    case "Refused":
      return new InitializeRejected({
        method,
        code: evidence.code,
        serverMessage: evidence.message,
        ...(evidence.data === undefined ? undefined : { data: evidence.data }),
        ...because
      })
    case "HttpRefused":
      return new TransportFailure({
        reason:
          evidence.status < 400
            ? `The server answered ${method} with the redirect ${evidence.status}, which is not followed: only 307 and 308 within the origin are, and five of them. ${leading(evidence.location)}`
            : `The server answered ${method} with ${evidence.status} and no JSON-RPC error. Check that the address is that of an MCP endpoint.${oldTransport(evidence.status)}`,
        status: evidence.status,
        head: evidence.head,
        retryable: false,
        ...because
      })
    case "AccessRefused":
      return unauthorized(evidence)
    case "Busy":
      return busy(evidence)
    case "Outage":
      return new TransportFailure({
        reason:
          evidence.status === undefined
            ? evidence.cause
            : `${evidence.cause} Look at its log, or at the gateway before it.`,
        retryable: evidence.retryable ?? true,
        ...(evidence.status === undefined ? undefined : { status: evidence.status }),
        ...(evidence.head === undefined ? undefined : { head: evidence.head })
      })
    case "Silence":
      return new Timeout({ phase: method, waitedMillis: evidence.waitedMillis })
    case "OutOfTime":
      return new Timeout({ phase: "negotiation", during: method, waitedMillis: evidence.waitedMillis })
    case "Ended":
      return new TransportFailure({
        reason: ended(method, evidence.exitCode, evidence.signal),
        stderr: evidence.stderr,
        retryable: true,
        ...(evidence.exitCode === undefined ? undefined : { exitCode: evidence.exitCode }),
        ...(evidence.signal === undefined ? undefined : { signal: evidence.signal })
      })
    case "Garbled":
      return evidence.foreign
        ? new TransportFailure({
            reason: `The answer to ${method} is no MCP: ${evidence.problem}. Check that this is an MCP server, and that it writes nothing else there.`,
            retryable: false,
            ...(evidence.status === undefined ? undefined : { status: evidence.status }),
            ...(evidence.head === undefined ? undefined : { head: evidence.head }),
            ...because
          })
        : new MalformedInit({ method, path: evidence.path, problem: evidence.problem })
    case "Agreed":
    case "LateAgreed":
    case "OutOfTurn":
      return new PolicyForbids({ policy: policy.name, what: `its table fails on ${evidence._tag}` })
  }
}

/** Returns the error of a code that only a modern server may emit. -32020 names no header in data, and its words are for people. */
export const modernError = (
  evidence: Omit<ModernSign, "_tag">,
  cause?: NegotiationReason
): HeaderMismatch | MissingRequiredClientCapability => {
  const because = cause === undefined ? undefined : { cause }
  if (evidence.code === Code.HeaderMismatch) {
    return new HeaderMismatch({
      header: "of the request",
      expected: "what the body says",
      received: `(${evidence.message})`,
      ...because
    })
  }
  const required = isObject(evidence.data) ? evidence.data["requiredCapabilities"] : undefined
  return new MissingRequiredClientCapability({ requiredCapabilities: isObject(required) ? required : {}, ...because })
}

/** Returns the error of a 401 or a 403. */
export const unauthorized = ({ challenge, status }: AccessRefused): Unauthorized =>
  new Unauthorized({ status, ...(challenge === undefined ? undefined : { challenge }) })

/** Returns the error of a server that is overloaded or not ready. */
export const busy = ({ retryAfterMillis, status }: BusyEvidence): Busy =>
  new Busy({ status, ...(retryAfterMillis === undefined ? undefined : { retryAfterMillis }) })

const detail = (policy: Policy): { readonly detail: string } | undefined =>
  policy.lacking === undefined ? undefined : { detail: policy.lacking }

const oldTransport = (status: number): string =>
  status === 400 || status === 404 || status === 405
    ? " If it is a server of the HTTP+SSE transport of 2024-11-05: Parley does not carry that."
    : ""

const ended = (method: AskedMethod, exitCode: number | undefined, signal: string | undefined): string => {
  const how =
    signal !== undefined
      ? `was ended by ${signal}`
      : exitCode !== undefined
        ? `exited with code ${exitCode}`
        : "closed its output"
  return `The server process ${how} before it answered ${method}. Run it by itself to see why.`
}

const refuses = (evidence: Evidence): boolean => refusals.has(evidence._tag) && !isOffer(evidence)

// A probe is refused by every good legacy server: what garbles the handshake after it is the news.
const refusesToo = (evidence: Evidence, opening: AskedMethod): boolean =>
  refuses(evidence) || (evidence._tag === "Garbled" && opening === "initialize")

const leading = (location: string | undefined): string =>
  location === undefined ? "Use the address to which it leads." : `It leads to ${location}: use that address.`

// A DiscoverResult that lists nothing mutual is an answer, not a refusal.
const isOffer = (evidence: Evidence): boolean =>
  (evidence._tag === "Countered" || evidence._tag === "Disjoint") && evidence.code === undefined

const refusals: ReadonlySet<EvidenceTag> = new Set<EvidenceTag>([
  "Corrected",
  "Countered",
  "Disjoint",
  "VersionRefused",
  "ModernSign",
  "MethodMissing",
  "ParamsRefused",
  "Refused",
  "HttpRefused"
])
