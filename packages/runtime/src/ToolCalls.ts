// Listing tools and calling them in the modern era over HTTP, where some of their parameters travel as headers: what was
// listed is remembered, and a mismatch is mended once. Elsewhere both are requests like any other.
import type { RequestReason } from "@parley/core/Errors"
import type { JsonObject } from "@parley/core/Message"
import { isObject, Method } from "@parley/core/Message"
import * as Effect from "effect/Effect"
import type { Call } from "./Calls.ts"
import * as ToolMemory from "./ToolMemory.ts"

/** Makes a request. */
export type Make = (call: Call) => Effect.Effect<JsonObject, RequestReason>

/** Returns what makes requests. `hasHeaders` tells whether parameters travel as headers at the moment. */
export const make = (call: Make, hasHeaders: () => boolean): Make => {
  const tools = ToolMemory.make()

  const list: Make = (request) =>
    Effect.flatMap(call(request), (listed) => {
      if (!hasHeaders()) return Effect.succeed(listed)
      const { result, warnings } = tools.remember(listed)
      return Effect.as(
        Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true }),
        result
      )
    })

  // streamable-http, Client Behavior: after a HeaderMismatch list the tools again, then try once more. It was refused
  // before it was executed.
  const use: Make = (request) => {
    const name = request.params?.["name"]
    const attempt = Effect.suspend(() => call({ ...request, toolHeaders: tools.headersOf(name) }))
    return Effect.catchTag(attempt, "HeaderMismatch", (reason) =>
      hasHeaders() ? Effect.andThen(listUntil(list, name), attempt) : Effect.fail(reason)
    )
  }

  return (request) =>
    request.method === Method.ToolsList
      ? list(request)
      : request.method === Method.ToolsCall
        ? use(request)
        : call(request)
}

// Lists page after page until a tool is found.
const listUntil = Effect.fnUntraced(function* (list: Make, name: unknown): Effect.fn.Return<void, RequestReason> {
  let cursor: unknown
  for (let page = 0; page < mostPages; page++) {
    const params = typeof cursor === "string" ? { cursor } : undefined
    const listed = yield* list({ method: Method.ToolsList, params })
    cursor = listed["nextCursor"]
    if (typeof cursor !== "string" || hasTool(listed, name)) return
  }
})

const hasTool = (listed: JsonObject, name: unknown): boolean => {
  const tools = listed["tools"]
  return Array.isArray(tools) && tools.some((tool: unknown) => isObject(tool) && tool["name"] === name)
}

const mostPages = 20
