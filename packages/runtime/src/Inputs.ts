// What a modern server asks of the client inside a result: the owner answers, and the request is made again with the
// answers and the server's state. Source: patterns/mrtr. How a request is made is not known here.
import { MalformedResult, type RequestReason } from "@parley/core/Errors"
import type { JsonObject, Params, Request } from "@parley/core/Message"
import { isObject } from "@parley/core/Message"
import * as Effect from "effect/Effect"
import type { OnRequest } from "./Answers.ts"
import type { Call } from "./Calls.ts"

/**
 * Makes a request until its result asks for nothing more, at most ten times again. A result whose inputs the owner refuses,
 * one with more than 32 of them, and the result of the last round are returned as they are.
 */
export const fulfil = Effect.fnUntraced(function* (
  perform: (call: Call) => Effect.Effect<JsonObject, RequestReason>,
  onRequest: OnRequest,
  call: Call
): Effect.fn.Return<JsonObject, RequestReason> {
  let result = yield* perform(call)
  for (let round = 0; round < mostRounds && result["resultType"] === "input_required"; round++) {
    const { inputRequests, requestState } = result
    const problem = problemOf(inputRequests, requestState)
    if (problem !== undefined) {
      return yield* new MalformedResult({ method: call.method, path: "result.inputRequests", problem })
    }
    const inputResponses = inputRequests === undefined ? {} : yield* answer(onRequest, inputRequests)
    if (inputResponses === undefined) return result
    result = yield* perform({
      ...call,
      params: {
        ...without(call.params),
        ...(inputRequests === undefined ? undefined : { inputResponses }),
        ...(requestState === undefined ? undefined : { requestState })
      }
    })
  }
  return result
})

const problemOf = (inputRequests: unknown, requestState: unknown): string | undefined => {
  if (inputRequests !== undefined && !isObject(inputRequests)) return "it is no object"
  return inputRequests === undefined && requestState === undefined ? "it is absent, and so is requestState" : undefined
}

// Every round tells its own answers and its own state.
const without = (params: Params | undefined): Params => {
  const { inputResponses: _, requestState: __, ...others } = params ?? {}
  return others
}

// The key of an input stands in for the id of a request: it is unique within the result.
const answer = Effect.fnUntraced(function* (
  onRequest: OnRequest,
  inputRequests: unknown
): Effect.fn.Return<JsonObject | undefined> {
  const inputs = isObject(inputRequests) ? Object.entries(inputRequests) : []
  if (inputs.length > mostInputs) return undefined
  const answers: Array<readonly [string, JsonObject]> = []
  for (const [key, input] of inputs) {
    const method = isObject(input) ? input["method"] : undefined
    const params = isObject(input) ? input["params"] : undefined
    if (typeof method !== "string") return undefined
    const request: Request = { jsonrpc: "2.0", id: key, method, ...(isObject(params) ? { params } : undefined) }
    const given = yield* Effect.catch(onRequest(request), () => Effect.undefined)
    if (given === undefined) return undefined
    answers.push([key, given])
  }
  return Object.fromEntries(answers)
})

const mostRounds = 10
const mostInputs = 32
