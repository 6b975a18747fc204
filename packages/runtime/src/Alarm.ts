// One call at a later time, on Effect's clock. On the clock of the platform it is the platform's timer: a fiber that sleeps
// costs three times as much, and almost every alarm is put off before it rings.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

export interface Alarm {
  /** Rings once after so many milliseconds (24 days at most), instead of when it was set to before. */
  readonly set: (millis: number) => void
  readonly clear: () => void
}

/** Returns an alarm that is not set. */
export const make = (clock: Clock.Clock, context: Context.Context<never>, ring: () => void): Alarm =>
  clock === platform ? onPlatform(ring) : onClock(clock, context, ring)

const onPlatform = (ring: () => void): Alarm => {
  let timer: unknown
  return {
    set: (millis) => {
      clearTimeout(timer)
      timer = setTimeout(ring, Math.min(millis, longest))
    },
    clear: () => clearTimeout(timer)
  }
}

const onClock = (clock: Clock.Clock, context: Context.Context<never>, ring: () => void): Alarm => {
  const fork = Effect.runForkWith(context)
  let fiber: Fiber.Fiber<void> | undefined
  const clear = (): void => fiber?.interruptUnsafe()
  return {
    set: (millis) => {
      clear()
      fiber = fork(Effect.map(clock.sleep(Duration.millis(millis)), ring))
    },
    clear
  }
}

// That of whoever provides no other.
const platform = Context.get(Context.empty(), Clock.Clock)

// In milliseconds: what timers can count.
const longest = 2 ** 31 - 1

// Every platform has them; the types of none are in scope here.
declare const setTimeout: (call: () => void, millis: number) => unknown
declare const clearTimeout: (timer: unknown) => void
