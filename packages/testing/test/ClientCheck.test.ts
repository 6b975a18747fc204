import { describe, expect, it } from "vitest"
import type { ClientCase } from "@parley/testing/Case"
import { check } from "@parley/testing/ClientCheck"
import type { Received } from "@parley/testing/Script"
import type { Transcript } from "@parley/testing/Scripted"
import type { ClientOutcome } from "@parley/testing/Subject"

const established: ClientOutcome = {
  outcome: "established",
  era: "legacy",
  version: "2025-06-18",
  agreement: { version: "2025-06-18", named: "2025-06-18" },
  calls: []
}
const failed: ClientOutcome = {
  outcome: "failed",
  error: "Busy",
  message: "The server answered 429",
  fields: { status: 429 }
}
const opening = ["initialize", "notifications/initialized"]

const transcriptOf = (received: ReadonlyArray<string | Partial<Received>>): Transcript => ({
  received: received.map((item, index) => ({
    headers: {},
    at: 0,
    nth: 1,
    row: 0,
    ...(typeof item === "string" ? { method: item, body: { method: item, id: index } } : item)
  })),
  wire: [],
  processes: [{ pid: 1, exitCode: 0 }],
  problems: []
})

const problems = (
  right: Partial<ClientCase["right"]>,
  outcome: ClientOutcome,
  received: ReadonlyArray<string | Partial<Received>> = opening,
  server: ClientCase["server"] = []
) =>
  check(
    {
      id: "c",
      side: "client",
      transport: "http",
      policy: "auto",
      server,
      right: { outcome: outcome.outcome, ...right }
    },
    outcome,
    transcriptOf(received),
    100
  )

describe("the outcome of a client", () => {
  it.each<[string, Partial<ClientCase["right"]>, ClientOutcome]>([
    ["era and version", { era: "legacy", version: "2025-06-18" }, established],
    ["the agreement", { agreementHas: { named: "2025-06-18" } }, established],
    ["the preferred error", { error: "Busy", errorAnyOf: ["Timeout"] }, failed],
    ["an accepted error", { error: "Timeout", errorAnyOf: ["Timeout", "Busy"] }, failed],
    [
      "the error's fields, tag and message",
      { errorHas: { _tag: "Busy", status: 429, message: { $contains: "429" } } },
      failed
    ],
    ["the time", { withinMs: 100 }, failed],
    ["the processes", { processes: 1 }, failed]
  ])("is right by %s", (_, right, outcome) => {
    expect(problems(right, outcome)).toEqual([])
  })

  it.each<[string, Partial<ClientCase["right"]>, ClientOutcome, string]>([
    [
      "the other outcome",
      { outcome: "failed", error: "Busy" },
      established,
      "outcome: expected failed with Busy, saw established legacy 2025-06-18"
    ],
    [
      "the other outcome, the other way",
      { outcome: "established", era: "legacy" },
      failed,
      "outcome: expected established legacy, saw failed with Busy: The server answered 429"
    ],
    ["the era", { era: "modern" }, established, 'era: expected "modern", saw "legacy"'],
    ["the version", { version: "2025-11-25" }, established, 'version: expected "2025-11-25", saw "2025-06-18"'],
    ["the agreement", { agreementHas: { named: "x" } }, established, 'agreement.named: expected "x", saw "2025-06-18"'],
    ["the error", { error: "Timeout" }, failed, "error: expected Timeout, saw Busy: The server answered 429"],
    ["the error's fields", { errorHas: { status: 503 } }, failed, "error.status: expected 503, saw 429"],
    ["the time", { withinMs: 99 }, failed, "expected an outcome within 99 ms, saw it after 100 ms"]
  ])("is wrong by %s", (_, right, outcome, problem) => {
    expect(problems(right, outcome)).toEqual([problem])
  })
})

