// What a refusal tells a person and a program: the facts of every sentence of the ladder, and every member of its error.
import { describe, expect, it } from "@effect/vitest"
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import type { JsonObject } from "@parley/core/Message"
import type { Compiled } from "@parley/core/server/Compiled"
import { misshapen, notUtf8, unbatchable } from "@parley/core/server/BodyRungs"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import { agrees, agreesWithParameter, conflict, single, written } from "@parley/core/server/HeaderValue"
import * as Http from "@parley/core/server/Http"
import type { Ground, Problem } from "@parley/core/server/Refusal"
import { refusal, toError, toReason } from "@parley/core/server/Refusal"
import * as Sample from "./support/Samples.ts"

const told = (value: unknown, headers: RequestHeaders = Sample.base, compiled: Compiled = Sample.dual): string => {
  const { commands } = Sample.post(compiled, value, headers)
  const [command] = commands
  if (command?._tag !== "Refuse") return commands.some(({ _tag }) => _tag === "Deliver") ? "Deliver" : "nothing"
  return `${command.refusal.ground.id}: ${toError(command.refusal).message}`
}

describe("A refusal of the head tells", () => {
  const said = (method: string, headers: RequestHeaders): string => {
    const found = Http.head(Sample.dual, { method, headers: { ...Sample.base, ...headers } })
    return found === undefined ? "passes" : `${found.ground.id}: ${toError(found).message}`
  }
  it.each([
    ["POST", { origin: "http://evil.example" }, "origin: The Origin http://evil.example is not allowed"],
    ["POST", { origin: ["a", "b"] }, "origin: The Origin a, b is not allowed"],
    ["POST", { host: "evil.example" }, "host: The Host evil.example is not allowed"],
    ["POST", { host: ["localhost", "localhost"] }, "host: The Host localhost, localhost is not allowed"],
    [
      "PUT",
      {},
      `http-method: The message is not usable: the HTTP method PUT is not served here, only ${Sample.dual.allow}`
    ],
    [
      "POST",
      { "content-type": "text/plain" },
      "content-type: The message is not usable: the Content-Type is not application/json"
    ],
    [
      "GET",
      { accept: "application/json" },
      "accept: The message is not usable: the Accept header does not allow text/event-stream"
    ],
    [
      "POST",
      { accept: "application/json" },
      "accept: The message is not usable: the Accept header does not allow both application/json and text/event-stream"
    ],
    ["POST", { accept: ["application/json", "text/event-stream"] }, "passes"],
    ["POST", { accept: "application/json,text/event-stream;q=0.0" }, "accept: "],
    ["POST", { accept: "application/json; q=0 ,text/event-stream" }, "accept: "],
    ["POST", { accept: "application/json; q=0.5 ,text/event-stream;q=01" }, "passes"],
    ["POST", { "content-type": " Application/JSON ; charset=utf-8" }, "passes"],
    ["POST", { "content-type": ";application/json" }, "content-type: "],
    ["POST", { "content-type": ["application/json"] }, "content-type: "]
  ] as const)("%s %j: %s", (method, headers, expected) => {
    const found = said(method, headers)
    if (expected === "passes") expect(found).toBe(expected)
    else expect(found.startsWith(expected)).toBe(true)
  })

  it.each([
    ["localhost", true],
    ["localhost:1", true],
    ["localhost:99999", true],
    ["localhost:", false],
    ["localhost:123456", false],
    ["localhost:8/", false],
    ["localhost:8:8", false],
    ["localhost.8080", false],
    ["[::1]:8", true],
    ["[::1]x", false],
    ["LOCALHOST:8", true]
  ])("whether the host %s is loopback: %s", (host, is) => {
    expect(said("POST", { host }) === "passes").toBe(is)
  })
})

