// How long a negotiation waits: for an answer, for a probe, for the whole, for an opening, for a message to be taken.
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import * as Medium from "@parley/core/Medium"
import * as Negotiation from "@parley/runtime/Negotiation"
import type { Channel, Transport } from "@parley/runtime/Transport"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"

const { client } = Peer
const modern = "2026-07-28"
const legacy = "2025-11-25"
const silent = () => Effect.void

/** Negotiates in a fiber; `at` moves the clock to a time and returns how the negotiation ended, if it has. */
const start = (transport: Transport, policy: Policy.Policy) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(
      Effect.exit(Effect.scoped(Negotiation.negotiate({ transport, client, policy })))
    )
    let now = 0
    return {
      at: (millis: number) =>
        Effect.map(TestClock.adjust(millis - now), () => {
          now = millis
          const exit = fiber.pollUnsafe()
          if (exit === undefined) return "waiting"
          return Exit.isSuccess(exit) && Exit.isSuccess(exit.value) ? exit.value.value.agreement.version : "failed"
        }),
      error: Effect.flatMap(Fiber.join(fiber), Effect.flip)
    }
  })

describe("the deadline of an exchange", () => {
  it.effect("passes after 30 s, and is a Timeout that never falls back", () =>
    Effect.gen(function* () {
      for (const medium of [Medium.stdio, Medium.http]) {
        const peer = Peer.make(medium, silent)
        const run = yield* start(peer.transport, Policy.auto)
        expect(yield* run.at(29_999)).toBe("waiting")
        expect(yield* run.at(30_000)).toBe("failed")
        const error = yield* run.error
        expect(error.reason).toMatchObject({ _tag: "Timeout", phase: "initialize", waitedMillis: 30_000 })
        expect(error.retryable).toBe(true)
        expect(peer.words()).toEqual(["initialize"])
        expect(peer.seen.closed).toBe(1)
      }
    })
  )

  it.effect("is each exchange's own", () =>
    Effect.gen(function* () {
      const slowly = (turn: Peer.Turn) => Effect.delay(turn.error(-32601), 20_000)
      const peer = Peer.make(
        Medium.http,
        Peer.table({ initialize: slowly, "server/discover": (turn) => Effect.delay(Peer.discover()(turn), 29_000) })
      )
      const run = yield* start(peer.transport, Policy.auto)
      expect(yield* run.at(48_999)).toBe("waiting")
      expect(yield* run.at(49_000)).toBe(modern)
    })
  )

  it.effect("an answer at the very moment of the deadline is in time", () =>
    Effect.gen(function* () {
      const peer = Peer.make(
        Medium.stdio,
        Peer.table({ initialize: (turn) => Effect.delay(Peer.initialize()(turn), 29_999) })
      )
      const run = yield* start(peer.transport, Policy.auto)
      expect(yield* run.at(30_000)).toBe(legacy)
    })
  )
})

describe("the deadline of a probe", () => {
  it.effect("on stdio passes after 10 s, and the handshake follows on the same pipe", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.stdio, Peer.table({ initialize: Peer.initialize() }))
      const run = yield* start(peer.transport, Policy.discoverFirst)
      expect(yield* run.at(9_999)).toBe("waiting")
      expect(peer.words()).toEqual(["server/discover"])
      expect(yield* run.at(10_000)).toBe(legacy)
      expect(peer.seen.opened).toBe(1)
    })
  )

  it.effect("over HTTP there is none of its own: silence is a Timeout after 30 s", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, Peer.table({ initialize: Peer.initialize() }))
      const run = yield* start(peer.transport, Policy.discoverFirst)
      expect(yield* run.at(29_999)).toBe("waiting")
      expect(yield* run.at(30_000)).toBe("failed")
      expect(peer.words()).toEqual(["server/discover"])
    })
  )

  it.effect("a DiscoverResult that comes late is kept, and settles when the handshake fails", () =>
    Effect.gen(function* () {
      const peer = Peer.make(
        Medium.stdio,
        Peer.table({
          "server/discover": (turn) => Effect.delay(Peer.discover()(turn), 12_000),
          initialize: (turn) => Effect.delay(turn.error(-32601), 3000)
        })
      )
      const run = yield* start(peer.transport, Policy.discoverFirst)
      expect(yield* run.at(12_999)).toBe("waiting")
      expect(yield* run.at(13_000)).toBe(modern)
    })
  )

  it.effect("a DiscoverResult that comes late gives way to a handshake that is answered", () =>
    Effect.gen(function* () {
      const peer = Peer.make(
        Medium.stdio,
        Peer.table({
          "server/discover": (turn) => Effect.delay(Peer.discover()(turn), 12_000),
          initialize: (turn) => Effect.delay(Peer.initialize()(turn), 3000)
        })
      )
      const run = yield* start(peer.transport, Policy.discoverFirst)
      expect(yield* run.at(13_000)).toBe(legacy)
    })
  )
})

describe("the deadline of the whole negotiation", () => {
  it.effect("passes after 60 s, however many exchanges are left", () =>
    Effect.gen(function* () {
      const slowly = (turn: Peer.Turn) => Effect.delay(Peer.initialize(modern)(turn), 25_000)
      const refuses = (turn: Peer.Turn) => Effect.delay(turn.error(-32601), 25_000)
      const peer = Peer.make(Medium.stdio, Peer.table({ initialize: slowly, "server/discover": refuses }))
      const run = yield* start(peer.transport, Policy.auto)
      expect(yield* run.at(59_999)).toBe("waiting")
      expect(peer.words()).toEqual(["initialize", "server/discover", "initialize"])
      expect(yield* run.at(60_000)).toBe("failed")
      expect((yield* run.error).reason).toMatchObject({ _tag: "Timeout", phase: "negotiation", waitedMillis: 60_000 })
      expect(peer.seen.closed).toBe(1)
    })
  )

  it.effect("is what the budget says", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, silent)
      const run = yield* start(peer.transport, Policy.withBudgets(Policy.auto, { negotiationMillis: 500 }))
      expect(yield* run.at(499)).toBe("waiting")
      expect(yield* run.at(500)).toBe("failed")
    })
  )
})

