// Every error: whose fault it is, whether trying again can help, and a message that says what happened and what to do.
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Errors from "@parley/core/Errors"

type Any = Errors.NegotiationReason | Errors.AdmissionReason | Errors.RequestReason

const rows: ReadonlyArray<readonly [Any, Errors.Fault, boolean, RegExp]> = [
  [
    new Errors.UnsupportedProtocolVersion({ requested: "2025-11-25", supported: ["2026-07-28", "2027-01-01"] }),
    "owner",
    false,
    /^2025-11-25 was refused; on offer: 2026-07-28, 2027-01-01\. Allow one of its revisions/
  ],
  [
    new Errors.UnsupportedProtocolVersion({ requested: "2025-11-25", supported: [] }),
    "owner",
    false,
    /^2025-11-25 was refused, and no revision was listed instead\. Allow/
  ],
  [
    new Errors.UnsupportedProtocolVersion({ requested: "2025-11-25", supported: [], named: "2026-07-28" }),
    "owner",
    false,
    /^The server was asked for 2025-11-25 and named 2026-07-28\. Allow/
  ],
  [
    new Errors.UnsupportedProtocolVersion({ requested: "2025-11-25", supported: [], detail: "Upgrade the SDK." }),
    "owner",
    false,
    /no revision was listed instead\. Upgrade the SDK\.$/
  ],
  [
    new Errors.MethodNotFound({ method: "server/discover" }),
    "peer",
    false,
    /^The other side does not know the method server\/discover\. Check that/
  ],
  [
    new Errors.Timeout({ phase: "initialize", waitedMillis: 30_000 }),
    "network",
    true,
    /^No answer in the phase initialize within 30000 ms\. Allow more time, or look/
  ],
  [
    new Errors.Timeout({ phase: "negotiation", during: "server/discover", waitedMillis: 60_000 }),
    "network",
    true,
    /^No answer to server\/discover in the phase negotiation within 60000 ms\. Allow more time, or look/
  ],
  [
    new Errors.MalformedInit({ method: "initialize", path: "result.protocolVersion", problem: "it is no string" }),
    "peer",
    false,
    /^The initialize message is malformed at result\.protocolVersion: it is no string\. The side/
  ],
  [
    new Errors.MissingInit({ method: "tools/list" }),
    "peer",
    false,
    /^tools\/list came before .*\. Send initialize first/
  ],
  [
    new Errors.InitializeRejected({ method: "initialize", code: -32000, serverMessage: "not today" }),
    "peer",
    false,
    /^The server refused initialize with -32000: not today\. Look for the reason/
  ],
  [
    new Errors.HeaderMismatch({ header: "Mcp-Method", expected: "tools/call", received: "tools/list" }),
    "network",
    false,
    /^The header Mcp-Method was expected as tools\/call and received as tools\/list\. Check proxies/
  ],
  [
    new Errors.MissingRequiredClientCapability({ requiredCapabilities: { sampling: {}, roots: {} } }),
    "caller",
    false,
    /^The server needs the client capability sampling, roots\. Declare it/
  ],
  [
    new Errors.MissingRequiredClientCapability({ requiredCapabilities: {} }),
    "caller",
    false,
    /capability \(not named\)\. Declare it/
  ],
  [
    new Errors.InvalidEnvelope({ key: "io.modelcontextprotocol/protocolVersion", problem: "it is missing" }),
    "peer",
    false,
    /^The request envelope is invalid at io\.modelcontextprotocol\/protocolVersion: it is missing\. Put the key/
  ],
  [
    new Errors.InvalidMessage({ code: -32700, problem: "it is no JSON" }),
    "peer",
    false,
    /^The message is not usable: it is no JSON\. Send one JSON-RPC 2\.0 message\.$/
  ],
  [
    new Errors.SessionUnknown({ problem: "missing" }),
    "caller",
    true,
    /^The request names no session\. Send initialize/
  ],
  [new Errors.SessionUnknown({ problem: "unknown" }), "caller", true, /^The session is unknown .*\. Open a new one/],
  [
    new Errors.OriginRefused({ header: "Origin", received: "https://evil.example" }),
    "owner",
    false,
    /^The Origin https:\/\/evil\.example is not allowed here\. Add it/
  ],
  [
    new Errors.PayloadTooLarge({ limitBytes: 1024 }),
    "peer",
    false,
    /^The message is larger than 1024 bytes\. Send less, or raise the limit\.$/
  ],
  [new Errors.Unauthorized({ status: 401 }), "caller", false, /^The server answered 401\. Provide a credential/],
  [
    new Errors.Unauthorized({ status: 403, challenge: "Bearer realm=x" }),
    "caller",
    false,
    /^The server answered 403 and asks for Bearer realm=x\. Provide/
  ],
  [new Errors.Busy({ status: 503 }), "network", true, /^The server answered 503\. Try again later\.$/],
  [
    new Errors.Busy({ status: 429, retryAfterMillis: 2000 }),
    "network",
    true,
    /^The server answered 429 and asks to wait 2000 ms\. Try again later\.$/
  ],
  [
    new Errors.TransportFailure({ reason: "The connection was refused. Start the server.", retryable: true }),
    "network",
    true,
    /^The connection was refused\. Start the server\.$/
  ],
  [
    new Errors.TransportFailure({
      reason: "The process exited.",
      retryable: false,
      head: "<html>",
      stderr: "\n  panic!  \n"
    }),
    "peer",
    false,
    /^The process exited\. It began: <html> Its standard error ended: panic!$/
  ],
  [
    new Errors.PolicyForbids({ policy: "pinned:2026-07-28", what: "this client lives in one era" }),
    "owner",
    false,
    /^The policy pinned:2026-07-28 does not allow this: this client lives in one era\. Choose another policy/
  ],
  [
    new Errors.ErrorResponse({ method: "tools/call", code: -32602, serverMessage: "no such tool" }),
    "peer",
    false,
    /^The server answered tools\/call with the error -32602: no such tool\. Change the request/
  ],
  [
    new Errors.MalformedResult({ method: "tools/list", path: "result.resultType", problem: "it is not known" }),
    "peer",
    false,
    /^The answer to tools\/list is malformed at result\.resultType: it is not known\. The server must/
  ]
]

