// effect/ai 4.1.0's server on Effect's HttpRouter, with one tool that decodes nothing.
import * as McpProtocol from "effect/ai/McpProtocol"
import { CallToolResult, Tool } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tool } from "../../servers/Requests.ts"
import { server as serverInfo } from "../../servers/Wire.ts"
import type { Server } from "./Served.ts"
import { routed } from "./routed.ts"

const registrations = Layer.effectDiscard(
  Effect.flatMap(McpServer.McpServer, (registry) =>
    registry.addTool({
      tool: Tool.make({ name: tool.name, inputSchema: { type: "object" } }),
      annotations: Context.empty(),
      handle: () => Effect.succeed(CallToolResult.make({ content: tool.answer.content }))
    })
  )
)

export const server: Server = {
  listen: () =>
    routed(
      McpServer.layerHttp({
        ...serverInfo,
        path: "/mcp",
        protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
        registrations
      })
    )
}
