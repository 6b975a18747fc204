// The one line for a person, and the warnings beside it.
import { describe, expect, it } from "vitest"
import { coloured, plain } from "@parley/cli/render/Style"
import { summary, warnings } from "@parley/cli/render/Summary"
import { agreed, agreement, dangerous, hostile } from "../Fixture.ts"

describe("summary", () => {
  it("says who, which revision and era, what it can do, and what it cost", () => {
    expect(summary(agreed(), agreement, plain)).toBe(
      "everything 2.0.0 speaks 2025-11-25 (legacy): tools, prompts. 1 round trip, 84 ms."
    )
  })

  it("names what else a discovered server lists, and a server that says nothing of itself", () => {
    const discovered = {
      ...agreement,
      version: "2026-07-28",
      era: "modern",
      serverInfo: undefined,
      capabilities: {},
      discovered: { supportedVersions: ["2026-07-28", "2025-11-25"], ttlMs: 0, cacheScope: "private", result: {} }
    } as const
    expect(summary(agreed({}, { roundTrips: 2 }), discovered, plain)).toBe(
      "A server without a name speaks 2026-07-28 (modern, lists also 2025-11-25): no capabilities. 2 round trips, 84 ms."
    )
  })

  it("stays one short harmless line, whatever the server calls itself", () => {
    const evil = {
      ...agreement,
      serverInfo: { name: hostile.repeat(1000), version: hostile.repeat(1000) },
      capabilities: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${hostile}${index}`, {}])),
      discovered: {
        supportedVersions: Array.from({ length: 5000 }, () => hostile),
        ttlMs: 0,
        cacheScope: "private",
        result: {}
      }
    } as const
    const line = summary(agreed(), evil, plain)
    expect(line).not.toMatch(dangerous)
    expect(line).not.toContain("\n")
    expect(line.length).toBeLessThan(1200)
    expect(line).toContain("and 4988 more")
  })

  it("colours what matters on a terminal", () => {
    expect(summary(agreed(), agreement, coloured)).toContain("\u001b[32m2025-11-25\u001b[0m")
  })
})

describe("warnings", () => {
  it("are empty where all is well", () => {
    expect(warnings(agreement)).toEqual([])
  })

  it("are the agreement's own, harmless and bounded", () => {
    const lines = warnings({ ...agreement, warnings: Array.from({ length: 100 }, () => hostile) })
    expect(lines).toHaveLength(20)
    expect(lines.join("\n")).not.toMatch(dangerous)
  })
})
