// The prompts of the host. Some have the names and words that the official conformance suite looks for.
import type { JsonObject } from "@parley/core/Message"
import { Code } from "@parley/core/Message"
import type { RequestContext } from "@parley/runtime/Handler"
import { Rejection } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import * as InputTools from "./InputTools.ts"
import * as Samples from "./Samples.ts"

export interface Prompt {
  readonly name: string
  readonly description: string
  /** The names of its arguments, all of them required. */
  readonly takes: ReadonlyArray<string>
  readonly get: (
    given: { readonly [name: string]: string },
    context: RequestContext
  ) => Effect.Effect<JsonObject, unknown>
}

/** Returns the prompts as `prompts/list` shows them. */
export const listed = (): ReadonlyArray<JsonObject> =>
  prompts.map(({ description, name, takes }) => ({
    name,
    description,
    arguments: takes.map((argument) => ({ name: argument, required: true }))
  }))

/** Returns the result of `prompts/get`. */
export const get = (params: JsonObject, context: RequestContext): Effect.Effect<JsonObject, unknown> => {
  const prompt = prompts.find(({ name }) => name === params["name"])
  if (prompt === undefined) return rejected("There is no prompt of this name. prompts/list shows all.")
  const given: { [name: string]: string } = {}
  const arguments_ = params["arguments"]
  for (const name of prompt.takes) {
    const value: unknown =
      typeof arguments_ === "object" && arguments_ !== null && Object.hasOwn(arguments_, name)
        ? Reflect.get(arguments_, name)
        : undefined
    if (typeof value !== "string") return rejected(`The argument ${name} is missing. Give it as a string.`)
    given[name] = value
  }
  return prompt.get(given, context)
}

const rejected = (message: string): Effect.Effect<never, Rejection> =>
  Effect.fail(new Rejection({ code: Code.InvalidParams, message }))

const user = (content: JsonObject): JsonObject => ({ role: "user", content })
const saying = (...messages: ReadonlyArray<JsonObject>): Effect.Effect<JsonObject> => Effect.succeed({ messages })
const words = (text: string): JsonObject => user({ type: "text", text })

const prompts: ReadonlyArray<Prompt> = [
  {
    name: "introduce",
    description: "Asks for an introduction of somebody.",
    takes: ["name"],
    get: ({ name }) => saying(words(`Introduce ${name} in one sentence.`))
  },
  {
    name: "test_simple_prompt",
    description: "A prompt without arguments.",
    takes: [],
    get: () => saying(words("This is a simple prompt for testing."))
  },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments.",
    takes: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => saying(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt that embeds a resource.",
    takes: ["resourceUri"],
    get: ({ resourceUri }) =>
      saying(
        user({
          type: "resource",
          resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." }
        }),
        words("Please process the embedded resource above.")
      )
  },
  {
    name: "test_prompt_with_image",
    description: "A prompt that shows an image.",
    takes: [],
    get: () =>
      saying(
        user({ type: "image", data: Samples.png, mimeType: "image/png" }),
        words("Please analyze the image above.")
      )
  },
  {
    name: "test_input_required_result_prompt",
    description: "A prompt that asks the user first.",
    takes: [],
    get: (_, context) => InputTools.prompt(context)
  }
]
