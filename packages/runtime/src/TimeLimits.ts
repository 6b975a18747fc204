// How long each of many things may take: one alarm for all of them, however many there are. What is limited is not known
// here. `Effect.timeoutOrElse` would start two fibers and a timer for each.
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Alarm from "./Alarm.ts"

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
  /**
   * Waits until it is woken, at most so long. `listen` is given what wakes it, and returns what ends that. No fiber is started:
   * it is for the hottest wait there is.
   */
  readonly wait: (millis: number, listen: (wake: () => void) => () => void) => Effect.Effect<void>
  /** Ends the watch before the scope does. Nothing may be limited then. */
  readonly stop: () => void
}

interface Limited {
  readonly at: number
  /** What is done when the time has passed. */
  readonly pass: () => void
}

/** Returns time limits that are watched until the scope closes or they are stopped. */
export const make = (clock: Clock.Clock, context: Context.Context<never>, scope?: Scope.Scope): TimeLimits => {
  const running = new Set<Limited>()
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  let alarm: Alarm.Alarm | undefined
  let ringsAt = Infinity

  const check = (): void => {
    const passed = now()
    const late: Array<Limited> = []
    let next = Infinity
    for (const limited of running) {
      if (limited.at <= passed) late.push(limited)
      else if (limited.at < next) next = limited.at
    }
    ringsAt = Infinity
    watchFrom(next)
    // Each may go on at once, and set the alarm anew.
    for (const limited of late) {
      running.delete(limited)
      limited.pass()
    }
  }

  const begin = (): Alarm.Alarm => {
    // What came while the program was busy is read before a time counts as passed.
    const checking = Effect.map(Effect.yieldNow, check)
    const fork = Effect.runForkWith(context)
    return Alarm.make(clock, context, () => void fork(checking))
  }

  // A limit sooner than the one that is waited for sets the alarm anew. Most are later, and set nothing.
  const watchFrom = (at: number): void => {
    if (at >= ringsAt) return
    ringsAt = at
    const isFirst = alarm === undefined
    alarm ??= begin()
    alarm.set(Math.max(0, Math.ceil(at - now())))
    if (isFirst && scope !== undefined) Effect.runSync(Scope.addFinalizer(scope, Effect.sync(stop)))
  }

  const watch = (limited: Limited): void => {
    if (limited.at === Infinity) return
    running.add(limited)
    watchFrom(limited.at)
  }

  const stop = (): void => alarm?.clear()

  const wait = (millis: number, listen: (wake: () => void) => () => void): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const limited: Limited = {
        at: now() + millis,
        pass: () => {
          leave()
          resume(Effect.void)
        }
      }
      const leave = listen(() => {
        running.delete(limited)
        resume(Effect.void)
      })
      watch(limited)
      return Effect.sync(() => {
        running.delete(limited)
        leave()
      })
    })

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
        let isLate = false
        const limited: Limited = {
          at: now() + millis,
          pass: () => {
            isLate = true
            fiber.interruptUnsafe()
          }
        }
        watch(limited)
        fiber.addObserver((exit) => {
          running.delete(limited)
          resume(told(isLate && Exit.hasInterrupts(exit) ? undefined : exit))
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
    wait,
    stop
  }
}
