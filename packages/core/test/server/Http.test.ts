import { describe, expect, it } from "@effect/vitest"
import { accepted, deleted, json, refused } from "@parley/core/server/Answer"
import { compile } from "@parley/core/server/Compiled"
import type { Compiled } from "@parley/core/server/Compiled"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Http from "@parley/core/server/Http"
import * as Profile from "@parley/core/server/Profile"
import type { State } from "@parley/core/server/State"
import * as Sample from "./support/Samples.ts"

const session: RequestHeaders = { ...Sample.base, "mcp-session-id": "s-1" }
const at = (version: string): RequestHeaders => ({ ...session, "mcp-protocol-version": version })
const streamless = compile(Profile.dual({ ...Sample.options, streams: "none" }))
const oldest = compile(Profile.make({ ...Sample.options, versions: ["2024-11-05", "2025-03-26"] }))

type Row = readonly [
  title: string,
  compiled: Compiled,
  value: unknown,
  headers: RequestHeaders,
  state: State | undefined,
  commands: ReadonlyArray<string>
]

const d = Sample.discover("d")
const dh = Sample.modernHeaders(d)
const { "mcp-protocol-version": _version, ...withoutVersion } = dh

// Rows of peers.md, table 2, over HTTP: what a session would say is in the state given.
const rows: ReadonlyArray<Row> = [
  [
    "initialize opens a session",
    Sample.dual,
    Sample.initialize(1),
    Sample.base,
    undefined,
    ["issue 2025-11-25", "start opening 30000", "reply 1"]
  ],
  [
    "initialize with an unknown version is answered with the newest legacy one",
    Sample.dual,
    Sample.initialize(1, "1999-01-01"),
    Sample.base,
    undefined,
    ["issue 2025-11-25", "start opening 30000", "reply 1"]
  ],
  [
    "initialize naming 2026-07-28 gets a handshake revision",
    Sample.dual,
    Sample.initialize(1, Sample.modern),
    Sample.base,
    undefined,
    ["issue 2025-11-25", "start opening 30000", "reply 1"]
  ],
  [
    "the newest legacy version is that of the profile",
    oldest,
    Sample.initialize(1),
    Sample.base,
    undefined,
    ["issue 2025-03-26", "start opening 30000", "reply 1"]
  ],
  [
    "initialize ignores a version header, whatever it names",
    Sample.dual,
    Sample.initialize(1),
    { ...Sample.base, "mcp-protocol-version": Sample.modern },
    undefined,
    ["issue 2025-11-25", "start opening 30000", "reply 1"]
  ],
  [
    "initialize on a modern-only server names the versions served",
    Sample.modernOnly,
    Sample.initialize(1),
    Sample.base,
    undefined,
    ["refuse 1 -32022 modern.initialize"]
  ],
  [
    "initialize without a version is malformed and opens no session",
    Sample.dual,
    Sample.initialize(1, null),
    Sample.base,
    undefined,
    ["refuse 1 -32602 legacy.init-malformed"]
  ],
  [
    "initialize without params is malformed",
    Sample.dual,
    Sample.legacy(1, "initialize"),
    Sample.base,
    undefined,
    ["refuse 1 -32602 legacy.init-malformed"]
  ],
  [
    "initialize in a known session is a repetition",
    Sample.dual,
    Sample.initialize(2),
    session,
    Sample.inSession(),
    ["refuse 2 -32600 legacy.init-repeated"]
  ],
  [
    "initialize with an unknown session opens a new one",
    Sample.dual,
    Sample.initialize(2),
    session,
    undefined,
    ["issue 2025-11-25", "start opening 30000", "reply 2"]
  ],
  [
    "initialize without an id is a notification: no session",
    Sample.dual,
    { jsonrpc: "2.0", method: "initialize", params: {} },
    Sample.base,
    undefined,
    ["refuse null -32600 legacy.session-missing"]
  ],
  [
    "initialize with a null id is refused without id",
    Sample.dual,
    { ...Sample.initialize(1), id: null },
    Sample.base,
    undefined,
    ["refuse null -32600 shape"]
  ],
  [
    "initialize in a modern envelope is an unknown method",
    Sample.dual,
    { ...Sample.initialize(1), params: { _meta: Sample.envelope() } },
    { ...dh, "mcp-method": "initialize" },
    undefined,
    ["refuse 1 -32601 modern.method"]
  ],
  [
    "initialize in an envelope opens a handshake-only server: the envelope is ignored",
    Sample.handshakeOnly,
    Sample.initialize(1, "2025-06-18", { _meta: Sample.envelope() }),
    Sample.base,
    undefined,
    ["issue 2025-06-18", "start opening 30000", "reply 1"]
  ],
  [
    "a request without a session id is refused where sessions are issued",
    Sample.dual,
    Sample.legacy(2),
    Sample.base,
    undefined,
    ["refuse 2 -32600 legacy.session-missing"]
  ],
  [
    "session ids that differ are none",
    Sample.dual,
    Sample.legacy(2),
    { ...session, "mcp-session-id": "a, b" },
    Sample.inSession(),
    ["refuse 2 -32600 legacy.session-missing"]
  ],
  [
    "a request in an unknown session is refused",
    Sample.dual,
    Sample.legacy(2),
    session,
    undefined,
    ["refuse 2 -32600 legacy.session-unknown"]
  ],
  [
    "a request in a closed session is refused",
    Sample.dual,
    Sample.legacy(2),
    session,
    { _tag: "Closed", why: "deleted" },
    ["refuse 2 -32600 legacy.session-unknown"]
  ],
  [
    "a request before notifications/initialized is served",
    Sample.dual,
    Sample.legacy(2),
    session,
    { _tag: "AwaitingInitialized", admitted: false, opening: { version: "2025-11-25", client: Sample.client } },
    ["clear opening", "deliver 2 legacy 2025-11-25"]
  ],
  ["a ping in a session is answered", Sample.dual, Sample.ping(2), at("2025-11-25"), Sample.inSession(), ["reply 2"]],
  [
    "an absent version header is the session's version",
    Sample.dual,
    Sample.ping(2),
    session,
    Sample.inSession(),
    ["reply 2"]
  ],
  [
    "equal copies of the version header are one",
    Sample.dual,
    Sample.ping(2),
    at("2025-11-25, 2025-11-25"),
    Sample.inSession(),
    ["reply 2"]
  ],
  [
    "different copies of the version header are malformed",
    Sample.dual,
    Sample.ping(2),
    at("2025-11-25, 2025-06-18"),
    Sample.inSession(),
    ["refuse 2 -32600 legacy.version-header"]
  ],
  [
    "a version header of another session's version is refused",
    Sample.dual,
    Sample.ping(2),
    at("2025-06-18"),
    Sample.inSession(),
    ["refuse 2 -32600 legacy.version-header"]
  ],
  [
    "a version header that is not served is refused",
    Sample.dual,
    Sample.ping(2),
    at("1900-01-01"),
    Sample.inSession(),
    ["refuse 2 -32600 legacy.version-header"]
  ],
  [
    "a request with a modern header and no envelope lacks the envelope",
    Sample.dual,
    Sample.legacy(2),
    { ...dh, "mcp-method": "tools/list" },
    undefined,
    ["refuse 2 -32602 modern.version-readable"]
  ],
  [
    "a modern header in a legacy session, at a handshake-only server, is not the session's",
    Sample.handshakeOnly,
    Sample.legacy(2),
    at(Sample.modern),
    Sample.inSession(),
    ["refuse 2 -32600 legacy.version-header"]
  ],
  [
    "an unknown legacy method is -32601",
    Sample.dual,
    Sample.legacy(2, "shelf/rearrange"),
    session,
    Sample.inSession(),
    ["refuse 2 -32601 legacy.method"]
  ],
  [
    "discover at a handshake-only server is -32601 ahead of its session and headers",
    Sample.handshakeOnly,
    Sample.discover(2),
    { ...dh, "mcp-session-id": "old" },
    undefined,
    ["refuse 2 -32601 legacy.method"]
  ],
  ["a notification in a session is taken", Sample.dual, Sample.initialized, session, Sample.inSession(), []],
  [
    "a notification without a session is refused without id",
    Sample.dual,
    Sample.initialized,
    Sample.base,
    undefined,
    ["refuse null -32600 legacy.session-missing"]
  ],
  [
    "a response in a session goes to whom it answers",
    Sample.dual,
    { jsonrpc: "2.0", id: 9, result: {} },
    session,
    Sample.inSession(),
    ["resolve 9"]
  ],
  [
    "a response at a modern-only server is dropped",
    Sample.modernOnly,
    { jsonrpc: "2.0", id: 9, result: {} },
    dh,
    undefined,
    []
  ],
  ["a full envelope is served", Sample.dual, d, dh, undefined, ["clear opening", 'reply "d"']],
  [
    "a session id on a modern request is ignored",
    Sample.dual,
    d,
    { ...dh, "mcp-session-id": "gone", "last-event-id": "4" },
    undefined,
    ["clear opening", 'reply "d"']
  ],
  [
    "an envelope without client info is served",
    Sample.dual,
    Sample.discover("d", {
      "io.modelcontextprotocol/protocolVersion": Sample.modern,
      "io.modelcontextprotocol/clientCapabilities": {}
    }),
    dh,
    undefined,
    ["clear opening", 'reply "d"']
  ],
  [
    "an envelope with a wrong client info is refused",
    Sample.dual,
    Sample.discover("d", Sample.envelope(Sample.modern, { "io.modelcontextprotocol/clientInfo": { name: "x" } })),
    dh,
    undefined,
    ['refuse "d" -32602 modern.meta']
  ],
  [
    "an envelope with a wrong log level is refused",
    Sample.dual,
    Sample.discover("d", Sample.envelope(Sample.modern, { "io.modelcontextprotocol/logLevel": "loud" })),
    dh,
    undefined,
    ['refuse "d" -32602 modern.meta']
  ],
  [
    "an envelope without a version header disagrees",
    Sample.dual,
    d,
    withoutVersion,
    undefined,
    ['refuse "d" -32020 modern.version-header']
  ],
  [
    "two version headers that differ disagree",
    Sample.dual,
    d,
    { ...dh, "mcp-protocol-version": ["2026-07-28", "2025-11-25"] },
    undefined,
    ['refuse "d" -32020 modern.version-header']
  ],
  [
    "two equal version headers agree",
    Sample.dual,
    d,
    { ...dh, "mcp-protocol-version": ["2026-07-28", "2026-07-28"] },
    undefined,
    ["clear opening", 'reply "d"']
  ],
  [
    "a mismatch of the version is judged before whether it is served",
    Sample.dual,
    Sample.discover("d", Sample.envelope("v999.0.0")),
    dh,
    undefined,
    ['refuse "d" -32020 modern.version-header']
  ],
  [
    "an unserved version is refused",
    Sample.dual,
    Sample.discover("d", Sample.envelope("v999.0.0")),
    Sample.modernHeaders(d, "v999.0.0"),
    undefined,
    ['refuse "d" -32022 modern.version-served']
  ],
  [
    "an envelope that names a legacy version is refused, though that version is served",
    Sample.dual,
    Sample.discover("d", Sample.envelope("2025-11-25")),
    Sample.modernHeaders(d, "2025-11-25"),
    undefined,
    ['refuse "d" -32022 modern.version-served']
  ],
  [
    "ping is gone in the modern era",
    Sample.dual,
    Sample.stamped(3, "ping"),
    { ...dh, "mcp-method": "ping" },
    undefined,
    ["refuse 3 -32601 modern.method"]
  ],
  [
    "a method whose capability is not declared is unknown",
    Sample.dual,
    Sample.stamped(3, "prompts/list"),
    { ...dh, "mcp-method": "prompts/list" },
    undefined,
    ["refuse 3 -32601 modern.method"]
  ],
  [
    "Mcp-Method is compared with case",
    Sample.dual,
    d,
    { ...dh, "mcp-method": "SERVER/DISCOVER" },
    undefined,
    ['refuse "d" -32020 modern.mcp-method']
  ],
  [
    "Mcp-Method is required",
    Sample.dual,
    d,
    { ...dh, "mcp-method": undefined },
    undefined,
    ['refuse "d" -32020 modern.mcp-method']
  ],
  [
    "a modern notification is taken without the headers that requests mirror",
    Sample.dual,
    { jsonrpc: "2.0", method: "notifications/x", params: { _meta: Sample.envelope() } },
    Sample.base,
    undefined,
    ["hear notifications/x"]
  ],
  [
    "a modern notification whose version header disagrees is refused without id",
    Sample.dual,
    { jsonrpc: "2.0", method: "notifications/x", params: { _meta: Sample.envelope() } },
    { ...Sample.base, "mcp-protocol-version": "2025-11-25" },
    undefined,
    ["refuse null -32020 modern.version-header"]
  ],
  [
    "a notification without an envelope at a modern-only server is taken",
    Sample.modernOnly,
    Sample.initialized,
    Sample.base,
    undefined,
    []
  ],
  ["an array at a modern-only server is refused", Sample.modernOnly, [d], dh, undefined, ["refuse null -32600 batch"]],
  [
    "initialize in an array is refused",
    Sample.dual,
    [Sample.initialize(1), Sample.ping(2)],
    Sample.base,
    undefined,
    ["refuse null -32600 batch"]
  ],
  [
    "an array without a session is refused",
    Sample.dual,
    [Sample.ping(2)],
    Sample.base,
    undefined,
    ["refuse null -32600 legacy.session-missing"]
  ],
  [
    "an array in a session that has no batches is refused",
    Sample.dual,
    [Sample.ping(2)],
    session,
    Sample.inSession(),
    ["refuse null -32600 legacy.batch"]
  ],
  [
    "an array with sessions none is refused",
    Sample.sessionless,
    [Sample.ping(2)],
    { ...Sample.base, "mcp-protocol-version": "2025-03-26" },
    undefined,
    ["refuse null -32600 legacy.batch"]
  ],
  [
    "the members of a batch are weighed one by one",
    Sample.dual,
    [
      Sample.ping(1),
      Sample.initialized,
      Sample.legacy(2),
      3,
      { jsonrpc: "2.0", id: 4 },
      d,
      Sample.legacy(5, "no/such")
    ],
    at("2025-03-26"),
    Sample.inSession("2025-03-26"),
    [
      "reply 1",
      "deliver 2 legacy 2025-03-26",
      "refuse null -32600 shape",
      "refuse 4 -32600 shape",
      'refuse "d" -32600 batch',
      "refuse 5 -32601 legacy.method"
    ]
  ],
  [
    "with sessions none a request is served alone",
    Sample.sessionless,
    Sample.legacy(2),
    { ...Sample.base, "mcp-protocol-version": "2025-06-18" },
    undefined,
    ["deliver 2 legacy 2025-06-18"]
  ],
  [
    "with sessions none an absent header is 2025-03-26",
    Sample.sessionless,
    Sample.legacy(2),
    { ...Sample.base, "mcp-session-id": "x" },
    undefined,
    ["deliver 2 legacy 2025-03-26"]
  ],
  [
    "with sessions none a header that is not served is refused",
    Sample.sessionless,
    Sample.legacy(2),
    { ...Sample.base, "mcp-protocol-version": "1900-01-01" },
    undefined,
    ["refuse 2 -32600 legacy.version-header"]
  ],
  [
    "with sessions none initialize is answered",
    Sample.sessionless,
    Sample.initialize(1),
    { ...Sample.base, "mcp-session-id": "x" },
    undefined,
    ["issue 2025-11-25", "start opening 30000", "reply 1"]
  ],
  ["with sessions none a notification is taken", Sample.sessionless, Sample.initialized, Sample.base, undefined, []],
  [
    "a fractional id is refused without id",
    Sample.dual,
    { jsonrpc: "2.0", id: 1.5, method: "ping" },
    Sample.base,
    undefined,
    ["refuse null -32600 shape"]
  ]
]

