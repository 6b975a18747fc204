// What people read and what optional members say: the facts of each sentence, and that what is not known is not there.
import { describe, expect, it } from "@effect/vitest"
import type { Agreement } from "@parley/core/Agreement"
import * as Answer from "@parley/core/client/Answer"
import * as Client from "@parley/core/client/Client"
import type { Event } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import * as Policy from "@parley/core/client/Policy"
import { TransportFailure, UnsupportedProtocolVersion } from "@parley/core/Errors"
import { weigh, weighUnanswered } from "@parley/core/client/Weigh"
import type { Medium } from "@parley/core/Medium"
import { http, idOf, stdio } from "@parley/core/Medium"
import type { Failure, Success } from "@parley/core/Message"
import { failure, success } from "@parley/core/Message"

const messageOf = (policy: Policy.Policy, medium: Medium, event: Event): string => {
  const { state } = Client.step(policy, medium, Client.begin(policy, medium).state, event)
  return state._tag === "Failed" ? state.reason.message : state._tag
}

const evidence = (policy: Policy.Policy, medium: Medium, event: Event): object => {
  const { state } = Client.begin(policy, medium)
  return Client.isEnding(state) ? {} : weigh(policy, medium, state, event)
}

const initializeResult = (changes: object): Success =>
  success(idOf(stdio, 1), {
    protocolVersion: "2025-11-25",
    capabilities: {},
    serverInfo: { name: "s", version: "1" },
    ...changes
  })

const discoverResult = (changes: object): Success =>
  success(idOf(stdio, 1), { supportedVersions: ["2026-07-28"], capabilities: {}, ...changes })

describe("Evidence says what is wrong and where", () => {
  it.each([
    ["result.protocolVersion", "it is no string", { protocolVersion: 7 }],
    ["result.capabilities", "it is no object", { capabilities: [] }],
    ["result.serverInfo", "it is no object", { serverInfo: "s" }]
  ])("%s of an initialize: %s", (path, problem, changes) => {
    expect(evidence(Policy.auto, stdio, arrived(initializeResult(changes), 1))).toStrictEqual({
      _tag: "Garbled",
      path,
      problem,
      foreign: false
    })
  })

  it.each([
    ["result.resultType", "it is not complete", { resultType: "task" }],
    ["result.capabilities", "it is no object", { capabilities: 1 }],
    ["result.supportedVersions", "it is no list of revisions", { supportedVersions: "2026-07-28" }]
  ])("%s of a discover: %s", (path, problem, changes) => {
    expect(evidence(Policy.discoverFirst, stdio, arrived(discoverResult(changes), 1))).toStrictEqual({
      _tag: "Garbled",
      path,
      problem,
      foreign: false
    })
  })

  it("names both ids where an answer over HTTP has another", () => {
    const other = evidence(Policy.auto, http, arrived(success("other", {}), 1, { status: 200 }))
    expect(other).toStrictEqual({
      _tag: "Garbled",
      path: "id",
      problem: `the answer has the id "other", not ${JSON.stringify(idOf(http, 1))}`,
      foreign: false
    })
  })

  it("tells a line that is too long from noise, and a result under an error status from an answer", () => {
    expect(evidence(Policy.auto, stdio, { _tag: "Stray", problem: "overlong", head: "xx" })).toStrictEqual({
      _tag: "Garbled",
      path: "stdout",
      problem: "a line is over the size bound",
      foreign: true,
      head: "xx"
    })
    const answer = success(idOf(http, 1), {})
    expect(
      evidence(Policy.auto, http, arrived(answer, 1, { status: 299, contentType: "application/json" }))
    ).toMatchObject({
      path: "result.protocolVersion"
    })
    expect(
      evidence(Policy.auto, http, arrived(answer, 1, { status: 199, contentType: "application/json" }))
    ).toStrictEqual({
      _tag: "Garbled",
      path: "body",
      problem: "a result under an error status",
      foreign: false,
      status: 199,
      head: ""
    })
    expect(evidence(Policy.auto, http, arrived(answer, 1, { status: 300 }))).toMatchObject({ _tag: "HttpRefused" })
  })

  it("says of what is old that it is old", () => {
    const head = { status: 200 }
    const old: ReadonlyArray<readonly [Event, string]> = [
      [{ _tag: "Unanswered", exchange: 9, head, body: "", problem: "p" }, "the end of an older response"],
      [{ _tag: "Lost", exchange: 9, cause: "c" }, "the loss of an older response"],
      [{ _tag: "DeadlinePassed", of: 9, waitedMillis: 1 }, "the deadline of an older exchange"]
    ]
    for (const [event, what] of old) {
      expect(evidence(Policy.auto, http, event)).toStrictEqual({ _tag: "OutOfTurn", kind: "message", what })
    }
  })

  it("has no member for what an event does not tell", () => {
    expect(evidence(Policy.auto, http, { _tag: "Lost", cause: "c" })).toStrictEqual({ _tag: "Outage", cause: "c" })
    expect(evidence(Policy.auto, http, { _tag: "Lost", cause: "c", retryable: false })).toStrictEqual({
      _tag: "Outage",
      cause: "c",
      retryable: false
    })
    expect(evidence(Policy.auto, stdio, { _tag: "Closed", stderr: "e" })).toStrictEqual({ _tag: "Ended", stderr: "e" })
    expect(evidence(Policy.auto, stdio, { _tag: "Closed", stderr: "e", exitCode: 0, signal: "SIGINT" })).toStrictEqual({
      _tag: "Ended",
      stderr: "e",
      exitCode: 0,
      signal: "SIGINT"
    })
  })

  it("takes a body that is no JSON and no stream for a foreign one", () => {
    const foreign = (contentType: string | undefined): unknown =>
      Reflect.get(
        weighUnanswered({
          head: { status: 200, ...(contentType === undefined ? undefined : { contentType }) },
          body: "",
          problem: "p"
        }),
        "foreign"
      )
    expect([undefined, "text/html", "x-application/json", ""].map(foreign)).toEqual([true, true, true, true])
    expect(["application/json", "Text/Event-Stream; x=1"].map(foreign)).toEqual([false, false])
  })

  it("keeps no wait where a busy server named none", () => {
    const head = { status: 503 }
    const event: Event = { _tag: "Unanswered", exchange: 1, head, body: "", problem: "p" }
    expect(evidence(Policy.auto, http, event)).toStrictEqual({ _tag: "Busy", status: 503 })
    expect(evidence(Policy.auto, http, { ...event, head: { status: 401 } })).toStrictEqual({
      _tag: "AccessRefused",
      status: 401
    })
  })
})

