// What a connection tells the outside besides its negotiations: what memory was good for, and how what was lost was opened
// again. Names are part of the public surface: docs/operating.md lists them.
import type { NegotiationError, RequestReason, TransportFailure } from "@parley/core/Errors"
import type { Era } from "@parley/core/Version"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Series from "./Series.ts"

/**
 * What a memory of a server was good for. `hit`: nothing was asked. `shortened`: one opening, of the era that is known.
 * `miss`: nothing is remembered, or it could not be read. `reprobed`: it is too old, and the server is negotiated with in
 * full. `unused`: it shortens nothing under this policy. `shared`: another negotiation with the server was waited for.
 * `dropped`: it turned out wrong.
 */
export type Use = "hit" | "shortened" | "miss" | "reprobed" | "unused" | "shared" | "dropped"

/** Why a connection is opened again: its session is gone, its process or channel is, or what was remembered was wrong. */
export type Loss = "session" | "process" | "channel" | "memory"

const memoriesWith = (attributes?: Series.Attributes): Metric.Counter<number> =>
  Metric.counter("parley_era_memory_total", {
    description: "What the memory of eras was good for, by use and the era remembered",
    incremental: true,
    ...(attributes === undefined ? undefined : { attributes })
  })

const reopeningsWith = (attributes?: Series.Attributes): Metric.Counter<number> =>
  Metric.counter("parley_reopenings_total", {
    description: "Attempts to open a connection again, by cause and outcome",
    incremental: true,
    ...(attributes === undefined ? undefined : { attributes })
  })

const abandonedWith = (attributes?: Series.Attributes): Metric.Counter<number> =>
  Metric.counter("parley_reopenings_abandoned_total", {
    description: "Connections that are not opened again any more, by the reason of the last attempt",
    incremental: true,
    ...(attributes === undefined ? undefined : { attributes })
  })

/** What memory was good for, by use and the era remembered ("none" for a miss). */
export const memories: Metric.Counter<number> = memoriesWith()

/**
 * Attempts to open again, by cause and outcome: "opened", the tag of the error's reason, "interrupted", or "defect".
 */
export const reopenings: Metric.Counter<number> = reopeningsWith()

/** Connections whose schedule for opening again came to its end, by the tag of the last reason. */
export const abandoned: Metric.Counter<number> = abandonedWith()

const countMemory = Series.of(["use", "era"], memoriesWith)
const countReopening = Series.of(["cause", "outcome"], reopeningsWith)
const countAbandoned = Series.of(["reason"], abandonedWith)

/** Counts a use of what is remembered. */
export const remembered = (use: Use, era: Era | undefined, context: Context.Context<never>): void =>
  countMemory([use, era ?? "none"], 1, context)

/** Counts an attempt to open again. */
export const reopened = (
  cause: Loss,
  exit: Exit.Exit<unknown, NegotiationError>,
  context: Context.Context<never>
): void => countReopening([cause, outcomeOf(exit)], 1, context)

/** Counts a connection that is not opened again any more. */
export const gaveUp = (reason: RequestReason, context: Context.Context<never>): void =>
  countAbandoned([reason._tag === "NegotiationError" ? reason.reason._tag : reason._tag], 1, context)

/** Returns what the loss of a channel was. */
export const lossOf = ({ exitCode, stderr }: TransportFailure): Loss =>
  // Only of a process is it known how it ended, or what it wrote.
  exitCode !== undefined || stderr !== undefined ? "process" : "channel"

const outcomeOf = (exit: Exit.Exit<unknown, NegotiationError>): string => {
  if (Exit.isSuccess(exit)) return "opened"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  if (failure !== undefined) return failure.error.reason._tag
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "defect"
}
