// What remembers what each server spoke: the port, and a memory of this process. What a verdict is good for is in Verdict.
import * as Effect from "effect/Effect"
import * as Bounded from "./Bounded.ts"
import type { Verdict } from "./Verdict.ts"

/** Whose memory of which server. */
export interface Key {
  /** The transport's `target`: an origin and path without credentials and query, or a command. */
  readonly target: string
  /**
   * On whose behalf: an account, a tenant. Two that may see different things of one server need different names; what one
   * of them was told is never used for another. Default: "", for an application that has only one.
   */
  readonly principal: string
}

/** What a memory offers. None of it fails: a memory that cannot be reached remembers nothing. */
export interface Shape {
  readonly lookup: (key: Key) => Effect.Effect<Verdict | undefined>
  readonly remember: (key: Key, verdict: Verdict) => Effect.Effect<void>
  readonly forget: (key: Key) => Effect.Effect<void>
  /** How long a legacy verdict is believed before the server is probed again, in milliseconds. Default: a day. */
  readonly legacyMillis: number
}

/** What every memory can be told. */
export interface MemoryOptions {
  /** How many verdicts are kept. Default 10,000. */
  readonly capacity?: number | undefined
  /** How long a legacy verdict is believed, in milliseconds. Default: a day. */
  readonly legacyMillis?: number | undefined
}

/** How long a legacy verdict is believed where nothing else is said, in milliseconds. */
export const defaultLegacyMillis = 86_400_000

/** Returns a memory of this process: bounded by its number and by 32 Mi characters; what was not used for longest goes. */
export const memory = (options?: MemoryOptions): Shape => {
  const kept = Bounded.make(Math.max(1, Math.floor(options?.capacity ?? 10_000)))
  return {
    lookup: (key) => Effect.sync(() => kept.get(textOf(key))),
    remember: (key, verdict) => Effect.sync(() => kept.set(textOf(key), verdict)),
    forget: (key) => Effect.sync(() => kept.remove(textOf(key))),
    legacyMillis: options?.legacyMillis ?? defaultLegacyMillis
  }
}

/** Returns one text for a key: no two keys have the same. */
export const textOf = ({ principal, target }: Key): string => `${target.length}:${target}${principal}`
