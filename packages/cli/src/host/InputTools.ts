// The tools and the prompt with which the official conformance suite tries `input_required` results. A state that comes
// back is signed, since a client may have changed it.
import type { JsonObject } from "@parley/core/Message"
import { Code, isObject } from "@parley/core/Message"
import type { Asked, RequestContext } from "@parley/runtime/Handler"
import { InputRequired, Rejection } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { Call, Tool } from "./Tool.ts"
import { nothing, text } from "./Tool.ts"

const asking = (message: string, name: string, type = "string"): Asked => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties: { [name]: { type } }, required: [name] } }
})
const sampling = (question: string, maxTokens: number): Asked => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens }
})
const roots: Asked = { method: "roots/list", params: {} }

/** Returns the result of a prompt that asks the user first. */
export const prompt = (context: RequestContext): Effect.Effect<JsonObject, unknown> =>
  Effect.map(
    context.interact({ user_context: asking("What context should the prompt use?", "context") }),
    ({ user_context: answer }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Use this context: ${contentOf(answer, "context")}` } }]
    })
  )

const tool = (name: string, description: string, call: Tool["call"]): Tool => ({
  name: `test_input_required_result_${name}`,
  description,
  inputSchema: nothing,
  call
})

/** The tools in the order in which they are listed. */
export const inputTools: ReadonlyArray<Tool> = [
  tool("elicitation", "Asks the user for a name.", ({ context }) =>
    Effect.map(context.interact({ user_name: asking("What is your name?", "name") }), ({ user_name: answer }) =>
      text(`Hello, ${contentOf(answer, "name")}!`)
    )
  ),
  tool("sampling", "Asks the model for a capital.", ({ context }) =>
    Effect.map(
      context.interact({ capital_question: sampling("What is the capital of France?", 100) }),
      ({ capital_question: answer }) => text(`The model said: ${JSON.stringify(answer["content"])}`)
    )
  ),
  tool("list_roots", "Asks the client for its roots.", ({ context }) =>
    Effect.map(context.interact({ client_roots: roots }), ({ client_roots: answer }) =>
      text(`The roots are: ${JSON.stringify(answer["roots"])}`)
    )
  ),
  tool("request_state", "Asks the user to confirm, and knows its own state again.", (call) =>
    inRounds(call, [{ confirm: asking("Please confirm", "ok", "boolean") }], "state-ok: it came back unchanged.")
  ),
  tool("multiple_inputs", "Asks the user, the model and the client at once.", (call) =>
    inRounds(
      call,
      [
        {
          user_name: asking("What is your name?", "name"),
          greeting: sampling("Generate a greeting", 50),
          client_roots: roots
        }
      ],
      "All three have answered."
    )
  ),
  tool("multi_round", "Asks the user twice.", (call) =>
    inRounds(
      call,
      [
        { step1: asking("Step 1: What is your name?", "name") },
        { step2: asking("Step 2: What is your favorite color?", "color") }
      ],
      "Both steps are done."
    )
  ),
  tool("tampered_state", "Asks the user to confirm, and refuses a state that is not its own.", (call) =>
    inRounds(call, [{ confirm: asking("Please confirm", "ok", "boolean") }], "The state was unchanged.")
  ),
  tool("capabilities", "Asks whomever the client lets it ask.", ({ context }) => {
    const { capabilities } = context.client
    const requests: { [key: string]: Asked } = {}
    if (capabilities["sampling"] !== undefined) requests["thought"] = sampling("Say anything", 50)
    if (capabilities["elicitation"] !== undefined) requests["answer"] = asking("Say anything", "anything")
    return Effect.map(context.interact(requests), (answers) =>
      text(`It was answered: ${Object.keys(answers).join(", ")}`)
    )
  })
]

// Asks one round after the other. The state names the round that was asked, and the client carries it.
const inRounds = (
  { params }: Call,
  rounds: ReadonlyArray<{ readonly [key: string]: Asked }>,
  done: string
): Effect.Effect<JsonObject, InputRequired | Rejection> => {
  const asked = roundOf(params["requestState"])
  if (asked === undefined) {
    return Effect.fail(
      new Rejection({ code: Code.InvalidParams, message: "The requestState is not as it was given. Begin again." })
    )
  }
  const answers = params["inputResponses"]
  const due = Object.keys(rounds[asked - 1] ?? {})
  const has = due.every((key) => isObject(answers) && Object.hasOwn(answers, key) && isObject(answers[key]))
  const round = has ? asked : asked - 1
  const inputRequests = rounds[round]
  return inputRequests === undefined
    ? Effect.succeed(text(done))
    : Effect.fail(new InputRequired({ inputRequests, requestState: signed(round + 1) }))
}

// The round that a state says was asked: 0 without a state, undefined where it is none of ours.
const roundOf = (state: unknown): number | undefined => {
  if (state === undefined) return 0
  const round = typeof state === "string" ? /^(\d{1,3})\.[\w-]{43}$/.exec(state)?.[1] : undefined
  return round !== undefined && typeof state === "string" && isSame(state, signed(Number(round)))
    ? Number(round)
    : undefined
}

const signed = (round: number): string =>
  `${round}.${createHmac("sha256", secret).update(String(round)).digest("base64url")}`

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const contentOf = (answer: JsonObject, name: string): string => {
  const content = answer["content"]
  return isObject(content) && typeof content[name] === "string" ? content[name] : "(no answer)"
}

// A client that comes back after a restart begins again.
const secret = randomBytes(32)
