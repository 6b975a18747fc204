// A route of Effect's HttpRouter on node:http, as a server of a process.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { listening } from "./Served.ts"

/** Serves routes that need nothing but a router. The scope is the process. */
export const routed = <A, E, R>(routes: Layer.Layer<A, E, R>): Promise<number> => {
  const scope = Scope.makeUnsafe()
  const app = Scope.provide(
    HttpRouter.toHttpEffect(Layer.provideMerge(routes, NodeHttpServer.layerHttpServices)),
    scope
  )
  const serving = Effect.gen(function* () {
    const listener = yield* NodeHttpServer.makeHandler(yield* app, { scope })
    return yield* Effect.promise(() => listening(listener))
  })
  // What R is beyond a router is known where a contender is written, and is nothing.
  return Effect.runPromise(serving as Effect.Effect<number, unknown>)
}
