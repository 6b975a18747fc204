// Whether a client did what a conversation tells: what it sent, in order and in form, and how it ended. A pure comparison.
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import { isId, isObject, Method } from "@parley/core/Message"
import type { Received } from "@parley/testing/Script"
import * as Clauses from "./Clauses.ts"
import type { End } from "./Client.ts"
import type { ClientConversation } from "./Data.ts"
import type { Difference } from "./Difference.ts"
import type { Step } from "./Script.ts"
import { dueIn, show, stepOf } from "./Script.ts"

/** Returns what was otherwise. `table` is the name of the table that the policy of the conversation runs. */
export const judge = (
  conversation: ClientConversation,
  table: string,
  received: ReadonlyArray<Received>,
  end: End
): ReadonlyArray<Difference> => {
  const due = dueIn(conversation)
  const sent = received.flatMap((message) => {
    const step = message.redirected === true ? undefined : stepOf(message.body)
    return step === undefined ? [] : [{ step, message }]
  })
  const parted = due.findIndex((step, index) => !same(step, sent[index]?.step))
  const together = parted === -1 ? due.length : parted
  const forms = sent
    .slice(0, together)
    .flatMap(({ message, step }, index) => formOf(step, message, due[index]?.headers))
  const once = [...new Map(forms.map((difference) => [JSON.stringify(difference), difference])).values()]
  const extra = sent[due.length]
  if (parted === -1 && extra === undefined)
    return [...once, ...ending(conversation, table, due.at(-1)?.heard ?? 0, sent.at(-1)?.step, end)]
  const wanted = due[together]
  // A client that says it is connected and never said a word has opened nothing.
  if (sent.length === 0 && end.outcome === "established" && wanted?.method === Method.Initialize) {
    const came = "nothing at all, and it says that it is connected"
    return [{ about: "opening", expected: show(wanted), came, clause: Clauses.ofMessages.opening }]
  }
  const since = due[together - 1]?.heard ?? 0
  const heard = wanted?.heard ?? conversation.meets.length
  return [
    ...once,
    {
      // What it had heard when it went another way; at the very beginning, nothing.
      ...met(conversation, table, sent[together] === undefined ? stumbledAt(conversation, since, heard) : heard),
      expected: wanted === undefined ? "nothing more" : show(wanted),
      came: sent[together] === undefined ? `nothing more; it ${shown(end)}` : show(sent[together].step)
    }
  ]
}

// A client that stops where an answer came after something else may have stopped at that.
const stumbledAt = ({ meets }: ClientConversation, since: number, heard: number): number => {
  const noise = meets.slice(since, heard).findIndex((cell) => cell.endsWith(".OutOfTurn"))
  return noise === -1 ? heard : since + noise + 1
}

const same = (one: Step, other: Step | undefined): boolean =>
  one.method === other?.method && one.version === other.version

const met = (conversation: ClientConversation, table: string, heard: number): Pick<Difference, "about" | "clause"> => {
  const cell = conversation.meets[heard - 1]
  return cell === undefined
    ? { about: "opening", clause: Clauses.choice(`the policy of ${table} opens so`) }
    : { about: cell, clause: Clauses.ofCell(`${table}.${cell}`, conversation.medium) }
}

const ending = (
  conversation: ClientConversation,
  table: string,
  since: number,
  last: Step | undefined,
  end: End
): ReadonlyArray<Difference> => {
  const { outcome } = conversation
  const heard = conversation.meets.length
  const about = met(conversation, table, end.outcome === "failed" ? stumbledAt(conversation, since, heard) : heard)
  const came = `it ${shown(end)}`
  if ("failed" in outcome) {
    return end.outcome === "failed" ? [] : [{ ...about, expected: `it fails (${outcome.failed.error})`, came }]
  }
  const { era, version } = outcome.agreed
  const expected = `it agrees on ${version}`
  if (end.outcome === "failed") return [{ ...about, expected, came }]
  // A client that cannot tell its revision has still shown its era: by what it opened with.
  const found = end.version ?? (last?.method === Method.Discover ? "modern" : "legacy")
  return found === version || (end.version === undefined && found === era) ? [] : [{ ...about, expected, came }]
}

