import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Version from "@parley/core/Version"

describe("Version", () => {
  it("knows the published revisions, oldest first", () => {
    expect(Version.legacyVersions).toEqual(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
    expect(Version.modernVersions).toEqual(["2026-07-28"])
    expect(Version.allVersions).toEqual([...Version.legacyVersions, ...Version.modernVersions])
    expect(Version.newestLegacy).toBe(Version.newest(Version.legacyVersions))
    expect(Version.newestModern).toBe(Version.newest(Version.modernVersions))
    expect(Version.allVersions.toSorted()).toEqual(Version.allVersions)
  })

  it.each([
    ["2024-11-05", "legacy"],
    ["2025-11-25", "legacy"],
    ["0000-00-00", "legacy"],
    ["2025-11-26", "modern"],
    ["2026-07-28", "modern"],
    ["9999-99-99", "modern"],
    ["", undefined],
    ["draft", undefined],
    ["2026-7-28", undefined],
    ["20260728", undefined],
    [" 2026-07-28", undefined],
    ["2026-07-28 ", undefined],
    ["2026-07-28\n", undefined],
    ["2026-07-28-rc", undefined],
    ["２０２６-07-28", undefined],
    ["2026/07/28", undefined],
    ["2026-07/28", undefined],
    ["2026-07-2 ", undefined],
    ["-026-07-28", undefined],
    ["2026-07-2:", undefined]
  ] as const)("%j is of the era %s", (text, era) => {
    expect(Version.eraOf(text)).toBe(era)
    expect(Version.isRevision(text)).toBe(era !== undefined)
    expect(Version.isLegacy(text)).toBe(era === "legacy")
    expect(Version.isModern(text)).toBe(era === "modern")
  })

  it.each([
    [[], undefined, undefined, undefined],
    [["2025-06-18"], "2025-06-18", "2025-06-18", undefined],
    [["2025-06-18", "2024-11-05"], "2025-06-18", "2025-06-18", undefined],
    [["2024-11-05", "2026-07-28", "2025-03-26"], "2026-07-28", "2025-03-26", "2026-07-28"],
    [["2026-07-28", "2027-01-01"], "2027-01-01", undefined, "2027-01-01"],
    [["draft"], "draft", undefined, undefined]
  ] as const)("the newest of %j is %s, of legacy %s, of modern %s", (versions, newest, legacy, modern) => {
    expect(Version.newest(versions)).toBe(newest)
    expect(Version.newestOf("legacy", versions)).toBe(legacy)
    expect(Version.newestOf("modern", versions)).toBe(modern)
  })

  it.prop("every text has at most one era", [Schema.String], ([text]) => {
    expect(Version.isLegacy(text) && Version.isModern(text)).toBe(false)
    expect(Version.isLegacy(text) || Version.isModern(text)).toBe(Version.isRevision(text))
  })
})
