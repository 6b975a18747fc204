// The HTTP client carrier on node:http and node:https: requests, redirects, one challenge, backpressure, closing. What a
// request holds and what a response tells is decided in core (HttpRequest, HttpAnswer).
import type { Event } from "@parley/core/client/Event"
import type { Headers, Outgoing } from "@parley/core/client/Outgoing"
import * as HttpAnswer from "@parley/core/HttpAnswer"
import * as HttpRequest from "@parley/core/HttpRequest"
import { challengeOf, type HttpOptions, renewed, sendingOf, transportOf } from "@parley/runtime/HttpOptions"
import type { Channel, Transport } from "@parley/runtime/Transport"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type { ClientRequest, IncomingMessage } from "node:http"
import type { AgentOptions } from "node:https"
import { agentFor, libraryFor, type Pool } from "./HttpPool.ts"

export type { Pool } from "./HttpPool.ts"
export { make as pool } from "./HttpPool.ts"

/** The options of the carrier. */
export interface Options extends HttpOptions {
  /** For the agent that makes the connections: TLS material, a local address, how many connections. */
  readonly agent?: AgentOptions | undefined
  /** Connections that outlive the channel, made by {@link pool}. `agent` has no say over them. */
  readonly pool?: Pool | undefined
}

/**
 * Returns a transport to an MCP endpoint over HTTP. Without a pool a channel has an agent of its own: connections are made
 * when they are needed, kept alive and reused, and gone when the channel closes. With one, what is under way is cut when
 * the channel closes, and the idle connections are left to the pool: who opens often opens without a new connection.
 * Opening asks nothing of the server; it fails with TransportFailure only where the address is none, or a header that is
 * no Effect cannot be sent.
 *
 * Redirects are followed with 307 and 308 within the origin, five at most; any other 3xx is told as it is. A request is
 * never sent again by itself, but for those redirects and one challenge: where a kept connection breaks before its answer,
 * the server may have executed it, and the exchange is `Lost`. While events are not taken, responses are not read, so
 * that a server cannot fill the memory. Deadlines are the runtime's.
 */
export const make = (options: Options): Transport =>
  transportOf(options, (endpoint, headers) => {
    const to: To = { ...endpoint, ...whereOf(endpoint.url), protocol: endpoint.url.protocol }
    return Effect.flatMap(oneEvent, (events) =>
      Effect.withFiberSucceed(({ context }) => channelOf(options, to, headers, events, Effect.runForkWith(context)))
    )
  })

/** Where to ask, taken apart once for all channels. */
interface To extends HttpRequest.Endpoint, Where {
  readonly protocol: string
}

/** An address as node:http takes it. */
interface Where {
  readonly hostname: string
  readonly port: string
  readonly path: string
}

const whereOf = ({ hostname, pathname, port, search }: URL): Where => ({
  hostname: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
  port,
  path: `${pathname}${search}`
})

// One place: what is not taken waits in the sockets.
const oneEvent: Effect.Effect<Queue.Queue<Event, Cause.Done>> = Queue.bounded(1)

/** One Outgoing on its way: its request, and what of its answer waits to be taken. */
interface Exchange {
  readonly outgoing: Outgoing
  readonly body: string | undefined
  request: ClientRequest | undefined
  error: unknown
  backlog: ReadonlyArray<Event>
  fiber: Fiber.Fiber<void> | undefined
  /** `ended`: its response brings no more, but events may wait. `dropped`: nothing of it is told any more. */
  phase: "open" | "ended" | "dropped"
}

