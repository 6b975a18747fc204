// The HTTP server carrier for hosts that speak fetch: a Request in, a Response out, and nothing of Effect's HTTP modules, so
// that it starts fast on a small host. Who is admitted, and what an answer says, is the admission's to decide.
import type { Answer } from "@parley/core/server/Answer"
import { Body } from "@parley/core/server/Body"
import * as Cors from "@parley/core/server/Cors"
import { keepAliveMillis, streamHeaders } from "@parley/core/server/EventStream"
import type { Head } from "@parley/core/server/HeadRungs"
import type { Admission, InboundHttp, InFlight } from "@parley/runtime/Admission"
import { OpenEvents } from "./internal/OpenEvents.ts"

/** How requests are carried. Times are the host's, not those of Effect's clock. */
export interface Options {
  /** How long a stream is silent before a comment is written on it, in milliseconds. Default 15,000. */
  readonly keepAliveMillis?: number | undefined
  /** How long a body may take to come, in milliseconds, before it is refused with 408. Default 30,000. */
  readonly bodyMillis?: number | undefined
  /** What pages of the profile's origins may do. Default: no CORS header at all, and OPTIONS is refused with 405. */
  readonly cors?: Cors.Cors | undefined
  /**
   * Who the application says the client is; a session belongs to the principal that opened it. It runs after the checks of
   * the head and before the body is read, and may refuse by returning a Response, such as a 401. If it throws, so does the
   * handler.
   */
  readonly principal?: ((request: Request) => Principal | Promise<Principal>) | undefined
}

/** Who the client is (undefined: nobody in particular), or the response with which the application refuses it. */
export type Principal = string | undefined | Response

/** Answers a request. It rejects only where `principal` threw, or where the body has been read by somebody else. */
export type FetchHandler = (request: Request) => Promise<Response>

/**
 * Returns a handler for a fetch-style host: Deno, Bun, Cloudflare Workers, a route handler of a web framework. It answers
 * whatever it is given, at any path. The Origin, the Host (that of the address, where the host hands on no header), the size
 * of the body and how long it takes are checked as the profile says. Cancelling the body of a response, or the abort of the
 * request's signal, tells the server that the client has gone. No fiber is started before the owner's handler.
 * The module `@parley/platform/FetchServer` loads nothing of Effect's HTTP modules.
 *
 * @example
 * ```ts
 * import { Profile } from "@parley/core"
 * import * as FetchServer from "@parley/platform/FetchServer"
 * import { Admission } from "@parley/runtime"
 * import { Effect, Scope } from "effect"
 *
 * const profile = Profile.dual({ serverInfo: { name: "clock", version: "1.0.0" }, capabilities: { tools: {} } })
 *
 * // Lives as long as the host. To end it, close the scope.
 * const scope = Scope.makeUnsafe()
 * const admission = Effect.runSync(
 *   Admission.make(profile, () => Effect.succeed({ tools: [] })).pipe(Scope.provide(scope))
 * )
 *
 * export default { fetch: FetchServer.fetchHandler(admission) }
 * ```
 */
export const fetchHandler = (admission: Admission, options: Options = {}): FetchHandler => {
  const { cors, principal } = options
  const { compiled } = admission
  const limit = compiled.profile.limits.bodyBytes
  const bodyMillis = Math.min(options.bodyMillis ?? 30_000, longest)
  const silentMillis = options.keepAliveMillis ?? keepAliveMillis
  return async (request) => {
    const head: Head = { method: request.method, headers: headersOf(request) }
    const extra = cors === undefined ? none : Cors.headersFor(compiled, cors, head)
    const early = (cors === undefined ? undefined : Cors.preflight(compiled, cors, head)) ?? admission.head(head)
    if (early !== undefined) return whole(early, extra)
    const who = principal === undefined ? undefined : await principal(request)
    if (who instanceof Response) return extra === none ? who : labelled(who, extra)
    if (head.method !== "POST") return exchange(admission, request, { ...head, principal: who }, extra, silentMillis)
    const sent = await read(request.body, limit, bodyMillis)
    if (typeof sent === "string") {
      return exchange(admission, request, { ...head, body: sent, principal: who }, extra, silentMillis)
    }
    return whole(
      sent._tag === "Overflow"
        ? admission.overflow()
        : sent._tag === "Stalled"
          ? admission.stalled(bodyMillis)
          : admission.unreadable(),
      extra
    )
  }
}

