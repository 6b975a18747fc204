// An HTTP server in a process of its own, for hostile clients. Its one argument says what to serve, as JSON:
// `{ options: ServeOptions, changes: Profile.Options, serve: ServeOptions of HttpServer }`. Over IPC it tells its URL, and
// when it is asked how it is. Run with scripts/register.mjs and --expose-gc.
import * as Admission from "@parley/runtime/Admission"
import * as HttpServer from "@parley/node/HttpServer"
import * as TestServer from "@parley/testing/TestServer"
import * as Effect from "effect/Effect"

const { changes, options, serve } = JSON.parse(process.argv[2] ?? "{}")
const test = TestServer.make({ eras: ["legacy", "modern"], transport: "http", sessions: true, ...options }, changes)
let doors = 0

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const admission = yield* Admission.make(test.profile, test.handler, {
        listener: (door) =>
          Effect.acquireUseRelease(
            Effect.sync(() => (doors += 1)),
            () => test.listener(door),
            () => Effect.sync(() => (doors -= 1))
          )
      })
      const { server, url } = yield* HttpServer.serve({ admission, ...serve })
      process.on("message", () => {
        globalThis.gc?.()
        server.getConnections((_, connections) => {
          const { heapUsed, external, rss } = process.memoryUsage()
          process.send?.({
            heap: heapUsed + external,
            rss,
            connections,
            doors,
            pollution: [...Object.keys(Object.prototype), ...Object.keys(Array.prototype)]
          })
        })
      })
      process.send?.({ url })
      yield* Effect.callback<void>((resume) => {
        process.on("disconnect", () => resume(Effect.void))
      })
    })
  )
)
