// The tools with which the official conformance suite tries a server that asks its client in the legacy era. They ask a
// modern client too, by an `input_required` result.
import type { JsonObject } from "@parley/core/Message"
import * as Effect from "effect/Effect"
import type { Call, Tool } from "./Tool.ts"
import { mistake, nothing, taking, text } from "./Tool.ts"

const elicit = (
  { context }: Call,
  message: string,
  properties: JsonObject,
  required: ReadonlyArray<string> = []
): Effect.Effect<JsonObject, unknown> =>
  Effect.map(
    context.interact({
      form: {
        method: "elicitation/create",
        params: { message, requestedSchema: { type: "object", properties, required } }
      }
    }),
    ({ form: { action, content } }) =>
      text(`Elicitation completed: action=${String(action)}, content=${JSON.stringify(content ?? {})}`)
  )

/** The tools in the order in which they are listed. */
export const askTools: ReadonlyArray<Tool> = [
  {
    name: "test_sampling",
    description: "Asks the client's model.",
    inputSchema: taking({ prompt: { type: "string", description: "What to ask" } }),
    call: ({ context, given: { prompt } }) =>
      typeof prompt === "string"
        ? Effect.map(
            context.interact({
              sample: {
                method: "sampling/createMessage",
                params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 }
              }
            }),
            ({ sample: { content } }) => text(`LLM response: ${textIn(content)}`)
          )
        : mistake("Give a prompt, as a string.")
  },
  {
    name: "test_elicitation",
    description: "Asks the user for a name and an address.",
    inputSchema: taking({ message: { type: "string", description: "What to say to the user" } }),
    call: (call) =>
      typeof call.given["message"] === "string"
        ? elicit(
            call,
            call.given["message"],
            {
              username: { type: "string", description: "User's response" },
              email: { type: "string", description: "User's email address" }
            },
            ["username", "email"]
          )
        : mistake("Give a message, as a string.")
  },
  {
    name: "test_elicitation_sep1034_defaults",
    description: "Asks the user, with a default for each kind of value.",
    inputSchema: nothing,
    call: (call) =>
      elicit(call, "Please look at these values.", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true }
      })
  },
  {
    name: "test_elicitation_sep1330_enums",
    description: "Asks the user to choose, in each of the ways that a schema has for that.",
    inputSchema: nothing,
    call: (call) =>
      elicit(call, "Please choose.", {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled("Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"]
        },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: { type: "array", items: { anyOf: titled("Choice") } }
      })
  }
]

const options = ["option1", "option2", "option3"]
const titled = (noun: string): ReadonlyArray<JsonObject> =>
  ["First", "Second", "Third"].map((nth, at) => ({ const: `value${at + 1}`, title: `${nth} ${noun}` }))

const textIn = (content: unknown): string =>
  typeof content === "object" && content !== null && "text" in content && typeof content.text === "string"
    ? content.text
    : "(no text)"
