// A server on standard input and output. Nothing else may write to standard output: logs go to standard error.
import { StdioServer } from "@parley/node"
import { Admission } from "@parley/runtime"
import { Effect, Logger } from "effect"
import { handler, profile } from "./clock.ts"

const main = Effect.gen(function* () {
  const admission = yield* Admission.make(profile, handler)
  yield* StdioServer.serve({ admission })
}).pipe(Effect.scoped, Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])))

await Effect.runPromise(main)
