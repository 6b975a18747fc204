// A finding as JSON for a program. The shape is stable: members are added, never renamed or removed, within one `format`.
import type { Agreement } from "@parley/core/Agreement"
import type { NegotiationReason } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import type { Finding } from "../Finding.ts"
import { traceOf } from "../Finding.ts"
import type { Entry } from "../Recording.ts"
import * as Target from "../Target.ts"

/** What `parley probe --json` prints. */
export interface Document {
  /** The number of this shape. */
  readonly format: 1
  readonly outcome: "agreed" | "failed"
  readonly target: { readonly carrier: "http" | "stdio"; readonly name: string }
  readonly policy: string
  /** Present when the outcome is "agreed". */
  readonly agreement?: AgreementDocument
  /** Present when the outcome is "failed". */
  readonly error?: ErrorDocument
  /** Every step of the machine, oldest first. Times are milliseconds since the negotiation began. */
  readonly trace: ReadonlyArray<TraceEntry>
  /** What was sent and received, oldest first; at most 500. Times are milliseconds since the probe began. */
  readonly messages: ReadonlyArray<Entry>
  readonly timings: { readonly totalMillis: number; readonly roundTrips: number }
  /** Present with `--diagram`: Mermaid source. */
  readonly diagram?: string
}

export interface AgreementDocument {
  readonly version: string
  readonly era: "legacy" | "modern"
  /** The revision of the last opening message. */
  readonly offered: string
  /** The revision that the server named: differs from `version` only where a handshake is held. */
  readonly named: string
  readonly serverInfo?: { readonly [key: string]: unknown }
  readonly instructions?: string
  readonly capabilities: { readonly [key: string]: unknown }
  /** Whether the server opened an HTTP session. Its id is a credential and is never printed. */
  readonly session: boolean
  /** Present when `server/discover` was answered. */
  readonly discovered?: {
    readonly supportedVersions: ReadonlyArray<string>
    readonly ttlMs: number
    readonly cacheScope: "public" | "private"
  }
  readonly warnings: ReadonlyArray<string>
}

export interface ErrorDocument {
  /** The tag of the reason, such as "UnsupportedProtocolVersion". */
  readonly tag: string
  readonly fault: "peer" | "network" | "owner" | "caller"
  readonly retryable: boolean
  /** Two sentences: what happened, and what to do about it. */
  readonly message: string
  /** The facts: the fields of that error, as its tag defines them. */
  readonly reason: { readonly [key: string]: unknown }
}

/** Returns the document of a finding. */
export const document = (finding: Finding, diagram?: string): Document => ({
  format: 1,
  outcome: finding.outcome._tag === "Agreed" ? "agreed" : "failed",
  target: {
    carrier: finding.target._tag === "Http" ? "http" : "stdio",
    name: Target.show(finding.target)
  },
  policy: finding.policy,
  ...(finding.outcome._tag === "Agreed"
    ? { agreement: agreementDocument(finding.outcome.agreement) }
    : { error: errorDocument(finding.outcome.error.reason) }),
  trace: traceOf(finding),
  messages: finding.entries,
  timings: { totalMillis: finding.totalMillis, roundTrips: finding.roundTrips },
  ...(diagram === undefined ? undefined : { diagram })
})

const agreementDocument = (agreement: Agreement): AgreementDocument => ({
  version: agreement.version,
  era: agreement.era,
  offered: agreement.offered,
  named: agreement.named,
  ...(agreement.serverInfo === undefined ? undefined : { serverInfo: agreement.serverInfo }),
  ...(agreement.instructions === undefined ? undefined : { instructions: agreement.instructions }),
  capabilities: agreement.capabilities,
  session: agreement.sessionId !== undefined,
  ...(agreement.discovered === undefined
    ? undefined
    : {
        discovered: {
          supportedVersions: agreement.discovered.supportedVersions,
          ttlMs: agreement.discovered.ttlMs,
          cacheScope: agreement.discovered.cacheScope
        }
      }),
  warnings: agreement.warnings
})

const errorDocument = (reason: NegotiationReason): ErrorDocument => ({
  tag: reason._tag,
  fault: reason.fault,
  retryable: reason.retryable,
  message: reason.message,
  reason: facts(reason)
})

// The fields that the tag defines, without what every Error carries. A cause is told by its tag and message.
const facts = (reason: object, depth = 0): { readonly [key: string]: unknown } => {
  const fields = Object.entries(reason).filter(([key]) => !common.has(key))
  const cause = "cause" in reason && depth < deepest ? causeOf(reason.cause, depth + 1) : undefined
  return cause === undefined ? Object.fromEntries(fields) : { ...Object.fromEntries(fields), cause }
}

const causeOf = (cause: unknown, depth: number): unknown => {
  if (!(cause instanceof Error)) return undefined
  return "_tag" in cause && typeof cause._tag === "string"
    ? { tag: cause._tag, message: cause.message, ...facts(cause, depth) }
    : { message: cause.message }
}

const common = new Set(["_tag", "name", "message", "stack", "fault", "retryable", "cause"])
const deepest = 3
