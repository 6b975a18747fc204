// What can happen to a client in a state: every event of the walk, with a stable id. Answers are in Answers; what an
// event means is core's business.
import type { Id, Message } from "@parley/core/Message"
import { failure, Method, notification, request, success } from "@parley/core/Message"
import type { Medium } from "@parley/core/Medium"
import { idOf } from "@parley/core/Medium"
import type { Event, ResponseHead } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import type { Awaiting } from "@parley/core/client/State"
import { methodOf } from "@parley/core/client/State"
import type { Answer } from "./Answers.ts"
import { answersTo, discoverResult, initializeResult } from "./Answers.ts"

/** An event that may happen, under a name that does not depend on the order of a walk. */
export interface Occurrence {
  readonly id: string
  readonly event: Event
}

/** Returns everything that may happen to a client in a state on a medium. */
export const occurrences = (medium: Medium, state: Awaiting): ReadonlyArray<Occurrence> => {
  const key = `${medium.name} ${methodOf(state)} ${state.asked} ${state.ledger.exchanges}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const found = [
    ...(medium.streams === "shared" ? onPipe(medium, state) : overHttp(medium, state)),
    ...anywhere(state.ledger.exchanges)
  ]
  remembered.set(key, found)
  return found
}

// The same few hundred objects serve all states of a walk; the keys are bounded by the subjects.
const remembered = new Map<string, ReadonlyArray<Occurrence>>()

const anywhere = (exchange: number): ReadonlyArray<Occurrence> => [
  { id: "deadline", event: { _tag: "DeadlinePassed", of: exchange, waitedMillis: 10_000 } },
  { id: "deadline.negotiation", event: { _tag: "DeadlinePassed", of: "negotiation", waitedMillis: 60_000 } },
  { id: "lost", event: { _tag: "Lost", exchange, cause: "The connection was cut." } },
  { id: "lost.all", event: { _tag: "Lost", cause: "The server cannot be reached." } },
  ...(exchange === 1
    ? []
    : [
        { id: "older.deadline", event: { _tag: "DeadlinePassed", of: exchange - 1, waitedMillis: 10_000 } } as const,
        { id: "older.lost", event: { _tag: "Lost", exchange: exchange - 1, cause: "The connection was cut." } } as const
      ])
]

const fromServer: ReadonlyArray<readonly [string, Message]> = [
  ["ping", request("server-1", Method.Ping)],
  ["request", request("server-2", "roots/list")],
  ["notification", notification(Method.LogMessage, { level: "info", data: "starting" })]
]

// ---- stdio: one pipe, correlation by id

const onPipe = (medium: Medium, state: Awaiting): ReadonlyArray<Occurrence> => {
  const { exchanges } = state.ledger
  const id = idOf(medium, exchanges)
  const answers = answersTo(methodOf(state), state.asked)
  return [
    ...answers.map((answer) => ({ id: answer.id, event: arrived(messageOf(id, answer)) })),
    ...answers
      .filter(({ id }) => unaddressed.has(id))
      .flatMap((answer) =>
        ([null, undefined, ""] as const).map((missing) => ({
          id: `${answer.id}#${missing === null ? "null" : missing === "" ? "empty" : "absent"}`,
          event: arrived(errorWithout(missing, answer))
        }))
      ),
    {
      id: "result#otherType",
      event: arrived(success(typeof id === "number" ? String(id) : exchanges, initializeResult("2025-11-25")))
    },
    { id: "result#unknown", event: arrived(success(77, discoverResult(["2026-07-28"]))) },
    { id: "error#unknown", event: arrived(failure(77, { code: -32601, message: "Method not found" })) },
    ...late(medium, exchanges),
    ...fromServer.map(([name, message]) => ({ id: name, event: arrived(message) })),
    { id: "noise", event: { _tag: "Stray", head: "Listening on stdio", problem: "notJson" } },
    { id: "noise.json", event: { _tag: "Stray", head: '{"level":"info"}', problem: "notJsonRpc" } },
    { id: "noise.overlong", event: { _tag: "Stray", head: "xxxx…", problem: "overlong" } },
    { id: "closed", event: { _tag: "Closed", stderr: "" } },
    { id: "closed.exit", event: { _tag: "Closed", exitCode: 1, stderr: "fatal: unknown method" } },
    { id: "closed.signal", event: { _tag: "Closed", signal: "SIGSEGV", stderr: "" } }
  ]
}

const unaddressed: ReadonlySet<string> = new Set([
  "error.-32700",
  "error.-32600",
  "error.-32601",
  "error.-32022.modern"
])

// Answers to the opening probe, after another request was sent on the same pipe.
const late = (medium: Medium, exchange: number): ReadonlyArray<Occurrence> =>
  exchange === 1
    ? []
    : [
        ...(["2026-07-28", "2025-11-25", "2099-01-01"] as const).map((version) => ({
          id: `late.result.${version}`,
          event: arrived(success(idOf(medium, 1), discoverResult([version])))
        })),
        { id: "late.result.names", event: arrived(success(idOf(medium, 1), initializeResult("2025-11-25"))) },
        {
          id: "late.error.-32601",
          event: arrived(failure(idOf(medium, 1), { code: -32601, message: "Method not found" }))
        }
      ]

