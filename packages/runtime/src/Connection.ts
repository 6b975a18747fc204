// A connection to one server, the same in both eras: call any method, hear what the server says by itself, and keep
// going when a legacy session ends. How one channel works is in Link; what was agreed is core's.
import type { Agreement } from "@parley/core/Agreement"
import { type NegotiationError, RequestError, type RequestReason, Timeout } from "@parley/core/Errors"
import type { ErrorObject, JsonObject, Notification, Params, Request } from "@parley/core/Message"
import { Code, isObject, Method } from "@parley/core/Message"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Link from "./Link.ts"
import * as Negotiation from "./Negotiation.ts"
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
   * What the server says by itself, oldest first, at most 1,024 kept (the oldest are dropped). Reading it for the first
   * time opens the stream that a legacy HTTP server may offer. The queue ends with the connection.
   */
  readonly incoming: Effect.Effect<Queue.Dequeue<Notification, Cause.Done>>
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
  const incoming = yield* Queue.sliding<Notification, Cause.Done>(1024)
  const tools = ToolMemory.make()
  const opening = Semaphore.makeUnsafe(1)
  let listens = false

  const open = Effect.suspend(() => {
    const own = Scope.forkUnsafe(scope)
    return Negotiation.negotiate(options).pipe(
      Effect.flatMap((negotiated) => Link.make(negotiated, options.transport.medium, hooks)),
      Scope.provide(own),
      Effect.map((link) => ({ link, scope: own })),
      Effect.tap(({ link }) =>
        Effect.forEach(link.agreement.warnings, (warning) => Effect.logWarning(warning), { discard: true })
      ),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(own, exit)))
    )
  })

  const hooks: Link.Hooks = {
    onNotification: (notification) => {
      Queue.offerUnsafe(incoming, notification)
    },
    onRequest: options.onRequest ?? refuse
  }

  let current = yield* open
  let closed = false

  // One new negotiation however many requests found the session gone; whoever comes later takes what it gave.
  const renewed = (stale: Link.Link) =>
    opening
      .withPermits(1)(
        Effect.suspend(() => {
          if (current.link !== stale) return Effect.succeed(current.link)
          return Effect.map(open, (fresh) => {
            current = fresh
            return fresh.link
          })
        })
      )
      .pipe(Effect.tap((link) => (listens ? link.listen : Effect.void)))

  const settle = (link: Link.Link, own: Scope.Closeable): Effect.Effect<void> =>
    Effect.suspend(() =>
      link !== current.link && link.outstanding() === 0 ? Scope.close(own, Exit.void) : Effect.void
    )

  const call = (request: Link.Call): Effect.Effect<JsonObject, RequestReason> =>
    Effect.suspend(() => {
      const { link, scope: own } = current
      return link.call(request).pipe(
        Effect.catchTag("SessionUnknown", (reason) =>
          options.onLostSession === "fail" || closed
            ? Effect.fail(reason)
            : Effect.flatMap(renewed(link), (fresh) => fresh.call(request))
        ),
        Effect.ensuring(settle(link, own))
      )
    })

  const listTools = (params: Params | undefined): Effect.Effect<JsonObject, RequestReason> =>
    Effect.flatMap(call({ method: Method.ToolsList, params }), (listed) => {
      if (options.transport.medium.streams === "shared" || current.link.agreement.era === "legacy") {
        return Effect.succeed(listed)
      }
      const { result, warnings } = tools.remember(listed)
      return Effect.as(
        Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true }),
        result
      )
    })

  // streamable-http, Client Behavior: after a HeaderMismatch list the tools again, then try once more. It was refused
  // before it was executed.
  const callTool = (request: Link.Call): Effect.Effect<JsonObject, RequestReason> => {
    const name = request.params?.["name"]
    const attempt = Effect.suspend(() => call({ ...request, toolHeaders: tools.headersOf(name) }))
    return Effect.catchTag(attempt, "HeaderMismatch", () => Effect.andThen(relist(name), attempt))
  }

  const relist = Effect.fnUntraced(function* (name: unknown): Effect.fn.Return<void, RequestReason> {
    let cursor: unknown
    for (let page = 0; page < mostPages; page++) {
      const listed = yield* listTools(typeof cursor === "string" ? { cursor } : undefined)
      cursor = listed["nextCursor"]
      if (typeof cursor !== "string" || hasTool(listed, name)) return
    }
  })

  // patterns/mrtr: a result that asks for input is answered by the same request with the answers and the state echoed.
  const callWithInput = Effect.fnUntraced(function* (request: Link.Call): Effect.fn.Return<JsonObject, RequestReason> {
    const perform = request.method === Method.ToolsCall ? callTool : call
    let result = yield* perform(request)
    for (let round = 0; round < mostRounds; round++) {
      if (options.onRequest === undefined || result["resultType"] !== "input_required") return result
      const inputResponses = yield* answerInputs(options.onRequest, result["inputRequests"])
      if (inputResponses === undefined) return result
      const { requestState: _, inputResponses: __, ...params } = request.params ?? {}
      const state = result["requestState"]
      result = yield* perform({
        ...request,
        params: { ...params, inputResponses, ...(state === undefined ? undefined : { requestState: state }) }
      })
    }
    return result
  })

  const request = (
    method: string,
    params?: Params,
    own: RequestOptions = {}
  ): Effect.Effect<JsonObject, RequestError> => {
    const millis = own.millis ?? options.requestMillis ?? 60_000
    const wanted: Link.Call = { method, params, onProgress: own.onProgress, resultTypes: options.resultTypes }
    const made = method === Method.ToolsList ? listTools(params) : callWithInput(wanted)
    const bounded = Number.isFinite(millis)
      ? Effect.timeoutOrElse(made, {
          duration: millis,
          orElse: () => Effect.fail(new Timeout({ phase: "request", waitedMillis: millis }))
        })
      : made
    return Effect.mapError(bounded, (reason) => new RequestError({ method, reason }))
  }

  const close = Effect.suspend(() => {
    if (closed) return Effect.void
    closed = true
    return current.link
      .farewell(farewellMillis)
      .pipe(Effect.andThen(Queue.end(incoming)), Effect.andThen(Scope.close(scope, Exit.void)))
  })
  yield* Effect.addFinalizer(() => close)

  return {
    get agreement(): Agreement {
      return current.link.agreement
    },
    request,
    notify: (method, params) =>
      Effect.mapError(
        Effect.suspend(() => current.link.notify(method, params)),
        (reason) => new RequestError({ method, reason })
      ),
    incoming: Effect.suspend(() => {
      listens = true
      return Effect.as(current.link.listen, incoming)
    }),
    close
  }
})

