// The service that keeps the legacy HTTP sessions of a server. What is kept, and what a store must offer, is in Session.
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Deferred, Immediate } from "./admission/Session.ts"
import * as SessionMemory from "./admission/SessionMemory.ts"

export type { Deferred, Expired, Found, Immediate, SessionRecord } from "./admission/Session.ts"
export { StoreUnavailable } from "./admission/Session.ts"

/** A store of one of the two kinds: one that answers at once, or one that takes time. */
export type Store =
  | { readonly _tag: "Immediate"; readonly store: Immediate }
  | { readonly _tag: "Deferred"; readonly store: Deferred }

/** Where a server keeps its legacy sessions. Without this service an Admission keeps them in a memory of its own. */
export class SessionStore extends Context.Service<SessionStore, Store>()("@parley/runtime/SessionStore") {
  /** A store in memory. Servers that share the layer share the sessions. */
  static readonly layerMemory = (options?: SessionMemory.Options): Layer.Layer<SessionStore> =>
    Layer.sync(SessionStore, () => memory(options))
}

/** Returns a store in memory. */
export const memory = (options?: SessionMemory.Options): Store => ({
  _tag: "Immediate",
  store: SessionMemory.make(options)
})
