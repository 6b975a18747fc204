import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@parley/core/server/Event"
import type { EvidenceTag } from "@parley/core/server/Evidence"
import * as Server from "@parley/core/server/Server"
import type { Compiled } from "@parley/core/server/Compiled"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import type { Cell, Table } from "@parley/core/server/Rules"
import { begin, drop, open, resolve } from "@parley/core/server/Moves"
import type { Open, OpenTag, State } from "@parley/core/server/State"
import { awaiting } from "@parley/core/server/State"
import { table } from "@parley/core/server/Table"
import { overlong } from "@parley/core/server/Grounds"
import { weigh } from "@parley/core/server/Weigh"
import * as Sample from "./support/Samples.ts"

const received = (value: unknown, headers?: RequestHeaders): Event => ({ _tag: "Received", value, headers })

const opening = { version: "2025-11-25", client: Sample.client }
const states: { readonly [S in OpenTag]: Open } = {
  AwaitingOpening: awaiting,
  AwaitingInitialized: { _tag: "AwaitingInitialized", admitted: false, opening },
  Serving: { _tag: "Serving", opening }
}
const admittedBefore: ReadonlyArray<Open> = [
  { _tag: "AwaitingOpening", admitted: true },
  { _tag: "AwaitingInitialized", admitted: true, opening }
]

const mismatched = Sample.stamped(1)
const deadline = (of: "opening" | "idle", unanswered: number): Event => ({
  _tag: "DeadlinePassed",
  of,
  waitedMillis: 30_000,
  unanswered
})

/** An event, the evidence that it is, the move, the next state, and the commands. */
type Row = readonly [
  event: Event,
  evidence: EvidenceTag,
  move: string,
  next: State["_tag"],
  commands: ReadonlyArray<string>,
  compiled?: Compiled
]

// What every state answers alike: the row stays in its state.
const everywhere = (state: OpenTag): ReadonlyArray<Row> => [
  [received(Sample.ping(1)), "Ping", "pong", state, ["reply 1"]],
  [received(Sample.initialize(1, 20251125)), "OpenedBadly", "refuse", state, ["refuse 1 -32602 legacy.init-malformed"]],
  [
    received(Sample.discover(1, Sample.envelope("2027-01-01"))),
    "VersionUnserved",
    "refuse",
    state,
    ["refuse 1 -32022 modern.version-served"]
  ],
  [
    received(Sample.initialize(1)),
    "VersionUnserved",
    "refuse",
    state,
    ["refuse 1 -32022 modern.initialize"],
    Sample.modernOnly
  ],
  [
    received(mismatched, { ...Sample.modernHeaders(mismatched), "mcp-method": "tools/call" }),
    "HeadersDisagree",
    "refuse",
    state,
    ["refuse 1 -32020 modern.mcp-method"]
  ],
  [
    received(Sample.stamped(1, "tools/list", {}, Sample.envelope(20260728))),
    "EnvelopeInvalid",
    "refuse",
    state,
    ["refuse 1 -32602 modern.version-readable"]
  ],
  [
    received(Sample.legacy(1)),
    "EnvelopeInvalid",
    "refuse",
    state,
    ["refuse 1 -32602 modern.version-readable"],
    Sample.modernOnly
  ],
  [received(Sample.stamped(1, "shelf/rearrange")), "MethodUnknown", "refuse", state, ["refuse 1 -32601 modern.method"]],
  [
    received(Sample.discover(1)),
    "MethodUnknown",
    "refuse",
    state,
    ["refuse 1 -32601 legacy.method"],
    Sample.handshakeOnly
  ],
  [received({ jsonrpc: "2.0", id: null, method: "ping" }), "Malformed", "refuse", state, ["refuse null -32600 shape"]],
  [received({ jsonrpc: "1.0", id: 7, method: "ping" }), "Malformed", "refuse", state, ["refuse 7 -32600 shape"]],
  [{ _tag: "Unreadable", refusal: overlong(10) }, "Malformed", "refuse", state, ["refuse null -32600 line"]],
  [{ _tag: "EndOfInput" }, "EndOfInput", "end", "Closed", ["close ended"]],
  [{ _tag: "Deleted" }, "Deleted", "remove", "Closed", ["close deleted"]]
]

