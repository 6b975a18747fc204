// SDK 2.4.0 on its adapter for Node, both eras as its documentation says: modern requests by its handler, legacy sessions by
// a transport for each. The tool is a handler of its low-level server, which decodes no arguments.
import {
  hostHeaderValidation,
  NodeStreamableHTTPServerTransport,
  originValidation,
  toNodeHandler
} from "@modelcontextprotocol/node"
import { createMcpHandler, Server as SdkServer } from "@modelcontextprotocol/server"
import { randomUUID } from "node:crypto"
import { tool } from "../../servers/Requests.ts"
import { legacyVersion, server as serverInfo } from "../../servers/Wire.ts"
import { listening, type Server } from "./Served.ts"

const make = (): SdkServer => {
  const made = new SdkServer(serverInfo, { capabilities: { tools: {} } })
  made.setRequestHandler("tools/call", () => ({ content: [...tool.answer.content] }))
  return made
}

const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

const open = async (): Promise<NodeStreamableHTTPServerTransport> => {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => {
      sessions.set(id, transport)
    }
  })
  await make().connect(transport)
  return transport
}

const modern = toNodeHandler(createMcpHandler(make, { legacy: "reject" }))
const isHost = hostHeaderValidation(["127.0.0.1", "localhost"])
const isOrigin = originValidation(["127.0.0.1", "localhost"])

export const server: Server = {
  listen: () =>
    listening((request, response) => {
      if (!isHost(request, response) || !isOrigin(request, response)) return
      const version = request.headers["mcp-protocol-version"]
      if (version !== undefined && version !== legacyVersion) {
        // Node says `method?: string | undefined`, the SDK `method?: string`: the same request either way.
        void modern(request as Parameters<typeof modern>[0], response)
        return
      }
      const id = request.headers["mcp-session-id"]
      const known = typeof id === "string" ? sessions.get(id) : undefined
      if (known === undefined) void open().then((transport) => transport.handleRequest(request, response))
      else void known.handleRequest(request, response)
    })
}
