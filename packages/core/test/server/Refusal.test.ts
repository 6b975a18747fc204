import { describe, expect, it } from "@effect/vitest"
import { AdmissionError } from "@parley/core/Errors"
import type { Command } from "@parley/core/server/Command"
import * as Grounds from "@parley/core/server/Grounds"
import type { Ground, Problem, Refusal } from "@parley/core/server/Refusal"
import { refusal, toMessage, toReason } from "@parley/core/server/Refusal"
import * as Sample from "./support/Samples.ts"

const ground: Ground = { id: "test", code: -32600, status: 400, remedy: "reopen", because: "a test" }

const problems: { readonly [Tag in Problem["_tag"]]: Problem & { readonly _tag: Tag } } = {
  UnsupportedProtocolVersion: {
    _tag: "UnsupportedProtocolVersion",
    requested: "1999-01-01",
    supported: ["2026-07-28"]
  },
  MethodNotFound: { _tag: "MethodNotFound", method: "no/such" },
  Timeout: { _tag: "Timeout", phase: "opening", waitedMillis: 30_000 },
  MalformedInit: { _tag: "MalformedInit", method: "initialize", path: "params.clientInfo", problem: "it is absent" },
  MissingInit: { _tag: "MissingInit", method: "tools/list", modern: true },
  HeaderMismatch: { _tag: "HeaderMismatch", header: "mcp-name", expected: "a", received: "b" },
  MissingRequiredClientCapability: { _tag: "MissingRequiredClientCapability", requiredCapabilities: { sampling: {} } },
  InvalidEnvelope: { _tag: "InvalidEnvelope", key: "io.x/y", problem: "it is absent" },
  InvalidMessage: { _tag: "InvalidMessage", code: -32600, problem: "it is no JSON object" },
  SessionUnknown: { _tag: "SessionUnknown", problem: "unknown" },
  OriginRefused: { _tag: "OriginRefused", header: "Origin", received: "http://evil.example" },
  PayloadTooLarge: { _tag: "PayloadTooLarge", limitBytes: 10 },
  TransportFailure: { _tag: "TransportFailure", reason: "Sessions cannot be looked up now.", retryable: true }
}

const refusalOf = (commands: ReadonlyArray<Command>): Refusal => {
  const [command] = commands
  if (command?._tag !== "Refuse") throw new Error("it was not refused")
  return command.refusal
}