// ---- HTTP: one response for each exchange, correlation by the response

const overHttp = (medium: Medium, state: Awaiting): ReadonlyArray<Occurrence> => {
  const { exchanges } = state.ledger
  const id = idOf(medium, exchanges)
  const answers = answersTo(methodOf(state), state.asked)
  const under = (answer: Answer, head: ResponseHead, name: string): Occurrence => ({
    id: name,
    event: arrived(messageOf(id, answer), exchanges, { contentType: "application/json", ...head })
  })
  return [
    ...answers.map((answer) => under(answer, { status: statusOf(answer) }, answer.id)),
    ...answers
      .filter(({ id }) => withSession.has(id))
      .map((answer) => under(answer, { status: 200, sessionId: `session-of-${exchanges}` }, `${answer.id}+session`)),
    ...otherStatuses.flatMap(([name, head]) =>
      answers.filter((answer) => answer.id === name).map((answer) => under(answer, head, `${name}@${head.status}`))
    ),
    {
      id: "result#unknown",
      event: arrived(success(77, initializeResult("2025-11-25")), exchanges, { status: 200 })
    },
    {
      id: "error#unknown",
      event: arrived(failure(77, { code: -32601, message: "Method not found" }), exchanges, { status: 400 })
    },
    {
      id: "error.-32600#null",
      event: arrived({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "Bad Request" } }, exchanges, {
        status: 400
      })
    },
    ...(exchanges === 1
      ? []
      : [
          {
            id: "older.result",
            event: arrived(success(idOf(medium, exchanges - 1), discoverResult(["2026-07-28"])), exchanges - 1, {
              status: 200
            })
          },
          { id: "older.unanswered", event: unanswered(exchanges - 1, { status: 202 }, "") }
        ]),
    ...fromServer.map(([name, message]) => ({
      id: name,
      event: arrived(message, exchanges, {
        status: 200,
        contentType: "text/event-stream",
        sessionId: `session-of-${exchanges}`
      })
    })),
    ...bare.map(([name, head, body]) => ({
      id: `unanswered.${name}`,
      event: unanswered(exchanges, head, body)
    })),
    { id: "noise", event: { _tag: "Stray", head: "data: not json", problem: "notJson" } },
    { id: "closed", event: { _tag: "Closed", stderr: "" } }
  ]
}

const statusOf = (answer: Answer): number =>
  "result" in answer ? 200 : answer.error.code === -32601 ? 404 : answer.error.code === -32603 ? 500 : 400

const withSession: ReadonlySet<string> = new Set([
  "result.names.2025-11-25",
  "result.names.2025-06-18",
  "result.names.2026-07-28",
  "result.names.2027-01-01",
  "result.names.1999-01-01"
])

const otherStatuses: ReadonlyArray<readonly [string, ResponseHead]> = [
  ["error.-32022.modern", { status: 401, challenge: "Bearer" }],
  ["error.-32022.modern", { status: 503 }],
  ["error.-32020", { status: 500 }],
  ["error.-32601", { status: 200 }],
  ["error.-32601", { status: 401, challenge: "Bearer" }],
  ["error.-32601", { status: 503, retryAfterMillis: 2000 }],
  ["error.-32601", { status: 500 }],
  ["error.-32000", { status: 403 }],
  ["error.-32000", { status: 429 }],
  ["result.names.2025-11-25", { status: 500 }],
  ["result.names.2025-11-25", { status: 401 }],
  ["result.lists.modern", { status: 400 }]
]

const html = "text/html"
const json = "application/json"
const bare: ReadonlyArray<readonly [string, ResponseHead, string]> = [
  ["200.json", { status: 200, contentType: json }, "[]"],
  ["200.html", { status: 200, contentType: html }, "<!doctype html>"],
  ["200.sse", { status: 200, contentType: "text/event-stream" }, ""],
  ["202", { status: 202 }, ""],
  ["302", { status: 302 }, ""],
  ["400", { status: 400, contentType: json }, '{"error":"bad request"}'],
  ["401", { status: 401, challenge: "Bearer" }, ""],
  ["403", { status: 403 }, ""],
  ["404", { status: 404, contentType: html }, "Not Found"],
  ["405", { status: 405 }, ""],
  ["406", { status: 406 }, ""],
  ["408", { status: 408 }, ""],
  ["429", { status: 429, retryAfterMillis: 1000 }, ""],
  ["500", { status: 500, contentType: html }, "Internal Server Error"],
  ["502", { status: 502 }, "Bad Gateway"],
  ["503", { status: 503, retryAfterMillis: 5000 }, ""]
]

// ---- parts

const messageOf = (id: Id, answer: Answer): Message =>
  "result" in answer ? success(id, answer.result) : failure(id, answer.error)

const errorWithout = (id: null | undefined | "", answer: Answer): Message => {
  const error = "error" in answer ? answer.error : { code: -32603, message: "Internal error" }
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error }
}

const unanswered = (exchange: number, head: ResponseHead, body: string): Event => ({
  _tag: "Unanswered",
  exchange,
  head,
  body,
  problem: "there is no JSON-RPC answer in it"
})
