import { describe, expect, it } from "@effect/vitest"
import { isLogLevel, levels, reaches } from "@parley/core/server/LogLevel"

describe("LogLevel", () => {
  it("knows the eight severities of RFC 5424, and nothing else", () => {
    expect(levels).toEqual(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])
    expect(levels.every(isLogLevel)).toBe(true)
    for (const other of ["", "Debug", "warn", 3, null, undefined, ["debug"]]) expect(isLogLevel(other)).toBe(false)
  })

  it("lets a message through to who asked for its level or a lesser one", () => {
    for (const [rank, level] of levels.entries()) {
      for (const [other, asked] of levels.entries()) expect(reaches(level, asked)).toBe(rank >= other)
    }
  })
})
