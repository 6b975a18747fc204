// The HTTP client carrier on plain fetch, as browsers, workers and servers have it: requests, redirects, one challenge,
// backpressure, closing. What a request holds and what a response tells is decided in core (HttpRequest, HttpAnswer).
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import * as HttpAnswer from "@parley/core/HttpAnswer"
import * as HttpRequest from "@parley/core/HttpRequest"
import { challengeOf, type HttpOptions, renewed, sendingOf, transportOf } from "@parley/runtime/HttpOptions"
import type { Channel, Transport } from "@parley/runtime/Transport"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { isShort, mostLingering, strangeness } from "./internal/Fetched.ts"

/** The options of the carrier. */
export interface Options extends HttpOptions {
  /** What asks. Default: the platform's `fetch`, looked up at each request. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** What every request is made with besides: credentials, a dispatcher, cache, … */
  readonly init?: Omit<RequestInit, "method" | "headers" | "body" | "redirect" | "signal"> | undefined
}

/**
 * Returns a transport to an MCP endpoint over fetch. It asks less of a program than `HttpClient`, which goes through
 * Effect's client: a third of its time, and none of its modules. The connections are the platform's; closing the channel
 * aborts what is under way.
 *
 * Opening asks nothing of the server; it fails with TransportFailure only where the address is none, or a header that is
 * no Effect cannot be sent. A request is never sent again by itself, but for redirects and one challenge. While events are
 * not taken, responses are not read. Deadlines are the runtime's.
 *
 * Redirects are followed with 307 and 308 within the origin, five at most; any other 3xx is told as it is. A browser shows
 * nothing of a redirect: the exchange is `Lost`. So it is where the answer comes from another origin all the same.
 */
export const make = (options: Options): Transport =>
  transportOf(options, (to, headers) =>
    Effect.flatMap(oneEvent, (events) =>
      Effect.withFiberSucceed(({ context }) => channelOf(options, to, headers, events, Effect.runPromiseWith(context)))
    )
  )

// One place: what is not taken waits at the server.
const oneEvent: Effect.Effect<Queue.Queue<Event, Cause.Done>> = Queue.bounded(1)

type Run = <A>(effect: Effect.Effect<A>, options?: { readonly signal: AbortSignal }) => Promise<A>

/** One request of an exchange: where to, with which headers of the application, and how often it was sent before. */
interface Attempt {
  readonly url: URL
  readonly application: HttpRequest.Checked
  readonly redirects: number
  readonly challenges: number
}

