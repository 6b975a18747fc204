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
  const running = new Map<Of, { readonly startedAt: number; readonly at: number }>()
  const begun = clock.monotonicTimeNanosUnsafe()
  const now = () => Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e6
  const soonest = () => {
    let best: Of | undefined
    let at = Infinity
    for (const [of, deadline] of running) {
      if (deadline.at < at) {
        best = of
        at = deadline.at
      }
    }
    return { of: best, at }
  }
  return {
    start: (of, millis) => {
      const startedAt = now()
      running.set(of, { startedAt, at: startedAt + millis })
    },
    clear: (of) => {
      running.delete(of)
    },
    soonest: () => soonest().of,
    remainingMillis: () => Math.max(0, Math.ceil(soonest().at - now())),
    takePassed: () => {
      const { at, of } = soonest()
      const deadline = of === undefined ? undefined : running.get(of)
      if (of === undefined || deadline === undefined || at > now()) return undefined
      running.delete(of)
      return { _tag: "DeadlinePassed", of, waitedMillis: Math.round(now() - deadline.startedAt) }
    },
    elapsedMillis: now
  }
}
