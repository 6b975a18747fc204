import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { AdmissionError } from "@parley/core/Errors"
import * as Profile from "@parley/core/server/Profile"
import * as Admission from "@parley/runtime/Admission"
import * as Fake from "./Fake.ts"

const quick = () => Effect.succeed({})
const slow = Admission.make(Fake.dual, ({ id }) =>
  String(id).startsWith("slow") ? Effect.never : Effect.succeed({ id })
)

describe("Admission, on a pipe", () => {
  it.effect("serves both eras side by side, and the probe locks nothing", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, (_, { era, version }) => Effect.succeed({ era, version }))
      const pipe = new Fake.Pipe(admission).send(
        Fake.stamped(0, "server/discover"),
        Fake.initialize(1, "2025-06-18"),
        Fake.initialized,
        Fake.legacy(2),
        Fake.stamped(3),
        Fake.legacy(4, "ping")
      )
      expect(pipe.lines).toMatchObject([
        { id: 0, result: { supportedVersions: expect.arrayContaining([Fake.modern]) } },
        { id: 1, result: { protocolVersion: "2025-06-18" } },
        { id: 2, result: { era: "legacy", version: "2025-06-18" } },
        { id: 3, result: { era: "modern", version: Fake.modern, resultType: "complete" } },
        { id: 4, result: {} }
      ])
      expect(pipe.lines).toHaveLength(5)
    })
  )

  it.effect("answers bad lines and reads the next one", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick)
      const pipe = new Fake.Pipe(admission).send(
        "{",
        "7",
        Fake.legacy(1),
        { ...Fake.initialize(2), id: null },
        Fake.initialize(3)
      )
      pipe.connection.receive({ _tag: "Overlong", head: "x", limitBytes: 10 })
      expect(pipe.lines.map(({ id, error }) => [id, error?.code])).toEqual([
        [undefined, -32700],
        [undefined, -32600],
        [1, -32600],
        [undefined, -32600],
        [3, undefined],
        [undefined, -32600]
      ])
    })
  )

  it.effect("answers a batch on one line at 2025-03-26", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick)
      const pipe = new Fake.Pipe(admission).send(Fake.initialize(0, "2025-03-26"), [
        Fake.initialized,
        Fake.legacy(1),
        Fake.legacy(2, "ping")
      ])
      expect(pipe.lines[1].map(({ id }: any) => id)).toEqual([1, 2])
      pipe.send([Fake.initialized])
      expect(pipe.lines).toHaveLength(2)
    })
  )

  it.effect("cancels a request by its id, in either era, and writes nothing for it", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const admission = yield* Admission.make(Fake.dual, ({ id }) =>
        String(id).startsWith("slow")
          ? Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted += 1)))
          : Effect.succeed({})
      )
      const pipe = new Fake.Pipe(admission).send(
        Fake.stamped("slow-1"),
        Fake.cancelled("slow-1"),
        Fake.cancelled("slow-1"),
        Fake.cancelled(99)
      )
      pipe.send(Fake.initialize(1), Fake.initialized, Fake.legacy("slow-2"), Fake.cancelled("slow-2"), Fake.legacy(2))
      pipe.send(
        Fake.notification("notifications/cancelled"),
        Fake.notification("notifications/cancelled", { requestId: {} })
      )
      expect(interrupted).toBe(2)
      expect(pipe.lines.map(({ id }) => id)).toEqual([1, 2])
    })
  )

  it.effect("cancels the later of two requests that use one id, and answers the other", () =>
    Effect.gen(function* () {
      const gates = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let at = 0
      const admission = yield* Admission.make(Fake.dual, () => Effect.as(Deferred.await(gates[at++] ?? gates[0]!), {}))
      const pipe = new Fake.Pipe(admission).send(Fake.stamped(1), Fake.stamped(1), Fake.cancelled(1))
      for (const gate of gates) yield* Deferred.succeed(gate, undefined)
      yield* pipe.linesTo(1)
      expect(pipe.lines.map(({ id, result }) => [id, result.resultType])).toEqual([[1, "complete"]])
    })
  )

  it.effect("is done at the end of input, once the last answer that is due is out", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const admission = yield* Admission.make(Fake.dual, () => Effect.as(Deferred.await(gate), {}))
      const pipe = new Fake.Pipe(admission).send(Fake.stamped(1))
      const done = yield* Effect.forkChild(pipe.connection.done)
      pipe.connection.end()
      pipe.send(Fake.stamped(2), Fake.legacy(3, "ping"))
      yield* Effect.yieldNow
      expect([pipe.lines.length, done.pollUnsafe()]).toEqual([0, undefined])
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(done)).toBe("ended")
      expect(pipe.lines.map(({ id }) => id)).toEqual([1])
      expect(yield* pipe.connection.done).toBe("ended")
    })
  )

  it.effect("is done at once when nothing is due, and interrupts everything when nobody reads", () =>
    Effect.gen(function* () {
      const admission = yield* slow
      const idle = new Fake.Pipe(admission)
      idle.connection.end()
      expect(yield* idle.connection.done).toBe("ended")
      const broken = new Fake.Pipe(admission).send(Fake.stamped("slow"))
      broken.connection.abandon()
      expect(yield* broken.connection.done).toBe("ended")
      expect(broken.lines).toEqual([])
    })
  )

  it.effect("closes when nothing opens it within the deadline", () =>
    Effect.gen(function* () {
      const errors: Array<AdmissionError> = []
      const admission = yield* Admission.make(Fake.dual, quick, {
        onRefused: (error) => Effect.sync(() => errors.push(error))
      })
      const pipe = new Fake.Pipe(admission).send(Fake.legacy(1, "ping"))
      yield* TestClock.adjust("29 seconds")
      pipe.send(Fake.legacy(2, "ping"))
      yield* TestClock.adjust("1 second")
      expect(yield* pipe.connection.done).toBe("timeout")
      pipe.send(Fake.initialize(3))
      expect(pipe.lines.map(({ id }) => id)).toEqual([1, 2])
      expect(errors.map(({ reason }) => reason)).toMatchObject([
        { _tag: "Timeout", phase: "opening", waitedMillis: 30_000 }
      ])
    })
  )

  it.effect("closes when the handshake is not completed within the deadline, counted anew from initialize", () =>
    Effect.gen(function* () {
      const errors: Array<AdmissionError> = []
      const admission = yield* Admission.make(Fake.dual, quick, {
        onRefused: (error) => Effect.sync(() => errors.push(error))
      })
      const pipe = new Fake.Pipe(admission)
      yield* TestClock.adjust("20 seconds")
      pipe.send(Fake.initialize(1))
      yield* TestClock.adjust("20 seconds")
      expect(errors).toEqual([])
      yield* TestClock.adjust("10 seconds")
      expect(yield* pipe.connection.done).toBe("timeout")
      expect(errors[0]?.reason).toMatchObject({ _tag: "Timeout", phase: "initialized" })
    })
  )

  it.effect("may be idle for ever once something was admitted or the handshake is complete", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, quick)
      const pipes = [
        new Fake.Pipe(admission).send(Fake.stamped(1)),
        new Fake.Pipe(admission).send(Fake.initialize(1), Fake.initialized),
        new Fake.Pipe(admission).send(Fake.initialize(1), Fake.legacy(2))
      ]
      yield* TestClock.adjust("100 days")
      for (const pipe of pipes) {
        const before = pipe.lines.length
        pipe.send(Fake.legacy("p", "ping"))
        expect(pipe.lines[before]).toEqual({ jsonrpc: "2.0", id: "p", result: {} })
      }
    })
  )

  it.effect("bounds what a client can pile up, also under one id, and serves on when some of it is done", () =>
    Effect.gen(function* () {
      const profile = Profile.dual({ ...Fake.options, limits: { unanswered: 3 } })
      const admission = yield* Admission.make(profile, ({ id }) => (id === "slow" ? Effect.never : Effect.succeed({})))
      const pipe = new Fake.Pipe(admission).send(
        Fake.stamped("slow"),
        Fake.stamped("slow"),
        Fake.stamped("slow"),
        Fake.stamped("slow"),
        Fake.stamped(1)
      )
      expect(pipe.lines.map(({ id, error }) => [id, error.code, error.data.parley.remedy])).toEqual([
        ["slow", -32603, "waitAndRetry"],
        [1, -32603, "waitAndRetry"]
      ])
      pipe.send(Fake.cancelled("slow"), Fake.stamped(2))
      expect(pipe.lines[2]).toMatchObject({ id: 2, result: { resultType: "complete" } })
    })
  )

  it.effect("hands notifications to the owner, bounded, and tells the log what fails", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const failed: Array<string> = []
      const profile = Profile.dual({ ...Fake.options, limits: { unanswered: 2 } })
      const admission = yield* Admission.make(profile, quick, {
        onNotification: (notification, context) =>
          Effect.gen(function* () {
            heard.push([notification.method, context.version])
            if (notification.method === "notifications/bad") yield* Effect.fail("no")
            if (notification.method === "notifications/slow") yield* Effect.never
          }),
        onFailed: (method) => Effect.sync(() => failed.push(method))
      })
      const pipe = new Fake.Pipe(admission).send(
        Fake.notification("notifications/early"),
        Fake.initialize(1),
        Fake.initialized,
        Fake.notification("notifications/bad"),
        Fake.notification("notifications/slow"),
        Fake.notification("notifications/slow"),
        Fake.notification("notifications/slow")
      )
      expect(heard).toEqual([
        ["notifications/bad", "2025-11-25"],
        ["notifications/slow", "2025-11-25"],
        ["notifications/slow", "2025-11-25"]
      ])
      expect(failed).toEqual(["notifications/bad"])
      expect(pipe.lines).toHaveLength(1)
    })
  )
})
