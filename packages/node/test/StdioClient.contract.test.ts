import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StdioClient from "@parley/node/StdioClient"
import * as TransportContract from "@parley/testing/TransportContract"

TransportContract.suite(
  { describe, it },
  "The stdio carrier on bare Node",
  TransportContract.stdioPeer((launch) => Effect.succeed(StdioClient.make(launch)))
)
