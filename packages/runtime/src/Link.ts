// One negotiated channel at work: where each of its events belongs. Requests are kept in Calls, what the server asks is
// answered in Answers, the stream that it speaks on by itself is kept in Listening. Knows nothing of sessions that end and
// of reopening: that is Connection's.
import type { Agreement } from "@parley/core/Agreement"
import * as Answer from "@parley/core/client/Answer"
import type { Arrived, Event, Lost, Unanswered } from "@parley/core/client/Event"
import type { Headers, Outgoing } from "@parley/core/client/Outgoing"
import * as Envelope from "@parley/core/Envelope"
import { type RequestReason, TransportFailure } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import type { Message, Notification, Params } from "@parley/core/Message"
import * as Messages from "@parley/core/Message"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Answers from "./Answers.ts"
import * as Calls from "./Calls.ts"
import * as Listening from "./Listening.ts"
import type { Negotiated } from "./Negotiation.ts"
import type { Channel } from "./Transport.ts"

/** What the owner of a link does with what the server sends by itself. */
export interface Hooks {
  readonly onNotification: (notification: Notification) => void
  /** Answers a request of a legacy server. */
  readonly onRequest: Answers.OnRequest
  /** Called once, when the link is lost as a whole: a process that exited, a channel that closed. */
  readonly onLost: (reason: () => TransportFailure) => void
}

