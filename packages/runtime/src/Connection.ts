// A connection to one server, the same in both eras: call any method, and hear what the server says by itself. Which link it
// uses is InUse's; how one link works is in Link; what was agreed is core's.
import type { Agreement } from "@parley/core/Agreement"
import { type NegotiationError, RequestError, type RequestReason, Timeout } from "@parley/core/Errors"
import type { JsonObject, Notification, Params } from "@parley/core/Message"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type * as Calls from "./Calls.ts"
import type { Options } from "./ConnectionOptions.ts"
import * as Incoming from "./Incoming.ts"
import * as Inputs from "./Inputs.ts"
import * as InUse from "./InUse.ts"
import * as Readiness from "./Readiness.ts"
import * as TimeLimits from "./TimeLimits.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as TraceContext from "./TraceContext.ts"

export type { Options } from "./ConnectionOptions.ts"

/** What a single request may say. */
export interface RequestOptions {
  /** How long it may take, in milliseconds. Default: the connection's. */
  readonly millis?: number
  /** Hears the progress of this request; it is asked for only then. */
  readonly onProgress?: (progress: Params) => void
}

/** An open connection, the same in both eras. */
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
export const connect = (options: Options): Effect.Effect<Shape, NegotiationError, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<Scope.Scope>) => {
    const scope = Scope.forkUnsafe(Context.get(context, Scope.Scope))
    const clock = Context.get(context, Clock.Clock)
    const incoming = Incoming.make()
    const readiness = options.readiness ?? Readiness.make()
    const inUse = InUse.make({ options, scope, clock, context, readiness, incoming })
    const beginning = Effect.andThen(Scope.addFinalizer(scope, inUse.shut), inUse.begin)
    return Effect.map(
      Effect.onExitPrimitive(beginning, (exit) => (Exit.isSuccess(exit) ? undefined : Scope.close(scope, exit))),
      () => connectionOf({ options, scope, clock, context, readiness, incoming, inUse })
    )
  })

interface Given extends InUse.Given {
  readonly scope: Scope.Closeable
  readonly inUse: InUse.InUse
}

const connectionOf = ({ clock, context, inUse, incoming, options, readiness, scope }: Given): Shape => {
  const { onRequest, requestMillis = 60_000, resultTypes, transport } = options
  // Many a connection is opened to see whether it can be.
  let calling: { readonly limits: TimeLimits.TimeLimits; readonly make: ToolCalls.Make } | undefined

  const call = (request: Calls.Call) => inUse.use((link) => link.call(request))
  const isLegacy = () => inUse.link().agreement.era === "legacy"
  const hasHeaders = () => transport.medium.streams !== "shared" && !isLegacy()

  const begin = () =>
    (calling ??= { limits: TimeLimits.make(clock, context, scope), make: ToolCalls.make(call, hasHeaders) })

  const perform = (request: Calls.Call): Effect.Effect<JsonObject, RequestReason> => {
    const { make } = begin()
    return onRequest === undefined || isLegacy() ? make(request) : Inputs.fulfil(make, onRequest, request)
  }

  const bounded = <A>(method: string, millis: number, made: Effect.Effect<A, RequestReason>) =>
    Effect.mapError(
      begin().limits.within(millis, made, () => new Timeout({ phase: "request", waitedMillis: millis })),
      (reason) => new RequestError({ method, reason })
    )

  return new Live(inUse, {
    request: (method, params, { millis = requestMillis, onProgress } = {}) =>
      TraceContext.traced(method, params, (told) =>
        bounded(
          method,
          millis,
          Effect.suspend(() => perform({ method, params: told, onProgress, resultTypes }))
        )
      ),
    notify: (method, params) =>
      bounded(
        method,
        requestMillis,
        inUse.use((link) => link.notify(method, params))
      ),
    incoming: Effect.map(inUse.listen, () => incoming.queue),
    readiness,
    close: Effect.suspend(() => Scope.close(scope, Exit.void))
  })
}

// A class for the sake of its getter: one in an object literal has a hidden class of its own for each object, and what it
// closes over lives until the next full collection.
class Live implements Shape {
  readonly request: Shape["request"]
  readonly notify: Shape["notify"]
  readonly incoming: Shape["incoming"]
  readonly readiness: Shape["readiness"]
  readonly close: Shape["close"]
  readonly #inUse: InUse.InUse

  constructor(inUse: InUse.InUse, shape: Omit<Shape, "agreement">) {
    this.#inUse = inUse
    this.request = shape.request
    this.notify = shape.notify
    this.incoming = shape.incoming
    this.readiness = shape.readiness
    this.close = shape.close
  }

  get agreement(): Agreement {
    return this.#inUse.link().agreement
  }
}

/** Returns the layer of a connection that lives as long as the layer does. */
export const layer = (options: Options): Layer.Layer<Connection, NegotiationError> =>
  Layer.effect(Connection, connect(options))
