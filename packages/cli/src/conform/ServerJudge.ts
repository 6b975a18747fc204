// Whether a server answered as a conversation tells: accepted or refused, under which code and status, with what a program
// reads in the answer. Words, orders and names of a server's own are not compared. A pure comparison.
import { MetaKey } from "@parley/core/Envelope"
import { Code, isObject, Method, parse } from "@parley/core/Message"
import type { Answer } from "@parley/testing/ServerCheck"
import type { Heard as Wanted, Said } from "@parley/vectors/data/ServerConversations"
import * as Clauses from "./Clauses.ts"
import type { Clause, Difference } from "./Difference.ts"
import type { Facts } from "./Facts.ts"
import * as Strictness from "./Strictness.ts"
import type { Heard } from "./Wire.ts"

/** What is due for a message: how long a pipe is waited for depends on it. */
export const dueFor = (wanted: Wanted): "answer" | "error" | "nothing" => {
  if ("handled" in wanted) return "answer"
  const message = messageIn(wanted)
  if (message === undefined) return "nothing"
  return "error" in message ? "error" : "answer"
}

/** Returns what was otherwise with one answer. */
export const judge = (said: Said, wanted: Wanted, heard: Heard, facts: Facts): ReadonlyArray<Difference> => {
  const asked = objectOf(said.text)
  const request = { said, method: methodOf(asked, said), id: asked["id"] }
  if ("handled" in wanted) return handled(request, heard)
  const message = messageIn(wanted)
  if (message === undefined) return nothing(request, heard)
  if (isObject(message["error"])) return refused(request, message["error"], message["id"], wanted, heard, facts)
  return accepted(request, asked, heard, facts)
}

interface Request {
  readonly said: Said
  readonly method: string
  readonly id: unknown
}

// ---- a refusal

const refused = (
  { method }: Request,
  error: { readonly [name: string]: unknown },
  id: unknown,
  wanted: Wanted,
  heard: Heard,
  facts: Facts
): ReadonlyArray<Difference> => {
  const { code, data } = error
  const details = isObject(data) ? data : {}
  const rung = isObject(details["parley"]) ? String(details["parley"]["rung"]) : ""
  const status = "status" in wanted && wanted.status !== undefined ? wanted.status : undefined
  const strict = Strictness.of(rung)
  const medium = status === undefined ? "stdio" : "http"
  const served = [...facts.legacy, ...facts.listed]
  const difference = (
    expected: string,
    came: string,
    clause: Clause = Clauses.ofRung(rung, medium, served)
  ): Difference => ({
    about: `${method}, ${rung}`,
    expected,
    came,
    clause
  })
  const expected = [
    ...(status === undefined ? [] : [Strictness.show(strict, status)]),
    ...(strict.code === "exact" ? [String(code)] : status === undefined ? ["an error"] : [])
  ].join(" ")
  if (heard._tag !== "Answered") return [difference(expected, missing(heard))]
  const { answer } = heard
  const theirs = errorIn(answer)
  const isAcceptable =
    (method === "GET" && isStreamOrRefusal(answer)) ||
    // A server need not let its clients end a session.
    (method === "DELETE" && answer.status === 405) ||
    (Strictness.fits(strict, answer.status, status) &&
      (theirs === undefined
        ? // A refusal of the carrier's needs no JSON-RPC error where the specification names no code.
          strict.code === "any" && status !== undefined && (answer.status ?? 0) >= 400
        : strict.code === "any" || theirs["code"] === code))
  if (!isAcceptable) return [difference(expected, shown(answer))]
  const found: Array<Difference> = []
  const theirId = isObject(answer.message) ? answer.message["id"] : undefined
  if (id !== undefined && strict.code === "exact" && theirId !== id) {
    found.push(
      difference(`id ${JSON.stringify(id)}`, `id ${JSON.stringify(theirId) ?? "none"}`, Clauses.ofAnswers.errorId)
    )
  }
  const theirData = isObject(theirs?.["data"]) ? theirs["data"] : {}
  if ("supported" in details) {
    const list = theirData["supported"]
    const whole = facts.listed.length === 0 ? undefined : facts.listed
    if (!isTexts(list) || list.length === 0 || (whole !== undefined && !sameSet(list, whole))) {
      const clause = rung === "modern.initialize" ? Clauses.ofRung(rung, medium, served) : Clauses.ofAnswers.supported
      found.push(
        difference(`supported: ${(whole ?? ["what is served"]).join(", ")}`, `supported: ${listed(list)}`, clause)
      )
    }
  }
  if ("requiredCapabilities" in details && !isObject(theirData["requiredCapabilities"])) {
    found.push(difference("requiredCapabilities", "none"))
  }
  return found
}

