// A request that a fiber is serving: what ends it early, and what is written when the fiber ends.
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Exchange } from "./Exchange.ts"

/** One request that is being served. */
export interface Running {
  /** Whether it only listens: it ends with the pipe, since nobody waits for its answer. */
  readonly listens: boolean
  /** The client cancelled it or has gone: the fiber is interrupted, and no answer is written. */
  readonly cancel: () => void
  /** The server is closing: the fiber is interrupted, and the answer that `finish` makes of that is written. */
  readonly stop: () => void
  /** The fiber, to wait for. Undefined once it has ended. */
  readonly fiber: () => Fiber.Fiber<unknown, unknown> | undefined
}

/**
 * Returns a fiber as a request being served. When it ends, `finish` writes the answer, unless the request was cancelled;
 * `done` is told in every case, after that.
 */
export const make = <A, E>(
  exchange: Exchange,
  listens: boolean,
  start: () => Fiber.Fiber<A, E>,
  finish: (exit: Exit.Exit<A, E>) => void,
  begun: (running: Running) => void,
  done: (running: Running) => void
): Running => {
  let cancelled = false
  let stopped = false
  let fiber: Fiber.Fiber<A, E> | undefined
  const running: Running = {
    listens,
    cancel: () => {
      cancelled = true
      fiber?.interruptUnsafe()
    },
    stop: () => {
      stopped = true
      fiber?.interruptUnsafe()
    },
    fiber: () => fiber
  }
  begun(running)
  fiber = start()
  // What it did before its first pause may have ended it already.
  if (cancelled || stopped) fiber.interruptUnsafe()
  fiber.addObserver((exit) => {
    fiber = undefined
    if (cancelled) exchange.end()
    else finish(exit)
    done(running)
  })
  return running
}
