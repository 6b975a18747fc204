// The frames that the measured openings consist of, as text made once: what a server answers, byte for byte the same for
// every contender. Nothing of Parley is used here, so that no contender is measured against itself.

/** The handshake revision that the servers speak. */
export const legacyVersion = "2025-11-25"
/** The revision without a handshake that they speak. */
export const modernVersion = "2026-07-28"

/** Who every contender says it is. */
export const client = { name: "parley-bench", version: "1.0.0" } as const

/** Who every server says it is. */
export const server = { name: "bench-server", version: "1.0.0" } as const

const capabilities = { tools: {} }

/** A DiscoverResult. */
export const discovered = {
  resultType: "complete",
  supportedVersions: [modernVersion],
  capabilities,
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": server }
} as const

/** An InitializeResult. */
export const initialized = { protocolVersion: legacyVersion, capabilities, serverInfo: server } as const

/** What a legacy server says to `server/discover`. */
export const methodNotFound = { code: -32601, message: "Method not found" } as const

/** What a modern-only server says to `initialize`. */
export const versionUnsupported = {
  code: -32022,
  message: "Unsupported protocol version",
  data: { supported: [modernVersion], requested: legacyVersion }
} as const

/** The body of a `server/discover`, as any client must write it. */
export const discoverBody = (id: number | string): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": modernVersion,
        "io.modelcontextprotocol/clientInfo": client,
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  })

/** The body of an `initialize`. */
export const initializeBody = (id: number | string): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: { protocolVersion: legacyVersion, capabilities: {}, clientInfo: client }
  })

/** The body of `notifications/initialized`. */
export const initializedBody: string = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })

/** The headers of every POST. */
export const postHeaders = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json"
} as const

/** The headers of a `server/discover`. */
export const discoverHeaders = {
  ...postHeaders,
  "mcp-protocol-version": modernVersion,
  "mcp-method": "server/discover"
} as const

/** The headers of `notifications/initialized`. */
export const initializedHeaders = { ...postHeaders, "mcp-protocol-version": legacyVersion } as const