// ---- a result

const accepted = (
  { id, method, said }: Request,
  asked: { readonly [name: string]: unknown },
  heard: Heard,
  facts: Facts
): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  const check = (holds: boolean, expected: string, came: unknown, clause: Clause): void => {
    if (!holds) found.push({ about: method, expected, came: typeof came === "string" ? came : brief(came), clause })
  }
  const whole =
    method === Method.Initialize
      ? Clauses.ofAnswers.version
      : method === Method.Discover
        ? isUnusual(said)
          ? Clauses.choice(
              "equal copies of a header, any Accept that covers it, and a loopback Origin are taken kindly"
            )
          : Clauses.ofAnswers.discover
        : Clauses.ofAnswers.ping
  if (heard._tag !== "Answered") return [{ about: method, expected: "a result", came: missing(heard), clause: whole }]
  const { answer } = heard
  const message = isObject(answer.message) ? answer.message : {}
  const result = message["result"]
  if (!isObject(result) || (answer.status ?? 200) !== 200) {
    return [{ about: method, expected: "a result", came: shown(answer), clause: whole }]
  }
  check(message["id"] === id, `id ${brief(id)}`, `id ${brief(message["id"])}`, Clauses.ofAnswers.resultId)
  if (method === Method.Initialize) {
    const params = isObject(asked["params"]) ? asked["params"] : {}
    const offered = params["protocolVersion"]
    const named = result["protocolVersion"]
    const served = typeof offered === "string" && facts.legacy.includes(offered) ? [offered] : facts.legacy
    check(typeof named === "string" && served.includes(named), served.join(" or "), named, Clauses.ofAnswers.version)
    check(
      isObject(result["capabilities"]),
      "capabilities, an object",
      result["capabilities"],
      Clauses.ofAnswers.initialize
    )
    check(isObject(result["serverInfo"]), "serverInfo, an object", result["serverInfo"], Clauses.ofAnswers.initialize)
  } else if (method === Method.Discover) {
    const versions = result["supportedVersions"]
    check(isTexts(versions) && versions.length > 0, "supportedVersions, a list", versions, Clauses.ofAnswers.discover)
    check(
      isObject(result["capabilities"]),
      "capabilities, an object",
      result["capabilities"],
      Clauses.ofAnswers.discover
    )
    check(
      result["resultType"] === "complete",
      'resultType "complete"',
      result["resultType"],
      Clauses.ofAnswers.resultType
    )
    const meta = isObject(result["_meta"]) ? result["_meta"] : {}
    check(
      isObject(meta[MetaKey.ServerInfo]),
      "serverInfo in _meta",
      meta[MetaKey.ServerInfo],
      Clauses.ofAnswers.serverInfo
    )
  }
  return found
}

const handled = ({ method }: Request, heard: Heard): ReadonlyArray<Difference> => {
  const difference = (came: string): ReadonlyArray<Difference> => [
    { about: method, expected: "it is handled", came, clause: Clauses.ofAnswers.served }
  ]
  if (heard._tag !== "Answered") return difference(missing(heard))
  const { answer } = heard
  const error = errorIn(answer)
  if (error === undefined) {
    return isObject(answer.message) && "result" in answer.message ? [] : difference(shown(answer))
  }
  // An error of the application is an answer; one of the protocol says that nothing was handled.
  return typeof error["code"] === "number" && protocol.has(error["code"]) ? difference(shown(answer)) : []
}

const protocol: ReadonlySet<number> = new Set([
  Code.ParseError,
  Code.InvalidRequest,
  Code.MethodNotFound,
  Code.HeaderMismatch,
  Code.MissingRequiredClientCapability,
  Code.UnsupportedProtocolVersion
])

// ---- nothing