const shown = (end: End): string =>
  end.outcome === "failed" ? `fails (${end.error})` : `agrees${end.version === undefined ? "" : ` on ${end.version}`}`

// ---- the form of what is sent

type Check = readonly [holds: boolean, Difference]

const formOf = (
  step: Step,
  message: Received,
  wanted: { readonly [name: string]: string } = {}
): ReadonlyArray<Difference> =>
  [
    ...bodyChecks(step, message.body),
    ...(message.httpMethod === undefined ? [] : headerChecks(step, message.headers, wanted))
  ].flatMap(([holds, difference]) => (holds ? [] : [difference]))

const bodyChecks = ({ method }: Step, body: unknown): ReadonlyArray<Check> => {
  const message = isObject(body) ? body : {}
  const params = isObject(message["params"]) ? message["params"] : {}
  const meta = isObject(params["_meta"]) ? params["_meta"] : {}
  const check = (holds: boolean, name: keyof typeof Clauses.ofMessages, expected: string, came: unknown): Check => [
    holds,
    { about: method, expected, came: text(came), clause: Clauses.ofMessages[name] }
  ]
  const common = [check(message["jsonrpc"] === "2.0", "jsonRpc", 'jsonrpc "2.0"', message["jsonrpc"])]
  if (method === Method.Initialized) return common
  common.push(check(isId(message["id"]), "id", "an id that is a string or an integer", message["id"]))
  if (method === Method.Initialize) {
    return [
      ...common,
      check(isObject(params["capabilities"]), "initializeParams", "capabilities, an object", params["capabilities"]),
      check(
        isIdentity(params["clientInfo"]),
        "initializeParams",
        "clientInfo with name and version",
        params["clientInfo"]
      )
    ]
  }
  const capabilities = meta[MetaKey.ClientCapabilities]
  const info = meta[MetaKey.ClientInfo]
  return [
    ...common,
    check(isObject(capabilities), "envelope", "client capabilities in _meta", capabilities),
    check(isIdentity(info), "clientInfo", "client info in _meta", info)
  ]
}

const headerChecks = (
  { method, version }: Step,
  headers: Received["headers"],
  wanted: { readonly [name: string]: string }
): ReadonlyArray<Check> => {
  const check = (name: string, clause: keyof typeof Clauses.ofMessages, expected: string, holds?: boolean): Check => [
    holds ?? headers[name] === expected,
    { about: method, expected: `${name}: ${expected}`, came: text(headers[name]), clause: Clauses.ofMessages[clause] }
  ]
  const accept = headers["accept"] ?? ""
  const both = ["application/json", "text/event-stream"].every((type) => accept.includes(type))
  const checks = [check("accept", "accept", "application/json, text/event-stream", both)]
  const versionName = HeaderName.ProtocolVersion
  const sessionName = HeaderName.SessionId
  if (method === Method.Discover && version !== undefined) {
    return [...checks, check(versionName, "versionHeader", version), check(HeaderName.Method, "methodHeader", method)]
  }
  if (method !== Method.Initialized) return checks
  const agreed = wanted[versionName]
  const session = wanted[sessionName]
  return [
    ...checks,
    // 2025-03-26 and older know no such header; there it does no harm.
    ...(agreed === undefined || agreed < "2025-06-18" ? [] : [check(versionName, "laterVersionHeader", agreed)]),
    ...(session === undefined ? [] : [check(sessionName, "session", session)])
  ]
}

const isIdentity = (value: unknown): boolean =>
  isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string"

const text = (value: unknown): string => (value === undefined ? "none" : JSON.stringify(value).slice(0, 100))
