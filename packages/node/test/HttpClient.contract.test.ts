import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpClient from "@parley/node/HttpClient"
import * as TransportContract from "@parley/testing/TransportContract"

TransportContract.suite(
  { describe, it },
  "The HTTP carrier on bare Node",
  TransportContract.httpPeer((url) => Effect.succeed(HttpClient.make({ url })))
)
