import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { AdmissionError } from "@parley/core/Errors"
import * as Admission from "@parley/runtime/Admission"
import type { Found, SessionRecord } from "@parley/runtime/SessionStore"
import { memory, SessionStore, StoreUnavailable } from "@parley/runtime/SessionStore"
import * as Fake from "./Fake.ts"

const quick = () => Effect.succeed({})
const statusOf = (admission: Admission.Admission, session: string, principal?: string) =>
  Fake.send(admission, Fake.legacy(1), { session, ...(principal === undefined ? undefined : { principal }) }).status

describe("legacy HTTP sessions", () => {
  it.effect("begin with each initialize, under an id that nobody can guess", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick)
      const ids = Array.from({ length: 100 }, () => Fake.openSession(admission))
      expect(new Set(ids).size).toBe(100)
      for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{24}$/)
      expect(ids.map((id) => statusOf(admission, id))).toEqual(ids.map(() => 200))
    })
  )

  it.effect("do not begin with an initialize that fails", () =>
    Effect.gen(function* () {
      const store = memory()
      const admission = yield* Admission.make(Fake.dual, quick).pipe(Effect.provideService(SessionStore, store))
      const bad = { ...Fake.initialize(1), params: { capabilities: {}, clientInfo: Fake.client.info } }
      const response = Fake.send(admission, bad)
      expect([response.status, response.message.error.code, response.headers["mcp-session-id"]]).toEqual([
        200,
        -32602,
        undefined
      ])
      expect(Fake.send(admission, { ...Fake.initialize(1), id: null }).status).toBe(400)
      if (store._tag === "Immediate") expect(store.store.size()).toBe(0)
    })
  )

  it.effect("end by DELETE, and are answered 404 from then on", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick)
      const session = Fake.openSession(admission)
      const other = Fake.openSession(admission)
      const deleted = Fake.send(admission, undefined, { method: "DELETE", session })
      expect([deleted.status, deleted.body]).toEqual([204, undefined])
      expect(statusOf(admission, session)).toBe(404)
      expect(Fake.send(admission, undefined, { method: "DELETE", session }).status).toBe(404)
      expect(statusOf(admission, other)).toBe(200)
    })
  )

  it.effect("answer what was being served when they were deleted", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const admission = yield* Admission.make(Fake.dual, () => Effect.as(Deferred.await(gate), { late: true }))
      const session = Fake.openSession(admission)
      const response = Fake.send(admission, Fake.legacy(1), { session })
      Fake.send(admission, undefined, { method: "DELETE", session })
      yield* Deferred.succeed(gate, undefined)
      yield* response.complete
      expect(response.message.result.late).toBe(true)
    })
  )

  it.effect("belong to the principal that opened them", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick)
      const hers = Fake.openSession(admission, { principal: "ada" })
      const nobodys = Fake.openSession(admission)
      expect(statusOf(admission, hers, "ada")).toBe(200)
      expect(statusOf(admission, hers, "eve")).toBe(404)
      expect(statusOf(admission, hers)).toBe(404)
      expect(statusOf(admission, nobodys, "eve")).toBe(404)
      expect(Fake.send(admission, undefined, { method: "DELETE", session: hers, principal: "eve" }).status).toBe(404)
      const again = Fake.send(admission, Fake.initialize(2), { session: hers, principal: "eve" })
      expect(again.status).toBe(200)
      expect(again.headers["mcp-session-id"]).not.toBe(hers)
      expect(statusOf(admission, hers, "ada")).toBe(200)
    })
  )

  it.effect("refuse a second initialize, and open a new session for an unknown id", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick)
      const session = Fake.openSession(admission)
      const repeated = Fake.send(admission, Fake.initialize(2), { session })
      expect([repeated.status, repeated.message.error.code]).toEqual([400, -32600])
      const renewed = Fake.send(admission, Fake.initialize(3), { session: "gone" })
      expect(renewed.message.result.protocolVersion).toBe("2025-11-25")
      expect(statusOf(admission, String(renewed.headers["mcp-session-id"]))).toBe(200)
    })
  )

  it.effect("end when idle too long, and say so to the hook", () =>
    Effect.gen(function* () {
      const errors: Array<AdmissionError> = []
      const admission = yield* Admission.make(Fake.dual, quick, {
        onRefused: (error) => Effect.sync(() => errors.push(error))
      })
      const session = Fake.openSession(admission)
      yield* TestClock.adjust("29 minutes")
      expect(statusOf(admission, session)).toBe(200)
      yield* TestClock.adjust("29 minutes")
      expect(statusOf(admission, session)).toBe(200)
      yield* TestClock.adjust("30 minutes")
      expect(statusOf(admission, session)).toBe(404)
      expect(errors.map(({ reason }) => reason)).toMatchObject([
        { _tag: "Timeout", phase: "idle", waitedMillis: 30 * 60_000 },
        { _tag: "SessionUnknown", problem: "unknown" }
      ])
    })
  )

  it.effect("end within the opening deadline when the handshake is not completed and nothing is asked", () =>
    Effect.gen(function* () {
      const errors: Array<AdmissionError> = []
      const admission = yield* Admission.make(Fake.dual, quick, {
        onRefused: (error) => Effect.sync(() => errors.push(error))
      })
      const open = () => String(Fake.send(admission, Fake.initialize(1)).headers["mcp-session-id"])
      const silent = open()
      const asking = open()
      expect(statusOf(admission, asking)).toBe(200)
      yield* TestClock.adjust("31 seconds")
      expect(statusOf(admission, silent)).toBe(404)
      expect(statusOf(admission, asking)).toBe(200)
      expect(errors[0]?.reason).toMatchObject({ _tag: "Timeout", phase: "initialized" })
    })
  )

  it.effect("are not idle while an answer is outstanding", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const admission = yield* Admission.make(Fake.dual, ({ id }) =>
        id === "slow" ? Effect.as(Deferred.await(gate), {}) : Effect.succeed({})
      )
      const session = Fake.openSession(admission)
      const slow = Fake.send(admission, Fake.legacy("slow"), { session })
      yield* TestClock.adjust("3 hours")
      expect(statusOf(admission, session)).toBe(200)
      yield* TestClock.adjust("3 hours")
      yield* Deferred.succeed(gate, undefined)
      yield* slow.complete
      yield* TestClock.adjust("29 minutes")
      expect(statusOf(admission, session)).toBe(200)
    })
  )

  it.effect("that nobody came back to are forgotten when others open, and told to the hook", () =>
    Effect.gen(function* () {
      const store = memory()
      const errors: Array<AdmissionError> = []
      const admission = yield* Admission.make(Fake.dual, quick, {
        onRefused: (error) => Effect.sync(() => errors.push(error))
      }).pipe(Effect.provideService(SessionStore, store))
      Array.from({ length: 20 }, () => Fake.openSession(admission))
      Fake.send(admission, Fake.initialize("half"))
      yield* TestClock.adjust("31 minutes")
      Fake.openSession(admission)
      if (store._tag === "Immediate") expect(store.store.size()).toBe(1)
      expect(errors.filter(({ reason }) => reason._tag === "Timeout" && reason.phase === "idle")).toHaveLength(20)
      expect(errors.filter(({ reason }) => reason._tag === "Timeout" && reason.phase === "initialized")).toHaveLength(1)
    })
  )

  it.effect("are bounded: the one idle for the longest time makes room, half-open ones first", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick).pipe(
        Effect.provideService(SessionStore, memory({ capacity: 3 }))
      )
      const [first = "", second = ""] = [Fake.openSession(admission), Fake.openSession(admission)]
      const half = String(Fake.send(admission, Fake.initialize(1)).headers["mcp-session-id"])
      expect(statusOf(admission, first)).toBe(200)
      const third = Fake.openSession(admission)
      expect(statusOf(admission, half)).toBe(404)
      const fourth = Fake.openSession(admission)
      expect(statusOf(admission, second)).toBe(404)
      expect([first, third, fourth].map((id) => statusOf(admission, id))).toEqual([200, 200, 200])
    })
  )

  it.effect("are never evicted while something is under way in them: then an opening is told 503", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const admission = yield* Admission.make(Fake.dual, () => Effect.as(Deferred.await(gate), {})).pipe(
        Effect.provideService(SessionStore, memory({ capacity: 1 }))
      )
      const session = Fake.openSession(admission)
      const busy = Fake.send(admission, Fake.legacy(1), { session })
      const full = Fake.send(admission, Fake.initialize(7))
      expect([full.status, full.message.id, full.message.error.code, full.headers["retry-after"]]).toEqual([
        503,
        7,
        -32603,
        "2"
      ])
      yield* Deferred.succeed(gate, undefined)
      yield* busy.complete
      expect(busy.status).toBe(200)
      expect(Fake.send(admission, Fake.initialize(8)).status).toBe(200)
    })
  )

  it.effect("survive ten thousand other openings while they are worked in", () =>
    Effect.gen(function* () {
      const store = memory()
      const admission = yield* Admission.make(Fake.dual, quick).pipe(Effect.provideService(SessionStore, store))
      const session = Fake.openSession(admission)
      for (let opening = 0; opening < 20_000; opening++) Fake.send(admission, Fake.initialize(opening))
      expect(statusOf(admission, session)).toBe(200)
      if (store._tag === "Immediate") expect(store.store.size()).toBe(10_000)
    })
  )

  it.effect("need no store for a modern request: one that is down is not asked", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick).pipe(Effect.provideService(SessionStore, broken))
      expect(Fake.send(admission, Fake.stamped(1), { session: "x" }).status).toBe(200)
      const legacy = Fake.send(admission, Fake.legacy(2), { session: "x" })
      expect([legacy.status, legacy.message.id, legacy.message.error.code, legacy.headers["retry-after"]]).toEqual([
        503,
        2,
        -32603,
        "2"
      ])
      expect(Fake.send(admission, Fake.initialize(3)).status).toBe(503)
      expect(Fake.send(admission, undefined, { method: "DELETE", session: "x" }).status).toBe(503)
      expect(legacy.message.error.data.parley).toMatchObject({ rung: "store", remedy: "waitAndRetry" })
    })
  )
})

