import * as Client from "@parley/core/client/Client"
import * as Policy from "@parley/core/client/Policy"
import { stdio } from "@parley/core/Medium"
import * as SdkCapabilities from "@parley/adapters/SdkCapabilities"
import * as SdkOpening from "@parley/adapters/SdkOpening"
import { describe, expect, it } from "@effect/vitest"

const identity = { info: { name: "me", version: "1", title: "Me" }, capabilities: { roots: {} } }
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", clientInfo: identity.info, capabilities: identity.capabilities }
}
const discover = {
  jsonrpc: "2.0",
  id: "server-discover-probe-1",
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": identity.info,
      "io.modelcontextprotocol/clientCapabilities": identity.capabilities
    }
  }
}

describe("reading an opening", () => {
  it("takes who the client is and what it offers from either message", () => {
    expect(SdkOpening.read(initialize)).toEqual({ method: "initialize", id: 0, offered: "2025-06-18", identity })
    expect(SdkOpening.read(discover)).toEqual({
      method: "server/discover",
      id: "server-discover-probe-1",
      offered: "2026-07-28",
      identity
    })
  })

  it("takes a probe without client info, which is optional there", () => {
    const { "io.modelcontextprotocol/clientInfo": _, ...meta } = discover.params._meta
    expect(SdkOpening.read({ ...discover, params: { _meta: meta } })?.identity).toEqual({
      info: { name: "unknown", version: "0" },
      capabilities: identity.capabilities
    })
  })

  it("takes nothing else for an opening", () => {
    for (const value of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: discover.params },
      { jsonrpc: "2.0", method: "initialize" },
      { jsonrpc: "2.0", id: 1, result: {} },
      [initialize],
      "initialize",
      undefined
    ]) {
      expect(SdkOpening.read(value)).toBeUndefined()
    }
  })
})

describe("what a policy may agree on with a client", () => {
  const { sdk1, sdk2 } = SdkCapabilities
  const offering = (offered: string) => ({ method: "initialize", offered }) as const

  it("is no newer than the handshake offers, and says so", () => {
    const policy = SdkOpening.allow(Policy.handshakeOnly, sdk1, offering("2025-03-26"), undefined)
    expect(policy.versions).toEqual(["2024-11-05", "2025-03-26"])
    expect(policy.lacking).toBe("It offers 2025-03-26 at most: a newer release of its SDK speaks later revisions.")
  })

  it("has no modern revision on 1.x, and says what to install", () => {
    const policy = SdkOpening.allow(Policy.auto, sdk1, offering("2025-11-25"), undefined)
    expect(policy.versions).toEqual(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
    expect(policy.lacking).toBe(sdk1.lacking)
  })

  it("is untouched on 2.x that offers the newest handshake", () => {
    const supported = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]
    expect(SdkOpening.allow(Policy.auto, sdk2, offering("2025-11-25"), supported)).toBe(Policy.auto)
    expect(SdkOpening.allow(Policy.auto, sdk2, { method: "server/discover", offered: "2026-07-28" }, supported)).toBe(
      Policy.auto
    )
  })

  it("keeps to the list that 2.x hands to its transport, in either era", () => {
    const narrow = (supported: ReadonlyArray<string>) =>
      SdkOpening.allow(Policy.auto, sdk2, offering("2025-11-25"), supported).versions
    expect(narrow(["2025-11-25"])).toEqual(["2025-11-25", "2026-07-28"])
    expect(narrow(["2025-11-25", "2027-01-01"])).toEqual(["2025-11-25"])
    expect(narrow(["2026-07-28"])).toEqual(["2026-07-28"])
  })

  it("forbids a pinned revision that the client cannot speak, before a byte is sent", () => {
    for (const [policy, opening] of [
      [Policy.pinned("2026-07-28"), offering("2025-11-25")],
      [Policy.pinned("2025-11-25"), offering("2025-03-26")]
    ] as const) {
      const step = Client.begin(SdkOpening.allow(policy, sdk1, opening, undefined), stdio)
      expect(step.commands).toEqual([])
      expect(step.state._tag === "Failed" && step.state.reason._tag).toBe("PolicyForbids")
    }
  })

  it("says in the first step of the trace what is lacking, for auto and for discoverFirst", () => {
    for (const policy of [Policy.auto, Policy.discoverFirst]) {
      const allowed = SdkOpening.allow(policy, sdk1, offering("2025-11-25"), undefined)
      const step = Client.begin(allowed, stdio)
      expect(step.trace).toMatchObject({ move: "initialize", next: "Initializing" })
      expect(step.trace?.because).toContain("official SDK 1.x")
    }
  })
})
