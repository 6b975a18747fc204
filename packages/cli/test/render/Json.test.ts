// The document for programs: its shape is promised, and it holds no secret.
import { InitializeRejected, MethodNotFound, Timeout, TransportFailure } from "@parley/core/Errors"
import { describe, expect, it } from "vitest"
import { document } from "@parley/cli/render/Json"
import { json } from "@parley/cli/render/Text"
import { agreed, dangerous, entries, failed, hostile, trace } from "../Fixture.ts"

describe("document", () => {
  it("tells an agreement", () => {
    expect(JSON.parse(json(document(agreed())))).toEqual({
      format: 1,
      outcome: "agreed",
      target: { carrier: "http", name: "http://127.0.0.1:3000/mcp" },
      policy: "auto",
      agreement: {
        version: "2025-11-25",
        era: "legacy",
        offered: "2025-11-25",
        named: "2025-11-25",
        serverInfo: { name: "everything", version: "2.0.0" },
        capabilities: { tools: { listChanged: true }, prompts: {} },
        session: true,
        warnings: []
      },
      trace,
      messages: entries,
      timings: { totalMillis: 84, roundTrips: 1 }
    })
  })

  it("tells what was discovered, without the raw result", () => {
    const discovered = { supportedVersions: ["2026-07-28"], ttlMs: 5, cacheScope: "public", result: { x: 1 } } as const
    expect(document(agreed({ discovered })).agreement?.discovered).toEqual({
      supportedVersions: ["2026-07-28"],
      ttlMs: 5,
      cacheScope: "public"
    })
  })

  it("tells a failure with its tag, fault, message and fields", () => {
    const { agreement, error } = document(failed())
    expect(agreement).toBeUndefined()
    expect(error).toEqual({
      tag: "UnsupportedProtocolVersion",
      fault: "owner",
      retryable: false,
      message:
        "2025-11-25 was refused; on offer: 2026-07-28. Allow one of its revisions in the policy, or upgrade the older side.",
      reason: { requested: "2025-11-25", supported: ["2026-07-28"] }
    })
  })

  it("keeps both causes where two methods were refused", () => {
    const cause = new InitializeRejected({ method: "initialize", code: -32000, serverMessage: "no" })
    const { error } = document(failed(new MethodNotFound({ method: "server/discover", cause })))
    expect(error?.reason).toMatchObject({
      method: "server/discover",
      cause: { tag: "InitializeRejected", code: -32000, serverMessage: "no" }
    })
  })

  it("survives a chain of causes that bites its tail", () => {
    const failure = new TransportFailure({ reason: "broken", retryable: true })
    Object.defineProperty(failure, "cause", { value: failure })
    expect(json(document(failed(failure))).length).toBeLessThan(5000)
  })

  it("never holds the session id or the query of the URL", () => {
    for (const finding of [agreed(), failed()]) expect(json(document(finding))).not.toContain("secret")
  })

  it("is harmless on a terminal", () => {
    const finding = agreed({ serverInfo: { name: hostile, version: "1" }, instructions: hostile })
    expect(json(document(finding), 2)).not.toMatch(dangerous)
    expect(JSON.parse(json(document(finding)))).toMatchObject({ agreement: { instructions: hostile } })
  })

  it("carries a diagram when asked for one", () => {
    expect(document(failed(new Timeout({ phase: "initialize", waitedMillis: 5 })), "sequenceDiagram").diagram).toBe(
      "sequenceDiagram"
    )
  })
})
