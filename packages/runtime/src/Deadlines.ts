// The deadlines that a machine asked for, on Effect's clock. Knows which passes next, and nothing of what that means.
import type { DeadlinePassed } from "@parley/core/client/Event"
import type * as Clock from "effect/Clock"

/** What a deadline belongs to: an exchange, or the whole negotiation. */
export type Of = DeadlinePassed["of"]

/** The deadlines that are running. */
export interface Deadlines {
  readonly start: (of: Of, millis: number) => void
  readonly clear: (of: Of) => void
  /** What the deadline that passes next belongs to, or undefined if none runs. */
  readonly soonest: () => Of | undefined
  /** Milliseconds until the next deadline passes, rounded up; 0 if one has passed, Infinity if none runs. */
  readonly remainingMillis: () => number
  /** Takes the deadline that has passed the longest ago, if one has. */
  readonly takePassed: () => DeadlinePassed | undefined
  /** Milliseconds since the deadlines were made. */
  readonly elapsedMillis: () => number
}

/** Returns deadlines that count from now. */
export const make = (clock: Clock.Clock): Deadlines => {
  // Two, or three for a moment.
  const running: Array<Running> = []
  const begun = clock.monotonicTimeNanosUnsafe()
  const now = () => Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e6
  const soonest = (): Running | undefined => {
    let best = running[0]
    for (const deadline of running) if (best !== undefined && deadline.at < best.at) best = deadline
    return best
  }
  const clear = (of: Of): void => {
    const at = running.findIndex((deadline) => deadline.of === of)
    if (at !== -1) running.splice(at, 1)
  }
  return {
    start: (of, millis) => {
      clear(of)
      const startedAt = now()
      running.push({ of, startedAt, at: startedAt + millis })
    },
    clear,
    soonest: () => soonest()?.of,
    remainingMillis: () => {
      const next = soonest()
      return next === undefined ? Infinity : Math.max(0, Math.ceil(next.at - now()))
    },
    takePassed: () => {
      const next = soonest()
      if (next === undefined) return undefined
      const time = now()
      if (next.at > time) return undefined
      clear(next.of)
      return { _tag: "DeadlinePassed", of: next.of, waitedMillis: Math.round(time - next.startedAt) }
    },
    elapsedMillis: now
  }
}

interface Running {
  readonly of: Of
  readonly startedAt: number
  readonly at: number
}
