// Parley over its own carrier on node:child_process.
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import * as Effect from "effect/Effect"
import { client } from "../../servers/Wire.ts"
import { policyOf } from "../client/policyOf.ts"
import type { Contender } from "./Starting.ts"

export const contender: Contender = {
  opener: (opening, launch) => (ready) =>
    Connection.connect({
      transport: StdioClient.make(launch),
      policy: policyOf(opening),
      client: { info: client, capabilities: {} }
    }).pipe(Effect.map(ready), Effect.scoped, Effect.runPromise)
}
