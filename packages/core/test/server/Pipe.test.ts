import { describe, expect, it } from "@effect/vitest"
import type { Line } from "@parley/core/Lines"
import { reader } from "@parley/core/Lines"
import type { Command } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import * as Pipe from "@parley/core/server/Pipe"
import * as Server from "@parley/core/server/Server"
import type { State } from "@parley/core/server/State"
import * as Sample from "./support/Samples.ts"

const text = (value: unknown): Line => ({
  _tag: "Text",
  text: typeof value === "string" ? value : JSON.stringify(value)
})

/** Plays lines into a pipe and tells what each came to. */
const play = (compiled: Compiled, ...values: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<string>> => {
  let state = Server.begin(compiled).state
  return values.map((value) => {
    const taken = Pipe.receive(compiled, state, text(value), 0)
    state = taken.state
    return Sample.said(taken.commands)
  })
}

const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
const opened = (version = "2025-11-25"): State => Sample.inSession(version)

type Row = readonly [
  title: string,
  compiled: Compiled,
  ...lines: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]>
]

// Rows of peers.md, table 2, over stdio.
const rows: ReadonlyArray<Row> = [
  [
    "discover, then initialize on the same pipe: both are served",
    Sample.dual,
    [Sample.discover(0), ["clear opening", "reply 0"]],
    [Sample.initialize(1), ["issue 2025-11-25", "reply 1"]],
    [Sample.initialized, []],
    [Sample.ping(2), ["reply 2"]]
  ],
  [
    "a modern call, then initialize: both are served",
    Sample.dual,
    [Sample.stamped(0), ["clear opening", "deliver 0 modern 2026-07-28"]],
    [Sample.initialize(1, "2025-06-18"), ["issue 2025-06-18", "reply 1"]],
    [Sample.legacy(2), ["deliver 2 legacy 2025-06-18"]]
  ],
  [
    "initialize, then a modern call: served as modern",
    Sample.dual,
    [Sample.initialize(1), ["issue 2025-11-25", "start opening 30000", "reply 1"]],
    [Sample.stamped(2), ["clear opening", "deliver 2 modern 2026-07-28"]],
    [Sample.discover(3), ["reply 3"]]
  ],
  [
    "a modern call, then a request without an envelope: not initialized",
    Sample.dual,
    [Sample.stamped(0), ["clear opening", "deliver 0 modern 2026-07-28"]],
    [Sample.legacy(1), ["refuse 1 -32600 legacy.init-missing"]],
    [Sample.stamped(2), ["deliver 2 modern 2026-07-28"]]
  ],
  [
    "a modern-only server refuses initialize with its versions, and any request without an envelope",
    Sample.modernOnly,
    [Sample.initialize(1), ["refuse 1 -32022 modern.initialize"]],
    [Sample.legacy(2), ["refuse 2 -32602 modern.version-readable"]],
    [Sample.ping(3), ["refuse 3 -32602 modern.version-readable"]],
    [Sample.initialized, []],
    [cancel, ["hear notifications/cancelled"]],
    [Sample.discover(4), ["clear opening", "reply 4"]]
  ],
  [
    "a handshake-only server refuses a probe in every state, and lives on",
    Sample.handshakeOnly,
    [Sample.discover(1), ["refuse 1 -32601 legacy.method"]],
    [Sample.stamped(2), ["refuse 2 -32600 legacy.init-missing"]],
    [Sample.initialize(3), ["issue 2025-11-25", "start opening 30000", "reply 3"]],
    [Sample.discover(4), ["refuse 4 -32601 legacy.method"]],
    [Sample.stamped(5), ["clear opening", "deliver 5 legacy 2025-11-25"]],
    [Sample.initialized, []],
    [Sample.discover(6), ["refuse 6 -32601 legacy.method"]]
  ],
  [
    "ping is answered before initialize, and a request is not",
    Sample.dual,
    [Sample.ping("p"), ['reply "p"']],
    [Sample.legacy(1), ["refuse 1 -32600 legacy.init-missing"]],
    [Sample.legacy(2, "no/such"), ["refuse 2 -32600 legacy.init-missing"]]
  ],
  [
    "initialize twice is refused, and the pipe lives on",
    Sample.dual,
    [Sample.initialize(1), ["issue 2025-11-25", "start opening 30000", "reply 1"]],
    [Sample.initialize(2), ["refuse 2 -32600 legacy.init-repeated"]],
    [Sample.ping(3), ["reply 3"]]
  ],
  [
    "a malformed initialize is refused, and a good one follows",
    Sample.dual,
    [Sample.initialize(5, null), ["refuse 5 -32602 legacy.init-malformed"]],
    [Sample.initialize(6), ["issue 2025-11-25", "start opening 30000", "reply 6"]]
  ],
  [
    "bad lines are answered without id where none can be read, and the next line is read",
    Sample.dual,
    ['{"jsonrpc":"2.0","id":1,"method":', ["refuse null -32700 json"]],
    ["\u0000", ["refuse null -32700 json"]],
    ["7", ["refuse null -32600 shape"]],
    ['{"jsonrpc":"2.0","id":null,"method":"initialize"}', ["refuse null -32600 shape"]],
    ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', ["refuse 3 -32600 shape"]],
    ["[]", ["refuse null -32600 batch"]],
    [Sample.ping(2), ["reply 2"]]
  ],
  [
    "a modern notification is never answered, however wrong its envelope is",
    Sample.dual,
    [
      { jsonrpc: "2.0", method: "notifications/x", params: { _meta: Sample.envelope("1999-01-01") } },
      ["hear notifications/x"]
    ],
    [{ jsonrpc: "2.0", method: "notifications/x", params: { _meta: Sample.envelope(3) } }, []],
    [{ jsonrpc: "2.0", method: "initialize", params: {} }, []]
  ],
  [
    "an array is refused before the handshake and at another revision",
    Sample.dual,
    [[Sample.ping(1)], ["refuse null -32600 legacy.batch"]],
    [Sample.initialize(1), ["issue 2025-11-25", "start opening 30000", "reply 1"]],
    [[Sample.ping(1)], ["refuse null -32600 legacy.batch"]]
  ]
]

