import type { Report } from "@parley/cli/conform/Report"
import { conforms, documentOf } from "@parley/cli/conform/Report"
import { lines } from "@parley/cli/render/Conformance"
import { coloured, plain } from "@parley/cli/render/Style"
import { describe, expect, it } from "vitest"
import { dangerous, hostile } from "../Fixture.ts"

const clause = { level: "MUST", place: "basic/index#meta", says: "index, _meta: every request carries it" } as const
const difference = (came: string, expected = "initialize at 2025-11-25") => ({
  about: "server/discover",
  expected,
  came,
  clause
})
const report: Report = {
  side: "server",
  subject: `node ${"a-very-long-name ".repeat(12)}`,
  medium: "stdio",
  heldTo: "dual",
  facts: {
    profile: "dual",
    legacy: ["2025-11-25"],
    listed: Array.from({ length: 30 }, (_, index) => `2026-07-${index}`),
    capabilities: [],
    tools: []
  },
  verdicts: [
    { id: "server/dual@stdio/one", differences: [difference(hostile)], wire: [`12 ms > ${hostile}${"x".repeat(300)}`] },
    { id: "server/dual@stdio/two", differences: [difference(hostile, "initialize at 2025-06-18")], wire: [] },
    { id: "server/dual@stdio/three", differences: [], wire: [] },
    {
      id: "server/dual@stdio/four",
      differences: [{ ...difference("none"), clause: { level: "choice", place: "", says: "Parley's own" } }],
      wire: []
    }
  ],
  leftOut: [
    { id: "a", why: "it has no logging" },
    { id: "b", why: "it has no logging" }
  ]
}

describe("lines", () => {
  const told = lines(report, plain, 80, true)

  it("tells the counts, each kind once with its examples, the binding ones first, and what was left out", () => {
    const text = told.join("\n")
    expect(text).toContain("4 conversations, 1 as told, 3 otherwise, 2 left out")
    expect(text).toContain("2x server/discover MUST\n  expected  initialize at 2025-11-25 or initialize at 2025-06-18")
    expect(text.indexOf("2x")).toBeLessThan(text.indexOf("1x server/discover choice"))
    expect(text).toContain("such as   server/dual@stdio/one")
    expect(text).toContain("  2 because it has no logging")
  })

  it("keeps to 80 columns and lets no peer steer a terminal", () => {
    for (const line of told) {
      expect(line.length).toBeLessThanOrEqual(80)
      expect(line).not.toMatch(dangerous)
    }
  })

  it("emphasises only where colour is wanted", () => {
    expect(told.join("")).not.toContain("\u001b")
    expect(lines(report, coloured, 80, false).join("")).toContain("\u001b[31m3 otherwise")
  })
})

describe("a report", () => {
  it("conforms where something was held and nothing differs", () => {
    expect(conforms(report)).toBe(false)
    expect(conforms({ ...report, verdicts: [] })).toBe(false)
    expect(conforms({ ...report, verdicts: report.verdicts.slice(2, 3) })).toBe(true)
  })

  it("is a document with the wire of what differs, and the names of the rest", () => {
    const { conforming, counts, differing, kinds } = documentOf(report)
    expect(counts).toEqual({ held: 4, conform: 1, differ: 3, leftOut: 2 })
    expect(conforming).toEqual(["server/dual@stdio/three"])
    expect(differing).toHaveLength(3)
    expect(kinds.map(({ ids }) => ids.length)).toEqual([2, 1])
  })
})
