// Any sequence of events, valid or absurd: no step throws, every run ends within its bounds, and endings are final.
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import { most } from "@parley/core/client/Transitions"
import type { Ledger, State } from "@parley/core/client/State"
import type { Step } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import { http, idOf, stdio } from "@parley/core/Medium"
import type { Failure, JsonObject, Message } from "@parley/core/Message"
import { isLegacy, isModern } from "@parley/core/Version"

// ---- events: one number each, which becomes a real event in the state where it happens

const versions = [
  "2024-11-05",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
  "2026-07-28",
  "2026-07-28",
  "2027-01-01",
  "1999-01-01",
  "draft",
  ""
]
const lists: ReadonlyArray<unknown> = [
  ["2026-07-28"],
  ["2026-07-28", "2025-11-25"],
  ["2025-06-18", "2024-11-05"],
  ["2025-03-26", "2099-01-01"],
  ["2025-06-18"],
  ["2025-11-25"],
  ["2099-01-01"],
  ["1999-01-01", "draft"],
  [],
  ["2026-07-28", 1],
  "2026-07-28",
  undefined
]
const codes = [-32022, -32022, -32022, -32022, -32602, -32602, -32601, -32601, -32601, -32020, -32021, -32600, -32000]
const statuses = [
  ...Array.from({ length: 30 }, () => 200),
  400,
  400,
  400,
  400,
  404,
  404,
  202,
  204,
  302,
  401,
  403,
  405,
  408,
  429,
  500,
  502,
  503,
  0,
  999
]
// Relative to the exchange in flight: 0 is that one.
const exchanges = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, -1, 40]
type Kind =
  | "error"
  | "initializeResult"
  | "discoverResult"
  | "request"
  | "stray"
  | "deadline"
  | "unanswered"
  | "closed"
  | "lost"
  | "anyResult"
  | "allLost"
  | "outOfTime"
  | "overlong"
const kinds: ReadonlyArray<Kind> = [
  ...repeated("error", 12),
  ...repeated("initializeResult", 9),
  ...repeated("discoverResult", 7),
  ...repeated("request", 4),
  ...repeated("stray", 2),
  ...repeated("deadline", 2),
  ...repeated("unanswered", 2),
  ...repeated("closed", 1),
  "lost",
  "anyResult",
  "allLost",
  "outOfTime",
  "overlong"
]

function repeated(value: Kind, times: number): ReadonlyArray<Kind> {
  return Array.from({ length: times }, () => value)
}

/** Returns a function that picks from lists, the same for the same number. */
const picking = (number: number): (<A>(list: ReadonlyArray<A>) => A) => {
  let bits = mixed(number)
  return <A>(list: ReadonlyArray<A>): A => {
    bits = mixed(bits + 1)
    // An index below the length is one of the list; undefined may be an element.
    return list[bits % list.length] as A
  }
}

// A finalizer of hashes (lowbias32): numbers that are close give bits that are not.
const mixed = (number: number): number => {
  let bits = number | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return (bits ^ (bits >>> 15)) >>> 0
}

const eventOf = (number: number, medium: Medium, state: State): Event => {
  const pick = picking(number)
  const current = "ledger" in state ? state.ledger.exchanges : 3
  const kind = pick(kinds)
  const exchange = current - pick(exchanges)
  const sessionId = pick([undefined, undefined, "s1", "s2"])
  const head = { status: pick(statuses), ...(sessionId === undefined ? undefined : { sessionId }) }
  const arrived = (message: Message): Event =>
    medium.streams === "shared" ? { _tag: "Arrived", message } : { _tag: "Arrived", message, exchange, head }
  const right = idOf(medium, exchange)
  const id = pick([right, right, right, right, right, right, right, right, String(exchange), "", 77])
  const success = (result: JsonObject): Event => arrived({ jsonrpc: "2.0", id, result })
  switch (kind) {
    case "initializeResult":
      return success({ protocolVersion: pick(versions), capabilities: {}, serverInfo: { name: "s" } })
    case "discoverResult":
      return success({ supportedVersions: pick(lists), capabilities: {} })
    case "anyResult":
      return success({ protocolVersion: pick(lists), supportedVersions: pick(versions), capabilities: pick([[], {}]) })
    case "error":
      return arrived(errorOf(pick, id))
    case "request":
      return arrived(
        pick<Message>([
          { jsonrpc: "2.0", method: "notifications/message" },
          { jsonrpc: "2.0", id: exchange, method: "ping" },
          { jsonrpc: "2.0", id: "r", method: "roots/list" }
        ])
      )
    case "stray":
      return { _tag: "Stray", head: "x", problem: pick(["notJson", "notJsonRpc"]) }
    case "overlong":
      return { _tag: "Stray", head: "x", problem: "overlong" }
    case "unanswered":
      return { _tag: "Unanswered", exchange, head, body: "", problem: "nothing" }
    case "lost":
      return { _tag: "Lost", exchange, cause: "cut" }
    case "allLost":
      return { _tag: "Lost", cause: "gone" }
    case "closed":
      return pick<Event>([
        { _tag: "Closed", stderr: "" },
        { _tag: "Closed", stderr: "boom", exitCode: 1 }
      ])
    case "deadline":
      return { _tag: "DeadlinePassed", of: exchange, waitedMillis: 1 }
    case "outOfTime":
      return { _tag: "DeadlinePassed", of: "negotiation", waitedMillis: 1 }
  }
}

