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
import { NegotiationError, type NegotiationReason, type TransportFailure } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import { idOf } from "@parley/core/Medium"
import type { Message } from "@parley/core/Message"
import { head, isResponse } from "@parley/core/Message"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import * as Deadlines from "./Deadlines.ts"
import * as Observe from "./Observe.ts"
import * as TimeLimits from "./TimeLimits.ts"
import type { Channel, Transport } from "./Transport.ts"
import * as Wire from "./Wire.ts"

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
export const negotiate = (options: Options): Effect.Effect<Negotiated, NegotiationError, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) => within(scope, options))

/** Returns what {@link negotiate} does in a scope that is named instead of provided. */
export const within = (scope: Scope.Scope, options: Options): Effect.Effect<Negotiated, NegotiationError> => {
  const { transport } = options
  const policy = Policy.narrow(options.policy ?? Policy.auto, transport.eras, options.lacking)
  const subject = { target: transport.target, policy: policy.name, medium: transport.medium.name }
  return Observe.negotiation(subject, (span, context) => {
    const clock = Context.get(context, Clock.Clock)
    const deadlines = Deadlines.make(clock)
    const limits = TimeLimits.make(clock, context)
    const wire = Wire.make(transport, scope, deadlines, limits)
    return Effect.onExitPrimitive(run({ ...options, policy, span, clock, deadlines, wire }), (exit) => {
      limits.stop()
      return Exit.isSuccess(exit) ? undefined : wire.close(exit)
    })
  })
}

/** Reads a configuration value as a policy; a value that is not understood is logged as a warning and means `auto`. */
export const policyFromSetting = (text: string): Effect.Effect<Policy.Policy> => {
  const { policy, warning } = Policy.fromSetting(text)
  return warning === undefined ? Effect.succeed(policy) : Effect.as(Effect.logWarning(warning), policy)
}

interface Given extends Options {
  readonly policy: Policy.Policy
  readonly span: Tracer.Span | undefined
  readonly clock: Clock.Clock
  readonly deadlines: Deadlines.Deadlines
  readonly wire: Wire.Wire
}

const run = Effect.fnUntraced(function* ({
  client,
  clock,
  deadlines,
  policy,
  span,
  transport,
  wire
}: Given): Effect.fn.Return<Negotiated, NegotiationError> {
  const { medium } = transport
  const { exchangeMillis, negotiationMillis } = policy.budgets
  const trace: Array<TraceEntry> = []
  const backlog: Array<Event> = []
  const deletions = new Set<number>()
  let nextExchange = Client.firstFreeExchange
  let initialized: number | undefined

  const post = (exchange: number, message: Message, headers: Headers): Effect.Effect<void> | undefined =>
    wire.send({ _tag: "Post", exchange, message, headers })

  const perform = (command: Command): Effect.Effect<void> | undefined => {
    switch (command._tag) {
      case "Open":
        return wire.open
      case "Reopen":
        return wire.reopen
      case "StartDeadline":
        deadlines.start(command.of, command.millis)
        return undefined
      case "ClearDeadline":
        deadlines.clear(command.of)
        return undefined
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
        initialized = nextExchange++
        const left = Math.max(0, negotiationMillis - deadlines.elapsedMillis())
        deadlines.start(initialized, Math.min(exchangeMillis, left))
        return post(initialized, message, headers)
      }
      case "DeleteSession": {
        const headers = Envelope.legacyHeaders({ ...command, client })
        const exchange = nextExchange++
        deletions.add(exchange)
        return wire.send({ _tag: "Delete", exchange, headers }, deletionMillis)
      }
      case "Reply": {
        const headers = command.sessionId === undefined ? {} : { [Envelope.HeaderName.SessionId]: command.sessionId }
        return post(nextExchange++, command.message, headers)
      }
      case "Keep":
        backlog.push({ _tag: "Arrived", message: command.message })
        return undefined
    }
  }

  const record = (entry: TraceEntry | undefined): void => {
    if (entry === undefined) return
    const timed = { ...entry, atMillis: Math.round(deadlines.elapsedMillis() * 1000) / 1000 }
    trace.push(timed)
    if (span !== undefined) Observe.step(span, timed, clock.currentTimeNanosUnsafe())
  }

  let current = Client.begin(policy, medium)
  for (;;) {
    record(current.trace)
    for (const command of current.commands) {
      const performing = perform(command)
      if (performing !== undefined) yield* performing
    }
    const { state } = current
    if (state._tag === "Failed") {
      yield* parting(deletions, wire, deadlines)
      return yield* new NegotiationError({ reason: ownWords(state.reason, wire.failure()), trace })
    }
    if (state._tag === "Settled") {
      const channel = wire.channel()
      if (channel === undefined) return yield* Effect.die("a negotiation settled without a channel")
      const doubt =
        initialized === undefined
          ? undefined
          : yield* acceptance({ exchange: initialized, medium, wire, channel, deadlines, backlog, policy })
      const agreement = Agreement.fromSettled(state, client, warningsOf(state, doubt), trace)
      return { agreement, channel, backlog, nextExchange }
    }
    let event = yield* wire.next
    while (isAside(event)) {
      deletions.delete(event.exchange)
      event = yield* wire.next
    }
    current = Client.step(policy, medium, state, event)
  }
})

