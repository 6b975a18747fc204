// Which answer answers what, and in which order an HTTP response is read; ends, time, noise and their bounds (design
// section 4, Correlation and noise).
import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import type { Evidence } from "@parley/core/client/Evidence"
import * as Policy from "@parley/core/client/Policy"
import { weigh } from "@parley/core/client/Weigh"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import type { Id, Message } from "@parley/core/Message"
import { failure, notification, request, success } from "@parley/core/Message"
import type { Happening } from "./support/Play.ts"
import {
  awaiting,
  late,
  methodMissing,
  names,
  noise,
  ping,
  play,
  refuses,
  says,
  silence,
  status
} from "./support/Play.ts"

const { auto, discoverFirst } = Policy

interface Where {
  readonly policy?: Policy.Policy
  readonly medium?: Medium
  readonly path?: ReadonlyArray<Happening>
}

/** Returns the evidence of what happens after a path. */
const evidenceOf = (happening: Happening, { medium = stdio, path = [], policy = auto }: Where = {}): Evidence => {
  const state = awaiting(play(policy, medium, ...path).state)
  return weigh(policy, medium, state, happening(medium, state))
}

const always =
  (event: Event): Happening =>
  () =>
    event

describe("correlation on a pipe", () => {
  const good = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} }

  it("the exact id answers", () => {
    expect(evidenceOf(always(arrived(success(1, good))))._tag).toBe("Agreed")
  })

  it.each(["1", 2, 0, -1, "", "parley-1", 1.0000001e10])("a result with the id %j is OutOfTurn", (id) => {
    expect(evidenceOf(always(arrived(success(id, good))))).toMatchObject({ _tag: "OutOfTurn", kind: "message" })
  })

  it.each(["1", 2, 77, "x"])("an error with the id %j is OutOfTurn", (id) => {
    expect(evidenceOf(always(arrived(failure(id, { code: -32601, message: "" }))))._tag).toBe("OutOfTurn")
  })

  it("an id of the other type answers where ids are texts", () => {
    const medium: Medium = { ...stdio, ids: "text" }
    expect(evidenceOf(always(arrived(success("parley-1", good))), { medium })._tag).toBe("Agreed")
    expect(evidenceOf(always(arrived(success(1, good))), { medium })._tag).toBe("OutOfTurn")
  })

  const unaddressed: ReadonlyArray<readonly [string, Message]> = [
    ["null", { jsonrpc: "2.0", id: null, error: { code: -32601, message: "" } }],
    ["empty", { jsonrpc: "2.0", id: "", error: { code: -32601, message: "" } }],
    ["absent", { jsonrpc: "2.0", error: { code: -32601, message: "" } }]
  ]

  it.each(unaddressed)("an error whose id is %s belongs to the exchange in flight", (_, message) => {
    expect(evidenceOf(always(arrived(message)))._tag).toBe("MethodMissing")
    expect(evidenceOf(always(arrived(message)), { policy: discoverFirst, path: [methodMissing] })._tag).toBe(
      "MethodMissing"
    )
  })

  it.each(unaddressed)("an error whose id is %s is OutOfTurn while a silent probe is unanswered", (_, message) => {
    expect(evidenceOf(always(arrived(message)), { policy: discoverFirst, path: [silence] })._tag).toBe("OutOfTurn")
  })

  it.each(unaddressed)("an error whose id is %s belongs to initialize once the probe was answered", (_, message) => {
    const path = [silence, late("2025-11-25")]
    expect(evidenceOf(always(arrived(message)), { policy: discoverFirst, path })._tag).toBe("MethodMissing")
  })

  it("a probe is no longer awaited in a fresh process", () => {
    const cell = Policy.discoverFirst.fallback.Discovering.Ended
    const policy = Policy.override(discoverFirst, "Initializing", "Ended", cell)
    const path: ReadonlyArray<Happening> = [silence, always({ _tag: "Closed", stderr: "" })]
    const [, message] = unaddressed[0] ?? []
    if (message === undefined) throw new Error("no message")
    expect(evidenceOf(always(arrived(message)), { policy, path })._tag).toBe("MethodMissing")
    expect(evidenceOf(late("2026-07-28"), { policy, path })._tag).toBe("OutOfTurn")
  })

  it("the empty id answers where it is ours alone", () => {
    expect(evidenceOf(always(arrived(success("", good))))._tag).toBe("OutOfTurn")
  })

  it.each([
    ["an initialize result", { protocolVersion: "2026-07-28", capabilities: {}, serverInfo: {} }],
    ["a list without a mutual modern revision", { supportedVersions: ["2025-11-25"], capabilities: {} }],
    ["no result that it could be", {}]
  ])("a late answer to the probe that is %s is OutOfTurn", (_, value) => {
    const where: Where = { policy: discoverFirst, path: [silence] }
    expect(evidenceOf(always(arrived(success(1, value))), where)).toStrictEqual({
      _tag: "OutOfTurn",
      kind: "message",
      what: "the late answer to the probe",
      probeAnswered: true
    })
  })

  it("while a silent probe is unanswered, a result with an id that was never used is no answer to it", () => {
    const stranger = success(77, { supportedVersions: ["2026-07-28"], capabilities: {} })
    expect(evidenceOf(always(arrived(stranger)), { policy: discoverFirst, path: [silence] })).toStrictEqual({
      _tag: "OutOfTurn",
      kind: "message",
      what: "a response to nothing that was asked"
    })
  })

  it("a silent probe is listened for whatever else comes meanwhile", () => {
    const where: Where = { policy: discoverFirst, path: [silence, ping, noise] }
    expect(evidenceOf(late("2026-07-28"), where)._tag).toBe("LateAgreed")
  })

  it("a late error to the probe is OutOfTurn, even one that names 2026-07-28", () => {
    const late = failure(1, { code: -32022, message: "", data: { supported: ["2026-07-28"] } })
    expect(evidenceOf(always(arrived(late)), { policy: discoverFirst, path: [silence] })._tag).toBe("OutOfTurn")
  })

  it("LateAgreed needs a probe that timed out: an answered one is not answered twice", () => {
    const where: Where = { policy: discoverFirst, path: [methodMissing] }
    expect(evidenceOf(late("2026-07-28"), where)._tag).toBe("OutOfTurn")
    expect(evidenceOf(late("2026-07-28"), { policy: discoverFirst, path: [silence] })._tag).toBe("LateAgreed")
  })

  it("the deadline of an older exchange, its loss and its end are OutOfTurn", () => {
    const where: Where = { path: [methodMissing] }
    expect(evidenceOf(always({ _tag: "DeadlinePassed", of: 1, waitedMillis: 1 }), where)._tag).toBe("OutOfTurn")
    expect(evidenceOf(always({ _tag: "Lost", exchange: 1, cause: "cut" }), where)._tag).toBe("OutOfTurn")
    expect(evidenceOf(always({ _tag: "Lost", exchange: 2, cause: "cut" }), where)._tag).toBe("Outage")
    expect(evidenceOf(always({ _tag: "Lost", cause: "cut" }), where)._tag).toBe("Outage")
  })
})