const down = Effect.fail(new StoreUnavailable({ why: "unreachable" }))
const broken = {
  _tag: "Deferred",
  store: { create: () => down, use: () => Effect.die("lost its mind"), update: () => down, remove: () => down }
} as const

// A store elsewhere: each operation takes 5 ms, and nothing is shared but JSON.
const elsewhere = () => {
  const kept = new Map<string, { json: string; usedAt: number }>()
  const later = <A>(operation: (now: number) => A) =>
    Effect.sleep("5 millis").pipe(
      Effect.andThen(Effect.clockWith((clock) => Effect.sync(() => operation(clock.currentTimeMillisUnsafe()))))
    )
  const write = (id: string, record: SessionRecord) =>
    later((usedAt) => void kept.set(id, { json: JSON.stringify(record), usedAt }))
  return {
    kept,
    layer: {
      _tag: "Deferred",
      store: {
        create: write,
        update: write,
        use: (id: string) =>
          later((now): Found | undefined => {
            const entry = kept.get(id)
            if (entry === undefined) return undefined
            const idleMillis = now - entry.usedAt
            entry.usedAt = now
            return { record: JSON.parse(entry.json), idleMillis }
          }),
        remove: (id: string) => later(() => void kept.delete(id))
      }
    } as const
  }
}

