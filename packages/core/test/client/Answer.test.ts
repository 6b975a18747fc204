// What the answer to a later request means, in either era. Source: design sections 5 and 7.
import { describe, expect, it } from "@effect/vitest"
import type { Agreement } from "@parley/core/Agreement"
import * as Answer from "@parley/core/client/Answer"
import type { ResponseHead } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import type { Failure, Success } from "@parley/core/Message"
import { failure, success } from "@parley/core/Message"

const client = { info: { name: "c", version: "1" }, capabilities: {} }
const modern: Agreement = {
  version: "2026-07-28",
  era: "modern",
  capabilities: {},
  offered: "2026-07-28",
  named: "2026-07-28",
  client,
  warnings: [],
  trace: []
}
const legacy: Agreement = {
  ...modern,
  version: "2025-06-18",
  era: "legacy",
  offered: "2025-11-25",
  named: "2025-06-18"
}
const inSession: Agreement = { ...legacy, sessionId: "s1" }
const asked: Answer.Asked = { id: 9, method: "tools/call", resultTypes: ["com.example/streamed"] }

const read = (agreement: Agreement, message: Success | Failure, head?: ResponseHead): Answer.Answer =>
  Answer.read(agreement, asked, arrived(message, 12, head), message)
const reasonOf = (answer: Answer.Answer): object => (answer._tag === "Refused" ? answer.reason : answer)

describe("a result", () => {
  it.each([
    ["without a resultType, which is complete", {}],
    ["that is complete", { resultType: "complete" }],
    ["that asks for input", { resultType: "input_required" }],
    ["of a kind that an extension declared", { resultType: "com.example/streamed" }]
  ])("%s is given as it came", (_, result) => {
    expect(read(modern, success(9, result))).toEqual({ _tag: "Result", result })
  })

  it("whose resultType is nested without end is malformed like any other", () => {
    let deep: unknown = []
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(reasonOf(read(modern, success(9, { resultType: deep })))).toMatchObject({ problem: "it is no string" })
    expect(reasonOf(read(modern, success(9, { resultType: "task" })))).toMatchObject({
      problem: '"task" is not known here'
    })
  })

  it.each(["task", "", null, 7, { a: 1 }])("whose resultType is %j is malformed, in the modern era", (resultType) => {
    expect(reasonOf(read(modern, success(9, { resultType })))).toMatchObject({
      _tag: "MalformedResult",
      method: "tools/call",
      path: "result.resultType"
    })
    expect(read(legacy, success(9, { resultType }))._tag).toBe("Result")
  })

  it("with another id is malformed", () => {
    for (const id of ["9", 8, ""]) {
      expect(reasonOf(read(legacy, success(id, {}), { status: 200 }))).toMatchObject({
        _tag: "MalformedResult",
        path: "id"
      })
    }
  })

  it.each([
    [401, "Unauthorized"],
    [429, "Busy"],
    [500, "TransportFailure"],
    [404, "TransportFailure"],
    [302, "TransportFailure"]
  ])("under status %d is none: %s", (status, tag) => {
    expect(reasonOf(read(modern, success(9, {}), { status }))).toMatchObject({ _tag: tag })
  })
})

describe("an error", () => {
  it.each([
    [-32022, "UnsupportedProtocolVersion"],
    [-32020, "HeaderMismatch"],
    [-32021, "MissingRequiredClientCapability"]
  ])("%d comes before any status", (code, tag) => {
    for (const status of [200, 400, 401, 429, 500]) {
      expect(reasonOf(read(modern, failure(9, { code, message: "" }), { status }))).toMatchObject({ _tag: tag })
    }
  })

  it("-32022 keeps the list and the revision that was in use", () => {
    const error = { code: -32022, message: "", data: { supported: ["2027-01-01"] } }
    expect(reasonOf(read(modern, failure(9, error)))).toMatchObject({
      requested: "2026-07-28",
      supported: ["2027-01-01"]
    })
  })

  it.each([
    [401, "Unauthorized"],
    [403, "Unauthorized"],
    [408, "Busy"],
    [429, "Busy"],
    [503, "Busy"]
  ])("under status %d is %s, with what the head says", (status, tag) => {
    const head: ResponseHead = { status, challenge: "Bearer", retryAfterMillis: 1000 }
    expect(reasonOf(read(modern, failure(9, { code: -32601, message: "" }), head))).toMatchObject({ _tag: tag, status })
  })

  it("-32601 is MethodNotFound, on whatever id", () => {
    for (const id of [9, undefined, "x"]) {
      expect(reasonOf(read(modern, failure(id, { code: -32601, message: "" }), { status: 404 }))).toMatchObject({
        _tag: "MethodNotFound",
        method: "tools/call"
      })
    }
  })

  it("any other is an ErrorResponse with its code, words and data", () => {
    const error = { code: -32602, message: "no such tool\u001b[0m", data: { tool: "x" } }
    expect(reasonOf(read(legacy, failure(9, error), { status: 200 }))).toMatchObject({
      _tag: "ErrorResponse",
      method: "tools/call",
      code: -32602,
      serverMessage: "no such tool [0m",
      data: { tool: "x" }
    })
    const long = read(legacy, failure(9, { code: 1, message: "x".repeat(1_000_000) }))
    expect(JSON.stringify(reasonOf(long)).length).toBeLessThan(1200)
  })
})

