// effect/ai 4.1.0, which negotiates nothing: it is told the revision that the server speaks.
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { client } from "../../servers/Wire.ts"
import type { Contender } from "./Opening.ts"

export const contender: Contender = {
  opener: ({ era, policy }, url) => {
    if ((policy === "discoverFirst") !== (era === "modern")) return undefined
    const protocol = era === "modern" ? McpProtocol.v2026_07_28 : McpProtocol.v2025_11_25
    const connecting = Effect.scoped(
      Effect.flatMap(McpClient.http({ url, protocol }), (transport) =>
        Effect.provideService(McpClient.make(client), McpClient.Transport, transport)
      )
    )
    return (times) => repeated(connecting, times).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
  }
}

const repeated = Effect.fnUntraced(function* <E, R>(opening: Effect.Effect<unknown, E, R>, times: number) {
  for (let time = 0; time < times; time++) yield* opening
})
