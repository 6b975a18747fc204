// A legacy server on the official SDK 1.32.2: `sdk1.ts stdio`, or `sdk1.ts http` for Streamable HTTP with sessions.
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { listen } from "./lifeline.ts"

const make = (): Server => {
  const server = new Server({ name: "parley-demo-sdk1", version: "1.32.2" }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      {
        name: "echo",
        description: "Returns the text it is given",
        inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
      },
      { name: "clock", description: "Returns the time, in milliseconds since 1970", inputSchema: { type: "object" } }
    ]
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === "clock") return { content: [{ type: "text", text: String(Date.now()) }] }
    if (params.name === "echo") return { content: [{ type: "text", text: String(params.arguments?.["text"] ?? "") }] }
    return { content: [{ type: "text", text: `There is no tool ${params.name}` }], isError: true }
  })
  return server
}

if (process.argv[2] === "http") {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport)
      },
      onsessionclosed: (id) => {
        sessions.delete(id)
      }
    })
    // The SDK's own types disagree under exactOptionalPropertyTypes: `onclose` may be undefined in one, absent in the other.
    await make().connect(transport as Parameters<Server["connect"]>[0])
    return transport
  }
  const http = createServer((request, response) => {
    const id = request.headers["mcp-session-id"]
    const known = typeof id === "string" ? sessions.get(id) : undefined
    if (typeof id === "string" && known === undefined) {
      response.writeHead(404, { "content-type": "application/json" })
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}')
      return
    }
    void Promise.resolve(known ?? open())
      .then((transport) => transport.handleRequest(request, response))
      .catch((cause: unknown) => {
        process.stderr.write(`${String(cause)}\n`)
        response.destroy()
      })
  })
  listen(http, "/mcp")
} else {
  await make().connect(new StdioServerTransport())
}
