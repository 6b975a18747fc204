// A dual-era server inside an Express 5 application, beside its other routes and behind its JSON parser.
import { NodeRuntime } from "@effect/platform-node"
import { HttpServer } from "@parley/node"
import { Admission } from "@parley/runtime"
import { Console, Effect } from "effect"
import express from "express"
import type { Server } from "node:http"
import { handler, profile } from "./clock.ts"

const listen = (app: express.Express, port: number) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = app.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

const main = Effect.gen(function* () {
  const admission = yield* Admission.make(profile, handler)
  const app = express()
  app.use(express.json({ limit: "1mb" }))
  app.get("/health", (_request, response) => void response.json({ ok: true }))
  app.all("/mcp", HttpServer.listener(admission))

  const server = yield* listen(app, Number(process.env["PORT"] ?? 3000))
  yield* Effect.addFinalizer(() => admission.stop)
  const address = server.address()
  const port = typeof address === "object" ? address?.port : address
  yield* Console.log(`Listening at http://127.0.0.1:${port}/mcp`)
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(main))
