// Schedules for trying a negotiation again. Retry is composition: Negotiation.negotiate(…).pipe(Effect.retry(Retry.transient)).
// Each is an ordinary Schedule and combines with the user's own. Whether an error can be retried is the error's own word.
import type { NegotiationError, RequestError } from "@parley/core/Errors"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** What the schedules look at: whether trying again can help, and what kind of failure it was. */
export type Retryable = NegotiationError | RequestError

/**
 * Retries while the error says that trying again can help (timeouts, outages, load, a lost session): after 200 ms, then
 * twice as long each time up to 5 s, each wait jittered by 80 to 120 %, at most five times.
 */
export const transient: Schedule.Schedule<unknown, Retryable> = Schedule.min([
  Schedule.exponential("200 millis"),
  Schedule.spaced("5 seconds")
]).pipe(
  Schedule.jittered,
  Schedule.upTo({ times: 5 }),
  Schedule.setInputType<Retryable>(),
  Schedule.while(({ input }) => input.retryable)
)

/**
 * Returns the schedule with its waits made at least as long as the server asked for (`Retry-After`, seconds or a date).
 * A server that asks for more than `boundMillis` (default 60,000) is not waited for: the schedule ends, and the error
 * keeps what it asked.
 */
export const respectingRetryAfter = <Output, Error, Env>(
  schedule: Schedule.Schedule<Output, Retryable, Error, Env>,
  options: { readonly boundMillis?: number } = {}
): Schedule.Schedule<Output, Retryable, Error, Env> => {
  const bound = options.boundMillis ?? 60_000
  return schedule.pipe(
    Schedule.while(({ input }) => (askedMillis(input) ?? 0) <= bound),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.succeed(Duration.max(duration, Duration.millis(askedMillis(input) ?? 0)))
    )
  )
}

/** Returns the schedule cut off after so many retries, or with the last wait that begins within so long. */
export const upTo = <Output, Error, Env>(
  schedule: Schedule.Schedule<Output, Retryable, Error, Env>,
  limit: { readonly times: number } | { readonly duration: Duration.Input }
): Schedule.Schedule<Output, Retryable, Error, Env> => Schedule.upTo(schedule, limit)

/**
 * Retries a server that is slow to start: a timeout, a process that ended, a connection refused. Every second, the last
 * time after 31 s. For spawns such as `npx` or a container, whose first start may take longer than an exchange.
 */
export const coldStart: Schedule.Schedule<unknown, Retryable> = Schedule.spaced("1 second").pipe(
  Schedule.upTo({ duration: "30 seconds" }),
  Schedule.setInputType<Retryable>(),
  Schedule.while(({ input }) => isSlowStart(input))
)

// Why the negotiation failed, where it is one for a new session.
const reasonOf = ({ reason }: Retryable): Retryable["reason"] =>
  reason._tag === "NegotiationError" ? reason.reason : reason

const isSlowStart = (error: Retryable): boolean => {
  const { _tag, retryable } = reasonOf(error)
  return _tag === "Timeout" || (_tag === "TransportFailure" && retryable)
}

const askedMillis = (error: Retryable): number | undefined => {
  const reason = reasonOf(error)
  return reason._tag === "Busy" ? reason.retryAfterMillis : undefined
}
