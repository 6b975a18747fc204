// Codes, statuses, errors and faults as data: what may go over the wire, and what each means to whoever reads it.
import * as Errors from "@parley/core/Errors"
import { Code } from "@parley/core/Message"
import type { Ground } from "@parley/core/server/Refusal"
import { grounds } from "@parley/core/server/Grounds"
import { ladder } from "@parley/core/server/Ladder"
import { evidenceTags } from "../Cells.ts"
import type { Walk } from "../Walk.ts"
import { header } from "./Layout.ts"

/** Returns the file of codes. `evidence` says with which errors each evidence of a client fails. */
export const codesFile = (evidence: EvidenceErrors): { readonly [key: string]: unknown } => ({
  ...header("codes.schema.json"),
  codes: Object.entries(Code).map(([name, code]) => ({ code, name, modernOnly: modernOnly.has(name) })),
  grounds: [
    ...ladder.map((rung) => groundOf(rung, rung.stage)),
    ...grounds.map((ground) => groundOf(ground, "machine"))
  ],
  errors: samples.map(({ _tag, fault, message, retryable }) => ({
    name: _tag,
    ...(_tag === "TransportFailure" ? { fault: "depends", retryable: "depends" } : { fault, retryable }),
    example: message
  })),
  evidence: evidence.rows()
})

const modernOnly: ReadonlySet<string> = new Set([
  "HeaderMismatch",
  "MissingRequiredClientCapability",
  "UnsupportedProtocolVersion"
])

const groundOf = ({ because, code, id, remedy, status }: Ground, stage: string): unknown => ({
  id,
  stage,
  code,
  status,
  remedy,
  because
})

/** What gathers, while subjects are walked, with which error each evidence fails when nothing was refused before it. */
export interface EvidenceErrors {
  readonly add: (walk: Walk) => void
  readonly rows: () => ReadonlyArray<{ readonly evidence: string; readonly errors: ReadonlyArray<string> }>
}

/** Returns a collection that is empty. */
export const gatherEvidenceErrors = (): EvidenceErrors => {
  const found = new Map<string, Set<string>>()
  return {
    add: ({ steps, subject }) => {
      if (!subject.plain || subject.table === "pinnedModern" || subject.table === "pinnedLegacy") return
      for (const { evidence, from, state } of steps) {
        if (state._tag !== "Failed" || from.state._tag === "Settled" || from.state._tag === "Failed") continue
        if (from.state.ledger.opening !== undefined) continue
        found.set(evidence._tag, (found.get(evidence._tag) ?? new Set()).add(state.reason._tag))
      }
    },
    rows: () =>
      evidenceTags.flatMap((evidence) => {
        const errors = found.get(evidence)
        return errors === undefined ? [] : [{ evidence, errors: [...errors].toSorted() }]
      })
  }
}

// One of each class, to read what it says of itself.
const samples: ReadonlyArray<Errors.NegotiationReason | Errors.AdmissionReason> = [
  new Errors.UnsupportedProtocolVersion({ requested: "2026-07-28", supported: ["2025-06-18"] }),
  new Errors.MethodNotFound({ method: "server/discover" }),
  new Errors.Timeout({ phase: "initialize", waitedMillis: 30_000 }),
  new Errors.MalformedInit({ method: "initialize", path: "result.protocolVersion", problem: "it is no string" }),
  new Errors.MissingInit({ method: "tools/list" }),
  new Errors.InitializeRejected({ method: "initialize", code: -32000, serverMessage: "no" }),
  new Errors.HeaderMismatch({ header: "Mcp-Method", expected: "tools/list", received: "tools/call" }),
  new Errors.MissingRequiredClientCapability({ requiredCapabilities: { sampling: {} } }),
  new Errors.InvalidEnvelope({ key: "io.modelcontextprotocol/clientCapabilities", problem: "it is absent" }),
  new Errors.InvalidMessage({ code: Code.ParseError, problem: "it is no JSON" }),
  new Errors.SessionUnknown({ problem: "unknown" }),
  new Errors.OriginRefused({ header: "Origin", received: "https://elsewhere.example" }),
  new Errors.PayloadTooLarge({ limitBytes: 4_194_304 }),
  new Errors.Unauthorized({ status: 401, challenge: "Bearer" }),
  new Errors.Busy({ status: 503, retryAfterMillis: 2_000 }),
  new Errors.TransportFailure({ reason: "The server process exited with code 1.", retryable: true }),
  new Errors.PolicyForbids({ policy: "pinned:2026-07-28", what: "it needs a modern revision and has none" })
]