describe("a 404 to a request that carried a session", () => {
  const notFound = { status: 404 }
  const end = { _tag: "Unanswered", exchange: 12, head: notFound, body: "gone", problem: "no answer" } as const

  it.each<[string, Success | Failure]>([
    ["an error", failure(9, { code: -32000, message: "" })],
    ["-32601 with another id", failure("x", { code: -32601, message: "" })],
    ["-32601 without an id", failure(undefined, { code: -32601, message: "" })],
    ["even a result", success(9, {})],
    ["a modern code", failure(9, { code: -32022, message: "" })]
  ])("is SessionUnknown, whatever the body: %s", (_, message) => {
    expect(reasonOf(read(inSession, message, notFound))).toMatchObject({ _tag: "SessionUnknown", problem: "unknown" })
  })

  it("is MethodNotFound for a -32601 with our id", () => {
    expect(reasonOf(read(inSession, failure(9, { code: -32601, message: "" }), notFound))).toMatchObject({
      _tag: "MethodNotFound"
    })
  })

  it("is SessionUnknown without a body too, and only with a session", () => {
    expect(Answer.reasonOfEnd(inSession, asked, end)).toMatchObject({ _tag: "SessionUnknown" })
    expect(Answer.reasonOfEnd(legacy, asked, end)).toMatchObject({
      _tag: "TransportFailure",
      status: 404,
      head: "gone"
    })
  })
})

describe("a response that ended without an answer", () => {
  it.each([
    [401, "Unauthorized", false],
    [403, "Unauthorized", false],
    [429, "Busy", true],
    [503, "Busy", true],
    [502, "TransportFailure", true],
    [400, "TransportFailure", false],
    [200, "TransportFailure", false]
  ])("%d is %s, retryable: %s", (status, tag, retryable) => {
    const reason = Answer.reasonOfEnd(modern, asked, {
      head: { status },
      body: "",
      problem: "it holds no answer"
    })
    expect(reason).toMatchObject({ _tag: tag, retryable })
  })

  it("names where a redirect leads, if it says so", () => {
    const reason = (head: ResponseHead): string =>
      Answer.reasonOfEnd(modern, asked, { head, body: "", problem: "p" }).message
    const said = "The answer to tools/call is no JSON-RPC response: p."
    expect(reason({ status: 302, location: "/new" })).toBe(`${said} It is the redirect 302 to /new.`)
    expect(reason({ status: 302 })).toBe(said)
  })
})

describe("a loss", () => {
  it.each([
    [{ _tag: "Lost", cause: "The connection broke." } as const, /^The connection broke\.$/],
    [{ _tag: "Closed", exitCode: 3, stderr: "boom" } as const, /exited with code 3\. Its standard error ended: boom$/],
    [{ _tag: "Closed", signal: "SIGKILL", stderr: "" } as const, /was ended by SIGKILL\.$/],
    [{ _tag: "Closed", stderr: "" } as const, /closed its output\.$/]
  ])("%j is a TransportFailure", (event, message) => {
    expect(Answer.reasonOfLoss(event)).toMatchObject({ _tag: "TransportFailure", retryable: true })
    expect(Answer.reasonOfLoss(event).message).toMatch(message)
  })
})
