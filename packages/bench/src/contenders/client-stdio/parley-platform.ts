// Parley over any ChildProcessSpawner of Effect's: here the one of platform-node.
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as StdioClient from "@parley/platform/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import * as Effect from "effect/Effect"
import { client } from "../../servers/Wire.ts"
import { policyOf } from "../client/policyOf.ts"
import type { Contender } from "./Starting.ts"

export const contender: Contender = {
  opener: (opening, launch) => (ready) =>
    StdioClient.make(launch).pipe(
      Effect.flatMap((transport) =>
        Connection.connect({ transport, policy: policyOf(opening), client: { info: client, capabilities: {} } })
      ),
      Effect.map(ready),
      Effect.scoped,
      Effect.provide(NodeServices.layer),
      Effect.runPromise
    )
}