const settle = TestClock.adjust("50 millis")

describe("a session store that takes time", () => {
  it.effect("gives the same answers, once it has answered", () =>
    Effect.gen(function* () {
      const { kept, layer } = elsewhere()
      const admission = yield* Admission.make(Fake.dual, (_, { sessionId, version }) =>
        Effect.succeed({ sessionId, version })
      ).pipe(Effect.provideService(SessionStore, layer))
      const opened = Fake.send(admission, Fake.initialize(1, "2025-06-18"))
      expect([opened.ended, opened.inFlight === undefined]).toEqual([false, false])
      yield* settle
      const session = String(opened.headers["mcp-session-id"])
      expect(kept.size).toBe(1)
      const initialized = Fake.send(admission, Fake.initialized, { session })
      yield* settle
      expect(initialized.status).toBe(202)
      expect(JSON.parse(kept.get(session)?.json ?? "")).toMatchObject({ version: "2025-06-18", initialized: true })
      const served = Fake.send(admission, Fake.legacy(2), { session })
      yield* settle
      expect(served.message.result).toEqual({ sessionId: session, version: "2025-06-18" })
      const unknown = Fake.send(admission, Fake.legacy(3), { session: "nobody" })
      const deleted = Fake.send(admission, undefined, { method: "DELETE", session })
      yield* settle
      expect([unknown.status, deleted.status, kept.size]).toEqual([404, 204, 0])
    })
  )

  it.effect("lets any node go on with a session that another opened, until its deadline", () =>
    Effect.gen(function* () {
      const { layer } = elsewhere()
      const node = Admission.make(Fake.dual, (_, { client }) => Effect.succeed({ client })).pipe(
        Effect.provideService(SessionStore, layer)
      )
      const [first, second] = [yield* node, yield* node]
      const opened = Fake.send(first, Fake.initialize(1))
      yield* settle
      const session = String(opened.headers["mcp-session-id"])
      Fake.send(second, Fake.initialized, { session })
      yield* settle
      const served = Fake.send(first, Fake.legacy(2), { session })
      yield* settle
      expect(served.message.result.client).toEqual(Fake.client)
      yield* TestClock.adjust("31 minutes")
      const late = Fake.send(second, Fake.legacy(3), { session })
      yield* settle
      expect(late.status).toBe(404)
    })
  )

  it.effect("opens no stream for a client that has gone meanwhile", () =>
    Effect.gen(function* () {
      const { layer } = elsewhere()
      let listening = 0
      const admission = yield* Admission.make(Fake.dual, quick, {
        listener: () =>
          Effect.andThen(
            Effect.sync(() => void (listening += 1)),
            Effect.never
          )
      }).pipe(Effect.provideService(SessionStore, layer))
      const opened = Fake.send(admission, Fake.initialize(1))
      yield* settle
      const session = String(opened.headers["mcp-session-id"])
      const gone = Fake.send(admission, undefined, { method: "GET", session })
      gone.inFlight?.gone()
      yield* settle
      expect([listening, gone.writes]).toEqual([0, 0])
      Fake.send(admission, undefined, { method: "GET", session })
      yield* settle
      expect(listening).toBe(1)
    })
  )
})
