// What a server's owner writes, and what it is given: the handler of requests, the door for what the server says by
// itself, and the failures that mean something to a client. How they are run is in Delivery.
import type { MethodNotFound, MissingRequiredClientCapability, Timeout } from "@parley/core/Errors"
import type { Id, JsonObject, Notification, Params, Request } from "@parley/core/Message"
import type { Client } from "@parley/core/server/Evidence"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import type { LogLevel } from "@parley/core/server/LogLevel"
import type { Era } from "@parley/core/Version"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/**
 * Serves an admitted request and returns its result. It may fail with {@link Rejection}, `MethodNotFound`,
 * `MissingRequiredClientCapability` or {@link InputRequired}; any other failure, a defect or an interruption becomes a
 * -32603 that tells the client nothing more, and is logged. It is interrupted when the client cancels.
 */
export type Handler<E = unknown, R = never> = (
  request: Request,
  context: RequestContext
) => Effect.Effect<JsonObject, E, R>

/** Hears a notification of the client. Nothing that it does reaches the client; a failure is logged. */
export type NotificationHandler<E = unknown, R = never> = (
  notification: Notification,
  context: NotificationContext
) => Effect.Effect<unknown, E, R>

/**
 * Speaks where the server may speak by itself, for as long as it runs: a modern `subscriptions/listen`, the GET stream of a
 * legacy session, a pipe whose handshake is complete. When it ends, the door is closed cleanly; it is interrupted when the
 * client goes.
 */
export type Listener<E = unknown, R = never> = (door: Door) => Effect.Effect<unknown, E, R>

/** On what terms a request was admitted, and the ways back to the client while it is served. */
export interface RequestContext extends Speaker {
  readonly id: Id
  /** The least severe level of log notifications that go out for this request, or undefined for none. */
  readonly logLevel: LogLevel | undefined
  /** W3C trace context from `_meta`, as it came. */
  readonly trace: TraceContext
  /** The HTTP headers, by lower-case name. Undefined on a pipe. */
  readonly headers: RequestHeaders | undefined
  /** Tells how far the work is. Nothing is sent where the client gave no progress token. `progress` must increase. */
  readonly progress: (update: Progress) => Effect.Effect<void>
  /**
   * Asks the client for several things, in either era: each answer under the key of its request. In the legacy era they are
   * asked one after the other. In the modern era it fails with {@link InputRequired} until the client has come back with
   * all of them, so what stands before it runs once more each time: let it do nothing that must be done once.
   */
  readonly interact: <K extends string>(requests: { readonly [key in K]: Asked }) => Effect.Effect<
    { readonly [key in K]: JsonObject },
    AskError | InputRequired
  >
}

/** Where the server may speak by itself. */
export interface Door extends Speaker {
  /** What a modern client subscribed to and is honoured: anything else is not sent. Undefined in the legacy era. */
  readonly filter: Filter | undefined
}

/** What both have: who the client is, and how to speak to it. */
export interface Speaker {
  readonly era: Era
  readonly version: string
  readonly client: Client
  /** The legacy HTTP session. */
  readonly sessionId: string | undefined
  /** Who the application said the client is. */
  readonly principal: string | undefined
  /**
   * Sends a notification on the channel that its era demands, and waits while the client is slow to read. Nothing is sent
   * when the answer is out, when the client is gone, when it may not be sent here, or for a log notification under the
   * level.
   */
  readonly notify: (method: string, params?: Params) => Effect.Effect<void>
  /** Sends a log notification, if the server declared `logging` and the client wants this level. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => Effect.Effect<void>
  /** Legacy era only: asks the client and waits for its answer, at most for the profile's `askMillis`. */
  readonly ask: (method: string, params?: Params) => Effect.Effect<JsonObject, AskError>
}

/** Who sent a notification. */
export interface NotificationContext {
  /** Undefined on a pipe on which nothing was agreed. */
  readonly version: string | undefined
  readonly sessionId: string | undefined
  readonly principal: string | undefined
}

/** How far the work is. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** The W3C trace context of a request. */
export interface TraceContext {
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  readonly baggage: string | undefined
}

/** What a client may be asked: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface Asked {
  readonly method: string
  readonly params?: Params
}

/** The notification types of a subscription. */
export interface Filter {
  readonly toolsListChanged: boolean
  readonly promptsListChanged: boolean
  readonly resourcesListChanged: boolean
  readonly resourceSubscriptions: ReadonlySet<string>
}

/** A JSON-RPC error that the owner wants the client to see, as it is: an unknown tool, arguments that are wrong. */
export class Rejection extends Data.TaggedError("Rejection")<{
  readonly code: number
  readonly message: string
  readonly data?: unknown
}> {}

/**
 * The request needs more input: a modern request is answered with an `input_required` result, and the client repeats it
 * with the answers. `requestState` comes back as it is, from a client that may have changed it.
 */
export class InputRequired extends Data.TaggedError("InputRequired")<{
  readonly inputRequests: { readonly [key: string]: Asked }
  readonly requestState?: string
}> {}

/** The client refused what it was asked. */
export class AskRefused extends Data.TaggedError("AskRefused")<{
  readonly method: string
  readonly code: number
  /** The client's own words, on one line, at most 200 characters. */
  readonly clientMessage: string
  readonly data?: unknown
}> {
  override get message(): string {
    return `The client refused ${this.method} with ${this.code}: ${this.clientMessage}. Go on without, or tell the user.`
  }
}

/** The client cannot be asked here. */
export class CannotAsk extends Data.TaggedError("CannotAsk")<{
  readonly method: string
  readonly why: "modernEra" | "noSession" | "disconnected" | "tooMany"
}> {
  override get message(): string {
    return `The client cannot be asked for ${this.method}: ${reasons[this.why]}.`
  }
}

/** Why an answer of the client was not to be had. */
export type AskError = AskRefused | CannotAsk | MissingRequiredClientCapability | Timeout

/** The failures of a handler that a client is told of. */
export type Told = Rejection | InputRequired | MethodNotFound | MissingRequiredClientCapability

const reasons = {
  modernEra: "a modern client is asked through interact, or by an input_required result",
  noSession: "without a session its answer would find nobody",
  disconnected: "it has gone",
  tooMany: "too many questions wait for it already"
} as const
