import { NodeHttpClient } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient, type HttpClient as Client } from "effect/http"
import * as FetchClient from "@parley/platform/FetchClient"
import * as HttpClient from "@parley/platform/HttpClient"
import * as TransportContract from "@parley/testing/TransportContract"

const backends: ReadonlyArray<readonly [name: string, layer: Layer.Layer<Client.HttpClient>]> = [
  ["fetch", FetchHttpClient.layer],
  ["node:http", NodeHttpClient.layerNodeHttp],
  ["undici", NodeHttpClient.layerUndici]
]

for (const [name, layer] of backends) {
  TransportContract.suite(
    { describe, it },
    `The HTTP carrier over ${name}`,
    // The client lives as long as the check: its connections are not the carrier's, unfinished exchanges are.
    Effect.flatMap(Layer.build(layer), (context) =>
      TransportContract.httpPeer((url) => Effect.provide(HttpClient.make({ url }), context), { idle: "exchanges" })
    )
  )
}

TransportContract.suite(
  { describe, it },
  "The HTTP carrier on plain fetch",
  // The connections are the platform's; unfinished exchanges are the carrier's.
  TransportContract.httpPeer((url) => Effect.succeed(FetchClient.make({ url })), { idle: "exchanges" })
)
