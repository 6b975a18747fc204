import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Case, ServerCase } from "@parley/testing/Case"
import * as CaseFile from "@parley/testing/CaseFile"
import * as CaseRunner from "@parley/testing/CaseRunner"
import * as Report from "@parley/testing/Report"
import * as RawClient from "./support/RawClient.ts"
import * as RawServer from "./support/RawServer.ts"

const file = await CaseFile.load(fileURLToPath(new URL("../cases/reports.json", import.meta.url)))

// The format's own checks alone: the raw client has no agreement to show.
const plain = (item: Case): Case => {
  if (item.side === "server") return item
  const { agreementHas: _, errorHas: __, requests: ___, ...right } = item.right
  return { ...item, right }
}
const casesOf = (...ids: ReadonlyArray<string>) => file.cases.filter(({ id }) => ids.includes(id)).map(plain)
const quick: CaseRunner.Options = {
  timeoutMs: 2_000,
  waits: { replyMillis: 1_000, optionalMillis: 100, silenceMillis: 60 }
}

// Where a message must be seen that nothing announces: a busy machine starts a process slowly.
const patient: CaseRunner.Options = {
  timeoutMs: 20_000,
  waits: { replyMillis: 5_000, optionalMillis: 3_000, silenceMillis: 3_000 }
}

// What a right handshake client does rightly without knowing more than the handshake and the signs of a modern server.
const handshake = [
  "c-older-known-revision-accepted",
  "c-unknown-ancient-revision-disconnects",
  "c-middle-revision-accepted-http",
  "c-init-32022-then-discover",
  "c-init-internal-error-is-no-era-evidence",
  "c-init-401-fails-fast",
  "c-init-502-html",
  "c-later-header-is-the-negotiated-version",
  "c-accept-lists-both-types",
  "c-auto-initialize-silence-never-falls-back",
  "c-process-exits-at-once",
  "c-init-as-sse",
  "c-banner-lines-before-json",
  "c-session-id-is-carried",
  "c-no-session-id-is-invented"
]

describe("client cases", () => {
  it.live("a right client passes them over real processes and sockets", () =>
    Effect.gen(function* () {
      const verdicts = yield* CaseRunner.runAll(casesOf(...handshake), { client: RawClient.subject() }, quick)
      expect(verdicts.flatMap(({ id, problems }) => problems.map((problem) => `${id}: ${problem}`))).toEqual([])
      expect(verdicts).toHaveLength(handshake.length)
    })
  )

  it.live.each<[RawClient.Fault, string, string]>([
    ["reportsTheOffer", "c-older-known-revision-accepted", 'version: expected "2024-11-05", saw "2025-11-25"'],
    [
      "sendsNoInitialized",
      "c-middle-revision-accepted-http",
      "sent: expected [initialize, notifications/initialized], saw [initialize]"
    ],
    ["probesOnSilence", "c-auto-initialize-silence-never-falls-back", "sent: server/discover must not be sent"],
    ["cancelsInitialize", "c-auto-initialize-silence-never-falls-back", "law: initialize is never cancelled"],
    [
      "dropsTheSession",
      "c-session-id-is-carried",
      'notifications/initialized: header mcp-session-id: expected "b7e2-0c", saw nothing'
    ],
    ["sendsItsSessionWithInitialize", "c-session-id-is-carried", "law: an initialize carries no session id"],
    ["leavesTheProcess", "c-older-known-revision-accepted", "lives on after the close"],
    ["probesFirst", "c-older-known-revision-accepted", "sent: server/discover must not be sent"],
    ["namesAnotherError", "c-init-401-fails-fast", "error: expected Unauthorized, saw SomethingElse"],
    [
      "knocksAgain",
      "c-init-internal-error-is-no-era-evidence",
      "sent: expected [initialize], saw [initialize, initialize]"
    ],
    ["dies", "c-init-401-fails-fast", "the subject died: Error: the client fell over"]
  ])("a client that %s fails %s", ([fault, id, problem]) =>
    Effect.gen(function* () {
      const cases = fault === "dropsTheSession" ? file.cases.filter((item) => item.id === id) : casesOf(id)
      const [verdict] = yield* CaseRunner.runAll(cases, { client: RawClient.subject(fault) }, quick)
      expect(verdict?.problems.join("\n")).toContain(problem)
      if (fault !== "dies") expect(verdict?.wire.length).toBeGreaterThan(0)
    })
  )

  it.live.each<[RawClient.Fault]>([["hangs"], ["hangsOnClose"]])("a client that %s holds nobody up", ([fault]) =>
    Effect.gen(function* () {
      const [verdict] = yield* CaseRunner.runAll(
        casesOf("c-init-401-fails-fast"),
        { client: RawClient.subject(fault) },
        { timeoutMs: 300, graceMs: 2_000 }
      )
      expect(verdict?.problems).toEqual(["expected an end, saw none within 2300 ms"])
    })
  )

  it.live("without a client they fail", () =>
    Effect.gen(function* () {
      const [verdict] = yield* CaseRunner.runAll(casesOf("c-init-401-fails-fast"), {})
      expect(verdict?.problems).toEqual(["there is no client to test"])
    })
  )
})

