// Runs an effect under observation: counts its steps (each operation of each of its fibers), can interrupt it at any one
// of them, and knows which fibers and timers it left behind.
import type { Duration, Exit } from "effect"
import { Clock, Context, Effect, Fiber, Metric, Scheduler } from "effect"
import { TestClock } from "effect/testing"

/** What a run left. */
export interface Left<A, E> {
  readonly exit: Exit.Exit<A, E>
  /** How many steps were made. */
  readonly steps: number
  readonly fibers: number
  readonly timers: number
}

/** Counts of what is alive, beside services that keep them. */
export interface Census {
  readonly context: Context.Context<never>
  readonly fibers: () => number
  readonly timers: () => number
  readonly steps: () => number
  /**
   * Called with the number of each step, before it. A fiber is running then, and can only be interrupted where it yields:
   * `true` makes it yield.
   */
  onStep: (step: number) => boolean
}

/** Returns a census. What runs with its context is counted. */
export const census = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const scheduler = yield* Scheduler.Scheduler
  let fibers = 0
  let timers = 0
  let steps = 0
  const counting: Clock.Clock = {
    ...clock,
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    sleep: (duration: Duration.Duration) =>
      Effect.acquireUseRelease(
        Effect.sync(() => (timers += 1)),
        () => clock.sleep(duration),
        () => Effect.sync(() => (timers -= 1))
      )
  }
  const stepping: Scheduler.Scheduler = {
    executionMode: scheduler.executionMode,
    makeDispatcher: () => scheduler.makeDispatcher(),
    shouldYield: (fiber) => {
      steps += 1
      return self.onStep(steps) || scheduler.shouldYield(fiber)
    }
  }
  const self: Census = {
    context: Context.empty().pipe(
      Context.add(Clock.Clock, counting),
      Context.add(Scheduler.Scheduler, stepping),
      Context.add(Metric.FiberRuntimeMetrics, {
        recordFiberStart: () => (fibers += 1),
        recordFiberEnd: () => (fibers -= 1)
      })
    ),
    fibers: () => fibers,
    timers: () => timers,
    steps: () => steps,
    onStep: () => false
  }
  return self
})

/** Returns what interrupts a fiber when so many steps were made. */
export const interruptsAt =
  (fiber: Fiber.Fiber<unknown, unknown>, at: number | undefined): Census["onStep"] =>
  (step) => {
    if (step !== at) return false
    queueMicrotask(() => fiber.interruptUnsafe())
    return true
  }

/**
 * Runs an effect to its end, with virtual time passing, and interrupts it at a step if one is named. What it left is counted
 * once its fiber has ended.
 */
export const run = <A, E>(effect: Effect.Effect<A, E>, interruptAt?: number): Effect.Effect<Left<A, E>> =>
  Effect.gen(function* () {
    const counts = yield* census
    const fiber = yield* Effect.forkChild(Effect.provideContext(effect, counts.context))
    counts.onStep = interruptsAt(fiber, interruptAt)
    for (let seconds = 0; fiber.pollUnsafe() === undefined && seconds < 200; seconds += 5) {
      yield* TestClock.adjust("5 seconds")
    }
    const exit = yield* Fiber.await(fiber)
    return { exit, steps: counts.steps(), fibers: counts.fibers(), timers: counts.timers() }
  })
