import { describe, expect, it } from "@effect/vitest"
import * as TimeLimits from "@parley/runtime/TimeLimits"
import { Clock, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Steps from "./support/Steps.ts"

const make = Effect.gen(function* () {
  const counts = yield* Steps.census
  const scope = yield* Effect.scope
  const clock = yield* Effect.provideContext(Clock.Clock, counts.context)
  return { counts, scope, limits: TimeLimits.make(clock, counts.context, scope) }
})

const late = () => "late" as const

describe("TimeLimits", () => {
  it.effect("gives what came in time, as it came", () =>
    Effect.gen(function* () {
      const { limits } = yield* make
      expect(yield* limits.within(10, Effect.succeed(1), late)).toBe(1)
      expect(yield* Effect.flip(limits.within(10, Effect.fail("own"), late))).toBe("own")
      const fiber = yield* Effect.forkChild(limits.within(10, Effect.delay(Effect.succeed(2), 9), late))
      yield* TestClock.adjust(9)
      expect(yield* Fiber.join(fiber)).toBe(2)
      expect(Exit.hasDies(yield* Effect.exit(limits.within(10, Effect.die("broken"), late)))).toBe(true)
    })
  )

  it.effect("interrupts what is late, and waits until it has let go", () =>
    Effect.gen(function* () {
      const { limits } = yield* make
      let gone = false
      const slow = Effect.onInterrupt(Effect.never, () =>
        Effect.andThen(
          Effect.sleep(5),
          Effect.sync(() => {
            gone = true
          })
        )
      )
      const fiber = yield* Effect.forkChild(Effect.flip(limits.within(10, slow, late)))
      yield* TestClock.adjust(10)
      expect({ gone, exit: fiber.pollUnsafe() }).toEqual({ gone: false, exit: undefined })
      yield* TestClock.adjust(5)
      expect(yield* Fiber.join(fiber)).toBe("late")
      expect(gone).toBe(true)
    })
  )

  it.effect("keeps many limits apart with one timer, the sooner and the later, in whatever order they are set", () =>
    Effect.gen(function* () {
      const { counts, limits } = yield* make
      const ended: Array<number> = []
      for (const millis of [50, 10, 30, 20, 40, 30]) {
        yield* Effect.forkChild(
          Effect.flip(limits.within(millis, Effect.never, () => millis)).pipe(Effect.map((value) => ended.push(value)))
        )
        yield* Effect.yieldNow
        expect(counts.timers()).toBe(1)
      }
      for (const [until, expected] of [
        [9, []],
        [10, [10]],
        [30, [10, 20, 30, 30]],
        [50, [10, 20, 30, 30, 40, 50]]
      ] as const) {
        yield* TestClock.setTime(until)
        expect(ended).toEqual(expected)
      }
      expect(counts.timers()).toBe(0)
    })
  )

  it.effect("holds for what is begun because another was late", () =>
    Effect.gen(function* () {
      const { limits } = yield* make
      const times: Array<number> = []
      const once = Effect.andThen(
        Effect.exit(limits.within(10, Effect.never, late)),
        Effect.map(Clock.currentTimeMillis, (now) => times.push(now))
      )
      yield* Effect.forkChild(Effect.repeat(once, { times: 4 }))
      yield* Effect.forkChild(Effect.exit(limits.within(1000, Effect.never, late)))
      yield* TestClock.adjust(60)
      expect(times).toEqual([10, 20, 30, 40, 50])
    })
  )

  it.effect("of Infinity is none", () =>
    Effect.gen(function* () {
      const { counts, limits } = yield* make
      const fiber = yield* Effect.forkChild(limits.within(Infinity, Effect.delay(Effect.succeed(1), "400 days"), late))
      yield* TestClock.adjust("399 days")
      expect(counts.timers()).toBe(0)
      yield* TestClock.adjust("1 days")
      expect(yield* Fiber.join(fiber)).toBe(1)
    })
  )

  it.effect("passes an interruption on, and leaves no timer once the scope is closed", () =>
    Effect.gen(function* () {
      const counts = yield* Steps.census
      const scope = yield* Scope.make()
      const clock = yield* Effect.provideContext(Clock.Clock, counts.context)
      const limits = TimeLimits.make(clock, counts.context, scope)
      let interrupted = 0
      const slow = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted += 1)))
      const fiber = yield* Effect.forkChild(limits.within(10, slow, late))
      yield* Effect.yieldNow
      expect(counts.timers()).toBe(1)
      yield* Fiber.interrupt(fiber)
      expect(interrupted).toBe(1)
      yield* Scope.close(scope, Exit.void)
      expect({ timers: counts.timers(), fibers: counts.fibers() }).toEqual({ timers: 0, fibers: 0 })
    })
  )
})
