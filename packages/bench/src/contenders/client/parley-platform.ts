// Parley over any HttpClient of Effect's: here the one on fetch.
import * as HttpClient from "@parley/platform/HttpClient"
import * as Connection from "@parley/runtime/Connection"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { client } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"
import { policyOf } from "./policyOf.ts"

export const contender: Contender = {
  opener: (opening, url) => (times) =>
    Effect.gen(function* () {
      const connecting = Effect.scoped(
        Connection.connect({
          transport: yield* HttpClient.make({ url }),
          policy: policyOf(opening),
          client: { info: client, capabilities: {} }
        })
      )
      for (let time = 0; time < times; time++) yield* connecting
    }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
}
