// What JSON a codec takes, member by member: each sample comes back as it was, and none of its members may be of another
// type. Values that a codec makes up by itself cannot show a misspelt word or a member that is not looked at.
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Schemas from "@parley/core/Schemas"

type Sample = readonly [codec: Schema.Codec<unknown, unknown>, value: { readonly [member: string]: unknown }]

const codec = (given: unknown): Schema.Codec<unknown, unknown> => {
  if (!Schema.isSchema(given)) throw new Error("no codec")
  // A codec of ours needs no services; the samples say what it takes.
  return given as Schema.Codec<unknown, unknown>
}

const timeout = { _tag: "Timeout", phase: "idle", waitedMillis: 5 }
const failure = { _tag: "TransportFailure", reason: "r", retryable: true }
const info = { name: "c", version: "1", title: "T" }
const client = { info, capabilities: {} }
const entry = { state: "s", event: "e", evidence: "v", move: "m", because: "b", next: "n", atMillis: 5 }
const ground = { id: "i", code: 1, status: 400, remedy: "reopen", because: "b" }
const problem = { _tag: "MethodNotFound", method: "m" }
const message = { jsonrpc: "2.0", id: 1, method: "m" }
const notification = { jsonrpc: "2.0", method: "m" }
const evidence = { _tag: "MethodMissing" }
const ledger = {
  exchanges: 1,
  initializes: 1,
  discovers: 0,
  corrected: false,
  countered: false,
  held: false,
  reopened: false,
  outOfTurn: 0,
  noise: 0,
  strays: ["x"]
}
const hints = { ttlMs: 5, cacheScope: "public" }
const limits = { bodyBytes: 1, lineBytes: 2, batch: 3, identityCharacters: 4, unanswered: 5 }
const deadlines = { openingMillis: 1, idleMillis: 2, askMillis: 3 }
const profile = {
  versions: ["2026-07-28"],
  serverInfo: info,
  capabilities: {},
  instructions: "i",
  methods: { legacy: ["a"], modern: ["b"] },
  requires: [{ method: "m", name: "n", capabilities: {} }],
  caching: { default: hints, methods: { a: hints } },
  origins: ["o"],
  hosts: ["h"],
  sessions: "none",
  streams: "none",
  interleave: "refuse",
  limits,
  deadlines
}
const agreement = {
  version: "v",
  era: "legacy",
  capabilities: {},
  serverInfo: info,
  instructions: "i",
  offered: "o",
  named: "n",
  client,
  sessionId: "s",
  discovered: { supportedVersions: ["a"], ttlMs: 1, cacheScope: "private", result: {} },
  warnings: ["w"],
  trace: [entry]
}
const { Client, Server } = Schemas

