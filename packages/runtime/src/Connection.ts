// A connection to one server, the same in both eras: call any method, hear what the server says by itself, and keep
// going when a legacy session ends. How one channel works is in Link; what was agreed is core's.
import type { Agreement } from "@parley/core/Agreement"
import {
  type NegotiationError,
  RequestError,
  type RequestReason,
  Timeout,
  type TransportFailure
} from "@parley/core/Errors"
import type { ErrorObject, JsonObject, Notification, Params, Request } from "@parley/core/Message"
import { isObject, Method } from "@parley/core/Message"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Queue from "effect/Queue"
import type * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Answers from "./Answers.ts"
import type * as Calls from "./Calls.ts"
import * as Incoming from "./Incoming.ts"
import * as Inputs from "./Inputs.ts"
import * as Link from "./Link.ts"
import { disproves } from "./memory/Disproof.ts"
import type { Shape as Memory } from "./memory/Memory.ts"
import * as Remembering from "./memory/Remembering.ts"
import * as Negotiation from "./Negotiation.ts"
import * as Readiness from "./Readiness.ts"
import * as Reopening from "./Reopening.ts"
import type { Retryable } from "./Retry.ts"
import * as TimeLimits from "./TimeLimits.ts"
import * as ToolMemory from "./ToolMemory.ts"

/** What a connection is given. */
export interface Options extends Negotiation.Options {
  /**
   * Answers what the server asks of the client (sampling, elicitation, roots): a request of a legacy server, or an entry
   * of `inputRequests` in the modern era, after which the call is repeated with the answers. Without it, legacy requests
   * are refused with -32601 and a modern `input_required` result is handed to the caller. Pings are always answered.
   */
  readonly onRequest?: ((request: Request) => Effect.Effect<JsonObject, ErrorObject>) | undefined
  /** How long a request may take where it says nothing else, in milliseconds. Default 60,000; Infinity waits for ever. */
  readonly requestMillis?: number | undefined
  /** What a 404 to a request of a session leads to. Default `renegotiate`: one new session, and the request once more. */
  readonly onLostSession?: "renegotiate" | "fail" | undefined
  /** Kinds of result beyond `complete` and `input_required`, from extensions that both sides declared. */
  readonly resultTypes?: ReadonlyArray<string> | undefined
  /**
   * What servers spoke before, as from the EraMemory service: a fresh verdict connects without an exchange. If the first
   * request shows that it was wrong, it is dropped and the connection negotiates; the request is sent once more only
   * where it was certainly not executed and another revision was agreed on. Default: nothing is remembered.
   */
  readonly memory?: Memory | undefined
  /** On whose behalf it is remembered; see `EraMemory.Key`. Default "". */
  readonly principal?: string | undefined
  /**
   * When a channel that was lost as a whole, such as a process that exited, is opened again: negotiated anew at once, and
   * after a failure by this schedule (one of `Retry`, for example). A channel that is lost within 10 s counts as a failure.
   * What was under way fails with a retryable error; later requests wait, within their own time; notifications that were
   * lost are not sent again. Default: never, and every later request fails.
   */
  readonly reopen?: Schedule.Schedule<unknown, Retryable> | undefined
  /** Shows how the connection stands, from the opening on: made by `Readiness.make`. Default: one of its own. */
  readonly readiness?: Readiness.Changing | undefined
}

/** What a single request may say. */
export interface RequestOptions {
  /** How long it may take, in milliseconds. Default: the connection's. */
  readonly millis?: number
  /** Hears the progress of this request; it is asked for only then. */
  readonly onProgress?: (progress: Params) => void
}

