// What changes on the host, told to whoever listens: the doors of a legacy session or pipe, and modern subscriptions.
import type { JsonObject, Params } from "@parley/core/Message"
import type { Door, RequestContext } from "@parley/runtime/Handler"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

export interface Changes {
  /** Tells everybody who listens. */
  readonly tell: (method: string, params?: Params) => Effect.Effect<void>
  /** Serves one who listens, for as long as it does. */
  readonly listen: (door: Door) => Effect.Effect<never>
  /** A legacy client wants to hear when a resource changes, or no longer. */
  readonly subscribe: (context: RequestContext, uri: string) => Effect.Effect<JsonObject>
  readonly unsubscribe: (context: RequestContext, uri: string) => Effect.Effect<JsonObject>
}

interface Change {
  readonly method: string
  readonly params: Params | undefined
}

export const make = (): Changes => {
  const listeners = new Set<Queue.Queue<Change>>()
  // By session; a pipe has none and is alone.
  const subscribed = new Map<string, Set<string>>()

  const wants = (door: Door, { method, params }: Change): boolean => {
    if (method !== updated || door.era === "modern") return true
    const uri = params?.["uri"]
    return typeof uri === "string" && subscribed.get(door.sessionId ?? pipe)?.has(uri) === true
  }

  const subscriptionsOf = (context: RequestContext): Set<string> => {
    const key = context.sessionId ?? pipe
    const known = subscribed.get(key) ?? new Set<string>()
    // The session that subscribed last is forgotten last.
    subscribed.delete(key)
    subscribed.set(key, known)
    for (const oldest of subscribed.keys()) {
      if (subscribed.size <= mostSessions) break
      subscribed.delete(oldest)
    }
    return known
  }

  return {
    tell: (method, params) =>
      Effect.sync(() => {
        for (const queue of listeners) Queue.offerUnsafe(queue, { method, params })
      }),
    listen: (door) =>
      Effect.acquireUseRelease(
        Effect.tap(Queue.sliding<Change>(mostWaiting), (queue) => Effect.sync(() => listeners.add(queue))),
        (queue) =>
          Effect.forever(
            Effect.flatMap(Queue.take(queue), (change) =>
              wants(door, change) ? door.notify(change.method, change.params) : Effect.void
            )
          ),
        (queue) => Effect.sync(() => listeners.delete(queue))
      ),
    subscribe: (context, uri) =>
      Effect.sync(() => {
        const known = subscriptionsOf(context)
        if (known.size < mostSubscriptions) known.add(uri)
        return {}
      }),
    unsubscribe: (context, uri) =>
      Effect.sync(() => {
        subscriptionsOf(context).delete(uri)
        return {}
      })
  }
}

const updated = "notifications/resources/updated"
const pipe = ""
// Whoever reads slowly misses the oldest changes: a list that changed twice has changed.
const mostWaiting = 100
const mostSessions = 1_000
const mostSubscriptions = 100