const needy: Compiled = {
  ...Sample.dual,
  requires: new Map([["tools/list", [{ name: undefined, capabilities: { sampling: {} } }]]])
}
const capability = (state: OpenTag): Row => [
  received(Sample.stamped(1)),
  "CapabilityMissing",
  "refuse",
  state,
  ["refuse 1 -32021 modern.capability"],
  needy
]

const rows: { readonly [S in OpenTag]: ReadonlyArray<Row> } = {
  AwaitingOpening: [
    ...everywhere("AwaitingOpening"),
    capability("AwaitingOpening"),
    [
      received(Sample.initialize(1, "2025-06-18")),
      "Opened",
      "open",
      "AwaitingInitialized",
      ["issue 2025-06-18", "start opening 30000", "reply 1"]
    ],
    [
      received(Sample.initialize("a", "1999-01-01")),
      "Opened",
      "open",
      "AwaitingInitialized",
      ["issue 2025-11-25", "start opening 30000", 'reply "a"']
    ],
    [
      received(Sample.initialize(1, Sample.modern)),
      "Opened",
      "open",
      "AwaitingInitialized",
      ["issue 2025-11-25", "start opening 30000", "reply 1"]
    ],
    [received(Sample.initialized), "Initialized", "drop", "AwaitingOpening", []],
    [received(Sample.legacy(1)), "LegacyRequest", "miss", "AwaitingOpening", ["refuse 1 -32600 legacy.init-missing"]],
    [
      received(Sample.legacy(1, "shelf/rearrange")),
      "LegacyRequest",
      "miss",
      "AwaitingOpening",
      ["refuse 1 -32600 legacy.init-missing"]
    ],
    [received(Sample.discover(1)), "ModernRequest", "admit", "AwaitingOpening", ["clear opening", "reply 1"]],
    [
      received(Sample.stamped(1)),
      "ModernRequest",
      "admit",
      "AwaitingOpening",
      ["clear opening", "deliver 1 modern 2026-07-28"]
    ],
    [
      received({ jsonrpc: "2.0", method: "notifications/roots/list_changed" }),
      "Notification",
      "hearEarly",
      "AwaitingOpening",
      []
    ],
    [
      received({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }),
      "Notification",
      "hearEarly",
      "AwaitingOpening",
      ["hear notifications/cancelled"]
    ],
    [received({ jsonrpc: "2.0", id: 1, result: {} }), "Response", "drop", "AwaitingOpening", []],
    [deadline("opening", 0), "DeadlinePassed", "expire", "Closed", ["close timeout"]]
  ],
  AwaitingInitialized: [
    ...everywhere("AwaitingInitialized"),
    capability("AwaitingInitialized"),
    [
      received(Sample.initialize(2)),
      "Opened",
      "repeat",
      "AwaitingInitialized",
      ["refuse 2 -32600 legacy.init-repeated"]
    ],
    [received(Sample.initialized), "Initialized", "begin", "Serving", ["clear opening"]],
    [
      received(Sample.legacy(1)),
      "LegacyRequest",
      "admit",
      "AwaitingInitialized",
      ["clear opening", "deliver 1 legacy 2025-11-25"]
    ],
    [
      received(Sample.legacy(1, "server/discover", {})),
      "MethodUnknown",
      "refuse",
      "AwaitingInitialized",
      ["refuse 1 -32601 legacy.method"]
    ],
    [
      received(Sample.stamped(1)),
      "ModernRequest",
      "interleave",
      "AwaitingInitialized",
      ["clear opening", "deliver 1 modern 2026-07-28"]
    ],
    [
      received(Sample.stamped(1)),
      "ModernRequest",
      "interleave",
      "AwaitingInitialized",
      ["refuse 1 -32600 modern.interleaved"],
      Sample.separate
    ],
    [
      received({ jsonrpc: "2.0", method: "notifications/roots/list_changed" }),
      "Notification",
      "hear",
      "AwaitingInitialized",
      ["hear notifications/roots/list_changed"]
    ],
    [received({ jsonrpc: "2.0", id: 1, result: {} }), "Response", "resolve", "AwaitingInitialized", ["resolve 1"]],
    [deadline("opening", 0), "DeadlinePassed", "expire", "Closed", ["close timeout"]]
  ],
  Serving: [
    ...everywhere("Serving"),
    capability("Serving"),
    [received(Sample.initialize(2)), "Opened", "repeat", "Serving", ["refuse 2 -32600 legacy.init-repeated"]],
    [received(Sample.initialized), "Initialized", "drop", "Serving", []],
    [received(Sample.legacy(1)), "LegacyRequest", "admit", "Serving", ["deliver 1 legacy 2025-11-25"]],
    [
      received(Sample.legacy(1, "shelf/rearrange")),
      "MethodUnknown",
      "refuse",
      "Serving",
      ["refuse 1 -32601 legacy.method"]
    ],
    [received(Sample.stamped(1)), "ModernRequest", "interleave", "Serving", ["deliver 1 modern 2026-07-28"]],
    [
      received(Sample.discover(1)),
      "ModernRequest",
      "interleave",
      "Serving",
      ["refuse 1 -32600 modern.interleaved"],
      Sample.separate
    ],
    [
      received({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }),
      "Notification",
      "hear",
      "Serving",
      ["hear notifications/cancelled"]
    ],
    [
      received({ jsonrpc: "2.0", id: "x", error: { code: -1, message: "no" } }),
      "Response",
      "resolve",
      "Serving",
      ['resolve "x"']
    ],
    [deadline("idle", 0), "DeadlinePassed", "expireIdle", "Closed", ["close idle"]],
    [deadline("idle", 1), "DeadlinePassed", "expireIdle", "Serving", []],
    [deadline("opening", 0), "DeadlinePassed", "expireIdle", "Serving", []]
  ]
}

