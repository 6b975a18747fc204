// What an answer means: the "when" of every evidence that an answer can be, in design section 4, with lists of every shape.
import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import type { Evidence } from "@parley/core/client/Evidence"
import * as Policy from "@parley/core/client/Policy"
import { weigh } from "@parley/core/client/Weigh"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import { failure } from "@parley/core/Message"
import type { Happening } from "./support/Play.ts"
import { awaiting, badParams, lists, names, play, refuses, result, unsupported } from "./support/Play.ts"

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

describe("an answer to initialize", () => {
  const initialized = { capabilities: {}, serverInfo: { name: "s", version: "1" } }

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("Agreed: names %s, which we speak", (version) => {
    expect(evidenceOf(names(version))).toMatchObject({ _tag: "Agreed", version })
  })

  it.each([
    ["2026-07-28", auto],
    ["2025-11-26", auto],
    ["2099-12-31", auto],
    ["2026-07-28", Policy.handshakeOnly],
    ["2026-07-28", Policy.withVersions(auto, ["2025-11-25"])]
  ] as const)("ModernNamed: names %s, whatever the policy lists", (version, policy) => {
    expect(evidenceOf(names(version), { policy })).toMatchObject({ _tag: "ModernNamed", version })
  })

  it.each(["2024-11-04", "1999-01-01", "draft", "", "DRAFT-2026-v1", "2026-7-28", "20260728", " 2025-11-25"])(
    "StrangerNamed: names %j, which nobody knows",
    (version) => {
      expect(evidenceOf(names(version))._tag).toBe("StrangerNamed")
    }
  )

  it("StrangerNamed: names a published revision that the policy does not list", () => {
    expect(evidenceOf(names("2025-06-18"), { policy: Policy.withVersions(auto, ["2025-11-25"]) })).toMatchObject({
      _tag: "StrangerNamed",
      version: "2025-06-18"
    })
  })

  it("never agrees on a text that is no revision, even if the policy lists it", () => {
    const policy = Policy.withVersions(auto, ["2025-11-25", "draft"])
    expect(evidenceOf(names("draft"), { policy })._tag).toBe("StrangerNamed")
  })

  it("keeps a named revision short", () => {
    const evidence = evidenceOf(names("v".repeat(100_000)))
    expect(evidence._tag === "StrangerNamed" && evidence.version.length).toBe(64)
  })

  it.each([
    ["no protocolVersion", initialized, "result.protocolVersion"],
    ["a number as protocolVersion", { ...initialized, protocolVersion: 20251125 }, "result.protocolVersion"],
    ["no capabilities", { serverInfo: {}, protocolVersion: "2025-11-25" }, "result.capabilities"],
    [
      "an array as capabilities",
      { ...initialized, capabilities: [], protocolVersion: "2025-11-25" },
      "result.capabilities"
    ],
    [
      "null as capabilities",
      { ...initialized, capabilities: null, protocolVersion: "2025-11-25" },
      "result.capabilities"
    ],
    ["no serverInfo", { capabilities: {}, protocolVersion: "2025-11-25" }, "result.serverInfo"],
    ["a text as serverInfo", { ...initialized, serverInfo: "s", protocolVersion: "2025-11-25" }, "result.serverInfo"],
    ["a DiscoverResult", { supportedVersions: ["2026-07-28"], capabilities: {} }, "result.protocolVersion"]
  ])("Garbled: %s", (_, value, path) => {
    expect(evidenceOf(result(value))).toMatchObject({ _tag: "Garbled", path, foreign: false })
  })

  it("Agreed: a result with members that nobody knows, and a serverInfo without a name", () => {
    const value = { ...initialized, protocolVersion: "2025-11-25", serverInfo: {}, extra: [1], resultType: "odd" }
    expect(evidenceOf(result(value))).toMatchObject({ _tag: "Agreed", result: value })
  })
})

