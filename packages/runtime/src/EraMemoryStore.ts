// An EraMemory on any KeyValueStore: a file system, Redis, SQL. In a file of its own, so that a client that remembers nothing,
// or only in memory, does not load the module. What comes out of the store is as little trusted as what a peer says.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { KeyValueStore } from "effect/persistence/KeyValueStore"
import { EraMemory } from "./EraMemory.ts"
import { defaultLegacyMillis, type Key, type Shape, textOf } from "./memory/Memory.ts"
import { mostLength, read } from "./memory/Verdict.ts"

/** How the store is used. */
export interface Options {
  /** What every key begins with. Default `parley-era-`. */
  readonly prefix?: string | undefined
  /** How long the store may take for one thing, in milliseconds; then it counts as down. Default 1,000. */
  readonly millis?: number | undefined
  /** How long a legacy verdict is believed, in milliseconds. Default: a day. */
  readonly legacyMillis?: number | undefined
}

/**
 * Returns a memory on the store. Keys are digests, so that they fit every store and show nobody's name. A store that fails
 * or is slow means no memory: a warning is logged once for reading and once for writing, and again
 * only after it was well in between.
 */
export const make = (store: KeyValueStore, options?: Options): Shape => {
  const prefix = options?.prefix ?? "parley-era-"
  const millis = options?.millis ?? 1_000
  const down = new Set<string>()

  const asked = <A>(what: string, effect: Effect.Effect<A, unknown>): Effect.Effect<A | undefined> =>
    effect.pipe(
      Effect.timeout(millis),
      Effect.tap(() => {
        down.delete(what)
        return Effect.void
      }),
      Effect.catchCause((cause) => {
        if (Cause.hasInterrupts(cause)) return Effect.failCause(withoutFailures(cause))
        if (down.has(what)) return Effect.succeed(undefined)
        down.add(what)
        return Effect.as(
          Effect.logWarning(`The memory of eras could not be ${what}; until it can, servers are negotiated with anew.`),
          undefined
        )
      })
    )

  const at = <A>(key: Key, use: (name: string) => Effect.Effect<A, unknown>): Effect.Effect<A, unknown> =>
    Effect.flatMap(nameOf(prefix, key), use)

  return {
    lookup: (key) => Effect.map(asked("read", at(key, store.get)), parsed),
    remember: (key, verdict) =>
      Effect.asVoid(
        asked(
          "written",
          at(key, (name) => store.set(name, JSON.stringify(verdict)))
        )
      ),
    forget: (key) => Effect.asVoid(asked("written", at(key, store.remove))),
    legacyMillis: options?.legacyMillis ?? defaultLegacyMillis
  }
}

/** Returns the layer of a memory on the application's KeyValueStore. */
export const layer = (options?: Options): Layer.Layer<EraMemory, never, KeyValueStore> =>
  Layer.effect(
    EraMemory,
    Effect.map(KeyValueStore, (store) => make(store, options))
  )

const nameOf = (prefix: string, key: Key): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(textOf(key)))),
    (digest) => {
      let name = prefix
      for (const byte of new Uint8Array(digest)) name += byte.toString(16).padStart(2, "0")
      return name
    }
  )

// Twice the bound: a verdict is a little longer than its DiscoverResult.
const parsed = (text: string | undefined): ReturnType<typeof read> => {
  if (text === undefined || text.length > 2 * mostLength) return undefined
  try {
    return read(JSON.parse(text))
  } catch {
    return undefined
  }
}

const withoutFailures = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => reason._tag === "Interrupt"))
