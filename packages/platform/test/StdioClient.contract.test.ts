import { NodeServices } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StdioClient from "@parley/platform/StdioClient"
import * as TransportContract from "@parley/testing/TransportContract"

TransportContract.suite(
  { describe, it },
  "The stdio carrier on Effect's spawner",
  TransportContract.stdioPeer((launch) => Effect.provide(StdioClient.make(launch), NodeServices.layer))
)
