// A client of the official SDK 1.x meets a server that answers `initialize` with 2026-07-28, an era it cannot live in.
// By itself the SDK gives up ("protocol version is not supported"); through Parley the handshake is held at 2025-11-25.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Sdk } from "@parley/adapters"
import { ScriptedHttp } from "@parley/testing"
import { Console, Effect } from "effect"

const answer = (result: unknown) => ({
  headers: { "content-type": "application/json" },
  body: { jsonrpc: "2.0", id: "{{request.id}}", result }
})
const serverInfo = { name: "eager", version: "1.0.0" }

const program = Effect.gen(function* () {
  const { target } = yield* ScriptedHttp.open([
    {
      on: { method: "initialize" },
      reply: answer({ protocolVersion: "2026-07-28", capabilities: { tools: {} }, serverInfo })
    },
    { on: { method: "notifications/initialized" }, reply: { status: 202 } },
    { on: { method: "tools/list" }, reply: answer({ tools: [{ name: "now", inputSchema: { type: "object" } }] }) },
    { on: { httpMethod: "GET" }, reply: { status: 405 } }
  ])
  const transport = () => new StreamableHTTPClientTransport(new URL(target.url))

  const alone = new Client({ name: "my-app", version: "1.0.0" })
  const failure = yield* Effect.promise(() => alone.connect(transport()).then(String, String))
  yield* Console.log(`alone: ${failure}`)

  const client = new Client({ name: "my-app", version: "1.0.0" })
  const { agreement } = yield* Sdk.connect(client, transport)
  const { tools } = yield* Effect.promise(() => client.listTools())
  yield* Console.log(`with Parley: ${agreement.version}, though it named ${agreement.named}; tools: ${tools[0]?.name}`)
})

await Effect.runPromise(Effect.scoped(program))

// prints alone: Error: Server's protocol version is not supported: 2026-07-28
// prints with Parley: 2025-11-25, though it named 2026-07-28; tools: now