describe("A refusal of the body tells", () => {
  const before = (of: Compiled, value: unknown): string => told(value, Sample.base, of)
  it.each([
    [7, "it is no JSON object"],
    [{ id: 1, method: "a" }, 'its member jsonrpc is not "2.0"'],
    [{ jsonrpc: "2.0", id: null, method: "a" }, "its id is no string and no integer"],
    [{ jsonrpc: "2.0", id: 1, method: 7 }, "its method is no string"],
    [{ jsonrpc: "2.0", id: 1, method: "a", params: 7 }, "its params are no object"],
    [{ jsonrpc: "2.0", id: 1 }, "it has no method, and is no response either"]
  ])("%j: %s", (value, problem) => {
    expect(before(Sample.dual, value)).toContain(`shape: The message is not usable: ${problem}`)
  })

  it("what is wrong with an array", () => {
    expect(before(Sample.dual, [])).toContain("batch: The message is not usable: the array is empty")
    expect(before(Sample.dual, [Sample.initialize(1)])).toContain("initialize is in an array")
    expect(before(Sample.modernOnly, [Sample.ping(1)])).toContain(
      "it is an array, and no revision served here has batches"
    )
    const most = Sample.dual.profile.limits.batch
    const many = Array.from({ length: most + 1 }, (_, id) => Sample.ping(id))
    expect(before(Sample.dual, many)).toContain(`the array has more than ${most} members`)
    expect(before(Sample.dual, many.slice(1))).not.toContain("more than")
  })

  it("what is wrong with bytes, and with a member of an array", () => {
    expect(toError(notUtf8)).toMatchObject({ code: -32700, message: expect.stringContaining("its bytes are no UTF-8") })
    expect(misshapen({ jsonrpc: "2.0", id: 4, method: 7 })).toMatchObject({
      id: 4,
      problem: { _tag: "InvalidMessage", code: -32600, problem: "its method is no string" }
    })
    // A response's id is the server's own: it is not repeated.
    expect(misshapen({ jsonrpc: "1.0", id: 4, result: {} }).id).toBeUndefined()
    expect(misshapen({ jsonrpc: "1.0", id: 4, method: "a", result: {} }).id).toBe(4)
    expect(unbatchable(5)).toMatchObject({
      id: 5,
      problem: {
        _tag: "InvalidMessage",
        code: -32600,
        problem: expect.stringContaining("the modern era has no batches")
      }
    })
  })
})

describe("A refusal in a session tells", () => {
  const session = { ...Sample.base, [HeaderName.SessionId]: "s" }
  const at = (headers: RequestHeaders, state = Sample.inSession()): ReadonlyArray<JsonObject> =>
    Sample.post(Sample.dual, Sample.legacy(1), { ...session, ...headers }, state).commands.flatMap((command) =>
      command._tag === "Refuse" ? [{ ...command.refusal.problem, rung: command.refusal.ground.id }] : []
    )

  it("that it is missing or unknown", () => {
    expect(told(Sample.legacy(1))).toContain(
      "legacy.session-missing: The request names no session. Send initialize first"
    )
    expect(told(Sample.legacy(1), session)).toContain("legacy.session-unknown: The session is unknown or has ended")
    expect(at({}, { _tag: "Closed", why: "idle" })).toMatchObject([{ _tag: "SessionUnknown", problem: "unknown" }])
  })

  it("how its version header disagrees", () => {
    expect(at({ [HeaderName.ProtocolVersion]: "2025-06-18" })).toEqual([
      {
        _tag: "HeaderMismatch",
        header: HeaderName.ProtocolVersion,
        expected: "2025-11-25",
        received: "2025-06-18",
        rung: "legacy.version-header"
      }
    ])
    expect(at({ [HeaderName.ProtocolVersion]: "2025-06-18, 2025-11-25" })).toMatchObject([
      { expected: "2025-11-25", received: "copies that differ" }
    ])
    expect(at({ [HeaderName.ProtocolVersion]: "" })).toEqual([])
    const without = (named: string): string =>
      told(Sample.legacy(1), { ...Sample.base, [HeaderName.ProtocolVersion]: named }, Sample.sessionless)
    expect(without("2025-06-18, 2025-11-25")).toContain("expected as one version and received as copies that differ")
    expect(without("1999-01-01")).toContain("This server does not serve 1999-01-01")
    expect(without("2025-06-18")).toBe("Deliver")
  })
})

