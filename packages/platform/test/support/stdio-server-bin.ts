// A server on standard input and output, as a process of its own: `{ serve, openingMillis }` as JSON in its first argument.
// Many tests start it, so that it loads no more than it needs.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as StdioServer from "@parley/platform/StdioServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import * as Example from "./Example.ts"

const { openingMillis = 30_000, serve } = JSON.parse(process.argv[2] ?? "{}")

Effect.gen(function* () {
  const admission = yield* Example.admission(serve, { profile: { deadlines: { openingMillis } } })
  const why = yield* StdioServer.serve({ admission })
  process.stderr.write(`closed: ${why}\n`)
}).pipe(
  Effect.scoped,
  Effect.provide(Layer.merge(NodeStdio.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))),
  NodeRuntime.runMain({ teardown: (exit) => Runtime.defaultTeardown(exit, process.exit) })
)
