// A channel that is opened without a negotiation: closed with the caller's scope, or at once where it does not open.
import { NegotiationError, TransportFailure } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Channel, Transport } from "../Transport.ts"

/** Opens a channel within so many milliseconds. Fails with the trace of what led here. */
export const open = (
  transport: Transport,
  millis: number,
  trace: ReadonlyArray<TraceEntry>
): Effect.Effect<Channel, NegotiationError, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (outer) => {
    const scope = Scope.forkUnsafe(outer)
    return Scope.provide(transport.open, scope).pipe(
      Effect.timeoutOrElse({
        duration: millis,
        orElse: () =>
          Effect.fail(
            new TransportFailure({ reason: `The transport did not open within ${millis} ms.`, retryable: true })
          )
      }),
      Effect.mapError((reason) => new NegotiationError({ reason, trace })),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
  })
