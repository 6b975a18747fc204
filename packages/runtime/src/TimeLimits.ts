// How long each of many things may take: one sleeping fiber for all of them, however many there are. What is limited is not
// known here. `Effect.timeoutOrElse` would start two fibers and a timer for each.
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

export interface TimeLimits {
  /**
   * Returns the effect, interrupted after so many milliseconds; then it fails with what `late` returns, once its finalizers
   * have run. Infinity never interrupts it.
   */
  readonly within: <A, E>(millis: number, effect: Effect.Effect<A, E>, late: () => E) => Effect.Effect<A, E>
  /**
   * Returns how an effect ended, in a scope if one is given; undefined where {@link within} would fail. Where the time is
   * Infinity it is never undefined.
   */
  readonly attempt: {
    <A, E>(millis: number, effect: Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E> | undefined>
    <A, E>(
      millis: number,
      effect: Effect.Effect<A, E, Scope.Scope>,
      scope: Scope.Scope
    ): Effect.Effect<Exit.Exit<A, E> | undefined>
  }
  /** Ends the watch before the scope does. Nothing may be limited then, and nothing can be later. */
  readonly stop: () => void
}

interface Limited {
  readonly at: number
  readonly fiber: Fiber.Fiber<unknown, unknown>
  isLate: boolean
}

/** Returns time limits whose watch runs in the context, until the scope closes or it is stopped. */
export const make = (clock: Clock.Clock, context: Context.Context<never>, scope?: Scope.Scope): TimeLimits => {
  const running = new Set<Limited>()
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  let watch: Fiber.Fiber<void> | undefined
  let wakesAt = Infinity

  const watching: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(clock.sleep(Duration.millis(Math.max(0, Math.ceil(wakesAt - now())))), () => {
      const passed = now()
      const late: Array<Limited> = []
      wakesAt = Infinity
      for (const limited of running) {
        if (limited.at <= passed) late.push(limited)
        else if (limited.at < wakesAt) wakesAt = limited.at
      }
      // Each may go on at once, and start a watch of its own.
      for (const limited of late) {
        running.delete(limited)
        limited.isLate = true
        limited.fiber.interruptUnsafe()
      }
      return wakesAt === Infinity ? Effect.void : watching
    })
  )

  // A limit sooner than the one that is slept for starts the watch anew. Most are later, and start nothing.
  const watchFrom = (at: number): void => {
    if (at >= wakesAt) return
    wakesAt = at
    watch?.interruptUnsafe()
    watch = Effect.runForkWith(context)(watching)
    if (scope !== undefined) Fiber.runIn(watch, scope)
  }

  const limited = <A, E, B, F>(
    millis: number,
    effect: Effect.Effect<A, E>,
    told: (exit: Exit.Exit<A, E> | undefined) => Exit.Exit<B, F>,
    scope?: Scope.Scope
  ): Effect.Effect<B, F> =>
    Effect.withFiber((own) =>
      Effect.callback<B, F>((resume) => {
        const context = scope === undefined ? own.context : Context.add(own.context, Scope.Scope, scope)
        const fiber = Effect.runForkWith(context)(effect)
        const early = fiber.pollUnsafe()
        if (early !== undefined) return resume(told(early))
        const limited: Limited = { at: now() + millis, fiber, isLate: false }
        if (millis < Infinity) {
          running.add(limited)
          watchFrom(limited.at)
        }
        fiber.addObserver((exit) => {
          running.delete(limited)
          resume(told(limited.isLate && Exit.hasInterrupts(exit) ? undefined : exit))
        })
        return Fiber.interrupt(fiber)
      })
    )

  return {
    within: <A, E>(millis: number, effect: Effect.Effect<A, E>, late: () => E) =>
      millis === Infinity ? effect : limited<A, E, A, E>(millis, effect, (exit) => exit ?? Exit.fail(late())),
    attempt: <A, E>(millis: number, effect: Effect.Effect<A, E, Scope.Scope>, scope?: Scope.Scope) =>
      // Where no scope is given none is needed: the overloads say so.
      limited(millis, effect as Effect.Effect<A, E>, Exit.succeed, scope),
    stop: () => watch?.interruptUnsafe()
  }
}
