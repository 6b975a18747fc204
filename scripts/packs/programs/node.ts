// Clients of bare Node against server processes, over HTTP and stdio, in both eras. Argument: the address of the server.
import { Policy } from "@parley/core"
import { HttpClient, StdioClient } from "@parley/node"
import { Connection } from "@parley/runtime"
import { Console, Effect } from "effect"

const transports = {
  http: HttpClient.make({ url: process.argv[2] ?? "" }),
  stdio: StdioClient.make({ command: process.execPath, args: ["server.ts", "stdio"] })
}

for (const [name, transport] of Object.entries(transports))
  for (const policy of [Policy.auto, Policy.discoverFirst]) {
    const program = Effect.gen(function* () {
      const connection = yield* Connection.connect({
        transport,
        policy,
        client: { info: { name: "stranger", version: "1.0.0" }, capabilities: {} }
      })
      const { content } = yield* connection.request("tools/call", { name: "now", arguments: {} })
      yield* Console.log(`${name}: ${connection.agreement.era}, ${JSON.stringify(content)}`)
    })
    await Effect.runPromise(Effect.scoped(program))
  }

// prints http: legacy, [{"type":"text","text":"2025-11-25 on v
// prints http: modern, [{"type":"text","text":"2026-07-28 on v
// prints stdio: legacy, [{"type":"text","text":"2025-11-25 on v
// prints stdio: modern, [{"type":"text","text":"2026-07-28 on v
