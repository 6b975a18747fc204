// Plain fetch against a server process, and a fetch handler without any network. Argument: the address of the server.
import { Policy, Profile } from "@parley/core"
import * as FetchClient from "@parley/platform/FetchClient"
import * as FetchServer from "@parley/platform/FetchServer"
import { Admission, Connection, type Transport } from "@parley/runtime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const talk = (name: string, transport: Transport) =>
  Effect.gen(function* () {
    const connection = yield* Connection.connect({
      transport,
      policy: Policy.discoverFirst,
      client: { info: { name: "stranger", version: "1.0.0" }, capabilities: {} }
    })
    yield* Console.log(
      `${name}: ${connection.agreement.version} ${JSON.stringify(yield* connection.request("tools/list"))}`
    )
  })

const program = Effect.gen(function* () {
  yield* talk("process", FetchClient.make({ url: process.argv[2] ?? "" }))
  const profile = Profile.modernOnly({ serverInfo: { name: "clock", version: "1.0.0" }, capabilities: { tools: {} } })
  const handle = FetchServer.fetchHandler(yield* Admission.make(profile, () => Effect.succeed({ tools: [] })))
  const fetch = (url: string, init: RequestInit) => handle(new Request(url, init))
  yield* talk("handler", FetchClient.make({ url: "http://localhost/mcp", fetch }))
})

await Effect.runPromise(Effect.scoped(program))

// prints process: 2026-07-28 {
// prints handler: 2026-07-28 {
