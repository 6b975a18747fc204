// A scripted MCP server over HTTP: a real listener on 127.0.0.1 that answers by rows and writes down what it received.
// Which row answers is decided in Script.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { choose, countedAs, type Heard, idOf, methodOf, type Received, type Reply, type Row, textOf } from "./Script.ts"
import { type HttpTarget, type Scripted, type Transcript, wireLine } from "./Scripted.ts"

/** The most of a request body that is read, in bytes. More ends the connection. */
const bodyLimit = 8 * 1024 * 1024

/**
 * Opens a scripted server on a free port of 127.0.0.1 that answers by these rows until the scope closes. A request that
 * no row answers gets no answer: its connection stays open.
 */
export const open = (
  rows: ReadonlyArray<Row>
): Effect.Effect<Scripted & { readonly target: HttpTarget }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listen(rows)),
      (peer) => Effect.promise(() => peer.close())
    ),
    (peer) => ({ target: { url: peer.url }, record: Effect.sync(() => peer.transcript()) })
  )

interface Listening {
  readonly url: string
  readonly transcript: () => Transcript
  readonly close: () => Promise<void>
}

const listen = (rows: ReadonlyArray<Row>): Promise<Listening> => {
  const start = Date.now()
  const received: Array<Received> = []
  const wire: Array<string> = []
  const problems: Array<string> = []
  const counts = new Map<string, number>()
  const ids = new Map<string, unknown>()
  const redirects = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()
  const write = (who: ">" | "<" | "*", text: string) => wire.push(wireLine(Date.now() - start, who, text))

  const hear = (request: IncomingMessage, response: ServerResponse, text: string): void => {
    const heard = heardOf(request, text)
    const name = countedAs(heard)
    const nth = (counts.get(name) ?? 0) + 1
    counts.set(name, nth)
    ids.set(`${name} ${nth}`, idOf(heard.body))
    const method = methodOf(heard.body)
    const key = `${name} ${JSON.stringify(idOf(heard.body))}`
    const row = choose(rows, heard, nth)
    received.push({
      ...heard,
      ...(method === undefined ? undefined : { method }),
      ...(heard.body === undefined && text !== "" ? { text: text.slice(0, 400) } : undefined),
      ...(redirects.delete(key) ? { redirected: true } : undefined),
      ...(row === undefined ? undefined : { row: rows.indexOf(row) }),
      nth,
      at: Date.now(),
      path: request.url ?? ""
    })
    write(">", `${request.method} ${request.url} ${headerLine(heard.headers)} ${text}`)
    if (row === undefined) return void write("*", "no row answers this; the connection stays open")
    const answer = () => {
      const id = idOf(heard.body)
      if (isRedirect(row.reply)) redirects.add(key)
      const said = textOf(row.reply, id, "", (method, place) => ids.get(`${method} ${place}`))
      try {
        send(response, row.reply, said)
        write("<", describe(row.reply, said))
      } catch (cause) {
        problems.push(`the reply to ${name} cannot be sent: ${cause instanceof Error ? cause.message : String(cause)}`)
        response.destroy()
      }
    }
    const delay = row.reply.delayMs ?? 0
    if (delay === 0) return answer()
    const timer = setTimeout(() => {
      timers.delete(timer)
      answer()
    }, delay)
    timers.add(timer)
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyLimit) request.destroy()
      else chunks.push(chunk)
    })
    request.on("end", () => hear(request, response, Buffer.concat(chunks).toString("utf8")))
    // A client that goes away is nothing to a script.
    request.on("error", () => undefined)
    response.on("error", () => undefined)
  })
  server.on("clientError", (cause, socket) => {
    write("*", `not HTTP: ${cause.message}`)
    socket.destroy()
  })

  return new Promise((resolve, reject) => {
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${portOf(server)}/mcp`,
        transcript: () => ({ received: [...received], wire: [...wire], processes: [], problems: [...problems] }),
        close: () => {
          for (const timer of timers) clearTimeout(timer)
          return new Promise((done) => {
            server.close(() => done())
            server.closeAllConnections()
          })
        }
      })
    )
  })
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const heardOf = (request: IncomingMessage, text: string): Heard => {
  const headers: Record<string, string> = {}
  for (const [name, values] of Object.entries(request.headersDistinct)) headers[name] = (values ?? []).join(", ")
  const httpMethod = request.method ?? ""
  try {
    return { httpMethod, headers, body: JSON.parse(text) }
  } catch {
    return { httpMethod, headers }
  }
}

/** Writes a reply: a known length where the body stands at once, pieces where it streams, a cut where a stream closes. */
const send = (response: ServerResponse, reply: Reply, text: string): void => {
  if (reply.close === true && reply.status === undefined && text === "") return void response.destroy()
  const status = reply.status ?? 200
  const bytes = Buffer.from(text)
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    response.setHeader(name, typeof value === "string" || typeof value === "number" ? value : [...value])
  }
  if (reply.body !== undefined && !response.hasHeader("content-type")) {
    response.setHeader("content-type", "application/json")
  }
  const streams =
    reply.hold === true ||
    reply.chunkBytes !== undefined ||
    String(response.getHeader("content-type") ?? "").startsWith("text/event-stream")
  const sized = response.hasHeader("content-length") || response.hasHeader("transfer-encoding")
  if (!streams && !sized && status !== 204 && status !== 304) response.setHeader("content-length", bytes.length)
  if (reply.close === true) response.setHeader("connection", "close")
  response.writeHead(status)
  response.flushHeaders()
  pieces(response, bytes, reply.chunkBytes ?? bytes.length, () => {
    if (reply.hold === true) return
    if (reply.close === true && streams) response.destroy()
    else response.end()
  })
}

const pieces = (response: ServerResponse, bytes: Buffer, size: number, then: () => void): void => {
  if (bytes.length === 0 || response.destroyed) return then()
  response.write(bytes.subarray(0, size), () => setImmediate(pieces, response, bytes.subarray(size), size, then))
}

const isRedirect = (reply: Reply): boolean => reply.status !== undefined && reply.status >= 300 && reply.status < 400

const describe = (reply: Reply, text: string): string =>
  [
    reply.close === true && reply.status === undefined && text === "" ? "closed" : String(reply.status ?? 200),
    ...Object.entries(reply.headers ?? {}).map(([name, value]) => `${name}: ${String(value)};`),
    text
  ].join(" ")

/** The headers that a reader of the wire wants to see: those of MCP, the types, the origin. */
const headerLine = (headers: Heard["headers"]): string =>
  Object.entries(headers)
    .filter(([name]) => name.startsWith("mcp-") || name === "last-event-id" || name === "origin")
    .map(([name, value]) => `${name}: ${value};`)
    .join(" ")
