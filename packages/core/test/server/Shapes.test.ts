// What the server's entries return, member by member: carriers read these, and tables cannot show a wrong word in them.
import { describe, expect, it } from "@effect/vitest"
import { HeaderName } from "@parley/core/Envelope"
import { request } from "@parley/core/Message"
import * as Cors from "@parley/core/server/Cors"
import { describe as inWords } from "@parley/core/server/Evidence"
import * as Http from "@parley/core/server/Http"
import * as Moves from "@parley/core/server/Moves"
import * as Pipe from "@parley/core/server/Pipe"
import * as Server from "@parley/core/server/Server"
import type { State } from "@parley/core/server/State"
import { awaiting } from "@parley/core/server/State"
import * as Sample from "./support/Samples.ts"

const inSession = { ...Sample.base, [HeaderName.SessionId]: "s" }
const get = (compiled = Sample.dual, headers = Sample.base): Http.Judged =>
  Http.judge(compiled, { method: "GET", headers }, undefined)

describe("Http", () => {
  it("asks for the session that a request names, and says what for", () => {
    const needs = (method: string, body?: unknown): object =>
      Http.judge(Sample.dual, { method, headers: inSession }, body === undefined ? undefined : Sample.parsed(body))
    expect(needs("GET")).toMatchObject({ _tag: "NeedsSession", sessionId: "s", use: "Listen", sent: undefined })
    expect(needs("DELETE")).toMatchObject({ _tag: "NeedsSession", sessionId: "s", use: "Delete", sent: undefined })
    expect(needs("POST", Sample.legacy(1))).toMatchObject({ use: "Send", sent: { _tag: "One" } })
    expect(needs("POST", [Sample.ping(1)])).toMatchObject({ use: "Send", sent: { _tag: "Many" } })
  })

  it("listens and deletes in a session that is known", () => {
    const state = Sample.inSession()
    const listens = get(Sample.dual, inSession)
    if (listens._tag !== "NeedsSession") throw new Error(listens._tag)
    expect(Http.resume(Sample.dual, listens, state)).toStrictEqual({
      _tag: "Done",
      state,
      commands: [],
      batched: false
    })
    expect(Http.resume(Sample.dual, { ...listens, use: "Delete" }, state)).toStrictEqual({
      _tag: "Done",
      state: { _tag: "Closed", why: "deleted" },
      commands: [{ _tag: "Close", why: "deleted" }],
      batched: false
    })
    expect(Http.resume(Sample.dual, listens, undefined)).toMatchObject({
      _tag: "Done",
      state: awaiting,
      commands: [{ _tag: "Refuse", refusal: { problem: { _tag: "SessionUnknown", problem: "unknown" } } }],
      batched: false
    })
  })

  it("leaves a session as it is when it refuses, and opens at a known one again", () => {
    const state = Sample.inSession("2025-06-18")
    const wrong = { ...inSession, [HeaderName.ProtocolVersion]: "2025-11-25" }
    expect(Sample.post(Sample.dual, Sample.legacy(1), wrong, state)).toMatchObject({
      _tag: "Done",
      state,
      batched: false
    })
    const again = Sample.post(Sample.dual, Sample.initialize(2), inSession, state)
    expect(Sample.said(again.commands)).toEqual(["refuse 2 -32600 legacy.init-repeated"])
    expect(again.state).toEqual(state)
    const fresh = Sample.post(Sample.dual, Sample.initialize(2), inSession, undefined)
    expect(fresh.state._tag).toBe("AwaitingInitialized")
  })

  it("says whether a batch was sent", () => {
    const state = Sample.inSession("2025-03-26")
    const many = Sample.post(Sample.dual, [Sample.ping(1), Sample.ping(2)], inSession, state)
    expect([many._tag, many.batched, many.commands.length]).toEqual(["Done", true, 2])
    const one = Sample.post(Sample.dual, Sample.ping(1), inSession, state)
    expect([one._tag, one.batched]).toEqual(["Done", false])
    expect(Sample.post(Sample.dual, 7)).toMatchObject({ _tag: "Done", state: awaiting, batched: false })
  })

  it("takes the handshake for done where there are no sessions, at a revision that is named or assumed", () => {
    const of = (headers: object, compiled = Sample.sessionless): unknown =>
      Sample.post(compiled, Sample.legacy(1), { ...Sample.base, ...headers }).state
    const stranger = { info: undefined, capabilities: {} }
    const at = (version: string): State => ({ _tag: "Serving", opening: { version, client: stranger } })
    expect(of({})).toStrictEqual(at("2025-03-26"))
    expect(of({ [HeaderName.ProtocolVersion]: "2025-06-18" })).toStrictEqual(at("2025-06-18"))
  })

  it("lets a gate pass what is not refused, and refuses what is", () => {
    const pass = (method: string, body?: unknown, headers = Sample.base): string | undefined =>
      Http.gate(Sample.dual, { method, headers }, body === undefined ? undefined : Sample.parsed(body))?.ground.id
    expect(pass("GET")).toBeUndefined()
    expect(pass("PUT")).toBe("http-method")
    expect(pass("POST", Sample.initialize(1))).toBeUndefined()
    expect(pass("POST", Sample.legacy(1), inSession)).toBeUndefined()
    expect(pass("POST", 7)).toBe("shape")
    // A notification in front of somebody else's sessions asks for nothing here.
    expect(pass("POST", Sample.initialized, inSession)).toBeUndefined()
    expect(
      pass("POST", Sample.stamped(1, "tools/list"), Sample.modernHeaders(Sample.stamped(1, "tools/list")))
    ).toBeUndefined()
  })
})

