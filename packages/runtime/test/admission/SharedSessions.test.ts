// Sessions on a KeyValueStore that several servers share: whatever one does with a session holds at every other.
import { describe, expect, it } from "@effect/vitest"
import * as Admission from "@parley/runtime/Admission"
import type { Handler } from "@parley/runtime/Handler"
import { SessionStore } from "@parley/runtime/SessionStore"
import * as SharedSessions from "@parley/runtime/SharedSessions"
import { Effect } from "effect"
import { KeyValueStore } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as Fake from "./Fake.ts"

interface Given {
  readonly store?: Partial<KeyValueStore.KeyValueStore>
  readonly options?: SharedSessions.Options
}

/** Two servers on one store. */
const nodes = ({ options, store }: Given = {}) =>
  Effect.gen(function* () {
    const kvs = { ...(yield* KeyValueStore.KeyValueStore), ...store }
    const node = Effect.gen(function* () {
      const shared = yield* SharedSessions.make(kvs, options)
      const handler: Handler = (_, { principal, sessionId }) => Effect.succeed({ principal, sessionId })
      return yield* Admission.make(Fake.dual, handler).pipe(Effect.provideService(SessionStore, shared))
    })
    return { a: yield* node, b: yield* node, kvs }
  })

const opened = (admission: Admission.Admission, options: Fake.SendOptions = {}) =>
  Effect.gen(function* () {
    const { headers } = yield* Fake.send(admission, Fake.initialize("open"), options).complete
    const session = String(headers["mcp-session-id"])
    yield* Fake.send(admission, Fake.initialized, { ...options, session }).complete
    return session
  })

const status = (admission: Admission.Admission, session: string, options: Fake.SendOptions = {}) =>
  Effect.map(Fake.send(admission, Fake.legacy(1), { session, ...options }).complete, (response) => response.status)

const inMemory = Effect.provide(KeyValueStore.layerMemory)

describe("a session that is shared", () => {
  it.effect("opened at one server is admitted at another", () =>
    Effect.gen(function* () {
      const { a, b } = yield* nodes()
      const session = yield* opened(a)
      const { message } = yield* Fake.send(b, Fake.legacy(7), { session }).complete
      expect(message).toMatchObject({ id: 7, result: { sessionId: session } })
      const again = yield* Fake.send(b, Fake.initialize(8), { session }).complete
      expect([again.status, again.message.error.code]).toEqual([400, -32600])
    }).pipe(inMemory)
  )

  it.effect("ended at one server has ended at every other", () =>
    Effect.gen(function* () {
      const { a, b, kvs } = yield* nodes()
      const session = yield* opened(a)
      const deleted = yield* Fake.send(b, undefined, { method: "DELETE", session }).complete
      expect(deleted.status).toBe(204)
      expect(yield* status(a, session)).toBe(404)
      expect(yield* kvs.keys).toEqual([])
    }).pipe(inMemory)
  )

  it.effect("is not brought back by a server that used it while it ended", () =>
    Effect.gen(function* () {
      const kvs = yield* KeyValueStore.KeyValueStore
      const shared = yield* SharedSessions.make(kvs)
      if (shared._tag !== "Deferred") return expect(shared._tag).toBe("Deferred")
      const { store } = shared
      const { a } = yield* nodes()
      const session = yield* opened(a)
      yield* TestClock.adjust(5_000)
      const found = yield* store.use(session)
      yield* store.remove(session)
      if (found !== undefined) yield* store.update(session, { ...found.record, logLevel: "error" })
      expect(found?.idleMillis).toBe(5_000)
      expect(yield* store.use(session)).toBeUndefined()
      expect(yield* status(a, session)).toBe(404)
    }).pipe(inMemory)
  )

  it.effect("belongs to its principal at every server", () =>
    Effect.gen(function* () {
      const { a, b } = yield* nodes()
      const session = yield* opened(a, { principal: "ada" })
      expect(yield* status(b, session, { principal: "ada" })).toBe(200)
      expect(yield* status(b, session, { principal: "eve" })).toBe(404)
      expect(yield* status(b, session)).toBe(404)
      expect(yield* status(a, session, { principal: "ada" })).toBe(200)
    }).pipe(inMemory)
  )

  it.effect("expires where nobody uses it, wherever it is used", () =>
    Effect.gen(function* () {
      const { a, b } = yield* nodes({ options: { sweepMillis: Infinity } })
      const session = yield* opened(a)
      const opening = yield* Fake.send(a, Fake.initialize("open")).complete
      for (const admission of [b, a, b]) {
        yield* TestClock.adjust("29 minutes")
        expect(yield* status(admission, session)).toBe(200)
      }
      expect(yield* status(b, String(opening.headers["mcp-session-id"]))).toBe(404)
      yield* TestClock.adjust("30 minutes")
      expect(yield* status(a, session)).toBe(404)
    }).pipe(inMemory)
  )

  it.effect("is swept out of the store when nobody asks for it any more", () =>
    Effect.gen(function* () {
      const { a, kvs } = yield* nodes()
      yield* kvs.set("somebody else's", "x")
      const session = yield* opened(a)
      yield* Fake.send(a, Fake.initialize("open")).complete
      yield* TestClock.adjust("10 minutes")
      expect((yield* kvs.keys).filter((key) => key.includes(session)).length).toBe(3)
      expect(yield* kvs.size).toBe(4)
      yield* TestClock.adjust("1 hour")
      expect(yield* kvs.keys).toEqual(["somebody else's"])
    }).pipe(inMemory)
  )
})

