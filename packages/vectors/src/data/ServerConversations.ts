// Conversations of a server with a scripted client: wire text in and out only. Each ends with one message whose answer
// is the point; what comes before it brings the server where it stands.
import { HeaderName } from "@parley/core/Envelope"
import { isObject, isRequest, Method, parse, read } from "@parley/core/Message"
import type { Medium } from "@parley/core/Medium"
import { http, stdio } from "@parley/core/Medium"
import { newestModern } from "@parley/core/Version"
import type { Standing } from "../link/Peer.ts"
import { parley } from "../link/Peer.ts"
import type { Sent } from "../link/Wire.ts"
import { client, headersFor, serverOccurrences } from "../server/Occurrences.ts"
import { profiles } from "../server/Subjects.ts"

/** What the scripted client sends. */
export interface Said {
  readonly method: "POST" | "GET" | "DELETE" | "PUT"
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> }
  readonly text?: string
}

/** What must come back: the texts, or that the request reached the handler, or nothing. */
export type Heard =
  | { readonly lines: ReadonlyArray<string> }
  | { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly text?: string }
  | { readonly handled: string; readonly status?: number }

/** A conversation of a server with a scripted client. */
export interface ServerConversation {
  readonly id: string
  readonly side: "server"
  readonly profile: string
  readonly medium: string
  readonly turns: ReadonlyArray<{ readonly in: Said | { readonly line: string }; readonly out: Heard }>
}

/** Returns the conversations: every one of the dual profile, and of the others those that come out otherwise. */
export const serverConversations = (): ReadonlyArray<ServerConversation> => {
  const usual = new Map<string, string>()
  return told.flatMap((profile) =>
    [stdio, http].flatMap((medium) =>
      scripts(medium).flatMap(({ id, messages }): ReadonlyArray<ServerConversation> => {
        // Where no handshake is served, nothing is ever opened.
        if (messages.length > 1 && profiles[profile]?.servesLegacy === false) return []
        const turns = play(profile, medium, messages)
        const key = `${medium.name} ${id}`
        const out = JSON.stringify(turns.map((turn) => turn.out))
        if (profile === "dual") usual.set(key, out)
        else if (usual.get(key) === out) return []
        return [{ id: `server/${profile}@${medium.name}/${id}`, side: "server", profile, medium: medium.name, turns }]
      })
    )
  )
}

const told = ["dual", "modernOnly", "handshakeOnly", "separate", "sessionless"] as const

interface Script {
  readonly id: string
  readonly messages: ReadonlyArray<Said>
}

const post = (value: unknown, headers: Said["headers"] = plain(headersFor(value))): Said => ({
  method: "POST",
  headers,
  text: JSON.stringify(value)
})

function plain(headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }): Said["headers"] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  )
}

const initialize = post({
  jsonrpc: "2.0",
  id: 1,
  method: Method.Initialize,
  params: { protocolVersion: "2025-11-25", capabilities: client.capabilities, clientInfo: client.info }
})
const initialized = post({ jsonrpc: "2.0", method: Method.Initialized })

const prefixes: ReadonlyArray<readonly [string, ReadonlyArray<Said>]> = [
  ["fresh", []],
  ["opened", [initialize]],
  ["serving", [initialize, initialized]]
]

const scripts = (medium: Medium): ReadonlyArray<Script> => {
  const carrier = medium.streams === "shared" ? "pipe" : "http"
  const messages = serverOccurrences(carrier).flatMap(({ event, id }) =>
    event._tag === "Received" && event.batched !== true
      ? [{ id, said: post(event.value, plain(event.headers ?? {})) }]
      : []
  )
  return prefixes.flatMap(([prefix, before]) => [
    ...messages.map(({ id, said }) => ({ id: `${prefix}/${id}`, messages: [...before, said] })),
    ...(carrier === "pipe" ? rawLines : heads).map(([id, said]) => ({
      id: `${prefix}/${id}`,
      messages: [...before, said]
    }))
  ])
}

const rawLines: ReadonlyArray<readonly [string, Said]> = [
  ["raw.notJson", { method: "POST", headers: {}, text: "{" }],
  ["raw.batch", { method: "POST", headers: {}, text: '[{"jsonrpc":"2.0","id":7,"method":"ping"}]' }],
  ["raw.emptyBatch", { method: "POST", headers: {}, text: "[]" }]
]

const discover = post({
  jsonrpc: "2.0",
  id: 7,
  method: Method.Discover,
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": newestModern,
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
})

