import { describe, expect, it } from "@effect/vitest"
import { compile, complete } from "@parley/core/server/Compiled"
import * as Profile from "@parley/core/server/Profile"
import { allVersions, legacyVersions, modernVersions } from "@parley/core/Version"
import * as Sample from "./support/Samples.ts"

const everything = {
  tools: { listChanged: true },
  prompts: {},
  resources: { subscribe: true },
  completions: {},
  logging: {},
  tasks: { list: {}, cancel: {} }
}

describe("Profile", () => {
  it("serves every published revision, one era, or any set of revisions", () => {
    expect(Profile.dual(Sample.options).versions).toEqual(allVersions)
    expect(Profile.modernOnly(Sample.options).versions).toEqual(modernVersions)
    expect(Profile.handshakeOnly(Sample.options).versions).toEqual(legacyVersions)
    const some = compile(
      Profile.make({ ...Sample.options, versions: ["2024-11-05", "2027-01-01", "2026-07-28", "2024-11-05"] })
    )
    expect(some.supported).toEqual(["2027-01-01", "2026-07-28", "2024-11-05"])
    expect(some.newestLegacy).toBe("2024-11-05")
    expect([some.servesModern, some.servesLegacy]).toEqual([true, true])
  })

  it("has the defaults of the design", () => {
    expect(Profile.make(Sample.options)).toMatchObject({
      origins: ["loopback"],
      hosts: ["loopback"],
      sessions: "issued",
      interleave: "admit",
      limits: { bodyBytes: 4_194_304, lineBytes: 4_194_304, batch: 100 },
      deadlines: { openingMillis: 30_000, idleMillis: 1_800_000 }
    })
    expect(Profile.make({ ...Sample.options, limits: { batch: 3 } }).limits).toMatchObject({
      batch: 3,
      bodyBytes: 4_194_304
    })
  })

  it("derives the methods of each era from the capabilities", () => {
    expect(Profile.methodsOf({})).toEqual({ legacy: [], modern: [] })
    expect(Profile.methodsOf({ tools: {} })).toEqual({
      legacy: ["tools/list", "tools/call"],
      modern: ["tools/list", "tools/call"]
    })
    const { legacy, modern } = Profile.methodsOf(everything)
    expect(legacy.filter((method) => !modern.includes(method))).toEqual([
      "resources/subscribe",
      "resources/unsubscribe",
      "logging/setLevel",
      "tasks/get",
      "tasks/result",
      "tasks/list",
      "tasks/cancel"
    ])
    expect(modern.filter((method) => !legacy.includes(method))).toEqual(["subscriptions/listen"])
    expect(Profile.make({ ...Sample.options, methods: { modern: ["x/y"] } }).methods).toEqual({
      legacy: ["tools/list", "tools/call", "logging/setLevel"],
      modern: ["x/y"]
    })
  })

  it("finds the header parameters of tools, and tells which tools are invalid", () => {
    const region = { type: "string", "x-mcp-header": "Region" }
    const { problems, toolHeaders } = Profile.toolHeadersOf([
      { name: "plain", inputSchema: { type: "object" } },
      { name: "deploy", inputSchema: { properties: { region } } },
      { name: "broken", inputSchema: { properties: { region, again: region } } }
    ])
    expect(toolHeaders.get("deploy")).toEqual([{ header: "Region", path: ["region"], type: "string" }])
    expect([toolHeaders.get("plain"), toolHeaders.get("broken")]).toEqual([undefined, undefined])
    expect(problems).toEqual(["The tool broken is invalid for HTTP clients: x-mcp-header Region is used twice."])
  })

  it("tells the owner what is wrong with it, and serves the rest", () => {
    expect(Profile.problems(Profile.make(Sample.options))).toEqual([])
    const wrong = Profile.make({
      ...Sample.options,
      versions: ["latest"],
      methods: { modern: ["ping"] },
      limits: { batch: 0 },
      deadlines: { idleMillis: Number.NaN },
      caching: { default: { ttlMs: -1, cacheScope: "public" } }
    })
    expect(Profile.problems(wrong)).toHaveLength(6)
    for (const value of [Sample.initialize(1), Sample.discover(1), Sample.legacy(1), Sample.ping(1)]) {
      expect(Sample.said(Sample.post(compile(wrong), value, Sample.modernHeaders(value)).commands)[0]).toMatch(
        /^refuse 1 /
      )
    }
  })
})

describe("Compiled", () => {
  const compiled = compile(
    Profile.dual({
      ...Sample.options,
      instructions: "Ask kindly.",
      caching: {
        default: { ttlMs: 5, cacheScope: "public" },
        methods: { "resources/read": { ttlMs: 1, cacheScope: "private" } }
      }
    })
  )
  const serverInfo = { "io.modelcontextprotocol/serverInfo": Sample.options.serverInfo }

  it("completes a modern result: its type, who serves, and a hint where the specification demands one", () => {
    expect(complete(compiled, "tools/list", { tools: [] })).toEqual({
      resultType: "complete",
      tools: [],
      ttlMs: 5,
      cacheScope: "public",
      _meta: serverInfo
    })
    expect(complete(compiled, "resources/read", {})).toMatchObject({ ttlMs: 1, cacheScope: "private" })
    expect(complete(compiled, "tools/call", { content: [] })).toEqual({
      resultType: "complete",
      content: [],
      _meta: serverInfo
    })
  })

  it("keeps what the handler says itself", () => {
    expect(
      complete(compiled, "tools/list", {
        tools: [],
        resultType: "complete",
        ttlMs: 9,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "other", version: "2" }, mine: 1 }
      })
    ).toMatchObject({
      ttlMs: 9,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "other" }, mine: 1 }
    })
    expect(complete(compiled, "x/y", { resultType: "task" })["resultType"]).toBe("task")
  })

  it("gives no hint to an input_required", () => {
    const result = complete(compiled, "resources/read", { resultType: "input_required", requestState: "s" })
    expect(result).toEqual({ resultType: "input_required", requestState: "s", _meta: serverInfo })
  })

  it("answers both openings with the instructions", () => {
    expect(compiled.discovered).toMatchObject({ instructions: "Ask kindly.", ttlMs: 5, cacheScope: "public" })
    expect(compiled.initialized).toMatchObject({ instructions: "Ask kindly." })
  })
})
