// The transport contract's peer over stdio: a real process that the transport starts, led over a loopback socket.
import * as Lines from "@parley/core/Lines"
import { isMessage } from "@parley/core/Message"
import type { Transport } from "@parley/runtime/Transport"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Socket } from "node:net"
import { createServer } from "node:net"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import type { Factory, Flood, Received } from "./ContractPeer.ts"
import { flooding, makeCount } from "./ContractPeer.ts"

/** Returns the factory for a stdio carrier, from the function that makes its transport for a command. */
export const stdioPeer = (
  make: (launch: { readonly command: string; readonly args: ReadonlyArray<string> }) => Effect.Effect<Transport>
): Factory =>
  Effect.gen(function* () {
    const received = yield* Queue.unbounded<Received>()
    const open = makeCount()
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      open.add(1)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        open.add(-1)
      })
      lead(socket, (item) => Queue.offerUnsafe(received, item))
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
          for (const socket of sockets) socket.destroy()
          server.close(() => resume(Effect.void))
        })
    )
    const transport = yield* make({ command: process.execPath, args: [program, String(port)] })
    return { transport, received, idle: open.isZero }
  })

const lead = (socket: Socket, offer: (received: Received) => void): void => {
  let flooded: ((flood: Flood) => void) | undefined
  const command = (value: unknown): Effect.Effect<void> =>
    Effect.sync(() => {
      if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`)
    })
  const way: Omit<Received, "message"> = {
    headers: {},
    say: (message) => command({ write: `${JSON.stringify(message)}\n` }),
    noise: command({ write: "Server is listening\r\n\r\n[info] {not json}\n" }),
    flood: (limitBytes) =>
      Effect.andThen(
        command({ flood: limitBytes, line: `${JSON.stringify(flooding(0))}\n` }),
        Effect.callback<Flood>((resume) => {
          flooded = (flood) => resume(Effect.succeed(flood))
        })
      ),
    end: command({ exit: 3 }),
    gone: Effect.callback((resume) => {
      const onClose = (): void => resume(Effect.void)
      if (socket.destroyed) onClose()
      else socket.once("close", onClose)
      return Effect.sync(() => socket.off("close", onClose))
    })
  }
  const take = (line: string): void => {
    const fact: unknown = JSON.parse(line)
    if (typeof fact !== "object" || fact === null) return
    if ("line" in fact) {
      const message: unknown = JSON.parse(String(fact.line))
      if (isMessage(message)) offer({ ...way, message })
    } else if ("flooded" in fact) {
      flooded?.(floodOf(fact.flooded))
    }
  }
  const reader = Lines.reader()
  socket.on("data", (chunk: Uint8Array) => {
    for (const line of reader.push(chunk)) if (line._tag === "Text") take(line.text)
  })
}

const floodOf = (fact: unknown): Flood => {
  const { messages, isDammed } = { messages: 0, isDammed: false, ...Object(fact) }
  return { messages: Number(messages), isDammed: isDammed === true }
}

const program = fileURLToPath(
  new URL(`./contract-stdio-bin${extname(new URL(import.meta.url).pathname)}`, import.meta.url)
)
