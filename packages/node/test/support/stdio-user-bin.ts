// A program that uses the stdio carrier once and then has nothing more to do: its own end shows that nothing is left. Its
// one argument is the server's source. Run with scripts/register.mjs.
import { request } from "@parley/core/Message"
import * as StdioClient from "@parley/node/StdioClient"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

const use = Effect.gen(function* () {
  const server = StdioClient.make({ command: process.execPath, args: ["-e", process.argv[2] ?? ""] })
  const channel = yield* server.open
  yield* channel.send({ _tag: "Post", exchange: 1, message: request(1, "ping"), headers: {} })
  const event = yield* Queue.take(channel.events)
  process.stdout.write(`${JSON.stringify(event)}\n`)
})

await Effect.runPromise(Effect.scoped(use))
process.stdout.write("closed\n")