const errorOf = (pick: ReturnType<typeof picking>, id: number | string): Failure => {
  const supported = pick(lists)
  const data = supported === undefined ? undefined : { data: { supported } }
  const error = { code: pick(codes), message: pick(versions), ...data }
  return pick<Failure>([
    { jsonrpc: "2.0", id, error },
    { jsonrpc: "2.0", id, error },
    { jsonrpc: "2.0", id, error },
    { jsonrpc: "2.0", id: null, error },
    { jsonrpc: "2.0", error }
  ])
}

// ---- policies, narrowed and not

const policies: ReadonlyArray<Policy.Policy> = [
  ...Object.values(Policy.presets),
  Policy.pinned("2026-07-28"),
  Policy.pinned("2025-06-18")
].flatMap((policy) => [
  policy,
  Policy.narrow(policy, ["legacy"]),
  Policy.narrow(policy, ["modern"]),
  Policy.withVersions(policy, ["2025-11-25", "2025-03-26", "2026-07-28", "2027-01-01"]),
  Policy.withBudgets(policy, { outOfTurn: 2, noise: 1 })
])

const Setting = Schema.Struct({
  policy: Schema.Literals(policies.map((_, index) => index)),
  medium: Schema.Literals(["stdio", "http", "text ids"]),
  seed: Schema.Int
})

const media: { readonly [name: string]: Medium } = { stdio, http, "text ids": { ...stdio, ids: "text" } }

interface Run {
  readonly policy: Policy.Policy
  readonly medium: Medium
  readonly steps: ReadonlyArray<Step<State, Command>>
  readonly commands: ReadonlyArray<Command>
}

/** The events of a run, as numbers. */
const numbersOf = ({ seed }: typeof Setting.Type): ReadonlyArray<number> =>
  Array.from({ length: 14 }, (_, index) => mixed(seed) + index)

const runOf = (setting: typeof Setting.Type): Run => {
  const policy = policies[setting.policy] ?? Policy.auto
  const medium = media[setting.medium] ?? stdio
  const steps = [Client.begin(policy, medium)]
  for (const number of numbersOf(setting)) {
    const { state } = steps[steps.length - 1] ?? Client.begin(policy, medium)
    steps.push(Client.step(policy, medium, state, eventOf(number, medium, state)))
  }
  return { policy, medium, steps, commands: steps.flatMap(({ commands }) => commands) }
}

const lastOf = ({ medium, policy, steps }: Run): State =>
  (steps[steps.length - 1] ?? Client.begin(policy, medium)).state

const options = { arbitrary: { runs: 8000 } }