describe("server cases", () => {
  const servers = file.cases.filter(({ side }) => side === "server")

  it.live.each<[string, RawServer.Fault | undefined]>([
    ["JSON", undefined],
    ["SSE streams that stay open", "answersAsSse"]
  ])("a right server passes all 51, answering by %s", ([, fault]) =>
    Effect.gen(function* () {
      const verdicts = yield* CaseRunner.runAll(servers, { server: RawServer.subject(fault) }, { concurrency: 8 })
      expect(verdicts.flatMap(({ id, problems }) => problems.map((problem) => `${id}: ${problem}`))).toEqual([])
      expect(verdicts).toHaveLength(51)
    })
  )

  it.live.each<[RawServer.Fault, string, string]>([
    [
      "echoesAnyVersion",
      "s-init-1999-is-not-echoed",
      'body.result.protocolVersion: expected "2025-11-25", saw "1999-01-01"'
    ],
    ["answersNotifications", "s-initialized-is-silent-stdio", "expected nothing more, saw"],
    ["diesOnGarbage", "s-garbage-line-then-initialize", "the process must live on; it ended with code 1"],
    ["issuesNoSession", "s-missing-session-is-400", "header mcp-session-id: expected any value, saw nothing"],
    ["sameSession", "s-two-clients-two-sessions", 'header mcp-session-id: expected not "one", saw "one"'],
    ["spacedSession", "s-session-id-visible-ascii", "header mcp-session-id: expected a match of"],
    ["okForEverything", "s-modern-unknown-method-404", "status: expected 404, saw 200"],
    ["okForEverything", "s-unknown-session-is-404", "status: expected 404, saw 200"],
    ["refusesSecondDiscover", "s-both-eras-one-endpoint", "code: expected no error, saw -32600"],
    ["ignoresOrigin", "s-bad-origin-403", "status: expected 403, saw 200"],
    ["listsEverything", "s-stateless-only-refuses-handshake-version-in-envelope", 'something without "2025-11-25"'],
    ["wrongId", "s-discover-over-http", 'body.id: expected "d-1", saw "else"'],
    ["wrongId", "s-ping-before-initialize", "expected a reply, saw none"],
    ["answersTwice", "s-ping-before-initialize", "expected nothing more, saw"],
    ["bodyOn202", "s-initialized-gets-202-and-no-body", "body: expected an empty one"],
    ["silent", "s-both-eras-one-endpoint", "expected a reply, saw none within 1000 ms"]
  ])("a server that %s fails %s", ([fault, id, problem]) =>
    Effect.gen(function* () {
      const [verdict] = yield* CaseRunner.runAll(casesOf(id), { server: RawServer.subject(fault) }, quick)
      expect(verdict?.problems.join("\n")).toContain(problem)
      expect(verdict?.wire.length).toBeGreaterThan(0)
    })
  )

  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" })
  const pingCase = (change: Partial<ServerCase>): ServerCase => ({
    id: "s-ping",
    side: "server",
    transport: "stdio",
    serverEras: ["legacy"],
    send: [{ body: ping(1) }],
    right: [{ code: null }],
    ...change
  })

  it.live("writes raw bytes, and what must be in flight together goes out together", () =>
    Effect.gen(function* () {
      const inParallel = pingCase({
        send: [
          { body: ping(1), parallelWith: 1 },
          { body: ping(2) },
          { lineBase64: Buffer.from([0xff, 0xfe]).toString("base64") }
        ],
        right: [{ bodyHas: ping(1) }, { bodyHas: { id: 2 } }, { code: -32700 }]
      })
      const [verdict] = yield* CaseRunner.runAll([inParallel], { server: RawServer.subject() }, quick)
      const wire = verdict?.wire.map((line) => line.slice(10, 60)) ?? []
      expect(wire.slice(0, 2).every((line) => line.startsWith("> "))).toBe(true)
      expect(wire[4]).toContain("(base64) //4=")
      // The answer to a ping holds no method: the first expectation is wrong, and only that.
      expect(verdict?.problems).toEqual([expect.stringContaining('send[0]: body.method: expected "ping"')])
    })
  )

  it.live("a reply that must not come is found, however late, and one that may come is judged", () =>
    Effect.gen(function* () {
      const optional = { anyReply: true, optional: true }
      const send = [{ body: { jsonrpc: "2.0", method: "notifications/x" } }, { body: ping(2) }]
      const cases = [
        pingCase({ send, right: [optional, null] }),
        pingCase({ send, right: [optional, optional] }),
        pingCase({ send, right: [optional, { ...optional, code: -32601 }] })
      ]
      const verdicts = yield* CaseRunner.runAll(cases, { server: RawServer.subject() }, patient)
      expect(verdicts.map(({ problems }) => problems)).toEqual([
        [expect.stringContaining('expected nothing more, saw {"jsonrpc":"2.0","id":2')],
        [],
        ["send[1]: code: expected -32601, saw no error"]
      ])
    })
  )

  it.live("a server that cannot be started or reached fails", () =>
    Effect.gen(function* () {
      const nowhere = { serve: () => Effect.succeed({ command: "/nowhere/at-all", args: [] }) }
      const closed = { serve: () => Effect.succeed({ url: "http://127.0.0.1:9/" }) }
      const refusing = { serve: () => Effect.fail({ _tag: "CannotServe" as const, message: "no room" }) }
      const results = yield* Effect.forEach([nowhere, closed, refusing], (server) =>
        CaseRunner.runAll([pingCase({})], { server }, quick)
      )
      expect(results.map(([verdict]) => verdict?.problems.join("\n"))).toEqual([
        expect.stringContaining("the process must live on; it cannot be started"),
        expect.stringContaining("send[0]: the connection to http://127.0.0.1:9/ broke"),
        "the server cannot be started: no room"
      ])
    })
  )
})

