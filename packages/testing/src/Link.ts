// An in-memory Transport: what the client sends goes to a function, and what that function emits are the client's
// events. No socket and no process, so that it runs under TestClock. No server's behaviour is decided here.
import type { Event, ResponseHead } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { TransportFailure } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import type { Message } from "@parley/core/Message"
import type { Era } from "@parley/core/Version"
import type { Channel, Transport } from "@parley/runtime/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"

/** Gives the client an event. Waits while the client leaves too many unread; does nothing once the channel is closed. */
export type Emit = (event: Event) => Effect.Effect<void>

/** How a link behaves, and what its far end does. */
export interface Options {
  readonly medium: Medium
  /** The eras that a client on this link can live in. Default: both. */
  readonly eras?: ReadonlyArray<Era>
  /** Default: `link`. */
  readonly target?: string
  /** How many events wait for the client before {@link Emit} waits. Default 64. */
  readonly queuedEvents?: number
  /** Runs when a channel is opened, before the client has it; a failure is what opening fails with. */
  readonly onOpen?: (emit: Emit, opening: number) => Effect.Effect<void, TransportFailure>
  /**
   * Runs for each message that the client sends, in a fiber of its own: it may wait, and emit any number of events.
   * `opening` counts the channels of this link from 1. Abandoning an exchange of a `perRequest` medium interrupts its
   * fiber and drops what is emitted for it later; closing the channel interrupts all. A defect in it ends the channel's events with that defect.
   */
  readonly onSend: (outgoing: Outgoing, emit: Emit, opening: number) => Effect.Effect<void>
}

/** Returns a transport whose other end is the given function. Each opening is a channel of its own. */
export const make = (options: Options): Transport => {
  let openings = 0
  return {
    medium: options.medium,
    eras: options.eras ?? ["legacy", "modern"],
    target: options.target ?? "link",
    open: Effect.suspend(() => open(options, (openings += 1)))
  }
}

/** The far end of one channel of a {@link pair}. */
export interface End {
  /** Counts the openings from 1. */
  readonly opening: number
  /** What the client sends, in order. */
  readonly received: Queue.Dequeue<Outgoing>
  readonly emit: Emit
}

/**
 * Returns a transport and the far ends of its channels, one for each opening, for a test that plays the server step by
 * step instead of by a function.
 */
export const pair = (
  options: Omit<Options, "onOpen" | "onSend">
): Effect.Effect<{ readonly transport: Transport; readonly ends: Queue.Dequeue<End> }> =>
  Effect.gen(function* () {
    const ends = yield* Queue.unbounded<End>()
    const inboxes = new Map<number, Queue.Queue<Outgoing>>()
    const transport = make({
      ...options,
      onOpen: (emit, opening) =>
        Effect.gen(function* () {
          const received = yield* Queue.unbounded<Outgoing>()
          inboxes.set(opening, received)
          yield* Queue.offer(ends, { opening, received, emit })
        }),
      onSend: (outgoing, _emit, opening) =>
        Effect.suspend(() => {
          const inbox = inboxes.get(opening)
          return inbox === undefined ? Effect.void : Effect.asVoid(Queue.offer(inbox, outgoing))
        })
    })
    return { transport, ends }
  })

/**
 * Returns the event with which a message arrives as an answer to what was sent: on a shared pipe alone, over a
 * `perRequest` medium on its exchange with the head of its response (default: 200, application/json).
 */
export const answer = (
  medium: Medium,
  outgoing: Outgoing,
  message: Message,
  head: ResponseHead = { status: 200, contentType: "application/json" }
): Event => (medium.streams === "shared" ? arrived(message) : arrived(message, outgoing.exchange, head))

/** Returns the event of a response without a JSON-RPC answer. A 202 (the default) accepts a notification. */
export const unanswered = (outgoing: Outgoing, head: ResponseHead = { status: 202 }, body = ""): Event => ({
  _tag: "Unanswered",
  exchange: outgoing.exchange,
  head,
  body,
  problem: "The response holds no answer."
})

const open = (options: Options, opening: number): Effect.Effect<Channel, TransportFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const events = yield* Queue.bounded<Event, Cause.Done>(options.queuedEvents ?? 64)
    const scope = yield* Scope.make()
    const handlers = new Map<number, Fiber.Fiber<void>>()
    let closed = false
    const close = Effect.suspend(() => {
      closed = true
      Queue.endUnsafe(events)
      return Scope.close(scope, Exit.void)
    })
    yield* Effect.addFinalizer(() => close)
    const abandoned = new Set<number>()
    const emit: Emit = (event) =>
      Effect.suspend(() =>
        "exchange" in event && event.exchange !== undefined && abandoned.has(event.exchange)
          ? Effect.void
          : Effect.asVoid(Queue.offer(events, event))
      )
    if (options.onOpen !== undefined) yield* options.onOpen(emit, opening)

    const handle = (outgoing: Outgoing): Effect.Effect<void> =>
      Effect.suspend(() => options.onSend(outgoing, emit, opening)).pipe(
        Effect.catchDefect((defect) => Effect.asVoid(Queue.failCause(events, Cause.die(defect)))),
        Effect.ensuring(Effect.sync(() => handlers.delete(outgoing.exchange)))
      )
    const send = (outgoing: Outgoing): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (closed) return Effect.void
        return Effect.map(Effect.forkIn(handle(outgoing), scope, { startImmediately: true }), (fiber) => {
          if (fiber.pollUnsafe() === undefined) handlers.set(outgoing.exchange, fiber)
        })
      })
    const abandon = (exchange: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (options.medium.streams === "shared") return Effect.void
        abandoned.add(exchange)
        const fiber = handlers.get(exchange)
        return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
      })
    return { send, events, abandon, close }
  })
