// A real HTTP server on loopback for the tests of the HTTP carriers: what it answers is the test's, what it saw is kept.
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { Server, Socket } from "node:net"
import { createServer as createTcpServer } from "node:net"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: string
}

export interface HttpServer {
  readonly origin: string
  readonly url: string
  readonly port: number
  readonly seen: ReadonlyArray<Seen>
  /** How many connections were ever made. */
  readonly connections: () => number
  /** The connections that are open now. */
  readonly sockets: ReadonlySet<Socket>
  /** Completes when at most so many connections are open. */
  readonly openAtMost: (count: number) => Effect.Effect<void>
  /** What the handler tells the test. */
  readonly notes: Queue.Queue<string>
}

export type Handler = (
  response: ServerResponse,
  seen: Seen,
  context: { readonly nth: number; readonly note: (text: string) => void }
) => void

/** Starts a server whose handler answers once the request's body is there. */
export const start = (handler: Handler): Effect.Effect<HttpServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const notes = yield* Queue.unbounded<string>()
    const seen: Array<Seen> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("error", () => {})
      response.on("error", () => {})
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const one: Seen = {
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers,
          rawHeaders: request.rawHeaders,
          body: Buffer.concat(chunks).toString("utf8")
        }
        seen.push(one)
        handler(response, one, { nth: seen.length, note: (text) => void Queue.offerUnsafe(notes, text) })
      })
    })
    return { ...(yield* listen(server)), seen, notes }
  })

/** Starts a server that speaks no HTTP of its own: the handler gets the socket and its first data. */
export const startRaw = (
  handler: (socket: Socket, data: string) => void
): Effect.Effect<HttpServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const notes = yield* Queue.unbounded<string>()
    const server = createTcpServer((socket) => {
      socket.on("error", () => {})
      socket.on("data", (data) => handler(socket, data.toString("latin1")))
    })
    return { ...(yield* listen(server)), seen: [], notes }
  })

export const listen = (server: Server): Effect.Effect<Omit<HttpServer, "seen" | "notes">, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const waiting = new Set<() => void>()
    let connections = 0
    server.on("connection", (socket: Socket) => {
      connections += 1
      sockets.add(socket)
      socket.on("close", () => {
        sockets.delete(socket)
        for (const look of waiting) look()
      })
    })
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          if (typeof address === "object" && address !== null) resume(Effect.succeed(address.port))
        })
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    const openAtMost = (count: number): Effect.Effect<void> =>
      Effect.callback<void>((resume) => {
        const look = (): void => {
          if (sockets.size <= count) resume(Effect.void)
        }
        waiting.add(look)
        look()
        return Effect.sync(() => waiting.delete(look))
      })
    const origin = `http://127.0.0.1:${port}`
    return { origin, url: `${origin}/mcp`, port, connections: () => connections, sockets, openAtMost }
  })