describe("correlation over HTTP", () => {
  const json = { status: 200, contentType: "application/json" }
  const good = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} }
  const over = (message: Message, head = json): Happening => always(arrived(message, 1, head))
  const where: Where = { medium: http }

  it.each([null, undefined, "", "1", 77, "x"])("an error body answers its POST with the id %j", (id) => {
    const error = { code: -32601, message: "" }
    const message: Message = id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error }
    expect(evidenceOf(over(message, { status: 404, contentType: "application/json" }), where)._tag).toBe(
      "MethodMissing"
    )
  })

  it.each<Id>(["1", 77, ""])("a result with the id %j is Garbled", (id) => {
    expect(evidenceOf(over(success(id, good)), where)).toMatchObject({ _tag: "Garbled", path: "id", foreign: false })
  })

  it("a foreign id is shown short", () => {
    const evidence = evidenceOf(over(success("x".repeat(100_000), good)), where)
    expect(evidence._tag === "Garbled" && evidence.problem.length).toBeLessThan(200)
  })

  it("what comes on the response of an older exchange is OutOfTurn", () => {
    const older: Where = { medium: http, path: [methodMissing] }
    expect(evidenceOf(over(success(2, good)), older)._tag).toBe("OutOfTurn")
    expect(evidenceOf(always({ _tag: "Unanswered", exchange: 1, head: json, body: "", problem: "" }), older)._tag).toBe(
      "OutOfTurn"
    )
    expect(evidenceOf(always({ _tag: "Lost", exchange: 1, cause: "cut" }), older)._tag).toBe("OutOfTurn")
  })

  it("a response that no exchange brought answers nothing", () => {
    expect(evidenceOf(always(arrived(success(1, good))), where)._tag).toBe("OutOfTurn")
  })

  it("keeps the session that came with the answer", () => {
    expect(evidenceOf(names("2025-11-25", { session: "s1" }), where)).toMatchObject({ sessionId: "s1" })
    expect(evidenceOf(names("2026-07-28", { session: "s1" }), where)).toMatchObject({ sessionId: "s1" })
    expect(evidenceOf(names("1999-01-01", { session: "s1" }), where)).toMatchObject({ sessionId: "s1" })
  })
})

