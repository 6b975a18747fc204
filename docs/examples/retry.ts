// A server that is busy at first says when to come back. The retry waits for as long as it asked, and no longer.
import { HttpClient } from "@parley/node"
import { Connection, Retry } from "@parley/runtime"
import { ScriptedHttp } from "@parley/testing"
import { Clock, Console, Effect } from "effect"

const initialized = {
  jsonrpc: "2.0",
  id: "{{request.id}}",
  result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "tired", version: "1.0.0" } }
}

const program = Effect.gen(function* () {
  const { target } = yield* ScriptedHttp.open([
    { on: { method: "initialize", nth: 1 }, reply: { status: 503, headers: { "retry-after": "1" } } },
    { on: { method: "initialize" }, reply: { headers: { "content-type": "application/json" }, body: initialized } },
    { on: { method: "notifications/initialized" }, reply: { status: 202 } }
  ])
  const started = yield* Clock.currentTimeMillis
  const connection = yield* Connection.connect({
    transport: HttpClient.make(target),
    client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} }
  }).pipe(Effect.retry(Retry.respectingRetryAfter(Retry.transient)))
  const waited = (yield* Clock.currentTimeMillis) - started
  yield* Console.log(`${connection.agreement.serverInfo?.name} agreed, ${waited >= 1000 ? "after" : "before"} a second`)
})

await Effect.runPromise(Effect.scoped(program))

// prints tired agreed, after a second
