// Two servers that share their legacy sessions, as behind a load balancer: one opens a session, the other serves it. The
// store is any KeyValueStore of Effect; in memory here, on Redis or in a database where there are more processes.
import { HttpServer } from "@parley/node"
import { Admission, SessionStore } from "@parley/runtime"
import * as SharedSessions from "@parley/runtime/SharedSessions"
import { Console, Effect } from "effect"
import { KeyValueStore } from "effect/persistence"
import { handler, profile } from "./clock.ts"

const post = (url: string, message: object, session?: string) =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === undefined ? undefined : { "mcp-session-id": session })
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message })
    })
  )

const program = Effect.gen(function* () {
  const store = yield* SharedSessions.make(yield* KeyValueStore.KeyValueStore)
  const node = Admission.make(profile, handler).pipe(
    Effect.provideService(SessionStore.SessionStore, store),
    Effect.flatMap((admission) => HttpServer.serve({ admission }))
  )
  const [first, second] = [yield* node, yield* node]

  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "my-app", version: "1.0.0" } }
  const opened = yield* post(first.url, { id: 1, method: "initialize", params })
  const session = opened.headers.get("mcp-session-id") ?? ""
  yield* post(second.url, { method: "notifications/initialized" }, session)
  const listed = yield* post(second.url, { id: 2, method: "tools/list" }, session)
  yield* Console.log(`the other node answers ${listed.status}: ${yield* Effect.promise(() => listed.text())}`)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(KeyValueStore.layerMemory)))

// prints the other node answers 200
