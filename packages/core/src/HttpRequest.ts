// The pure part of asking over HTTP, the same for every HTTP client carrier: where, with which headers and body, whether a
// redirect is followed, and how a failure is told. Nothing is sent from here.
import type { Headers, Outgoing } from "./client/Outgoing.ts"
import { head, type Message } from "./Message.ts"

/** Where to ask: an address without its credentials and fragment. */
export interface Endpoint {
  readonly ok: true
  readonly url: URL
  /** Origin and path: for people and for memory. Holds no credentials and no query. */
  readonly target: string
  /** The credentials of the address as an `Authorization` header. */
  readonly authorization?: string
}

/** What is wrong, in one sentence without a value that may be secret. */
export interface Refused {
  readonly ok: false
  readonly problem: string
}

/** Returns where an address leads. Only absolute `http:` and `https:` addresses lead anywhere. */
export const endpoint = (address: string | URL): Endpoint | Refused => {
  const url = parsed(address)
  if (url === undefined) return { ok: false, problem: "The address is no absolute URL." }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { ok: false, problem: `The address begins with ${head(url.protocol, 40)} and not with http: or https:.` }
  }
  const { username, password } = url
  url.username = ""
  url.password = ""
  url.hash = ""
  const credentials = username === "" && password === "" ? undefined : `${plain(username)}:${plain(password)}`
  return {
    ok: true,
    url,
    target: `${url.origin}${url.pathname}`,
    ...(credentials === undefined ? undefined : { authorization: `Basic ${base64(credentials)}` })
  }
}

/** The headers that an application adds, with names in lower case. */
export type Checked = { readonly ok: true; readonly headers: Headers } | Refused

/**
 * Checks the headers that an application adds to each request. A name is a token, a value printable ASCII; headers that
 * say where a message ends are the carrier's own. The problem names the header and never its value.
 */
export const check = (given: { readonly [name: string]: unknown }): Checked => {
  const headers: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(lower)) {
      return { ok: false, problem: `${JSON.stringify(head(name, 60))} is no header name.` }
    }
    if (framing.has(lower)) return { ok: false, problem: `The header ${lower} belongs to the carrier.` }
    if (typeof value !== "string" || !/^[\t\x20-\x7e]*$/.test(value)) {
      return { ok: false, problem: `The value of the header ${lower} is not printable ASCII.` }
    }
    headers[lower] = value
  }
  return { ok: true, headers }
}

/** Returns the method of an Outgoing. */
export const method = (outgoing: Outgoing): "POST" | "GET" | "DELETE" =>
  outgoing._tag === "Post" ? "POST" : outgoing._tag === "Listen" ? "GET" : "DELETE"

/**
 * Returns all headers of a request: that no encoding is wanted, the address's credentials, then the application's, then
 * the protocol's own. The later win, so that an application can add and cannot break.
 */
export const headers = (outgoing: Outgoing, to: Endpoint, application: Headers): Record<string, string> => ({
  // RFC 9110, 12.5.3: a request that says nothing takes any encoding, and not every carrier decodes. An application whose
  // HTTP client does can ask for one.
  "accept-encoding": "identity",
  ...(to.authorization === undefined ? undefined : { authorization: to.authorization }),
  ...application,
  ...outgoing.headers,
  ...(outgoing._tag === "Post" ? ofPost : outgoing._tag === "Listen" ? ofListen : undefined)
})

/** A body as text, or why there is none (a cycle, a BigInt in what the caller gave). */
export type Body = { readonly ok: true; readonly text: string } | Refused

/** Returns the body of a message. */
export const body = (message: Message): Body => {
  try {
    return { ok: true, text: JSON.stringify(message) }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return { ok: false, problem: `The message cannot be written as JSON: ${head(why, 200)}` }
  }
}

/** How many redirects of one request are followed. */
export const mostRedirects = 5

/**
 * Returns where a redirect leads if it is followed: 307 and 308 only, which keep method and body, and only within the
 * origin, so that no credential leaves it. `followed` counts the redirects of this request so far.
 */
export const redirect = (
  from: URL,
  status: number,
  location: string | undefined,
  followed: number
): URL | undefined => {
  if ((status !== 307 && status !== 308) || location === undefined || followed >= mostRedirects) return undefined
  const to = parsed(location, from)
  if (to === undefined || to.origin !== from.origin || to.username !== "" || to.password !== "") return undefined
  to.hash = ""
  return to
}

/**
 * Returns what went wrong, from an error of a network library: one sentence with its code. Messages of errors are not
 * repeated, for they may hold an address with its credentials.
 */
export const failure = (target: string, error: unknown, when: "asked" | "answering" = "asked"): string => {
  const code = codeOf(error, 0)
  const what = code === undefined ? "the connection failed" : (wordsOf(code) ?? "the connection failed")
  const where = when === "asked" ? `${target} could not be asked` : `The answer of ${target} was cut`
  return `${where}: ${what}${code === undefined ? "" : ` (${code})`}.`
}

const wordsOf = (code: string): string | undefined =>
  words[code] ??
  (/^HPE_|^UND_ERR_HEADERS_OVERFLOW|INVALID_CHUNK/.test(code)
    ? "what came is no valid HTTP"
    : /^ERR_(INVALID|HTTP_INVALID|UNESCAPED)|^UND_ERR_INVALID_ARG/.test(code)
      ? "the request cannot be written"
      : /CERT|SELF_SIGNED|TLS|SSL|EPROTO/.test(code)
        ? "the TLS handshake failed"
        : undefined)

// Libraries wrap the error of the system in errors of their own: `cause`, a `reason`, or several attempts in `errors`.
const codeOf = (error: unknown, depth: number): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 5) return undefined
  if ("code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)) return error.code
  for (const key of ["cause", "reason", "errors", "0"] as const) {
    const inner: unknown = Reflect.get(error, key)
    const code = codeOf(inner, depth + 1)
    if (code !== undefined) return code
  }
  return undefined
}

const parsed = (address: string | URL, base?: URL): URL | undefined => {
  try {
    return new URL(address, base)
  } catch {
    return undefined
  }
}

const plain = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

const base64 = (text: string): string => {
  let binary = ""
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

const ofPost = { accept: "application/json, text/event-stream", "content-type": "application/json" }
const ofListen = { accept: "text/event-stream" }

const framing: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const words: { readonly [code: string]: string } = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was reset",
  ECONNABORTED: "the connection was closed",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ENOTFOUND: "its name has no address",
  EAI_AGAIN: "its name cannot be looked up",
  EHOSTUNREACH: "no route leads there",
  ENETUNREACH: "no network leads there",
  ETIMEDOUT: "it cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "it cannot be reached"
}