describe("The error of a failed negotiation says", () => {
  it.each([
    ["was ended by SIGKILL", { signal: "SIGKILL", exitCode: 1 }],
    ["exited with code 7", { exitCode: 7 }],
    ["closed its output", {}]
  ])("that the process %s", (how, ending) => {
    const message = messageOf(Policy.auto, stdio, { _tag: "Closed", stderr: "", ...ending })
    expect(message).toContain(`The server process ${how} before it answered initialize`)
  })

  it("that a redirect was not followed, and that a gateway failed", () => {
    const at = (status: number): string =>
      messageOf(Policy.auto, http, { _tag: "Unanswered", exchange: 1, head: { status }, body: "", problem: "p" })
    for (const status of [300, 302, 399]) expect(at(status)).toContain(`with the redirect ${status}`)
    for (const status of [400, 404]) expect(at(status)).toContain(`with ${status} and no JSON-RPC error`)
    expect(at(502)).toContain("The server answered 502. Look at its log")
    expect(messageOf(Policy.auto, http, { _tag: "Lost", cause: "It was cut." })).not.toContain("gateway")
  })

  it("where something else than MCP speaks", () => {
    const message = messageOf(Policy.auto, stdio, { _tag: "Stray", problem: "overlong", head: "xx" })
    expect(message).toContain("The answer to initialize is no MCP: a line is over the size bound")
  })

  it("which codes of a modern server ended a discover", () => {
    const refused = failure(idOf(stdio, 1), { code: -32020, message: "words" })
    const message = messageOf(Policy.discoverFirst, stdio, arrived(refused, 1))
    for (const fact of ["of the request", "what the body says", "(words)"]) expect(message).toContain(fact)
  })
})

