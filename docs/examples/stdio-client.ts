// Starts a server, finds out what it speaks, and calls one tool. When the scope closes, no process is left.
import { StdioClient } from "@parley/node"
import { Connection } from "@parley/runtime"
import { Console, Effect } from "effect"
import { fileURLToPath } from "node:url"

const program = Effect.gen(function* () {
  const connection = yield* Connection.connect({
    transport: StdioClient.make({
      command: process.execPath,
      args: [...process.execArgv, fileURLToPath(new URL("./stdio-server.ts", import.meta.url))]
    }),
    client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} }
  })
  const { serverInfo, version } = connection.agreement
  yield* Console.log(`${serverInfo?.name} speaks ${version}`)
  const result = yield* connection.request("tools/call", { name: "now", arguments: {} })
  yield* Console.log(JSON.stringify(result))
})

await Effect.runPromise(Effect.scoped(program))

// prints clock speaks 2025-11-25
// prints "type":"text"
