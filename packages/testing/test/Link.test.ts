import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { Outgoing } from "@parley/core/client/Outgoing"
import { TransportFailure } from "@parley/core/Errors"
import * as Medium from "@parley/core/Medium"
import { notification, request, success } from "@parley/core/Message"
import * as Link from "@parley/testing/Link"

const post = (exchange: number, method = "ping"): Outgoing => ({
  _tag: "Post",
  exchange,
  message: request(exchange, method),
  headers: {}
})

describe("Link.make", () => {
  it.effect("answers when the handler's time comes, and send does not wait for it", () =>
    Effect.gen(function* () {
      const link = Link.make({
        medium: Medium.stdio,
        onSend: (outgoing, emit) =>
          Effect.delay(emit(Link.answer(Medium.stdio, outgoing, success(outgoing.exchange, {}))), "10 seconds")
      })
      const channel = yield* link.open
      yield* channel.send(post(1))
      expect(yield* Queue.size(channel.events)).toBe(0)
      yield* TestClock.adjust("10 seconds")
      expect(yield* Queue.take(channel.events)).toEqual({ _tag: "Arrived", message: success(1, {}) })
    })
  )

  it.effect("gives messages to the handler in the order of sending", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const link = Link.make({
        medium: Medium.stdio,
        onSend: (outgoing) =>
          Effect.andThen(
            Effect.sync(() => seen.push(outgoing.exchange)),
            Effect.never
          )
      })
      const channel = yield* link.open
      for (const exchange of [1, 2, 3, 4]) yield* channel.send(post(exchange))
      expect(seen).toEqual([1, 2, 3, 4])
    })
  )

  it.effect("abandoning interrupts the handler of a stream of its own, and not that of a pipe", () =>
    Effect.gen(function* () {
      for (const medium of [Medium.http, Medium.stdio]) {
        let interrupted = 0
        const link = Link.make({
          medium,
          onSend: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted += 1)))
        })
        const channel = yield* link.open
        yield* channel.send(post(1))
        yield* channel.send(post(2))
        yield* channel.abandon(1)
        expect(interrupted).toBe(medium.streams === "perRequest" ? 1 : 0)
        yield* channel.close
        expect(interrupted).toBe(2)
      }
    })
  )

  it.effect("closing ends the events, stops what is sent later, and is harmless twice", () =>
    Effect.gen(function* () {
      let sent = 0
      const link = Link.make({ medium: Medium.http, onSend: () => Effect.sync(() => (sent += 1)) })
      const channel = yield* link.open
      yield* channel.close
      yield* channel.close
      yield* channel.send(post(1))
      expect(sent).toBe(0)
      expect(Exit.isFailure(yield* Effect.exit(Queue.take(channel.events)))).toBe(true)
    })
  )

  it.effect("counts its openings, and fails an opening as it is told to", () =>
    Effect.gen(function* () {
      const link = Link.make({
        medium: Medium.stdio,
        onOpen: (emit, opening) =>
          opening === 1
            ? Effect.fail(new TransportFailure({ reason: "no such command", retryable: false }))
            : emit({ _tag: "Closed", stderr: `opening ${opening}` }),
        onSend: () => Effect.void
      })
      expect((yield* Effect.flip(link.open)).reason).toBe("no such command")
      const channel = yield* link.open
      expect(yield* Queue.take(channel.events)).toEqual({ _tag: "Closed", stderr: "opening 2" })
    })
  )

  it.effect("makes emit wait while the client reads nothing", () =>
    Effect.gen(function* () {
      let emitted = 0
      const link = Link.make({
        medium: Medium.stdio,
        queuedEvents: 4,
        onSend: (_, emit) =>
          Effect.forever(
            Effect.andThen(
              emit({ _tag: "Arrived", message: notification("x") }),
              Effect.sync(() => (emitted += 1))
            ),
            { disableYield: true }
          )
      })
      const channel = yield* link.open
      yield* channel.send(post(1))
      yield* TestClock.adjust("1 second")
      expect(emitted).toBe(4)
      yield* Queue.take(channel.events)
      yield* TestClock.adjust("1 second")
      expect(emitted).toBe(5)
    })
  )

  it.effect("shows a defect of the handler to whoever reads the events", () =>
    Effect.gen(function* () {
      const link = Link.make({ medium: Medium.stdio, onSend: () => Effect.die("broken script") })
      const channel = yield* link.open
      yield* channel.send(post(1))
      const exit = yield* Effect.exit(Queue.take(channel.events))
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    })
  )
})

describe("Link.pair", () => {
  it.effect("gives a far end for each opening", () =>
    Effect.gen(function* () {
      const { transport, ends } = yield* Link.pair({ medium: Medium.http })
      const client = yield* Effect.forkChild(
        Effect.scoped(
          Effect.gen(function* () {
            const channel = yield* transport.open
            yield* channel.send(post(7))
            return yield* Queue.take(channel.events)
          })
        )
      )
      const end = yield* Queue.take(ends)
      const outgoing = yield* Queue.take(end.received)
      expect(end.opening).toBe(1)
      expect(outgoing).toEqual(post(7))
      yield* end.emit(Link.unanswered(outgoing, { status: 404 }))
      expect(yield* Fiber.join(client)).toMatchObject({ _tag: "Unanswered", exchange: 7, head: { status: 404 } })
    })
  )
})
