// A policy of one's own: `auto` with one cell replaced. This owner's gateway answers an unknown method with a bare 404,
// so that a 404 to `initialize` leads on to `server/discover` here. Everywhere else it would be a guess.
import { Policy } from "@parley/core"
import { discover } from "@parley/core/client/Moves"
import { cell } from "@parley/core/client/Table"
import { HttpClient } from "@parley/node"
import { Connection } from "@parley/runtime"
import { ScriptedHttp } from "@parley/testing"
import { Console, Effect } from "effect"

const behindOurGateway = Policy.override(
  Policy.auto,
  "Initializing",
  "HttpRefused",
  cell(discover, "Our gateway hides -32601 behind a bare 404"),
  "behindOurGateway"
)

const discovered = {
  jsonrpc: "2.0",
  id: "{{request.id}}",
  result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
}

const program = Effect.gen(function* () {
  const { target } = yield* ScriptedHttp.open([
    { on: { method: "initialize" }, reply: { status: 404 } },
    { on: { method: "server/discover" }, reply: { headers: { "content-type": "application/json" }, body: discovered } }
  ])
  const { agreement } = yield* Connection.connect({
    transport: HttpClient.make(target),
    policy: behindOurGateway,
    client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} }
  })
  for (const { because, evidence, move } of agreement.trace)
    yield* Console.log(`${evidence || "-"}: ${move} (${because})`)
  yield* Console.log(`agreed on ${agreement.version}`)
})

await Effect.runPromise(Effect.scoped(program))

// prints : discover (Our gateway hides -32601 behind a bare 404)
// prints agreed on 2026-07-28