describe("Refusal", () => {
  for (const [tag, problem] of Object.entries(problems)) {
    it(`${tag} becomes one answer with a sentence and a remedy, and an error of the same tag`, () => {
      const message = toMessage(refusal(ground, problem, "id-1"))
      expect(message).toMatchObject({
        jsonrpc: "2.0",
        id: "id-1",
        error: { code: -32600, data: { parley: { rung: "test", remedy: "reopen" } } }
      })
      expect(message.error.message).toMatch(/^\S.*\. [A-Z].*\.$/)
      const error = new AdmissionError({ reason: toReason(problem) })
      expect(error.reason._tag).toBe(tag)
      expect(error.message.length).toBeGreaterThan(20)
      expect(error.fault).toMatch(/^(peer|network|owner|caller)$/)
    })
  }

  it("puts into data what the specification puts there", () => {
    expect(toMessage(refusal(ground, problems.UnsupportedProtocolVersion)).error.data).toEqual({
      supported: ["2026-07-28"],
      requested: "1999-01-01",
      parley: { rung: "test", remedy: "reopen", supported: ["2026-07-28"] }
    })
    expect(toMessage(refusal(ground, problems.MissingRequiredClientCapability)).error.data).toMatchObject({
      requiredCapabilities: { sampling: {} }
    })
  })

  it.each([undefined, 7, null, "2025-11-25", "2026-07-28"])(
    "tells a handshake at %j that there is none, and which revisions there are",
    (version) => {
      const { commands } = Sample.post(Sample.modernOnly, Sample.initialize(1, undefined, { protocolVersion: version }))
      const { error } = toMessage(refusalOf(commands))
      expect(error.message).toMatch(/^This server has no initialize handshake: it serves 2026-07-28\. /)
      expect(error.data).toMatchObject({
        supported: ["2026-07-28"],
        requested: typeof version === "string" ? version : ""
      })
    }
  )

  it("advises an envelope only where one is served", () => {
    const of = (modern: boolean) => toMessage(refusal(ground, { ...problems.MissingInit, modern })).error.message
    expect(of(true)).toContain("envelope")
    expect(of(false)).not.toContain("envelope")
    const { commands } = Sample.post(Sample.handshakeOnly, Sample.legacy(1, "tools/list"), Sample.base)
    expect(toMessage(refusalOf(commands)).error.message).not.toContain("envelope")
  })

  it("has no member id where there is none to repeat", () => {
    expect(toMessage(refusal(ground, problems.InvalidMessage))).not.toHaveProperty("id")
    expect(toMessage(refusal(ground, problems.InvalidMessage, 0))).toHaveProperty("id", 0)
  })

  it("writes header names as people do", () => {
    const of = (header: string) => toMessage(refusal(ground, { ...problems.HeaderMismatch, header })).error.data
    expect(of("mcp-protocol-version")).toMatchObject({ parley: { header: "MCP-Protocol-Version" } })
    expect(of("mcp-param-region")).toMatchObject({ parley: { header: "Mcp-Param-Region" } })
  })

  it("bounds what a peer wrote, on one line, wherever it is repeated", () => {
    const long = `\u001b[31m\n${"x".repeat(100_000)}`
    const requests = [
      Sample.post(
        Sample.dual,
        Sample.discover("d", Sample.envelope(long)),
        Sample.modernHeaders(Sample.discover(1), long)
      ),
      Sample.post(Sample.dual, Sample.stamped(1, long), {
        ...Sample.modernHeaders(Sample.stamped(1)),
        "mcp-method": "short"
      }),
      Sample.post(Sample.dual, Sample.legacy(1, long), { ...Sample.base, "mcp-session-id": "s" }, Sample.inSession()),
      Sample.post(Sample.dual, undefined, { ...Sample.base, origin: long }),
      Sample.post(Sample.dual, undefined, Sample.base, undefined, long),
      Sample.post(Sample.modernOnly, Sample.initialize(1, long))
    ]
    for (const { commands } of requests) {
      const refused = refusalOf(commands)
      const text = JSON.stringify(toMessage(refused))
      expect(text.length).toBeLessThan(2_000)
      expect(text).not.toContain("\\u001b")
      expect(toReason(refused.problem).message.length).toBeLessThan(1_000)
    }
  })

  it.each<Problem>([
    { ...problems.UnsupportedProtocolVersion, requested: "x".repeat(1_000) },
    { ...problems.MethodNotFound, method: "x".repeat(1_000) },
    { ...problems.MissingInit, method: "x".repeat(1_000) },
    { ...problems.HeaderMismatch, expected: "x".repeat(1_000), received: "x".repeat(1_000) },
    { ...problems.OriginRefused, received: "x".repeat(1_000) },
    { ...problems.InvalidMessage, problem: "x".repeat(1_000) }
  ])("bounds what a peer wrote in $_tag", (problem) => {
    expect(JSON.stringify(toMessage(refusal(ground, problem)))).not.toContain("x".repeat(201))
    expect(toReason(problem).message).not.toContain("x".repeat(201))
  })

  it("lists every ground of the machine and its runtime, each with an id of its own", () => {
    expect(new Set(Grounds.grounds.map(({ id }) => id)).size).toBe(Grounds.grounds.length)
    for (const { because, status } of Grounds.grounds) {
      expect(because.length).toBeGreaterThan(20)
      expect(status).toBeGreaterThanOrEqual(200)
    }
  })
})
