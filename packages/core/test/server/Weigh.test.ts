import { describe, expect, it } from "@effect/vitest"
import { fromSchema } from "@parley/core/ToolHeaders"
import type { JsonObject } from "@parley/core/Message"
import { compile } from "@parley/core/server/Compiled"
import type { Compiled } from "@parley/core/server/Compiled"
import type { Evidence } from "@parley/core/server/Evidence"
import { bounded, isWithin } from "@parley/core/server/Identity"
import * as Profile from "@parley/core/server/Profile"
import { awaiting } from "@parley/core/server/State"
import { weigh } from "@parley/core/server/Weigh"
import * as Sample from "./support/Samples.ts"

const weighed = (value: unknown, compiled: Compiled = Sample.dual, headers = {}): Evidence =>
  weigh(compiled, awaiting, { _tag: "Received", value, ...(Object.keys(headers).length === 0 ? {} : { headers }) })

const pathOf = (value: unknown): string | undefined => {
  const evidence = weighed(value)
  return evidence._tag === "OpenedBadly" && evidence.refusal.problem._tag === "MalformedInit"
    ? evidence.refusal.problem.path
    : undefined
}

describe("Weigh, on initialize", () => {
  it("names the member that is malformed", () => {
    const rows: ReadonlyArray<readonly [JsonObject, string]> = [
      [{ protocolVersion: 1 }, "params.protocolVersion"],
      [{ capabilities: null }, "params.capabilities"],
      [{ capabilities: [] }, "params.capabilities"],
      [{ clientInfo: "me" }, "params.clientInfo"],
      [{ clientInfo: { version: "1" } }, "params.clientInfo.name"],
      [{ clientInfo: { name: "x" } }, "params.clientInfo.version"]
    ]
    for (const [changes, path] of rows) expect(pathOf(Sample.initialize(1, "2025-11-25", changes))).toBe(path)
    expect(pathOf(Sample.legacy(1, "initialize"))).toBe("params")
    expect(pathOf(Sample.legacy(1, "initialize", {}))).toBe("params.protocolVersion")
  })

  it("takes unknown members as they come", () => {
    expect(
      weighed(
        Sample.initialize(1, "2025-11-25", { nickname: "x", capabilities: { telescope: { aperture: 3 }, tools: {} } })
      )
    ).toMatchObject({ _tag: "Opened", client: { capabilities: { telescope: { aperture: 3 } } } })
  })

  it("keeps a bounded part of who the client is, and refuses capabilities that no session could keep", () => {
    const icons = [{ src: `data:image/png;base64,${"A".repeat(100_000)}` }]
    const evidence = weighed(
      Sample.initialize(1, "2025-11-25", { clientInfo: { name: "n".repeat(500), version: "1", icons } })
    )
    expect(evidence).toMatchObject({ _tag: "Opened", client: { info: { name: "n".repeat(200), version: "1" } } })
    expect(pathOf(Sample.initialize(1, "2025-11-25", { capabilities: { x: "y".repeat(10_000) } }))).toBe(
      "params.capabilities"
    )
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`)
    expect(pathOf(Sample.initialize(1, "2025-11-25", { capabilities: deep }))).toBe("params.capabilities")
  })

  it("measures without looking further than it must", () => {
    expect(isWithin({ a: "b".repeat(100), c: [1, true, null] }, 200)).toBe(true)
    expect(isWithin({ a: "b".repeat(300) }, 200)).toBe(false)
    expect(
      isWithin(
        Array.from({ length: 1_000 }, () => 1),
        200
      )
    ).toBe(false)
    expect(bounded({ name: "a", version: "b", title: "c" }, "a", "b", 100)).toEqual({
      name: "a",
      version: "b",
      title: "c"
    })
  })
})

describe("Weigh, on the era", () => {
  it("takes a request with the version key for modern, whatever the key holds", () => {
    for (const version of [null, 1, {}, [], true, ""]) {
      const evidence = weighed(Sample.discover(1, Sample.envelope(version)))
      expect([version, evidence._tag]).toEqual([version, version === "" ? "VersionUnserved" : "EnvelopeInvalid"])
    }
  })

  it("takes a request without the key for legacy traffic, whatever else its _meta holds", () => {
    const { "io.modelcontextprotocol/protocolVersion": _, ...rest } = Sample.envelope()
    expect(weighed(Sample.stamped(1, "tools/list", {}, rest))._tag).toBe("LegacyRequest")
    expect(weighed(Sample.legacy(1, "tools/list", { _meta: "x" }))._tag).toBe("LegacyRequest")
  })

  it("goes by the header where there is no envelope, but for initialize", () => {
    const headers = { "mcp-protocol-version": Sample.modern }
    expect(weighed(Sample.legacy(1), Sample.dual, headers)._tag).toBe("EnvelopeInvalid")
    expect(weighed(Sample.initialize(1), Sample.dual, headers)._tag).toBe("Opened")
    expect(weighed(Sample.legacy(1), Sample.handshakeOnly, headers)._tag).toBe("LegacyRequest")
  })

  it("is not moved by members named like prototypes", () => {
    const value = JSON.parse(
      '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":{"_meta":{}},"constructor":1}}'
    )
    expect(weighed(value)._tag).toBe("LegacyRequest")
    const bare = JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}')
    expect(weighed(bare)._tag).toBe("Malformed")
  })
})

describe("Weigh, on the parameters of tools", () => {
  const found = fromSchema({
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      nested: { properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
      dry: { type: "boolean", "x-mcp-header": "Dry" }
    }
  })
  const compiled = compile(
    Profile.dual({ ...Sample.options, toolHeaders: new Map([["deploy", found._tag === "Valid" ? found.headers : []]]) })
  )
  const send = (args: unknown, headers: { readonly [name: string]: string }, name = "deploy") => {
    const message = Sample.stamped(1, "tools/call", { name, arguments: args })
    return weighed(message, compiled, { ...Sample.modernHeaders(message), ...headers })._tag
  }

  it("wants each marked value in its header, equal when decoded", () => {
    const good = { "mcp-param-region": "eu", "mcp-param-count": "42.0", "mcp-param-dry": "true" }
    expect(send({ region: "eu", nested: { count: 42 }, dry: true }, good)).toBe("ModernRequest")
    expect(send({ region: "eu", nested: { count: 43 }, dry: true }, good)).toBe("HeadersDisagree")
    expect(send({ region: "eu", nested: { count: 42 }, dry: false }, good)).toBe("HeadersDisagree")
    expect(send({ region: "us", nested: { count: 42 }, dry: true }, good)).toBe("HeadersDisagree")
    expect(send({ region: "日本" }, { "mcp-param-region": "=?base64?5pel5pys?=" })).toBe("ModernRequest")
    expect(send({ region: "日本" }, { "mcp-param-region": "=?base64?5pel5pys" })).toBe("HeadersDisagree")
  })

  it("expects no header where the value is null or absent, and refuses one that is there", () => {
    expect(send({}, {})).toBe("ModernRequest")
    expect(send({ region: null }, {})).toBe("ModernRequest")
    expect(send(undefined, {})).toBe("ModernRequest")
    expect(send({ region: "eu" }, {})).toBe("HeadersDisagree")
    expect(send({}, { "mcp-param-region": "eu" })).toBe("HeadersDisagree")
  })

  it("ignores headers that no tool declares", () => {
    expect(send({}, { "mcp-param-other": "x" })).toBe("ModernRequest")
    expect(send({ region: "eu" }, {}, "unmarked")).toBe("ModernRequest")
  })
})

describe("Weigh, on client capabilities", () => {
  const compiled = compile(
    Profile.dual({
      ...Sample.options,
      requires: [
        { method: "tools/call", name: "ask", capabilities: { sampling: {}, elicitation: { form: {} } } },
        { method: "tools/list", capabilities: { roots: {} } }
      ]
    })
  )
  const missing = (name: string, capabilities: unknown) => {
    const meta = Sample.envelope(Sample.modern, { "io.modelcontextprotocol/clientCapabilities": capabilities })
    const evidence = weighed(Sample.stamped(1, "tools/call", { name }, meta), compiled)
    return evidence._tag === "CapabilityMissing" && evidence.refusal.problem._tag === "MissingRequiredClientCapability"
      ? evidence.refusal.problem.requiredCapabilities
      : evidence._tag
  }

  it("tells what was not declared, and asks only for what the call needs", () => {
    expect(missing("ask", {})).toEqual({ sampling: {}, elicitation: { form: {} } })
    expect(missing("ask", { sampling: {} })).toEqual({ elicitation: { form: {} } })
    expect(missing("ask", { sampling: {}, elicitation: {} })).toEqual({ elicitation: { form: {} } })
    expect(missing("ask", { sampling: {}, elicitation: { form: {} } })).toBe("ModernRequest")
    expect(missing("other", {})).toBe("ModernRequest")
    expect(weighed(Sample.stamped(1), compiled)._tag).toBe("ModernRequest")
  })
})
