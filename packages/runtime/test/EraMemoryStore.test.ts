// A memory on a KeyValueStore: on the file system, on Redis, on one that is down, and on one that holds anything.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import * as Medium from "@parley/core/Medium"
import * as Policy from "@parley/core/client/Policy"
import * as EraMemory from "@parley/runtime/EraMemory"
import * as EraMemoryStore from "@parley/runtime/EraMemoryStore"
import * as Redis from "@parley/testing/Redis"
import { Effect, FileSystem, Layer, Logger } from "effect"
import { KeyValueStore } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"

const server = () =>
  Peer.make(
    Medium.http,
    Peer.table({
      "server/discover": (turn) =>
        turn.result({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 60_000 })
    })
  )

const opened = (peer: Peer.Peer, memory: EraMemory.Shape, principal = "ann") =>
  Effect.scoped(
    EraMemory.negotiate({
      transport: peer.transport,
      client: Peer.client,
      policy: Policy.discoverFirst,
      memory,
      principal
    })
  )

const remembers = (make: Effect.Effect<EraMemory.Shape, never, never>) =>
  Effect.gen(function* () {
    const peer = server()
    yield* opened(peer, yield* make)
    const { agreement } = yield* opened(peer, yield* make)
    expect(agreement).toMatchObject({ era: "modern", capabilities: { tools: {} } })
    yield* opened(peer, yield* make, "bob")
    expect(peer.words()).toEqual(["server/discover", "server/discover"])
    yield* (yield* make).forget({ target: "link", principal: "ann" })
    yield* opened(peer, yield* make)
    expect(peer.words().length).toBe(3)
  })

describe("a memory on a store", () => {
  it.live("outlives the process on the file system", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const stored = Layer.provide(EraMemoryStore.layer(), KeyValueStore.layerFileSystem(folder))
      const make = EraMemory.EraMemory.pipe(Effect.provide(Layer.provide(stored, NodeServices.layer)), Effect.orDie)
      yield* remembers(make)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live.skipIf(!Redis.isInstalled())("is shared by whoever reaches the same Redis", () =>
    Effect.gen(function* () {
      const redis = yield* Redis.start
      const store = yield* Redis.store(redis.port)
      yield* remembers(Effect.sync(() => EraMemoryStore.make(store)))
      const keys = yield* store.keys
      expect(keys.length).toBe(2)
      expect(keys.join()).not.toMatch(/ann|bob|link/)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["no JSON", "{"],
    ["another shape", "[1]"],
    ["an era that is not the revision's", { era: "legacy", version: "2026-07-28", at: 0, probed: true }],
    ["no date", { era: "modern", version: "2026-07-28", at: "now" }],
    ["no revision", { era: "modern", version: "__proto__", at: 0 }],
    [
      "a DiscoverResult without capabilities",
      { era: "modern", version: "2026-07-28", at: 0, result: { ttlMs: 1e9, supportedVersions: ["2026-07-28"] } }
    ],
    [
      "a list of other things",
      { era: "modern", version: "2026-07-28", at: 0, result: { ttlMs: 1e9, supportedVersions: [1], capabilities: {} } }
    ],
    [
      "a megabyte",
      {
        era: "modern",
        version: "2026-07-28",
        at: 0,
        result: { ttlMs: 1e9, supportedVersions: ["2026-07-28"], capabilities: {}, x: "x".repeat(1_000_000) }
      }
    ]
  ] as const)("takes %s for no entry", ([, held]) =>
    Effect.gen(function* () {
      const store = yield* KeyValueStore.KeyValueStore
      const memory = EraMemoryStore.make({
        ...store,
        get: () => Effect.succeed(typeof held === "string" ? held : JSON.stringify(held))
      })
      const peer = server()
      yield* opened(peer, memory)
      expect(peer.words()).toEqual(["server/discover"])
    }).pipe(Effect.provide(KeyValueStore.layerMemory))
  )

  it.effect("that is down is no memory, said once for each way: nothing fails for its sake", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const store = yield* KeyValueStore.KeyValueStore
      const down = Effect.fail(new KeyValueStore.KeyValueStoreError({ method: "get", message: "down" }))
      let get: typeof store.get = () => down
      const memory = EraMemoryStore.make({ ...store, get: (key) => get(key), set: () => down })
      const logged = Logger.layer([Logger.make(({ logLevel, message }) => void lines.push([logLevel, message]))])
      yield* Effect.gen(function* () {
        const peer = server()
        yield* opened(peer, memory)
        yield* opened(peer, memory)
        expect(peer.words().length).toBe(2)
        expect(lines.length).toBe(2)
        get = store.get
        yield* opened(peer, memory)
        get = () => Effect.die("broken")
        yield* opened(peer, memory)
        expect(lines.length).toBe(3)
      }).pipe(Effect.provide(logged))
    }).pipe(Effect.provide(KeyValueStore.layerMemory))
  )

  it.effect("that does not answer is not waited for longer than it is allowed", () =>
    Effect.gen(function* () {
      const store = yield* KeyValueStore.KeyValueStore
      const memory = EraMemoryStore.make({ ...store, get: () => Effect.never, set: () => Effect.never }, { millis: 50 })
      const peer = server()
      const fiber = yield* Effect.forkChild(opened(peer, memory))
      // The digest of the key is a promise: it is waited for in real time, each wait in the clock's.
      while (fiber.pollUnsafe() === undefined) {
        yield* TestClock.adjust(50)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      expect(peer.words()).toEqual(["server/discover"])
    }).pipe(Effect.provide(KeyValueStore.layerMemory))
  )
})
