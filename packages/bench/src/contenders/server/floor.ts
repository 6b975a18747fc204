// The floor of every server: bare node:http that parses what it is asked and writes the bytes that Parley writes. It looks a
// session up, and checks nothing.
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { initialized } from "../../servers/Wire.ts"
import { bodyOf, listening, type Server, type Told } from "./Served.ts"

interface Message {
  readonly id?: unknown
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly clientInfo?: unknown }
}

let told: Told = { status: 200, message: {}, readsBody: true }
const sessions = new Map<string, { readonly version: string | undefined; readonly client: unknown }>()

const write = (response: ServerResponse, status: number, message: object, session?: string): void => {
  const body = JSON.stringify(message)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(session === undefined ? undefined : { "mcp-session-id": session })
  })
  response.end(body)
}

const open = (response: ServerResponse, { id, params }: Message): void => {
  const session = randomUUID()
  sessions.set(session, { version: params?.protocolVersion, client: params?.clientInfo })
  write(response, 200, { jsonrpc: "2.0", id, result: initialized }, session)
}

export const server: Server = {
  answers: (given) => {
    told = given
  },
  listen: () =>
    listening((request, response) => {
      if (!told.readsBody) {
        write(response, told.status, told.message)
        request.resume()
        return
      }
      bodyOf(request, (text) => {
        // What the measured requests are.
        const message = JSON.parse(text) as Message
        if (message.method === "initialize") return open(response, message)
        if (message.id === undefined) return response.writeHead(202, { "content-length": 0 }).end()
        const session = request.headers["mcp-session-id"]
        if (typeof session === "string" && !sessions.has(session)) return response.writeHead(404).end()
        return write(response, told.status, { ...told.message, id: message.id })
      })
    })
}
