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
      const opening = Scope.provide(transport.open, scope)
      const late = () =>
        new TransportFailure({ reason: `The transport did not open within ${millis} ms.`, retryable: true })
      const opened =
        transport.opensAtOnce === true ? opening : TimeLimits.make(clock, context, scope).within(millis, opening, late)
      return Effect.onExitPrimitive(
        Effect.mapError(opened, (reason) => new NegotiationError({ reason, trace })),
        (exit) => (Exit.isSuccess(exit) ? undefined : Scope.close(scope, exit))
      )
    })
  )
