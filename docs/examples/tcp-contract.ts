// Runs the transport contract against the carrier of tcp-carrier.ts. With a test runner: TransportContract.suite.
import { Lines, Message } from "@parley/core"
import { TransportContract } from "@parley/testing"
import { dammedMillis, flooding, makeCount } from "@parley/testing/ContractPeer"
import { Console, Effect, Queue } from "effect"
import { createServer, type Socket } from "node:net"
import { make } from "./tcp-carrier.ts"

const peer: TransportContract.Factory = Effect.gen(function* () {
  const received = yield* Queue.unbounded<TransportContract.Received>()
  const open = makeCount()
  const server = createServer((socket) => {
    const lines = Lines.reader()
    open.add(1)
    socket.on("error", () => {})
    socket.on("close", () => open.add(-1))
    socket.on("data", (bytes) => {
      for (const line of lines.push(bytes)) {
        const message = line._tag === "Overlong" ? undefined : Message.parse(line.text)
        if (message?.ok && Message.isMessage(message.value)) {
          Queue.offerUnsafe(received, { message: message.value, headers: {}, ...wayOf(socket) })
        }
      }
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { transport: make(port), received, idle: open.isZero }
})

const wayOf = (socket: Socket): Omit<TransportContract.Received, "message" | "headers"> => ({
  say: (message) => Effect.sync(() => void socket.write(`${JSON.stringify(message)}\n`)),
  noise: Effect.sync(() => void socket.write("ready\r\n\r\n{not json}\n")),
  end: Effect.sync(() => void socket.destroy()),
  gone: Effect.callback<void>((resume) => {
    if (socket.destroyed) resume(Effect.void)
    else socket.once("close", () => resume(Effect.void))
  }),
  flood: Effect.fnUntraced(function* (limitBytes) {
    let messages = 0
    for (let written = 0; written < limitBytes;) {
      const line = `${JSON.stringify(flooding(messages++))}\n`
      written += line.length
      if (socket.write(line)) continue
      const drained = Effect.callback<void>((resume) => void socket.once("drain", () => resume(Effect.void)))
      if ((yield* Effect.timeoutOption(drained, dammedMillis))._tag === "None") return { messages, isDammed: true }
    }
    return { messages, isDammed: false }
  })
})

for (const check of TransportContract.checks) await Effect.runPromise(TransportContract.run(check, peer))
await Effect.runPromise(Console.log(`${TransportContract.checks.length} checks kept`))

// prints checks kept