/** Returns the layer of a connection that lives as long as the layer does. */
export const layer = (options: Options): Layer.Layer<Connection, NegotiationError> =>
  Layer.effect(Connection, connect(options))

const refuse = (request: Request): Effect.Effect<JsonObject, ErrorObject> =>
  Effect.fail({ code: Code.MethodNotFound, message: `This client does not serve ${request.method.slice(0, 100)}.` })

const hasTool = (listed: JsonObject, name: unknown): boolean => {
  const tools = listed["tools"]
  return Array.isArray(tools) && tools.some((tool: unknown) => isObject(tool) && tool["name"] === name)
}

// The key of an input request stands in for its id: it is unique within the result.
const answerInputs = (
  onRequest: (request: Request) => Effect.Effect<JsonObject, ErrorObject>,
  inputs: unknown
): Effect.Effect<JsonObject | undefined> => {
  const entries = isObject(inputs) ? Object.entries(inputs) : []
  if (entries.length > mostInputs) return Effect.succeed(undefined)
  return Effect.forEach(entries, ([key, input]) => {
    const method = isObject(input) ? input["method"] : undefined
    const params = isObject(input) ? input["params"] : undefined
    if (typeof method !== "string") return Effect.succeed(undefined)
    const request: Request = { jsonrpc: "2.0", id: key, method, ...(isObject(params) ? { params } : undefined) }
    return Effect.match(onRequest(request), {
      onFailure: () => undefined,
      onSuccess: (response) => [key, response] as const
    })
  }).pipe(
    Effect.map((answers) => (answers.every((answer) => answer !== undefined) ? Object.fromEntries(answers) : undefined))
  )
}

const farewellMillis = 2000
const mostPages = 20
const mostRounds = 10
const mostInputs = 32
