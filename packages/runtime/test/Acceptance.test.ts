// What becomes of `notifications/initialized`: any 2xx accepts it; anything else is a warning in the agreement.
import { describe, expect, it } from "@effect/vitest"
import { arrived } from "@parley/core/client/Event"
import { discoverFirst } from "@parley/core/client/Policy"
import * as Medium from "@parley/core/Medium"
import { failure, notification } from "@parley/core/Message"
import * as Negotiation from "@parley/runtime/Negotiation"
import type { Channel } from "@parley/runtime/Transport"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"

const { client } = Peer

const peerThat = (answer: (turn: Peer.Turn) => Effect.Effect<void>, medium = Medium.http) =>
  Peer.make(medium, Peer.table({ initialize: Peer.initialize(), "notifications/initialized": answer }))

const negotiate = (peer: Peer.Peer) => Negotiation.negotiate({ transport: peer.transport, client })

const take = (channel: Channel) => Queue.take(channel.events)

const warnings = (peer: Peer.Peer) => Effect.map(negotiate(peer), ({ agreement }) => agreement.warnings)

describe("notifications/initialized over HTTP", () => {
  it.effect("is accepted by any 2xx, with or without an answer", () =>
    Effect.gen(function* () {
      for (const status of [200, 201, 202, 204]) {
        expect(yield* warnings(peerThat((turn) => turn.status(status)))).toEqual([])
        expect(yield* warnings(peerThat((turn) => turn.result({}, { status })))).toEqual([])
      }
    })
  )

  it.effect("refused is a warning", () =>
    Effect.gen(function* () {
      for (const status of [300, 400, 404, 500]) {
        const refusal = [`notifications/initialized was answered ${status}.`]
        expect(yield* warnings(peerThat((turn) => turn.status(status)))).toEqual(refusal)
        expect(yield* warnings(peerThat((turn) => turn.error(-32600, undefined, { status })))).toEqual(refusal)
      }
    })
  )

  it.effect("lost is a warning", () =>
    Effect.gen(function* () {
      expect(yield* warnings(peerThat((turn) => turn.cut()))).toEqual([
        "notifications/initialized was lost: The stream was cut."
      ])
      const whole = peerThat((turn) => turn.emit({ _tag: "Lost", cause: "The network is gone." }))
      const { agreement, backlog } = yield* negotiate(whole)
      expect(agreement.warnings).toEqual(["notifications/initialized was lost: The network is gone."])
      expect(backlog).toEqual([{ _tag: "Lost", cause: "The network is gone." }])
      const closed = peerThat((turn) => turn.emit({ _tag: "Closed", stderr: "" }))
      expect(yield* warnings(closed)).toEqual(["notifications/initialized was lost: the server closed the connection."])
    })
  )

  it.effect("unanswered for 30 s is a warning, and is not waited for any more", () =>
    Effect.gen(function* () {
      const peer = peerThat(() => Effect.void)
      const fiber = yield* Effect.forkChild(warnings(peer))
      yield* TestClock.adjust(29_999)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toEqual(["notifications/initialized was not accepted within 30000 ms."])
      expect(peer.seen.abandoned).toEqual([peer.posts("notifications/initialized")[0]?.exchange])
    })
  )

  it.effect("is waited for no longer than the whole negotiation may take", () =>
    Effect.gen(function* () {
      const peer = Peer.make(
        Medium.http,
        Peer.table({
          "server/discover": (turn) => Effect.delay(turn.error(-32601), 25_000),
          initialize: (turn) => Effect.delay(Peer.initialize()(turn), 25_000)
        })
      )
      const fiber = yield* Effect.forkChild(
        Effect.map(
          Negotiation.negotiate({ transport: peer.transport, client, policy: discoverFirst }),
          ({ agreement }) => agreement.warnings
        )
      )
      yield* TestClock.adjust(59_999)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toEqual(["notifications/initialized was not accepted within 10000 ms."])
    })
  )

  it.effect("is given up when the server floods instead, and nothing of the flood is lost", () =>
    Effect.gen(function* () {
      const count = 200
      const peer = peerThat((turn) =>
        Effect.forEach(
          Array.from({ length: count }, (_, index) => index),
          (index) => turn.emit(arrived(notification("n", { index }), 1, { status: 200 })),
          { discard: true }
        )
      )
      const { agreement, backlog, channel } = yield* negotiate(peer)
      expect(agreement.warnings).toEqual([
        "notifications/initialized was not accepted before many other messages came."
      ])
      expect(backlog.length).toBeLessThan(70)
      const seen = [...backlog]
      while (seen.length < count) seen.push(yield* take(channel))
      expect(
        seen.map((event) => event._tag === "Arrived" && "params" in event.message && event.message.params?.["index"])
      ).toEqual(Array.from({ length: count }, (_, index) => index))
    })
  )
})

describe("notifications/initialized on a pipe", () => {
  it.effect("is not waited for: what the server says to it belongs to the connection", () =>
    Effect.gen(function* () {
      const refusal = failure(undefined, { code: -32600, message: "What?" })
      const peer = peerThat((turn) => turn.say(refusal), Medium.stdio)
      const { agreement, channel } = yield* negotiate(peer)
      expect(agreement.warnings).toEqual([])
      expect(yield* take(channel)).toEqual({ _tag: "Arrived", message: refusal })
    })
  )
})
