// A real Redis for tests and long runs: the Debian package's server on a free port, kept in memory alone, and Effect's
// KeyValueStore on it. What is stored is not known here.
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Resp from "./Resp.ts"

/** The server did not start. */
export class RedisFailure extends Data.TaggedError("RedisFailure")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

export interface Redis {
  readonly port: number
  /** Ends the server at once, as a power cut does, and starts it again on the same port with what it had written. */
  readonly restart: (downMillis: number) => Effect.Effect<void, RedisFailure>
  /** Ends the server. */
  readonly stop: Effect.Effect<void>
}

/** Whether there is a `redis-server` on the path. */
export const isInstalled = (): boolean => spawnSync("redis-server", ["--version"]).status === 0

/** Starts a server that the scope ends. It writes each change to a file of its own, so that a restart loses nothing. */
export const start: Effect.Effect<Redis, RedisFailure, Scope.Scope> = Effect.gen(function* () {
  const port = yield* freePort
  const folder = mkdtempSync(join(tmpdir(), "parley-redis-"))
  let child = launch(port, folder)
  const stop = Effect.suspend(() => ended(child))
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      stop,
      Effect.sync(() => rmSync(folder, { recursive: true }))
    )
  )
  yield* ready(port)
  return {
    port,
    stop,
    restart: (downMillis) =>
      stop.pipe(
        Effect.andThen(Effect.sleep(downMillis)),
        Effect.andThen(
          Effect.suspend(() => {
            child = launch(port, folder)
            return ready(port)
          })
        )
      )
  }
})

/** Returns a KeyValueStore on the server. With `ttlMillis` what is not written again for so long is forgotten by Redis. */
export const store = (
  port: number,
  options?: { readonly ttlMillis?: number }
): Effect.Effect<KeyValueStore.KeyValueStore, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Resp.make(port)),
      (client) => Effect.sync(() => client.close())
    ),
    (client) => {
      const ask = (method: string, ...parts: ReadonlyArray<string>) =>
        Effect.tryPromise({
          try: () => client.send(...parts),
          catch: (cause) => new KeyValueStore.KeyValueStoreError({ method, message: "Redis failed.", cause })
        })
      const ttl = options?.ttlMillis === undefined ? [] : ["PX", String(options.ttlMillis)]
      return KeyValueStore.makeStringOnly({
        get: (key) => Effect.map(ask("get", "GET", key), (reply) => (typeof reply === "string" ? reply : undefined)),
        set: (key, value) => Effect.asVoid(ask("set", "SET", key, value, ...ttl)),
        remove: (key) => Effect.asVoid(ask("remove", "DEL", key)),
        clear: Effect.asVoid(ask("clear", "FLUSHDB")),
        size: Effect.map(ask("size", "DBSIZE"), Number),
        keys: Effect.map(ask("keys", "KEYS", "*"), (reply) => (Array.isArray(reply) ? reply.map(String) : []))
      })
    }
  )

const launch = (port: number, folder: string): ChildProcess =>
  spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--save", ""],
    { stdio: "ignore" }
  )

const ended = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resume(Effect.void)
    child.once("close", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

// Asked until it answers; a server that loads its file says so by an error.
const ready = (port: number): Effect.Effect<void, RedisFailure> =>
  Effect.tryPromise({
    try: async () => {
      const client = Resp.make(port)
      try {
        await client.send("GET", "ready")
      } finally {
        client.close()
      }
    },
    catch: () => new RedisFailure({ reason: "redis-server did not answer within 10 s." })
  }).pipe(Effect.retry({ times: 200, schedule: Schedule.spaced("50 millis") }))

const freePort: Effect.Effect<number, RedisFailure> = Effect.callback((resume) => {
  const server = createServer()
  server.once("error", (error) => resume(Effect.fail(new RedisFailure({ reason: error.message }))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