describe("Pipe", () => {
  for (const [title, compiled, ...lines] of rows) {
    it(title, () => {
      expect(play(compiled, ...lines.map(([line]) => line))).toEqual(lines.map(([, commands]) => commands))
    })
  }

  it("refuses a line whose bytes are no UTF-8, and reads on", () => {
    const line: Line = { _tag: "Text", text: JSON.stringify(Sample.ping(1)), isMended: true }
    const taken = Pipe.receive(Sample.dual, Server.begin(Sample.dual).state, line, 0)
    expect(Sample.said(taken.commands)).toEqual(["refuse null -32700 json"])
    expect(Sample.said(Pipe.receive(Sample.dual, taken.state, text(Sample.ping(2)), 0).commands)).toEqual(["reply 2"])
  })

  it("reads a batch at 2025-03-26, member by member, to be answered in one array", () => {
    const members = [Sample.ping(1), Sample.initialized, Sample.legacy(2), Sample.discover(3), 9]
    const taken = Pipe.receive(Sample.dual, opened("2025-03-26"), text(members), 0)
    expect(taken.batched).toBe(true)
    expect(Sample.said(taken.commands)).toEqual([
      "reply 1",
      "deliver 2 legacy 2025-03-26",
      "refuse 3 -32600 batch",
      "refuse null -32600 shape"
    ])
    expect(taken.trace).toHaveLength(5)
    const most = Array.from({ length: 101 }, (_, id) => Sample.ping(id))
    const refused = (value: unknown) =>
      Sample.said(Pipe.receive(Sample.dual, opened("2025-03-26"), text(value), 0).commands)
    expect(refused(most)).toEqual(["refuse null -32600 batch"])
    expect(refused(most.slice(1))).toHaveLength(100)
    expect(refused([Sample.ping(1), Sample.initialize(2)])).toEqual(["refuse null -32600 batch"])
  })

  it("refuses an overlong line without id and reads the next one", () => {
    const lines = reader({ limitBytes: 60 })
    const bytes = new TextEncoder().encode(
      `{"jsonrpc":"2.0","id":1,"x":"${"y".repeat(80)}"}\n${JSON.stringify(Sample.ping(2))}\n`
    )
    let state: State = opened()
    const commands: Array<Command> = []
    for (const line of lines.push(bytes)) {
      const taken = Pipe.receive(Sample.dual, state, line, 0)
      state = taken.state
      commands.push(...taken.commands)
    }
    expect(Sample.said(commands)).toEqual(["refuse null -32600 line", "reply 2"])
  })

  it("refuses a request past the bound of unanswered ones, and answers pings all the same", () => {
    const most = Sample.dual.profile.limits.unanswered
    const say = (value: unknown, unanswered: number, version?: string) =>
      Sample.said(Pipe.receive(Sample.dual, opened(version), text(value), unanswered).commands)
    expect(say(Sample.legacy(1), most - 1)).toEqual(["deliver 1 legacy 2025-11-25"])
    expect(say(Sample.legacy(1), most)).toEqual(["refuse 1 -32603 unanswered"])
    expect(say(Sample.stamped(1), most)).toEqual(["refuse 1 -32603 unanswered"])
    expect(say(Sample.ping(1), most)).toEqual(["reply 1"])
    expect(say([Sample.legacy(1), Sample.legacy(2)], most - 1, "2025-03-26")).toEqual([
      "deliver 1 legacy 2025-03-26",
      "refuse 2 -32603 unanswered"
    ])
  })

  it("takes an error response without words for a response, and repeats no id of what only looks like one", () => {
    const say = (value: unknown) => Sample.said(Pipe.receive(Sample.dual, opened(), text(value), 0).commands)
    expect(say({ jsonrpc: "2.0", id: 4, error: { code: 1 } })).toEqual(["resolve 4"])
    expect(say({ jsonrpc: "2.0", id: 4, error: { code: "x" } })).toEqual(["refuse null -32600 shape"])
    expect(say({ jsonrpc: "2.0", id: 4, result: 1 })).toEqual(["refuse null -32600 shape"])
    expect(say({ jsonrpc: "2.0", id: 4 })).toEqual(["refuse 4 -32600 shape"])
  })

  it("reads nothing once the conversation is closed", () => {
    const taken = Pipe.receive(Sample.dual, { _tag: "Closed", why: "ended" }, text(Sample.ping(1)), 0)
    expect(taken).toMatchObject({ state: { _tag: "Closed" }, commands: [], trace: [] })
  })
})