describe("what a client sent", () => {
  it.each<[string, Partial<ClientCase["right"]>, ReadonlyArray<string | Partial<Received>>, boolean]>([
    ["in its order", { sent: opening }, opening, true],
    ["in another order", { sent: opening }, opening.toReversed(), false],
    ["too little", { sent: opening }, ["initialize"], false],
    ["too much", { sent: ["initialize"] }, opening, false],
    ["what it may send besides, first", { sent: opening, mayAlsoSend: ["ping"] }, ["ping", ...opening], true],
    [
      "what it may send besides, often",
      { sent: opening, mayAlsoSend: ["ping"] },
      ["ping", "initialize", "ping", "ping", "notifications/initialized", "ping"],
      true
    ],
    [
      "one more of what must be sent",
      { sent: ["initialize"], mayAlsoSend: ["initialize"] },
      ["initialize", "initialize"],
      true
    ],
    ["what it must not send", { mustNotSend: ["server/discover"] }, ["server/discover"], false],
    [
      "GET and DELETE, which do not count",
      { sent: opening },
      [...opening, { httpMethod: "GET" }, { httpMethod: "DELETE" }],
      true
    ],
    [
      "a redirect that it followed, which does not count",
      { sent: ["initialize"] },
      ["initialize", { method: "initialize", redirected: true }],
      true
    ],
    ["responses, which do not count", { sent: opening }, [...opening, { body: { id: 1, result: {} } }], true]
  ])("%s", (_, right, received, holds) => {
    expect(problems(right, established, received).length === 0).toBe(holds)
  })

  it("must fit the headers that the script asks for, where no other row answers", () => {
    const server = [{ on: { method: "initialize", headers: { "mcp-session-id": null } }, reply: {} }]
    expect(problems({}, established, [{ method: "initialize", row: 0 }], server)).toEqual([])
    const { row: _, ...unanswered } = { row: 0, method: "initialize", body: { method: "initialize", id: 1 } }
    const received = { ...transcriptOf([]), received: [{ headers: {}, at: 0, nth: 1, ...unanswered }] }
    const verdict = check(
      { id: "c", side: "client", transport: "http", policy: "auto", server, right: { outcome: "established" } },
      established,
      received,
      1
    )
    expect(verdict).toEqual([expect.stringContaining("headers: expected initialize with")])
  })

  it("is looked at request by request", () => {
    const requests = [{ method: "initialize", nth: 1, headers: { a: "1", b: null }, bodyHas: { id: 7 } }]
    const good = { method: "initialize", nth: 1, headers: { a: "1" }, body: { id: 7 } }
    expect(problems({ requests }, established, [good])).toEqual([])
    expect(problems({ requests }, established, [{ ...good, headers: { a: "2", b: "" } }])).toHaveLength(2)
    expect(problems({ requests }, established, [{ ...good, nth: 2 }])).toEqual([
      "requests: expected initialize number 1, saw none"
    ])
  })
})

describe("a law for every client", () => {
  it("initialize is never cancelled", () => {
    const cancel = (requestId: unknown) => ({
      method: "notifications/cancelled",
      body: { method: "notifications/cancelled", params: { requestId } }
    })
    expect(problems({}, established, ["initialize", cancel(0)])).toEqual(["law: initialize is never cancelled"])
    expect(problems({}, established, ["server/discover", cancel(0)])).toEqual([])
    expect(problems({}, established, ["initialize", cancel("0")])).toEqual([])
  })

  it("initialize carries no session id", () => {
    expect(problems({}, established, [{ method: "initialize", headers: { "mcp-session-id": "s" } }])).toEqual([
      "law: an initialize carries no session id"
    ])
  })

  it("a script that could not be played is a problem", () => {
    const transcript = { ...transcriptOf(opening), problems: ["the reply cannot be sent"] }
    const subject: ClientCase = {
      id: "c",
      side: "client",
      transport: "http",
      policy: "auto",
      server: [],
      right: { outcome: "established" }
    }
    expect(check(subject, established, transcript, 1)).toEqual(["the reply cannot be sent"])
  })
})