describe("the fault of a TransportFailure", () => {
  const failure = { reason: "x", retryable: true }
  it.each<[string, ConstructorParameters<typeof Errors.TransportFailure>[0], Errors.Fault]>([
    ["a connection that was refused is the network's", failure, "network"],
    ["a command or an address that is none is its owner's", { ...failure, retryable: false }, "owner"],
    ["a status without MCP is the peer's", { ...failure, status: 404, head: "", retryable: false }, "peer"],
    ["a gateway's 502 is the peer's", { ...failure, status: 502 }, "peer"],
    ["a process that exited is the peer's", { ...failure, exitCode: 1, stderr: "" }, "peer"],
    ["a process that was killed is the peer's", { ...failure, signal: "SIGKILL" }, "peer"],
    ["output that is no MCP is the peer's", { ...failure, head: "Hello", retryable: false }, "peer"]
  ])("%s", (_, fields, fault) => {
    expect(new Errors.TransportFailure(fields).fault).toBe(fault)
  })
})

describe("every error", () => {
  it.each(rows)(
    "%#. $_tag says whose fault it is, what happened, and what to do",
    (error, fault, retryable, message) => {
      expect(error.fault).toBe(fault)
      expect(error.retryable).toBe(retryable)
      expect(error.message).toMatch(message)
      // One sentence for what happened, one for what to do.
      if (error._tag !== "TransportFailure")
        expect(error.message.split(/\. (?=[A-Z])/).length).toBeGreaterThanOrEqual(2)
      expect(error).toBeInstanceOf(Error)
      expect(error.name).toBe(error._tag)
    }
  )

  it("has a row here", () => {
    const classes = Object.values(Errors).map(({ name }) => name)
    const wrappers = new Set(["NegotiationError", "AdmissionError", "RequestError"])
    expect(classes.filter((name) => !wrappers.has(name)).toSorted()).toEqual(
      [...new Set(rows.map(([{ _tag }]) => _tag))].toSorted()
    )
  })
})

