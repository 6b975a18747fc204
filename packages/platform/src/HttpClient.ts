// The HTTP client carrier on any Effect HttpClient: requests, redirects, one challenge, backpressure, closing. What a
// request holds and what a response tells is decided in core (HttpRequest, HttpAnswer).
import type { Event } from "@parley/core/client/Event"
import type { Headers, Outgoing } from "@parley/core/client/Outgoing"
import * as HttpAnswer from "@parley/core/HttpAnswer"
import * as HttpRequest from "@parley/core/HttpRequest"
import { challengeOf, type HttpOptions, renewed, sendingOf, transportOf } from "@parley/runtime/HttpOptions"
import type { Channel, Transport } from "@parley/runtime/Transport"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpHeaders from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as Client from "effect/http/HttpClient"
import * as ClientRequest from "effect/http/HttpClientRequest"
import { type HttpClientResponse, toWeb } from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { isShort, mostLingering, strangeness } from "./internal/Fetched.ts"

/**
 * Returns a transport to an MCP endpoint over the HttpClient in the context: fetch, undici, node:http or your own. The
 * connections are the client's; closing the channel aborts what is under way.
 *
 * Opening asks nothing of the server; it fails with TransportFailure only where the address is none, or a header that is
 * no Effect cannot be sent. A request is never sent again by itself, but for redirects and one challenge: give a client
 * that does not retry. While events are not taken, responses are not read. Deadlines are the runtime's.
 *
 * Redirects are followed with 307 and 308 within the origin, five at most; any other 3xx is told as it is. For this the
 * client must hand redirects on, as node:http and undici do. Fetch would follow them by itself, and would carry headers
 * such as a session id or an API key to another origin: every request is therefore made with `redirect: "manual"`, on top
 * of the `FetchHttpClient.RequestInit` that `make` finds in its context (one that is given to the layer alone does not
 * count). A browser shows nothing of a manual redirect: the exchange is `Lost`. Do not wrap the client in
 * `HttpClient.followRedirects`; where it answers from another origin all the same, the answer is not read, and the
 * exchange is `Lost`.
 *
 * @example
 * ```ts
 * import { HttpClient } from "@parley/platform"
 * import { Connection } from "@parley/runtime"
 * import { Effect } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const tools = Effect.gen(function* () {
 *   const transport = yield* HttpClient.make({ url: "http://127.0.0.1:3000/mcp" })
 *   const client = { info: { name: "reader", version: "1.0.0" }, capabilities: {} }
 *   const connection = yield* Connection.connect({ transport, client })
 *   return yield* connection.request("tools/list")
 * }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
 *
 * Effect.runPromise(tools).then(console.log)
 * ```
 */
export const make = (options: HttpOptions): Effect.Effect<Transport, never, Client.HttpClient> =>
  Effect.contextWith((context: Context.Context<Client.HttpClient>) => {
    const client = Client.withScope(Context.get(context, Client.HttpClient))
    const init = { ...Context.getOrUndefined(context, FetchHttpClient.RequestInit), redirect: "manual" as const }
    const traced = Context.make(FetchHttpClient.RequestInit, init)
    // Spans that nobody sees would cost every request two headers, and more time than the machine takes.
    const untraced = Context.add(traced, Client.TracerDisabledWhen, () => true)
    const open = (to: HttpRequest.Endpoint, headers: Effect.Effect<HttpRequest.Checked>) =>
      Effect.flatMap(oneEvent, (events) =>
        Effect.withFiberSucceed(({ cache, context }) => {
          const isTraced = cache.tracer !== undefined || cache.span !== undefined
          const fork = Effect.runForkWith(Context.merge(context, isTraced ? traced : untraced))
          return channelOf(options, to, headers, client.execute, events, fork)
        })
      )
    return Effect.succeed(transportOf(options, open))
  })

type Execute = (request: ClientRequest.HttpClientRequest) => Effect.Effect<HttpClientResponse, unknown, Scope.Scope>

// One place: what is not taken waits at the server.
const oneEvent: Effect.Effect<Queue.Queue<Event, Cause.Done>> = Queue.bounded(1)

/** One request of an exchange: where to, with which headers of the application, and how often it was sent before. */
interface Attempt {
  readonly url: URL
  readonly application: HttpRequest.Checked
  readonly redirects: number
  readonly challenges: number
}