describe("a store of sessions", () => {
  it.effect("that is down is a 503 with Retry-After and -32603, and nothing is lost when it is back", () =>
    Effect.gen(function* () {
      let isDown = false
      const memory = yield* KeyValueStore.KeyValueStore
      const down = Effect.fail(new KeyValueStore.KeyValueStoreError({ method: "get", message: "down" }))
      const { a, b } = yield* nodes({
        store: {
          get: (key) => (isDown ? down : memory.get(key)),
          set: (key, value) => (isDown ? down : memory.set(key, value))
        }
      })
      const session = yield* opened(a)
      isDown = true
      for (const message of [Fake.legacy(7), Fake.initialize(7)]) {
        const options = message["method"] === "initialize" ? {} : { session }
        const refused = yield* Fake.send(b, message, options).complete
        expect([refused.status, refused.message.id, refused.message.error.code]).toEqual([503, 7, -32603])
        expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
        expect(refused.headers["mcp-session-id"]).toBeUndefined()
      }
      // Whoever needs no session is served meanwhile.
      expect((yield* Fake.send(b, Fake.stamped(1)).complete).status).toBe(200)
      isDown = false
      expect(yield* status(b, session)).toBe(200)
    }).pipe(inMemory)
  )

  it.effect("that is full says 503, and takes sessions again when there is room", () =>
    Effect.gen(function* () {
      const { a } = yield* nodes({ options: { capacity: 2 } })
      const session = yield* opened(a)
      yield* opened(a)
      yield* TestClock.adjust(1_000)
      expect((yield* Fake.send(a, Fake.initialize(1)).complete).status).toBe(503)
      expect(yield* status(a, session)).toBe(200)
      yield* Fake.send(a, undefined, { method: "DELETE", session }).complete
      yield* TestClock.adjust(1_000)
      expect((yield* Fake.send(a, Fake.initialize(1)).complete).status).toBe(200)
    }).pipe(inMemory)
  )

  it.effect.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no client", { version: "2025-11-25", createdAt: 0 }],
    ["another principal's shape", { version: "2025-11-25", createdAt: 0, principal: 1, client: { capabilities: {} } }],
    ["no date", { version: "2025-11-25", createdAt: null, client: { capabilities: {} } }]
  ] as const)("that holds %s for a session does not know it", ([, held]) =>
    Effect.gen(function* () {
      const { a, kvs } = yield* nodes()
      const session = yield* opened(a)
      yield* kvs.set(`parley-session-${session}r`, typeof held === "string" ? held : JSON.stringify(held))
      expect(yield* status(a, session)).toBe(404)
    }).pipe(inMemory)
  )

  it.effect("is not asked for what can be no id", () =>
    Effect.gen(function* () {
      let asked = 0
      const memory = yield* KeyValueStore.KeyValueStore
      const { a } = yield* nodes({ store: { get: (key) => ((asked += 1), memory.get(key)) } })
      for (const session of ["x", "../../../../etc/passwd-----", "y".repeat(5_000)]) {
        expect(yield* status(a, session)).toBe(404)
      }
      expect(asked).toBe(0)
    }).pipe(inMemory)
  )
})