const channelOf = (
  options: Options,
  to: To,
  headers: Effect.Effect<HttpRequest.Checked>,
  events: Queue.Queue<Event, Cause.Done>,
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
): Channel => {
  const { protocol } = to
  const library = libraryFor(protocol)
  const { pool } = options
  const own = pool === undefined ? agentFor(protocol, options.agent) : undefined
  const exchanges = new Map<number, Exchange>()
  const lingering = new Set<IncomingMessage>()
  let closed = false

  const begin = (outgoing: Outgoing, application: HttpRequest.Checked): void => {
    if (closed) return
    const body = outgoing._tag === "Post" ? HttpRequest.body(outgoing.message) : undefined
    const exchange: Exchange = {
      outgoing,
      body: body?.ok === true ? body.text : undefined,
      request: undefined,
      error: undefined,
      backlog: none,
      fiber: undefined,
      phase: "open"
    }
    exchanges.set(outgoing.exchange, exchange)
    if (body?.ok === false) finish(exchange, [HttpAnswer.lost(outgoing.exchange, body.problem)])
    else ask(exchange, to.url, application, { redirects: 0, challenges: 0 })
  }

  const ask = (exchange: Exchange, url: URL, application: HttpRequest.Checked, seen: Seen): void => {
    const { outgoing } = exchange
    const lose = (cause: string): void => finish(exchange, [HttpAnswer.lost(outgoing.exchange, cause)])
    if (!application.ok) return lose(application.problem)
    const { hostname, path, port } = url === to.url ? to : whereOf(url)
    let request: ClientRequest
    try {
      request = library.request({
        agent: own ?? pool?.agentFor(protocol),
        method: HttpRequest.method(outgoing),
        hostname,
        port,
        path,
        headers: HttpRequest.headers(outgoing, to, application.headers)
      })
    } catch (error) {
      return lose(HttpRequest.failure(to.target, error))
    }
    // HTTP/1.1 keeps connections alive without a word: one header less.
    request.removeHeader("connection")
    exchange.request = request
    let answered = false
    request.on("response", (response) => {
      answered = true
      answer(exchange, url, response, application.headers, seen)
    })
    request.on("error", (error) => {
      if (exchange.request === request) exchange.error ??= error
    })
    request.on("close", () => {
      // Once there is a response, it knows its own end: a part of it may still be unread.
      if (answered || exchange.request !== request) return
      const kept = request.reusedSocket
        ? " The connection was an older one; the server may have taken the request."
        : ""
      lose(`${HttpRequest.failure(to.target, exchange.error)}${kept}`)
    })
    request.end(exchange.body)
  }

  const answer = (exchange: Exchange, url: URL, response: IncomingMessage, application: Headers, seen: Seen): void => {
    if (exchange.phase !== "open") return void response.destroy()
    const status = response.statusCode ?? 0
    const next = HttpRequest.redirect(url, status, response.headers.location, seen.redirects)
    if (next !== undefined) {
      askAgain(exchange, response, next, { ok: true, headers: application }, { ...seen, redirects: seen.redirects + 1 })
    } else if (status === 401 && options.onChallenge !== undefined && seen.challenges === 0) {
      const challenge = challengeOf(status, response.headers["www-authenticate"])
      exchange.fiber = fork(
        // Not before this fiber is known as the exchange's own.
        Effect.flatMap(Effect.andThen(Effect.yieldNow, renewed(options, challenge)), (headers) =>
          Effect.sync(() => {
            exchange.fiber = undefined
            if (headers === undefined) return read(exchange, response)
            askAgain(exchange, response, to.url, headers, { redirects: 0, challenges: 1 })
          })
        )
      )
    } else {
      read(exchange, response)
    }
  }

  // A turn later, so that an answer that is already here has freed its connection.
  const askAgain = (
    exchange: Exchange,
    response: IncomingMessage,
    ...rest: readonly [url: URL, application: HttpRequest.Checked, seen: Seen]
  ): void => {
    discard(response)
    setImmediate(() => {
      if (exchange.phase === "open") ask(exchange, ...rest)
    })
  }

  const read = (exchange: Exchange, response: IncomingMessage): void => {
    const reader = HttpAnswer.reader({
      outgoing: exchange.outgoing,
      status: response.statusCode ?? 0,
      header: (name) => textOf(response.headers[name]),
      now: Date.now,
      limit: options.limit
    })
    const take = (found: ReadonlyArray<Event>): void => {
      if (found.length > 0) tell(exchange, response, found)
      if (reader.phase() === "answered") linger(response)
      // What is over for us is over on the wire: a complete response frees its connection, any other is cut.
      else if (reader.phase() === "done" && !response.readableEnded) {
        if (response.complete) response.resume()
        else response.destroy()
      }
    }
    response.setEncoding("utf8")
    response.on("error", (error) => {
      exchange.error ??= error
    })
    const gone = (): void => {
      if (exchange.phase !== "open") return
      finish(exchange, reader.cut(HttpRequest.failure(to.target, exchange.error, "answering")))
    }
    response.on("close", gone)
    response.on("end", () => finish(exchange, reader.end()))
    take(reader.push(""))
    response.on("data", (chunk: string) => take(reader.push(chunk)))
    // While a challenge was answered, the response may have broken, and said so when nobody listened.
    if (response.destroyed && !response.complete) gone()
  }

  // Tells events in their order. Where there is no room, a fiber waits, and the response is not read meanwhile.
  const tell = (exchange: Exchange, response: IncomingMessage | undefined, found: ReadonlyArray<Event>): void => {
    if (exchange.phase === "dropped") return
    if (exchange.fiber !== undefined) {
      exchange.backlog = exchange.backlog.concat(found)
      return
    }
    exchange.backlog = Queue.offerAllUnsafe(events, found)
    if (exchange.backlog.length === 0) return
    response?.pause()
    exchange.fiber = fork(drain(exchange, response))
  }

  const drain = (exchange: Exchange, response: IncomingMessage | undefined): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { backlog } = exchange
      exchange.backlog = none
      if (backlog.length > 0) return Effect.andThen(Queue.offerAll(events, backlog), drain(exchange, response))
      exchange.fiber = undefined
      response?.resume()
      if (exchange.phase === "ended") exchanges.delete(exchange.outgoing.exchange)
      return Effect.void
    })

  const finish = (exchange: Exchange, found: ReadonlyArray<Event>): void => {
    if (exchange.phase !== "open") return
    if (found.length > 0) tell(exchange, undefined, found)
    exchange.phase = "ended"
    if (exchange.fiber === undefined) exchanges.delete(exchange.outgoing.exchange)
  }

  // An answered stream that its server does not end holds a connection. A few may; the oldest goes first.
  const linger = (response: IncomingMessage): void => {
    if (lingering.has(response)) return
    lingering.add(response)
    response.on("close", () => lingering.delete(response))
    if (lingering.size <= mostLingering) return
    for (const oldest of lingering) return void oldest.destroy()
  }

  // A body that nobody wants is read to its end for the sake of its connection, if that is near.
  const discard = (response: IncomingMessage): void => {
    let length = 0
    response.on("error", () => {})
    response.on("data", (chunk: Uint8Array) => {
      length += chunk.length
      if (length > mostDiscarded) response.destroy()
    })
    linger(response)
  }

  const drop = (exchange: Exchange): void => {
    exchange.phase = "dropped"
    exchange.backlog = none
    exchange.fiber?.interruptUnsafe()
    exchange.request?.destroy()
    exchanges.delete(exchange.outgoing.exchange)
  }

  return {
    ...sendingOf(headers, begin),
    events,
    abandon: (number) =>
      Effect.sync(() => {
        const exchange = exchanges.get(number)
        if (exchange !== undefined) drop(exchange)
      }),
    close: Effect.sync(() => {
      if (closed) return
      closed = true
      for (const exchange of exchanges.values()) drop(exchange)
      for (const response of lingering) response.destroy()
      own?.destroy()
      Queue.endUnsafe(events)
    })
  }
}

/** How often a request was already sent elsewhere, or again. */
interface Seen {
  readonly redirects: number
  readonly challenges: number
}

const textOf = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "object" ? value.join(", ") : value

const none: ReadonlyArray<Event> = []
const mostLingering = 8
const mostDiscarded = 65_536
