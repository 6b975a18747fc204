// What the answer to a later request means, in either era: a result, or the error that the caller sees. Pure, and by the
// same precedence as the opening: body with a modern code, access, load, any other error, status.
import type { Agreement } from "../Agreement.ts"
import {
  ErrorResponse,
  MalformedResult,
  MethodNotFound,
  type RequestReason,
  SessionUnknown,
  TransportFailure,
  UnsupportedProtocolVersion
} from "../Errors.ts"
import type { Failure, Id, JsonObject, Success } from "../Message.ts"
import { Code, head, isFailure } from "../Message.ts"
import type { Arrived, Closed, Lost, ResponseHead } from "./Event.ts"
import type { AccessRefused, Busy } from "./Evidence.ts"
import { errorOf, kept, listOf } from "./Kept.ts"
import { busy, modernError, unauthorized } from "./Reason.ts"
import type { ResponseEnd } from "./Weigh.ts"
import { weighStatus, weighUnanswered } from "./Weigh.ts"

/** A request that was sent, as far as its answer needs it. */
export interface Asked {
  readonly id: Id
  readonly method: string
  /** Kinds of result beyond `complete` and `input_required`, from extensions that both sides declared. */
  readonly resultTypes: ReadonlyArray<string>
}

/** What a response to an opening turned out to be. */
export type Answer =
  | { readonly _tag: "Result"; readonly result: JsonObject }
  | { readonly _tag: "Refused"; readonly reason: RequestReason }

/** Returns what a response to a request means under an agreement. */
export const read = (agreement: Agreement, asked: Asked, event: Arrived, message: Success | Failure): Answer => {
  const response = event.head
  if (isLostSession(agreement, asked, response, message)) return refused(new SessionUnknown({ problem: "unknown" }))
  if (isFailure(message)) return refused(reasonOfError(agreement, asked, response, message))
  if (response !== undefined && (response.status < 200 || response.status > 299)) {
    return refused(
      reasonOfEnd(agreement, asked, { head: response, body: "", problem: "a result under an error status" })
    )
  }
  if (message.id !== asked.id) return malformed(asked, "id", "it is not that of the request")
  const kind = message.result["resultType"]
  if (agreement.era === "modern" && kind !== undefined && !isKnownKind(asked, kind)) {
    const problem = typeof kind === "string" ? `"${head(kind, 80)}" is not known here` : "it is no string"
    return malformed(asked, "result.resultType", problem)
  }
  return { _tag: "Result", result: message.result }
}

/** Returns the error of a response that ended without an answer. */
export const reasonOfEnd = (agreement: Agreement, asked: Pick<Asked, "method">, end: ResponseEnd): RequestReason => {
  const { body, head: response, problem } = end
  if (response.status === 404 && agreement.sessionId !== undefined) return new SessionUnknown({ problem: "unknown" })
  const evidence = weighUnanswered(end)
  if (evidence._tag === "AccessRefused" || evidence._tag === "Busy") return reasonOfStatus(evidence)
  return new TransportFailure({
    reason: `The answer to ${asked.method} is no JSON-RPC response: ${problem}.${leading(response)}`,
    retryable: evidence._tag === "Outage",
    status: response.status,
    head: body
  })
}

/** Returns the error of a request whose carrier failed or whose peer ended. It may have been executed. */
export const reasonOfLoss = (event: Lost | Closed): TransportFailure =>
  event._tag === "Lost"
    ? new TransportFailure({ reason: event.cause, retryable: true })
    : new TransportFailure({
        reason: `The server ${event.signal !== undefined ? `was ended by ${event.signal}` : event.exitCode !== undefined ? `exited with code ${event.exitCode}` : "closed its output"}.`,
        stderr: event.stderr,
        retryable: true,
        ...(event.exitCode === undefined ? undefined : { exitCode: event.exitCode }),
        ...(event.signal === undefined ? undefined : { signal: event.signal })
      })

// transports, Session Management: a 404 to a request that carried a session id says that the session is gone, unless it
// is the modern way to say that the method is unknown.
const isLostSession = (
  agreement: Agreement,
  asked: Asked,
  response: ResponseHead | undefined,
  message: Success | Failure
): boolean =>
  response?.status === 404 &&
  agreement.sessionId !== undefined &&
  !(isFailure(message) && message.error.code === Code.MethodNotFound && message.id === asked.id)

const reasonOfError = (
  agreement: Agreement,
  asked: Asked,
  response: ResponseHead | undefined,
  message: Failure
): RequestReason => {
  const { code, message: words } = errorOf(message)
  const { data } = message.error
  if (code === Code.UnsupportedProtocolVersion) {
    return new UnsupportedProtocolVersion({
      requested: agreement.version,
      supported: kept(listOf(message.error.data) ?? [])
    })
  }
  if (code === Code.HeaderMismatch || code === Code.MissingRequiredClientCapability) {
    return modernError({ code, message: words, data })
  }
  const status = response === undefined ? undefined : weighStatus(response)
  if (status !== undefined) return reasonOfStatus(status)
  if (code === Code.MethodNotFound) return new MethodNotFound({ method: asked.method })
  return new ErrorResponse({
    method: asked.method,
    code,
    serverMessage: head(message.error.message, 1000),
    ...(data === undefined ? undefined : { data }),
    ...(response === undefined ? undefined : { status: response.status })
  })
}

const reasonOfStatus = (evidence: AccessRefused | Busy): RequestReason =>
  evidence._tag === "Busy" ? busy(evidence) : unauthorized(evidence)

const leading = ({ location, status }: ResponseHead): string =>
  location === undefined ? "" : ` It is the redirect ${status} to ${location}.`

const isKnownKind = (asked: Asked, kind: unknown): boolean =>
  kind === "complete" || kind === "input_required" || (typeof kind === "string" && asked.resultTypes.includes(kind))

const refused = (reason: RequestReason): Answer => ({ _tag: "Refused", reason })

const malformed = (asked: Asked, path: string, problem: string): Answer =>
  refused(new MalformedResult({ method: asked.method, path, problem }))