const tags: ReadonlyArray<OpenTag> = ["AwaitingOpening", "AwaitingInitialized", "Serving"]

describe("the server's table, cell by cell", () => {
  for (const state of tags) {
    describe(state, () => {
      for (const [event, evidence, move, next, commands, compiled = Sample.dual] of rows[state]) {
        const title = `${evidence}: ${move}, then ${next}${commands.length === 0 ? "" : `; ${commands.join(", ")}`}`
        it(title, () => {
          const step = Server.step(compiled, states[state], event)
          expect(step.trace).toMatchObject({ state, event: event._tag, move, next })
          expect(step.trace?.evidence.split(" ")[0]).toBe(evidence)
          expect(step.trace?.because).toContain(Server.cellOf(state, evidence).because)
          expect(step.state._tag).toBe(next)
          expect(Sample.said(step.commands)).toEqual(commands)
        })
      }

      it("has a row here for every cell", () => {
        expect(new Set(rows[state].map(([, evidence]) => evidence))).toEqual(new Set(Object.keys(table[state])))
      })
    })
  }

  it("gives every cell a reason and a stable id of its own", () => {
    const ids = tags.flatMap((state) =>
      Object.entries(table[state]).map(([evidence, cell]) => {
        expect(cell.because.length).toBeGreaterThan(10)
        // The key of a row is an evidence.
        return Server.cellId(state, evidence as EvidenceTag)
      })
    )
    expect(new Set(ids).size).toBe(3 * 17)
    expect(ids).toContain("server.Serving.Ping")
  })

  it("does not compile with a missing cell, or with a move that its evidence or state cannot feed", () => {
    // @ts-expect-error The row lacks its cells.
    const missing: Table = { ...table, Serving: {} }
    // @ts-expect-error Ping holds no response to resolve.
    const unfed: Cell<"Serving", "Ping"> = { move: resolve, because: "" }
    // @ts-expect-error Serving has nothing to begin.
    const elsewhere: Cell<"Serving", "Initialized"> = { move: begin, because: "" }
    // @ts-expect-error Only AwaitingOpening can be opened.
    const twice: Cell<"Serving", "Opened"> = { move: open, because: "" }
    const fed: Cell<"Serving", "Ping"> = { move: drop, because: "" }
    expect([missing, unfed, elsewhere, twice, fed]).toHaveLength(5)
  })
})

