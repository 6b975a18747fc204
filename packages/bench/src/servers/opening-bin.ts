// The server that every client contender opens: bare node:http in a process of its own, so that its work is in no client's
// figure. It counts what reaches it. `/modern` refuses the handshake (`/fresh` may be remembered as well), `/legacy` knows
// nothing else, `/session` issues ids besides, and `/dead` never answers. `opening-bin.ts <address>` listens there.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { take } from "../Job.ts"
import { discovered, initialized, methodNotFound, versionUnsupported } from "./Wire.ts"

/** What reached the server. */
export interface Counts {
  readonly requests: number
  readonly connections: number
  readonly bytes: number
  /** Each request: a JSON-RPC method, or GET or DELETE. */
  readonly methods: ReadonlyArray<string>
}

// As long as the ones that servers make of random UUIDs.
const sessionId = "00000000-0000-4000-8000-000000000000"

let connections = 0
let closedBytes = 0
let countedBytes = 0
let methods: Array<string> = []
const sockets = new Set<Socket>()

const answer = (path: string, id: unknown, method: string): { readonly status: number; readonly body: string } => {
  const modern = path === "/modern" || path === "/fresh"
  if (method === "server/discover" && modern) {
    return { status: 200, body: result(id, path === "/fresh" ? { ...discovered, ttlMs: 3_600_000 } : discovered) }
  }
  if (method === "initialize" && !modern) return { status: 200, body: result(id, initialized) }
  if (method === "initialize") return { status: 400, body: error(id, versionUnsupported) }
  return { status: 200, body: error(id, methodNotFound) }
}

const result = (id: unknown, value: object): string => JSON.stringify({ jsonrpc: "2.0", id, result: value })
const error = (id: unknown, value: object): string => JSON.stringify({ jsonrpc: "2.0", id, error: value })

const reply = (request: IncomingMessage, response: ServerResponse, text: string): void => {
  const { id, method } = JSON.parse(text) as { readonly id?: unknown; readonly method: string }
  methods.push(method)
  if (id === undefined) {
    response.writeHead(202, { "content-length": 0 })
    response.end()
    return
  }
  const { body, status } = answer(request.url ?? "", id, method)
  const session = request.url === "/session" && method === "initialize" ? { "mcp-session-id": sessionId } : undefined
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...session
  })
  response.end(body)
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.url === "/dead") return
  if (request.method !== "POST") {
    methods.push(request.method ?? "")
    response.writeHead(request.method === "DELETE" ? 204 : 405, { "content-length": 0 })
    response.end()
    return
  }
  let text = ""
  request.setEncoding("utf8")
  request.on("data", (chunk: string) => {
    text += chunk
  })
  request.on("end", () => reply(request, response, text))
})

server.on("connection", (socket) => {
  connections += 1
  sockets.add(socket)
  socket.on("close", () => {
    sockets.delete(socket)
    closedBytes += socket.bytesRead
  })
})

// What came since the last count.
const count = (): Counts => {
  let bytes = closedBytes
  for (const socket of sockets) bytes += socket.bytesRead
  const counts = { requests: methods.length, connections, bytes: bytes - countedBytes, methods }
  countedBytes = bytes
  connections = 0
  methods = []
  return counts
}

// A backlog for those that come all at once.
server.listen({ port: 0, host: process.argv[2] ?? "127.0.0.1", backlog: 4096 }, () => {
  const { port } = server.address() as AddressInfo
  take({ port: () => port, count, cut: () => server.closeAllConnections() })
})