const headed = (changes: { readonly [name: string]: string | undefined }, said: Said = discover): Said => ({
  ...said,
  headers: plain({ ...said.headers, ...changes })
})

// What HTTP adds: who may call, with which method, sending and accepting what.
const heads: ReadonlyArray<readonly [string, Said]> = [
  ...rawLines.map(([id, said]) => [id, { ...said, headers: plain(headersFor(undefined)) }] as const),
  ["head.originElsewhere", headed({ origin: "https://elsewhere.example" })],
  ["head.originLoopback", headed({ origin: "http://localhost:6274" })],
  ["head.hostElsewhere", headed({ host: "rebound.example" })],
  ["head.put", { ...discover, method: "PUT" }],
  ["head.textPlain", headed({ "content-type": "text/plain" })],
  ["head.noContentType", headed({ "content-type": undefined })],
  ["head.jsonCharset", headed({ "content-type": "application/json; charset=utf-8" })],
  ["head.acceptHtml", headed({ accept: "text/html" })],
  ["head.acceptAny", headed({ accept: "*/*" })],
  ["head.noAccept", headed({ accept: undefined })],
  ["head.tooLarge", headed({ "content-length": "5000000" })],
  ["get", { method: "GET", headers: plain({ host: "localhost:3000", accept: "text/event-stream" }) }],
  ["delete", { method: "DELETE", headers: plain({ host: "localhost:3000" }) }],
  [
    "delete.unknown",
    { method: "DELETE", headers: plain({ host: "localhost:3000", [HeaderName.SessionId]: "no-such-session" }) }
  ],
  [
    "ping.unknownSession",
    headed({ [HeaderName.SessionId]: "no-such-session" }, post({ jsonrpc: "2.0", id: 7, method: Method.Ping }))
  ]
]

const play = (profile: string, medium: Medium, messages: ReadonlyArray<Said>): ServerConversation["turns"] => {
  const compiled = profiles[profile]
  if (compiled === undefined) return []
  const peer = parley(profile, compiled)
  let state: Standing = peer.begin()
  let session: string | undefined
  return messages.map((message, index) => {
    const said = session === undefined ? message : inSession(message, session)
    const heard = peer.hear(state, sentOf(said, index + 1), medium)
    state = heard.state
    for (const came of heard.came) if (came._tag === "Answer") session ??= came.headers[HeaderName.SessionId]
    return {
      in: medium.streams === "shared" ? { line: said.text ?? "" } : said,
      out: outOf(said, medium, heard.came)
    }
  })
}

// What belongs to the session that the opening was answered with names it; what carries an envelope does not.
const inSession = (said: Said, session: string): Said =>
  said.headers[HeaderName.SessionId] !== undefined || said.text?.includes("io.modelcontextprotocol") === true
    ? said
    : { ...said, headers: { ...said.headers, [HeaderName.SessionId]: session } }

const sentOf = ({ headers, method, text }: Said, exchange: number): Sent => ({
  exchange,
  // The ladder takes any method, and several lines of a header; what a client of ours sends is narrower.
  httpMethod: method as Sent["httpMethod"],
  headers: headers as Sent["headers"],
  text: method === "POST" || method === "PUT" ? text : undefined,
  outgoing: { _tag: "Delete", exchange, headers: {} }
})

const outOf = (said: Said, medium: Medium, came: ReturnType<ReturnType<typeof parley>["hear"]>["came"]): Heard => {
  const texts = came.map((one) => (one._tag === "Exited" ? "" : (one.text ?? "")))
  const handled = handledBy(said, texts[0])
  const [first] = came
  const status = first?._tag === "Answer" ? first.status : undefined
  if (handled !== undefined) return { handled, ...(status === undefined ? undefined : { status }) }
  if (medium.streams === "shared" || first === undefined || first._tag !== "Answer") return { lines: texts }
  const { headers, text } = first
  return { status: first.status, headers, ...(text === undefined ? undefined : { text }) }
}

// A request of the application reaches the handler, whose answer is its own: only that there is a result is told.
const handledBy = ({ text }: Said, answer: string | undefined): string | undefined => {
  const parsed = parse(text ?? "")
  const message = parsed.ok ? read(parsed.value) : undefined
  if (message === undefined || !isRequest(message) || own.has(message.method)) return undefined
  const answered = parse(answer ?? "")
  return answered.ok && isObject(answered.value) && "result" in answered.value ? message.method : undefined
}

const own: ReadonlySet<string> = new Set([Method.Initialize, Method.Discover, Method.Ping])
