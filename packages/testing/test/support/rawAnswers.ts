// What the raw server answers: right by default, wrong in one way on demand. Imports nothing, so that its process starts
// at once.
import type { ServeOptions } from "@parley/testing/Subject"

/** The ways in which it can be wrong. */
export type Fault =
  | "echoesAnyVersion"
  | "answersNotifications"
  | "diesOnGarbage"
  | "issuesNoSession"
  | "sameSession"
  | "spacedSession"
  | "okForEverything"
  | "refusesSecondDiscover"
  | "ignoresOrigin"
  | "listsEverything"
  | "wrongId"
  | "answersTwice"
  | "bodyOn202"
  | "silent"
  | "answersAsSse"

export type Json = { readonly [name: string]: unknown }
export interface Reply {
  readonly status: number
  readonly body?: Json
  readonly sessionId?: string
}

const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
const meta = "io.modelcontextprotocol/"

/** One connection's worth of state, and what to answer. `headers` is undefined on stdio. */
export const makeServer = (options: ServeOptions, fault?: Fault) => {
  const sessions = new Set<string>()
  let discovered = 0
  const versions = options.eras.flatMap((era) => (era === "legacy" ? legacy : ["2026-07-28"]))
  const fail = (status: number, id: unknown, code: number, data?: unknown): Reply => ({
    status: fault === "okForEverything" ? 200 : status,
    body: { jsonrpc: "2.0", id, error: { code, message: "no", ...(data === undefined ? undefined : { data }) } }
  })
  const ok = (id: unknown, result: unknown): Reply => ({
    status: 200,
    body: { jsonrpc: "2.0", id: fault === "wrongId" ? "else" : id, result }
  })

  const initialize = (id: unknown, params: Json): Reply => {
    if (!options.eras.includes("legacy")) return fail(400, id, -32022, { supported: versions })
    const complete =
      typeof params["protocolVersion"] === "string" &&
      isObject(params["capabilities"]) &&
      isObject(params["clientInfo"])
    if (!complete) return fail(200, id, -32602)
    const asked = String(params["protocolVersion"])
    const version = fault === "echoesAnyVersion" || legacy.includes(asked) ? asked : "2025-11-25"
    const name =
      fault === "sameSession" ? "one" : fault === "spacedSession" ? `a ${sessions.size}` : `s-${sessions.size}`
    if (options.sessions && fault !== "issuesNoSession") sessions.add(name)
    return {
      ...ok(id, { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" } }),
      ...(options.sessions && fault !== "issuesNoSession" ? { sessionId: name } : undefined)
    }
  }

  const modern = (id: unknown, method: string, params: Json, headers: Headers | undefined): Reply => {
    const envelope = isObject(params["_meta"]) ? params["_meta"] : {}
    const version = envelope[`${meta}protocolVersion`]
    if (typeof version !== "string") return fail(400, id, -32602)
    if (headers !== undefined && headers["mcp-protocol-version"] !== version) return fail(400, id, -32020)
    if (version !== "2026-07-28") {
      const supported = fault === "listsEverything" ? [...legacy, ...versions] : versions
      return fail(400, id, -32022, { supported, requested: version })
    }
    if (!isObject(envelope[`${meta}clientCapabilities`])) return fail(400, id, -32602)
    if (headers !== undefined && headers["mcp-method"] !== method) return fail(400, id, -32020)
    const name = /^=\?base64\?(.*)\?=$/.exec(headers?.["mcp-name"] ?? "")
    const decoded = name === null ? headers?.["mcp-name"] : Buffer.from(name[1] ?? "", "base64").toString("utf8")
    if (method === "tools/call") {
      if (headers !== undefined && decoded !== params["name"]) return fail(400, id, -32020)
      return ok(id, { resultType: "complete", content: [] })
    }
    if (method !== "server/discover") return fail(404, id, -32601)
    discovered++
    if (fault === "refusesSecondDiscover" && discovered > 1) return fail(400, id, -32600)
    return ok(id, { resultType: "complete", supportedVersions: versions, capabilities: { tools: {} } })
  }

  /** Returns the reply, or undefined for none. */
  const answer = (text: string, headers?: Headers): Reply | undefined => {
    if (headers?.["origin"] !== undefined && fault !== "ignoresOrigin") {
      if (!(options.allowedOrigins ?? []).includes(headers["origin"])) return { status: 403 }
    }
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return fail(400, null, -32700)
    }
    if (!isObject(message) || message["id"] === null || typeof message["method"] !== "string")
      return fail(400, null, -32600)
    const { id, method } = message
    const params = isObject(message["params"]) ? message["params"] : {}
    if (id === undefined) {
      if (fault === "answersNotifications") return { ...fail(202, null, -32601) }
      return headers === undefined ? undefined : { status: 202, ...(fault === "bodyOn202" ? { body: {} } : undefined) }
    }
    const envelope = isObject(params["_meta"]) && `${meta}protocolVersion` in params["_meta"]
    if (method === "initialize") return initialize(id, params)
    if (options.eras.includes("modern") && envelope) return modern(id, method, params, headers)
    if (!options.eras.includes("legacy")) return fail(400, id, -32602)
    if (headers !== undefined && options.sessions && fault !== "issuesNoSession") {
      const session = headers["mcp-session-id"]
      if (session === undefined) return fail(400, id, -32600)
      if (!sessions.has(session)) return fail(404, id, -32600)
      const named = (headers["mcp-protocol-version"] ?? "2025-11-25").split(", ")
      if (!named.every((version) => legacy.includes(version))) return fail(400, id, -32600)
    }
    return method === "ping" ? ok(id, {}) : fail(200, id, -32601)
  }
  return { answer }
}

export type Headers = { readonly [name: string]: string | undefined }

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