describe("an answer to server/discover", () => {
  const probing: Where = { policy: discoverFirst }
  const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} }

  it.each([
    [["2026-07-28"], "Agreed", "2026-07-28"],
    [["2026-07-28", "2025-11-25"], "Agreed", "2026-07-28"],
    [["2099-01-01", "2026-07-28"], "Agreed", "2026-07-28"],
    [["2025-06-18", "2025-11-25", "2024-11-05"], "Countered", "2025-11-25"],
    [["2099-01-01", "2025-06-18"], "Countered", "2025-06-18"],
    [["1999-01-01", "draft"], "Disjoint", undefined],
    [["2099-01-01"], "Disjoint", undefined],
    [[""], "Disjoint", undefined]
  ] as const)("lists %j: %s", (supported, tag, version) => {
    const evidence = evidenceOf(lists(...supported), probing)
    expect(evidence).toMatchObject({ _tag: tag, ...(version === undefined ? undefined : { version }) })
    // A DiscoverResult is no refusal: it has no code.
    expect(evidence).not.toHaveProperty("code")
  })

  it("Agreed: the newest mutual one of several", () => {
    const policy = Policy.withVersions(discoverFirst, ["2025-11-25", "2026-07-28", "2027-01-01", "2028-01-01"])
    expect(evidenceOf(lists("2027-01-01", "2026-07-28", "2029-01-01"), { policy })).toMatchObject({
      _tag: "Agreed",
      version: "2027-01-01"
    })
  })

  it("Disjoint: nothing mutual for a policy that lacks what is listed", () => {
    expect(evidenceOf(lists("2025-06-18"), { policy: Policy.withVersions(discoverFirst, ["2026-07-28"]) })._tag).toBe(
      "Disjoint"
    )
  })

  it("Agreed: without a resultType, as before 2026-07-28", () => {
    const { resultType: _, ...value } = discovered
    expect(evidenceOf(result(value), probing)._tag).toBe("Agreed")
  })

  it.each([
    ["an unknown resultType", { ...discovered, resultType: "input_required" }, "result.resultType"],
    ["a resultType that is no text", { ...discovered, resultType: null }, "result.resultType"],
    ["no capabilities", { supportedVersions: ["2026-07-28"] }, "result.capabilities"],
    ["an array as capabilities", { ...discovered, capabilities: [] }, "result.capabilities"],
    ["no supportedVersions", { capabilities: {} }, "result.supportedVersions"],
    ["an empty list", { ...discovered, supportedVersions: [] }, "result.supportedVersions"],
    ["a text as list", { ...discovered, supportedVersions: "2026-07-28" }, "result.supportedVersions"],
    ["a number in the list", { ...discovered, supportedVersions: ["2026-07-28", 1] }, "result.supportedVersions"],
    ["null in the list", { ...discovered, supportedVersions: [null] }, "result.supportedVersions"],
    ["an InitializeResult", { protocolVersion: "2026-07-28", capabilities: {} }, "result.supportedVersions"]
  ])("Garbled: %s", (_, value, path) => {
    expect(evidenceOf(result(value), probing)).toMatchObject({ _tag: "Garbled", path, foreign: false })
  })
})

