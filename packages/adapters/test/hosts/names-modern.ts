// A server that answers `initialize` with a modern revision and knows no `server/discover`, as some do in the field:
// `names-modern.ts <stdio|http>`. Over HTTP it issues sessions, and refuses a request that names none or another.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { createInterface } from "node:readline"

const tools = [
  { name: "echo", description: "Returns its text", inputSchema: { type: "object", properties: {} } },
  { name: "clock", description: "Returns the time", inputSchema: { type: "object", properties: {} } }
]

const resultOf = (method: unknown): object | undefined => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2026-07-28",
        capabilities: { tools: {} },
        serverInfo: { name: "parley-names-modern", version: "1" }
      }
    case "tools/list":
      return { tools }
    case "ping":
      return {}
    default:
      return undefined
  }
}

const answerTo = (message: { readonly id?: unknown; readonly method?: unknown }): object | undefined => {
  if (message.id === undefined) return undefined
  const result = resultOf(message.method)
  return result === undefined
    ? { jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } }
    : { jsonrpc: "2.0", id: message.id, result }
}

if (process.argv[2] === "http") {
  const sessions = new Set<string>()
  const server = createServer((request, response) => {
    const refuse = (status: number): void => void response.writeHead(status).end()
    let text = ""
    request.on("data", (chunk: Buffer) => (text += chunk.toString()))
    request.on("end", () => {
      const session = request.headers["mcp-session-id"]
      if (request.method === "GET") return refuse(405)
      if (request.method === "DELETE") return refuse(sessions.delete(String(session)) ? 204 : 404)
      const message = JSON.parse(text)
      const opens = message.method === "initialize"
      if (session === undefined ? !opens : opens || !sessions.has(String(session))) return refuse(400)
      const answer = answerTo(message)
      if (answer === undefined) return refuse(202)
      const id = opens ? randomUUID() : undefined
      if (id !== undefined) sessions.add(id)
      response.writeHead(200, {
        "content-type": "application/json",
        ...(id === undefined ? undefined : { "mcp-session-id": id })
      })
      response.end(JSON.stringify(answer))
    })
  })
  process.stdin.on("end", () => process.exit(0))
  process.stdin.resume()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`)
  })
} else {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const answer = answerTo(JSON.parse(line))
    if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`)
  })
}
