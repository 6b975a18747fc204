import type { Agreement } from "@parley/core/Agreement"
import * as Handed from "@parley/adapters/Handed"
import { describe, expect, it } from "@effect/vitest"

const base = {
  capabilities: {},
  offered: "",
  named: "",
  client: { info: { name: "me", version: "1" }, capabilities: {} },
  warnings: [],
  trace: []
}
const modern = (result: Record<string, unknown>, supportedVersions: ReadonlyArray<string>): Agreement => ({
  ...base,
  version: "2026-07-28",
  era: "modern",
  discovered: { supportedVersions, ttlMs: 0, cacheScope: "private", result }
})

describe("the answer that a client is to see", () => {
  it("is the InitializeResult as it came, with the revision that is held", () => {
    const agreement: Agreement = { ...base, version: "2025-11-25", era: "legacy" }
    const result = { protocolVersion: "2026-07-28", capabilities: { tools: {} }, serverInfo: {}, _meta: { a: 1 } }
    expect(Handed.answerOf(agreement, result)).toEqual({ ...result, protocolVersion: "2025-11-25" })
    expect(Handed.answerOf(agreement, undefined)).toBeUndefined()
  })

  it("names no modern revision but the agreed one, so that the client picks that", () => {
    const versions = ["2027-05-05", "2026-07-28", "2025-11-25", "draft"]
    const answer = Handed.answerOf(
      modern({ supportedVersions: versions, capabilities: {}, other: 1 }, versions),
      undefined
    )
    expect(answer).toMatchObject({
      supportedVersions: ["2026-07-28", "2025-11-25", "draft"],
      capabilities: {},
      other: 1
    })
  })

  it("says what the absence of an optional member means, since some SDKs demand it", () => {
    const versions = ["2026-07-28"]
    expect(Handed.answerOf(modern({ supportedVersions: versions, capabilities: {} }, versions), undefined)).toEqual({
      supportedVersions: versions,
      capabilities: {},
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private"
    })
  })
})
