// One negotiated channel at work: requests that await their answers, answers to the server's own requests, streams that
// are resumed. Knows nothing of sessions that end and of reopening: that is Connection's.
import type { Agreement } from "@parley/core/Agreement"
import type { Arrived, Event, Lost } from "@parley/core/client/Event"
import type { Headers } from "@parley/core/client/Outgoing"
import * as Answer from "@parley/core/client/Answer"
import * as Envelope from "@parley/core/Envelope"
import { type RequestReason, TransportFailure } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import { idOf } from "@parley/core/Medium"
import type { ErrorObject, Id, JsonObject, Message, Notification, Params, Request } from "@parley/core/Message"
import * as Messages from "@parley/core/Message"
import type { ToolHeader } from "@parley/core/ToolHeaders"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Negotiated } from "./Negotiation.ts"
import type { Channel } from "./Transport.ts"

/** A request to make. */
export interface Call {
  readonly method: string
  readonly params?: Params | undefined
  readonly toolHeaders?: ReadonlyArray<ToolHeader> | undefined
  /** Called with the params of each progress notification of this request. */
  readonly onProgress?: ((progress: Params) => void) | undefined
  readonly resultTypes?: ReadonlyArray<string> | undefined
}

/** What the owner of a link does with what the server sends by itself. */
export interface Hooks {
  readonly onNotification: (notification: Notification) => void
  /** Answers a request of a legacy server. */
  readonly onRequest: (request: Request) => Effect.Effect<JsonObject, ErrorObject>
}

export interface Link {
  readonly agreement: Agreement
  readonly call: (call: Call) => Effect.Effect<JsonObject, RequestReason>
  readonly notify: (method: string, params?: Params) => Effect.Effect<void, RequestReason>
  /** Legacy HTTP: opens the stream on which the server speaks by itself. Elsewhere nothing is to be opened. */
  readonly listen: Effect.Effect<void>
  /** Ends when the link is lost as a whole: a process that exited, a channel that closed. */
  readonly lost: Effect.Effect<TransportFailure>
  /** Ends the legacy HTTP session, waiting at most so long for the server's word. */
  readonly farewell: (millis: number) => Effect.Effect<void>
  /** How many requests await their answers. */
  readonly outstanding: () => number
}

interface Pending {
  readonly exchange: number
  readonly asked: Answer.Asked
  readonly outcome: Deferred.Deferred<JsonObject, RequestReason>
  readonly onProgress: Call["onProgress"]
  resumptions: number
}

