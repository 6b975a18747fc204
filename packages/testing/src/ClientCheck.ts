// Whether a client did what a case calls right: a pure comparison of its outcome and of what its peer received.
import type { ClientCase, ClientRight } from "./Case.ts"
import { differences, show } from "./Match.ts"
import type { Received } from "./Script.ts"
import { methodOf } from "./Script.ts"
import type { Transcript } from "./Scripted.ts"
import type { ClientOutcome } from "./Subject.ts"

/** Returns what was not right, one sentence each: what was expected and what was seen. */
export const check = (
  { right, server }: ClientCase,
  outcome: ClientOutcome,
  transcript: Transcript,
  elapsedMillis: number
): ReadonlyArray<string> => [
  ...transcript.problems,
  ...outcomeProblems(right, outcome),
  ...orderProblems(right, sentBy(transcript)),
  ...(right.withinMs !== undefined && elapsedMillis > right.withinMs
    ? [`expected an outcome within ${right.withinMs} ms, saw it after ${Math.round(elapsedMillis)} ms`]
    : []),
  ...(right.processes !== undefined && transcript.processes.length > right.processes
    ? [`expected at most ${right.processes} processes, saw ${transcript.processes.length}`]
    : []),
  ...(right.requests ?? []).flatMap((wanted) => requestProblems(wanted, transcript.received)),
  ...transcript.received.flatMap((request) => unansweredProblems(server, request)),
  ...laws(transcript.received)
]

/** Returns the methods that a client sent, in order: no responses, no GET and DELETE, no redirect that it followed. */
export const sentBy = (transcript: Transcript): ReadonlyArray<string> =>
  transcript.received.flatMap(({ method, redirected }) => (method === undefined || redirected === true ? [] : [method]))

const outcomeProblems = (right: ClientRight, outcome: ClientOutcome): ReadonlyArray<string> => {
  if (outcome.outcome !== right.outcome) {
    return [`outcome: expected ${describeRight(right)}, saw ${describe(outcome)}`]
  }
  if (outcome.outcome === "established") {
    return [
      ...(right.era === undefined ? [] : differences(right.era, outcome.era, "era")),
      ...(right.version === undefined ? [] : differences(right.version, outcome.version, "version")),
      ...(right.agreementHas === undefined ? [] : differences(right.agreementHas, outcome.agreement, "agreement"))
    ]
  }
  const accepted = acceptedErrors(right)
  return [
    ...(accepted.length === 0 || accepted.includes(outcome.error)
      ? []
      : [`error: expected ${accepted.join(" or ")}, saw ${outcome.error}: ${outcome.message}`]),
    ...(right.errorHas === undefined
      ? []
      : differences(right.errorHas, { ...outcome.fields, _tag: outcome.error, message: outcome.message }, "error"))
  ]
}

const acceptedErrors = (right: ClientRight): ReadonlyArray<string> => [
  ...new Set([...(right.error === undefined ? [] : [right.error]), ...(right.errorAnyOf ?? [])])
]

const describeRight = (right: ClientRight): string =>
  right.outcome === "established"
    ? ["established", right.era, right.version].filter((part) => part !== undefined).join(" ")
    : `failed with ${acceptedErrors(right).join(" or ") || "any error"}`

const describe = (outcome: ClientOutcome): string =>
  outcome.outcome === "established"
    ? `established ${outcome.era} ${outcome.version}`
    : `failed with ${outcome.error}: ${outcome.message}`

/** `sent` in its order, anything of `mayAlsoSend` besides, and nothing of `mustNotSend`. */
const orderProblems = (right: ClientRight, sent: ReadonlyArray<string>): ReadonlyArray<string> => {
  const forbidden = [...new Set(sent.filter((method) => right.mustNotSend?.includes(method)))]
  return [
    ...forbidden.map((method) => `sent: ${method} must not be sent, saw ${list(sent)}`),
    ...(right.sent === undefined || fits(right.sent, right.mayAlsoSend ?? [], sent)
      ? []
      : [
          `sent: expected ${list(right.sent)}${right.mayAlsoSend === undefined ? "" : ` and perhaps ${list(right.mayAlsoSend)}`}, saw ${list(sent)}`
        ])
  ]
}

// To take the next expected one as soon as it comes leaves the most for the rest.
const fits = (
  expected: ReadonlyArray<string>,
  besides: ReadonlyArray<string>,
  sent: ReadonlyArray<string>
): boolean => {
  let next = 0
  for (const method of sent) {
    if (method === expected[next]) next++
    else if (!besides.includes(method)) return false
  }
  return next === expected.length
}

const list = (methods: ReadonlyArray<string>): string => `[${methods.join(", ")}]`

const requestProblems = (
  wanted: NonNullable<ClientRight["requests"]>[number],
  received: ReadonlyArray<Received>
): ReadonlyArray<string> => {
  const name = wanted.nth === undefined ? wanted.method : `${wanted.method} number ${wanted.nth}`
  const found = received.filter(
    ({ method, httpMethod, nth }) =>
      (method ?? httpMethod ?? "") === wanted.method && (wanted.nth === undefined || wanted.nth === nth)
  )
  if (found.length === 0) return [`requests: expected ${name}, saw none`]
  const tried = found.map((request) => [
    ...Object.entries(wanted.headers ?? {}).flatMap(([header, value]) =>
      (request.headers[header.toLowerCase()] ?? null) === value
        ? []
        : [`${name}: header ${header}: expected ${show(value)}, saw ${show(request.headers[header.toLowerCase()])}`]
    ),
    ...(wanted.bodyHas === undefined ? [] : differences(wanted.bodyHas, request.body, name))
  ])
  return tried.find((problems) => problems.length === 0) ?? tried[0] ?? []
}

/** A script that answers a method for certain headers only, and was given others, was not understood. */
const unansweredProblems = (rows: ClientCase["server"], request: Received): ReadonlyArray<string> => {
  if (request.row !== undefined || request.method === undefined) return []
  const missed = rows.find(
    ({ on }) =>
      on.method === request.method &&
      (on.headers !== undefined || on.headersContain !== undefined) &&
      (on.nth === undefined || on.nth === request.nth)
  )
  if (missed === undefined) return []
  const wanted = show({ ...missed.on.headers, ...missed.on.headersContain })
  return [`headers: expected ${request.method} with ${wanted}, saw ${show(request.headers)}`]
}

/** What no client may do, whatever the case. */
const laws = (received: ReadonlyArray<Received>): ReadonlyArray<string> =>
  received.flatMap((request, index) => {
    if (request.method === "initialize" && request.headers["mcp-session-id"] !== undefined) {
      return ["law: an initialize carries no session id"]
    }
    if (request.method !== "notifications/cancelled") return []
    const cancelled = requestIdOf(request.body)
    const opening = received
      .slice(0, index)
      .some(({ method, body }) => method === "initialize" && methodOf(body) !== undefined && idIs(body, cancelled))
    return opening ? ["law: initialize is never cancelled"] : []
  })

const requestIdOf = (body: unknown): unknown => inside(inside(body, "params"), "requestId")

const idIs = (body: unknown, id: unknown): boolean => inside(body, "id") === id

const inside = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