describe("Pipe", () => {
  it("says whether a line was a batch, and counts only requests that were delivered", () => {
    const line = (value: unknown) => ({ _tag: "Text", text: JSON.stringify(value) }) as const
    const state = Sample.inSession("2025-03-26")
    const most = Sample.dual.profile.limits.unanswered
    const one = Pipe.receive(Sample.dual, state, line(Sample.legacy(1)), most - 1)
    expect([one.batched, Sample.said(one.commands)]).toEqual([false, ["deliver 1 legacy 2025-03-26"]])
    const many = Pipe.receive(Sample.dual, state, line([Sample.ping(1), Sample.legacy(2), Sample.legacy(3)]), most - 1)
    expect(many.batched).toBe(true)
    expect(Sample.said(many.commands)).toEqual(["reply 1", "deliver 2 legacy 2025-03-26", "refuse 3 -32603 unanswered"])
  })
})

describe("Server", () => {
  it("begins with nothing but the opening's deadline, and says why", () => {
    expect(Server.begin(Sample.dual)).toStrictEqual({
      state: awaiting,
      commands: [{ _tag: "StartDeadline", of: "opening", millis: Sample.dual.profile.deadlines.openingMillis }],
      trace: {
        state: "Idle",
        event: "Begun",
        evidence: "",
        move: "await",
        because: expect.stringContaining("the client opens"),
        next: "AwaitingOpening"
      }
    })
  })

  it("tells in which phase it waited in vain", () => {
    const passed = (state: State, of: "opening" | "idle"): unknown =>
      Server.step(Sample.dual, state, { _tag: "DeadlinePassed", of, waitedMillis: 5, unanswered: 0 }).commands
    const phase = (of: string): object => [
      { _tag: "Close", refusal: { problem: { _tag: "Timeout", phase: of, waitedMillis: 5 } } }
    ]
    const opening = { version: "2025-11-25", client: Sample.client }
    expect(passed(awaiting, "opening")).toMatchObject(phase("opening"))
    expect(passed({ _tag: "AwaitingInitialized", admitted: false, opening }, "opening")).toMatchObject(
      phase("initialized")
    )
    expect(passed(Sample.inSession(), "idle")).toMatchObject(phase("idle"))
  })

  it("answers an initialize that no revision serves, if it were ever weighed as one", () => {
    const evidence = { _tag: "Opened", id: 4, requested: "x", client: Sample.client } as const
    const made = Moves.open.run({ compiled: Sample.modernOnly, state: awaiting, evidence })
    expect(made.state).toEqual(awaiting)
    expect(Sample.said(made.commands)).toEqual(["refuse 4 -32601 legacy.method"])
  })

  it("keeps who a modern client is only where it says so in full", () => {
    const infoOf = (info: unknown): unknown => {
      const evidence = {
        _tag: "ModernRequest",
        request: request(1, "tools/list"),
        version: Sample.modern,
        meta: { ...Sample.envelope(), "io.modelcontextprotocol/clientInfo": info }
      } as const
      const { commands } = Server.take(Sample.dual, awaiting, evidence)
      return commands.flatMap((command) => (command._tag === "Deliver" ? [command.admitted.client.info] : []))
    }
    expect(infoOf({ name: "n", version: "v" })).toEqual([{ name: "n", version: "v" }])
    for (const info of [
      undefined,
      7,
      { name: "n" },
      { version: "v" },
      { name: 7, version: "v" },
      { name: "n", version: 7 }
    ]) {
      expect(infoOf(info)).toEqual([undefined])
    }
  })

  it("shows evidence in a few words, and cuts what a peer named", () => {
    const long = "x".repeat(100)
    expect(inWords({ _tag: "Opened", id: 1, requested: long, client: Sample.client })).toBe(`Opened ${"x".repeat(40)}`)
    expect(inWords({ _tag: "LegacyRequest", request: request(1, long) })).toBe(`LegacyRequest ${"x".repeat(80)}`)
    expect(inWords({ _tag: "ModernRequest", request: request(1, long), version: "v", meta: {} })).toBe(
      `ModernRequest ${"x".repeat(80)} at v`
    )
    expect(inWords({ _tag: "Notification", notification: { jsonrpc: "2.0", method: long }, version: undefined })).toBe(
      `Notification ${"x".repeat(80)}`
    )
  })
})

describe("Cors", () => {
  it("allows the headers that are sent and the parameters that were asked for, and exposes what is read", () => {
    const origin = "http://localhost"
    const asked = "Mcp-Param-Region, X-Other ,mcp-param-, mcp-param-a b"
    const headers = { host: "localhost", origin, "access-control-request-method": "POST" }
    const of = (more: object): unknown =>
      Cors.preflight(Sample.dual, {}, { method: "OPTIONS", headers: { ...headers, ...more } })
    expect(of({ "access-control-request-headers": asked })).toMatchObject({
      headers: {
        "access-control-allow-headers": expect.stringMatching(/^content-type, accept, .*, mcp-param-region$/),
        "access-control-max-age": "7200",
        vary: "Origin, Access-Control-Request-Headers"
      }
    })
    const plain = of({})
    expect(plain).toMatchObject({
      headers: { "access-control-allow-headers": expect.not.stringContaining("mcp-param") }
    })
    const many = Array.from({ length: 120 }, (_, index) => `mcp-param-p${index}`).join(",")
    const allowed = of({ "access-control-request-headers": many })
    expect(JSON.stringify(allowed).match(/mcp-param-/g)).toHaveLength(100)
  })
})