const channelOf = (
  options: HttpOptions,
  to: HttpRequest.Endpoint,
  headers: Effect.Effect<HttpRequest.Checked>,
  execute: Execute,
  events: Queue.Queue<Event, Cause.Done>,
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
): Channel => {
  const exchanges = new Map<number, Fiber.Fiber<void>>()
  const lingering = new Set<number>()
  let closed = false

  const begin = (outgoing: Outgoing, application: HttpRequest.Checked): void => {
    if (closed) return
    const fiber = fork(converse(outgoing, application))
    exchanges.set(outgoing.exchange, fiber)
    fiber.addObserver(() => {
      if (exchanges.get(outgoing.exchange) === fiber) exchanges.delete(outgoing.exchange)
      lingering.delete(outgoing.exchange)
    })
  }

  const converse = (outgoing: Outgoing, application: HttpRequest.Checked): Effect.Effect<void> => {
    const body = outgoing._tag === "Post" ? HttpRequest.body(outgoing.message) : undefined
    if (body?.ok === false) return lose(outgoing, body.problem)
    const attempted = (attempt: Attempt): Effect.Effect<void> =>
      Effect.flatMap(Effect.scoped(ask(outgoing, body?.text, attempt)), (next) =>
        next === undefined ? Effect.void : attempted(next)
      )
    return attempted({ url: to.url, application, redirects: 0, challenges: 0 })
  }

  // Returns the next attempt, if there is one. The scope is that of the request: its end aborts what is left of it.
  const ask = (
    outgoing: Outgoing,
    body: string | undefined,
    attempt: Attempt
  ): Effect.Effect<Attempt | undefined, never, Scope.Scope> => {
    const { application, url } = attempt
    if (!application.ok) return Effect.as(lose(outgoing, application.problem), undefined)
    // Not only failures: some clients throw where a header cannot be sent.
    const asking = Effect.suspend(() => execute(requestOf(outgoing, url, body, application.headers)))
    return Effect.matchCauseEffect(asking, {
      onFailure: (cause) => Effect.as(lose(outgoing, HttpRequest.failure(to.target, Cause.squash(cause))), undefined),
      onSuccess: (response) => answered(outgoing, response, attempt)
    })
  }

  const answered = (
    outgoing: Outgoing,
    response: HttpClientResponse,
    attempt: Attempt
  ): Effect.Effect<Attempt | undefined> => {
    // Some clients make them anew each time they are asked for.
    const { headers, status } = response
    const strange = strangeness(status, response.url, attempt.url)
    if (strange !== undefined) return Effect.as(lose(outgoing, strange), undefined)
    const next = HttpRequest.redirect(attempt.url, status, headers["location"], attempt.redirects)
    if (next !== undefined) return Effect.succeed({ ...attempt, url: next, redirects: attempt.redirects + 1 })
    if (status !== 401 || attempt.challenges > 0) return read(outgoing, response, headers)
    return Effect.flatMap(renewed(options, challengeOf(401, headers["www-authenticate"])), (fresh) =>
      fresh === undefined
        ? read(outgoing, response, headers)
        : Effect.succeed({ url: to.url, application: fresh, redirects: 0, challenges: 1 })
    )
  }

  const requestOf = (
    outgoing: Outgoing,
    url: URL,
    body: string | undefined,
    application: Headers
  ): ClientRequest.HttpClientRequest =>
    ClientRequest.makeWith(
      HttpRequest.method(outgoing),
      url.href,
      UrlParams.empty,
      Option.none(),
      HttpHeaders.fromInput(HttpRequest.headers(outgoing, to, application)),
      body === undefined ? HttpBody.empty : HttpBody.text(body, "application/json")
    )

  const read = (
    outgoing: Outgoing,
    response: HttpClientResponse,
    headers: HttpHeaders.Headers
  ): Effect.Effect<undefined> => {
    const reader = HttpAnswer.reader({
      outgoing,
      status: response.status,
      header: (name) => headers[name],
      now: Date.now,
      limit: options.limit
    })
    const body = isShort((name) => headers[name]) ? wholeOf(response) : undefined
    const first = reader.push("")
    const rest = (): Effect.Effect<void> => {
      if (reader.phase() === "done") return Effect.void
      return body === undefined
        ? stream(outgoing, response, reader)
        : Effect.matchCauseEffect(body, {
            onFailure: (cause) => tell(reader.cut(failureOf(cause))),
            onSuccess: (text) => tell([...reader.push(text), ...reader.end()])
          })
    }
    return Effect.as(first.length === 0 ? rest() : Effect.flatMap(tell(first), rest), undefined)
  }

  const stream = (outgoing: Outgoing, response: HttpClientResponse, reader: HttpAnswer.Reader): Effect.Effect<void> => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    // Returns whether anything that may still come matters.
    const take = (text: string): Effect.Effect<boolean> =>
      Effect.map(tell(reader.push(text)), () => {
        if (reader.phase() === "answered") linger(outgoing.exchange)
        return reader.phase() !== "done"
      })
    return Effect.matchCauseEffect(
      Stream.runForEachWhile(response.stream, (chunk) => take(decoder.decode(chunk, { stream: true }))),
      {
        onFailure: (cause) => tell(reader.cut(failureOf(cause))),
        onSuccess: () => tell([...reader.push(decoder.decode()), ...reader.end()])
      }
    )
  }

  const failureOf = (cause: Cause.Cause<unknown>): string =>
    HttpRequest.failure(to.target, Cause.squash(cause), "answering")

  const tell = (found: ReadonlyArray<Event>): Effect.Effect<void> =>
    found.length === 0 ? Effect.void : Effect.asVoid(Queue.offerAll(events, found))

  const lose = (outgoing: Outgoing, cause: string): Effect.Effect<void> =>
    tell([HttpAnswer.lost(outgoing.exchange, cause)])

  // An answered stream that its server does not end holds a connection. A few may; the oldest goes first.
  const linger = (exchange: number): void => {
    lingering.add(exchange)
    if (lingering.size <= mostLingering) return
    for (const oldest of lingering) return exchanges.get(oldest)?.interruptUnsafe()
  }

  return {
    ...sendingOf(headers, begin),
    events,
    abandon: (exchange) =>
      Effect.suspend(() => {
        const fiber = exchanges.get(exchange)
        return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
      }),
    close: Effect.suspend(() => {
      closed = true
      return Effect.andThen(Fiber.interruptAll([...exchanges.values()]), Queue.end(events))
    })
  }
}

const wholeOf = (response: HttpClientResponse): Effect.Effect<string, unknown> => {
  const web = toWeb(response)
  if (Option.isNone(web)) return response.text
  const { value } = web
  return Effect.tryPromise({ try: () => value.text(), catch: (cause) => cause })
}
