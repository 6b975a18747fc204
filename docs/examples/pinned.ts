// A client that speaks 2026-07-28 and nothing else: one round trip, no fallback. Start http-server.ts first.
import { Policy } from "@parley/core"
import { HttpClient } from "@parley/node"
import { Connection } from "@parley/runtime"
import { Console, Effect } from "effect"

const url = process.argv[2] ?? "http://127.0.0.1:3000/mcp"

const connecting = Connection.connect({
  transport: HttpClient.make({ url }),
  policy: Policy.pinned("2026-07-28"),
  client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} }
})

const program = connecting.pipe(
  Effect.flatMap(({ agreement }) => Console.log(`agreed on ${agreement.version}, ${agreement.era}`)),
  // A legacy server is an error here, and the error says what the server does speak.
  Effect.catchReason("NegotiationError", "UnsupportedProtocolVersion", (reason) =>
    Console.log(
      `asked for ${reason.requested}; it speaks ${reason.supported.join(", ") || "something it did not name"}`
    )
  )
)

await Effect.runPromise(Effect.scoped(program))

// prints agreed on 2026-07-28, modern
