// A server for tests of carriers, without a carrier: what a server case asks to be started, as a profile, a handler and a
// listener. It offers echoing tools.
import type { JsonObject, Request } from "@parley/core/Message"
import { Code } from "@parley/core/Message"
import * as Profile from "@parley/core/server/Profile"
import { legacyVersions, modernVersions } from "@parley/core/Version"
import type { Door, RequestContext } from "@parley/runtime/Handler"
import { Rejection } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import type { ServeOptions } from "./Subject.ts"

export interface TestServer {
  readonly profile: Profile.Profile
  readonly handler: (request: Request, context: RequestContext) => Effect.Effect<JsonObject, Rejection>
  /** Says nothing, for as long as somebody listens. */
  readonly listener: (door: Door) => Effect.Effect<never>
}

/** What a test may change of it. */
export type Changes = Partial<Omit<Profile.Options, "serverInfo" | "capabilities">>

/**
 * Returns a server of the eras, tools, sessions and origins that are asked for. Where no tools are named it offers
 * `plain_tool`, and `weather`, whose argument `region` travels as a header too.
 */
export const make = (options: ServeOptions, changes: Changes = {}): TestServer => {
  const { allowedOrigins, eras, sessions, tools = ["plain_tool", "weather"] } = options
  const listed = tools.map((name) => ({ name, inputSchema: name === "weather" ? region : { type: "object" } }))
  return {
    profile: Profile.make({
      serverInfo: { name: "test-server", version: "1.0.0" },
      versions: [
        ...(eras.includes("legacy") ? legacyVersions : []),
        ...(eras.includes("modern") ? modernVersions : [])
      ],
      capabilities: { tools: { listChanged: true }, logging: {} },
      toolHeaders: Profile.toolHeadersOf(listed).toolHeaders,
      sessions: sessions ? "issued" : "none",
      ...(allowedOrigins === undefined ? undefined : { origins: allowedOrigins }),
      ...changes
    }),
    handler: ({ method, params }) =>
      method === "tools/call" ? call(tools, params ?? {}) : Effect.succeed({ tools: listed }),
    listener: () => Effect.never
  }
}

const call = (tools: ReadonlyArray<string>, params: JsonObject): Effect.Effect<JsonObject, Rejection> =>
  typeof params["name"] === "string" && tools.includes(params["name"])
    ? Effect.succeed({ content: [{ type: "text", text: JSON.stringify(params["arguments"] ?? {}) }] })
    : Effect.fail(new Rejection({ code: Code.InvalidParams, message: "There is no tool of this name." }))

const region = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
  required: ["region"]
}