describe("HTTP precedence", () => {
  const where: Where = { medium: http }
  const error = (code: number, status: number, supported?: ReadonlyArray<string>): Happening =>
    refuses(code, supported, { status, challenge: "Bearer", retryAfterMillis: 1500 })

  it.each([200, 400, 401, 403, 404, 408, 429, 500, 503])(
    "1. a body with -32020 to -32022 comes first, under status %d too",
    (code) => {
      expect(evidenceOf(error(-32020, code), where)).toMatchObject({ _tag: "ModernSign", code: -32020 })
      expect(evidenceOf(error(-32021, code), where)).toMatchObject({ _tag: "ModernSign", code: -32021 })
      expect(evidenceOf(error(-32022, code), where)._tag).toBe("VersionRefused")
      expect(evidenceOf(error(-32022, code, ["2026-07-28"]), where)._tag).toBe("Corrected")
    }
  )

  it.each([401, 403])("2. then status %d, whatever else the body says", (code) => {
    const refused = { _tag: "AccessRefused", status: code, challenge: "Bearer" }
    expect(evidenceOf(error(-32601, code), where)).toEqual(refused)
    expect(evidenceOf(error(-32602, code, ["2025-06-18"]), where)).toEqual(refused)
    expect(evidenceOf(names("2025-11-25", { status: code, challenge: "Bearer" }), where)).toEqual(refused)
    expect(evidenceOf(status(code, { challenge: "Bearer" }, "<html>"), where)).toEqual(refused)
    expect(evidenceOf(status(code), where)).toEqual({ _tag: "AccessRefused", status: code })
  })

  it.each([408, 429, 503])("3. then status %d, with the wait that it asks for", (code) => {
    const busy = { _tag: "Busy", status: code, retryAfterMillis: 1500 }
    expect(evidenceOf(error(-32000, code), where)).toEqual(busy)
    expect(evidenceOf(error(-32601, code), where)).toEqual(busy)
    expect(evidenceOf(status(code, { retryAfterMillis: 1500 }), where)).toEqual(busy)
    expect(evidenceOf(status(code), where)).toEqual({ _tag: "Busy", status: code })
  })

  it.each([200, 400, 404, 405, 500, 502])("4. then any other JSON-RPC error, under status %d too", (code) => {
    expect(evidenceOf(error(-32601, code), where)._tag).toBe("MethodMissing")
    expect(evidenceOf(error(-32603, code), where)._tag).toBe("Refused")
    expect(evidenceOf(error(-32602, code), where)._tag).toBe("ParamsRefused")
    expect(evidenceOf(error(-32602, code, ["2025-06-18"]), where)._tag).toBe("Countered")
  })

  it.each([301, 302, 307, 400, 402, 404, 405, 406, 410, 415, 418, 451])("5. then status %d: HttpRefused", (code) => {
    expect(evidenceOf(status(code, {}, "Not here"), where)).toEqual({
      _tag: "HttpRefused",
      status: code,
      head: "Not here"
    })
    expect(evidenceOf(names("2025-11-25", { status: code }), where)._tag).toBe("HttpRefused")
  })

  it.each([500, 501, 502, 504, 599])("6. then status %d: Outage", (code) => {
    expect(evidenceOf(status(code, {}, "Bad gateway"), where)).toMatchObject({
      _tag: "Outage",
      status: code,
      head: "Bad gateway"
    })
    expect(evidenceOf(names("2025-11-25", { status: code }), where)._tag).toBe("Outage")
  })

  it.each([
    [200, "application/json", false],
    [200, "application/json; charset=utf-8", false],
    [200, "text/event-stream", false],
    [200, "Text/Event-Stream", false],
    [202, "application/json", false],
    [200, "text/html", true],
    [200, "application/jsonp", true],
    [202, undefined, true],
    [204, undefined, true]
  ] as const)("a %d of %s without an answer is Garbled", (code, contentType, foreign) => {
    const head = contentType === undefined ? {} : { contentType }
    expect(evidenceOf(status(code, head, "<title>Sign in</title>"), where)).toMatchObject({
      _tag: "Garbled",
      foreign,
      status: code,
      head: "<title>Sign in</title>"
    })
  })
})