const channelOf = (
  options: Options,
  to: HttpRequest.Endpoint,
  headers: Effect.Effect<HttpRequest.Checked>,
  events: Queue.Queue<Event, Cause.Done>,
  run: Run
): Channel => {
  const exchanges = new Map<number, AbortController>()
  const lingering = new Set<AbortController>()
  let closed = false

  const begin = (outgoing: Outgoing, application: HttpRequest.Checked): void => {
    if (closed) return
    const controller = new AbortController()
    exchanges.set(outgoing.exchange, controller)
    void converse(outgoing, application, controller)
  }

  const converse = async (
    outgoing: Outgoing,
    application: HttpRequest.Checked,
    controller: AbortController
  ): Promise<void> => {
    try {
      const body = outgoing._tag === "Post" ? HttpRequest.body(outgoing.message) : undefined
      if (body?.ok === false) return void (await tell([HttpAnswer.lost(outgoing.exchange, body.problem)], controller))
      let attempt: Attempt | undefined = { url: to.url, application, redirects: 0, challenges: 0 }
      while (attempt !== undefined) attempt = await ask(outgoing, body?.text, attempt, controller)
    } catch (error) {
      await tell([HttpAnswer.lost(outgoing.exchange, HttpRequest.failure(to.target, error))], controller)
    } finally {
      if (exchanges.get(outgoing.exchange) === controller) exchanges.delete(outgoing.exchange)
      lingering.delete(controller)
    }
  }

  // Returns the next attempt, if there is one.
  const ask = async (
    outgoing: Outgoing,
    body: string | undefined,
    attempt: Attempt,
    controller: AbortController
  ): Promise<Attempt | undefined> => {
    const { application, challenges, redirects, url } = attempt
    const lose = async (cause: string): Promise<undefined> => {
      await tell([HttpAnswer.lost(outgoing.exchange, cause)], controller)
    }
    if (!application.ok) return lose(application.problem)
    let response: Response
    try {
      response = await (options.fetch ?? fetch)(url.href, {
        ...options.init,
        method: HttpRequest.method(outgoing),
        headers: HttpRequest.headers(outgoing, to, application.headers),
        ...(body === undefined ? undefined : { body }),
        redirect: "manual",
        signal: controller.signal
      })
    } catch (error) {
      return lose(HttpRequest.failure(to.target, error))
    }
    const strange = strangeness(response.status, response.url, url)
    if (strange !== undefined) {
      discard(response)
      return lose(strange)
    }
    const next =
      response.status < 300 || response.status > 399
        ? undefined
        : HttpRequest.redirect(url, response.status, textOf(response, "location"), redirects)
    if (next !== undefined) {
      discard(response)
      return { ...attempt, url: next, redirects: redirects + 1 }
    }
    if (response.status === 401 && challenges === 0 && options.onChallenge !== undefined) {
      const challenge = challengeOf(401, textOf(response, "www-authenticate"))
      const fresh = await settled(run(renewed(options, challenge), { signal: controller.signal }))
      if (fresh !== undefined) {
        discard(response)
        return { url: to.url, application: fresh, redirects: 0, challenges: 1 }
      }
    }
    await read(outgoing, response, controller)
    return undefined
  }

  const read = async (outgoing: Outgoing, response: Response, controller: AbortController): Promise<void> => {
    const reader = HttpAnswer.reader({
      outgoing,
      status: response.status,
      header: (name) => textOf(response, name),
      now: Date.now,
      limit: options.limit
    })
    const first = reader.push("")
    if (first.length > 0) await tell(first, controller)
    if (reader.phase() === "done") return discard(response)
    try {
      if (response.body === null || isShort((name) => textOf(response, name))) {
        const events = reader.push(await response.text())
        await tell(events.length === 0 ? reader.end() : [...events, ...reader.end()], controller)
      } else await stream(response.body, reader, controller)
    } catch (error) {
      await tell(reader.cut(HttpRequest.failure(to.target, error, "answering")), controller)
    }
  }

  const stream = async (
    body: ReadableStream<Uint8Array>,
    reader: HttpAnswer.Reader,
    controller: AbortController
  ): Promise<void> => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    const source = body.getReader()
    for (;;) {
      const { done, value } = await source.read()
      if (done) break
      const found = reader.push(decoder.decode(value, { stream: true }))
      if (found.length > 0) await tell(found, controller)
      if (reader.phase() === "answered") linger(controller)
      if (reader.phase() === "done") return controller.abort()
    }
    await tell([...reader.push(decoder.decode()), ...reader.end()], controller)
  }

  // Tells events in their order, and waits where there is no room. Nothing is told of what was abandoned.
  const tell = (found: ReadonlyArray<Event>, { signal }: AbortController): Promise<unknown> | undefined => {
    if (signal.aborted) return undefined
    const rest = Queue.offerAllUnsafe(events, found)
    return rest.length === 0 ? undefined : settled(run(Queue.offerAll(events, rest), { signal }))
  }

  // An answered stream that its server does not end holds a connection. A few may; the oldest goes first.
  const linger = (controller: AbortController): void => {
    lingering.add(controller)
    if (lingering.size <= mostLingering) return
    for (const oldest of lingering) {
      lingering.delete(oldest)
      return oldest.abort()
    }
  }

  return {
    ...sendingOf(headers, begin),
    events,
    abandon: (exchange) => Effect.sync(() => exchanges.get(exchange)?.abort()),
    close: Effect.sync(() => {
      if (closed) return
      closed = true
      for (const controller of exchanges.values()) controller.abort()
      Queue.endUnsafe(events)
    })
  }
}

// What is not read must be let go, or it holds its connection.
const discard = (response: Response): void => void response.body?.cancel().catch(() => {})

const textOf = (response: Response, name: string): string | undefined => response.headers.get(name) ?? undefined

// An interruption is an abort, of which nobody is told.
const settled = <A>(promise: Promise<A>): Promise<A | undefined> => promise.catch(() => undefined)
