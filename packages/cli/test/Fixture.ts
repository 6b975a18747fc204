// Findings for the rendering tests: one agreement, one failure, and a hostile server. No test lives here.
import type { Agreement } from "@parley/core/Agreement"
import { NegotiationError, type NegotiationReason, UnsupportedProtocolVersion } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import type { Finding } from "@parley/cli/Finding"
import type { Entry } from "@parley/cli/Recording"
import { identity } from "@parley/cli/Release"

export const trace: ReadonlyArray<TraceEntry> = [
  {
    state: "Idle",
    event: "Begun",
    evidence: "",
    move: "initialize",
    because: "policy auto opens so",
    next: "Initializing",
    atMillis: 0
  },
  {
    state: "Initializing",
    event: "Arrived",
    evidence: "Agreed 2025-11-25",
    move: "settle",
    because: "2025-11-25 lifecycle, Version Negotiation",
    next: "Settled",
    atMillis: 84
  }
]

export const entries: ReadonlyArray<Entry> = [
  { atMillis: 1, from: "carrier", kind: "opened", what: "opened", detail: "" },
  { atMillis: 2, from: "client", kind: "request", what: "initialize", detail: "offers 2025-11-25" },
  { atMillis: 80, from: "server", kind: "result", what: "result", detail: "names 2025-11-25", status: 200 },
  { atMillis: 81, from: "client", kind: "notification", what: "notifications/initialized", detail: "" }
]

export const agreement: Agreement = {
  version: "2025-11-25",
  era: "legacy",
  capabilities: { tools: { listChanged: true }, prompts: {} },
  serverInfo: { name: "everything", version: "2.0.0" },
  offered: "2025-11-25",
  named: "2025-11-25",
  client: identity,
  sessionId: "a-secret-session",
  warnings: [],
  trace
}

export const agreed = (changes: Partial<Agreement> = {}, more: Partial<Finding> = {}): Finding => ({
  target: { _tag: "Http", url: "http://127.0.0.1:3000/mcp?key=secret" },
  policy: "auto",
  outcome: { _tag: "Agreed", agreement: { ...agreement, ...changes } },
  entries,
  dropped: 0,
  roundTrips: 1,
  totalMillis: 84,
  ...more
})

export const refused = new UnsupportedProtocolVersion({ requested: "2025-11-25", supported: ["2026-07-28"] })

export const failed = (
  reason: NegotiationReason = refused,
  more: Partial<Finding> = {}
): Finding & {
  readonly outcome: { readonly _tag: "Failed"; readonly error: NegotiationError }
} => ({
  target: { _tag: "Http", url: "http://127.0.0.1:3000/mcp?key=secret" },
  policy: "handshakeOnly",
  entries: [
    { atMillis: 2, from: "client", kind: "request", what: "initialize", detail: "offers 2025-11-25" },
    {
      atMillis: 9,
      from: "server",
      kind: "error",
      what: "-32022",
      detail: "Unsupported protocol version; supports 2026-07-28",
      status: 400
    }
  ],
  dropped: 0,
  roundTrips: 1,
  totalMillis: 9,
  ...more,
  outcome: { _tag: "Failed", error: new NegotiationError({ reason, trace }) }
})

/** Text that would do harm on a terminal, as a server may send it. */
export const hostile = "\u001b[2J\u001b]0;owned\u0007\u009b31m\r\nfake line\u202e\u200b"

// Everything that a terminal acts on, and everything that hides or reorders text; line breaks are ours.
// oxlint-disable-next-line no-control-regex
export const dangerous = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/
