// What a probe found out about a server: the value that every rendering starts from.
import type { Agreement } from "@parley/core/Agreement"
import type { NegotiationError } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import type { Entry } from "./Recording.ts"
import type { Target } from "./Target.ts"

export interface Finding {
  readonly target: Target
  /** The name of the policy that was followed. */
  readonly policy: string
  readonly outcome: Outcome
  /** What was sent and received, oldest first. */
  readonly entries: ReadonlyArray<Entry>
  /** How many entries were dropped because there were too many. */
  readonly dropped: number
  readonly roundTrips: number
  /** From the first attempt to open the transport to the outcome, in milliseconds. */
  readonly totalMillis: number
}

export type Outcome =
  | { readonly _tag: "Agreed"; readonly agreement: Agreement }
  | { readonly _tag: "Failed"; readonly error: NegotiationError }

/** Returns every step that led to the outcome. */
export const traceOf = (finding: Finding): ReadonlyArray<TraceEntry> =>
  finding.outcome._tag === "Agreed" ? finding.outcome.agreement.trace : finding.outcome.error.trace
