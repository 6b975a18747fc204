// A failure tells what was tried, what came back, whose fault it is, and what to do.
import * as Errors from "@parley/core/Errors"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { failure, page, remedies, tried } from "@parley/cli/render/Failure"
import { plain } from "@parley/cli/render/Style"
import { dangerous, failed, hostile } from "../Fixture.ts"

const rendered = (finding: ReturnType<typeof failed>, columns = 80): ReadonlyArray<string> =>
  failure(finding, finding.outcome.error, plain, columns)

describe("failure", () => {
  it("reads as a page of six sections", () => {
    expect(rendered(failed())).toEqual([
      "No agreement with http://127.0.0.1:3000/mcp: UnsupportedProtocolVersion",
      "  tried   initialize offers 2025-11-25 → -32022 (Unsupported protocol version;",
      "          supports 2026-07-28), HTTP 400",
      "  why     2025-11-25 was refused; on offer: 2026-07-28. Allow one of its",
      "          revisions in the policy, or upgrade the older side.",
      "  fault   this side's policy, or a server too old or too new for it",
      "  do      Try --policy auto: the policy handshakeOnly may be what stands in the",
      "          way.",
      "  more    docs/errors.md#unsupportedprotocolversion"
    ])
  })

  it("leads to a section of the documents for every error that there is", () => {
    const anchors = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("## "))
      .map((line) => `docs/errors.md#${line.slice(3).toLowerCase()}`)
    const outer = new Set(["NegotiationError", "RequestError", "AdmissionError"])
    const tags = Object.keys(Errors).filter((name) => !outer.has(name))
    expect(tags.length).toBeGreaterThan(15)
    for (const tag of tags) expect(anchors).toContain(page({ _tag: tag }))
  })

  it("shows what a process wrote before it ended, harmless and not whole", () => {
    const reason = new Errors.TransportFailure({
      reason: "The process ended with exit code 1 before it answered.",
      exitCode: 1,
      stderr: `${"noise\n".repeat(5000)}Error: Cannot find module ${hostile}\n`,
      retryable: false
    })
    const lines = rendered(failed(reason, { target: { _tag: "Stdio", command: "node", args: ["gone.js"] } }), 60)
    const text = lines.join("\n")
    expect(text).toContain("Error: Cannot find module")
    expect(text).toContain("Run it by hand")
    expect(text).toContain("node gone.js")
    expect(text).not.toMatch(dangerous)
    expect(lines.length).toBeLessThan(30)
    expect(lines.every((line) => line.length <= 60)).toBe(true)
  })
})

describe("tried", () => {
  it("says so when nothing was sent", () => {
    expect(tried(failed(undefined, { entries: [] }))).toEqual(["nothing: it failed before a byte was sent"])
  })

  it("pairs each request with what came of it, and counts output that is no MCP", () => {
    const lines = tried(
      failed(undefined, {
        entries: [
          { atMillis: 0, from: "client", kind: "request", what: "server/discover", detail: "at 2026-07-28" },
          { atMillis: 1, from: "server", kind: "noise", what: "no message", detail: "banner" },
          { atMillis: 2, from: "client", kind: "request", what: "initialize", detail: "offers 2025-11-25" },
          { atMillis: 3, from: "server", kind: "notification", what: "notifications/message", detail: "" },
          { atMillis: 4, from: "carrier", kind: "closed", what: "closed", detail: "exit code 3" }
        ]
      })
    )
    expect(lines).toEqual([
      "server/discover at 2026-07-28 → no answer",
      "initialize offers 2025-11-25 → closed (exit code 3)",
      "1 line of output that is no MCP: banner"
    ])
  })

  it("shows the first of many lines that are no MCP", () => {
    const noise = (detail: string) =>
      ({ atMillis: 0, from: "server", kind: "noise", what: "no message", detail }) as const
    expect(tried(failed(undefined, { entries: [noise("{"), noise('"jsonrpc": "2.0",')] }))).toEqual([
      "2 lines of output that are no MCP, the first: {"
    ])
  })
})

describe("whose fault it is", () => {
  const stdio = { target: { _tag: "Stdio", command: "node", args: [] } } as const
  const opened = { atMillis: 0, from: "carrier", kind: "opened", what: "opened", detail: "" } as const
  const lost = (status?: number) =>
    new Errors.TransportFailure({ reason: "", retryable: false, ...(status === undefined ? undefined : { status }) })
  it.each<[string, Errors.NegotiationReason, Parameters<typeof failed>[1], string]>([
    ["a command that cannot be started", lost(), { ...stdio, entries: [] }, "yours: the command"],
    ["a command that was started", lost(), { ...stdio, entries: [opened] }, "the server's: it ended"],
    ["a command that says nothing", new Errors.Timeout({ phase: "initialize", waitedMillis: 1 }), stdio, "it is slow"],
    ["a server that says nothing", new Errors.Timeout({ phase: "initialize", waitedMillis: 1 }), {}, "the network"],
    ["a port where nobody listens", lost(), {}, "the network"],
    ["a web page", lost(200), {}, "the address's"],
    ["a page that is not there", lost(404), {}, "the address's"],
    ["a gateway without a server", lost(502), {}, "a gateway's"],
    ["a server under load", new Errors.Busy({ status: 429 }), {}, "overloaded"],
    ["a server that wants a credential", new Errors.Unauthorized({ status: 401 }), {}, "yours"]
  ])("%s", (_title, reason, finding, expected) => {
    const line = rendered(failed(reason, finding), 200).find((text) => text.startsWith("  fault"))
    expect(line).toContain(expected)
  })
})

