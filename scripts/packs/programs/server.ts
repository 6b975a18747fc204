// A server process for the programs beside this one: over HTTP it writes its address first, over stdio it serves its parent.
import { Profile } from "@parley/core"
import { HttpServer, StdioServer } from "@parley/node"
import { Admission, type Handler } from "@parley/runtime"
import * as Effect from "effect/Effect"

const profile = Profile.dual({ serverInfo: { name: "clock", version: "1.0.0" }, capabilities: { tools: {} } })

const handler: Handler.Handler = ({ method }, { version }) =>
  method === "tools/list"
    ? Effect.succeed({ tools: [{ name: "now", inputSchema: { type: "object" } }] })
    : Effect.succeed({ content: [{ type: "text", text: `${version} on ${process.version}` }] })

const program = Effect.gen(function* () {
  const admission = yield* Admission.make(profile, handler)
  if (process.argv[2] === "stdio") return yield* StdioServer.serve({ admission })
  const { url } = yield* HttpServer.serve({ admission })
  console.log(url)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
