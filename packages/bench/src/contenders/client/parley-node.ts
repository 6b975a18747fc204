// Parley over its own carrier on node:http, with a pool that outlives its connections.
import * as HttpClient from "@parley/node/HttpClient"
import * as Connection from "@parley/runtime/Connection"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { client } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"
import { policyOf } from "./policyOf.ts"

// As an application has it that connects often: one pool for all of them.
const pool = await Effect.runPromise(Scope.provide(HttpClient.pool(), Scope.makeUnsafe()))

export const contender: Contender = {
  opener: (opening, url) => {
    const connecting = Effect.scoped(
      Connection.connect({
        transport: HttpClient.make({ url, pool }),
        policy: policyOf(opening),
        client: { info: client, capabilities: {} }
      })
    )
    return (times) => Effect.runPromise(repeated(connecting, times))
  }
}

const repeated = Effect.fnUntraced(function* <E>(opening: Effect.Effect<unknown, E>, times: number) {
  for (let time = 0; time < times; time++) yield* opening
})
