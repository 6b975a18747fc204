// The small server of these examples: one tool that tells the time, in both eras.
import { Profile } from "@parley/core"
import { Handler } from "@parley/runtime"
import { Clock, Effect } from "effect"

export const profile = Profile.dual({
  serverInfo: { name: "clock", version: "1.0.0" },
  capabilities: { tools: {} }
})

const now = { name: "now", description: "Tells the time.", inputSchema: { type: "object" } }

export const handler: Handler.Handler = (request) =>
  Effect.gen(function* () {
    if (request.method === "tools/list") return { tools: [now] }
    if (request.params?.["name"] !== "now") {
      return yield* new Handler.Rejection({ code: -32602, message: "There is one tool: now." })
    }
    const millis = yield* Clock.currentTimeMillis
    return { content: [{ type: "text", text: new Date(millis).toISOString() }] }
  })
