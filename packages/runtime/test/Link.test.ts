// A link that is lost as a whole, and a server that floods it.
import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@parley/core/client/Event"
import { failure, notification, success } from "@parley/core/Message"
import { Effect, Exit, Fiber, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Served from "./support/Served.ts"

const closed: Event = { _tag: "Closed", exitCode: 3, stderr: "out of memory" }

describe("a link that is lost", () => {
  const losses: ReadonlyArray<readonly [title: string, place: Served.Place, event: Event, reason: object]> = [
    ["a legacy process exits", Served.legacyStdio, closed, { exitCode: 3, stderr: "out of memory" }],
    ["a modern process exits", Served.modernStdio, closed, { exitCode: 3, stderr: "out of memory" }],
    ["a pipe breaks", Served.legacyStdio, { _tag: "Lost", cause: "The pipe broke." }, { reason: "The pipe broke." }],
    ["the network is gone", Served.modernHttp, { _tag: "Lost", cause: "No network." }, { reason: "No network." }]
  ]
  it.effect.each(losses)(
    "fails what is under way and what comes later, and ends incoming: %s",
    ([, place, event, reason]) =>
      Effect.gen(function* () {
        const { connection, peer } = yield* Served.connected(place, { die: (turn) => turn.emit(event) })
        const incoming = yield* connection.incoming
        const heard = yield* Effect.forkChild(Effect.exit(Queue.take(incoming)))
        const under = yield* Effect.forkChild(
          Effect.forEach([1, 2, 3], () => Effect.flip(connection.request("slow", {}, { millis: Infinity })), {
            concurrency: "unbounded"
          })
        )
        yield* TestClock.adjust(1)
        const lost = { _tag: "TransportFailure", retryable: true, ...reason }
        expect((yield* Effect.flip(connection.request("die"))).reason).toMatchObject(lost)
        for (const error of yield* Fiber.join(under)) expect(error).toMatchObject({ retryable: true, reason: lost })
        expect(Exit.isFailure(yield* Fiber.join(heard))).toBe(true)

        const before = peer.seen.sent.length
        expect((yield* Effect.flip(connection.request("late"))).reason).toMatchObject(lost)
        expect((yield* Effect.flip(connection.notify("late"))).reason).toMatchObject(lost)
        expect(peer.seen.sent.length).toBe(before)
        yield* connection.close
        expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
      })
  )

  it.effect("while it was negotiated is known from the first request on", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyHttp, {
        "notifications/initialized": (turn) => turn.emit({ _tag: "Lost", cause: "No network." })
      })
      expect(connection.agreement.warnings).toEqual(["notifications/initialized was lost: No network."])
      expect((yield* Effect.flip(connection.request("work"))).reason).toMatchObject({ reason: "No network." })
      expect(Exit.isFailure(yield* Effect.exit(Queue.take(yield* connection.incoming)))).toBe(true)
    })
  )

  it.effect("by a defect of its carrier says so in the log, and ends like any other", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      const { connection } = yield* Served.connected(Served.legacyStdio, { die: () => Effect.die("broken") }).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      expect((yield* Effect.flip(connection.request("die"))).reason._tag).toBe("TransportFailure")
      expect(lines).toEqual([expect.stringMatching(/^Error A carrier failed\./)])
    })
  )
})

describe("a warning of the negotiation", () => {
  it.effect("is logged when the connection is made", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      yield* Served.connected(Served.legacyHttp, { "notifications/initialized": (turn) => turn.status(400) }).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      expect(lines).toEqual(["Warn notifications/initialized was answered 400."])
    })
  )
})

describe("what belongs to nobody", () => {
  it.effect.each(Served.places.map((place) => [place.title, place] as const))("harms nothing in %s", ([, place]) =>
    Effect.gen(function* () {
      const strangers: ReadonlyArray<Event> = [
        { _tag: "Arrived", message: success(424_242, {}) },
        { _tag: "Arrived", message: success("424242", {}), exchange: 424_242, head: { status: 200 } },
        { _tag: "Arrived", message: failure(424_242, { code: -1, message: "?" }), exchange: 424_242 },
        { _tag: "Unanswered", exchange: 424_242, head: { status: 404 }, body: "", problem: "" },
        { _tag: "Lost", exchange: 424_242, cause: "?", resume: { lastEventId: "1", retryMillis: 1 } },
        { _tag: "Stray", head: "Listening on port 80", problem: "notJson" },
        { _tag: "DeadlinePassed", of: 1, waitedMillis: 1 },
        { _tag: "Arrived", message: notification("notifications/cancelled", { requestId: { no: "id" } }) },
        { _tag: "Arrived", message: notification("notifications/progress", { progressToken: null }) }
      ]
      const { connection, peer } = yield* Served.connected(place, {
        work: (turn) =>
          Effect.andThen(Effect.forEach(strangers, turn.emit, { discard: true }), turn.result({ done: true }))
      })
      const before = peer.seen.sent.length
      expect(yield* connection.request("work")).toEqual({ done: true })
      expect(yield* connection.request("work")).toEqual({ done: true })
      expect(peer.seen.sent.length).toBe(before + 2)
    })
  )
})

describe("a flood", () => {
  it.effect("of notifications lets others run, and is read no faster than it is routed", () =>
    Effect.gen(function* () {
      const count = { emitted: 0 }
      const { connection } = yield* Served.connected(Served.legacyStdio, {
        work: (turn) =>
          Effect.forever(
            Effect.andThen(
              turn.say(notification("n")),
              Effect.sync(() => (count.emitted += 1))
            ),
            { disableYield: true }
          )
      })
      // Were the flood to starve the others, this request would not time out, nor this test end.
      const fiber = yield* Effect.forkChild(Effect.flip(connection.request("work", {}, { millis: 100 })))
      while (count.emitted < 10_000) yield* Effect.yieldNow
      yield* TestClock.adjust(100)
      expect((yield* Fiber.join(fiber)).reason._tag).toBe("Timeout")
      expect((yield* connection.incoming).messages.length).toBeLessThanOrEqual(1024)
      yield* connection.close
    })
  )

  it.effect("of answers to one request settles it once", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) =>
          Effect.forEach(Array.from({ length: 1000 }), (_, index) => turn.result({ index }), { discard: true })
      })
      expect(yield* connection.request("work")).toEqual({ index: 0 })
      expect(yield* connection.request("work")).toEqual({ index: 0 })
    })
  )
})
