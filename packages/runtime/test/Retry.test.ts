// The bare schedules under virtual time, and what they make of a negotiation.
import { describe, expect, it } from "@effect/vitest"
import * as Medium from "@parley/core/Medium"
import {
  Busy,
  ErrorResponse,
  NegotiationError,
  type NegotiationReason,
  RequestError,
  SessionUnknown,
  Timeout,
  TransportFailure,
  Unauthorized
} from "@parley/core/Errors"
import { responseHead } from "@parley/core/HttpHead"
import * as Negotiation from "@parley/runtime/Negotiation"
import * as Retry from "@parley/runtime/Retry"
import type { Schedule } from "effect"
import { Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"

const because = (reason: NegotiationReason) => new NegotiationError({ reason, trace: [] })
const timeout = because(new Timeout({ phase: "initialize", waitedMillis: 30_000 }))
const outage = because(new TransportFailure({ reason: "Nothing listens there.", retryable: true }))
const missing = because(new TransportFailure({ reason: "No such command.", retryable: false }))
const denied = because(new Unauthorized({ status: 401 }))
const busy = (retryAfterMillis?: number) =>
  because(new Busy({ status: 503, ...(retryAfterMillis === undefined ? undefined : { retryAfterMillis }) }))

/** Retries something that always fails so, with jitter of its middle unless told; returns when it was tried. */
const attempts = (
  schedule: Schedule.Schedule<unknown, Retry.Retryable>,
  error: Retry.Retryable,
  random: number = 0.5
) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const failing = Effect.clockWith((clock) =>
      Effect.suspend(() => {
        times.push(clock.currentTimeMillisUnsafe())
        return Effect.fail(error)
      })
    )
    const start = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const fiber = yield* Effect.forkChild(
      Effect.exit(Effect.retry(failing, schedule)).pipe(
        Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => random })
      )
    )
    yield* TestClock.adjust("1 day")
    expect(fiber.pollUnsafe()).toBeDefined()
    return times.map((time) => time - start)
  })

describe("transient", () => {
  it.effect("retries five times, after 200 ms and then twice as long each time", () =>
    Effect.gen(function* () {
      expect(yield* attempts(Retry.transient, timeout)).toEqual([0, 200, 600, 1400, 3000, 6200])
    })
  )

  it.effect("varies each wait by a fifth", () =>
    Effect.gen(function* () {
      expect((yield* attempts(Retry.transient, outage, 0))[1]).toBe(160)
      expect((yield* attempts(Retry.transient, outage, 1))[1]).toBe(240)
    })
  )

  it.effect("retries whatever says that trying again can help, and nothing else", () =>
    Effect.gen(function* () {
      const request = (reason: ConstructorParameters<typeof RequestError>[0]["reason"]) =>
        new RequestError({ method: "tools/list", reason })
      for (const [error, retries] of [
        [timeout, 5],
        [outage, 5],
        [busy(), 5],
        [request(new SessionUnknown({ problem: "unknown" })), 5],
        [request(busy()), 5],
        [missing, 0],
        [denied, 0],
        [request(new ErrorResponse({ method: "tools/list", code: -1, serverMessage: "no" })), 0]
      ] as const) {
        expect((yield* attempts(Retry.transient, error)).length).toBe(retries + 1)
      }
    })
  )
})