describe("a refusal that lists revisions", () => {
  const code = { unsupported: -32022, badParams: -32602 }

  it.each([
    // To `initialize` at 2025-11-25.
    [code.unsupported, ["2026-07-28"], "Corrected", "2026-07-28"],
    [code.unsupported, ["2025-06-18", "2026-07-28"], "Corrected", "2026-07-28"],
    [code.unsupported, ["2025-11-25", "2026-07-28"], "Corrected", "2026-07-28"],
    [code.unsupported, ["2024-11-05", "2025-06-18"], "Countered", "2025-06-18"],
    [code.unsupported, ["2025-11-25", "2025-03-26", "2099-01-01"], "Countered", "2025-03-26"],
    [code.unsupported, ["2025-11-25"], "Disjoint", undefined],
    [code.unsupported, ["2025-11-25", "1999-01-01"], "Disjoint", undefined],
    [code.unsupported, ["2099-01-01", "draft"], "Disjoint", undefined],
    [code.badParams, ["2026-07-28"], "Corrected", "2026-07-28"],
    [code.badParams, ["2026-07-28", "1999-01-01"], "Corrected", "2026-07-28"],
    // A legacy revision that we speak comes first in the handshake's own refusal.
    [code.badParams, ["2026-07-28", "2024-11-05"], "Countered", "2024-11-05"],
    [code.badParams, ["2025-11-25", "2025-06-18"], "Countered", "2025-06-18"],
    [code.badParams, ["2025-11-25"], "Disjoint", undefined],
    [code.badParams, ["2099-01-01"], "Disjoint", undefined]
  ] as const)("initialize, %d with %j: %s", (code, supported, tag, version) => {
    expect(evidenceOf(refuses(code, supported))).toMatchObject({
      _tag: tag,
      code,
      theirs: supported,
      ...(version === undefined ? undefined : { version })
    })
  })

  it.each([
    // To `server/discover` at 2026-07-28.
    [["2026-07-28"], "Corrected", "2026-07-28"],
    [["2026-07-28", "2025-11-25"], "Corrected", "2026-07-28"],
    [["2025-11-25", "2025-06-18"], "Countered", "2025-11-25"],
    [["2099-01-01", "2025-03-26"], "Countered", "2025-03-26"],
    [["2099-01-01"], "Disjoint", undefined],
    [["1999-01-01"], "Disjoint", undefined]
  ] as const)("server/discover, -32022 with %j: %s", (supported, tag, version) => {
    expect(evidenceOf(unsupported(...supported), { policy: discoverFirst })).toMatchObject({
      _tag: tag,
      code: -32022,
      ...(version === undefined ? undefined : { version })
    })
  })

  it.each([
    ["absent", undefined],
    ["empty", []],
    ["null", null],
    ["a text", "2026-07-28"],
    ["an object", { versions: ["2026-07-28"] }],
    ["a list of numbers", [20260728]],
    ["a list with something else in it", ["2026-07-28", null]]
  ])("-32022 whose list is %s: VersionRefused", (_, supported) => {
    expect(evidenceOf(refuses(-32022, supported))).toEqual({ _tag: "VersionRefused" })
    expect(evidenceOf(refuses(-32022, supported), { policy: discoverFirst })).toEqual({ _tag: "VersionRefused" })
  })

  it.each([
    ["absent", undefined],
    ["empty", []],
    ["a text", "2025-06-18"],
    ["a list of numbers", [20250618]]
  ])("-32602 to initialize whose list is %s: ParamsRefused", (_, supported) => {
    expect(evidenceOf(refuses(-32602, supported))).toMatchObject({ _tag: "ParamsRefused", code: -32602 })
  })

  it("-32602 to server/discover is Refused, with or without a list", () => {
    expect(evidenceOf(badParams(), { policy: discoverFirst })._tag).toBe("Refused")
    expect(evidenceOf(badParams("2025-06-18"), { policy: discoverFirst })._tag).toBe("Refused")
  })

  it("speaks of what the policy lists, not of what is published", () => {
    const policy = Policy.withVersions(auto, ["2025-11-25", "2025-03-26"])
    expect(evidenceOf(unsupported("2026-07-28", "2025-06-18", "2025-03-26"), { policy })).toMatchObject({
      _tag: "Countered",
      version: "2025-03-26"
    })
    expect(evidenceOf(unsupported("2026-07-28", "2025-06-18"), { policy })._tag).toBe("Disjoint")
  })

  it("data that is no object lists nothing", () => {
    const message = failure(1, { code: -32022, message: "", data: ["2026-07-28"] })
    expect(evidenceOf(always(arrived(message)))._tag).toBe("VersionRefused")
  })

  it("keeps at most 50 revisions of at most 64 characters, but reads them all", () => {
    const many = [...Array.from({ length: 1000 }, () => "x".repeat(1000)), "2025-03-26"]
    const evidence = evidenceOf(refuses(-32602, many))
    if (evidence._tag !== "Countered") throw new Error(evidence._tag)
    expect(evidence.version).toBe("2025-03-26")
    expect(evidence.theirs.length).toBe(50)
    expect(evidence.theirs.every((one) => one.length <= 64)).toBe(true)
  })
})

describe("an error without a list", () => {
  it.each([
    [-32020, "ModernSign"],
    [-32021, "ModernSign"],
    [-32601, "MethodMissing"],
    [-32600, "Refused"],
    [-32603, "Refused"],
    [-32700, "Refused"],
    [-32000, "Refused"],
    [-32019, "Refused"],
    [-32023, "Refused"],
    [0, "Refused"],
    [-1, "Refused"],
    [500, "Refused"]
  ])("%d: %s, whatever was asked", (code, tag) => {
    expect(evidenceOf(refuses(code))._tag).toBe(tag)
    expect(evidenceOf(refuses(code), { policy: discoverFirst })._tag).toBe(tag)
    expect(evidenceOf(refuses(code), { medium: http })._tag).toBe(tag)
  })

  it("keeps the words on one line of 200 characters, and data of at most 4 KiB", () => {
    const said = (data: unknown): Happening =>
      always(arrived(failure(1, { code: -32000, message: `a\u001b[31m\n${"b".repeat(500)}`, data })))
    const small = evidenceOf(said({ hint: "small" }))
    if (small._tag !== "Refused") throw new Error(small._tag)
    expect(small.message).toMatch(/^a \[31m b{100,}…$/)
    expect(small.message.length).toBeLessThanOrEqual(200)
    expect(small.data).toEqual({ hint: "small" })
    expect(evidenceOf(said({ hint: "x".repeat(5000) }))).not.toHaveProperty("data")
    // 4,096 characters of JSON, the quotes with them.
    expect(evidenceOf(said("x".repeat(4094)))).toHaveProperty("data", "x".repeat(4094))
    expect(evidenceOf(said("x".repeat(4095)))).not.toHaveProperty("data")
    let deep: unknown = 0
    for (let index = 0; index < 20_000; index++) deep = [deep]
    expect(evidenceOf(said(deep))).not.toHaveProperty("data")
  })
})
