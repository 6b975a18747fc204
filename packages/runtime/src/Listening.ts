// The stream on which a legacy HTTP server speaks by itself: opened when someone listens, opened again when it ends, and
// given up when it brings nothing. What comes on it is routed by Link.
import type { Lost, Unanswered } from "@parley/core/client/Event"
import { isEventStream } from "@parley/core/HttpHead"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What the stream needs of its link. */
export interface Given {
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  readonly nextExchange: () => number
  /** Asks for a stream by GET, from an event on where one is named. */
  readonly get: (exchange: number, lastEventId: string | undefined) => Effect.Effect<void>
}

export interface Listening {
  /** Opens the stream, once. */
  readonly open: Effect.Effect<void>
  /** Takes note that something came on an exchange. */
  readonly heard: (exchange: number | undefined) => void
  /** Takes the end of an exchange. Returns what to do about it, or undefined where it was not that of the stream. */
  readonly ended: (event: Lost | Unanswered) => Effect.Effect<void> | undefined
}

export const make = ({ clock, get, nextExchange, scope }: Given): Listening => {
  let exchange: number | undefined
  let openedAt = 0
  let lastEventId: string | undefined
  let retryMillis: number | undefined
  // How often in a row it was opened and brought nothing.
  let attempts = 0

  const start = Effect.suspend(() => {
    exchange = nextExchange()
    openedAt = clock.currentTimeMillisUnsafe()
    return get(exchange, lastEventId)
  })

  const again = Effect.suspend(() => {
    if (clock.currentTimeMillisUnsafe() - openedAt >= lastedMillis) attempts = 0
    if (attempts >= mostAttempts) {
      return Effect.logWarning("The stream on which the server speaks by itself keeps ending; it is not opened again.")
    }
    const wait = Math.min((retryMillis ?? firstWaitMillis) * 2 ** attempts, longestWaitMillis)
    attempts += 1
    return Effect.asVoid(Effect.forkIn(Effect.delay(start, Math.max(wait, retryMillis ?? 0)), scope))
  })

  return {
    open: Effect.suspend(() => (exchange === undefined ? start : Effect.void)),
    heard: (on) => {
      if (on !== undefined && on === exchange) attempts = 0
    },
    ended: (event) => {
      if (event.exchange === undefined || event.exchange !== exchange) return undefined
      if (event._tag === "Lost") {
        lastEventId = event.resume?.lastEventId ?? lastEventId
        retryMillis = event.resume?.retryMillis ?? retryMillis
        return again
      }
      // Anything but a stream means that the server has none.
      const { contentType, status } = event.head
      return status === 200 && isEventStream(contentType) ? again : Effect.void
    }
  }
}

const firstWaitMillis = 1000
const longestWaitMillis = 30_000
// A stream that lasted so long was in order, whether or not it brought anything.
const lastedMillis = 30_000
const mostAttempts = 5