describe("respectingRetryAfter", () => {
  const schedule = Retry.respectingRetryAfter(Retry.transient)

  it.effect("waits at least as long as the server asked for, and as long as the schedule does", () =>
    Effect.gen(function* () {
      expect(yield* attempts(schedule, busy(3000))).toEqual([0, 3000, 6000, 9000, 12_000, 15_200])
      expect(yield* attempts(schedule, busy(0))).toEqual([0, 200, 600, 1400, 3000, 6200])
      expect(yield* attempts(schedule, busy())).toEqual([0, 200, 600, 1400, 3000, 6200])
      expect(yield* attempts(schedule, outage)).toEqual([0, 200, 600, 1400, 3000, 6200])
    })
  )

  it.effect("gives up at once where the server asks for more than the bound", () =>
    Effect.gen(function* () {
      expect((yield* attempts(schedule, busy(60_000))).length).toBe(6)
      expect(yield* attempts(schedule, busy(60_001))).toEqual([0])
      const impatient = Retry.respectingRetryAfter(Retry.transient, { boundMillis: 1000 })
      expect((yield* attempts(impatient, busy(1000))).length).toBe(6)
      expect(yield* attempts(impatient, busy(1001))).toEqual([0])
    })
  )

  it.effect("hears a server's wish inside the error of a request whose new session failed", () =>
    Effect.gen(function* () {
      const error = new RequestError({ method: "tools/list", reason: busy(3000) })
      expect((yield* attempts(schedule, error))[1]).toBe(3000)
    })
  )

  it.effect("takes seconds and dates as a carrier reads them", () =>
    Effect.gen(function* () {
      const now = Date.UTC(2026, 6, 28, 12, 0, 0)
      for (const value of ["7", "Tue, 28 Jul 2026 12:00:07 GMT"]) {
        const { retryAfterMillis } = responseHead(
          503,
          (name) => (name === "retry-after" ? value : undefined),
          () => now
        )
        expect((yield* attempts(schedule, busy(retryAfterMillis)))[1]).toBe(7000)
      }
    })
  )
})

describe("upTo", () => {
  it.effect("cuts a schedule off after so many retries, or with the last wait that begins within so long", () =>
    Effect.gen(function* () {
      expect((yield* attempts(Retry.upTo(Retry.transient, { times: 2 }), outage)).length).toBe(3)
      expect(yield* attempts(Retry.upTo(Retry.coldStart, { duration: "3 seconds" }), outage)).toEqual([
        0, 1000, 2000, 3000, 4000
      ])
    })
  )
})

describe("coldStart", () => {
  it.effect("retries every second, the last time after 31 seconds", () =>
    Effect.gen(function* () {
      const times = Array.from({ length: 32 }, (_, index) => index * 1000)
      expect(yield* attempts(Retry.coldStart, outage)).toEqual(times)
    })
  )

  it.effect("retries what a slow start looks like, and nothing else", () =>
    Effect.gen(function* () {
      for (const error of [timeout, outage, new RequestError({ method: "x", reason: outage })]) {
        expect((yield* attempts(Retry.coldStart, error)).length).toBeGreaterThan(10)
      }
      for (const error of [missing, denied, busy()]) expect(yield* attempts(Retry.coldStart, error)).toEqual([0])
    })
  )
})

describe("a negotiation that is retried", () => {
  const retried = (peer: Peer.Peer, schedule: Schedule.Schedule<unknown, Retry.Retryable>) =>
    Negotiation.negotiate({ transport: peer.transport, client: Peer.client }).pipe(
      Effect.retry(schedule),
      Effect.map(({ agreement }) => agreement.version),
      Effect.scoped
    )

  it.effect("waits as the server asks, and succeeds when the server can", () =>
    Effect.gen(function* () {
      let asked = 0
      const peer = Peer.make(
        Medium.http,
        Peer.table({
          initialize: (turn) =>
            (asked += 1) < 3 ? turn.status(503, { retryAfterMillis: 4000 }) : Peer.initialize()(turn),
          "notifications/initialized": Peer.accept
        })
      )
      const fiber = yield* Effect.forkChild(retried(peer, Retry.respectingRetryAfter(Retry.transient)))
      yield* TestClock.adjust(7999)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toBe("2025-11-25")
      expect(peer.seen).toMatchObject({ opened: 3, closed: 3 })
    })
  )

  it.effect("is not tried again after a refusal", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, Peer.table({ initialize: (turn) => turn.status(401) }))
      expect((yield* Effect.flip(retried(peer, Retry.transient))).reason._tag).toBe("Unauthorized")
      expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
    })
  )

  it.effect("gives a process time to start", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.stdio, (turn) =>
        turn.opening < 10 ? turn.emit({ _tag: "Closed", exitCode: 1, stderr: "" }) : Peer.initialize()(turn)
      )
      const fiber = yield* Effect.forkChild(retried(peer, Retry.coldStart))
      yield* TestClock.adjust("9 seconds")
      expect(yield* Fiber.join(fiber)).toBe("2025-11-25")
      expect(peer.seen).toMatchObject({ opened: 10, closed: 10 })
    })
  )
})