describe("The error of a later request says", () => {
  const agreement: Agreement = {
    version: "2025-06-18",
    era: "legacy",
    capabilities: {},
    offered: "2025-11-25",
    named: "2025-06-18",
    client: { info: { name: "c", version: "1" }, capabilities: {} },
    warnings: [],
    trace: []
  }
  const asked: Answer.Asked = { id: 9, method: "tools/call", resultTypes: [] }
  const reason = (message: Success | Failure, status?: number, of: Agreement = agreement): object => {
    const answer = Answer.read(of, asked, arrived(message, 12, status === undefined ? undefined : { status }), message)
    return answer._tag === "Refused" ? answer.reason : answer
  }

  it("how its peer ended", () => {
    const told = [
      Answer.reasonOfLoss({ _tag: "Closed", stderr: "e", exitCode: 3 }),
      Answer.reasonOfLoss({ _tag: "Closed", stderr: "e", signal: "SIGINT" }),
      Answer.reasonOfLoss({ _tag: "Closed", stderr: "e" })
    ]
    expect(told.map(({ reason }) => reason)).toEqual([
      "The server exited with code 3.",
      "The server was ended by SIGINT.",
      "The server closed its output."
    ])
    expect(told.map((one) => ["exitCode" in one, "signal" in one])).toEqual([
      [true, false],
      [false, true],
      [false, false]
    ])
    expect([told[0]?.exitCode, told[1]?.signal, told[2]?.stderr]).toEqual([3, "SIGINT", "e"])
  })

  it("that a result came under an error status, or under another id", () => {
    expect(reason(success(9, {}), 299)).toMatchObject({ _tag: "Result" })
    for (const status of [199, 300]) {
      expect(reason(success(9, {}), status)).toMatchObject({
        _tag: "TransportFailure",
        status,
        head: "",
        reason: expect.stringContaining(
          "The answer to tools/call is no JSON-RPC response: a result under an error status."
        )
      })
    }
    expect(reason(success(8, {}))).toMatchObject({ path: "id", problem: "it is not that of the request" })
  })

  it("that a session is gone only where there was one and the status is 404", () => {
    const inSession = { ...agreement, sessionId: "s" }
    const end = (status: number, of: Agreement): object =>
      Answer.reasonOfEnd(of, asked, { head: { status }, body: "b", problem: "p" })
    expect(end(404, inSession)).toMatchObject({ _tag: "SessionUnknown", problem: "unknown" })
    expect(end(500, inSession)).toMatchObject({ _tag: "TransportFailure", retryable: true, status: 500, head: "b" })
    expect(end(404, agreement)).toMatchObject({ _tag: "TransportFailure", retryable: false })
    expect(reason(failure(9, { code: -32600, message: "m" }), 400, inSession)).toMatchObject({ _tag: "ErrorResponse" })
  })

  it("what the server said, with the status and the data that came, and without what did not", () => {
    const bare = reason(failure(9, { code: -32000, message: "m" }))
    expect([Reflect.get(bare, "serverMessage"), "data" in bare, "status" in bare]).toEqual(["m", false, false])
    const full = reason(failure(9, { code: -32000, message: "m", data: { a: 1 } }), 400)
    expect(full).toMatchObject({ data: { a: 1 }, status: 400 })
    expect(reason(failure(9, { code: -32020, message: "m" }))).toMatchObject({ _tag: "HeaderMismatch" })
    expect(reason(failure(9, { code: -32022, message: "m" }))).toMatchObject({ supported: [] })
  })
})

