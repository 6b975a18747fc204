// What a negotiation tells the outside: one span with an event for each step, metrics by outcome, and log lines that a
// person can read. Names are part of the public surface: docs/operating.md lists them.
import type { Agreement } from "@parley/core/Agreement"
import type { NegotiationError } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import { head } from "@parley/core/Message"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import type * as Tracer from "effect/Tracer"
import * as Series from "./Series.ts"

/** What is known before the first byte. */
export interface Subject {
  readonly target: string
  readonly policy: string
  readonly medium: string
}

const negotiationsWith = (attributes?: Series.Attributes): Metric.Counter<number> =>
  Metric.counter("parley_negotiations_total", {
    description: "Negotiations ended, by outcome, era, policy and medium",
    incremental: true,
    ...(attributes === undefined ? undefined : { attributes })
  })

const durationsWith = (attributes?: Series.Attributes): Metric.Histogram<number> =>
  Metric.histogram("parley_negotiation_duration_millis", {
    description: "Time from opening the transport to the agreement or the error, in milliseconds",
    boundaries: [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 60_000],
    ...(attributes === undefined ? undefined : { attributes })
  })

const movesWith = (attributes?: Series.Attributes): Metric.Counter<number> =>
  Metric.counter("parley_negotiation_moves_total", {
    description: "Steps of the client machine, by policy, state and move",
    incremental: true,
    ...(attributes === undefined ? undefined : { attributes })
  })

/**
 * Negotiations by outcome, era ("none" where there is no agreement), policy and medium. The outcome is "agreed", the tag of
 * the error's reason, "interrupted", or "defect" where a carrier or a hook of the owner's is broken.
 */
export const negotiations: Metric.Counter<number> = negotiationsWith()

/** How long negotiations took, in milliseconds, by outcome and medium. */
export const durations: Metric.Histogram<number> = durationsWith()

/** Steps by policy, state and move. */
export const moves: Metric.Counter<number> = movesWith()

const countOutcome = Series.of(["outcome", "era", "policy", "medium"], negotiationsWith)
const countMillis = Series.of(["outcome", "medium"], durationsWith)
const countMove = Series.of(["policy", "state", "move"], movesWith)

/**
 * Runs a negotiation, and records its outcome when it ends: inside a span where the context has a tracer. Without one there
 * is nobody to tell, and the span is undefined.
 */
export const negotiation = <A extends { readonly agreement: Agreement }, R>(
  subject: Subject,
  run: (span: Tracer.Span | undefined, context: Context.Context<never>) => Effect.Effect<A, NegotiationError, R>
): Effect.Effect<A, NegotiationError, R> =>
  Effect.withFiber(({ cache, context }) => {
    const clock = Context.get(context, Clock.Clock)
    const started = clock.monotonicTimeNanosUnsafe()
    const observed = (span: Tracer.Span | undefined) =>
      Effect.onExitPrimitive(run(span, context), (exit) => {
        const millis = Number(clock.monotonicTimeNanosUnsafe() - started) / 1e6
        return ended(subject, span, exit, millis, cache.minimumLogLevel, context)
      })
    return cache.tracer === undefined
      ? observed(undefined)
      : Effect.useSpan("parley.negotiate", optionsOf(subject), observed)
  })

const optionsOf = (subject: Subject): Tracer.SpanOptionsNoTrace => ({
  kind: "client",
  attributes: {
    "parley.target": subject.target,
    "parley.policy": subject.policy,
    "parley.medium": subject.medium
  }
})

/** Records a step on the span, if there is one. */
export const step = (span: Tracer.Span | undefined, entry: TraceEntry, nanos: bigint): void => {
  span?.event(`${entry.state} -> ${entry.next}`, nanos, {
    "parley.evidence": entry.evidence,
    "parley.move": entry.move,
    "parley.because": entry.because
  })
}

const ended = <A extends { readonly agreement: Agreement }>(
  subject: Subject,
  span: Tracer.Span | undefined,
  exit: Exit.Exit<A, NegotiationError>,
  millis: number,
  minimumLogLevel: LogLevel.LogLevel,
  context: Context.Context<never>
): Effect.Effect<void> | undefined => {
  const result = outcomeOf(exit)
  if (span !== undefined) {
    span.attribute("parley.outcome", result.outcome)
    if (result.version !== undefined) span.attribute("mcp.protocol.version", result.version)
  }
  const { era, outcome, trace } = result
  const { medium, policy } = subject
  countOutcome([outcome, era, policy, medium], 1, context)
  countMillis([outcome, medium], millis, context)
  for (const { move, state } of trace) countMove([policy, state, move], 1, context)
  return LogLevel.isGreaterThan(minimumLogLevel, "Debug")
    ? undefined
    : Effect.logDebug(sentence(subject, result, millis))
}

interface Outcome {
  readonly outcome: string
  readonly era: string
  readonly version?: string
  readonly trace: ReadonlyArray<TraceEntry>
  readonly message?: string
}

const outcomeOf = <A extends { readonly agreement: Agreement }>(exit: Exit.Exit<A, NegotiationError>): Outcome => {
  if (Exit.isSuccess(exit)) {
    const { era, trace, version } = exit.value.agreement
    return { outcome: "agreed", era, version, trace }
  }
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  if (failure === undefined) {
    return { outcome: Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "defect", era: "none", trace: [] }
  }
  const { message, reason, trace } = failure.error
  return { outcome: reason._tag, era: "none", trace, message: head(message, longestMessage) }
}

const sentence = (subject: Subject, result: Outcome, millis: number): string =>
  result.version === undefined
    ? `No agreement with ${subject.target} under ${subject.policy} after ${millis.toFixed(0)} ms: ${result.message ?? result.outcome}`
    : `Agreed on ${result.version} (${result.era}) with ${subject.target} under ${subject.policy} in ${millis.toFixed(0)} ms`

// A message may hold what the peer wrote: it is cut, and kept on one line.
const longestMessage = 1000