describe("Server", () => {
  it("begins by awaiting the opening, with a deadline", () => {
    const { state, commands, trace } = Server.begin(Sample.dual)
    expect(state).toEqual({ _tag: "AwaitingOpening", admitted: false })
    expect(Sample.said(commands)).toEqual(["start opening 30000"])
    expect(trace?.next).toBe("AwaitingOpening")
  })

  it("accepts no event once it is Closed", () => {
    const closed: State = { _tag: "Closed", why: "ended" }
    for (const [event] of rows.Serving) {
      expect(Server.step(Sample.dual, closed, event)).toEqual({ state: closed, commands: [] })
    }
  })

  it("is not closed by a passed opening deadline once something was admitted", () => {
    for (const state of admittedBefore) {
      expect(Server.step(Sample.dual, state, deadline("opening", 0))).toMatchObject({ state, commands: [] })
      expect(Server.step(Sample.dual, state, deadline("idle", 1))).toMatchObject({ state, commands: [] })
      expect(Server.step(Sample.dual, state, deadline("idle", 0)).state).toEqual({ _tag: "Closed", why: "idle" })
    }
  })

  it("clears the opening deadline once, with the first admitted request", () => {
    const first = Server.step(Sample.dual, awaiting, received(Sample.stamped(1)))
    const second = Server.step(Sample.dual, first.state, received(Sample.stamped(2)))
    expect(Sample.said(first.commands)).toEqual(["clear opening", "deliver 1 modern 2026-07-28"])
    expect(Sample.said(second.commands)).toEqual(["deliver 2 modern 2026-07-28"])
  })

  it("starts no deadline for a handshake on a pipe that admitted something before", () => {
    const probed = Server.step(Sample.dual, awaiting, received(Sample.discover(1)))
    const opened = Server.step(Sample.dual, probed.state, received(Sample.initialize(2)))
    expect(Sample.said(opened.commands)).toEqual(["issue 2025-11-25", "reply 2"])
    expect(opened.state).toMatchObject({ _tag: "AwaitingInitialized", admitted: true })
  })

  it("never leaves AwaitingOpening for a probe, refused or not", () => {
    for (const compiled of [Sample.dual, Sample.modernOnly, Sample.handshakeOnly]) {
      for (const probe of [
        Sample.discover(1),
        Sample.discover(1, Sample.envelope("2030-01-01")),
        Sample.legacy(1, "server/discover")
      ]) {
        expect(Server.step(compiled, awaiting, received(probe)).state._tag).toBe("AwaitingOpening")
      }
    }
  })

  it("declares the same capabilities and versions in both openings", () => {
    const [discovered] = Server.step(Sample.dual, awaiting, received(Sample.discover(1))).commands.slice(-1)
    const [opened] = Server.step(Sample.dual, awaiting, received(Sample.initialize(1))).commands.slice(-1)
    expect(discovered).toMatchObject({
      result: {
        resultType: "complete",
        supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        capabilities: Sample.options.capabilities,
        ttlMs: 0,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": Sample.options.serverInfo }
      }
    })
    expect(opened).toMatchObject({
      result: {
        protocolVersion: "2025-11-25",
        capabilities: Sample.options.capabilities,
        serverInfo: Sample.options.serverInfo
      }
    })
  })

  it("admits a modern request on its own terms: version, client and capabilities from its envelope", () => {
    const [, deliver] = Server.step(Sample.dual, awaiting, received(Sample.stamped(1))).commands
    expect(deliver).toMatchObject({
      admitted: { era: "modern", version: Sample.modern, client: Sample.client, meta: Sample.envelope() }
    })
  })

  it("admits a legacy request on the terms of its handshake", () => {
    const [deliver] = Server.step(Sample.dual, states.Serving, received(Sample.legacy(1))).commands
    expect(deliver).toMatchObject({ admitted: { era: "legacy", version: "2025-11-25", client: Sample.client } })
  })

  it("takes without a trace what it steps with one", () => {
    for (const state of tags) {
      for (const [event, , , , , compiled = Sample.dual] of rows[state]) {
        const step = Server.step(compiled, states[state], event)
        const taken = Server.take(compiled, states[state], weigh(compiled, states[state], event))
        expect(taken.state).toEqual(step.state)
        expect(taken.commands).toEqual(step.commands)
      }
    }
  })
})
