// The transport contract's peer over HTTP: a real node:http server on loopback that answers a POST when it is told to.
import type { Message } from "@parley/core/Message"
import { isFailure, isMessage, isRequest, isSuccess } from "@parley/core/Message"
import type { Transport } from "@parley/runtime/Transport"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { Factory, Flood, Received } from "./ContractPeer.ts"
import { dammedMillis, flooding, makeCount } from "./ContractPeer.ts"

/** What must be gone when a transport is closed. */
export interface HttpPeerOptions {
  /**
   * `sockets` (the default): its connections too. `exchanges`: only unfinished responses, for a transport whose
   * connections belong to a client that it does not own.
   */
  readonly idle?: "sockets" | "exchanges"
}

/** Returns the factory for an HTTP carrier, from the function that makes its transport for a URL. */
export const httpPeer = (make: (url: string) => Effect.Effect<Transport>, options: HttpPeerOptions = {}): Factory =>
  Effect.gen(function* () {
    const received = yield* Queue.unbounded<Received>()
    const open = makeCount()
    const server = createServer((request, response) => {
      open.add(1)
      response.on("close", () => open.add(-1))
      request.on("error", () => {})
      response.on("error", () => {})
      take(request, response, (item) => Queue.offerUnsafe(received, item))
    })
    if (options.idle !== "exchanges") {
      server.on("connection", (socket) => {
        open.add(1)
        socket.on("close", () => open.add(-1))
      })
    }
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
          server.closeAllConnections()
        })
    )
    const transport = yield* make(`http://127.0.0.1:${port}/mcp`)
    return { transport, received, idle: open.isZero }
  })

const take = (request: IncomingMessage, response: ServerResponse, offer: (received: Received) => void): void => {
  if (request.method !== "POST") {
    response.writeHead(request.method === "DELETE" ? 200 : 405).end()
    return
  }
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => void chunks.push(chunk))
  request.on("end", () => {
    const message = parsed(Buffer.concat(chunks).toString("utf8"))
    if (message === undefined) {
      response.writeHead(400).end()
      return
    }
    if (!isRequest(message)) response.writeHead(202).end()
    offer({ message, headers: headersOf(request), ...wayOf(response) })
  })
}

const wayOf = (response: ServerResponse): Omit<Received, "message" | "headers"> => {
  const stream = (text: string): boolean => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" })
    return response.write(text)
  }
  const event = (message: Message): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`
  return {
    say: (message) =>
      Effect.sync(() => {
        if (response.writableEnded || response.destroyed) return
        if (!isSuccess(message) && !isFailure(message)) stream(event(message))
        else if (response.headersSent) response.end(event(message))
        else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message))
      }),
    noise: Effect.sync(() => void stream(": this is a comment\n\n:\n\nretry: 1000\n\n")),
    flood: (limitBytes) =>
      Effect.callback<Flood>((resume) => {
        let written = 0
        let messages = 0
        const next = (): void => {
          while (written < limitBytes) {
            const text = event(flooding(messages))
            messages += 1
            written += text.length
            if (!stream(text)) {
              const dammed = setTimeout(() => {
                response.off("drain", onDrain)
                resume(Effect.succeed({ messages, isDammed: true }))
              }, dammedMillis)
              const onDrain = (): void => {
                clearTimeout(dammed)
                next()
              }
              response.once("drain", onDrain)
              return
            }
          }
          resume(Effect.succeed({ messages, isDammed: false }))
        }
        next()
      }),
    end: Effect.sync(() => void response.socket?.destroy()),
    gone: Effect.callback<void>((resume) => {
      const onClose = (): void => resume(Effect.void)
      if (response.closed || response.destroyed) onClose()
      else response.once("close", onClose)
      return Effect.sync(() => response.off("close", onClose))
    })
  }
}

const headersOf = (request: IncomingMessage): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? "")
    ])
  )

const parsed = (text: string): Message | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}