describe("A refusal of a modern request tells", () => {
  const asked = (message: JsonObject, changes: RequestHeaders = {}): string =>
    told(message, { ...Sample.modernHeaders(message), ...changes })

  it("which key of the envelope, and what of it", () => {
    const meta = (changes: JsonObject): string =>
      asked(Sample.stamped(1, "tools/list", {}, Sample.envelope(Sample.modern, changes)))
    const where = (key: string): string => `The request envelope is invalid at params._meta["${key}"]`
    expect(meta({ [MetaKey.ClientCapabilities]: undefined })).toContain(
      `${where(MetaKey.ClientCapabilities)}: it is absent`
    )
    expect(meta({ [MetaKey.ClientCapabilities]: 7 })).toContain(`${where(MetaKey.ClientCapabilities)}: it is no object`)
    for (const info of [7, {}, { name: "x" }, { version: "1" }, { name: 7, version: "1" }, { name: "x", version: 1 }]) {
      expect(meta({ [MetaKey.ClientInfo]: info })).toContain(
        `${where(MetaKey.ClientInfo)}: it is no object with a name`
      )
    }
    expect(meta({ [MetaKey.LogLevel]: "loud" })).toContain(`${where(MetaKey.LogLevel)}: it is no log level`)
    expect(meta({ [MetaKey.LogLevel]: "debug", [MetaKey.ClientInfo]: undefined })).toBe("Deliver")
  })

  it("which header, what it should be and what came", () => {
    const call = Sample.stamped(1, "tools/call", { name: "echo", arguments: {} })
    expect(asked(call, { [HeaderName.Method]: undefined })).toContain(
      "was expected as tools/call and received as absent"
    )
    expect(asked(call, { [HeaderName.Method]: "a, b" })).toContain("received as a, b")
    expect(asked(call, { [HeaderName.Method]: "tools/call, tools/call" })).toBe("Deliver")
    expect(asked(call, { [HeaderName.Name]: "other" })).toContain(
      "The header Mcp-Name was expected as echo and received as other"
    )
    const nameless = Sample.stamped(1, "tools/call", { arguments: {} })
    expect(asked(nameless, { [HeaderName.Name]: "echo" })).toContain("was expected as absent and received as echo")
    expect(asked(nameless)).toBe("Deliver")
    expect(asked(Sample.stamped(1), { [HeaderName.Name]: "echo" })).toBe("Deliver")
    expect(asked(call, { [HeaderName.ProtocolVersion]: "2025-11-25" })).toContain(
      `The header MCP-Protocol-Version was expected as ${Sample.modern} and received as 2025-11-25`
    )
  })
})

