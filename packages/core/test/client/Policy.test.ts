// What a client's owner wants: the presets as data, reading a setting, and deriving a policy of one's own.
import { describe, expect, it } from "@effect/vitest"
import * as Client from "@parley/core/client/Client"
import * as Policy from "@parley/core/client/Policy"
import { fail, initialize } from "@parley/core/client/Moves"
import { cell } from "@parley/core/client/Table"
import { http, stdio } from "@parley/core/Medium"
import { allVersions, legacyVersions } from "@parley/core/Version"
import { commandText, methodMissing, names, play, silence, stateText } from "./support/Play.ts"

const { auto, discoverFirst, handshakeOnly, hermes, stateless } = Policy

describe("presets", () => {
  it.each([
    [auto, "auto", "initialize", allVersions],
    [hermes, "hermes", "initialize", allVersions],
    [discoverFirst, "discoverFirst", "discover", allVersions],
    [stateless, "stateless", "discover", allVersions],
    [handshakeOnly, "handshakeOnly", "initialize", legacyVersions]
  ] as const)("%# is what it says", (policy, name, open, versions) => {
    expect(policy).toMatchObject({ name, open, versions })
    expect(Policy.presets[name]).toBe(policy)
    expect(policy.budgets).toEqual({
      probeMillis: 10_000,
      exchangeMillis: 30_000,
      negotiationMillis: 60_000,
      outOfTurn: 64,
      noise: 256
    })
  })

  it("pinned to a modern revision discovers it alone", () => {
    expect(Policy.pinned("2026-07-28")).toMatchObject({ open: "discover", versions: ["2026-07-28"] })
    expect(Policy.pinned("2099-01-01")).toMatchObject({ open: "discover", versions: ["2099-01-01"] })
  })

  it("pinned to a legacy revision initializes at it alone", () => {
    expect(Policy.pinned("2025-03-26")).toMatchObject({ open: "initialize", versions: ["2025-03-26"] })
    expect(Client.begin(Policy.pinned("2025-03-26"), stdio).commands.map(commandText)).toContain(
      "initialize 1 2025-03-26"
    )
  })

  it.each(["draft", "", "2026-7-28", "x".repeat(10_000)])("pinned to %.12s, no revision, forbids itself", (text) => {
    const policy = Policy.pinned(text)
    const { commands, state } = Client.begin(policy, stdio)
    expect(state._tag === "Failed" && state.reason._tag).toBe("PolicyForbids")
    expect(commands).toEqual([])
    expect(policy.name.length).toBeLessThan(80)
  })
})

describe("Policy.preferredProtocolVersion", () => {
  it.each([
    [auto, "2025-11-25"],
    [hermes, "2025-11-25"],
    [discoverFirst, "2026-07-28"],
    [stateless, "2026-07-28"],
    [handshakeOnly, "2025-11-25"],
    [Policy.pinned("2024-11-05"), "2024-11-05"],
    [Policy.pinned("2026-07-28"), "2026-07-28"],
    [Policy.narrow(discoverFirst, ["legacy"]), "2025-11-25"],
    [Policy.narrow(auto, ["modern"]), "2026-07-28"],
    [Policy.withVersions(auto, ["2025-03-26", "2025-06-18", "2024-11-05"]), "2025-06-18"],
    [Policy.withVersions(auto, []), undefined],
    [Policy.pinned("draft"), undefined]
  ] as const)("%#. of $name is what it leads with", (policy, version) => {
    expect(Policy.preferredProtocolVersion(policy)).toBe(version)
    const first = Client.begin(policy, http).commands.find(({ _tag }) => _tag.startsWith("Send"))
    expect(first === undefined ? undefined : "version" in first && first.version).toBe(version)
  })
})

describe("Policy.fromSetting", () => {
  it.each([
    ["auto", auto],
    ["AUTO", auto],
    [" auto ", auto],
    ["hermes", hermes],
    ["legacy", handshakeOnly],
    ["Legacy", handshakeOnly],
    ["handshake", handshakeOnly],
    ["handshakeOnly", handshakeOnly],
    ["handshake-only", handshakeOnly],
    ["handshake_only", handshakeOnly],
    ["stateless", stateless],
    ["modern", stateless],
    ["2026-07-28", stateless],
    ["discoverFirst", discoverFirst],
    ["discover-first", discoverFirst],
    ["discoverfirst", discoverFirst]
  ])("reads %j without a warning", (text, policy) => {
    const setting = Policy.fromSetting(text)
    expect(setting.policy).toBe(policy)
    expect(setting).not.toHaveProperty("warning")
  })

  it.each([
    ["pin:2026-07-28", "2026-07-28"],
    ["pin:2025-06-18", "2025-06-18"],
    ["pinned:2025-06-18", "2025-06-18"],
    ["PIN: 2025-06-18", "2025-06-18"],
    ["pin:2099-01-01", "2099-01-01"]
  ])("reads %j as pinned", (text, version) => {
    expect(Policy.fromSetting(text)).toEqual({ policy: Policy.pinned(version) })
  })

  it.each(["", "yes", "2025-11-25", "20260728", "pin:", "pin:draft", "pin:2025-6-18", "pinned", "legacy,modern"])(
    "warns of %j and means auto",
    (text) => {
      const { policy, warning } = Policy.fromSetting(text)
      expect(policy).toBe(auto)
      expect(warning).toContain(JSON.stringify(text))
      expect(warning).toContain("auto is used")
    }
  )

  it("warns in one short line, whatever it was given", () => {
    const { warning } = Policy.fromSetting(`\u001b[31m\n${"x".repeat(100_000)}`)
    expect(warning?.length).toBeLessThan(400)
    // oxlint-disable-next-line no-control-regex
    expect(warning).not.toMatch(/[\u0000-\u001f]/)
  })

  it.each(["__proto__", "constructor", "toString"])("finds nothing under %s", (text) => {
    expect(Policy.fromSetting(text).policy).toBe(auto)
    expect(Policy.fromSetting(text).warning).toBeDefined()
  })
})