describe("carriers that end", () => {
  it("Ended: a pipe that closes, with what is known of it", () => {
    expect(evidenceOf(always({ _tag: "Closed", exitCode: 3, stderr: "boom" }))).toEqual({
      _tag: "Ended",
      exitCode: 3,
      stderr: "boom"
    })
    expect(evidenceOf(always({ _tag: "Closed", signal: "SIGSEGV", stderr: "" }))).toEqual({
      _tag: "Ended",
      signal: "SIGSEGV",
      stderr: ""
    })
  })

  it("Outage: over HTTP there is nothing that ends", () => {
    expect(evidenceOf(always({ _tag: "Closed", stderr: "" }), { medium: http })._tag).toBe("Outage")
  })

  it("Outage keeps that trying again cannot help", () => {
    expect(evidenceOf(always({ _tag: "Lost", cause: "no such command", retryable: false }))).toEqual({
      _tag: "Outage",
      cause: "no such command",
      retryable: false
    })
  })

  it("bounds what a carrier of someone else's hands over", () => {
    const long = "\u001b[2J".repeat(100_000)
    const sizes = [
      evidenceOf(always({ _tag: "Lost", cause: long })),
      evidenceOf(always({ _tag: "Stray", head: long, problem: "notJson" })),
      evidenceOf(always({ _tag: "Stray", head: long, problem: "overlong" })),
      evidenceOf(always({ _tag: "Closed", stderr: long })),
      evidenceOf(status(401, { challenge: long }), { medium: http }),
      evidenceOf(status(404, {}, long), { medium: http }),
      evidenceOf(status(502, {}, long), { medium: http }),
      evidenceOf(status(200, {}, long), { medium: http }),
      evidenceOf(says(notification(long)))
    ].map((evidence) => JSON.stringify({ ...evidence, message: undefined }).length)
    // 64 KiB of standard error is the most; JSON writes an escape as six characters.
    expect(Math.max(...sizes.filter((_, index) => index !== 3))).toBeLessThan(2200)
    expect(sizes[3]).toBeLessThan(64 * 1024 * 6)
  })
})

