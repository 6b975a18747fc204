import { describe, expect, it } from "@effect/vitest"
import * as Agreement from "@parley/core/Agreement"
import type { Settled } from "@parley/core/client/State"
import type { JsonObject } from "@parley/core/Message"

const client = { info: { name: "c", version: "1" }, capabilities: {} }
const settled = (method: Settled["method"], result: JsonObject, more: Partial<Settled> = {}): Settled => ({
  _tag: "Settled",
  version: method === "initialize" ? "2025-06-18" : "2026-07-28",
  named: method === "initialize" ? "2025-06-18" : "2026-07-28",
  offered: method === "initialize" ? "2025-11-25" : "2026-07-28",
  method,
  result,
  sessionId: undefined,
  strays: [],
  ...more
})

describe("Agreement.fromSettled", () => {
  it("holds what an InitializeResult says", () => {
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "2", title: "S" },
      instructions: "Be kind."
    }
    expect(Agreement.fromSettled(settled("initialize", result, { sessionId: "s1" }), client, ["w"], [])).toEqual({
      version: "2025-06-18",
      era: "legacy",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "2", title: "S" },
      instructions: "Be kind.",
      offered: "2025-11-25",
      named: "2025-06-18",
      client,
      sessionId: "s1",
      discovered: undefined,
      warnings: ["w"],
      trace: []
    })
  })

  it("holds what a DiscoverResult says, in the same shape; the server's name is in its _meta", () => {
    const result = {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      serverInfo: { name: "not here", version: "0" },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "2" } },
      ttlMs: 5000,
      cacheScope: "public"
    }
    expect(Agreement.fromSettled(settled("server/discover", result), client, [], [])).toMatchObject({
      version: "2026-07-28",
      era: "modern",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "2" },
      discovered: { supportedVersions: ["2026-07-28"], ttlMs: 5000, cacheScope: "public", result }
    })
  })

  it("keeps a held handshake's two revisions apart", () => {
    const result = { protocolVersion: "2026-07-28", capabilities: {}, serverInfo: {} }
    const agreement = Agreement.fromSettled(
      settled("initialize", result, { version: "2025-11-25", named: "2026-07-28" }),
      client,
      [],
      []
    )
    expect(agreement).toMatchObject({ version: "2025-11-25", named: "2026-07-28", era: "legacy" })
  })

  it.each<[string, unknown, unknown]>([
    ["no name", {}, undefined],
    ["a name that is no text", { name: 7, version: "1" }, undefined],
    ["no version", { name: "s" }, { name: "s", version: "" }],
    ["a version that is no text", { name: "s", version: 2 }, { name: "s", version: "" }]
  ])("a serverInfo with %s", (_, serverInfo, expected) => {
    expect(Agreement.fromSettled(settled("initialize", { serverInfo }), client, [], []).serverInfo).toEqual(expected)
  })

  it("takes nothing else for instructions or capabilities", () => {
    const agreement = Agreement.fromSettled(
      settled("initialize", { instructions: 7, capabilities: [] }),
      client,
      [],
      []
    )
    expect(agreement).toMatchObject({ instructions: undefined, capabilities: {} })
  })
})

describe("Agreement.discoveredOf", () => {
  it.each<[unknown, number]>([
    [undefined, 0],
    [0, 0],
    [-1, 0],
    [1500, 1500],
    ["1500", 0],
    [Number.POSITIVE_INFINITY, 0],
    [null, 0]
  ])("a ttlMs of %s is fresh for %d", (ttlMs, fresh) => {
    expect(Agreement.discoveredOf({ ttlMs }).ttlMs).toBe(fresh)
  })

  it.each<[unknown, string]>([
    [undefined, "private"],
    ["public", "public"],
    ["private", "private"],
    ["PUBLIC", "private"],
    [1, "private"]
  ])("a cacheScope of %s is %s", (cacheScope, scope) => {
    expect(Agreement.discoveredOf({ cacheScope }).cacheScope).toBe(scope)
  })
})

describe("Agreement.discoveredOf", () => {
  it("takes what is usable and a default for the rest", () => {
    const of = (result: JsonObject): object => {
      const { result: _, ...rest } = Agreement.discoveredOf(result)
      return rest
    }
    expect(of({ supportedVersions: ["a", 7, null, "b"], ttlMs: 1, cacheScope: "public" })).toEqual({
      supportedVersions: ["a", "b"],
      ttlMs: 1,
      cacheScope: "public"
    })
    for (const ttlMs of ["5", -1, Number.NaN, Number.POSITIVE_INFINITY, null, undefined]) {
      expect(of({ supportedVersions: "a", ttlMs, cacheScope: "shared" })).toEqual({
        supportedVersions: [],
        ttlMs: 0,
        cacheScope: "private"
      })
    }
  })
})