describe("The error of a refusal", () => {
  const ground: Ground = { id: "test", code: -32600, status: 400, remedy: "reopen", because: "a test" }
  const rows: ReadonlyArray<readonly [Problem, facts: object, says: string]> = [
    [
      { _tag: "UnsupportedProtocolVersion", requested: "", supported: ["a", "b"] },
      { supported: ["a", "b"] },
      "This server does not serve a request that names no revision; it serves a, b."
    ],
    [
      { _tag: "UnsupportedProtocolVersion", requested: "x", supported: [], handshake: true },
      { supported: [] },
      "This server serves no revision at all. Its profile must be mended."
    ],
    [
      { _tag: "UnsupportedProtocolVersion", requested: "x", supported: ["a"], handshake: true },
      { supported: ["a"] },
      "This server has no initialize handshake: it serves a."
    ],
    [{ _tag: "MethodNotFound", method: "m" }, { method: "m" }, "does not serve the method m here"],
    [{ _tag: "MissingInit", method: "m", modern: false }, { method: "m" }, "Send initialize first."],
    [
      { _tag: "MissingInit", method: "m", modern: true },
      { method: "m" },
      "first, or the request envelope of a modern revision."
    ],
    [
      { _tag: "Timeout", phase: "idle", waitedMillis: 5 },
      { phase: "idle", waitedMillis: 5 },
      "in the phase idle for 5 ms"
    ],
    [
      { _tag: "MalformedInit", method: "i", path: "p", problem: "q" },
      { path: "p" },
      "The i request is malformed at p: q."
    ],
    [
      { _tag: "HeaderMismatch", header: "mcp-name", expected: "a", received: "b" },
      { header: "Mcp-Name", expected: "a", received: "b" },
      "The header Mcp-Name was expected as a and received as b."
    ],
    [
      { _tag: "MissingRequiredClientCapability", requiredCapabilities: { a: {}, b: {} } },
      {},
      "that was not declared: a, b."
    ],
    [{ _tag: "InvalidEnvelope", key: "k", problem: "q" }, { key: "k" }, 'params._meta["k"]: q.'],
    [{ _tag: "InvalidMessage", code: -32600, problem: "q" }, {}, "The message is not usable: q."],
    [{ _tag: "SessionUnknown", problem: "missing" }, {}, "The request names no session."],
    [{ _tag: "SessionUnknown", problem: "unknown" }, {}, "The session is unknown or has ended."],
    [{ _tag: "OriginRefused", header: "Host", received: "h" }, { header: "Host" }, "The Host h is not allowed here."],
    [{ _tag: "PayloadTooLarge", limitBytes: 5 }, { limitBytes: 5 }, "The message is larger than 5 bytes."],
    [{ _tag: "TransportFailure", reason: "It is down.", retryable: true }, {}, "It is down. Try again later."]
  ]

  it.each(rows)("%j has its facts for a program and its sentence for a person", (problem, facts, says) => {
    const error = toError(refusal(ground, problem, 1))
    expect(error.message).toContain(says)
    const data: unknown = error.data
    expect(data).toMatchObject({ parley: { rung: "test", remedy: "reopen" } })
    expect(Reflect.get(Object(data), "parley")).toStrictEqual({ rung: "test", remedy: "reopen", ...facts })
    const keys = Object.keys(Object(data)).filter((key) => key !== "parley")
    const specified =
      problem._tag === "UnsupportedProtocolVersion"
        ? ["supported", "requested"]
        : problem._tag === "MissingRequiredClientCapability"
          ? ["requiredCapabilities"]
          : []
    expect(keys).toEqual(specified)
    expect(toReason(problem)._tag).toBe(problem._tag)
  })
})

describe("HeaderValue, to the letter", () => {
  it("writes what came for a person", () => {
    expect([written(undefined), written(conflict), written("a"), written(["a", "b"])]).toEqual([
      "absent",
      "copies that differ",
      "a",
      "a, b"
    ])
  })

  it("takes lines with copies for one value, and none for none", () => {
    expect(single(["a,a", " a "])).toBe("a")
    expect(single(["a", "a,b"])).toBe(conflict)
    expect(single(" , ")).toBeUndefined()
    expect(single("  ")).toBeUndefined()
  })

  it("wants every line to agree, and at least one", () => {
    expect(agrees([], "a")).toBe(false)
    expect(agrees(["a", "b"], "a")).toBe(false)
    expect(agreesWithParameter([], "a", "string")).toBe(false)
    expect(agreesWithParameter(["7", "7.0"], 7, "integer")).toBe(true)
    expect(agreesWithParameter(["7", "8"], 7, "integer")).toBe(false)
    expect(agreesWithParameter(["a", "b"], "a", "string")).toBe(false)
  })

  it.each([
    ["7", 7, "integer", true],
    ["7.00", 7, "integer", true],
    ["7.", 7, "integer", true],
    ["70e-1", 7, "integer", true],
    ["x7", 7, "integer", false],
    ["07,7.0", 7, "integer", true],
    ["07,8", 7, "integer", false],
    ["7.0", "7", "string", false],
    ["7.0", 7, "boolean", false],
    ["", "", "string", true],
    ["b, a", "a", "string", false],
    ["a, b", "a", "string", false],
    ["a ,\ta", "a", "string", true],
    ["ax, a", "a", "string", false],
    ["a~", "a~", "string", true],
    ["a\tb", "a\tb", "string", true],
    ["ž", "ž", "string", false]
  ] as const)("%j says %j as %s: %s", (raw, value, type, is) => {
    expect(agreesWithParameter(raw, value, type)).toBe(is)
  })
})
