// The transport as one negotiation uses it: opened, reopened, written to and read from, and never for longer than the
// deadlines allow. What an event means, and what is sent, is not known here.
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { TransportFailure } from "@parley/core/Errors"
import { head } from "@parley/core/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { Deadlines } from "./Deadlines.ts"
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
  readonly channel: () => Channel | undefined
  /** Why opening failed, if it did. */
  readonly failure: () => TransportFailure | undefined
}

/** Returns a wire that is not open yet. The scope closes what it opens. */
export const make = (transport: Transport, scope: Scope.Closeable, deadlines: Deadlines): Wire => {
  let current: { readonly channel: Channel; readonly scope: Scope.Closeable } | undefined
  let failure: TransportFailure | undefined
  let untold: Event | undefined

  const open = Effect.suspend(() => {
    const own = Scope.forkUnsafe(scope)
    const limit = deadlines.soonest()
    const millis = deadlines.remainingMillis()
    return Scope.provide(transport.open, own).pipe(
      Effect.timeoutOption(millis),
      Effect.matchEffect({
        onFailure: (error) => {
          failure = error
          untold = { _tag: "Lost", cause: head(error.reason, 300) }
          return Scope.close(own, Exit.void)
        },
        onSuccess: (channel) => {
          if (Option.isSome(channel)) {
            current = { channel: channel.value, scope: own }
            return Effect.void
          }
          // Nothing was asked yet, so this is no silence of the server. The whole negotiation's deadline tells itself.
          if (limit !== "negotiation") {
            untold = { _tag: "Lost", cause: `The transport did not open within ${millis} ms.` }
          }
          return Scope.close(own, Exit.void)
        }
      })
    )
  })

  const reopen = Effect.suspend(() => {
    const old = current
    current = undefined
    return old === undefined ? open : Effect.andThen(Scope.close(old.scope, Exit.void), open)
  })

  const send = (outgoing: Outgoing, atMostMillis = Infinity): Effect.Effect<void> =>
    current === undefined
      ? Effect.void
      : Effect.asVoid(
          Effect.timeoutOption(current.channel.send(outgoing), Math.min(atMostMillis, deadlines.remainingMillis()))
        )

  const next = Effect.gen(function* () {
    for (;;) {
      if (untold !== undefined) {
        const event = untold
        untold = undefined
        return event
      }
      const ready = current === undefined ? undefined : Queue.takeUnsafe(current.channel.events)
      if (ready !== undefined) return Exit.isSuccess(ready) ? ready.value : closedHere
      const passed = deadlines.takePassed()
      if (passed !== undefined) return passed
      const wait =
        current === undefined
          ? Effect.never
          : Effect.orElseSucceed(Queue.take(current.channel.events), () => closedHere)
      const event = yield* Effect.timeoutOption(wait, deadlines.remainingMillis())
      if (Option.isSome(event)) return event.value
    }
  })

  return { open, reopen, send, next, channel: () => current?.channel, failure: () => failure }
}

const closedHere: Event = { _tag: "Lost", cause: "The channel was closed from this side." }