describe("a peer's text", () => {
  const evil = `\u001b[2J\u001b]0;owned\u0007\r\n${"x".repeat(1_000_000)}`
  const many = Array.from({ length: 10_000 }, () => evil.slice(0, 100))
  const errors: ReadonlyArray<Any> = [
    new Errors.UnsupportedProtocolVersion({ requested: evil, supported: many, detail: evil }),
    new Errors.UnsupportedProtocolVersion({ requested: evil, supported: [], named: evil }),
    new Errors.MethodNotFound({ method: evil }),
    new Errors.MalformedInit({ method: evil, path: evil, problem: evil }),
    new Errors.MissingInit({ method: evil }),
    new Errors.InitializeRejected({ method: evil, code: 0, serverMessage: evil, data: evil }),
    new Errors.HeaderMismatch({ header: evil, expected: evil, received: evil }),
    new Errors.MissingRequiredClientCapability({
      requiredCapabilities: Object.fromEntries(many.map((text, index) => [`${text}${index}`, {}]))
    }),
    new Errors.InvalidEnvelope({ key: evil, problem: evil }),
    new Errors.InvalidMessage({ code: 0, problem: evil }),
    new Errors.OriginRefused({ header: "Host", received: evil }),
    new Errors.Unauthorized({ status: 401, challenge: evil }),
    new Errors.TransportFailure({ reason: evil, head: evil, stderr: evil, retryable: false }),
    new Errors.PolicyForbids({ policy: evil, what: evil }),
    new Errors.ErrorResponse({ method: evil, code: 0, serverMessage: evil }),
    new Errors.MalformedResult({ method: evil, path: evil, problem: evil })
  ]

  it.each(errors)("in $_tag is shown on one line, without control characters, and not at length", (error) => {
    expect(error.message.length).toBeLessThan(2000)
    // oxlint-disable-next-line no-control-regex
    expect(error.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
  })

  it("in a NegotiationError with a cause neither", () => {
    const [reason, cause] = errors
    if (reason?._tag !== "UnsupportedProtocolVersion") throw new Error("no reason")
    const both = new Errors.UnsupportedProtocolVersion({ requested: evil, supported: many, cause })
    expect(new Errors.NegotiationError({ reason: both, trace: [] }).message.length).toBeLessThan(4500)
  })
})

describe("the errors that callers meet", () => {
  const cause = new Errors.InitializeRejected({ method: "initialize", code: -32000, serverMessage: "no" })
  const reason = new Errors.MethodNotFound({ method: "server/discover", cause })

  it("speak with the voice of their reason, under their own names", () => {
    const timeout = new Errors.Timeout({ phase: "opening", waitedMillis: 1 })
    const errors = [
      new Errors.NegotiationError({ reason: timeout, trace: [] }),
      new Errors.AdmissionError({ reason: timeout }),
      new Errors.RequestError({ method: "ping", reason: timeout })
    ]
    expect(errors.map(({ _tag }) => _tag)).toEqual(["NegotiationError", "AdmissionError", "RequestError"])
    for (const error of errors) {
      expect(error.message).toBe(timeout.message)
      expect(error.fault).toBe("network")
      expect(error.retryable).toBe(true)
    }
  })

  it("a NegotiationError tells both refusals", () => {
    const error = new Errors.NegotiationError({ reason, trace: [] })
    expect(error.message).toBe(`${reason.message} Then: ${cause.message}`)
    expect(error.fault).toBe("peer")
    expect(error.retryable).toBe(false)
  })

  it.effect("are caught by their reason, as Effect's own are", () =>
    Effect.gen(function* () {
      const failing: Effect.Effect<string, Errors.NegotiationError> = Effect.fail(
        new Errors.NegotiationError({ reason, trace: [] })
      )
      const caught = yield* failing.pipe(
        Effect.catchReason("NegotiationError", "MethodNotFound", ({ method }) => Effect.succeed(`caught ${method}`))
      )
      expect(caught).toBe("caught server/discover")
      const other = yield* failing.pipe(
        Effect.catchReason("NegotiationError", "Timeout", () => Effect.succeed("no")),
        Effect.flip
      )
      expect(other.reason).toBe(reason)
    })
  )
})
