// The HTTP server carrier on Effect's HttpRouter: a request of Effect in, a response of Effect out. Who is admitted, and
// what an answer says, is the admission's to decide. Plain Request and Response are in FetchServer.
import type { Answer } from "@parley/core/server/Answer"
import { jsonHeaders } from "@parley/core/server/Answer"
import { decode } from "@parley/core/server/Body"
import * as Cors from "@parley/core/server/Cors"
import { keepAliveMillis, streamHeaders } from "@parley/core/server/EventStream"
import type { Head } from "@parley/core/server/HeadRungs"
import type { Admission, InboundHttp } from "@parley/runtime/Admission"
import * as ByteSize from "effect/ByteSize"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerError } from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Response from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Options as FetchOptions } from "./FetchServer.ts"
import { OpenEvents } from "./internal/OpenEvents.ts"
import { streamOf } from "./internal/OutboxStream.ts"

export { fetchHandler } from "./FetchServer.ts"

/** How requests are carried, and who the clients are: E and R are those of the application's own program. */
export interface HandlerOptions<E = never, R = never> extends Omit<FetchOptions, "principal"> {
  /**
   * Who the application says the client is; a session belongs to the principal that opened it. It runs after the checks of
   * the head and before the body is read, and may refuse by failing with a response, such as a 401.
   */
  readonly principal?: Effect.Effect<string | undefined, E, R> | undefined
}

/** What {@link route} needs: a server that admits, and where it is. */
export interface RouteOptions<E = never, R = never> extends HandlerOptions<E, R> {
  readonly admission: Admission
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: HttpRouter.PathInput | undefined
}

/**
 * Returns a route that answers every method at one path, beside whatever else the router serves. The Origin, the Host, the
 * size of the body and how long it takes are checked as the profile says; a body that another middleware has read already
 * is taken from it only if that read the request's `text` or `arrayBuffer`.
 *
 * @example
 * ```ts
 * import { Profile } from "@parley/core"
 * import { HttpServer } from "@parley/platform"
 * import { Admission } from "@parley/runtime"
 * import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
 * import { Effect, Layer } from "effect"
 * import { HttpRouter, HttpServerResponse } from "effect/http"
 * import { createServer } from "node:http"
 *
 * const profile = Profile.dual({ serverInfo: { name: "clock", version: "1.0.0" }, capabilities: { tools: {} } })
 *
 * const served = Layer.unwrap(
 *   Effect.map(Admission.make(profile, () => Effect.succeed({ tools: [] })), (admission) =>
 *     HttpRouter.serve(
 *       Layer.mergeAll(
 *         HttpServer.route({ admission, path: "/mcp" }),
 *         HttpRouter.add("GET", "/health", HttpServerResponse.text("well"))
 *       )
 *     ).pipe(HttpServer.stoppingFirst(admission))
 *   )
 * )
 *
 * Layer.launch(
 *   served.pipe(Layer.provide(NodeHttpServer.layer(createServer, { port: 3000, host: "127.0.0.1" })))
 * ).pipe(NodeRuntime.runMain)
 * ```
 */
export const route = <E = never, R = never>(
  options: RouteOptions<E, R>
): Layer.Layer<
  never,
  never,
  | HttpRouter.HttpRouter
  | HttpRouter.Request.From<"Requires", Exclude<R, HttpRouter.Provided>>
  | HttpRouter.Request.From<"Error", E>
> => HttpRouter.add("*", options.path ?? "/mcp", handler(options.admission, options))

/**
 * Returns the program that answers one request, for whoever needs no router: `HttpServer.serve` of Effect,
 * `HttpEffect.toWebHandler`, `NodeHttpServer.makeHandler`.
 *
 * @example
 * ```ts
 * import { HttpServer } from "@parley/platform"
 * import type { Admission } from "@parley/runtime"
 * import { NodeHttpServer } from "@effect/platform-node"
 * import { Effect } from "effect"
 * import { createServer } from "node:http"
 *
 * // Beside other listeners of a node:http server that you own.
 * const mount = (admission: Admission.Admission) =>
 *   Effect.gen(function* () {
 *     const scope = yield* Effect.scope
 *     const listener = yield* NodeHttpServer.makeHandler(HttpServer.handler(admission), { scope })
 *     return createServer((request, response) =>
 *       request.url === "/mcp" ? listener(request, response) : response.writeHead(404).end()
 *     )
 *   })
 * ```
 */
export const handler = <E = never, R = never>(
  admission: Admission,
  options: HandlerOptions<E, R> = {}
): Effect.Effect<Response.HttpServerResponse, E, R | HttpServerRequest | Scope.Scope> => {
  const { cors, principal } = options
  const { compiled } = admission
  const bodyMillis = options.bodyMillis ?? 30_000
  const silentMillis = options.keepAliveMillis ?? keepAliveMillis
  const read = reading(admission, Math.min(bodyMillis, longest))
  return Effect.flatMap(HttpServerRequest, (request) => {
    const head: Head = { method: request.method, headers: headersOf(request) }
    const extra = cors === undefined ? none : Cors.headersFor(compiled, cors, head)
    const early = (cors === undefined ? undefined : Cors.preflight(compiled, cors, head)) ?? admission.head(head)
    if (early !== undefined) return Effect.succeed(whole(early, extra))
    const admit = (principal: string | undefined) =>
      head.method === "POST"
        ? Effect.flatMap(read(request), (sent) =>
            typeof sent === "string"
              ? exchange(admission, { ...head, body: sent, principal }, extra, silentMillis)
              : Effect.succeed(whole(sent, extra))
          )
        : exchange(admission, { ...head, principal }, extra, silentMillis)
    return principal === undefined ? admit(undefined) : Effect.flatMap(principal, admit)
  })
}

