// What every part of an admission shares: the profile, the owner's programs, the way to run them, and who is told of
// refusals and failures.
import type { Request } from "@parley/core/Message"
import type { Admitted } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import type { Refusal } from "@parley/core/server/Refusal"
import type { Era } from "@parley/core/Version"
import type * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Handler, Listener, NotificationHandler } from "../Handler.ts"
import type { Running } from "./Running.ts"

export interface Host {
  readonly compiled: Compiled
  readonly handler: Handler<unknown, never>
  readonly listener: Listener<unknown, never> | undefined
  readonly onNotification: NotificationHandler<unknown, never> | undefined
  readonly clock: Clock.Clock
  /** Starts a fiber with everything that the owner's programs need. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Puts what observes it around a program that serves a request. */
  readonly observed: <A, E>(request: Request, admitted: Admitted, program: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Every request that is being served, so that closing can end them. */
  readonly running: Set<Running>
  /** Whether the server is closing: what comes then is refused. */
  readonly isClosing: () => boolean
  /** How many notifications are being heard. */
  readonly hearing: { count: number }
  /** Tells of a refusal: the hook of the owner, metrics. */
  readonly refused: (refusal: Refusal) => void
  /** Tells of a program of the owner's that failed in a way that no client is told of. */
  readonly failed: (method: string, cause: Cause.Cause<unknown>) => void
  /** Tells of an admitted request. */
  readonly admitted: (era: Era) => void
}
