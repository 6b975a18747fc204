// The readiness of a connection as Effect's SubscriptionRef, for programs that follow it as a Stream. In a file of its own:
// it loads Stream.
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Readiness, State } from "./Readiness.ts"

/**
 * Returns a reference that follows the readiness until the scope closes: `connection.readiness`, or one that was made
 * before and given to `Connection.connect`, which shows the opening too. Where changes come faster than they are read, at
 * least the latest 64 arrive.
 */
export const follow = (
  readiness: Readiness
): Effect.Effect<SubscriptionRef.SubscriptionRef<State>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const changes = yield* Queue.sliding<State>(64)
    yield* Effect.acquireRelease(
      Effect.sync(() => readiness.listen((state) => void Queue.offerUnsafe(changes, state))),
      (stop) => Effect.sync(stop)
    )
    const ref = yield* SubscriptionRef.make(readiness.current())
    yield* Effect.forkScoped(
      Effect.forever(Effect.flatMap(Queue.take(changes), (state) => SubscriptionRef.set(ref, state)))
    )
    return ref
  })