// What belongs to a message that nobody awaits, such as a DELETE or the answer to a ping, is no event of the machine.
const isAside = (event: Event): event is Event & { readonly exchange: number } =>
  "exchange" in event && event.exchange !== undefined && event.exchange >= Client.firstFreeExchange

// A session that is of no use is not left behind: closing the channel at once would take its DELETE back.
const parting = Effect.fnUntraced(function* (
  deletions: Set<number>,
  wire: Wire.Wire,
  deadlines: Deadlines.Deadlines
): Effect.fn.Return<void> {
  for (const exchange of deletions) deadlines.start(exchange, deletionMillis)
  while (deletions.size > 0) {
    const event = yield* wire.next
    if (event._tag === "DeadlinePassed" || event._tag === "Closed") return
    if (event._tag === "Lost" && event.exchange === undefined) return
    if (isAside(event)) deletions.delete(event.exchange)
  }
})

// An opening that failed knows more of itself than the machine's evidence can carry: whether trying again can help.
const ownWords = (reason: NegotiationReason, failure: TransportFailure | undefined): NegotiationReason =>
  failure !== undefined && reason._tag === "TransportFailure" && reason.reason === head(failure.reason, 300)
    ? failure
    : reason

interface Acceptance {
  readonly exchange: number
  readonly medium: Medium
  readonly wire: Wire.Wire
  readonly channel: Channel
  readonly deadlines: Deadlines.Deadlines
  readonly backlog: Array<Event>
  readonly policy: Policy.Policy
}

// Over HTTP `notifications/initialized` is accepted by any 2xx; on a pipe it is when it is written. Its refusal or loss
// is a warning, never a failure. Returns the warning.
const acceptance = Effect.fnUntraced(function* (given: Acceptance): Effect.fn.Return<string | undefined> {
  const { backlog, channel, deadlines, exchange, medium, policy, wire } = given
  const late = (waitedMillis: number) => `notifications/initialized was not accepted within ${waitedMillis} ms.`
  if (medium.streams === "shared") {
    const passed = deadlines.takePassed()
    deadlines.clear(exchange)
    return passed === undefined ? undefined : late(passed.waitedMillis)
  }
  for (let kept = 0; kept <= policy.budgets.outOfTurn; kept++) {
    const event = yield* wire.next
    if (event._tag === "DeadlinePassed") {
      yield* channel.abandon(exchange)
      return late(event.waitedMillis)
    }
    const concludes = event._tag !== "Arrived" || isResponse(event.message)
    if ("exchange" in event && event.exchange === exchange && concludes) {
      deadlines.clear(exchange)
      if (event._tag === "Lost") return `notifications/initialized was lost: ${event.cause}`
      const status = event.head?.status ?? 200
      return status >= 200 && status <= 299 ? undefined : `notifications/initialized was answered ${status}.`
    }
    backlog.push(event)
    if (event._tag === "Closed") return "notifications/initialized was lost: the server closed the connection."
    if (event._tag === "Lost" && event.exchange === undefined) {
      return `notifications/initialized was lost: ${event.cause}`
    }
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

// How long the end of a session that is of no use may hold a failure up, in milliseconds.
const deletionMillis = 2000
