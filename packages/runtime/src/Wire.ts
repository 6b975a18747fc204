// The transport as one negotiation uses it: opened, reopened, written to and read from, and never for longer than the
// deadlines allow. What an event means, and what is sent, is not known here.
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { TransportFailure } from "@parley/core/Errors"
import { head } from "@parley/core/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
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
  readonly send: (outgoing: Outgoing, atMostMillis?: number) => Effect.Effect<void>
  /** Waits for the next thing that happens: an event of the channel, or a deadline. */
  readonly next: Effect.Effect<Event>
  /** Closes what is left of the channel. */
  readonly close: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
  readonly channel: () => Channel | undefined
  /** Why opening failed, if it did. */
  readonly failure: () => TransportFailure | undefined
}

interface Opened {
  readonly channel: Channel
  readonly take: Effect.Effect<Event>
}

/** Returns a wire that is not open yet. The scope closes what it opens. */
export const make = (transport: Transport, outer: Scope.Scope, deadlines: Deadlines, limits: TimeLimits): Wire => {
  let current: Opened | undefined
  // That of the channel, and of one that is still opening.
  let scope: Scope.Closeable | undefined
  let failure: TransportFailure | undefined
  let untold: Event | undefined

  const open = Effect.suspend(() => {
    const own = Scope.forkUnsafe(outer)
    scope = own
    const limit = deadlines.soonest()
    const millis = deadlines.remainingMillis()
    return Effect.matchEffect(limits.upTo(millis, transport.open, own), {
      onFailure: (error) => {
        failure = error
        untold = { _tag: "Lost", cause: head(error.reason, 300) }
        return Scope.close(own, Exit.void)
      },
      onSuccess: (channel) => {
        if (channel !== undefined) {
          const take = Effect.orElseSucceed(Queue.take(channel.events), () => closedHere)
          current = { channel, take }
          return Effect.void
        }
        // Nothing was asked yet, so this is no silence of the server. The whole negotiation's deadline tells itself.
        if (limit !== "negotiation") {
          untold = { _tag: "Lost", cause: `The transport did not open within ${millis} ms.` }
        }
        return Scope.close(own, Exit.void)
      }
    })
  })

  // What is left of a channel is closed before a fresh one is opened.
  const close = (exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
    const old = scope
    current = undefined
    scope = undefined
    return old === undefined ? Effect.void : Scope.close(old, exit)
  }

  const send = (outgoing: Outgoing, atMostMillis = Infinity): Effect.Effect<void> =>
    current === undefined
      ? Effect.void
      : limits.upTo(Math.min(atMostMillis, deadlines.remainingMillis()), current.channel.send(outgoing))

  const next: Effect.Effect<Event> = Effect.suspend(() => {
    if (untold !== undefined) {
      const event = untold
      untold = undefined
      return Effect.succeed(event)
    }
    const ready = current === undefined ? undefined : Queue.takeUnsafe(current.channel.events)
    if (ready !== undefined) return Effect.succeed(Exit.isSuccess(ready) ? ready.value : closedHere)
    const passed = deadlines.takePassed()
    if (passed !== undefined) return Effect.succeed(passed)
    const waiting = limits.upTo(deadlines.remainingMillis(), current === undefined ? Effect.never : current.take)
    return Effect.flatMap(waiting, (event) => (event === undefined ? next : Effect.succeed(event)))
  })

  return {
    open,
    reopen: Effect.suspend(() => Effect.andThen(close(Exit.void), open)),
    send,
    next,
    close,
    channel: () => current?.channel,
    failure: () => failure
  }
}

const closedHere: Event = { _tag: "Lost", cause: "The channel was closed from this side." }
