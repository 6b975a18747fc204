// How a scripted peer chooses its answer: rows, matching, counting, filling in. Shared by the HTTP peer and the stdio
// peer's own process, so it imports nothing. No socket and no pipe lives here.

/** One row of a script: what it answers, and how. */
export interface Row {
  readonly on: On
  readonly reply: Reply
}

/** Which requests a row answers. Every member that is present must hold. */
export interface On {
  /** The JSON-RPC method. */
  readonly method?: string
  /** The HTTP method of a request without a JSON-RPC body: GET, DELETE. */
  readonly httpMethod?: string
  /** Exact values; names in any case; null = the header must be absent. */
  readonly headers?: { readonly [name: string]: string | null }
  /** Tokens that must each occur in the header's value. */
  readonly headersContain?: { readonly [name: string]: string | ReadonlyArray<string> }
  /** Only the nth request of that method, counted from 1 over the whole case. */
  readonly nth?: number
}

/** What a row answers. An empty reply is an empty 200 over HTTP, and nothing on stdio. */
export interface Reply {
  readonly status?: number
  /** A list is sent as that many header lines. */
  readonly headers?: { readonly [name: string]: string | number | ReadonlyArray<string> }
  /** A JSON value, written after `raw`: a line of its own on stdio, the rest of the body over HTTP. */
  readonly body?: unknown
  /** Text written as it is, before `body` or instead of it. */
  readonly raw?: string
  /** How long to wait before anything is written, in milliseconds. */
  readonly delayMs?: number
  /** Closes the connection after what is written; on stdio, standard output. */
  readonly close?: boolean
  /** Ends the process (stdio): true with code 3, a number with that code. */
  readonly exit?: boolean | number
  /** Text for standard error (stdio). */
  readonly stderr?: string
  /** Writes in pieces of so many bytes, each flushed on its own. An addition of Parley. */
  readonly chunkBytes?: number
  /** Leaves the HTTP response open after what is written. An addition of Parley. */
  readonly hold?: boolean
}

/** A request as a peer received it. */
export interface Heard {
  /** The HTTP method; absent on stdio. */
  readonly httpMethod?: string
  /** Header names in lower case; several lines are joined by ", ". */
  readonly headers: { readonly [name: string]: string }
  /** The JSON body, or undefined where there was none that parses. */
  readonly body?: unknown
}

/** Something that a peer received, with its place and time. */
export interface Received extends Heard {
  /** The JSON-RPC method; absent for a response, for GET and DELETE and for what is no JSON-RPC. */
  readonly method?: string
  /** Counts requests of that method from 1. */
  readonly nth: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The path and query of the request; absent on stdio. */
  readonly path?: string
  /** What was received where it is no JSON, at most 400 characters. */
  readonly text?: string
  /** The process that received it; absent over HTTP. */
  readonly pid?: number
  /** The index of the row that answered; absent where none did. */
  readonly row?: number
  /** Whether it is the client following a redirect with a request that was already counted. */
  readonly redirected?: boolean
}

/** The exit code of `exit: true`. */
export const exitCode = 3

/** Returns the JSON-RPC method of a decoded body, if it has one. */
export const methodOf = (body: unknown): string | undefined => {
  const method = member(body, "method")
  return typeof method === "string" ? method : undefined
}

/** Returns the id of a decoded body: undefined where it has none. */
export const idOf = (body: unknown): unknown => member(body, "id")

/** Returns under which name a request is counted for `nth`. */
export const countedAs = (heard: Heard): string => methodOf(heard.body) ?? heard.httpMethod ?? ""

/** Returns the first row that answers the request, or undefined: then nothing is answered. */
export const choose = (rows: ReadonlyArray<Row>, heard: Heard, nth: number): Row | undefined =>
  rows.find((row) => answers(row.on, heard, nth))

const answers = (on: On, heard: Heard, nth: number): boolean => {
  const method = methodOf(heard.body)
  if (on.method !== undefined && on.method !== method) return false
  if (on.httpMethod !== undefined && (method !== undefined || on.httpMethod.toUpperCase() !== heard.httpMethod))
    return false
  if (on.nth !== undefined && on.nth !== nth) return false
  for (const [name, value] of Object.entries(on.headers ?? {})) {
    if ((heard.headers[name.toLowerCase()] ?? null) !== value) return false
  }
  for (const [name, listed] of Object.entries(on.headersContain ?? {})) {
    const tokens = typeof listed === "string" ? [listed] : listed
    const value = heard.headers[name.toLowerCase()]?.toLowerCase()
    if (value === undefined || !tokens.every((token) => value.includes(token.toLowerCase()))) return false
  }
  return true
}

/** Returns the id of the nth request of a method that a peer has received; undefined where there is none. */
export type Earlier = (method: string, nth: number) => unknown

/** Returns the text of a reply for a request id: `raw`, then `body` as JSON; `lineEnd` ends the body. */
export const textOf = (reply: Reply, id: unknown, lineEnd: string, earlier: Earlier = () => undefined): string => {
  const raw = reply.raw === undefined ? "" : fillText(reply.raw, id, earlier)
  return reply.body === undefined ? raw : `${raw}${JSON.stringify(fill(reply.body, id, earlier))}${lineEnd}`
}

/**
 * Puts the id in place of `{{request.id}}` in a JSON value, with its own type where it stands alone, and the id of an
 * earlier request in place of `{{server/discover.1.id}}`.
 */
export const fill = (value: unknown, id: unknown, earlier: Earlier = () => undefined): unknown => {
  if (typeof value === "string") return value === marker ? (id ?? null) : fillText(value, id, earlier)
  if (Array.isArray(value)) return value.map((item) => fill(item, id, earlier))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, id, earlier)]))
}

/** Puts the JSON text of the id in place of each marker of a text, as `fill` does. */
export const fillText = (text: string, id: unknown, earlier: Earlier = () => undefined): string =>
  text
    .replaceAll(marker, () => JSON.stringify(id ?? null))
    .replaceAll(earlierMarker, (_, method: string, nth: string) => JSON.stringify(earlier(method, Number(nth)) ?? null))

const marker = "{{request.id}}"
const earlierMarker = /\{\{([^{}]+)\.(\d+)\.id\}\}/g

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Reflect.get(value, name) : undefined
