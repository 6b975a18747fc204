import { describe, expect, it } from "@effect/vitest"
import { demand, judge, policies } from "@parley/interop/ParleyAsClient"
import { meets } from "@parley/interop/ParleyAsServer"
import { because } from "@parley/interop/Reasons"

const unsupported = "UnsupportedProtocolVersion"

describe("what a policy must come to with a server", () => {
  it.each([
    [
      { speaks: "dual", newestLegacy: "2025-11-25" } as const,
      [
        "legacy 2025-11-25",
        "legacy 2025-11-25",
        "modern 2026-07-28",
        "modern 2026-07-28",
        "legacy 2025-11-25",
        "modern 2026-07-28",
        "legacy 2025-06-18"
      ]
    ],
    [
      { speaks: "legacy", newestLegacy: "2025-03-26" } as const,
      [...Array.from({ length: 5 }, () => "legacy 2025-03-26"), unsupported, unsupported]
    ],
    [
      { speaks: "modern", newestLegacy: "2025-11-25" } as const,
      [...Array.from({ length: 4 }, () => "modern 2026-07-28"), unsupported, "modern 2026-07-28", unsupported]
    ]
  ])("%o", (peer, wanted) => {
    expect(policies.map((policy) => demand(peer, policy))).toEqual(wanted)
  })

  it("is the exit where the server ends at the probe and nothing else may be tried", () => {
    const peer = { speaks: "legacy", newestLegacy: "2025-03-26", probed: "exits" } as const
    expect(demand(peer, "pin:2026-07-28")).toBe("TransportFailure")
    expect(demand(peer, "discoverFirst")).toBe("legacy 2025-03-26")
  })

  it("is not met by another outcome, nor by a tool that cannot be called", () => {
    const peer = { speaks: "dual", newestLegacy: "2025-11-25" } as const
    expect(judge(peer, "auto", "legacy 2025-11-25", true)).toEqual([])
    expect(judge(peer, "auto", "modern 2026-07-28", false)).toEqual([
      "legacy 2025-11-25 was demanded, modern 2026-07-28 was seen.",
      "Its tool could not be called."
    ])
  })
})

describe("meets", () => {
  it("wants an era that both have", () => {
    expect([meets("dual", "modern"), meets("legacy", "dual"), meets("legacy", "legacy")]).toEqual([true, true, true])
    expect([meets("legacy", "modern"), meets("modern", "legacy")]).toEqual([false, false])
  })
})

describe("because", () => {
  it("explains what is known and nothing else", () => {
    expect(because({ seed: "Python auto", case: "1b-status-401" })).toMatch(/credential/)
    expect(because({ seed: "TypeScript auto", case: "1b-body-html" })).toMatch(/intermediary/)
    expect(because({ seed: "Python auto", case: "1b-body-html" })).toBeUndefined()
    expect(because({ seed: "Python auto", case: "1b-sse" })).toBeUndefined()
  })
})
