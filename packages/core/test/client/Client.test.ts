// How a conversation begins, and that its endings are final.
import { describe, expect, it } from "@effect/vitest"
import * as Client from "@parley/core/client/Client"
import type { Event } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import { http, idOf, stdio } from "@parley/core/Medium"
import { request, success } from "@parley/core/Message"
import { commandText, names, play, refused } from "./support/Play.ts"

const { auto, discoverFirst } = Policy

describe("Client.begin", () => {
  it("starts both deadlines before anything is opened, so that a slow start is bounded", () => {
    expect(Client.begin(auto, stdio)).toMatchObject({
      state: { _tag: "Initializing", asked: "2025-11-25", ledger: { exchanges: 1, initializes: 1, discovers: 0 } },
      commands: [
        { _tag: "StartDeadline", of: "negotiation", millis: 60_000 },
        { _tag: "StartDeadline", of: 1, millis: 30_000 },
        { _tag: "Open" },
        { _tag: "SendInitialize", exchange: 1, version: "2025-11-25" }
      ],
      trace: { state: "Idle", event: "Begun", evidence: "", move: "initialize", next: "Initializing" }
    })
  })

  it("counts a probe as a discover", () => {
    expect(Client.begin(discoverFirst, http)).toMatchObject({
      state: { _tag: "Discovering", asked: "2026-07-28", ledger: { exchanges: 1, initializes: 0, discovers: 1 } },
      trace: { move: "discover", because: "policy discoverFirst opens so" }
    })
  })

  it("fails before a byte is sent where the policy forbids it, with a trace", () => {
    const step = Client.begin(Policy.pinned("draft"), http)
    expect(step.commands).toEqual([])
    expect(step.trace).toMatchObject({ state: "Idle", move: "fail", next: "Failed" })
  })

  it("leaves exchange numbers free for the connection", () => {
    expect(Client.firstFreeExchange).toBe(5)
  })
})

describe("Client.step", () => {
  const events: ReadonlyArray<Event> = [
    arrived(success(1, {})),
    arrived(request("a", "ping")),
    { _tag: "Stray", head: "x", problem: "notJson" },
    { _tag: "Unanswered", exchange: 1, head: { status: 500 }, body: "", problem: "" },
    { _tag: "Lost", cause: "cut" },
    { _tag: "Closed", stderr: "" },
    { _tag: "DeadlinePassed", of: 1, waitedMillis: 1 },
    { _tag: "DeadlinePassed", of: "negotiation", waitedMillis: 1 }
  ]

  it.each([
    ["Settled", names("2025-11-25")],
    ["Failed", refused]
  ] as const)("%s accepts no event: the same state, no command, no trace", (tag, happening) => {
    const { state } = play(auto, stdio, happening)
    expect(state._tag).toBe(tag)
    expect(Client.isEnding(state)).toBe(true)
    for (const event of events) {
      const step = Client.step(auto, stdio, state, event)
      expect(step).toEqual({ state, commands: [] })
      expect(step.state).toBe(state)
    }
  })

  it("leaves a trace entry of every step", () => {
    expect(play(auto, stdio, names("2026-07-28")).trace).toEqual({
      state: "Initializing",
      event: "Arrived",
      evidence: "ModernNamed 2026-07-28",
      move: "discoverHoldably",
      because: auto.fallback.Initializing.ModernNamed.because,
      next: "Discovering"
    })
  })

  it("leaves the state that it was given as it was", () => {
    const before = Client.begin(auto, stdio).state
    const copy = structuredClone(before)
    Client.step(auto, stdio, before, { _tag: "Stray", head: "x", problem: "notJson" })
    Client.step(auto, stdio, before, arrived(request("a", "ping")))
    expect(before).toEqual(copy)
  })
})

describe("ids of exchanges", () => {
  it("are 1, 2, … or texts, by the medium", () => {
    expect(idOf(stdio, 3)).toBe(3)
    expect(idOf({ ...stdio, ids: "text" }, 3)).toBe("parley-3")
    expect(Client.begin(auto, stdio).commands.map(commandText)).toContain("initialize 1 2025-11-25")
  })
})
