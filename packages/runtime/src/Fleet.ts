// Negotiations with many servers at once, as a Stream of results in the order in which they come. In a file of its own: it
// loads Stream. What one negotiation does is Negotiation's.
import type { Agreement } from "@parley/core/Agreement"
import type { Policy } from "@parley/core/client/Policy"
import type { ClientIdentity } from "@parley/core/Envelope"
import type { NegotiationError } from "@parley/core/Errors"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Line from "./fleet/Line.ts"
import * as Negotiation from "./Negotiation.ts"
import type { Transport } from "./Transport.ts"

/** One server of a fleet. */
export interface Target {
  readonly transport: Transport
  /** Default: the fleet's. */
  readonly policy?: Policy | undefined
  /** What it shares a limit with. Default: over HTTP the origin of the transport's target; a command shares none. */
  readonly origin?: string | undefined
}

/** What every negotiation of the fleet is given, and how many there may be at once. */
export interface Options<T extends Target, A, R> {
  readonly client: ClientIdentity
  /** Default `Policy.auto`. */
  readonly policy?: Policy | undefined
  /** How many negotiations are under way at once. Default 64. */
  readonly concurrency?: number | undefined
  /** How many of them with one origin. Default 6. */
  readonly perOrigin?: number | undefined
  /**
   * What is done with each open channel, such as listing its tools; it is closed afterwards. It must bound its own time: a
   * server that does not answer holds its place until then. Default: nothing.
   */
  readonly each?:
    | ((negotiated: Negotiation.Negotiated, target: T) => Effect.Effect<A, never, R | Scope.Scope>)
    | undefined
}

/** What came of one server. */
export type Result<T extends Target, A> = Agreed<T, A> | Failed<T> | Broken<T>

/** The server and the client agree. */
export interface Agreed<T, A> extends Common<T> {
  readonly _tag: "Agreed"
  readonly agreement: Agreement
  /** What `each` returned. */
  readonly value: A | undefined
}

/** They do not, or the server was not reached. */
export interface Failed<T> extends Common<T> {
  readonly _tag: "Failed"
  readonly error: NegotiationError
}

/** A carrier, or `each`, has a defect: the others go on. */
export interface Broken<T> extends Common<T> {
  readonly _tag: "Broken"
  readonly problem: string
}

interface Common<T> {
  readonly target: T
  /** Its place among the targets, from 0. */
  readonly index: number
  /** From the opening of its transport until its channel is closed again, in milliseconds. */
  readonly millis: number
  readonly progress: Progress
}

/** How far the fleet is, this result included. */
export interface Progress {
  readonly done: number
  readonly failed: number
  /** How many there are, where the targets are an array. */
  readonly total: number | undefined
}

/**
 * Negotiates with each target and gives the results as they come. A slow or dead server holds up nobody but those that
 * share its origin: what waits for an origin waits aside, at most 10,000 targets of it. Results that are not read hold
 * the next negotiations up, so that memory is bounded however many targets the iterable has. Ending the stream early
 * interrupts what is under way and leaves no process, socket or timer.
 */
export const negotiate = <T extends Target, A = never, R = never>(
  targets: Iterable<T>,
  options: Options<T, A, R>
): Stream.Stream<Result<T, A>, never, Exclude<R, Scope.Scope>> => {
  const concurrency = Math.max(1, Math.floor(options.concurrency ?? 64))
  const perOrigin = Math.max(1, Math.floor(options.perOrigin ?? 6))
  return Stream.callback<Result<T, A>, never, Exclude<R, Scope.Scope>>(
    (results) =>
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const clock = yield* Clock.Clock
        const line = Line.make(targets, originOf, perOrigin)
        const total = Array.isArray(targets) ? targets.length : undefined
        let running = 0
        let done = 0
        let failed = 0

        const work = (place: Line.Place<T>): Effect.Effect<void, never, Exclude<R, Scope.Scope>> =>
          Effect.suspend(() => {
            const begun = clock.monotonicTimeNanosUnsafe()
            return Effect.flatMap(Effect.exit(one(place.item, options)), (exit) => {
              done += 1
              if (Exit.isFailure(exit)) failed += 1
              line.leave(place)
              const millis = Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e6
              const common = { target: place.item, index: place.index, millis, progress: { done, failed, total } }
              return Effect.asVoid(Queue.offer(results, resultOf(exit, common)))
            })
          })

        const worked = (place: Line.Place<T>): Effect.Effect<void, never, Exclude<R, Scope.Scope>> =>
          Effect.andThen(
            work(place),
            Effect.suspend(() => {
              running -= 1
              return fill
            })
          )

        const fill: Effect.Effect<void, never, Exclude<R, Scope.Scope>> = Effect.suspend(() => {
          const places: Array<Line.Place<T>> = []
          while (running < concurrency) {
            const place = line.next()
            if (place === undefined) break
            running += 1
            places.push(place)
          }
          if (running === 0) Queue.endUnsafe(results)
          return Effect.forEach(places, (place) => Effect.forkIn(worked(place), scope), { discard: true })
        }).pipe(Effect.catchCause((cause) => Effect.asVoid(Queue.failCause(results, cause))))

        yield* fill
      }),
    { bufferSize: concurrency }
  )
}

const one = <T extends Target, A, R>(
  target: T,
  { client, each, policy }: Options<T, A, R>
): Effect.Effect<
  { readonly agreement: Agreement; readonly value: A | undefined },
  NegotiationError,
  Exclude<R, Scope.Scope>
> =>
  Effect.scoped(
    Effect.flatMap(
      Negotiation.negotiate({ transport: target.transport, client, policy: target.policy ?? policy }),
      (negotiated): Effect.Effect<{ agreement: Agreement; value: A | undefined }, never, R | Scope.Scope> => {
        const { agreement } = negotiated
        return each === undefined
          ? Effect.succeed({ agreement, value: undefined })
          : Effect.map(each(negotiated, target), (value) => ({ agreement, value }))
      }
    )
  )

const resultOf = <T extends Target, A>(
  exit: Exit.Exit<{ readonly agreement: Agreement; readonly value: A | undefined }, NegotiationError>,
  common: Common<T>
): Result<T, A> => {
  if (Exit.isSuccess(exit)) return { _tag: "Agreed", ...common, ...exit.value }
  for (const reason of exit.cause.reasons)
    if (reason._tag === "Fail") return { _tag: "Failed", ...common, error: reason.error }
  return { _tag: "Broken", ...common, problem: String(Cause.squash(exit.cause)).slice(0, 300) }
}

const originOf = ({ origin, transport }: Target): string | undefined => {
  if (origin !== undefined || transport.medium.streams === "shared") return origin
  return URL.canParse(transport.target) ? new URL(transport.target).origin : transport.target
}
