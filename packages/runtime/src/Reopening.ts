// What follows the loss of a whole channel, such as a process that exited: it is opened anew by the owner's schedule, and
// requests wait meanwhile. How it is opened is Connection's.
import type { NegotiationError, RequestReason, TransportFailure } from "@parley/core/Errors"
import { RequestError, TransportFailure as Failure } from "@parley/core/Errors"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as ObserveConnection from "./ObserveConnection.ts"
import type { Changing } from "./Readiness.ts"
import type { Retryable } from "./Retry.ts"

export interface Given {
  /** Absent: a channel that is lost stays lost. */
  readonly schedule: Schedule.Schedule<unknown, Retryable> | undefined
  readonly readiness: Changing
  readonly context: Context.Context<never>
  readonly scope: Scope.Scope
  /** Opens anew what was lost. */
  readonly open: Effect.Effect<void, NegotiationError>
  /** Told once, when no further attempt is made. */
  readonly onEnd: () => void
}

export interface Reopening {
  /** The channel in use is lost. */
  readonly begin: (reason: TransportFailure) => void
  /** What a request waits for before it is sent; undefined where it can be sent now. */
  readonly wait: () => Effect.Effect<void, RequestReason> | undefined
  /** The owner closes the connection: whoever waits is told. */
  readonly stop: () => void
}

/** How long a channel must have lived so that its loss begins the schedule anew, in milliseconds. */
export const stableMillis = 10_000

export const make = (given: Given): Reopening => {
  const { context, onEnd, open, readiness, schedule, scope } = given
  let waiting: Deferred.Deferred<void, RequestReason> | undefined
  let signal: Deferred.Deferred<TransportFailure> | undefined
  let ended = false
  let attempts = 0

  const lose = (reason: RequestReason): void => {
    waiting ??= Deferred.makeUnsafe()
    readiness.set({ _tag: "Reopening", reason, attempt: attempts + 1 })
  }

  const end = (reason: RequestReason | undefined): void => {
    if (ended) return
    ended = true
    readiness.set(reason === undefined ? { _tag: "Closed" } : { _tag: "Closed", reason })
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Exit.fail(reason ?? closedHere()))
    onEnd()
  }

  // Opens, and watches for a while: a channel that is lost soon after counts as one that did not open, so that a server
  // that dies again and again meets the waits and the end of the schedule.
  const attempt: Effect.Effect<void, Retryable> = Effect.suspend(() => {
    attempts += 1
    const own = Deferred.makeUnsafe<TransportFailure>()
    signal = own
    return Effect.andThen(
      Effect.tapError(open, (error) => Effect.sync(() => lose(error))),
      Effect.suspend(() => {
        if (!Deferred.isDoneUnsafe(own)) opened()
        return Effect.timeoutOption(Deferred.await(own), stableMillis)
      })
    ).pipe(
      Effect.flatMap((lost) =>
        Option.isNone(lost)
          ? Effect.void
          : Effect.fail(new RequestError({ method: "(connection)", reason: lost.value }))
      )
    )
  })

  const opened = (): void => {
    const known = waiting
    waiting = undefined
    readiness.set({ _tag: "Ready" })
    if (known !== undefined) Deferred.doneUnsafe(known, Exit.void)
  }

  const run = (schedule: Schedule.Schedule<unknown, Retryable>): Effect.Effect<void> =>
    Effect.retry(attempt, schedule).pipe(
      Effect.matchEffect({
        onSuccess: () =>
          Effect.sync(() => {
            signal = undefined
            attempts = 0
          }),
        onFailure: (error) =>
          Effect.sync(() => {
            const reason = error._tag === "RequestError" ? error.reason : error
            ObserveConnection.gaveUp(reason, context)
            end(reason)
          })
      })
    )

  return {
    begin: (reason) => {
      if (ended) return
      if (schedule === undefined) return end(reason)
      lose(reason)
      if (signal !== undefined) Deferred.doneUnsafe(signal, Exit.succeed(reason))
      else {
        signal = Deferred.makeUnsafe()
        const opening = Fiber.runIn(Effect.runForkWith(context)(run(schedule)), scope)
        opening.addObserver((exit) => {
          if (Exit.hasInterrupts(exit)) end(undefined)
        })
      }
    },
    wait: () => (waiting === undefined ? undefined : Deferred.await(waiting)),
    stop: () => end(undefined)
  }
}

const closedHere = (): TransportFailure => new Failure({ reason: "The connection was closed.", retryable: true })
