// Runs the client machine inside Effect: opens the transport, performs the commands, feeds the events, keeps the time.
// Decides nothing: what an event means and what follows from it is core's.
import * as Agreement from "@parley/core/Agreement"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import type { Headers } from "@parley/core/client/Outgoing"
import * as Policy from "@parley/core/client/Policy"
import type { Settled } from "@parley/core/client/State"
import * as Envelope from "@parley/core/Envelope"
import { NegotiationError } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import { idOf } from "@parley/core/Medium"
import type { Message } from "@parley/core/Message"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import * as Deadlines from "./Deadlines.ts"
import * as Observe from "./Observe.ts"
import type { Channel, Transport } from "./Transport.ts"

/** What a negotiation is given. */
export interface Options {
  readonly transport: Transport
  /** Default `Policy.auto`. */
  readonly policy?: Policy.Policy | undefined
  readonly client: Envelope.ClientIdentity
  /** Why the transport's client lacks an era: one sentence with the remedy, for the trace and the errors. */
  readonly lacking?: string | undefined
}

/** What a negotiation gives: the agreement, and the open channel that the caller's scope closes. */
export interface Negotiated {
  readonly agreement: Agreement.Agreement
  readonly channel: Channel
  /** What arrived meanwhile and belongs to the connection, in order. Bounded by the policy's budgets. */
  readonly backlog: ReadonlyArray<Event>
  /** The next exchange number that is free on the channel. */
  readonly nextExchange: number
}

/**
 * Negotiates with one server. Succeeds with the agreement and the open channel, or fails with a NegotiationError that
 * holds the reason and every step. On failure and on interruption the channel is closed at once; on success the scope
 * closes it. Never retries by itself: compose with `Effect.retry` and the schedules of `Retry`.
 */
export const negotiate = (options: Options): Effect.Effect<Negotiated, NegotiationError, Scope.Scope> => {
  const { transport } = options
  const policy = Policy.narrow(options.policy ?? Policy.auto, transport.eras, options.lacking)
  const subject = { target: transport.target, policy: policy.name, medium: transport.medium.name }
  return Observe.negotiation(subject, (span) =>
    Effect.flatMap(Effect.scope, (outer) => {
      const scope = Scope.forkUnsafe(outer)
      return Effect.onExit(run(options, policy, scope, span), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)
      )
    })
  )
}

/** Reads a configuration value as a policy; a value that is not understood is logged as a warning and means `auto`. */
export const policyFromSetting = (text: string): Effect.Effect<Policy.Policy> => {
  const { policy, warning } = Policy.fromSetting(text)
  return warning === undefined ? Effect.succeed(policy) : Effect.as(Effect.logWarning(warning), policy)
}

