// The tables of clients that live in one era, cell by cell: what design section 4 says of `handshakeOnly` and `pinned`.
import { describe, expect, it } from "@effect/vitest"
import * as Client from "@parley/core/client/Client"
import * as Policy from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import { allVersions } from "@parley/core/Version"
import type { Column, Row, Standing } from "./support/Cells.ts"
import {
  cells,
  closing,
  endFails,
  evidences,
  going,
  initializeRefusals,
  neverAVerdict,
  only,
  outOfTurn,
  states
} from "./support/Cells.ts"
import type { Happening } from "./support/Play.ts"
import {
  badParams,
  capabilityMissing,
  commandText,
  garbled,
  headerMismatch,
  lists,
  methodMissing,
  names,
  play,
  reasonText,
  refused,
  status,
  unsupported
} from "./support/Play.ts"

const media: ReadonlyArray<Medium> = [stdio, http]
const isHttp = (medium: Medium): boolean => medium.streams === "perRequest"
const onHttp = (medium: Medium, ...rows: ReadonlyArray<Row>): ReadonlyArray<Row> => (isHttp(medium) ? rows : [])

const failing =
  (n: number) =>
  (happening: Happening, evidence: string, reason: string, move = "fail"): Row => [
    happening,
    evidence,
    move,
    "Failed",
    closing(n),
    reason
  ]

// ---- handshakeOnly

