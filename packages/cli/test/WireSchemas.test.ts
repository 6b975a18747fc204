// Everything that Parley's client and server say, at each revision, against the schemas that the official SDK publishes.
// (.ci/run holds it against the JSON Schema of each revision too: npm run schemas.)
import { isFailure, isSuccess } from "@parley/core/Message"
import { allVersions } from "@parley/core/Version"
import * as Official from "@modelcontextprotocol/core"
import { describe, expect, it } from "vitest"
import { record, type Said } from "../conformance/Wire.ts"

interface Parser {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly error?: { readonly message: string } }
}

const results: { readonly [method: string]: Parser } = {
  initialize: Official.InitializeResultSchema,
  "server/discover": Official.DiscoverResultSchema,
  "tools/list": Official.ListToolsResultSchema,
  "tools/call": Official.CallToolResultSchema,
  "prompts/list": Official.ListPromptsResultSchema,
  "prompts/get": Official.GetPromptResultSchema,
  "resources/list": Official.ListResourcesResultSchema,
  "resources/templates/list": Official.ListResourceTemplatesResultSchema,
  "resources/read": Official.ReadResourceResultSchema
}

const requests: { readonly [method: string]: Parser } = {
  initialize: Official.InitializeRequestSchema,
  "server/discover": Official.DiscoverRequestSchema,
  "tools/list": Official.ListToolsRequestSchema,
  "tools/call": Official.CallToolRequestSchema,
  "notifications/initialized": Official.InitializedNotificationSchema,
  "notifications/cancelled": Official.CancelledNotificationSchema
}

const problem = ({ message, method }: Said): string | undefined => {
  const part = isSuccess(message) ? message.result : message
  const parser = isSuccess(message) ? results[method] : isFailure(message) ? undefined : requests[method]
  for (const [schema, value] of [
    [Official.JSONRPCMessageSchema, message],
    [parser, part]
  ] as const) {
    const parsed = schema?.safeParse(value)
    if (parsed?.success === false) return `${method}: ${parsed.error?.message ?? "it does not fit"}`
  }
  return undefined
}

describe.each(allVersions)("at %s", (version) => {
  it("every message of either side fits the official schemas", async () => {
    const said = await record(version)
    expect(said.map(problem).filter((found) => found !== undefined)).toEqual([])
    const heard = new Set(
      said.map(({ by, message }) => `${by} ${isFailure(message) ? "error" : isSuccess(message) ? "result" : "message"}`)
    )
    expect([...heard].toSorted()).toEqual(expect.arrayContaining(["client message", "server error", "server result"]))
  }, 60_000)
})
