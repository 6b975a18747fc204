// The skins over HTTP, each behind a real socket, for the tests that they share.
import { NodeHttpServer } from "@effect/platform-node"
import * as FetchServer from "@parley/platform/FetchServer"
import * as HttpServer from "@parley/platform/HttpServer"
import type { Admission } from "@parley/runtime/Admission"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer as EffectServer } from "effect/http"
import { createServer } from "node:http"
import * as Bridge from "./Bridge.ts"

export type Options = Omit<FetchServer.Options, "principal">

export interface Skin {
  readonly name: string
  readonly serve: (admission: Admission, options?: Options) => Effect.Effect<Bridge.Hosted, never, Scope.Scope>
}

/** Starts what is served with Effect's server of node:http. */
export const listening = <E>(
  served: Layer.Layer<never, E, EffectServer.HttpServer>,
  server: Parameters<typeof NodeHttpServer.layer>[0] = createServer
) =>
  Layer.build(Layer.provideMerge(served, NodeHttpServer.layer(server, { port: 0, host: "127.0.0.1" }))).pipe(
    Effect.map((context): Bridge.Hosted => {
      const { address } = Context.get(context, EffectServer.HttpServer)
      const port = "port" in address ? address.port : 0
      return { port, url: `http://127.0.0.1:${port}/mcp` }
    }),
    Effect.orDie
  )

/** The route in an HttpRouter, on Effect's server of node:http. */
export const route: Skin = {
  name: "the route on NodeHttpServer",
  serve: (admission, options) =>
    listening(
      HttpRouter.serve(HttpServer.route({ admission, ...options }), {
        disableLogger: true,
        disableListenLog: true
      }).pipe(HttpServer.stoppingFirst(admission))
    )
}

/** The route in an HttpRouter, as Effect's fetch-style handler. */
export const webHandler: Skin = {
  name: "the route as a web handler",
  serve: (admission, options) =>
    Effect.flatMap(
      Effect.acquireRelease(
        Effect.sync(() =>
          HttpRouter.toWebHandler(HttpServer.route({ admission, ...options }), { disableLogger: true })
        ),
        ({ dispose }) => Effect.promise(dispose)
      ),
      ({ handler }) => Bridge.host((request) => handler(request))
    )
}

/** Parley's own fetch-style handler. */
export const fetchHandler: Skin = {
  name: "the fetch handler",
  serve: (admission, options) => Bridge.host(FetchServer.fetchHandler(admission, options))
}

export const skins: ReadonlyArray<Skin> = [route, webHandler, fetchHandler]
