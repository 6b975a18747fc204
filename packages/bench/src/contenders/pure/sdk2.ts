// SDK 2.4.0's classification of an inbound request.
import { classifyInboundRequest } from "@modelcontextprotocol/server"
import { inbound } from "../../servers/Inbound.ts"
import type { Repeated } from "./Repeated.ts"

export const contender: Repeated = {
  classify: (share) => {
    const requests = inbound(share).map(({ headers, method, text }) => ({
      httpMethod: method,
      ...optional("protocolVersionHeader", headers["mcp-protocol-version"]),
      ...optional("mcpMethodHeader", headers["mcp-method"]),
      ...optional("mcpNameHeader", headers["mcp-name"]),
      body: JSON.parse(text) as unknown
    }))
    return () => {
      let found = 0
      for (const request of requests) if (typeof classifyInboundRequest(request).kind === "string") found += 1
      return found
    }
  }
}

const optional = (name: string, value: string | undefined) => (value === undefined ? undefined : { [name]: value })
