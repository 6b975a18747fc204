// A channel that is opened without a negotiation: closed with the caller's scope, or at once where it does not open.
import { NegotiationError, TransportFailure } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TimeLimits from "../TimeLimits.ts"
import type { Channel, Transport } from "../Transport.ts"

/** Opens a channel within so many milliseconds. Fails with the trace of what led here. */
export const open = (
  transport: Transport,
  millis: number,
  trace: ReadonlyArray<TraceEntry>
): Effect.Effect<Channel, NegotiationError, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<Scope.Scope>) =>
    Effect.clockWith((clock) => {
      const scope = Scope.forkUnsafe(Context.get(context, Scope.Scope))
      // Most channels open at once: only one that does not costs a fiber that watches the time.
      const limits = TimeLimits.make(clock, context, scope)
      const late = () =>
        new TransportFailure({ reason: `The transport did not open within ${millis} ms.`, retryable: true })
      return limits.within(millis, Scope.provide(transport.open, scope), late).pipe(
        Effect.mapError((reason) => new NegotiationError({ reason, trace })),
        Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
      )
    })
  )