describe("tried, where the connection broke", () => {
  const entries = [
    { atMillis: 0, from: "client", kind: "request", what: "initialize", detail: "offers 2025-11-25" },
    { atMillis: 1, from: "carrier", kind: "lost", what: "lost", detail: "nothing listens there" }
  ] as const

  it("does not repeat the reason", () => {
    const reason = new Errors.TransportFailure({ reason: "nothing listens there", retryable: true })
    expect(tried(failed(reason, { entries }))).toEqual(["initialize offers 2025-11-25 → lost"])
  })

  it("tells what broke where the reason is another", () => {
    expect(tried(failed(undefined, { entries }))).toEqual([
      "initialize offers 2025-11-25 → lost (nothing listens there)"
    ])
  })
})

describe("remedies", () => {
  const unsupported = new Errors.UnsupportedProtocolVersion({ requested: "2025-11-25", supported: [] })
  const unspoken = new Errors.UnsupportedProtocolVersion({ requested: "2026-07-28", supported: ["2031-01-01"] })
  const unspokenName = new Errors.UnsupportedProtocolVersion({
    requested: "2025-11-25",
    supported: [],
    named: "1999-01-01"
  })
  const spoken = new Errors.UnsupportedProtocolVersion({
    requested: "2025-11-25",
    supported: ["2031-01-01", "2026-07-28"]
  })
  it.each<[Errors.NegotiationReason, string, string]>([
    [unsupported, "auto", "Upgrade the older side"],
    [unsupported, "handshakeOnly", "--policy auto"],
    [unspoken, "discoverFirst", "Upgrade the older side"],
    [unspokenName, "handshakeOnly", "Upgrade the older side"],
    [spoken, "handshakeOnly", "--policy auto"],
    [new Errors.HeaderMismatch({ header: "x", expected: "a", received: "b" }), "hermes", "--policy auto"],
    [new Errors.HeaderMismatch({ header: "x", expected: "a", received: "b" }), "auto", "proxy"],
    [new Errors.MethodNotFound({ method: "initialize" }), "auto", "/mcp"],
    [new Errors.MissingRequiredClientCapability({ requiredCapabilities: {} }), "auto", "declares no capabilities"],
    [new Errors.InitializeRejected({ method: "initialize", code: -1, serverMessage: "" }), "auto", "server's log"],
    [new Errors.MalformedInit({ method: "initialize", path: "result", problem: "" }), "auto", "--json"],
    [new Errors.Timeout({ phase: "initialize", waitedMillis: 1 }), "auto", "--timeout 1min"],
    [new Errors.Unauthorized({ status: 401 }), "auto", "--header"],
    [new Errors.Unauthorized({ status: 403 }), "auto", "credential that may"],
    [new Errors.Busy({ status: 503, retryAfterMillis: 5000 }), "auto", "in 5 s"],
    [new Errors.Busy({ status: 503, retryAfterMillis: 0 }), "auto", "is over"],
    [new Errors.Busy({ status: 429, retryAfterMillis: 86_400_000 }), "auto", "in 24 h"],
    [new Errors.Busy({ status: 503 }), "auto", "in a while"],
    [new Errors.SessionUnknown({ problem: "unknown" }), "auto", "new session"],
    [new Errors.TransportFailure({ reason: "refused", retryable: true }), "auto", "address and port"],
    [new Errors.TransportFailure({ reason: "404", status: 404, retryable: false }), "auto", "/mcp"],
    [new Errors.TransportFailure({ reason: "302", status: 302, retryable: false }), "auto", "redirects"],
    [new Errors.TransportFailure({ reason: "502", status: 502, retryable: false }), "auto", "gateway"],
    [new Errors.PolicyForbids({ policy: "pinned:x", what: "" }), "pinned:x", "--policy auto"]
  ])("%s under %s: %s", (reason, policy, expected) => {
    expect(remedies(reason, failed(reason, { policy })).join(" ")).toContain(expected)
  })

  it("name a time that --timeout takes, and more of it", () => {
    const [more] = remedies(
      new Errors.Timeout({ phase: "negotiation", waitedMillis: 60_013 }),
      failed(undefined, { totalMillis: 60_013 })
    )
    expect(more).toBe("Allow more time: --timeout 3min")
  })

  it("tell an echo from a server", () => {
    const entries = [
      { atMillis: 0, from: "client", kind: "request", what: "initialize", detail: "" },
      { atMillis: 1, from: "server", kind: "request", what: "initialize", detail: "" }
    ] as const
    const missing = new Errors.MethodNotFound({ method: "initialize" })
    expect(remedies(missing, failed(missing, { entries })).join(" ")).toContain("It sends back what it is sent.")
    expect(remedies(missing, failed(missing, { entries: entries.slice(0, 1) })).join(" ")).not.toContain("sends back")
  })
})