/** Puts a negotiated channel to work inside the scope. */
export const make = Effect.fnUntraced(function* (
  negotiated: Negotiated,
  medium: Medium,
  hooks: Hooks
): Effect.fn.Return<Link, never, Scope.Scope> {
  const { agreement, channel } = negotiated
  const scope = yield* Effect.scope
  const pending = new Map<number, Pending>()
  const accepted = new Map<number, Deferred.Deferred<void, RequestReason>>()
  const resumed = new Map<number, number>()
  const lost = Deferred.makeUnsafe<TransportFailure>()
  let lostFor: TransportFailure | undefined
  let listening: { exchange: number; attempts: number } | undefined
  let answering = 0
  let next = negotiated.nextExchange

  const stampOf = { version: agreement.version, client: agreement.client, sessionId: agreement.sessionId }

  const post = (exchange: number, message: Message, headers: Headers): Effect.Effect<void> =>
    channel.send({ _tag: "Post", exchange, message, headers })

  const call = (request: Call): Effect.Effect<JsonObject, RequestReason> =>
    Effect.suspend(() => {
      if (lostFor !== undefined) return Effect.fail(lostFor)
      const exchange = next++
      const id = idOf(medium, exchange)
      const params = request.onProgress === undefined ? request.params : withProgress(request.params, id)
      const { headers, message } = Envelope.stamp(
        stampOf,
        Messages.request(id, request.method, params),
        request.toolHeaders
      )
      const outcome = Deferred.makeUnsafe<JsonObject, RequestReason>()
      const asked = { id, method: request.method, resultTypes: request.resultTypes ?? [] }
      pending.set(exchange, { exchange, asked, outcome, onProgress: request.onProgress, resumptions: 0 })
      return post(exchange, message, headers).pipe(
        Effect.andThen(Deferred.await(outcome)),
        Effect.onInterrupt(() => cancel(exchange, id)),
        Effect.ensuring(Effect.sync(() => pending.delete(exchange)))
      )
    })

  // Modern HTTP: closing the stream is the cancellation. Elsewhere the server is told, and may have answered already.
  const cancel = (exchange: number, id: Id): Effect.Effect<void> => {
    if (!pending.has(exchange) || lostFor !== undefined) return Effect.void
    pending.delete(exchange)
    const perRequest = medium.streams === "perRequest"
    const tell =
      perRequest && agreement.era === "modern"
        ? Effect.void
        : notifyUnheard(Messages.Method.Cancelled, { requestId: id, reason: "The caller no longer wants the answer." })
    return perRequest ? Effect.andThen(tell, channel.abandon(exchange)) : tell
  }

  const notifyUnheard = (method: string, params?: Params): Effect.Effect<void> => {
    const { headers, message } = Envelope.stamp(stampOf, Messages.notification(method, params))
    return post(next++, message, headers)
  }

  const notify = (method: string, params?: Params): Effect.Effect<void, RequestReason> =>
    Effect.suspend(() => {
      if (lostFor !== undefined) return Effect.fail(lostFor)
      if (medium.streams === "shared") return notifyUnheard(method, params)
      const acceptance = Deferred.makeUnsafe<void, RequestReason>()
      const exchange = next
      accepted.set(exchange, acceptance)
      return notifyUnheard(method, params).pipe(
        Effect.andThen(Deferred.await(acceptance)),
        Effect.ensuring(Effect.sync(() => accepted.delete(exchange)))
      )
    })

  const listenFrom = (lastEventId: string | undefined): Effect.Effect<number> =>
    Effect.suspend(() => {
      const exchange = next++
      const headers = Envelope.legacyHeaders(stampOf)
      return Effect.as(
        channel.send({
          _tag: "Listen",
          exchange,
          headers: lastEventId === undefined ? headers : { ...headers, [Envelope.HeaderName.LastEventId]: lastEventId }
        }),
        exchange
      )
    })

  const listen = Effect.suspend(() => {
    if (agreement.era === "modern" || medium.streams === "shared" || listening !== undefined) return Effect.void
    listening = { exchange: next, attempts: 0 }
    return Effect.asVoid(listenFrom(undefined))
  })

  const route = (event: Event): Effect.Effect<void> | undefined => {
    switch (event._tag) {
      case "Arrived":
        return routeMessage(event)
      case "Unanswered": {
        const entry = pendingOf(event.exchange)
        if (entry !== undefined) {
          return refuse(entry, Answer.reasonOfEnd(agreement, entry.asked, event))
        }
        const acceptance = accepted.get(event.exchange)
        if (acceptance === undefined) return undefined
        const { status } = event.head
        return status >= 200 && status <= 299
          ? Effect.asVoid(Deferred.succeed(acceptance, undefined))
          : Effect.asVoid(
              Deferred.fail(acceptance, Answer.reasonOfEnd(agreement, { method: "the notification" }, event))
            )
      }
      case "Lost":
        return event.exchange === undefined ? lose(Answer.reasonOfLoss(event)) : routeLoss(event, event.exchange)
      case "Closed":
        return lose(Answer.reasonOfLoss(event))
      case "Stray":
        return Effect.logDebug(`The server wrote a line that is no message: ${event.head}`)
      case "DeadlinePassed":
        return undefined
    }
  }

  const routeMessage = (event: Arrived): Effect.Effect<void> | undefined => {
    const { message } = event
    if (listening !== undefined && event.exchange === listening.exchange) listening.attempts = 0
    if (Messages.isSuccess(message) || Messages.isFailure(message)) {
      const entry = entryFor(event, message.id)
      if (entry === undefined) return acceptanceOf(event)
      const answer = Answer.read(agreement, entry.asked, event, message)
      return answer._tag === "Result"
        ? Effect.asVoid(Deferred.succeed(entry.outcome, answer.result))
        : refuse(entry, answer.reason)
    }
    if (Messages.isRequest(message)) return agreement.era === "modern" ? undefined : answer(message)
    if (message.method === Messages.Method.Progress && progressed(message)) return undefined
    hooks.onNotification(message)
    return undefined
  }

  // Over HTTP an answer belongs to the exchange that it came on; on a pipe, and on a resumed stream, to its id.
  const entryFor = (event: Arrived, id: Id | null | undefined): Pending | undefined => {
    const on = event.exchange === undefined ? undefined : pending.get(event.exchange)
    if (on !== undefined) return on
    for (const entry of pending.values()) if (entry.asked.id === id) return entry
    return undefined
  }

  const acceptanceOf = (event: Arrived): Effect.Effect<void> | undefined => {
    const acceptance = event.exchange === undefined ? undefined : accepted.get(event.exchange)
    if (acceptance === undefined) return undefined
    const status = event.head?.status ?? 200
    return status >= 200 && status <= 299
      ? Effect.asVoid(Deferred.succeed(acceptance, undefined))
      : Effect.asVoid(
          Deferred.fail(
            acceptance,
            new TransportFailure({ reason: `The notification was answered ${status}.`, status, retryable: false })
          )
        )
  }

  const pendingOf = (exchange: number): Pending | undefined => pending.get(resumed.get(exchange) ?? exchange)

  // A legacy stream that was cut after an event id goes on where it ended; anything else that was under way is lost.
  const routeLoss = (event: Lost, exchange: number): Effect.Effect<void> | undefined => {
    const entry = pendingOf(exchange)
    resumed.delete(exchange)
    if (entry === undefined) {
      const acceptance = accepted.get(exchange)
      if (acceptance !== undefined) return Effect.asVoid(Deferred.fail(acceptance, Answer.reasonOfLoss(event)))
      return listening?.exchange === exchange ? relisten(event) : undefined
    }
    if (event.resume === undefined || agreement.era === "modern" || entry.resumptions >= most.resumptions) {
      return refuse(entry, Answer.reasonOfLoss(event))
    }
    entry.resumptions += 1
    const { lastEventId, retryMillis } = event.resume
    return Effect.sleep(retryMillis).pipe(
      Effect.andThen(
        Effect.suspend(() => {
          if (!pending.has(entry.exchange)) return Effect.void
          resumed.set(next, entry.exchange)
          return Effect.asVoid(listenFrom(lastEventId))
        })
      ),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const relisten = (event: Lost): Effect.Effect<void> => {
    if (listening === undefined || listening.attempts >= most.relistens) return Effect.void
    const attempts = listening.attempts + 1
    return Effect.sleep(event.resume?.retryMillis ?? 1000).pipe(
      Effect.andThen(
        Effect.suspend(() => {
          listening = { exchange: next, attempts }
          return listenFrom(event.resume?.lastEventId)
        })
      ),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const refuse = (entry: Pending, reason: RequestReason): Effect.Effect<void> =>
    Effect.asVoid(Deferred.fail(entry.outcome, reason))

  const lose = (reason: TransportFailure): Effect.Effect<void> => {
    lostFor = reason
    for (const entry of pending.values()) Deferred.doneUnsafe(entry.outcome, Effect.fail(reason))
    for (const acceptance of accepted.values()) Deferred.doneUnsafe(acceptance, Effect.fail(reason))
    pending.clear()
    return Effect.asVoid(Deferred.succeed(lost, reason))
  }

  const progressed = (message: Notification): boolean => {
    const token = message.params?.["progressToken"]
    for (const entry of pending.values()) {
      if (entry.asked.id !== token || entry.onProgress === undefined) continue
      entry.onProgress(message.params ?? {})
      return true
    }
    return false
  }

  const answer = (request: Request): Effect.Effect<void> => {
    const reply = (message: Message) => post(next++, message, Envelope.legacyHeaders(stampOf))
    if (request.method === Messages.Method.Ping) return reply(Messages.success(request.id, {}))
    if (answering >= most.answering) {
      return reply(
        Messages.failure(request.id, { code: Messages.Code.InternalError, message: "Too many requests at once." })
      )
    }
    answering += 1
    return hooks.onRequest(request).pipe(
      Effect.matchCause({
        onFailure: (cause) => Messages.failure(request.id, errorOf(cause.reasons)),
        onSuccess: (result) => Messages.success(request.id, result)
      }),
      Effect.flatMap(reply),
      Effect.ensuring(
        Effect.sync(() => {
          answering -= 1
        })
      ),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const farewell = (millis: number): Effect.Effect<void> => {
    if (agreement.sessionId === undefined || lostFor !== undefined) return Effect.void
    const exchange = next++
    const ended = Deferred.makeUnsafe<void, RequestReason>()
    accepted.set(exchange, ended)
    return channel
      .send({ _tag: "Delete", exchange, headers: Envelope.legacyHeaders(stampOf) })
      .pipe(Effect.andThen(Deferred.await(ended)), Effect.timeoutOption(millis), Effect.ignore)
  }

  yield* Effect.forkIn(pump(channel, negotiated.backlog, route, lose), scope)
  return { agreement, call, notify, listen, lost: Deferred.await(lost), farewell, outstanding: () => pending.size }
})

// One fiber reads the channel. What a route leaves to be done is done before the next event, but for answers and waits.
const pump = Effect.fnUntraced(function* (
  channel: Channel,
  backlog: ReadonlyArray<Event>,
  route: (event: Event) => Effect.Effect<void> | undefined,
  lose: (reason: TransportFailure) => Effect.Effect<void>
): Effect.fn.Return<void> {
  for (const event of backlog) {
    const rest = route(event)
    if (rest !== undefined) yield* rest
  }
  for (;;) {
    const event = yield* Effect.option(Queue.take(channel.events))
    if (event._tag === "None") break
    const rest = route(event.value)
    if (rest !== undefined) yield* rest
  }
  yield* lose(new TransportFailure({ reason: "The connection was closed.", retryable: true }))
})

const withProgress = (params: Params | undefined, token: Id): Params => {
  const meta = params?.["_meta"]
  return {
    ...params,
    _meta: { ...(Messages.isObject(meta) ? meta : undefined), [Envelope.MetaKey.ProgressToken]: token }
  }
}

const errorOf = (reasons: ReadonlyArray<{ readonly _tag: string; readonly error?: ErrorObject }>): ErrorObject => {
  for (const reason of reasons) {
    if (reason._tag === "Fail" && reason.error !== undefined) {
      const { code, data, message } = reason.error
      return data === undefined ? { code, message } : { code, message, data }
    }
  }
  return { code: Messages.Code.InternalError, message: "The client could not answer." }
}

const most = { resumptions: 100, relistens: 5, answering: 64 } as const