export interface Shape {
  /** What was agreed. Read it each time: a new session is a new agreement. */
  readonly agreement: Agreement
  /**
   * Calls a method and returns its result. Fails with a RequestError whose reason says why. Interrupting it cancels the
   * request as the era demands. Nothing that may have been executed is sent twice.
   */
  readonly request: (
    method: string,
    params?: Params,
    options?: RequestOptions
  ) => Effect.Effect<JsonObject, RequestError>
  /** Sends a notification. Over HTTP it returns when the server accepted it, on a pipe when it is written. */
  readonly notify: (method: string, params?: Params) => Effect.Effect<void, RequestError>
  /**
   * What the server says by itself, oldest first. At most 1,024 are kept unread, and at most 16 Mi characters of them; the
   * oldest are dropped. Reading it for the first time opens the stream that a legacy HTTP server may offer. The queue ends
   * with the connection.
   */
  readonly incoming: Effect.Effect<Queue.Dequeue<Notification, Cause.Done>>
  /** How the connection stands. `ConnectionState.follow` makes a SubscriptionRef of it. */
  readonly readiness: Readiness.Readiness
  /** Ends the connection before its scope does: a legacy HTTP session is deleted, a process is stopped. */
  readonly close: Effect.Effect<void>
}

/** The service: a connection that an application's layers provide. */
export class Connection extends Context.Service<Connection, Shape>()("@parley/runtime/Connection") {}