describe("the report", () => {
  it.live("names the case, what was expected and seen, and the wire; and counts", () =>
    Effect.gen(function* () {
      const cases = casesOf("c-middle-revision-accepted-http", "c-init-401-fails-fast")
      const verdicts = yield* CaseRunner.runAll(cases, { client: RawClient.subject("sendsNoInitialized") }, quick)
      const blocks = verdicts.map((verdict) => Report.block("reports.json", verdict)).filter((block) => block !== "")
      expect(blocks).toHaveLength(1)
      expect(blocks[0]).toMatch(/^wrong {2}c-middle-revision-accepted-http {2}\(client, reports\.json\)\n/)
      expect(blocks[0]).toContain("Gateway silently answers two revisions below the offer")
      expect(blocks[0]).toContain("expected [initialize, notifications/initialized], saw [initialize]")
      expect(blocks[0]).toMatch(/\| +\d+ ms > POST \/mcp .*"method":"initialize"/)
      const broken = [{ file: "x.json", id: "y", problems: ["side: Expected"] }]
      expect(Report.closing(verdicts, broken)).toBe("1 passed, 2 failed")
      expect(Report.brokenBlock({ file: "x.json", id: "y", problems: ["a\u001b[31mb"] })).toBe(
        "broken y  (x.json)\n   -   a\\u001b[31mb"
      )
    })
  )
})
