// A server over HTTP on bare node:http, both eras at one address. Closing the scope answers what is being served first.
import { NodeRuntime } from "@effect/platform-node"
import { HttpServer } from "@parley/node"
import { Admission } from "@parley/runtime"
import { Console, Effect } from "effect"
import { handler, profile } from "./clock.ts"

const port = Number(process.env["PORT"] ?? 3000)

const main = Effect.gen(function* () {
  const admission = yield* Admission.make(profile, handler)
  const { url } = yield* HttpServer.serve({ admission, port })
  yield* Console.log(`Listening at ${url}`)
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(main))
