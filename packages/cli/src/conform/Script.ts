// A client conversation as the script of a peer, and as what the client must send. Rows answer by meaning: the nth
// `initialize` is answered as the nth was, with the id that the client gave it.
import { MetaKey } from "@parley/core/Envelope"
import { Code, isObject, isRequest, Method, parse, read } from "@parley/core/Message"
import type { Reply, Row } from "@parley/testing/Script"
import type { In, Out } from "@parley/vectors/data/Turns"
import type { ClientConversation } from "./Data.ts"

/** What a client sends in order to open, as far as it has a meaning of its own. */
export interface Step {
  readonly method: string
  /** The revision that it offers or asks at; absent for `notifications/initialized`. */
  readonly version?: string
}

/** A step that must come, and how much the client had heard by then. */
export interface Due extends Step {
  readonly heard: number
  /** The headers that it has in the conversation. */
  readonly headers: { readonly [name: string]: string }
}

/** Returns the step that a message is, or undefined for what opens nothing: a ping, a list of tools, a response. */
export const stepOf = (message: unknown): Step | undefined => {
  if (!isObject(message) || typeof message["method"] !== "string") return undefined
  const { method, params } = message
  const inside = isObject(params) ? params : {}
  switch (method) {
    case Method.Initialize:
      return { method, version: text(inside["protocolVersion"]) }
    case Method.Discover: {
      const meta = isObject(inside["_meta"]) ? inside["_meta"] : {}
      return { method, version: text(meta[MetaKey.ProtocolVersion]) }
    }
    case Method.Initialized:
      return { method }
    default:
      return undefined
  }
}

/** Returns a step as a person reads it. */
export const show = ({ method, version }: Step): string => (version === undefined ? method : `${method} at ${version}`)

/** Returns what the client must send, in order. */
export const dueIn = ({ turns }: ClientConversation): ReadonlyArray<Due> => {
  const due: Array<Due> = []
  let heard = 0
  for (const turn of turns) {
    if ("in" in turn) heard += 1
    else {
      const step = stepOf(messageOf(turn.out))
      if (step !== undefined) due.push({ ...step, heard, headers: "headers" in turn.out ? turn.out.headers : {} })
    }
  }
  return due
}

/** Returns whether a deadline of the client passes in a conversation. */
export const waits = ({ turns }: ClientConversation): boolean =>
  turns.some((turn) => "in" in turn && "silentMillis" in turn.in)

/** Returns the rows of the peer. What the conversation has no answer for gets one that ends a negotiation at once. */
export const rowsOf = (conversation: ClientConversation): ReadonlyArray<Row> => {
  const answers = new Map<string, Asked>()
  const counts = new Map<string, number>()
  const asked: Array<Asked> = []
  for (const turn of conversation.turns) {
    if ("in" in turn) {
      asked.at(-1)?.answers.push(turn.in)
      continue
    }
    const message = messageOf(turn.out)
    const typed = read(message)
    if (typed === undefined || !isRequest(typed)) continue
    const nth = (counts.get(typed.method) ?? 0) + 1
    counts.set(typed.method, nth)
    const one: Asked = { method: typed.method, nth, id: typed.id, answers: [] }
    asked.push(one)
    answers.set(`${typed.method} ${nth}`, one)
  }
  const stdio = conversation.medium === "stdio"
  return [
    ...asked.map((one): Row => ({
      on: { method: one.method, nth: one.nth },
      reply: stdio ? lines(one, asked) : response(one, asked)
    })),
    ...afterwards(stdio)
  ]
}

interface Asked {
  readonly method: string
  readonly nth: number
  readonly id: unknown
  readonly answers: Array<In>
}

const lines = (one: Asked, asked: ReadonlyArray<Asked>): Reply => {
  const said = one.answers.flatMap((answer) => ("line" in answer ? [withIds(answer.line, one, asked)] : []))
  const ends = one.answers.some((answer) => "ended" in answer)
  return { ...(said.length === 0 ? {} : { raw: `${said.join("\n")}\n` }), ...(ends ? { exit: true } : {}) }
}

const response = (one: Asked, asked: ReadonlyArray<Asked>): Reply => {
  const [answer] = one.answers
  // An answer that does not come is one that comes when nobody waits any more.
  if (answer === undefined || "silentMillis" in answer) return { delayMs: 3_600_000 }
  if (!("status" in answer)) return { close: true }
  const { headers, status, text: body } = answer
  return { status, headers, ...(body === undefined ? {} : { raw: withIds(body, one, asked) }) }
}

// What a client does once it is connected, or where it went another way.
const afterwards = (stdio: boolean): ReadonlyArray<Row> => {
  const result = (body: object): Reply => ({ body: { jsonrpc: "2.0", id: "{{request.id}}", result: body } })
  const refused: Reply = {
    ...(stdio ? {} : { status: 400 }),
    body: {
      jsonrpc: "2.0",
      id: "{{request.id}}",
      error: { code: Code.InternalError, message: "This is not in the conversation" }
    }
  }
  const listed = { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" }
  return [
    { on: { method: Method.Initialize }, reply: refused },
    { on: { method: Method.Discover }, reply: refused },
    { on: { method: "tools/list" }, reply: result(listed) },
    { on: { method: Method.Ping }, reply: result({}) },
    ...(stdio
      ? []
      : [
          { on: { httpMethod: "GET" }, reply: { status: 405 } },
          { on: { httpMethod: "DELETE" }, reply: { status: 200 } },
          { on: {}, reply: { status: 202 } }
        ])
  ]
}

// The ids of the conversation are Parley's: an answer that bears the id of a request gets the one that the client chose.
const withIds = (said: string, own: Asked, asked: ReadonlyArray<Asked>): string => {
  const parsed = parse(said)
  if (!parsed.ok) return said
  const marks: Array<string> = []
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mark)
    if (!isObject(value) || "method" in value) return value
    const { id } = value
    const known = id === own.id ? own : asked.find((one) => one.id === id)
    if (known === undefined) return value
    marks.push(known === own ? "{{request.id}}" : `{{${known.method}.${known.nth}.id}}`)
    return { ...value, id: `@id ${marks.length - 1}` }
  }
  return JSON.stringify(mark(parsed.value)).replaceAll(/"@id (\d+)"/g, (_, index: string) => marks[Number(index)] ?? "")
}

const messageOf = (out: Out): unknown => {
  const said = "line" in out ? out.line : "text" in out ? out.text : undefined
  const parsed = parse(said ?? "")
  return parsed.ok ? parsed.value : undefined
}

const text = (value: unknown): string => (typeof value === "string" ? value : "no revision")