const exchange = (
  admission: Admission,
  request: Request,
  inbound: InboundHttp,
  extra: Answer["headers"],
  silentMillis: number
): Promise<Response> =>
  new Promise((resolve) => {
    const { signal } = request
    let inFlight: InFlight | undefined
    let events: OpenEvents | undefined
    const gone = (): void => {
      signal.removeEventListener("abort", gone)
      if (events === undefined || events.cut()) inFlight?.gone()
      // Nobody reads it, but a host waits for it.
      resolve(new Response(null, { status: 499 }))
    }
    inFlight = admission.http(inbound, {
      whole: (answer) => {
        signal.removeEventListener("abort", gone)
        resolve(whole(answer, extra))
      },
      stream: (headers) => {
        events = new OpenEvents(silentMillis)
        const all = { ...streamHeaders, ...headers, ...extra }
        resolve(new Response(readableOf(events, gone), { status: 200, headers: all }))
        return events
      }
    })
    if (inFlight === undefined) return
    if (signal.aborted) gone()
    else signal.addEventListener("abort", gone)
  })

const readableOf = ({ outbox }: OpenEvents, gone: () => void): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise((resolve) =>
          outbox.take((bytes) => {
            if (bytes === undefined) controller.close()
            else controller.enqueue(bytes)
            resolve()
          })
        ),
      cancel: () => {
        outbox.leave()
        gone()
      }
    },
    // What nobody asked for yet waits in the outbox, where it is bounded.
    { highWaterMark: 0 }
  )

interface Unread {
  readonly _tag: "Overflow" | "Stalled" | "NotUtf8" | "Cut"
}

// Reads a body as text. What comes after it was refused is dropped until the time is over: a client that is cut while it
// writes sees no answer.
const read = (body: ReadableStream<Uint8Array> | null, limit: number, millis: number): Promise<string | Unread> => {
  if (body === null) return Promise.resolve("")
  const reader = body.getReader()
  const kept = new Body(limit)
  return new Promise((resolve) => {
    let isRefused = false
    let isLate = false
    const refuse = (_tag: Unread["_tag"]): void => {
      isRefused = true
      resolve({ _tag })
    }
    const timer = setTimeout(() => {
      isLate = true
      if (isRefused) void reader.cancel().catch(ignore)
      else refuse("Stalled")
    }, millis)
    const drain = async (): Promise<void> => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (isLate) return reader.cancel()
        if (!isRefused && !kept.add(next.value)) refuse("Overflow")
      }
      if (!isRefused) resolve(kept.take() ?? { _tag: "NotUtf8" })
      return undefined
    }
    drain().then(
      () => clearTimeout(timer),
      () => {
        clearTimeout(timer)
        resolve({ _tag: "Cut" })
      }
    )
  })
}

const whole = ({ body, headers, status }: Answer, extra: Answer["headers"]): Response =>
  new Response(body ?? null, { status, headers: extra === none ? headers : { ...headers, ...extra } })

const labelled = (response: Response, extra: Answer["headers"]): Response => {
  const copy = new Response(response.body, response)
  for (const [name, value] of Object.entries(extra)) copy.headers.set(name, value)
  return copy
}

const headersOf = ({ headers, url }: Request): Head["headers"] => {
  const all = Object.fromEntries(headers)
  return all["host"] === undefined ? { ...all, host: new URL(url).host } : all
}

const ignore = (): void => {}
const none: Answer["headers"] = {}
// What a host's timer can wait, about 24 days; a longer time would be none.
const longest = 2 ** 31 - 1