const run = Effect.fnUntraced(function* (
  options: Options,
  policy: Policy.Policy,
  scope: Scope.Closeable,
  span: Tracer.Span
): Effect.fn.Return<Negotiated, NegotiationError> {
  const { client, transport } = options
  const { medium } = transport
  const clock = yield* Clock.Clock
  const deadlines = Deadlines.make(clock)
  const trace: Array<TraceEntry> = []
  const backlog: Array<Event> = []
  let open: { readonly channel: Channel; readonly scope: Scope.Closeable } | undefined
  let failedToOpen: Event | undefined
  let nextExchange = Client.firstFreeExchange
  let initializedExchange: number | undefined

  const openTransport = Effect.suspend(() => {
    const own = Scope.forkUnsafe(scope)
    return Scope.provide(transport.open, own).pipe(
      Effect.timeoutOption(deadlines.remainingMillis()),
      Effect.match({
        onFailure: (error) => {
          failedToOpen = { _tag: "Lost", cause: error.message }
        },
        onSuccess: (channel) => {
          if (Option.isSome(channel)) open = { channel: channel.value, scope: own }
        }
      })
    )
  })

  const post = (exchange: number, message: Message, headers: Headers): Effect.Effect<void> =>
    open === undefined ? Effect.void : open.channel.send({ _tag: "Post", exchange, message, headers })

  const perform = (command: Command): Effect.Effect<void> => {
    switch (command._tag) {
      case "Open":
        return openTransport
      case "Reopen": {
        const old = open
        open = undefined
        return old === undefined ? openTransport : Effect.andThen(Scope.close(old.scope, Exit.void), openTransport)
      }
      case "StartDeadline":
        return Effect.sync(() => deadlines.start(command.of, command.millis))
      case "ClearDeadline":
        return Effect.sync(() => deadlines.clear(command.of))
      case "SendInitialize": {
        const { headers, message } = Envelope.initialize(idOf(medium, command.exchange), command.version, client)
        return post(command.exchange, message, headers)
      }
      case "SendDiscover": {
        const { headers, message } = Envelope.discover(idOf(medium, command.exchange), command.version, client)
        return post(command.exchange, message, headers)
      }
      case "SendInitialized": {
        const { headers, message } = Envelope.initialized({ ...command, client })
        initializedExchange = nextExchange++
        return post(initializedExchange, message, headers)
      }
      case "DeleteSession":
        return open === undefined
          ? Effect.void
          : open.channel.send({
              _tag: "Delete",
              exchange: nextExchange++,
              headers: Envelope.legacyHeaders({ ...command, client })
            })
      case "Reply": {
        const headers = command.sessionId === undefined ? {} : { [Envelope.HeaderName.SessionId]: command.sessionId }
        return post(nextExchange++, command.message, headers)
      }
      case "Keep":
        backlog.push({ _tag: "Arrived", message: command.message })
        return Effect.void
    }
  }

  // The next thing that happens: an event of the channel, or a deadline.
  const next = Effect.fnUntraced(function* (): Effect.fn.Return<Event> {
    for (;;) {
      if (failedToOpen !== undefined) {
        const event = failedToOpen
        failedToOpen = undefined
        return event
      }
      const ready = open === undefined ? undefined : Queue.takeUnsafe(open.channel.events)
      if (ready !== undefined) return Exit.isSuccess(ready) ? ready.value : closedHere
      const passed = deadlines.takePassed()
      if (passed !== undefined) return passed
      const remaining = deadlines.remainingMillis()
      const wait =
        open === undefined ? Effect.never : Effect.orElseSucceed(Queue.take(open.channel.events), () => closedHere)
      const event = yield* Effect.timeoutOption(wait, Math.ceil(remaining))
      if (Option.isSome(event)) return event.value
    }
  })

  const record = (entry: TraceEntry | undefined): void => {
    if (entry === undefined) return
    const timed = { ...entry, atMillis: Math.round(deadlines.elapsedMillis() * 1000) / 1000 }
    trace.push(timed)
    Observe.step(span, timed, clock.currentTimeNanosUnsafe())
  }

  let current = Client.begin(policy, medium)
  for (;;) {
    record(current.trace)
    for (const command of current.commands) yield* perform(command)
    const { state } = current
    if (state._tag === "Failed") return yield* new NegotiationError({ reason: state.reason, trace })
    if (state._tag === "Settled") {
      if (open === undefined) return yield* Effect.die("a negotiation settled without a channel")
      const refusal =
        initializedExchange === undefined || medium.streams === "shared"
          ? undefined
          : yield* acceptance(initializedExchange, next, backlog, deadlines, policy)
      const warnings = warningsOf(state, refusal)
      const agreement = Agreement.fromSettled(state, client, warnings, trace)
      return { agreement, channel: open.channel, backlog, nextExchange }
    }
    let event = yield* next()
    while (isAside(event)) event = yield* next()
    current = Client.step(policy, medium, state, event)
  }
})

// What belongs to a message that nobody awaits, such as a DELETE or the answer to a ping, is no event of the machine.
const isAside = (event: Event): boolean =>
  "exchange" in event && event.exchange !== undefined && event.exchange >= Client.firstFreeExchange

// Over HTTP `notifications/initialized` is accepted by any 2xx. Its refusal or loss is a warning, never a failure.
const acceptance = Effect.fnUntraced(function* (
  exchange: number,
  next: () => Effect.Effect<Event>,
  backlog: Array<Event>,
  deadlines: Deadlines.Deadlines,
  policy: Policy.Policy
): Effect.fn.Return<string | undefined> {
  const { exchangeMillis, negotiationMillis, outOfTurn } = policy.budgets
  deadlines.start(exchange, Math.max(0, Math.min(exchangeMillis, negotiationMillis - deadlines.elapsedMillis())))
  for (let kept = 0; kept <= outOfTurn; kept++) {
    const event = yield* next()
    if (event._tag === "DeadlinePassed")
      return `notifications/initialized was not accepted within ${event.waitedMillis} ms.`
    if (!("exchange" in event) || event.exchange !== exchange) {
      backlog.push(event)
      if (event._tag === "Lost" && event.exchange === undefined)
        return `notifications/initialized was lost: ${event.cause}`
      continue
    }
    deadlines.clear(exchange)
    if (event._tag === "Lost") return `notifications/initialized was lost: ${event.cause}`
    const status = event._tag === "Unanswered" ? event.head.status : (event.head?.status ?? 200)
    return status >= 200 && status <= 299 ? undefined : `notifications/initialized was answered ${status}.`
  }
  return "notifications/initialized was not accepted before many other messages came."
})

const warningsOf = (settled: Settled, initialized: string | undefined): ReadonlyArray<string> => [
  ...(settled.named === settled.version
    ? []
    : [`The server named ${settled.named} in a handshake; it is held at the ${settled.version} that was offered.`]),
  ...(settled.strays[0] === undefined
    ? []
    : [`The server wrote lines that are no JSON-RPC message. The first: ${settled.strays[0]}`]),
  ...(initialized === undefined ? [] : [initialized])
]

const closedHere: Event = { _tag: "Lost", cause: "The channel was closed from this side." }
