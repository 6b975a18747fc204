// Hands a negotiated connection to the McpClient of effect/ai, which by itself must be told the revision. Start
// http-server.ts first.
import * as EffectAi from "@parley/adapters/effect-ai"
import { Console, Effect } from "effect"
import { McpClient } from "effect/ai"

const url = process.argv[2] ?? "http://127.0.0.1:3000/mcp"

const program = Effect.gen(function* () {
  const client = yield* McpClient.McpClient
  const tools = yield* client.listTools({})
  yield* Console.log(`tools: ${tools.map(({ name }) => name).join(", ")}`)
})

const Client = EffectAi.layer({ target: { url }, name: "my-app", version: "1.0.0" })

await Effect.runPromise(program.pipe(Effect.provide(Client)))

// prints tools: now