const handshake = (medium: Medium): Column => {
  const standing: Standing = { medium, n: 1, method: "initialize", at: "Initializing 2025-11-25" }
  const fails = failing(1)
  return {
    policy: Policy.handshakeOnly,
    medium,
    state: "Initializing",
    after: "at the beginning",
    path: [],
    rows: [
      [names("2025-11-25"), "Agreed 2025-11-25", "settle", "Settled 2025-11-25", closing(1, "initialized 2025-11-25")],
      [names("2024-11-05"), "Agreed 2024-11-05", "settle", "Settled 2024-11-05", closing(1, "initialized 2024-11-05")],
      fails(names("2026-07-28"), "ModernNamed 2026-07-28", "Unsupported 2025-11-25 named 2026-07-28"),
      ...onHttp(medium, [
        names("2026-07-28", { session: "s1" }),
        "ModernNamed 2026-07-28",
        "fail",
        "Failed",
        closing(1, "delete s1 at 2025-11-25"),
        "Unsupported 2025-11-25 named 2026-07-28"
      ]),
      fails(names("1999-01-01"), "StrangerNamed 1999-01-01", "Unsupported 2025-11-25 named 1999-01-01"),
      [
        unsupported("2025-03-26", "2026-07-28"),
        "Countered 2025-03-26",
        "counter",
        "Countering 2025-03-26",
        going(1, "initialize 2 2025-03-26")
      ],
      [
        badParams("2025-03-26", "2025-06-18"),
        "Countered 2025-06-18",
        "counter",
        "Countering 2025-06-18",
        going(1, "initialize 2 2025-06-18")
      ],
      fails(unsupported("2026-07-28"), "Disjoint: 2026-07-28", "Unsupported 2025-11-25 listed 2026-07-28"),
      ...initializeRefusals(standing, "2025-11-25"),
      fails(garbled, "Garbled: it is no string", "Malformed initialize result.protocolVersion"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

const countering = (medium: Medium): Column => {
  const standing: Standing = { medium, n: 2, method: "initialize", at: "Countering 2025-06-18" }
  const first = "Unsupported 2025-11-25 listed 2025-06-18"
  const fails = failing(2)
  return {
    policy: Policy.handshakeOnly,
    medium,
    state: "Countering",
    after: "after a refusal that listed 2025-06-18",
    path: [badParams("2025-06-18")],
    rows: [
      [names("2025-06-18"), "Agreed 2025-06-18", "settle", "Settled 2025-06-18", closing(2, "initialized 2025-06-18")],
      fails(names("2026-07-28"), "ModernNamed 2026-07-28", "Unsupported 2025-06-18 named 2026-07-28"),
      fails(names("1999-01-01"), "StrangerNamed 1999-01-01", "Unsupported 2025-06-18 named 1999-01-01"),
      fails(badParams("2024-11-05"), "Countered 2024-11-05", `${first} <- Unsupported 2025-06-18 listed 2024-11-05`),
      ...initializeRefusals(standing, "2025-06-18", first),
      fails(garbled, "Garbled: it is no string", `${first} <- Malformed initialize result.protocolVersion`),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

cells(
  "handshakeOnly",
  Policy.handshakeOnly,
  media.flatMap((medium) => [handshake(medium), countering(medium)])
)

// ---- pinned to a modern revision

const modern = Policy.pinned("2026-07-28")

const pinnedModern = (medium: Medium): Column => {
  const standing: Standing = { medium, n: 1, method: "server/discover", at: "Discovering 2026-07-28" }
  const fails = failing(1)
  const refusal = (happening: Happening, evidence: string, reason: string): Row =>
    fails(happening, evidence, reason, "failUnsupported")
  return {
    policy: modern,
    medium,
    state: "Discovering",
    after: "at the beginning",
    path: [],
    rows: [
      [lists("2025-11-25", "2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(1)],
      [
        unsupported("2026-07-28"),
        "Corrected 2026-07-28",
        "discoverAt",
        "DiscoveringAgain 2026-07-28",
        going(1, "discover 2 2026-07-28")
      ],
      refusal(lists("2025-11-25"), "Disjoint: 2025-11-25", "Unsupported 2026-07-28 listed 2025-11-25"),
      refusal(unsupported("2025-11-25"), "Disjoint: 2025-11-25", "Unsupported 2026-07-28 listed 2025-11-25"),
      refusal(unsupported(), "VersionRefused", "Unsupported 2026-07-28"),
      fails(headerMismatch, "ModernSign -32020", "Header"),
      fails(capabilityMissing, "ModernSign -32021", "Capability"),
      refusal(methodMissing, "MethodMissing", "Unsupported 2026-07-28 <- NotFound server/discover"),
      refusal(refused, "Refused -32000", "Unsupported 2026-07-28 <- Rejected server/discover -32000"),
      refusal(badParams("2026-07-28"), "Refused -32602", "Unsupported 2026-07-28 <- Rejected server/discover -32602"),
      ...onHttp(medium, refusal(status(404), "HttpRefused 404", "Unsupported 2026-07-28 <- Failure 404")),
      fails(garbled, "Garbled: it is no object", "Malformed server/discover result.capabilities"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

const pinnedModernAgain = (medium: Medium): Column => {
  const standing: Standing = { medium, n: 2, method: "server/discover", at: "DiscoveringAgain 2026-07-28" }
  const first = "Unsupported 2026-07-28 listed 2026-07-28"
  const fails = failing(2)
  const refusal = (happening: Happening, evidence: string, reason: string): Row =>
    fails(happening, evidence, reason, "failUnsupported")
  return {
    policy: modern,
    medium,
    state: "DiscoveringAgain",
    after: "after a correction",
    path: [unsupported("2026-07-28")],
    rows: [
      [lists("2026-07-28"), "Agreed 2026-07-28", "settle", "Settled 2026-07-28", closing(2)],
      fails(unsupported("2026-07-28"), "Corrected 2026-07-28", `${first} <- ${first}`, "discoverAt"),
      refusal(lists("2025-11-25"), "Disjoint: 2025-11-25", "Unsupported 2026-07-28 listed 2025-11-25"),
      refusal(unsupported(), "VersionRefused", "Unsupported 2026-07-28"),
      fails(headerMismatch, "ModernSign -32020", `${first} <- Header`),
      refusal(methodMissing, "MethodMissing", "Unsupported 2026-07-28 <- NotFound server/discover"),
      refusal(refused, "Refused -32000", "Unsupported 2026-07-28 <- Rejected server/discover -32000"),
      ...onHttp(medium, refusal(status(404), "HttpRefused 404", "Unsupported 2026-07-28 <- Failure 404")),
      fails(garbled, "Garbled: it is no object", "Malformed server/discover result.capabilities"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

cells(
  "pinned to a modern revision",
  modern,
  media.flatMap((medium) => [pinnedModern(medium), pinnedModernAgain(medium)])
)

// ---- pinned to a legacy revision

const legacy = Policy.pinned("2025-06-18")

const pinnedLegacy = (medium: Medium): Column => {
  const standing: Standing = { medium, n: 1, method: "initialize", at: "Initializing 2025-06-18" }
  const fails = failing(1)
  const refusal = (happening: Happening, evidence: string, reason: string): Row =>
    fails(happening, evidence, reason, "failUnsupported")
  return {
    policy: legacy,
    medium,
    state: "Initializing",
    after: "at the beginning",
    path: [],
    rows: [
      [names("2025-06-18"), "Agreed 2025-06-18", "settle", "Settled 2025-06-18", closing(1, "initialized 2025-06-18")],
      refusal(names("2026-07-28"), "ModernNamed 2026-07-28", "Unsupported 2025-06-18 named 2026-07-28"),
      ...onHttp(medium, [
        names("2026-07-28", { session: "s1" }),
        "ModernNamed 2026-07-28",
        "failUnsupported",
        "Failed",
        closing(1, "delete s1 at 2025-06-18"),
        "Unsupported 2025-06-18 named 2026-07-28"
      ]),
      refusal(names("2025-11-25"), "StrangerNamed 2025-11-25", "Unsupported 2025-06-18 named 2025-11-25"),
      refusal(unsupported("2025-11-25"), "Disjoint: 2025-11-25", "Unsupported 2025-06-18 listed 2025-11-25"),
      refusal(unsupported("2026-07-28"), "Disjoint: 2026-07-28", "Unsupported 2025-06-18 listed 2026-07-28"),
      refusal(badParams("2025-06-18"), "Disjoint: 2025-06-18", "Unsupported 2025-06-18 listed 2025-06-18"),
      refusal(unsupported(), "VersionRefused", "Unsupported 2025-06-18"),
      refusal(headerMismatch, "ModernSign -32020", "Unsupported 2025-06-18 <- Header"),
      refusal(capabilityMissing, "ModernSign -32021", "Unsupported 2025-06-18 <- Capability"),
      refusal(methodMissing, "MethodMissing", "Unsupported 2025-06-18 <- NotFound initialize"),
      refusal(badParams(), "ParamsRefused -32602", "Unsupported 2025-06-18 <- Rejected initialize -32602"),
      ...only(initializeRefusals(standing, "2025-06-18"), "Refused", "HttpRefused"),
      fails(garbled, "Garbled: it is no string", "Malformed initialize result.protocolVersion"),
      ...neverAVerdict(standing),
      ...endFails(standing),
      ...outOfTurn(standing)
    ]
  }
}

cells("pinned to a legacy revision", legacy, media.map(pinnedLegacy))

// ---- cells that a preset's versions cannot reach, and an owner's can

describe("a single-era table whose owner allows more revisions", () => {
  const all = (policy: Policy.Policy): Policy.Policy => Policy.withVersions(policy, allVersions)
  const rows: ReadonlyArray<readonly [string, Policy.Policy, Happening, string]> = [
    [
      "handshakeOnly, Corrected: fails, and never discovers",
      all(Policy.handshakeOnly),
      unsupported("2026-07-28"),
      "Unsupported 2025-11-25 listed 2026-07-28"
    ],
    [
      "pinned to a modern revision, Countered: fails, and never initializes",
      all(modern),
      unsupported("2025-11-25"),
      "Unsupported 2026-07-28 listed 2025-11-25"
    ],
    [
      "pinned to a legacy revision, Corrected: fails, and never discovers",
      all(legacy),
      unsupported("2026-07-28"),
      "Unsupported 2025-11-25 listed 2026-07-28"
    ],
    [
      "pinned to a legacy revision, Countered: fails, and never counters",
      all(legacy),
      badParams("2024-11-05"),
      "Unsupported 2025-11-25 listed 2024-11-05"
    ]
  ]
  for (const medium of media) {
    it.each(rows)(`%s, on ${medium.name}`, (_, policy, happening, reason) => {
      const step = play(policy, medium, happening)
      expect(step.state._tag === "Failed" ? reasonText(step.state.reason) : step.state._tag).toBe(reason)
      expect(step.commands.map(commandText)).toEqual(closing(1))
    })
  }
})

describe("every table", () => {
  it.each([...Object.values(Policy.presets), modern, legacy].map((policy) => [policy.name, policy] as const))(
    "of %s answers every evidence in every state, with a reason",
    (_, policy) => {
      for (const state of states) {
        for (const evidence of evidences) {
          const { because, move } = policy.fallback[state][evidence]
          expect(because.length, `${state} ${evidence}`).toBeGreaterThan(10)
          expect(move.name).not.toBe("")
        }
      }
      expect(Object.keys(policy.fallback).toSorted()).toEqual([...states].toSorted())
      expect(Object.keys(policy.fallback.Initializing).toSorted()).toEqual([...evidences].toSorted())
    }
  )

  it("is looked up by Client.cellOf", () => {
    const { state } = Client.begin(Policy.auto, stdio)
    if (state._tag !== "Initializing") throw new Error(state._tag)
    expect(Client.cellOf(Policy.auto, state, "Agreed")).toBe(Policy.auto.fallback.Initializing.Agreed)
  })
})