describe("The opening says", () => {
  const narrowed = (policy: Policy.Policy, eras: ReadonlyArray<"legacy" | "modern">): Policy.Policy =>
    Policy.narrow(policy, eras)
  const because = (policy: Policy.Policy): string => Client.begin(policy, http).trace?.because ?? ""

  it("which policy opens how, and what it lacks", () => {
    expect(because(Policy.auto)).toBe("policy auto opens so")
    expect(because(Policy.discoverFirst)).toBe("policy discoverFirst opens so")
    const legacyOnly = narrowed(Policy.discoverFirst, ["legacy"])
    expect(because(legacyOnly)).toContain("policy discoverFirst would open with server/discover (")
    expect(because(narrowed(Policy.auto, ["modern"]))).toContain("policy auto would open with initialize (")
    const { lacking: _, ...bare } = legacyOnly
    expect(because(bare)).toContain("(its versions lack that era)")
  })

  it("what forbids it, and nothing that is not so", () => {
    const reasonOf = (policy: Policy.Policy): string => {
      const { state, commands } = Client.begin(policy, http)
      expect(commands).toEqual([])
      return state._tag === "Failed" && state.reason._tag === "PolicyForbids" ? state.reason.what : state._tag
    }
    expect(reasonOf({ ...Policy.auto, versions: [] })).toBe("it speaks no revision.")
    expect(reasonOf({ ...Policy.auto, versions: [], lacking: "Because." })).toBe("it speaks no revision. Because.")
    expect(reasonOf({ ...Policy.handshakeOnly, versions: ["2026-07-28"] })).toBe(
      "it needs a legacy revision and has none."
    )
  })

  it("how long it waits: a probe on a pipe less than an answer", () => {
    const budgets = { exchangeMillis: 50, probeMillis: 7 }
    const waits = (policy: Policy.Policy, medium: Medium): unknown =>
      Client.begin(Policy.withBudgets(policy, budgets), medium).commands.flatMap((command) =>
        command._tag === "StartDeadline" && command.of === 1 ? [command.millis] : []
      )
    expect(waits(Policy.discoverFirst, stdio)).toEqual([7])
    expect(waits(Policy.discoverFirst, http)).toEqual([50])
    expect(waits(Policy.auto, stdio)).toEqual([50])
    // Auto discovers only where its carrier has no legacy era: that is no probe, and silence is no sign.
    expect(waits(narrowed(Policy.auto, ["modern"]), stdio)).toEqual([50])
  })
})

describe("A setting", () => {
  it("is read without regard to case and outer blanks, and pins only where it begins so", () => {
    expect(Policy.fromSetting(" AUTO\n").policy.name).toBe("auto")
    expect(Policy.fromSetting(" pin: 2025-06-18 ").policy.versions).toEqual(["2025-06-18"])
    expect(Policy.fromSetting("pinned:2025-06-18").policy.versions).toEqual(["2025-06-18"])
    for (const text of ["xpin:2025-06-18", "pin:2025-06-18\nx", "pin:latest", ""]) {
      const { policy, warning } = Policy.fromSetting(text)
      expect([text, policy.name, typeof warning]).toEqual([text, "auto", "string"])
    }
    expect(Policy.pinned("latest").versions).toEqual([])
  })
})

describe("A trace shows evidence in a few words", () => {
  it("with at most eight revisions of a list, and with an exit code where there is one", () => {
    const list = Array.from({ length: 9 }, (_, index) => `1999-01-0${index + 1}`)
    const trace = (event: Event): string | undefined =>
      Client.step(Policy.auto, stdio, Client.begin(Policy.auto, stdio).state, event).trace?.evidence
    const refused = failure(idOf(stdio, 1), { code: -32022, message: "m", data: { supported: list } })
    expect(trace(arrived(refused, 1))).toBe(`Disjoint: ${list.slice(0, 8).join(", ")}`)
    expect(trace({ _tag: "Closed", stderr: "" })).toBe("Ended")
    expect(trace({ _tag: "Closed", stderr: "", exitCode: 3 })).toBe("Ended with exit code 3")
  })
})

describe("The message of an error", () => {
  it("names at most twenty revisions, and says that there are more", () => {
    const list = Array.from({ length: 21 }, (_, index) => `v${index}`)
    const said = (supported: ReadonlyArray<string>): string =>
      new UnsupportedProtocolVersion({ requested: "r", supported }).message
    expect(said(list)).toContain("v19 and more")
    expect(said(list)).not.toContain("v20")
    expect(said(list.slice(0, 20))).toContain("v19")
    expect(said(list.slice(0, 20))).not.toContain("and more")
  })

  it("shows how a foreign answer began and how standard error ended, where there was something", () => {
    const said = (found: { readonly head?: string; readonly stderr?: string }): string =>
      new TransportFailure({ reason: "R.", retryable: true, ...found }).message
    expect(said({ head: "", stderr: " \n" })).toBe("R.")
    expect(said({ head: "x" })).toContain("It began: x")
    expect(said({ stderr: ` ${"a".repeat(300)}${"b".repeat(500)}\n ` })).toContain(`ended: ${"b".repeat(500)}`)
    expect(said({ stderr: ` ${"a".repeat(300)}${"b".repeat(500)}\n ` })).not.toContain("ab")
  })
})
