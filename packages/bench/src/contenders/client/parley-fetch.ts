// Parley over the platform's own fetch.
import * as FetchClient from "@parley/platform/FetchClient"
import * as Connection from "@parley/runtime/Connection"
import * as Effect from "effect/Effect"
import { client } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"
import { policyOf } from "./policyOf.ts"

export const contender: Contender = {
  opener: (opening, url) => {
    const connecting = Effect.scoped(
      Connection.connect({
        transport: FetchClient.make({ url }),
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
