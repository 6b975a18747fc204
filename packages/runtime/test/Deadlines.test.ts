import { describe, expect, it } from "@effect/vitest"
import * as Deadlines from "@parley/runtime/Deadlines"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const make = Effect.map(Clock.Clock, Deadlines.make)

describe("Deadlines", () => {
  it.effect("knows which passes next, and says how long that takes", () =>
    Effect.gen(function* () {
      const deadlines = yield* make
      expect(deadlines.soonest()).toBeUndefined()
      expect(deadlines.remainingMillis()).toBe(Infinity)
      deadlines.start("negotiation", 60_000)
      deadlines.start(1, 10_000)
      expect(deadlines.soonest()).toBe(1)
      yield* TestClock.adjust(4000)
      expect(deadlines.remainingMillis()).toBe(6000)
      expect(deadlines.takePassed()).toBeUndefined()
      deadlines.clear(1)
      expect(deadlines.soonest()).toBe("negotiation")
      expect(deadlines.remainingMillis()).toBe(56_000)
    })
  )

  it.effect("gives each passed deadline once, the oldest first, with how long was waited", () =>
    Effect.gen(function* () {
      const deadlines = yield* make
      deadlines.start(1, 3000)
      yield* TestClock.adjust(1000)
      deadlines.start(2, 500)
      yield* TestClock.adjust(4000)
      expect(deadlines.remainingMillis()).toBe(0)
      expect(deadlines.takePassed()).toEqual({ _tag: "DeadlinePassed", of: 2, waitedMillis: 4000 })
      expect(deadlines.takePassed()).toEqual({ _tag: "DeadlinePassed", of: 1, waitedMillis: 5000 })
      expect(deadlines.takePassed()).toBeUndefined()
    })
  )

  it.effect("rounds what remains up, so that a timer never wakes before its deadline", () =>
    Effect.gen(function* () {
      const deadlines = yield* make
      deadlines.start(1, 0.25)
      expect(deadlines.remainingMillis()).toBe(1)
      yield* TestClock.adjust("1 millis")
      expect(deadlines.takePassed()?.of).toBe(1)
    })
  )

  it.effect("a deadline without an end never passes", () =>
    Effect.gen(function* () {
      const deadlines = yield* make
      deadlines.start("negotiation", Infinity)
      yield* TestClock.adjust("365 days")
      expect(deadlines.takePassed()).toBeUndefined()
      expect(deadlines.remainingMillis()).toBe(Infinity)
    })
  )
})
