// A fetch-style host on node:http, as small as it can be right: a Request for each message that comes, its Response written
// as it comes, the abort of the request when the client leaves.
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"

export interface Hosted {
  readonly port: number
  readonly url: string
}

/** Serves a fetch handler at any path, until the scope closes. */
export const host = (handler: (request: Request) => Promise<Response>): Effect.Effect<Hosted, never, Scope.Scope> => {
  const server = createServer((incoming, outgoing) => {
    void carry(handler, incoming, outgoing).catch(() => outgoing.destroy())
  })
  return Effect.acquireRelease(
    Effect.callback<Hosted>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, url: `http://127.0.0.1:${port}/mcp` }))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
}

const carry = async (
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse
): Promise<void> => {
  const abort = new AbortController()
  outgoing.on("close", () => abort.abort())
  outgoing.on("error", () => undefined)
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "")
  }
  const { method = "GET" } = incoming
  const hasBody = method !== "GET" && method !== "HEAD"
  const response = await handler(
    new Request(`http://${incoming.headers.host ?? "localhost"}${incoming.url}`, {
      method,
      headers,
      signal: abort.signal,
      // The types of Node's web streams and those of fetch name one thing twice.
      ...(hasBody ? { body: Readable.toWeb(incoming) as unknown as ReadableStream, duplex: "half" } : undefined)
    })
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) return void outgoing.end()
  const reader = response.body.getReader()
  outgoing.on("close", () => void reader.cancel().catch(() => undefined))
  outgoing.flushHeaders()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (!outgoing.write(next.value)) {
      await new Promise<void>((resolve) => {
        outgoing.once("drain", resolve)
        outgoing.once("close", resolve)
      })
    }
  }
  outgoing.end()
}