describe("an opening", () => {
  it.effect(
    "that hangs is given up with the exchange's deadline, is no silence of the server, and leaves nothing",
    () =>
      Effect.gen(function* () {
        for (const [policy, millis] of [
          [Policy.auto, 30_000],
          [Policy.discoverFirst, 10_000]
        ] as const) {
          const peer = Peer.make(Medium.stdio, Peer.table({ initialize: Peer.initialize() }), {
            onOpen: () => Effect.never
          })
          const run = yield* start(peer.transport, policy)
          expect(yield* run.at(millis - 1)).toBe("waiting")
          expect(yield* run.at(millis)).toBe("failed")
          const error = yield* run.error
          expect(error.reason).toMatchObject({
            _tag: "TransportFailure",
            reason: `The transport did not open within ${millis} ms.`,
            retryable: true
          })
          expect(error.trace.map((entry) => entry.next)).toEqual([expect.any(String), "Failed"])
          expect(peer.seen).toMatchObject({ opened: 1, closed: 1, sent: [] })
        }
      })
  )

  it.effect("that hangs longer than the whole may take is a Timeout of the negotiation", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, silent, { onOpen: () => Effect.never })
      const run = yield* start(peer.transport, Policy.withBudgets(Policy.auto, { negotiationMillis: 5000 }))
      expect(yield* run.at(4999)).toBe("waiting")
      expect(yield* run.at(5000)).toBe("failed")
      expect((yield* run.error).reason).toMatchObject({ _tag: "Timeout", phase: "negotiation" })
      expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
    })
  )

  it.effect("that is slow uses up the time of its exchange", () =>
    Effect.gen(function* () {
      const answersAfter = (millis: number) =>
        Peer.make(Medium.stdio, Peer.table({ initialize: (turn) => Effect.delay(Peer.initialize()(turn), millis) }), {
          onOpen: () => Effect.sleep(20_000)
        })
      const inTime = yield* start(answersAfter(9000).transport, Policy.auto)
      expect(yield* inTime.at(29_000)).toBe(legacy)
      const late = yield* start(answersAfter(11_000).transport, Policy.auto)
      expect(yield* late.at(29_999)).toBe("waiting")
      expect(yield* late.at(30_000)).toBe("failed")
    })
  )

  it.effect("is repeated where the probe ended the process, and the deadline of the next exchange holds for it", () =>
    Effect.gen(function* () {
      const peer = (reopening: Effect.Effect<void>) =>
        Peer.make(
          Medium.stdio,
          Peer.table({
            "server/discover": (turn) => turn.emit({ _tag: "Closed", exitCode: 1, stderr: "unknown method" }),
            initialize: Peer.initialize()
          }),
          { onOpen: (_, opening) => (opening === 1 ? Effect.void : reopening) }
        )
      const closedBefore = Effect.suspend(() => {
        expect(good.seen.closed).toBe(1)
        return Effect.sleep(2000)
      })
      const good: Peer.Peer = peer(closedBefore)
      const run = yield* start(good.transport, Policy.discoverFirst)
      expect(yield* run.at(2000)).toBe(legacy)
      expect(good.seen).toMatchObject({ opened: 2, closed: 2 })
      expect(good.words()).toEqual(["server/discover", "initialize", "notifications/initialized"])

      const bad = peer(Effect.never)
      const hanging = yield* start(bad.transport, Policy.discoverFirst)
      expect(yield* hanging.at(30_000)).toBe("failed")
      expect((yield* hanging.error).reason).toMatchObject({ _tag: "TransportFailure", retryable: true })
      expect(bad.seen).toMatchObject({ opened: 2, closed: 2 })
    })
  )
})

describe("a carrier that does not take a message", () => {
  // As where the headers of a request are an Effect that hangs, or a pipe is full.
  const stuck = (peer: Peer.Peer, word: string): Transport => ({
    ...peer.transport,
    open: Effect.map(peer.transport.open, (channel): Channel => ({
      ...channel,
      send: (outgoing) =>
        outgoing._tag === "Post" && "method" in outgoing.message && outgoing.message.method === word
          ? Effect.never
          : channel.send(outgoing)
    }))
  })

  it.effect("does not outlast the deadline of the exchange", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, silent)
      const run = yield* start(stuck(peer, "initialize"), Policy.auto)
      expect(yield* run.at(29_999)).toBe("waiting")
      expect(yield* run.at(30_000)).toBe("failed")
      expect((yield* run.error).reason).toMatchObject({ _tag: "Timeout", phase: "initialize" })
    })
  )

  it.effect("does not keep an agreement from being reached", () =>
    Effect.gen(function* () {
      for (const medium of [Medium.stdio, Medium.http]) {
        const peer = Peer.make(medium, Peer.table({ initialize: Peer.initialize() }))
        const run = yield* start(stuck(peer, "notifications/initialized"), Policy.auto)
        expect(yield* run.at(29_999)).toBe("waiting")
        expect(yield* run.at(30_000)).toBe(legacy)
      }
    })
  )
})
