// The HTTP server carrier on node:http: bytes in, bytes out. Who is admitted, and what an answer says, is the admission's
// to decide; that a body has a bound and an answer a content length is known here.
import { TransportFailure } from "@parley/core/Errors"
import type { Answer } from "@parley/core/server/Answer"
import { decode } from "@parley/core/server/Body"
import * as Cors from "@parley/core/server/Cors"
import { keepAliveMillis } from "@parley/core/server/EventStream"
import type { Head } from "@parley/core/server/HeadRungs"
import type { Admission, InboundHttp } from "@parley/runtime/Admission"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { read } from "./internal/HttpBody.ts"
import { NodeReply } from "./internal/HttpReply.ts"

/** How requests are carried. */
export interface Options {
  /** How long a stream is silent before a comment is written on it, in milliseconds. Default 15,000. */
  readonly keepAliveMillis?: number | undefined
  /** How long a body may take to come, in milliseconds, before it is refused with 408. Default 30,000. */
  readonly bodyMillis?: number | undefined
  /** What pages of the profile's origins may do. Default: no CORS header at all, and OPTIONS is refused with 405. */
  readonly cors?: Cors.Cors | undefined
  /** Who the application says the client is, as after its own authentication. It must not throw. */
  readonly principal?: ((request: IncomingMessage) => string | undefined) | undefined
}

/** What `node:http` calls for each request. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Returns a listener for a `node:http` server or a route of Express 5. It answers whatever reaches it, at any path; a
 * refusal, an opening and whatever else Parley answers itself start no fiber. In Express it may stand before or behind
 * `express.json()`, whose `request.body` it takes; the limit for bodies is then the one given there (100 KB by default).
 *
 * How long the headers of a request may take, and how many they may be, only the server that calls it can bound:
 * `headersTimeout` (60 s by default), `requestTimeout`, `maxHeaderSize`. {@link serve} does.
 */
export const listener = (admission: Admission, options: Options = {}): Listener => {
  const { cors, principal } = options
  const { compiled } = admission
  const silentMillis = options.keepAliveMillis ?? keepAliveMillis
  const bodyMillis = options.bodyMillis ?? 30_000
  return (request, response) => {
    const head: Head = { method: request.method ?? "", headers: request.headers }
    const reply = new NodeReply(
      response,
      silentMillis,
      cors === undefined ? none : Cors.headersFor(compiled, cors, head)
    )
    const early = (cors === undefined ? undefined : Cors.preflight(compiled, cors, head)) ?? admission.head(head)
    if (early !== undefined) return reply.whole(early)

    const admit = (sent: Pick<InboundHttp, "body" | "parsed">): void => {
      const inFlight = admission.http(
        { method: head.method, headers: head.headers, ...sent, principal: principal?.(request) },
        reply
      )
      if (inFlight === undefined) return
      response.on("close", () => {
        if (!response.writableFinished) inFlight.gone()
      })
    }
    const admitText = (text: string | undefined): void =>
      text === undefined ? reply.whole(admission.unreadable()) : admit({ body: text })

    if (head.method !== "POST") return admit(nothing)
    const given = "body" in request ? request.body : undefined
    if (typeof given === "string") return admitText(given)
    if (given instanceof Uint8Array) return admitText(decode(given))
    if (given !== undefined) return admit({ parsed: { ok: true, value: given } })
    if (request.readableEnded) return admitText("")
    return read(request, compiled.profile.limits.bodyBytes, bodyMillis, {
      whole: admitText,
      overflow: () => reply.whole(admission.overflow()),
      stalled: () => reply.whole(admission.stalled(bodyMillis))
    })
  }
}

/** What {@link serve} is given. */
export interface ServeOptions extends Options {
  readonly admission: Admission
  /** Default 0: any that is free. */
  readonly port?: number | undefined
  /**
   * Where to listen. Default `127.0.0.1`. Whoever listens elsewhere must also name in the profile the `hosts` under which
   * clients reach it: a server admits only those.
   */
  readonly host?: string | undefined
  /** The path of the endpoint; everything else is 404. Default `/mcp`. */
  readonly path?: string | undefined
  /** How long to wait at the end for answers to be read, in milliseconds, before connections are cut. Default 2,000. */
  readonly stopMillis?: number | undefined
  /**
   * What `node:http` is given. Default: `headersTimeout` 10 s, `requestTimeout` 30 s or `bodyMillis` if that is more,
   * `maxHeaderSize` 16 KiB, checked every 2 s.
   */
  readonly server?: ServerOptions | undefined
}

/** A server that listens. */
export interface Served {
  /** The address of the endpoint. */
  readonly url: string
  readonly port: number
  readonly server: Server
}

/**
 * Starts a server of its own for one endpoint. When the scope closes, it takes no more connections, whatever the admission
 * is serving (elsewhere too) is interrupted and answered, and no socket is left. Fails where it cannot listen.
 */
export const serve = (options: ServeOptions): Effect.Effect<Served, TransportFailure, Scope.Scope> =>
  Effect.suspend(() => {
    const { admission, host = "127.0.0.1", path = "/mcp", stopMillis = 2_000 } = options
    const answer = listener(admission, options)
    const server = createServer(
      {
        headersTimeout: 10_000,
        requestTimeout: Math.max(30_000, options.bodyMillis ?? 0),
        maxHeaderSize: 16_384,
        connectionsCheckingInterval: 2_000,
        ...options.server
      },
      (request, response) => {
        if (isAt(path, request.url ?? "")) answer(request, response)
        else response.writeHead(404, { "content-length": 0 }).end()
      }
    )
    return Effect.map(
      Effect.acquireRelease(listen(server, options.port ?? 0, host), () => stop(server, admission, stopMillis)),
      (port) => ({ url: `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`, port, server })
    )
  })

const listen = (server: Server, port: number, host: string): Effect.Effect<number, TransportFailure> =>
  Effect.callback((resume) => {
    const fail = (cause: NodeJS.ErrnoException): void =>
      resume(
        Effect.fail(
          new TransportFailure({
            reason: `The server cannot listen on ${host}, port ${port} (${cause.code ?? "unknown"}). ${hintOf(cause.code)}`,
            retryable: cause.code === "EADDRINUSE",
            cause
          })
        )
      )
    server.once("error", fail)
    server.listen(port, host, () => {
      server.off("error", fail)
      // A connection that could not be accepted is no reason to end those that were.
      server.on("error", ignore)
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const stop = (server: Server, admission: Admission, stopMillis: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const closed = Deferred.makeUnsafe<void>()
    server.close(() => Deferred.doneUnsafe(closed, Exit.void))
    return Effect.andThen(
      admission.stop,
      Effect.suspend(() => {
        // A connection becomes idle when its last answer has been written, and nothing tells of that.
        const sweep = setInterval(() => server.closeIdleConnections(), 10)
        const cut = setTimeout(() => server.closeAllConnections(), stopMillis)
        server.closeIdleConnections()
        return Effect.ensuring(
          Deferred.await(closed),
          Effect.sync(() => {
            clearInterval(sweep)
            clearTimeout(cut)
          })
        )
      })
    )
  })

const isAt = (path: string, url: string): boolean => {
  if (url === path) return true
  const rest = url.startsWith(path) ? url.slice(path.length) : ""
  return rest === "/" || rest.startsWith("?") || rest.startsWith("/?")
}

const hintOf = (code: string | undefined): string =>
  code === "EADDRINUSE" ? "Another program listens there: end it, or choose another port." : "Choose another address."

const ignore = (): void => {}
const none: Answer["headers"] = {}
const nothing = {}
