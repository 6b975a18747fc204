// The resources of the host. Some have the URIs and contents that the official conformance suite looks for.
import type { JsonObject } from "@parley/core/Message"
import { Code } from "@parley/core/Message"
import { Rejection } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import * as Samples from "./Samples.ts"

/** The resources as `resources/list` shows them. */
export const listed: ReadonlyArray<JsonObject> = [
  { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "An image.", mimeType: "image/png" },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text that touch_resource says has changed.",
    mimeType: "text/plain"
  }
]

/** The templates as `resources/templates/list` shows them. */
export const templates: ReadonlyArray<JsonObject> = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "template",
    description: "The data of an id.",
    mimeType: "application/json"
  }
]

/** Returns the result of `resources/read`. */
export const read = (uri: unknown): Effect.Effect<JsonObject, Rejection> => {
  const content = typeof uri === "string" ? contentOf(uri) : undefined
  return content === undefined
    ? Effect.fail(
        new Rejection({
          code: Code.InvalidParams,
          message: "There is no such resource. resources/list shows all.",
          data: { uri: typeof uri === "string" ? uri.slice(0, 2_000) : null }
        })
      )
    : Effect.succeed({ contents: [{ uri, ...content }] })
}

const contentOf = (uri: string): JsonObject | undefined => {
  switch (uri) {
    case "test://static-text":
      return { mimeType: "text/plain", text: "This is the content of the static text resource." }
    case "test://static-binary":
      return { mimeType: "image/png", blob: Samples.png }
    case "test://watched-resource":
      return { mimeType: "text/plain", text: "This resource never really changes." }
    default: {
      const id = /^test:\/\/template\/([^/]{1,200})\/data$/.exec(uri)?.[1]
      return id === undefined
        ? undefined
        : {
            mimeType: "application/json",
            text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
          }
    }
  }
}