const samples: ReadonlyArray<Sample> = [
  ...["initialize", "server/discover", "negotiation", "opening", "initialized", "idle", "request"].map(
    (phase) => [codec(Schemas.Timeout), { ...timeout, phase }] as const
  ),
  ...["initialize", "server/discover"].map(
    (during) => [codec(Schemas.Timeout), { ...timeout, phase: "negotiation", during }] as const
  ),
  [
    codec(Schemas.UnsupportedProtocolVersion),
    { _tag: "UnsupportedProtocolVersion", requested: "r", supported: ["s"], named: "n" }
  ],
  [codec(Schemas.MethodNotFound), { _tag: "MethodNotFound", method: "m" }],
  [codec(Schemas.MalformedInit), { _tag: "MalformedInit", method: "m", path: "p", problem: "q" }],
  [codec(Schemas.MissingInit), { _tag: "MissingInit", method: "m" }],
  [codec(Schemas.InitializeRejected), { _tag: "InitializeRejected", method: "m", code: 1, serverMessage: "s" }],
  [codec(Schemas.HeaderMismatch), { _tag: "HeaderMismatch", header: "h", expected: "e", received: "r" }],
  [
    codec(Schemas.MissingRequiredClientCapability),
    { _tag: "MissingRequiredClientCapability", requiredCapabilities: {} }
  ],
  [codec(Schemas.InvalidEnvelope), { _tag: "InvalidEnvelope", key: "k", problem: "q" }],
  [codec(Schemas.InvalidMessage), { _tag: "InvalidMessage", code: 1, problem: "q" }],
  [codec(Schemas.SessionUnknown), { _tag: "SessionUnknown", problem: "missing" }],
  [codec(Schemas.SessionUnknown), { _tag: "SessionUnknown", problem: "unknown" }],
  [codec(Schemas.OriginRefused), { _tag: "OriginRefused", header: "Origin", received: "r" }],
  [codec(Schemas.OriginRefused), { _tag: "OriginRefused", header: "Host", received: "r" }],
  [codec(Schemas.PayloadTooLarge), { _tag: "PayloadTooLarge", limitBytes: 1 }],
  [codec(Schemas.Unauthorized), { _tag: "Unauthorized", status: 401, challenge: "c" }],
  [codec(Schemas.Busy), { _tag: "Busy", status: 503, retryAfterMillis: 1 }],
  [codec(Schemas.TransportFailure), { ...failure, status: 1, head: "h", exitCode: 2, signal: "s", stderr: "e" }],
  [codec(Schemas.PolicyForbids), { _tag: "PolicyForbids", policy: "p", what: "w" }],
  [codec(Schemas.ErrorResponse), { _tag: "ErrorResponse", method: "m", code: 1, serverMessage: "s", status: 400 }],
  [codec(Schemas.MalformedResult), { _tag: "MalformedResult", method: "m", path: "p", problem: "q" }],
  [codec(Schemas.NegotiationError), { _tag: "NegotiationError", reason: { ...timeout }, trace: [entry] }],
  [codec(Schemas.AdmissionError), { _tag: "AdmissionError", reason: { ...timeout } }],
  [codec(Schemas.RequestError), { _tag: "RequestError", method: "m", reason: { ...timeout } }],
  [codec(Schemas.TraceEntry), entry],
  ...(["maybeLegacy", "nothing"] as const).map(
    (silence) =>
      [codec(Schemas.Medium), { name: "n", silence, reopens: "once", streams: "shared", ids: "integer" }] as const
  ),
  [codec(Schemas.Medium), { name: "n", silence: "nothing", reopens: "never", streams: "perRequest", ids: "text" }],
  [codec(Schemas.Implementation), { name: "n", version: "v", title: "t" }],
  [codec(Schemas.ClientIdentity), client],
  [codec(Schemas.Discovered), agreement.discovered],
  [codec(Schemas.Discovered), { ...agreement.discovered, cacheScope: "public" }],
  [codec(Schemas.Agreement), agreement],
  [
    codec(Client.ResponseHead),
    { status: 1, contentType: "c", sessionId: "s", challenge: "c", retryAfterMillis: 1, note: "n" }
  ],
  [
    codec(Client.Event),
    { _tag: "Lost", exchange: 1, cause: "c", retryable: false, resume: { lastEventId: "e", retryMillis: 1 } }
  ],
  [codec(Client.Evidence), { _tag: "Outage", cause: "c", retryable: false, status: 1, head: "h" }],
  [codec(Client.Evidence), { _tag: "OutOfTurn", kind: "noise", what: "w", probeAnswered: true }],
  [
    codec(Client.Ledger),
    {
      ...ledger,
      opening: { method: "initialize", asked: "a", evidence },
      holdable: "h",
      session: { id: "i", version: "v" },
      probe: 1
    }
  ],
  [codec(Client.Command), { _tag: "Open" }],
  [codec(Client.Command), { _tag: "DeleteSession", sessionId: "s", version: "v" }],
  [codec(Client.Command), { _tag: "Keep", message: notification }],
  [codec(Client.Outgoing), { _tag: "Post", exchange: 1, message, headers: { a: "b" } }],
  [codec(Client.Outgoing), { _tag: "Listen", exchange: 1, headers: { a: "b" } }],
  [codec(Client.Outgoing), { _tag: "Delete", exchange: 1, headers: { a: "b" } }],
  [codec(Client.Budgets), { probeMillis: 1, exchangeMillis: 2, negotiationMillis: 3, outOfTurn: 4, noise: 5 }],
  [
    codec(Client.PolicyData),
    {
      name: "n",
      open: "initialize",
      versions: ["v"],
      requires: "modern",
      budgets: { probeMillis: 1, exchangeMillis: 2, negotiationMillis: 3, outOfTurn: 4, noise: 5 },
      lacking: "l"
    }
  ],
  ...[
    "allowOrigin",
    "usePost",
    "setHeader",
    "sendLess",
    "sendOneMessage",
    "useSupportedVersion",
    "addMetaKey",
    "matchHeader",
    "useKnownMethod",
    "declareCapability",
    "initialize",
    "initializeAgain",
    "doNotInitializeAgain",
    "mendInitialize",
    "waitAndRetry",
    "reopen"
  ].map((remedy) => [codec(Server.Ground), { ...ground, remedy }] as const),
  ...["initialize", "server/discover", "negotiation", "request"].map(
    (phase) => [codec(Server.Problem), { ...timeout, phase }] as const
  ),
  [codec(Server.Problem), { _tag: "SessionUnknown", problem: "missing" }],
  [codec(Server.Problem), { _tag: "SessionUnknown", problem: "unknown" }],
  [codec(Server.Problem), { _tag: "OriginRefused", header: "Origin", received: "r" }],
  [codec(Server.Problem), { _tag: "OriginRefused", header: "Host", received: "r" }],
  [codec(Server.Problem), failure],
  [codec(Server.Refusal), { ground, problem, id: 1 }],
  [codec(Server.Client), client],
  [codec(Server.Evidence), { _tag: "DeadlinePassed", of: "opening", waitedMillis: 1, unanswered: 2 }],
  [codec(Server.Evidence), { _tag: "DeadlinePassed", of: "idle", waitedMillis: 1, unanswered: 2 }],
  [codec(Server.Evidence), { _tag: "EndOfInput" }],
  [codec(Server.Evidence), { _tag: "Deleted" }],
  [codec(Server.Opening), { version: "v", client }],
  [codec(Server.Admitted), { era: "modern", version: "v", client, meta: {} }],
  [codec(Server.Answer), { status: 200, headers: { a: "b" }, body: "b" }],
  [codec(Server.ProfileData), profile],
  [codec(Server.ProfileData), { ...profile, sessions: "issued", streams: "offered", interleave: "admit" }]
]