describe("any sequence of events", () => {
  it.prop(
    "steps without a throw, and every step of a state that awaits something leaves a trace",
    [Setting],
    ([setting]) => {
      const { steps } = runOf(setting)
      for (const [index, step] of steps.entries()) {
        const before = steps[index - 1]
        if (before === undefined || !Client.isEnding(before.state)) {
          expect(step.trace?.next).toBe(step.state._tag)
          expect(step.trace?.because).toBeTruthy()
        } else {
          expect(step).toEqual({ state: before.state, commands: [] })
          expect(step.state).toBe(before.state)
        }
      }
    },
    options
  )

  it.prop(
    "stays within the bounds, and ends when the deadlines that are open pass",
    [Setting],
    ([setting]) => {
      const run = runOf(setting)
      let state = lastOf(run)
      // The deadline of the exchange in flight can be followed by at most three more exchanges.
      for (let passed = 0; passed <= most.exchanges && !Client.isEnding(state); passed++) {
        if (!("ledger" in state)) break
        const of = state.ledger.exchanges
        state = Client.step(run.policy, run.medium, state, { _tag: "DeadlinePassed", of, waitedMillis: 1 }).state
      }
      expect(Client.isEnding(state)).toBe(true)
      let whole = lastOf(run)
      whole = Client.step(run.policy, run.medium, whole, {
        _tag: "DeadlinePassed",
        of: "negotiation",
        waitedMillis: 1
      }).state
      expect(Client.isEnding(whole)).toBe(true)
    },
    options
  )

  it.prop(
    "never exceeds four exchanges, two of either method, one reopen, one hold, one counter, one correction",
    [Setting],
    ([setting]) => {
      const { commands, policy, steps } = runOf(setting)
      const count = (tag: Command["_tag"]): number => commands.filter(({ _tag }) => _tag === tag).length
      expect(count("SendInitialize") + count("SendDiscover")).toBeLessThanOrEqual(4)
      expect(count("SendInitialize")).toBeLessThanOrEqual(2)
      expect(count("SendDiscover")).toBeLessThanOrEqual(2)
      expect(count("Open")).toBeLessThanOrEqual(1)
      expect(count("Reopen")).toBeLessThanOrEqual(1)
      expect(count("SendInitialized")).toBeLessThanOrEqual(1)
      const entered = (tag: State["_tag"]): number =>
        steps.filter(({ state }, index) => state._tag === tag && steps[index - 1]?.state._tag !== tag).length
      expect(entered("Holding")).toBeLessThanOrEqual(1)
      expect(entered("Countering")).toBeLessThanOrEqual(1)
      expect(count("Reply") + count("Keep")).toBeLessThanOrEqual(policy.budgets.outOfTurn)
    },
    options
  )

  it.prop(
    "keeps a ledger that does not grow",
    [Setting],
    ([setting]) => {
      const { policy, steps } = runOf(setting)
      const within = (ledger: Ledger): boolean =>
        ledger.strays.length <= most.strays &&
        ledger.noise <= policy.budgets.noise &&
        ledger.outOfTurn <= policy.budgets.outOfTurn &&
        ledger.exchanges === ledger.initializes + ledger.discovers
      for (const { state } of steps) if ("ledger" in state) expect(within(state.ledger)).toBe(true)
    },
    options
  )

  it.prop(
    "settles only on a revision that the policy lists, never on a modern one by a handshake",
    [Setting],
    ([setting]) => {
      const run = runOf(setting)
      const state = lastOf(run)
      if (state._tag !== "Settled") return
      expect(run.policy.versions).toContain(state.version)
      expect(isLegacy(state.version)).toBe(state.method === "initialize")
      expect(isModern(state.version)).toBe(state.method === "server/discover")
      expect(run.commands.some(({ _tag }) => _tag === "SendInitialized")).toBe(state.method === "initialize")
    },
    options
  )

  it.prop(
    "clears or lets pass every deadline that it started",
    [Setting],
    ([setting]) => {
      const run = runOf(setting)
      const open = new Set<number | "negotiation">()
      for (const [index, step] of run.steps.entries()) {
        const number = numbersOf(setting)[index - 1]
        const before = run.steps[index - 1]
        if (number !== undefined && before !== undefined) {
          const event = eventOf(number, run.medium, before.state)
          if (event._tag === "DeadlinePassed" && !Client.isEnding(before.state)) open.delete(event.of)
        }
        for (const command of step.commands) {
          if (command._tag === "StartDeadline") open.add(command.of)
          if (command._tag === "ClearDeadline") open.delete(command.of)
        }
      }
      if (Client.isEnding(lastOf(run))) expect([...open]).toEqual([])
    },
    options
  )

  it.prop(
    "a policy of one era says nothing of the other",
    [Setting],
    ([setting]) => {
      const { commands, policy } = runOf(setting)
      for (const command of commands) {
        if (command._tag === "SendInitialize") expect(isLegacy(command.version)).toBe(true)
        if (command._tag === "SendDiscover") expect(isModern(command.version)).toBe(true)
        if (policy.name === "handshakeOnly") expect(command._tag).not.toBe("SendDiscover")
        if (policy.name.startsWith("pinned") && "version" in command && command._tag !== "DeleteSession") {
          expect(policy.versions).toContain(command.version)
        }
      }
    },
    options
  )

  it("reaches every state and every ending, so that the properties are of all of them", () => {
    const reached = new Set<string>()
    for (let seed = 0; seed < 40_000; seed++) {
      const setting = { policy: seed % policies.length, medium: seed % 2 === 0 ? "stdio" : "http", seed } as const
      for (const { state } of runOf(setting).steps) reached.add(state._tag)
    }
    expect([...reached].toSorted()).toEqual([
      "Countering",
      "Discovering",
      "DiscoveringAgain",
      "Failed",
      "Holding",
      "Initializing",
      "Keeping",
      "Settled"
    ])
  })
})
