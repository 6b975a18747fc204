// A server on the official SDK 2.4.0: `sdk2.ts <stdio|http> <dual|modern>`. Dual serves both eras, modern refuses the handshake.
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { createServer } from "node:http"
import { listen } from "./lifeline.ts"

const modernOnly = process.argv[3] === "modern"

const make = (): McpServer => {
  const server = new McpServer(
    { name: `parley-demo-sdk2-${modernOnly ? "modern" : "dual"}`, version: "2.4.0" },
    { capabilities: { tools: {} } }
  )
  server.registerTool(
    "echo",
    {
      description: "Returns the text it is given",
      inputSchema: fromJsonSchema<{ text: string }>({
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"]
      })
    },
    ({ text }) => ({ content: [{ type: "text", text }] })
  )
  server.registerTool("clock", { description: "Returns the time, in milliseconds since 1970" }, () => ({
    content: [{ type: "text", text: String(Date.now()) }]
  }))
  return server
}

if (process.argv[2] === "http") {
  const handler = toNodeHandler(createMcpHandler(make, { legacy: modernOnly ? "reject" : "stateless" }))
  listen(
    createServer((request, response) => {
      // Node says `method?: string | undefined`, the SDK `method?: string`: the same request either way.
      void handler(request as Parameters<typeof handler>[0], response)
    }),
    "/mcp"
  )
} else {
  serveStdio(make, { legacy: modernOnly ? "reject" : "serve" })
}
