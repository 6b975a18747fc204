// Serving what was admitted: the owner's program in a fiber, and its end as the one answer of the request. What that answer
// says is in Outcome.
import { MetaKey } from "@parley/core/Envelope"
import type { Id, JsonObject, Request } from "@parley/core/Message"
import { Code, isId, isObject, Method, success } from "@parley/core/Message"
import type { Admitted } from "@parley/core/server/Command"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import { fail as failWith, hasInterruptsOnly } from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Conversation } from "./Conversation.ts"
import type { Exchange } from "./Exchange.ts"
import type { Door, RequestContext } from "../Handler.ts"
import type { Host } from "./Host.ts"
import { interact } from "./Interact.ts"
import type { Written } from "./Outcome.ts"
import * as Outcome from "./Outcome.ts"
import type { Running } from "./Running.ts"
import * as RunningRequest from "./Running.ts"
import type { Way } from "./Speaking.ts"
import { ask, logLevelOf, notify } from "./Speaking.ts"
import { acknowledgement, closure, filterOf, teardown } from "./Subscription.ts"

/** From whom something came: what the machine does not know. */
export interface Origin {
  readonly headers: RequestHeaders | undefined
  readonly sessionId: string | undefined
  readonly principal: string | undefined
  /** What is under way with this client. Absent where requests stand alone. */
  readonly conversation: Conversation | undefined
}

/** Serves a request and answers it once. `done` is told when the answer is out, or the request was cancelled. */
export const serve = (
  host: Host,
  exchange: Exchange,
  request: Request,
  admitted: Admitted,
  origin: Origin,
  done?: () => void
): Running => {
  if (admitted.era === "modern" && request.method === Method.SubscriptionsListen) {
    return subscribe(host, exchange, request, admitted, origin, done)
  }
  const way: Way = {
    compiled: host.compiled,
    exchange,
    admitted,
    conversation: origin.conversation,
    subscription: undefined
  }
  const context = contextOf(way, request, origin)
  return run(
    host,
    exchange,
    false,
    request.id,
    origin,
    host.observed(
      request,
      admitted,
      Effect.suspend(() => host.handler(request, context))
    ),
    (exit) => write(host, exchange, request.method, Outcome.answer(host.compiled, request, admitted, exit)),
    done
  )
}

/**
 * Lets the owner's listener speak on a stream or a pipe of the legacy era, for as long as it runs. `done` is told when it
 * has ended; a stream is then ended too.
 */
export const listen = (
  host: Host,
  exchange: Exchange,
  admitted: Admitted,
  origin: Origin,
  done?: () => void
): Running => {
  const way: Way = {
    compiled: host.compiled,
    exchange,
    admitted,
    conversation: origin.conversation,
    subscription: undefined
  }
  return run(
    host,
    exchange,
    true,
    undefined,
    origin,
    listening(host, way, origin),
    (exit) => {
      if (exit._tag === "Failure" && !hasInterruptsOnly(exit.cause)) host.failed("listen", exit.cause)
      exchange.end()
    },
    done
  )
}

/** Writes an answer, and tells the log what the client is not told. */
export const write = (host: Host, exchange: Exchange, method: string, { json, status, fault }: Written): void => {
  if (fault !== undefined) host.failed(method, typeof fault === "string" ? failWith(fault) : fault)
  exchange.answer(json, status)
}

const subscribe = (
  host: Host,
  exchange: Exchange,
  request: Request,
  admitted: Admitted,
  origin: Origin,
  done: (() => void) | undefined
): Running => {
  const { id } = request
  const filter = filterOf(host.compiled, request)
  const way: Way = {
    compiled: host.compiled,
    exchange,
    admitted,
    conversation: origin.conversation,
    subscription: filter === undefined ? undefined : { id, filter }
  }
  const finish = (exit: Exit.Exit<unknown, unknown>): void => {
    if (filter === undefined) {
      write(host, exchange, request.method, Outcome.error(id, admitted, Code.InvalidParams, noFilter))
    } else if (exit._tag === "Success" || hasInterruptsOnly(exit.cause)) {
      exchange.answer(JSON.stringify(success(id, closure(host.compiled, id))), 200)
    } else {
      exchange.push(JSON.stringify(teardown(id)))
      write(host, exchange, request.method, { ...Outcome.internal(id), fault: exit.cause })
    }
  }
  if (filter !== undefined) exchange.push(JSON.stringify(acknowledgement(id, filter)))
  const program = filter === undefined ? Effect.void : listening(host, way, origin)
  return run(host, exchange, true, id, origin, program, finish, done)
}

const run = <A, E>(
  host: Host,
  exchange: Exchange,
  listens: boolean,
  id: Id | undefined,
  { conversation }: Origin,
  program: Effect.Effect<A, E>,
  finish: (exit: Exit.Exit<A, E>) => void,
  done: (() => void) | undefined
): Running =>
  RunningRequest.make(
    exchange,
    listens,
    () => host.fork(program),
    finish,
    (running) => {
      host.running.add(running)
      if (id !== undefined) conversation?.begin(id, running)
    },
    (running) => {
      host.running.delete(running)
      if (id !== undefined) conversation?.done(id, running)
      done?.()
    }
  )

const listening = (host: Host, way: Way, origin: Origin): Effect.Effect<unknown, unknown> => {
  const { listener } = host
  return listener === undefined ? Effect.never : Effect.suspend(() => listener(doorOf(way, origin)))
}

const speakerOf = (way: Way, { sessionId, principal }: Origin) => ({
  era: way.admitted.era,
  version: way.admitted.version,
  client: way.admitted.client,
  sessionId,
  principal,
  notify: (method: string, params?: JsonObject) => notify(way, method, params),
  log: (level: string, data: unknown, logger?: string) =>
    notify(way, Method.LogMessage, logger === undefined ? { level, data } : { level, logger, data }),
  ask: (method: string, params?: JsonObject) => ask(way, method, params)
})

const doorOf = (way: Way, origin: Origin): Door => ({
  ...speakerOf(way, origin),
  filter: way.subscription?.filter
})

const contextOf = (way: Way, request: Request, origin: Origin): RequestContext => {
  const meta = metaOf(request)
  const token = meta?.[MetaKey.ProgressToken]
  return {
    ...speakerOf(way, origin),
    id: request.id,
    logLevel: logLevelOf(way),
    trace: {
      traceparent: textIn(meta, "traceparent"),
      tracestate: textIn(meta, "tracestate"),
      baggage: textIn(meta, "baggage")
    },
    headers: origin.headers,
    progress: (update) =>
      isId(token) ? notify(way, Method.Progress, { progressToken: token, ...update }) : Effect.void,
    interact: (requests) => interact(way, request, requests)
  }
}

const metaOf = (request: Request): JsonObject | undefined => {
  const meta = request.params?.["_meta"]
  return isObject(meta) ? meta : undefined
}

const textIn = (meta: JsonObject | undefined, key: string): string | undefined => {
  const value = meta?.[key]
  return typeof value === "string" ? value : undefined
}

const noFilter = "The subscription names no notifications. Put the types that you want into params.notifications."