const rows = samples.map(([one, value]) => [JSON.stringify(value), one, value] as const)

describe("A codec", () => {
  it.each(rows)("takes %s, and gives it back", (_, one, value) => {
    expect(Schema.encodeUnknownSync(one)(Schema.decodeUnknownSync(one)(value))).toEqual(value)
  })

  it.each(rows)("takes no member of another type in %s", (_, one, value) => {
    const takes = Schema.decodeUnknownExit(one)
    const taken = wrong(value).filter(([, changed]) => takes(changed)._tag === "Success")
    expect(taken.map(([path]) => path)).toEqual([])
  })

  it("of an era, an id or an object takes these and no other", () => {
    const takes = (of: Schema.Codec<unknown, unknown>, value: unknown): boolean =>
      Schema.decodeUnknownExit(of)(value)._tag === "Success"
    expect(["legacy", "modern", "", "new"].map((era) => takes(codec(Schemas.Era), era))).toEqual([
      true,
      true,
      false,
      false
    ])
    expect(["a", 1, 1.5, null].map((id) => takes(codec(Schemas.Id), id))).toEqual([true, true, false, false])
    for (const other of [
      7,
      {},
      { name: "n" },
      { version: "v" },
      { name: 7, version: "v" },
      { name: "n", version: 7 }
    ]) {
      expect([other, takes(codec(Schemas.Implementation), other)]).toEqual([other, false])
    }
  })

  it("says what it expected", () => {
    const said = (of: Schema.Codec<unknown, unknown>): string => {
      const exit = Schema.decodeUnknownExit(of)(7.5)
      return exit._tag === "Failure" ? String(exit.cause) : ""
    }
    expect(said(codec(Schemas.JsonObject))).toContain("a JSON object")
    expect(said(codec(Schemas.Implementation))).toContain("an object with a name and a version")
    expect(said(codec(Schemas.Id))).toContain("an integer")
  })
})

/** A value with one member, however deep, of a type that the member never has. What may hold any JSON is left alone. */
const wrong = (value: unknown): ReadonlyArray<readonly [path: string, changed: unknown]> => {
  if (Array.isArray(value)) {
    return value.flatMap((member, index) =>
      others(member).map(([path, changed]) => [`${index}${path}`, value.with(index, changed)] as const)
    )
  }
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === "title"
      ? []
      : others(member).map(([path, changed]) => [`${key}${path}`, { ...value, [key]: changed }] as const)
  )
}

const others = (member: unknown): ReadonlyArray<readonly [path: string, changed: unknown]> => [
  ["", typeof member === "object" ? 7.5 : { strange: true }],
  ...wrong(member).map(([path, changed]) => [`.${path}`, changed] as const)
]
