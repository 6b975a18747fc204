// A server on four nodes: four processes at one port keep their legacy sessions in one Redis, so that each serves what another
// opened. Needs a Redis at REDIS_URL (redis://127.0.0.1:6379). The first process starts the nodes, and a client to show it.
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { HttpClient, HttpServer } from "@parley/node"
import { Admission, Connection } from "@parley/runtime"
import * as SharedSessions from "@parley/runtime/SharedSessions"
import { Console, Effect, Layer } from "effect"
import { KeyValueStore, Redis } from "effect/persistence"
import cluster from "node:cluster"
import { once } from "node:events"
import { profile } from "./clock.ts"

// As much of Redis as a KeyValueStore of Effect is.
const Store = Layer.effect(
  KeyValueStore.KeyValueStore,
  Redis.Redis.useSync(({ send }) => {
    const ask = <A>(method: string, ...parts: ReadonlyArray<string>) =>
      send<A>(method, ...parts).pipe(
        Effect.mapError((cause) => new KeyValueStore.KeyValueStoreError({ method, message: "Redis failed.", cause }))
      )
    return KeyValueStore.makeStringOnly({
      get: (key) => Effect.map(ask<string | null>("GET", key), (value) => value ?? undefined),
      set: (key, value) => ask("SET", key, value),
      remove: (key) => ask("DEL", key),
      clear: Effect.asVoid(ask("FLUSHDB")),
      size: ask<number>("DBSIZE"),
      keys: ask<Array<string>>("KEYS", "*")
    })
  })
).pipe(Layer.provide(NodeRedis.layer({ url: process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379" })))

const node = Effect.gen(function* () {
  const admission = yield* Admission.make(profile, () => Effect.succeed({ content: [], process: process.pid }))
  yield* HttpServer.serve({ admission, port: Number(process.env["PORT"] ?? 3000) })
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.provide(Layer.provide(SharedSessions.layer(), Store)))

const fork = Effect.acquireRelease(
  Effect.sync(() => cluster.fork()),
  (worker) => Effect.sync(() => worker.process.kill())
)

const client = Effect.gen(function* () {
  const workers = yield* Effect.all([fork, fork, fork, fork])
  const [first] = yield* Effect.promise(() => Promise.all(workers.map((worker) => once(worker, "listening"))))
  const { agreement, request } = yield* Connection.connect({
    transport: HttpClient.make({ url: `http://127.0.0.1:${first?.[0].port}/mcp` }),
    client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} }
  })
  const answers = yield* Effect.replicateEffect(request("tools/call"), 20, { concurrency: "unbounded" })
  const { size } = new Set(answers.map((answer) => JSON.stringify(answer)))
  yield* Console.log(`${agreement.version}: one session, ${answers.length} calls, ${size} processes`)
}).pipe(Effect.scoped)

if (cluster.isPrimary) NodeRuntime.runMain(client)
else NodeRuntime.runMain(node)

// prints 2025-11-25: one session, 20 calls, 4 processes
