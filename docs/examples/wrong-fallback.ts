// The fallback that everybody writes, and what it costs: a server of both eras is busy for a moment, and the client that
// takes this for a sign of the legacy era stays there.
import { Policy } from "@parley/core"
import { HttpClient } from "@parley/node"
import { Connection, Retry } from "@parley/runtime"
import { ScriptedHttp } from "@parley/testing"
import { Console, Effect } from "effect"

const answer = (result: unknown) => ({
  headers: { "content-type": "application/json" },
  body: { jsonrpc: "2.0", id: "{{request.id}}", result }
})
const busyOnce = ScriptedHttp.open([
  { on: { method: "server/discover", nth: 1 }, reply: { status: 503, headers: { "retry-after": "1" } } },
  { on: { method: "server/discover" }, reply: answer({ supportedVersions: ["2026-07-28"], capabilities: {} }) },
  {
    on: { method: "initialize" },
    reply: answer({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "dual", version: "1.0.0" } })
  }
])

const ask = async (url: string, method: string): Promise<string> => {
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method }) })
  if (!response.ok) throw new Error(String(response.status))
  const { result } = JSON.parse(await response.text())
  return result.supportedVersions?.[0] ?? result.protocolVersion
}
const byHand = async (url: string): Promise<string> => {
  try {
    return await ask(url, "server/discover")
  } catch {
    return await ask(url, "initialize")
  }
}

const program = Effect.gen(function* () {
  const first = yield* busyOnce
  yield* Console.log(`by hand: ${yield* Effect.promise(() => byHand(first.target.url))}`)
  const second = yield* busyOnce
  const { agreement } = yield* Connection.connect({
    transport: HttpClient.make(second.target),
    policy: Policy.discoverFirst,
    client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} }
  }).pipe(Effect.retry(Retry.respectingRetryAfter(Retry.transient)))
  yield* Console.log(`with Parley: ${agreement.version}`)
})

await Effect.runPromise(Effect.scoped(program))

// prints by hand: 2025-11-25
// prints with Parley: 2026-07-28
