// Scripts of servers that several tests share: a handshake, a probe, and the tools behind them.
import type { Reply, Row } from "@parley/testing/Script"

/** The result of a handshake at a revision. */
export const initializeResult = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: "scripted", version: "1" },
  instructions: "be kind"
})

/** The result of a probe. */
export const discoverResult = (supportedVersions: ReadonlyArray<string>) => ({
  supportedVersions,
  capabilities: { tools: {} },
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } }
})

export const success = (result: unknown): Reply => ({ body: { jsonrpc: "2.0", id: "{{request.id}}", result } })

export const failure = (code: number, data?: unknown): Reply => ({
  body: {
    jsonrpc: "2.0",
    id: "{{request.id}}",
    error: { code, message: "no", ...(data === undefined ? {} : { data }) }
  }
})

const tools = [{ name: "echo", inputSchema: { type: "object" } }]

/** What every scripted server answers after its opening. */
export const rest: ReadonlyArray<Row> = [
  { on: { method: "notifications/initialized" }, reply: { status: 202 } },
  { on: { method: "tools/list" }, reply: success({ tools, resultType: "complete", ttlMs: 0, cacheScope: "private" }) },
  { on: { httpMethod: "GET" }, reply: { status: 405 } },
  { on: { httpMethod: "DELETE" }, reply: { status: 204 } }
]

/** The same over stdio, where a notification is answered by nothing. */
export const restOfPipe: ReadonlyArray<Row> = [
  { on: { method: "notifications/initialized" }, reply: {} },
  ...rest.filter(({ on }) => on.method === "tools/list")
]
