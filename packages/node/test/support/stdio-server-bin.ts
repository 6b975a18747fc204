// A server on its own standard streams, for the tests of the stdio carrier. Its one argument says what to serve, as JSON:
// `ServeOptions`, and `limits` and `deadlines` of the profile. A tool named `noisy` writes where it should not. With an IPC
// channel it tells how much memory it uses when it is asked. Run with scripts/register.mjs.
import * as Admission from "@parley/runtime/Admission"
import * as StdioServer from "@parley/node/StdioServer"
import * as TestServer from "@parley/testing/TestServer"
import * as Effect from "effect/Effect"

const { deadlines, limits, ...options } = JSON.parse(process.argv[2] ?? "{}")
const server = TestServer.make(
  { eras: ["legacy", "modern"], transport: "stdio", sessions: false, ...options },
  {
    limits,
    deadlines
  }
)

const handler: typeof server.handler = (request, context) => {
  if (request.params?.["name"] === "noisy") {
    console.log("said on the console")
    process.stdout.write("said on standard output\n")
  }
  return server.handler(request, context)
}

// Asking must not keep it alive.
process.on("message", () => {
  globalThis.gc?.()
  process.send?.({ heap: process.memoryUsage().heapUsed })
})
process.channel?.unref()

const why = await Effect.runPromise(
  Effect.scoped(
    Effect.flatMap(Admission.make(server.profile, handler, { listener: server.listener }), (admission) =>
      StdioServer.serve({ admission })
    )
  )
)
process.stderr.write(`served: ${why}\n`)
