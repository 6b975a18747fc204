// Whether a connection can be used, as a value that can be read and listened to. A small one of its own: a SubscriptionRef
// loads Stream, and every connection would pay for it; ConnectionState makes one of this.
import type { RequestReason } from "@parley/core/Errors"

/** How a connection stands. */
export type State = Opening | Ready | Reopening | Closed

/** The first negotiation is under way. */
export interface Opening {
  readonly _tag: "Opening"
}

/** It can be used. */
export interface Ready {
  readonly _tag: "Ready"
}

/** The channel was lost; requests wait until it is open again. `attempt` counts from 1. */
export interface Reopening {
  readonly _tag: "Reopening"
  readonly reason: RequestReason
  readonly attempt: number
}

/** For good. Without a reason where the owner closed it. */
export interface Closed {
  readonly _tag: "Closed"
  readonly reason?: RequestReason
}

/** How a connection stands, to be read and listened to. */
export interface Readiness {
  readonly current: () => State
  /** Calls back at each change, until the returned function is called. What is called must not throw. */
  readonly listen: (hear: (state: State) => void) => () => void
}

/** A readiness and the way to change it. Nothing follows `Closed`. */
export interface Changing extends Readiness {
  readonly set: (state: State) => void
}

/** Returns a readiness that stands at `Opening`. */
export const make = (): Changing => {
  let state: State = { _tag: "Opening" }
  const listeners = new Set<(state: State) => void>()
  return {
    current: () => state,
    listen: (hear) => {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    set: (next) => {
      if (state._tag === "Closed") return
      state = next
      for (const hear of listeners) hear(next)
    }
  }
}
