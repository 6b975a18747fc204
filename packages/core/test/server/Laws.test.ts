// What must hold whatever a client sends: laws of design section 9 that concern the server, on a small walk and on
// values drawn at random. The seeds are fixed, so that a failure can be run again.
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { isId, isObject } from "@parley/core/Message"
import type { Line } from "@parley/core/Lines"
import { refused } from "@parley/core/server/Answer"
import type { Command } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import type { Event } from "@parley/core/server/Event"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Http from "@parley/core/server/Http"
import * as Pipe from "@parley/core/server/Pipe"
import * as Server from "@parley/core/server/Server"
import type { State } from "@parley/core/server/State"
import { awaiting } from "@parley/core/server/State"
import { isLegacy } from "@parley/core/Version"
import * as Sample from "./support/Samples.ts"

const profiles: { readonly [name: string]: Compiled } = {
  dual: Sample.dual,
  modernOnly: Sample.modernOnly,
  handshakeOnly: Sample.handshakeOnly,
  sessionless: Sample.sessionless,
  separate: Sample.separate
}

// One generator for all that is drawn here: the same numbers in every run.
const draws = (seed: number): ((below: number) => number) => {
  let state = seed
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below
  }
}

const methods = [
  "initialize",
  "server/discover",
  "ping",
  "tools/list",
  "tools/call",
  "no/such",
  "__proto__",
  "",
  "notifications/initialized",
  "notifications/cancelled"
]
const ids: ReadonlyArray<unknown> = [0, 1, "a", "", null, 1.5, {}, -7, undefined]
const versions: ReadonlyArray<unknown> = [
  "2026-07-28",
  "2025-11-25",
  "2025-03-26",
  "1999-01-01",
  "x",
  "",
  7,
  null,
  {},
  undefined
]

/** A message as a confused or hostile client might write it. */
const message = (draw: (below: number) => number): unknown => {
  const pick = <A>(from: ReadonlyArray<A>): A => {
    const chosen = from[draw(from.length)]
    // The index is below the length.
    return chosen as A
  }
  const meta = {
    "io.modelcontextprotocol/protocolVersion": pick(versions),
    "io.modelcontextprotocol/clientCapabilities": pick<unknown>([{}, {}, { sampling: {} }, null, 1, undefined]),
    "io.modelcontextprotocol/clientInfo": pick<unknown>([{ name: "a", version: "b" }, undefined, {}, "x"])
  }
  const params = pick<unknown>([
    { _meta: meta },
    { _meta: meta, name: "x", arguments: {} },
    {
      protocolVersion: pick(versions),
      capabilities: pick<unknown>([{}, {}, []]),
      clientInfo: pick<unknown>([Sample.client.info, Sample.client.info, {}])
    },
    {},
    [],
    undefined
  ])
  const shape = draw(12)
  if (shape === 0) return pick<unknown>([null, 3, "text", true, [], {}])
  if (shape === 1) return { jsonrpc: "2.0", id: pick(ids), result: {} }
  if (shape === 2) return { jsonrpc: "2.0", id: pick(ids), error: { code: 1, message: "m" } }
  const id = draw(4) === 0 ? undefined : pick(ids)
  return JSON.parse(
    JSON.stringify({
      jsonrpc: draw(20) === 0 ? "1.0" : "2.0",
      ...(id === undefined ? {} : { id }),
      method: pick<unknown>([...methods, 5]),
      params
    })
  )
}

const headersFor = (draw: (below: number) => number, value: unknown): RequestHeaders => {
  const good = isObject(value) ? Sample.modernHeaders(value) : Sample.base
  switch (draw(5)) {
    case 0:
      return Sample.base
    case 1:
      return { ...Sample.base, "mcp-session-id": "s" }
    case 2:
      return { ...Sample.base, "mcp-session-id": "s", "mcp-protocol-version": "2025-03-26" }
    case 3:
      return { ...good, "mcp-method": "wrong" }
    default:
      return good
  }
}

const sessions: ReadonlyArray<State | undefined> = [
  undefined,
  Sample.inSession("2025-03-26"),
  Sample.inSession(),
  { _tag: "AwaitingInitialized", admitted: false, opening: { version: "2025-06-18", client: Sample.client } },
  { _tag: "Closed", why: "idle" }
]

const isRequest = (value: unknown): value is { readonly id: string | number } =>
  isObject(value) && value["jsonrpc"] === "2.0" && typeof value["method"] === "string" && isId(value["id"])