const nothing = ({ method, said }: Request, heard: Heard): ReadonlyArray<Difference> => {
  if (heard._tag === "Nothing") return []
  const about = said.method === "POST" ? method : said.method
  const difference = (expected: string, came: string, clause: Clause): ReadonlyArray<Difference> => [
    { about, expected, came, clause }
  ]
  if (heard._tag === "Broken") return difference("202", missing(heard), Clauses.ofAnswers.accepted)
  const { answer } = heard
  if (said.method === "GET") {
    return isStreamOrRefusal(answer) ? [] : difference("an event stream or 405", shown(answer), listening)
  }
  const status = answer.status ?? 202
  if (said.method === "DELETE") {
    return (status >= 200 && status < 300) || status === 405 ? [] : difference("2xx or 405", shown(answer), deletion)
  }
  if (status >= 400) return difference("202", shown(answer), declined)
  if (answer.message !== undefined) return difference("no message", shown(answer), Clauses.ofAnswers.unanswered)
  return status === 202 ? [] : difference("202", shown(answer), Clauses.ofAnswers.accepted)
}

const listening: Clause = {
  level: "MUST",
  place: "basic/transports#listening-for-messages-from-the-server",
  says: "a GET is answered with an event stream or 405"
}
const declined: Clause = {
  level: "page",
  place: "",
  says: "streamable-http, Sending Messages: what is accepted is answered with 202, what is not with a status of an error"
}
const deletion: Clause = {
  level: "page",
  place: "",
  says: "transports, Session Management: a session that is no longer needed is deleted, or 405"
}

/** Returns what is otherwise at the end of a pipe: what came for nothing, and an end that nobody asked for. */
export const judgeEnd = (
  left: ReadonlyArray<string>,
  ended: string | undefined,
  last: Said | undefined
): ReadonlyArray<Difference> => {
  const { method } = objectOf(last?.text)
  const about = typeof method === "string" ? method : "message"
  return [
    ...left.map((text) => ({
      about,
      expected: "no message",
      came: shown({ headers: {}, text, message: objectOf(text) }),
      clause: Clauses.ofAnswers.unanswered
    })),
    ...(ended === undefined
      ? []
      : [{ about, expected: "the process lives on", came: `it ${ended}`, clause: Clauses.ofAnswers.alive }])
  ]
}

// ---- words

const messageIn = (wanted: Wanted): { readonly [name: string]: unknown } | undefined => {
  const text = "lines" in wanted ? wanted.lines[0] : "text" in wanted ? wanted.text : undefined
  return text === undefined ? undefined : objectOf(text)
}

const methodOf = ({ method }: { readonly [name: string]: unknown }, said: Said): string => {
  if (typeof method === "string") return method
  return said.method === "POST" ? "message" : said.method
}

const objectOf = (text: string | undefined): { readonly [name: string]: unknown } => {
  const parsed = parse(text ?? "")
  return parsed.ok && isObject(parsed.value) ? parsed.value : {}
}

const errorIn = ({ message }: Answer): { readonly [name: string]: unknown } | undefined =>
  isObject(message) && isObject(message["error"]) ? message["error"] : undefined

const isStreamOrRefusal = ({ headers, status }: Answer): boolean =>
  status === undefined ||
  (status === 200 && (headers["content-type"] ?? "").startsWith("text/event-stream")) ||
  (status >= 400 && status < 500)

const missing = (heard: Exclude<Heard, { readonly _tag: "Answered" }>): string =>
  heard._tag === "Nothing" ? "no answer" : heard.problem

const shown = (answer: Answer): string => {
  const { message, status, text } = answer
  const error = errorIn(answer)
  const what =
    error !== undefined
      ? String(error["code"])
      : isObject(message) && "result" in message
        ? "a result"
        : text === ""
          ? "without a body"
          : "no JSON-RPC message"
  return status === undefined ? what : `${status} ${what}`
}

// What the specification does not say how to take: a server may refuse it.
const isUnusual = ({ headers }: Said): boolean =>
  headers["origin"] !== undefined ||
  Object.values(headers).some((value) => typeof value !== "string") ||
  !String(headers["accept"] ?? "").includes("text/event-stream")
const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
const sameSet = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((item) => other.includes(item))
const listed = (value: unknown): string =>
  isTexts(value) && value.length > 0 ? value.join(", ").slice(0, 300) : brief(value)
const brief = (value: unknown): string => (value === undefined ? "none" : JSON.stringify(value).slice(0, 100))
