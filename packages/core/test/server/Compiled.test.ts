import { describe, expect, it } from "@effect/vitest"
import { compile, complete } from "@parley/core/server/Compiled"
import { mostDeep } from "@parley/core/server/Identity"
import * as Profile from "@parley/core/server/Profile"
import * as Sample from "./support/Samples.ts"

describe("Profile.problems", () => {
  const dual = Profile.dual(Sample.options)
  it("are none for a preset, and one sentence for each mistake", () => {
    expect(Profile.problems(dual)).toEqual([])
    const wrong: Profile.Profile = {
      ...dual,
      versions: ["2026-07-28", "latest"],
      methods: { ...dual.methods, modern: ["ping"] },
      limits: { ...dual.limits, batch: 0 },
      deadlines: { ...dual.deadlines, idleMillis: -1 },
      caching: {
        default: { ttlMs: 0.5, cacheScope: "private" },
        methods: { a: { ttlMs: -1, cacheScope: "private" }, b: { ttlMs: 0, cacheScope: "private" } }
      }
    }
    expect(Profile.problems(wrong)).toEqual([
      "The version latest is no revision date and is not served.",
      "The method ping does not exist in the modern era.",
      "The limit batch is 0; it must be more than 0.",
      "The deadline idleMillis is -1; it must be more than 0.",
      "The cache hint ttlMs 0.5 is no integer from 0; 0 is sent instead.",
      "The cache hint ttlMs -1 is no integer from 0; 0 is sent instead."
    ])
    expect(Profile.problems({ ...dual, versions: ["latest"] })).toContain(
      "The profile serves no revision: every opening is refused."
    )
  })

  it("compile to a server that leaves such parts out", () => {
    expect(compile({ ...dual, versions: ["2026-07-28", "latest"] }).supported).toEqual(["2026-07-28"])
  })
})

describe("Profile.methodsOf", () => {
  it("lists the methods of each capability", () => {
    const of = (capabilities: object): string => Profile.methodsOf({ ...capabilities }).modern.join(" ")
    expect(of({})).toBe("")
    expect(of({ tools: {} })).toBe("tools/list tools/call")
    expect(of({ prompts: {} })).toBe("prompts/list prompts/get")
    expect(of({ resources: {} })).toBe("resources/list resources/templates/list resources/read")
    expect(of({ completions: {} })).toBe("completion/complete")
    expect(of({ prompts: { listChanged: true } })).toContain("subscriptions/listen")
    const legacy = Profile.methodsOf({
      resources: { subscribe: true },
      logging: {},
      tasks: { list: {}, cancel: {} }
    }).legacy
    expect(legacy.slice(3)).toEqual([
      "resources/subscribe",
      "resources/unsubscribe",
      "logging/setLevel",
      "tasks/get",
      "tasks/result",
      "tasks/list",
      "tasks/cancel"
    ])
  })
})

describe("Profile.make", () => {
  it("waits as long as the docstrings say for an opening, in an idle session, and for a client's answer", () => {
    expect(Profile.dual(Sample.options).deadlines).toEqual({
      openingMillis: 30_000,
      idleMillis: 1_800_000,
      askMillis: 300_000
    })
  })
})

describe("Profile.methodsOf, of a capability that is no object", () => {
  it("lists no method", () => {
    for (const none of [true, null, 7, "tools", ["list"]]) {
      expect(Profile.methodsOf({ tools: none, logging: none })).toEqual({ legacy: [], modern: [] })
    }
  })
})

describe("Compiled.compile", () => {
  it("says no instructions where the owner gives none", () => {
    const { discovered, initialized } = compile(Profile.dual(Sample.options))
    expect(discovered).not.toHaveProperty("instructions")
    expect(initialized).not.toHaveProperty("instructions")
  })

  it("keeps every requirement of a method, in the order of the profile", () => {
    const requires = [
      { method: "tools/call", name: "ask", capabilities: { sampling: {} } },
      { method: "prompts/get", capabilities: { roots: {} } },
      { method: "tools/call", capabilities: { elicitation: {} } }
    ]
    const compiled = compile(Profile.dual({ ...Sample.options, requires }))
    expect([...compiled.requires]).toEqual([
      [
        "tools/call",
        [
          { name: "ask", capabilities: { sampling: {} } },
          { name: undefined, capabilities: { elicitation: {} } }
        ]
      ],
      ["prompts/get", [{ name: undefined, capabilities: { roots: {} } }]]
    ])
  })
})

describe("Compiled.complete", () => {
  const hinted = (ttlMs: number): unknown =>
    complete(
      compile(
        Profile.dual({
          ...Sample.options,
          caching: {
            default: { ttlMs: 5, cacheScope: "public" },
            methods: { "tools/list": { ttlMs, cacheScope: "private" } }
          }
        })
      ),
      "tools/list",
      {}
    )

  it("sends a hint that is an integer from 0, and 0 for any other", () => {
    for (const ttlMs of [0, 1, 7]) expect(hinted(ttlMs)).toMatchObject({ ttlMs, cacheScope: "private" })
    for (const ttlMs of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(hinted(ttlMs)).toMatchObject({ ttlMs: 0 })
  })
})

describe("An initialize tells what of it is malformed", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
  it.each([
    [{ protocolVersion: 7 }, "params.protocolVersion: it is no string"],
    [{ protocolVersion: undefined }, "params.protocolVersion: it is absent"],
    [{ capabilities: 7 }, "params.capabilities: it is no object"],
    [{ clientInfo: 7 }, "params.clientInfo: it is no object"],
    [{ clientInfo: { version: "1" } }, "params.clientInfo.name: it is absent"],
    [{ clientInfo: { name: 7, version: "1" } }, "params.clientInfo.name: it is no string"],
    [{ clientInfo: { name: "x", version: 1 } }, "params.clientInfo.version: it is no string"],
    [
      { capabilities: nested(mostDeep + 1) },
      `params.capabilities: it is larger than ${Sample.dual.profile.limits.identityCharacters} characters`
    ]
  ])("%j: %s", (changes, problem) => {
    const { commands } = Sample.post(Sample.dual, Sample.initialize(1, "2025-11-25", changes))
    const [command] = commands
    if (command?._tag !== "Refuse") throw new Error("it was not refused")
    const { problem: found } = command.refusal
    if (found._tag !== "MalformedInit") throw new Error(found._tag)
    expect(`${found.path}: ${found.problem}`).toBe(problem)
  })
})