/**
 * Returns a layer of a server that stops its admission before it closes. Without it a server of Effect waits for the
 * streams that clients hold open, 20 s on Node, and then cuts them; with it they end with their closing result at once.
 *
 * @example
 * ```ts
 * import { HttpServer } from "@parley/platform"
 * import type { Admission } from "@parley/runtime"
 * import { HttpRouter } from "effect/http"
 *
 * const server = (admission: Admission.Admission) =>
 *   HttpRouter.serve(HttpServer.route({ admission })).pipe(HttpServer.stoppingFirst(admission))
 * ```
 */
export const stoppingFirst =
  (admission: Admission) =>
  <A, E, R>(server: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
    Layer.provideMerge(Layer.effectDiscard(Effect.addFinalizer(() => admission.stop)), server)

// Reads a body as text, or says why it is refused. What comes after it was refused is the server's to drop: to end the
// reading here would cut the connection before the answer is out.
const reading = (
  admission: Admission,
  millis: number
): ((request: HttpServerRequest) => Effect.Effect<string | Answer>) => {
  const limit = admission.compiled.profile.limits.bodyBytes
  const bounds = Context.make(MaxBodySize, Number.isFinite(limit) ? ByteSize.bytes(Math.floor(limit)) : undefined)
  const fork = Effect.runForkWith(bounds)
  const last = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, connection: "close" } })
  const taken = (exit: Exit.Exit<ArrayBuffer, HttpServerError>): Effect.Effect<string | Answer> => {
    if (exit._tag === "Success") {
      return Effect.succeed(decode(new Uint8Array(exit.value)) ?? admission.unreadable())
    }
    if (exit.cause.reasons.some(isTooLarge)) return Effect.succeed(admission.overflow())
    return Effect.as(Effect.logDebug("The body of a request could not be read.", exit.cause), admission.unreadable())
  }
  return (request) =>
    Effect.callback((resume) => {
      const fiber = fork(request.arrayBuffer)
      const timer = setTimeout(() => resume(Effect.sync(() => last(admission.stalled(millis)))), millis)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(Effect.suspend(() => taken(exit)))
      })
      return Effect.sync(() => {
        clearTimeout(timer)
        fiber.interruptUnsafe()
      })
    })
}

const exchange = (
  admission: Admission,
  inbound: InboundHttp,
  extra: Answer["headers"],
  silentMillis: number
): Effect.Effect<Response.HttpServerResponse, never, Scope.Scope> =>
  Effect.callback((resume) => {
    const inFlight = admission.http(inbound, {
      whole: (answer) => resume(Effect.succeed(whole(answer, extra))),
      stream: (headers) => {
        const events = new OpenEvents(silentMillis)
        resume(streaming(events, { ...streamHeaders, ...headers, ...extra }, () => inFlight?.gone()))
        return events
      }
    })
    return inFlight === undefined ? undefined : Effect.sync(() => inFlight.gone())
  })

// The scope of the request closes when the response is complete, when the client has gone, and when nobody wants the
// response any more.
const streaming = (
  events: OpenEvents,
  headers: Answer["headers"],
  gone: () => void
): Effect.Effect<Response.HttpServerResponse, never, Scope.Scope> =>
  Effect.as(
    Effect.addFinalizer(() => Effect.sync(() => (events.cut() ? gone() : undefined))),
    Response.stream(streamOf(events.outbox), { headers, contentType: "text/event-stream" })
  )

const whole = ({ body, headers, status }: Answer, extra: Answer["headers"]): Response.HttpServerResponse => {
  if (body === undefined) {
    // RFC 9110, Content-Length: none on a 204.
    const length = status === 204 ? none : noContent
    return Response.empty({ status, headers: { ...headers, ...extra, ...length } })
  }
  const contentType = headers["content-type"]
  return headers === jsonHeaders && extra === none
    ? Response.text(body, { status, contentType })
    : Response.text(body, { status, contentType, headers: { ...headers, ...extra } })
}

// A request of a fetch-style host may name its host in its address alone.
const headersOf = ({ headers, originalUrl }: HttpServerRequest): Head["headers"] =>
  headers["host"] === undefined && URL.canParse(originalUrl) ? { ...headers, host: new URL(originalUrl).host } : headers

const isTooLarge = (reason: Cause.Reason<HttpServerError>): boolean =>
  reason._tag === "Fail" &&
  reason.error.reason._tag === "RequestParseError" &&
  reason.error.reason.reason === "BodyTooLarge"

const none: Answer["headers"] = {}
const noContent: Answer["headers"] = { "content-length": "0" }
// What a host's timer can wait, about 24 days; a longer time would be none.
const longest = 2 ** 31 - 1