const answers = (commands: ReadonlyArray<Command>): ReadonlyArray<unknown> => Sample.answered(commands)

describe("laws", () => {
  for (const [name, compiled] of Object.entries(profiles)) {
    it(`${name} over HTTP: every request with an id gets exactly one answer with that id, and nothing else gets two`, () => {
      const draw = draws(11)
      for (let run = 0; run < 4_000; run++) {
        const value = message(draw)
        const session = sessions[draw(sessions.length)]
        const { commands } = Sample.post(compiled, value, headersFor(draw, value), session)
        const ids = answers(commands)
        expect(ids.length).toBeLessThanOrEqual(1)
        if (isRequest(value)) expect(ids).toEqual([value.id])
      }
    })

    it(`${name} over HTTP: each request in a batch gets exactly one answer, or the batch one without id`, () => {
      const draw = draws(12)
      for (let run = 0; run < 1_500; run++) {
        const members = Array.from({ length: draw(5) }, () => message(draw))
        const { commands } = Sample.post(compiled, members, headersFor(draw, members), sessions[draw(sessions.length)])
        const ids = answers(commands)
        const refusedWhole = ids.length === 1 && ids[0] === undefined
        if (!refusedWhole) {
          const due = members.filter(isRequest).map(({ id }) => id)
          expect(ids.filter((id) => id !== undefined && due.includes(id as string)).toSorted()).toEqual(due.toSorted())
        }
      }
    })

    it(`${name} on a pipe: every request with an id gets exactly one answer, in any conversation`, () => {
      const draw = draws(13)
      for (let run = 0; run < 200; run++) {
        let state = Server.begin(compiled).state
        for (let turn = 0; turn < 20; turn++) {
          const value = message(draw)
          const line: Line = { _tag: "Text", text: JSON.stringify(value) ?? "" }
          const taken = Pipe.receive(compiled, state, line, 0)
          const ids = answers(taken.commands)
          expect(ids.length).toBeLessThanOrEqual(1)
          if (isRequest(value)) expect(ids).toEqual([value.id])
          if (
            isObject(value) &&
            value["jsonrpc"] === "2.0" &&
            typeof value["method"] === "string" &&
            !("id" in value) &&
            (value["params"] === undefined || isObject(value["params"]))
          ) {
            expect(ids).toEqual([])
          }
          state = taken.state
        }
      }
    })

    it(`${name}: no session comes of a failed opening, and no modern version of a handshake`, () => {
      const draw = draws(14)
      for (let run = 0; run < 4_000; run++) {
        const value = message(draw)
        const { commands, state } = Sample.post(compiled, value, headersFor(draw, value), sessions[draw(2)])
        for (const command of commands) {
          if (command._tag !== "Issue") continue
          expect(isLegacy(command.opening.version)).toBe(true)
          expect(compiled.legacyVersions.has(command.opening.version)).toBe(true)
          expect(commands.at(-1)).toMatchObject({ _tag: "Reply", result: { protocolVersion: command.opening.version } })
          expect(state._tag).toBe("AwaitingInitialized")
        }
        if (commands.some(({ _tag }) => _tag === "Refuse")) expect(commands).toHaveLength(1)
      }
    })

    it(`${name}: never answers -32022 to a legacy initialize where the legacy era is served`, () => {
      if (!compiled.servesLegacy) return
      for (const version of [...versions, "2026-07-28", "9999-12-31"]) {
        for (const headers of [Sample.base, { ...Sample.base, "mcp-protocol-version": "2026-07-28" }]) {
          const { commands } = Sample.post(compiled, Sample.initialize(1, version ?? null), headers)
          expect(Sample.said(commands).filter((said) => said.includes("-32022"))).toEqual([])
        }
      }
    })
  }

  it("every answer of a refusal is JSON of one JSON-RPC error, with an HTTP status", () => {
    const draw = draws(15)
    for (let run = 0; run < 5_000; run++) {
      const compiled = Object.values(profiles)[draw(5)] ?? Sample.dual
      const value = message(draw)
      for (const command of Sample.post(compiled, value, headersFor(draw, value), sessions[draw(5)]).commands) {
        if (command._tag !== "Refuse") continue
        const answer = refused(compiled, command.refusal)
        const body = JSON.parse(answer.body ?? "")
        expect(body).toMatchObject({ jsonrpc: "2.0", error: { data: { parley: { rung: command.refusal.ground.id } } } })
        expect(Number.isInteger(body.error.code)).toBe(true)
        expect([200, 400, 403, 404, 405, 406, 413, 415, 503]).toContain(answer.status)
      }
    }
  })

  it.prop("no JSON throws, over HTTP or on a pipe", [Schema.Json, Schema.Boolean], ([value, stamp]) => {
    const sent = stamp ? { ...Sample.stamped(1), params: value } : value
    for (const compiled of Object.values(profiles)) {
      const [session] = sessions.slice(1)
      Sample.post(compiled, sent, { ...Sample.base, "mcp-session-id": "s" }, session)
      Pipe.receive(compiled, awaiting, { _tag: "Text", text: JSON.stringify(sent) }, 0)
    }
  })

  it.prop("no text throws on a pipe", [Schema.String], ([text]) => {
    const taken = Pipe.receive(Sample.dual, awaiting, { _tag: "Text", text }, 0)
    expect(answers(taken.commands).length).toBeLessThanOrEqual(1)
  })

  it("JSON as deep as a body can be is refused or admitted, and never overflows the stack", () => {
    const deep = `${"[".repeat(500_000)}${"]".repeat(500_000)}`
    const nested = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"b","x":${deep}},"capabilities":{}}}`
    for (const text of [deep, nested]) {
      expect(Pipe.receive(Sample.dual, awaiting, { _tag: "Text", text }, 0).commands.length).toBeGreaterThan(0)
    }
  })
})

describe("a small walk", () => {
  const events: ReadonlyArray<Event> = [
    ...[
      Sample.initialize(1),
      Sample.initialize(2, null),
      Sample.initialized,
      Sample.ping(3),
      Sample.legacy(4),
      Sample.legacy(5, "no/such"),
      Sample.discover(6),
      Sample.stamped(7),
      Sample.stamped(8, "no/such"),
      Sample.discover(9, Sample.envelope("2030-01-01")),
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
      { jsonrpc: "2.0", id: 10, result: {} },
      {}
    ].map((value): Event => ({ _tag: "Received", value })),
    { _tag: "DeadlinePassed", of: "opening", waitedMillis: 30_000, unanswered: 0 },
    { _tag: "DeadlinePassed", of: "idle", waitedMillis: 1, unanswered: 0 },
    { _tag: "DeadlinePassed", of: "idle", waitedMillis: 1, unanswered: 1 },
    { _tag: "EndOfInput" },
    { _tag: "Deleted" }
  ]

  for (const [name, compiled] of Object.entries(profiles)) {
    it(`${name}: endings are final, and the opening deadline is cleared or passed before anything is served for good`, () => {
      const seen = new Map<string, { readonly state: State; readonly running: boolean }>()
      const queue = [{ state: Server.begin(compiled).state, running: true }]
      while (queue.length > 0) {
        const at = queue.pop()
        if (at === undefined) break
        const key = JSON.stringify(at)
        if (seen.has(key)) continue
        seen.set(key, at)
        for (const event of events) {
          if (event._tag === "DeadlinePassed" && event.of === "opening" && !at.running) continue
          const step = Server.step(compiled, at.state, event)
          if (at.state._tag === "Closed") {
            expect(step).toEqual({ state: at.state, commands: [] })
            continue
          }
          let running = event._tag === "DeadlinePassed" && event.of === "opening" ? false : at.running
          for (const command of step.commands) {
            if (command._tag === "StartDeadline") running = true
            if (command._tag === "ClearDeadline") {
              expect(at.running).toBe(true)
              running = false
            }
            if (command._tag === "Close") running = false
          }
          if (step.state._tag === "Serving") expect(running).toBe(false)
          queue.push({ state: step.state, running })
        }
      }
      expect(seen.size).toBeGreaterThan(1)
      expect(seen.size).toBeLessThan(40)
      if (compiled.servesLegacy) {
        expect(new Set([...seen.values()].map(({ state }) => state._tag))).toEqual(
          new Set(["AwaitingOpening", "AwaitingInitialized", "Serving", "Closed"])
        )
      }
    })
  }

  it("a modern request is judged alone: what a session says changes nothing", () => {
    const sent = Sample.stamped(1)
    const alone = Http.judge(Sample.dual, { method: "POST", headers: Sample.modernHeaders(sent) }, Sample.parsed(sent))
    expect(alone._tag).toBe("Done")
    expect(alone).toMatchObject({ commands: [{ _tag: "ClearDeadline" }, { _tag: "Deliver" }] })
  })
})