/** Where a link runs. */
export interface Place {
  readonly scope: Scope.Scope
  readonly clock: Clock.Clock
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

export interface Link {
  readonly agreement: Agreement
  readonly call: Calls.Calls["make"]
  readonly notify: (method: string, params?: Params) => Effect.Effect<void, RequestReason>
  /** Legacy HTTP: opens the stream on which the server speaks by itself. Elsewhere nothing is to be opened. */
  readonly listen: Effect.Effect<void>
  /** Ends the legacy HTTP session, waiting at most so long for the server's word. Undefined where there is none. */
  readonly farewell: (millis: number) => Effect.Effect<void> | undefined
  /** How many requests await their answers. */
  readonly outstanding: () => number
}

/** Puts a negotiated channel to work inside the scope. */
export const make = (negotiated: Negotiated, medium: Medium, hooks: Hooks, { clock, fork, scope }: Place): Link => {
  const { agreement, channel } = negotiated
  const stamp = { version: agreement.version, client: agreement.client, sessionId: agreement.sessionId }
  const separate = medium.streams === "perRequest"
  // What waits for the end of its exchange and not for an answer: a notification, the end of a session.
  const accepted = new Map<number, Deferred.Deferred<void, RequestReason>>()
  // Why it is lost. An error is made when somebody is told: most links are only closed.
  let lost: (() => TransportFailure) | undefined
  // Where every request has a stream of its own nothing comes before something was sent.
  let isPumping = false
  let next = negotiated.nextExchange
  const nextExchange = () => next++

  const send = (outgoing: Outgoing): Effect.Effect<void> =>
    isPumping
      ? channel.send(outgoing)
      : Effect.suspend(() => {
          startPump()
          return channel.send(outgoing)
        })

  const post = (exchange: number, message: Message, headers: Headers): Effect.Effect<void> =>
    send({ _tag: "Post", exchange, message, headers })

  const get = (exchange: number, lastEventId: string | undefined): Effect.Effect<void> => {
    const headers = Envelope.legacyHeaders(stamp)
    const from = lastEventId === undefined ? undefined : { [Envelope.HeaderName.LastEventId]: lastEventId }
    return send({ _tag: "Listen", exchange, headers: { ...headers, ...from } })
  }

  const calls = Calls.make({
    agreement,
    medium,
    nextExchange,
    post,
    get,
    abandon: channel.abandon,
    tellCancelled: (requestId) =>
      notify(Messages.Method.Cancelled, { requestId, reason: "The answer is not wanted any more." }).pipe(
        Effect.timeoutOption(tellMillis),
        Effect.ignore,
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.asVoid
      )
  })
  // A modern server neither asks nor speaks by itself.
  const legacy = agreement.era === "legacy"
  const answers = legacy
    ? Answers.make({
        onRequest: hooks.onRequest,
        scope,
        post: (exchange, answer) => post(exchange, answer, Envelope.legacyHeaders(stamp)),
        nextExchange,
        concludes: separate
      })
    : undefined
  const listening = legacy && separate ? Listening.make({ clock, scope, nextExchange, get }) : undefined

  const notify = (method: string, params?: Params): Effect.Effect<void, RequestReason> =>
    Effect.suspend(() => {
      if (lost !== undefined) return Effect.fail(lost())
      const { headers, message } = Envelope.stamp(stamp, Messages.notification(method, params))
      const exchange = nextExchange()
      return separate ? awaitEnd(exchange, post(exchange, message, headers)) : post(exchange, message, headers)
    })

  const awaitEnd = (exchange: number, send: Effect.Effect<void>): Effect.Effect<void, RequestReason> => {
    const end = Deferred.makeUnsafe<void, RequestReason>()
    const sending = Effect.suspend(() => {
      accepted.set(exchange, end)
      return send
    })
    return Effect.andThen(sending, Deferred.await(end)).pipe(
      Effect.onExit((exit) => {
        accepted.delete(exchange)
        return Exit.hasInterrupts(exit) ? channel.abandon(exchange) : Effect.void
      })
    )
  }

  const farewell = (millis: number): Effect.Effect<void> | undefined => {
    if (agreement.sessionId === undefined || lost !== undefined) return undefined
    const exchange = nextExchange()
    const ending = send({ _tag: "Delete", exchange, headers: Envelope.legacyHeaders(stamp) })
    return awaitEnd(exchange, ending).pipe(Effect.timeoutOption(millis), Effect.ignore)
  }

  const lose = (make: () => TransportFailure): void => {
    if (lost !== undefined) return
    let made: TransportFailure | undefined
    const reason = (lost = () => (made ??= make()))
    // First, so that whoever fails and asks again at once waits for what follows.
    hooks.onLost(reason)
    calls.fail(reason)
    for (const end of accepted.values()) Deferred.doneUnsafe(end, Exit.fail(reason()))
  }

  const route = (event: Event): Effect.Effect<void> | undefined => {
    switch (event._tag) {
      case "Arrived":
        return routeMessage(event)
      case "Unanswered":
        return routeEnd(event)
      case "Lost":
        if (event.exchange !== undefined) return routeEnd(event)
        lose(() => Answer.reasonOfLoss(event))
        return undefined
      case "Closed":
        lose(() => Answer.reasonOfLoss(event))
        return undefined
      case "Stray":
        return Effect.logDebug(`The server wrote a line that is no message: ${event.head}`)
      case "DeadlinePassed":
        return undefined
    }
  }

  const routeMessage = (event: Arrived): Effect.Effect<void> | undefined => {
    const { message } = event
    listening?.heard(event.exchange)
    if (Messages.isResponse(message)) {
      if (!calls.answered(event, message) && event.exchange !== undefined) accept(event.exchange, event.head?.status)
      return undefined
    }
    if (Messages.isRequest(message)) return answers?.take(message)
    if (message.method === Messages.Method.Progress || message.method === Messages.Method.Cancelled) {
      const heard = calls.heard(message)
      if (heard !== undefined) return heard
      if (message.method === Messages.Method.Cancelled && answers?.cancel(message.params?.["requestId"]) === true)
        return undefined
    }
    hooks.onNotification(message)
    return undefined
  }

  const routeEnd = (event: Lost | Unanswered): Effect.Effect<void> | undefined => {
    const { exchange } = event
    if (exchange === undefined || calls.ended(event) || answers?.conclude(exchange) === true) return undefined
    const end = accepted.get(exchange)
    if (end === undefined) return listening?.ended(event)
    if (event._tag === "Lost") Deferred.doneUnsafe(end, Exit.fail(Answer.reasonOfLoss(event)))
    else if (isGood(event.head.status)) Deferred.doneUnsafe(end, Exit.void)
    else Deferred.doneUnsafe(end, Exit.fail(Answer.reasonOfEnd(agreement, { method: "the notification" }, event)))
    return undefined
  }

  // A notification that was answered after all. Any 2xx accepts it.
  const accept = (exchange: number, status = 200): void => {
    const end = accepted.get(exchange)
    if (end === undefined) return
    const reason = `The notification was answered ${status}.`
    Deferred.doneUnsafe(
      end,
      isGood(status) ? Exit.void : Exit.fail(new TransportFailure({ reason, status, retryable: false }))
    )
  }

  const startPump = (): void => {
    if (isPumping) return
    isPumping = true
    Fiber.runIn(fork(pump(channel, negotiated.backlog, route)), scope).addObserver(() => lose(closedHere))
  }
  if (!separate || negotiated.backlog.length > 0) startPump()

  return {
    agreement,
    call: calls.make,
    notify,
    listen: listening?.open ?? Effect.void,
    farewell,
    outstanding: calls.size
  }
}

const closedHere = (): TransportFailure =>
  new TransportFailure({ reason: "The connection was closed.", retryable: true })

// One fiber reads the channel. What a route leaves to be done is done before the next event; what would take long runs in
// a fiber of its own.
const pump = Effect.fnUntraced(function* (
  channel: Channel,
  backlog: ReadonlyArray<Event>,
  route: (event: Event) => Effect.Effect<void> | undefined
): Effect.fn.Return<void> {
  for (const event of backlog) {
    const rest = route(event)
    if (rest !== undefined) yield* rest
  }
  for (let inRow = 1; ; inRow++) {
    let exit = Queue.takeUnsafe(channel.events)
    if (exit === undefined) {
      exit = yield* Effect.exit(Queue.take(channel.events))
      inRow = 1
    }
    if (Exit.isFailure(exit)) {
      return Cause.hasDies(exit.cause) ? yield* Effect.logError("A carrier failed.", exit.cause) : undefined
    }
    const rest = route(exit.value)
    if (rest !== undefined) yield* rest
    if (inRow % mostInRow === 0) yield* Effect.yieldNow
  }
})

const isGood = (status: number): boolean => status >= 200 && status <= 299

// How long the server may take to accept that an answer is not wanted, in milliseconds.
const tellMillis = 10_000
// How many events are routed before others may run.
const mostInRow = 256