describe("Policy.override", () => {
  const cellOfMine = cell(initialize, "my servers are slow")
  const mine = Policy.override(auto, "Initializing", "Silence", cellOfMine)

  it("replaces one cell, and the table is executed as written", () => {
    const step = play(mine, stdio, silence)
    expect(stateText(step.state)).toBe("Initializing 2025-11-25")
    expect(step.trace).toMatchObject({ move: "initialize", because: "my servers are slow" })
  })

  it("leaves every other cell and the preset itself as they were", () => {
    expect(mine.fallback.Discovering).toBe(auto.fallback.Discovering)
    expect(mine.fallback.Initializing).toEqual({ ...auto.fallback.Initializing, Silence: cellOfMine })
    expect(play(auto, stdio, silence).state._tag).toBe("Failed")
  })

  it("names the policy that it makes, so that a log can tell it from the preset", () => {
    expect(mine.name).toBe("auto+")
    expect(Policy.override(auto, "Holding", "Agreed", cell(fail, "no"), "strict").name).toBe("strict")
  })

  it("combines", () => {
    const both = Policy.override(mine, "Initializing", "MethodMissing", cell(fail, "never probe"))
    expect(play(both, stdio, methodMissing).state._tag).toBe("Failed")
    expect(play(both, stdio, silence).state._tag).toBe("Initializing")
  })
})

describe("Policy.withBudgets", () => {
  it("replaces the budgets that it names", () => {
    const policy = Policy.withBudgets(discoverFirst, { probeMillis: 500, negotiationMillis: 900 })
    expect(policy.budgets).toEqual({ ...Policy.defaultBudgets, probeMillis: 500, negotiationMillis: 900 })
    expect(Client.begin(policy, stdio).commands.map(commandText).slice(0, 2)).toEqual([
      "deadline negotiation 900",
      "deadline 1 500"
    ])
  })

  it("the probe's budget is for the opening probe on a pipe alone", () => {
    const deadline = (policy: Policy.Policy, medium = stdio): string | undefined =>
      Client.begin(policy, medium)
        .commands.map(commandText)
        .find((text) => text.startsWith("deadline 1"))
    expect(deadline(discoverFirst)).toBe("deadline 1 10000")
    expect(deadline(stateless)).toBe("deadline 1 10000")
    expect(deadline(discoverFirst, http)).toBe("deadline 1 30000")
    expect(deadline(auto)).toBe("deadline 1 30000")
    // Without a fallback there is no reason to give up early on a slow start.
    expect(deadline(Policy.pinned("2026-07-28"))).toBe("deadline 1 30000")
    expect(deadline(Policy.withBudgets(discoverFirst, { exchangeMillis: 200 }))).toBe("deadline 1 200")
    expect(play(auto, stdio, methodMissing).commands.map(commandText)).toContain("deadline 2 30000")
  })
})

describe("Policy.withVersions", () => {
  it("offers the newest of the era that it opens in, in any order", () => {
    const policy = Policy.withVersions(auto, ["2026-07-28", "2024-11-05", "2025-06-18"])
    expect(stateText(Client.begin(policy, stdio).state)).toBe("Initializing 2025-06-18")
    expect(stateText(play(policy, stdio, names("2026-07-28")).state)).toBe("Discovering 2026-07-28")
  })

  it("without any revision it forbids itself", () => {
    expect(Client.begin(Policy.withVersions(auto, []), stdio).state._tag).toBe("Failed")
    expect(Client.begin(Policy.withVersions(auto, ["draft"]), stdio).state._tag).toBe("Failed")
  })
})

describe("Policy.narrow", () => {
  it("keeps a policy as it is where nothing is missing", () => {
    expect(Policy.narrow(auto, ["legacy", "modern"])).toBe(auto)
    expect(Policy.narrow(handshakeOnly, ["legacy"])).toBe(handshakeOnly)
  })

  it("drops the revisions of the other era and says what is missing", () => {
    expect(Policy.narrow(auto, ["legacy"])).toEqual({
      ...auto,
      versions: legacyVersions,
      lacking: "This client cannot live in the modern era."
    })
    expect(Policy.narrow(auto, ["modern"], "Upgrade the SDK.")).toEqual({
      ...auto,
      versions: ["2026-07-28"],
      lacking: "Upgrade the SDK."
    })
  })

  it("says nothing of an era where only texts that are no revisions were dropped", () => {
    const policy = Policy.withVersions(auto, ["draft", "2025-11-25"])
    expect(Policy.narrow(policy, ["legacy", "modern"])).toEqual(Policy.withVersions(auto, ["2025-11-25"]))
  })

  it("a client that can live in no era forbids itself and says so", () => {
    const policy = Policy.narrow(auto, [])
    expect(policy.lacking).toBe("This client cannot live in the legacy or the modern era.")
    const { state } = Client.begin(policy, stdio)
    expect(state._tag === "Failed" && state.reason.message).toContain(policy.lacking)
  })
})