describe("Http", () => {
  for (const [title, compiled, value, headers, state, commands] of rows) {
    it(title, () => {
      expect(Sample.said(Sample.post(compiled, value, headers, state).commands)).toEqual(commands)
    })
  }

  it("goes on from the state of the session", () => {
    const opened = Sample.post(Sample.dual, Sample.initialize(1))
    const completed = Sample.post(Sample.dual, Sample.initialized, session, opened.state)
    expect(opened.state._tag).toBe("AwaitingInitialized")
    expect(completed.state._tag).toBe("Serving")
    expect(Sample.post(Sample.dual, undefined, session, completed.state, "DELETE").state).toEqual({
      _tag: "Closed",
      why: "deleted"
    })
  })

  it("serves GET and DELETE in a session, and refuses them without one", () => {
    for (const [method, commands] of [
      ["GET", []],
      ["DELETE", ["close deleted"]]
    ] as const) {
      const say = (headers: RequestHeaders, state?: State) =>
        Sample.said(Sample.post(Sample.dual, undefined, headers, state, method).commands)
      expect(say(session, Sample.inSession())).toEqual(commands)
      expect(say(session)).toEqual(["refuse null -32600 legacy.session-unknown"])
      expect(say(Sample.base)).toEqual(["refuse null -32600 legacy.session-missing"])
      expect(say(at("2024-11-05"), Sample.inSession())).toEqual(["refuse null -32600 legacy.version-header"])
      for (const compiled of [Sample.modernOnly, Sample.sessionless]) {
        expect(Sample.said(Sample.post(compiled, undefined, session, undefined, method).commands)).toEqual([
          "refuse null -32600 http-method"
        ])
      }
    }
  })

  it("refuses GET, not DELETE, where a session has no stream of its own", () => {
    const say = (method: string) =>
      Sample.said(Sample.post(streamless, undefined, session, Sample.inSession(), method).commands)
    expect(say("GET")).toEqual(["refuse null -32600 http-method"])
    expect(say("DELETE")).toEqual(["close deleted"])
  })

  it("needs a session's lookup for what a session means, and for nothing else", () => {
    const needs = (value: unknown, headers: RequestHeaders) =>
      Http.judge(Sample.dual, { method: "POST", headers }, Sample.parsed(value))._tag
    expect(needs(Sample.legacy(1), session)).toBe("NeedsSession")
    expect(needs(Sample.initialize(1), session)).toBe("NeedsSession")
    expect(needs(Sample.initialize(1), Sample.base)).toBe("Done")
    expect(needs(d, { ...dh, "mcp-session-id": "s-1" })).toBe("Done")
    expect(needs({ jsonrpc: "2.0" }, session)).toBe("Done")
  })

  it("stands as a gate in front of somebody else's handler: it refuses or lets pass, and answers nothing", () => {
    const gate = (value: unknown, headers: RequestHeaders) =>
      Http.gate(Sample.sessionless, { method: "POST", headers }, Sample.parsed(value))?.ground.id
    expect(gate(Sample.initialize(1), Sample.base)).toBeUndefined()
    expect(gate(Sample.legacy(1), { ...Sample.base, "mcp-session-id": "theirs" })).toBeUndefined()
    expect(gate(d, dh)).toBeUndefined()
    expect(gate(d, withoutVersion)).toBe("modern.version-header")
    expect(gate(Sample.initialize(1, null), Sample.base)).toBe("legacy.init-malformed")
    expect(gate(d, { ...dh, origin: "http://evil.example" })).toBe("origin")
    expect(Http.gate(Sample.dual, { method: "GET", headers: session }, undefined)).toBeUndefined()
  })

  it("takes an absent version header for the newest legacy revision where 2025-03-26 is not served", () => {
    for (const versions of [["2025-06-18"], ["2024-11-05", "2025-06-18", "2026-07-28"]]) {
      const compiled = compile(Profile.make({ ...Sample.options, versions, sessions: "none" }))
      expect(Sample.said(Sample.post(compiled, Sample.legacy(2)).commands)).toEqual(["deliver 2 legacy 2025-06-18"])
    }
  })

  it("has nothing to do for GET and DELETE without sessions, should anybody ask past the head", () => {
    for (const method of ["GET", "DELETE"]) {
      const judged = Http.judge(Sample.sessionless, { method, headers: Sample.base }, undefined)
      expect(judged).toMatchObject({ _tag: "Done", state: { _tag: "Serving" }, commands: [], batched: false })
    }
  })

  it("refuses a body that overflows while it is read", () => {
    const answer = refused(Sample.dual, Http.overflow(Sample.dual))
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.body ?? "")).toMatchObject({
      error: { data: { parley: { rung: "size", limitBytes: 4 * 1024 * 1024 } } }
    })
  })
})

describe("Answer", () => {
  it("names the methods allowed in a 405", () => {
    for (const [compiled, allow] of [
      [Sample.dual, "GET, POST, DELETE"],
      [Sample.modernOnly, "POST"],
      [Sample.sessionless, "POST"],
      [streamless, "POST, DELETE"]
    ] as const) {
      const refusal = Http.head(compiled, { method: "PUT", headers: Sample.base })
      expect(refusal && refused(compiled, refusal)).toMatchObject({ status: 405, headers: { allow } })
    }
  })

  it("carries a message, the answers of a batch, and the session that was issued", () => {
    const pong = { jsonrpc: "2.0", id: 1, result: {} } as const
    expect(json(pong)).toEqual({
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"result":{}}'
    })
    expect(json([pong], "s-1")).toMatchObject({ headers: { "mcp-session-id": "s-1" }, body: `[${json(pong).body}]` })
    expect([accepted, deleted].map(({ status, body }) => [status, body])).toEqual([
      [202, undefined],
      [204, undefined]
    ])
  })
})
