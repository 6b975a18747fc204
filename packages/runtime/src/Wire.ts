// The transport as one negotiation uses it: opened, reopened, written to and read from, and never for longer than the
// deadlines allow. What an event means, and what is sent, is not known here.
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { TransportFailure } from "@parley/core/Errors"
import { head } from "@parley/core/Message"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { Deadlines } from "./Deadlines.ts"
import type { TimeLimits } from "./TimeLimits.ts"
import type { Channel, Transport } from "./Transport.ts"

/** The channel of a negotiation, while there is one. */
export interface Wire {
  /** Opens a channel. A failure, and a deadline of an exchange that passes meanwhile, is told by {@link next} as `Lost`. */
  readonly open: Effect.Effect<void>
  /** Closes what is left of the channel and opens a fresh one. */
  readonly reopen: Effect.Effect<void>
  /** Hands a message to the channel. Without a channel nothing is sent; when a deadline passes the rest is not waited for. */
  readonly send: (outgoing: Outgoing, atMostMillis?: number) => Effect.Effect<void> | undefined
  /** Waits for the next thing that happens: an event of the channel, or a deadline. */
  readonly next: Effect.Effect<Event>
  /** Closes what is left of the channel. */
  readonly close: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void> | undefined
  readonly channel: () => Channel | undefined
  /** Why opening failed, if it did. */
  readonly failure: () => TransportFailure | undefined
}

/** Returns a wire that is not open yet. The scope closes what it opens. */
export const make = (transport: Transport, outer: Scope.Scope, deadlines: Deadlines, limits: TimeLimits): Wire => {
  let current: Channel | undefined
  // That of the channel, and of one that is still opening.
  let scope: Scope.Closeable | undefined
  let failure: TransportFailure | undefined
  let untold: Event | undefined

  const open = Effect.suspend(() => {
    const own = Scope.forkUnsafe(outer)
    scope = own
    const limit = deadlines.soonest()
    const millis = deadlines.remainingMillis()
    const opening: Effect.Effect<Exit.Exit<Channel, TransportFailure> | undefined> =
      transport.opensAtOnce === true
        ? Effect.exit(Scope.provide(transport.open, own))
        : limits.attempt(millis, transport.open, own)
    return Effect.flatMap(opening, (exit) => {
      if (exit === undefined) {
        // Nothing was asked yet, so this is no silence of the server. The whole negotiation's deadline tells itself.
        if (limit !== "negotiation") {
          untold = { _tag: "Lost", cause: `The transport did not open within ${millis} ms.` }
        }
      } else if (Exit.isSuccess(exit)) {
        current = exit.value
        return Effect.void
      } else {
        const error = Cause.findError(exit.cause)
        if (Result.isFailure(error)) return Effect.failCause(error.failure)
        failure = error.success
        untold = { _tag: "Lost", cause: head(failure.reason, 300) }
      }
      return Scope.close(own, Exit.void)
    })
  })

  // What is left of a channel is closed before a fresh one is opened.
  const close = (exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> | undefined => {
    const old = scope
    current = undefined
    scope = undefined
    return old === undefined ? undefined : Scope.close(old, exit)
  }

  const send = (outgoing: Outgoing, atMostMillis = Infinity): Effect.Effect<void> | undefined =>
    current === undefined || current.sendsAtOnce === true
      ? current?.send(outgoing)
      : Effect.flatMap(
          limits.attempt(Math.min(atMostMillis, deadlines.remainingMillis()), current.send(outgoing)),
          (exit) => exit ?? Effect.void
        )

  const next: Effect.Effect<Event> = Effect.suspend(() => {
    if (untold !== undefined) {
      const event = untold
      untold = undefined
      return Effect.succeed(event)
    }
    const ready = current === undefined ? undefined : Queue.takeUnsafe(current.events)
    if (ready !== undefined) return eventOf(ready)
    const passed = deadlines.takePassed()
    if (passed !== undefined) return Effect.succeed(passed)
    const events = current?.events
    return Effect.flatMap(
      limits.wait(deadlines.remainingMillis(), (wake) => (events === undefined ? nothing : arrival(events, wake))),
      () => next
    )
  })

  return {
    open,
    reopen: Effect.suspend(() => {
      const closing = close(Exit.void)
      return closing === undefined ? open : Effect.andThen(closing, open)
    }),
    send,
    next,
    close,
    channel: () => current,
    failure: () => failure
  }
}

// Calls `wake` once there is something to take, as `Queue.take` waits for it, without a fiber that would have to be
// interrupted when the time has passed. Returns what ends that.
const arrival = (events: Channel["events"], wake: () => void): (() => void) => {
  const { state } = events
  if (state._tag === "Done") return nothing
  const { offers, takers } = state
  const taker = {
    ready: () => events.messages.length > 0 || offers.size > 0 || events.state._tag === "Done",
    resume: wake
  }
  takers.add(taker)
  return () => void takers.delete(taker)
}

const nothing = (): void => {}

// The queue ends where the channel was closed from this side; a defect of a carrier is passed on.
const eventOf = (exit: Exit.Exit<Event, Cause.Done>): Effect.Effect<Event> =>
  Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.orElseSucceed(exit, () => closedHere)

const closedHere: Event = { _tag: "Lost", cause: "The channel was closed from this side." }
