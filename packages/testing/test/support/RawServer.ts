// A small server by hand for the case runner's own tests: right by default, wrong in one way on demand. Not Parley's.
import { createServer, type IncomingMessage } from "node:http"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { ServerSubject, ServeOptions } from "../../src/Subject.ts"

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

export const subject = (fault?: Fault): ServerSubject => ({
  serve: (options) =>
    options.transport === "stdio"
      ? Effect.succeed({
          command: process.execPath,
          args: [fileURLToPath(new URL("raw-server-bin.ts", import.meta.url)), JSON.stringify({ options, fault })]
        })
      : Effect.map(
          Effect.acquireRelease(
            Effect.promise(() => listen(options, fault)),
            ({ close }) => Effect.promise(close)
          ),
          ({ url }) => ({ url })
        )
})

type Json = { readonly [name: string]: unknown }
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

type Headers = { readonly [name: string]: string | undefined }

const listen = async (options: ServeOptions, fault?: Fault): Promise<{ url: string; close: () => Promise<void> }> => {
  const { answer } = makeServer(options, fault)
  const server = createServer(async (request, response) => {
    if (fault === "silent") return
    if (request.method !== "POST") return void response.writeHead(405).end()
    const reply = answer(await bodyOf(request), joined(request)) ?? { status: 500 }
    if (reply.sessionId !== undefined) response.setHeader("mcp-session-id", reply.sessionId)
    const json = reply.body === undefined ? undefined : JSON.stringify(reply.body)
    if (fault === "answersAsSse" && json !== undefined) {
      response.writeHead(reply.status, { "content-type": "text/event-stream" })
      // The stream stays open after the answer, as real servers let it.
      response.write(`id: 1\r\ndata:\r\n\r\nevent: message\r\ndata: ${json}\r\n\r\n`)
    } else response.writeHead(reply.status, { "content-type": "application/json" }).end(json)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

const joined = (request: IncomingMessage): Headers =>
  Object.fromEntries(Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(", ")]))

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