describe("time", () => {
  it("Silence: the deadline of the exchange in flight; OutOfTime: that of the whole", () => {
    expect(evidenceOf(always({ _tag: "DeadlinePassed", of: 1, waitedMillis: 7 }))).toEqual({
      _tag: "Silence",
      waitedMillis: 7
    })
    expect(evidenceOf(always({ _tag: "DeadlinePassed", of: "negotiation", waitedMillis: 9 }))).toEqual({
      _tag: "OutOfTime",
      waitedMillis: 9
    })
  })
})

describe("what is out of turn", () => {
  it("a ping, another request and a notification are kept with the message", () => {
    for (const message of [request("a", "ping"), request("b", "roots/list"), notification("notifications/message")]) {
      expect(evidenceOf(says(message))).toMatchObject({ _tag: "OutOfTurn", kind: "message", message })
    }
  })

  it("over HTTP with the session that came with them", () => {
    expect(evidenceOf(says(request("a", "ping"), { session: "s1" }), { medium: http })).toMatchObject({
      sessionId: "s1"
    })
  })

  it.each([
    [0, ping, "OutOfTurn"],
    [63, ping, "OutOfTurn"],
    [64, ping, "Garbled"],
    [64, noise, "OutOfTurn"]
  ] as const)("after %d messages out of turn the next one counts", (count, happening, tag) => {
    const path = Array.from({ length: count }, () => ping)
    expect(evidenceOf(happening, { path })._tag).toBe(tag)
  })

  it.each([
    [255, noise, "OutOfTurn"],
    [256, noise, "Garbled"],
    [256, ping, "OutOfTurn"]
  ] as const)("after %d lines of noise the next one counts", (count, happening, tag) => {
    const path = Array.from({ length: count }, () => noise)
    expect(evidenceOf(happening, { path })._tag).toBe(tag)
  })

  it("too much noise is Garbled with its head, and foreign", () => {
    const first = always({ _tag: "Stray", head: "Shelf target v3 starting", problem: "notJson" })
    const policy = Policy.withBudgets(auto, { noise: 3 })
    expect(evidenceOf(noise, { policy, path: [first, noise, noise] })).toStrictEqual({
      _tag: "Garbled",
      path: "stdout",
      problem: "more than 3 lines are no JSON-RPC message",
      foreign: true,
      head: "Shelf target v3 starting"
    })
  })

  it("too many messages are Garbled too, but not foreign", () => {
    expect(evidenceOf(ping, { policy: Policy.withBudgets(auto, { outOfTurn: 1 }), path: [ping] })).toStrictEqual({
      _tag: "Garbled",
      path: "message",
      problem: "more than 1 messages came out of turn",
      foreign: false
    })
  })

  it("an overlong line is Garbled at once, with its head", () => {
    expect(evidenceOf(always({ _tag: "Stray", head: '{"jsonrpc"', problem: "overlong" }))).toMatchObject({
      _tag: "Garbled",
      foreign: true,
      head: '{"jsonrpc"'
    })
  })

  it("the counts go on over exchanges, so that a chatty server cannot start anew", () => {
    const policy = Policy.withBudgets(auto, { outOfTurn: 2, noise: 2 })
    expect(evidenceOf(ping, { policy, path: [ping, ping, methodMissing] })._tag).toBe("Garbled")
    expect(evidenceOf(noise, { policy, path: [noise, noise, methodMissing] })._tag).toBe("Garbled")
  })

  it("a budget of none bears none", () => {
    const policy = Policy.withBudgets(auto, { outOfTurn: 0, noise: 0 })
    expect(evidenceOf(ping, { policy })._tag).toBe("Garbled")
    expect(evidenceOf(noise, { policy })._tag).toBe("Garbled")
  })
})
