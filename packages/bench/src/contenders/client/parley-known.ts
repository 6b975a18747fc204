// Parley on node:http with a memory of what each server spoke.
import * as HttpClient from "@parley/node/HttpClient"
import * as Connection from "@parley/runtime/Connection"
import * as EraMemory from "@parley/runtime/EraMemory"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { client } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"
import { policyOf } from "./policyOf.ts"

const pool = await Effect.runPromise(Scope.provide(HttpClient.pool(), Scope.makeUnsafe()))

export const contender: Contender = {
  opener: (opening, url) => {
    const connecting = Effect.scoped(
      Connection.connect({
        transport: HttpClient.make({ url, pool }),
        policy: policyOf(opening),
        client: { info: client, capabilities: {} },
        memory: EraMemory.memory()
      })
    )
    return (times) => Effect.runPromise(repeated(connecting, times))
  }
}

const repeated = Effect.fnUntraced(function* <E>(opening: Effect.Effect<unknown, E>, times: number) {
  for (let time = 0; time < times; time++) yield* opening
})
