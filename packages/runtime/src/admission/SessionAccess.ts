// One way to use either kind of session store: with what comes next as a callback. A store that answers at once calls back
// at once, so that nothing is waited for and no fiber starts; the other one is asked in a fiber.
import type * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Deferred, Expired, Found, Immediate, SessionRecord } from "./Session.ts"
import { StoreUnavailable } from "./Session.ts"
import type { Store } from "../SessionStore.ts"

/** What is called when the store could not do it. */
export type Failed = (error: StoreUnavailable) => void

export interface SessionAccess {
  readonly create: (id: string, record: SessionRecord, then: () => void, failed: Failed) => void
  readonly use: (id: string, then: (found: Found | undefined) => void, failed: Failed) => void
  readonly update: (id: string, record: SessionRecord, then: () => void, failed: Failed) => void
  readonly remove: (id: string, then: () => void, failed: Failed) => void
  readonly hold: (id: string) => void
  readonly release: (id: string) => void
  /** Forgets what was not used for so long. A store that takes time does so by itself. */
  readonly expire: (openingMillis: number, idleMillis: number) => Expired
}

/** Returns the access to a store. */
export const make = (
  store: Store,
  clock: Clock.Clock,
  fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
): SessionAccess => (store._tag === "Immediate" ? atOnce(store.store, clock) : inTime(store.store, fork))

const atOnce = (store: Immediate, clock: Clock.Clock): SessionAccess => {
  const now = (): number => clock.currentTimeMillisUnsafe()
  return {
    create: (id, record, then, failed) =>
      store.create(id, record, now()) ? then() : failed(new StoreUnavailable({ why: "full" })),
    use: (id, then) => then(store.use(id, now())),
    update: (id, record, then) => {
      store.update(id, record)
      then()
    },
    remove: (id, then) => {
      store.remove(id)
      then()
    },
    hold: store.hold,
    release: (id) => store.release(id, now()),
    expire: (openingMillis, idleMillis) => store.expire(now(), openingMillis, idleMillis)
  }
}

const inTime = (store: Deferred, fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>): SessionAccess => {
  const ask = <A>(effect: Effect.Effect<A, StoreUnavailable>, then: (value: A) => void, failed: Failed): void => {
    fork(effect).addObserver((exit) => {
      if (exit._tag === "Success") then(exit.value)
      else failed(unavailable(exit.cause))
    })
  }
  return {
    create: (id, record, then, failed) => ask(store.create(id, record), then, failed),
    use: (id, then, failed) => ask(store.use(id), then, failed),
    update: (id, record, then, failed) => ask(store.update(id, record), then, failed),
    remove: (id, then, failed) => ask(store.remove(id), then, failed),
    hold: nothing,
    release: nothing,
    expire: () => ({ opening: 0, idle: 0 })
  }
}

// A store that is broken is as good as one that is down.
const unavailable = (cause: Cause.Cause<StoreUnavailable>): StoreUnavailable => {
  const failure = Cause.squash(cause)
  return failure instanceof StoreUnavailable ? failure : new StoreUnavailable({ why: "unreachable", cause: failure })
}

const nothing = (): void => {}
