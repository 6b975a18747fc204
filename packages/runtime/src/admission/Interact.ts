// One handler for both eras that needs something of the client: asked one by one in the legacy era, by an `input_required`
// result in the modern one. What the client has answered so far travels with the client.
import type { JsonObject, Request } from "@parley/core/Message"
import { isObject, Method, parse } from "@parley/core/Message"
import * as Effect from "effect/Effect"
import type { Asked, AskError } from "../Handler.ts"
import { InputRequired } from "../Handler.ts"
import type { Way } from "./Speaking.ts"
import { ask, undeclaredBy } from "./Speaking.ts"

/** Returns the client's answers under the keys of the requests, or fails until they are all there. */
export const interact = <K extends string>(
  way: Way,
  request: Request,
  requests: { readonly [key in K]: Asked }
): Effect.Effect<{ readonly [key in K]: JsonObject }, AskError | InputRequired> =>
  // The answers hold a value for every key of the requests, which is all that the caller's type says.
  (way.admitted.era === "legacy" ? askAll(way, requests) : gather(way, request, requests)) as Effect.Effect<
    { readonly [key in K]: JsonObject },
    AskError | InputRequired
  >

/** The requests whose result may be `input_required`. Source: mrtr, Supported Requests. */
export const supporting: ReadonlySet<string> = new Set([Method.ToolsCall, Method.PromptsGet, Method.ResourcesRead])

type Answers = { readonly [key: string]: JsonObject }
type Requests = { readonly [key: string]: Asked }

const askAll = (way: Way, requests: Requests): Effect.Effect<Answers, AskError> =>
  Effect.gen(function* () {
    const answers: { [key: string]: JsonObject } = {}
    for (const [key, { method, params }] of Object.entries(requests)) answers[key] = yield* ask(way, method, params)
    return answers
  })

const gather = (way: Way, request: Request, requests: Requests): Effect.Effect<Answers, AskError | InputRequired> =>
  Effect.suspend((): Effect.Effect<Answers, AskError | InputRequired> => {
    const known: Answers = {
      ...stateIn(request.params?.["requestState"]),
      ...answersIn(request.params?.["inputResponses"])
    }
    const answers: { [key: string]: JsonObject } = {}
    const missing: { [key: string]: Asked } = {}
    for (const [key, asked] of Object.entries(requests)) {
      const answer = Object.hasOwn(known, key) ? known[key] : undefined
      if (answer !== undefined) {
        answers[key] = answer
        continue
      }
      // mrtr: what the client did not declare MUST NOT be asked for.
      const undeclared = undeclaredBy(way.admitted.client.capabilities, asked.method)
      if (undeclared !== undefined) return Effect.fail(undeclared)
      missing[key] = asked
    }
    if (Object.keys(missing).length === 0) return Effect.succeed(answers)
    const kept = Object.keys(known).length === 0 ? undefined : { requestState: JSON.stringify({ [mark]: known }) }
    return Effect.fail(new InputRequired({ inputRequests: missing, ...kept }))
  })

// Every value is the client's own word, given before: it may change it as it may change its answers, and no more follows.
const stateIn = (state: unknown): Answers => {
  if (typeof state !== "string") return {}
  const parsed = parse(state)
  return parsed.ok && isObject(parsed.value) ? answersIn(parsed.value[mark]) : {}
}

const answersIn = (value: unknown): Answers => {
  const answers: { [key: string]: JsonObject } = {}
  if (isObject(value)) {
    for (const [key, answer] of Object.entries(value)) {
      if (isObject(answer)) Object.defineProperty(answers, key, { value: answer, enumerable: true })
    }
  }
  return answers
}

const mark = "parley"
