// A scripted process and a hostile one under test, as the packed programs are.
import { StdioClient } from "@parley/node"
import { Negotiation } from "@parley/runtime"
import { ScriptedStdio, TransportContract } from "@parley/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const program = Effect.gen(function* () {
  const { target } = yield* ScriptedStdio.open([
    {
      on: { method: "initialize" },
      reply: { body: { jsonrpc: "2.0", id: "{{request.id}}", error: { code: -32601, message: "gone" } } }
    },
    {
      on: { method: "server/discover" },
      reply: {
        body: { jsonrpc: "2.0", id: "{{request.id}}", result: { supportedVersions: ["2026-07-28"], capabilities: {} } }
      }
    }
  ])
  const { agreement } = yield* Negotiation.negotiate({
    transport: StdioClient.make(target),
    client: { info: { name: "stranger", version: "1.0.0" }, capabilities: {} }
  })
  yield* Console.log(`scripted: ${agreement.version}`)
})
await Effect.runPromise(Effect.scoped(program))

const peer = TransportContract.stdioPeer((launch) => Effect.succeed(StdioClient.make(launch)))
const [first] = TransportContract.checks
if (first !== undefined) {
  await Effect.runPromise(TransportContract.run(first, peer))
  console.log(`kept: ${first.title}`)
}

// prints scripted: 2026-07-28
// prints kept:
