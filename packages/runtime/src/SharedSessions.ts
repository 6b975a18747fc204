// A SessionStore on any KeyValueStore, so that each of many servers admits the sessions that another opened. In a file of its
// own: a server of one process does not load the module. What a session means is not known here.
//
// A session is three entries. What it is (`r`) is written once, when it is opened, and never again: whoever removes it ends
// the session everywhere, and nobody who read it before can bring it back. Where it stands (`s`) and when it was used (`t`)
// are written later, and mean nothing without it.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { KeyValueStore } from "effect/persistence/KeyValueStore"
import type * as Scope from "effect/Scope"
import type { Deferred } from "./admission/Session.ts"
import { StoreUnavailable } from "./admission/Session.ts"
import * as Entry from "./admission/SessionEntry.ts"
import { SessionStore, type Store } from "./SessionStore.ts"

/** How the store is used, and when what nobody uses is removed. */
export interface Options {
  /** What every key begins with. Default `parley-session-`. */
  readonly prefix?: string | undefined
  /** How long the store may take for one thing, in milliseconds; then it counts as down. Default 2,000. */
  readonly millis?: number | undefined
  /** How many sessions there may be. Default 1,000,000; a client that comes then is told 503. Counted once a second. */
  readonly capacity?: number | undefined
  /**
   * How often what nobody uses is looked for and removed, in milliseconds. Default 60,000; Infinity where something else
   * does it. When a session *ends* is decided at its next use, by the profile's deadlines.
   */
  readonly sweepMillis?: number | undefined
  /** How long an unused session is kept: more than the profile's `idleMillis`. In milliseconds, default an hour. */
  readonly idleMillis?: number | undefined
  /** The same before `notifications/initialized`: more than the profile's `openingMillis`. Default five minutes. */
  readonly openingMillis?: number | undefined
}

/**
 * Returns a session store on the key-value store. Every failure of it, and every answer that is too slow, is
 * StoreUnavailable: the client is told 503 with Retry-After, and nothing is admitted that could not be looked up.
 *
 * A question that a server asks its client (sampling, elicitation, roots) is answered by a POST of its own, which must
 * reach the server that asked: put a load balancer in front that keeps a session at one server where that is used.
 */
export const make = (store: KeyValueStore, options?: Options): Effect.Effect<Store, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const prefix = options?.prefix ?? "parley-session-"
    const millis = options?.millis ?? 2_000
    const capacity = options?.capacity ?? 1_000_000
    const sweepMillis = options?.sweepMillis ?? 60_000
    let counted = { at: -Infinity, size: 0 }

    const asked = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, StoreUnavailable> =>
      effect.pipe(
        Effect.timeout(millis),
        Effect.mapError((cause) => new StoreUnavailable({ why: "unreachable", cause }))
      )

    const key = (id: string, part: Entry.Part): string => `${prefix}${id}${part}`
    const touch = (id: string) => store.set(key(id, "t"), String(now()))

    const hasRoom = Effect.suspend(() => {
      if (now() - counted.at < 1_000) return Effect.succeed(counted.size < capacity)
      return Effect.map(store.size, (size) => {
        counted = { at: now(), size: size / 3 }
        return counted.size < capacity
      })
    })

    const removed = (id: string) =>
      Effect.andThen(store.remove(key(id, "r")), Effect.andThen(store.remove(key(id, "s")), store.remove(key(id, "t"))))

    const deferred: Deferred = {
      create: (id, record) =>
        Effect.flatMap(asked(hasRoom), (room) =>
          room
            ? asked(Effect.andThen(touch(id), store.set(key(id, "r"), Entry.write(record))))
            : Effect.fail(new StoreUnavailable({ why: "full" }))
        ),
      use: (id) => {
        if (!Entry.isId(id)) return Effect.succeed(undefined)
        const reading = Effect.all([store.get(key(id, "r")), store.get(key(id, "s")), store.get(key(id, "t"))], {
          concurrency: "unbounded"
        })
        return asked(
          Effect.flatMap(reading, ([written, standing, used]) => {
            const record = Entry.read(written, standing)
            if (record === undefined) return Effect.succeed(undefined)
            const at = Entry.readTime(used) ?? record.createdAt
            const found = { record, idleMillis: Math.max(0, now() - at) }
            // A session that is used often is not written each time.
            return found.idleMillis < touchMillis ? Effect.succeed(found) : Effect.as(touch(id), found)
          })
        )
      },
      // Another server may have written meanwhile: what has happened stays happened.
      update: (id, record) =>
        asked(
          Effect.flatMap(store.get(key(id, "s")), (before) =>
            store.set(key(id, "s"), Entry.writeStanding(record, before))
          )
        ),
      remove: (id) => (Entry.isId(id) ? asked(removed(id)) : Effect.void)
    }

    const sweep = Effect.gen(function* () {
      const parts = new Map<string, Set<string>>()
      for (const name of yield* store.keys) {
        const id = name.slice(prefix.length, -1)
        if (!name.startsWith(prefix) || !Entry.isId(id)) continue
        parts.set(id, (parts.get(id) ?? new Set()).add(name.slice(-1)))
      }
      for (const [id, known] of parts) {
        const used = Entry.readTime(yield* store.get(key(id, "t"))) ?? 0
        const limit = known.has("s") ? (options?.idleMillis ?? 3_600_000) : (options?.openingMillis ?? 300_000)
        if (now() - used > limit) yield* removed(id)
      }
    })
    if (sweepMillis !== Infinity) {
      yield* Effect.sleep(sweepMillis).pipe(
        // A store that is down is swept the next time.
        Effect.andThen(Effect.ignoreCause(sweep)),
        Effect.forever,
        Effect.forkScoped
      )
    }
    return { _tag: "Deferred", store: deferred }
  })

/** Returns the layer of a session store on the application's KeyValueStore. */
export const layer = (options?: Options): Layer.Layer<SessionStore, never, KeyValueStore> =>
  Layer.effect(
    SessionStore,
    Effect.flatMap(KeyValueStore, (store) => make(store, options))
  )

// How old the time of the last use may be until it is written anew, in milliseconds.
const touchMillis = 1_000
