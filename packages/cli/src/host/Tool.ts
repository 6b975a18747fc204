// What a tool of the host is, and the results that tools give. Which tools there are is in Tools and TestTools.
import type { JsonObject } from "@parley/core/Message"
import type { RequestContext } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import type { Changes } from "./Changes.ts"

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Returns the result of a call. A failure that no client is told of becomes a -32603. */
  readonly call: (call: Call) => Effect.Effect<JsonObject, unknown>
}

export interface Call {
  /** The arguments. */
  readonly given: JsonObject
  /** The whole params of the request. */
  readonly params: JsonObject
  readonly context: RequestContext
  readonly changes: Changes
}

/** The schema of a tool that takes nothing. */
export const nothing: JsonObject = { type: "object", properties: {}, additionalProperties: false }

/** Returns the schema of a tool that takes these properties, all of them required but for `optional`. */
export const taking = (
  properties: { readonly [name: string]: JsonObject },
  optional: ReadonlyArray<string> = []
): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name))
})

/** Returns a result that is a text. */
export const text = (said: string): JsonObject => ({ content: [{ type: "text", text: said }] })

export const saying = (said: string): Effect.Effect<JsonObject> => Effect.succeed(text(said))

/** Returns a result that tells the model what was wrong with its call. */
export const mistake = (said: string): Effect.Effect<JsonObject> => Effect.succeed({ ...text(said), isError: true })