/** Negotiates, and returns a connection that the scope closes. */
export const connect = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Shape, NegotiationError, Scope.Scope> {
  const scope = Scope.forkUnsafe(yield* Effect.scope)
  const incoming = yield* Incoming.make
  const tools = ToolMemory.make()
  const context = yield* Effect.context()
  const limits = TimeLimits.make(yield* Clock.Clock, context, scope)
  const readiness = options.readiness ?? Readiness.make()
  const { medium } = options.transport
  const requestMillis = options.requestMillis ?? 60_000
  let listens = false
  let closed = false
  let inUse: Opened | undefined

  const open = Effect.suspend(() => {
    const own: Opened = {
      scope: Scope.forkUnsafe(scope),
      users: 0,
      isReplaced: false,
      isUnproven: false,
      isForgotten: false,
      lost: undefined
    }
    const hooks: Link.Hooks = {
      onNotification: incoming.offer,
      onRequest: options.onRequest ?? Answers.refuse,
      onLost: (reason) => {
        own.lost = reason
        if (inUse === own && !own.isReplaced) reopening.begin(reason)
      }
    }
    const { memory } = options
    const negotiating: Effect.Effect<Negotiation.Negotiated, NegotiationError, Scope.Scope> =
      memory === undefined
        ? Negotiation.negotiate(options)
        : Effect.tap(Remembering.negotiate({ ...options, memory }), ({ isUnproven }) => {
            own.isUnproven = isUnproven
            return Effect.void
          })
    return negotiating.pipe(
      Effect.flatMap((negotiated) => Link.make(negotiated, medium, hooks)),
      Scope.provide(own.scope),
      Effect.tap(({ agreement }) => warn(agreement.warnings)),
      Effect.map((link) => Object.assign(own, { link })),
      Effect.onError((cause) => Scope.close(own.scope, Exit.failCause(cause)))
    )
  })

  const reopening = Reopening.make({
    schedule: options.reopen,
    readiness,
    context,
    scope,
    open: Effect.suspend(() => reopened(current)),
    onEnd: incoming.end
  })

  let current = yield* open.pipe(
    Effect.tapError((reason) => Effect.sync(() => readiness.set({ _tag: "Closed", reason }))),
    Effect.onError((cause) => {
      reopening.stop()
      return Scope.close(scope, Exit.failCause(cause))
    })
  )

  // From here on the loss of the channel is the connection's; it may have been lost already.
  const install = (fresh: typeof current): void => {
    current = fresh
    inUse = fresh
    if (fresh.lost !== undefined) reopening.begin(fresh.lost)
    else if (readiness.current()._tag === "Opening") readiness.set({ _tag: "Ready" })
  }

  // One new negotiation however many requests found the session gone; whoever waited for it takes what it gave.
  const opening = Semaphore.makeUnsafe(1)
  let failures = 0
  let lastFailure: NegotiationError | undefined
  const renewed = (stale: Opened, reason: RequestReason): Effect.Effect<Link.Link, RequestReason> =>
    Effect.suspend(() => {
      const seen = failures
      return opening.withPermits(1)(
        Effect.suspend((): Effect.Effect<Link.Link, RequestReason> => {
          if (current !== stale) return Effect.succeed(current.link)
          if (lastFailure !== undefined && failures !== seen) return Effect.fail(lastFailure)
          if (closed) return Effect.fail(reason)
          return replace(stale)
        })
      )
    })

  const replace = (stale: Opened): Effect.Effect<Link.Link, NegotiationError> =>
    Effect.uninterruptibleMask((restore) =>
      restore(open).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            failures += 1
            lastFailure = error
          })
        ),
        Effect.map((fresh) => {
          stale.isReplaced = true
          install(fresh)
          return fresh.link
        })
      )
    ).pipe(Effect.tap((link) => (listens ? link.listen : Effect.void)))

  // What is lost is closed before there is another: of a process nothing is left. A session that was found gone meanwhile
  // may have been replaced already.
  const reopened = (stale: typeof current): Effect.Effect<void, NegotiationError> =>
    opening.withPermits(1)(
      Effect.suspend(() => {
        if (current !== stale || stale.lost === undefined || closed) return Effect.void
        const forgotten = stale.isUnproven ? forget(stale) : Effect.void
        return Effect.andThen(Effect.andThen(Scope.close(stale.scope, Exit.void), forgotten), replace(stale))
      })
    )

  // transports, Session Management: a session that is gone is replaced, and what was refused for it is sent once more.
  const use = <A>(send: (link: Link.Link) => Effect.Effect<A, RequestReason>): Effect.Effect<A, RequestReason> =>
    Effect.suspend(() => {
      const wait = reopening.wait()
      return wait === undefined ? useNow(send) : Effect.andThen(wait, useNow(send))
    })

  const useNow = <A>(send: (link: Link.Link) => Effect.Effect<A, RequestReason>): Effect.Effect<A, RequestReason> =>
    Effect.suspend(() => {
      const own = current
      let isIn = false
      const sending = Effect.suspend(() => {
        own.users += 1
        isIn = true
        const sent = own.isUnproven ? proving(own, send) : send(own.link)
        return Effect.catchTag(sent, "SessionUnknown", (reason) =>
          options.onLostSession === "fail" ? Effect.fail(reason) : Effect.flatMap(renewed(own, reason), send)
        )
      })
      return Effect.onExit(sending, () => (isIn ? leave(own) : Effect.void))
    })

  // Nothing was asked when this link was opened: what is refused first may show that the memory was wrong.
  const proving = <A>(
    own: Opened & { readonly link: Link.Link },
    send: (link: Link.Link) => Effect.Effect<A, RequestReason>
  ): Effect.Effect<A, RequestReason> =>
    Effect.matchEffect(send(own.link), {
      onSuccess: (value) => {
        own.isUnproven = false
        return Effect.succeed(value)
      },
      onFailure: (reason) => {
        if (!own.isUnproven || !disproves(reason, medium)) return Effect.fail(reason)
        return Effect.flatMap(Effect.andThen(forget(own), renewed(own, reason)), (link) =>
          link.agreement.version === own.link.agreement.version ? Effect.fail(reason) : send(link)
        )
      }
    })

  // Only the first to find out forgets: by the time of the second there may be a better memory.
  const forget = (own: Opened): Effect.Effect<void> => {
    if (options.memory === undefined || own.isForgotten) return Effect.void
    own.isForgotten = true
    return options.memory.forget({ target: options.transport.target, principal: options.principal ?? "" })
  }

  const call = (request: Calls.Call) => use((link) => link.call(request))

  const listTools = (request: Calls.Call): Effect.Effect<JsonObject, RequestReason> =>
    Effect.flatMap(call(request), (listed) => {
      if (medium.streams === "shared" || current.link.agreement.era === "legacy") return Effect.succeed(listed)
      const { result, warnings } = tools.remember(listed)
      return Effect.as(warn(warnings), result)
    })

  // streamable-http, Client Behavior: after a HeaderMismatch list the tools again, then try once more. It was refused
  // before it was executed.
  const callTool = (request: Calls.Call): Effect.Effect<JsonObject, RequestReason> => {
    const name = request.params?.["name"]
    const attempt = Effect.suspend(() => call({ ...request, toolHeaders: tools.headersOf(name) }))
    return Effect.catchTag(attempt, "HeaderMismatch", (reason) =>
      medium.streams === "shared" || current.link.agreement.era === "legacy"
        ? Effect.fail(reason)
        : Effect.andThen(relist(name), attempt)
    )
  }

  const relist = Effect.fnUntraced(function* (name: unknown): Effect.fn.Return<void, RequestReason> {
    let cursor: unknown
    for (let page = 0; page < mostPages; page++) {
      const params = typeof cursor === "string" ? { cursor } : undefined
      const listed = yield* listTools({ method: Method.ToolsList, params })
      cursor = listed["nextCursor"]
      if (typeof cursor !== "string" || hasTool(listed, name)) return
    }
  })

  const perform = (request: Calls.Call): Effect.Effect<JsonObject, RequestReason> =>
    request.method === Method.ToolsList
      ? listTools(request)
      : request.method === Method.ToolsCall
        ? callTool(request)
        : call(request)

  const { onRequest } = options
  const fulfil = (request: Calls.Call): Effect.Effect<JsonObject, RequestReason> =>
    onRequest === undefined || current.link.agreement.era === "legacy"
      ? perform(request)
      : Inputs.fulfil(perform, onRequest, request)

  const bounded = <A>(method: string, millis: number, made: Effect.Effect<A, RequestReason>) =>
    Effect.mapError(
      limits.within(millis, made, () => new Timeout({ phase: "request", waitedMillis: millis })),
      (reason) => new RequestError({ method, reason })
    )

  const close = Effect.suspend(() => {
    if (closed) return Effect.void
    closed = true
    reopening.stop()
    return current.link
      .farewell(farewellMillis)
      .pipe(Effect.andThen(Effect.sync(incoming.end)), Effect.andThen(Scope.close(scope, Exit.void)))
  })
  yield* Effect.addFinalizer(() => close)
  install(current)

  return {
    get agreement(): Agreement {
      return current.link.agreement
    },
    request: (method, params, { millis = requestMillis, onProgress } = {}) =>
      bounded(
        method,
        millis,
        Effect.suspend(() => fulfil({ method, params, onProgress, resultTypes: options.resultTypes }))
      ),
    notify: (method, params) =>
      bounded(
        method,
        requestMillis,
        use((link) => link.notify(method, params))
      ),
    incoming: Effect.suspend(() => {
      listens = true
      return Effect.as(current.link.listen, incoming.queue)
    }),
    readiness,
    close
  }
})

/** Returns the layer of a connection that lives as long as the layer does. */
export const layer = (options: Options): Layer.Layer<Connection, NegotiationError> =>
  Layer.effect(Connection, connect(options))

/** A channel that was opened, and how many requests and notifications are under way on it. */
interface Opened {
  readonly scope: Scope.Closeable
  users: number
  isReplaced: boolean
  /** Whether the agreement came from memory and no request has shown yet that it holds. */
  isUnproven: boolean
  isForgotten: boolean
  /** Why the channel is lost, once it is. */
  lost: TransportFailure | undefined
}

// Whoever leaves a replaced channel last closes it.
const leave = (opened: Opened): Effect.Effect<void> => {
  opened.users -= 1
  return opened.isReplaced && opened.users === 0 ? Scope.close(opened.scope, Exit.void) : Effect.void
}

const warn = (warnings: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })

const hasTool = (listed: JsonObject, name: unknown): boolean => {
  const tools = listed["tools"]
  return Array.isArray(tools) && tools.some((tool: unknown) => isObject(tool) && tool["name"] === name)
}

// How long the server may take to say that a session is deleted, in milliseconds.
const farewellMillis = 2000
const mostPages = 20
