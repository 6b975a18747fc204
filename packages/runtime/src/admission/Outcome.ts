// How the end of the owner's program becomes the one answer of its request. What a client is told of a failure is decided
// here; everything else becomes a -32603 that tells it nothing, and a line in the server's log.
import { MethodNotFound, MissingRequiredClientCapability } from "@parley/core/Errors"
import type { Id, JsonObject, Request } from "@parley/core/Message"
import { Code, failure, isModernCode, isObject, success } from "@parley/core/Message"
import type { Admitted } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import { complete } from "@parley/core/server/Compiled"
import { legacyCapability, legacyMethod } from "@parley/core/server/Grounds"
import { ladder } from "@parley/core/server/Ladder"
import type { Ground, Problem } from "@parley/core/server/Refusal"
import { refusal, toMessage } from "@parley/core/server/Refusal"
import type * as Cause from "effect/Cause"
import { findError, hasInterruptsOnly } from "effect/Cause"
import type * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { InputRequired, Rejection } from "../Handler.ts"
import { supporting } from "./Interact.ts"

/** An answer as it is written. */
export interface Written {
  readonly json: string
  /** The HTTP status, where nothing was streamed before it. */
  readonly status: number
  /** What the server's log is told: a failure that the client is told nothing of. */
  readonly fault?: Cause.Cause<unknown> | string
}

/** Returns the answer to a request, from how its program ended. */
export const answer = (
  compiled: Compiled,
  request: Request,
  admitted: Admitted,
  exit: Exit.Exit<JsonObject, unknown>
): Written => {
  if (exit._tag === "Success") return result(compiled, request, admitted, exit.value)
  const found = findError(exit.cause)
  const told = Result.isSuccess(found) ? tell(compiled, request, admitted, found.success) : undefined
  if (told !== undefined) return told
  return hasInterruptsOnly(exit.cause) ? internal(request.id) : { ...internal(request.id), fault: exit.cause }
}

/** Returns a result as it is written, or a -32603 where it is none that this era and method allow. */
export const result = (compiled: Compiled, request: Request, admitted: Admitted, value: unknown): Written => {
  if (!isObject(value)) return { ...internal(request.id), fault: "The handler's result is no object." }
  if (value["resultType"] === "input_required" && !(admitted.era === "modern" && supporting.has(request.method))) {
    return { ...internal(request.id), fault: "An input_required result is not allowed for this method and era." }
  }
  return write(
    request.id,
    success(request.id, admitted.era === "modern" ? complete(compiled, request.method, value) : value),
    200
  )
}

/** Returns the answer of a program of which the client is told nothing. */
export const internal = (id: Id): Written => ({
  json: JSON.stringify(
    failure(id, {
      code: Code.InternalError,
      message: "The server failed to serve this request. Its log may say why."
    })
  ),
  status: 200
})

/** Returns an error that the client is to see. */
export const error = (id: Id, admitted: Admitted, code: number, message: string, data?: unknown): Written =>
  write(id, failure(id, data === undefined ? { code, message } : { code, message, data }), statusOf(admitted, code))

const tell = (compiled: Compiled, request: Request, admitted: Admitted, fault: unknown): Written | undefined => {
  const { id } = request
  const modern = admitted.era === "modern"
  if (fault instanceof Rejection) {
    return Number.isInteger(fault.code) ? error(id, admitted, fault.code, fault.message, fault.data) : undefined
  }
  if (fault instanceof InputRequired) {
    const { inputRequests, requestState } = fault
    const state = requestState === undefined ? undefined : { requestState }
    return result(compiled, request, admitted, { resultType: "input_required", inputRequests, ...state })
  }
  if (fault instanceof MethodNotFound) {
    return refused(id, modern ? rungOf("modern.method") : legacyMethod, {
      _tag: "MethodNotFound",
      method: fault.method
    })
  }
  if (fault instanceof MissingRequiredClientCapability) {
    const { requiredCapabilities } = fault
    return refused(id, modern ? rungOf("modern.capability") : legacyCapability, {
      _tag: "MissingRequiredClientCapability",
      requiredCapabilities
    })
  }
  return undefined
}

const refused = (id: Id, ground: Ground, problem: Problem): Written =>
  write(id, toMessage(refusal(ground, problem, id)), ground.status)

// What an owner's program made may be nothing that JSON can say: a cycle, a bigint, more depth than the stack has.
const write = (id: Id, message: object, status: number): Written => {
  try {
    return { json: JSON.stringify(message), status }
  } catch (cause) {
    return {
      ...internal(id),
      fault: `The answer is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`
    }
  }
}

// streamable-http: an unknown method is 404, and the codes of the modern era are 400.
const statusOf = ({ era }: Admitted, code: number): number =>
  era === "legacy" ? 200 : code === Code.MethodNotFound ? 404 : isModernCode(code) ? 400 : 200

const rungOf = (id: string): Ground => ladder.find((rung) => rung.id === id) ?? legacyMethod
