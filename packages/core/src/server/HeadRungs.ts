// The rungs that judge an HTTP request before its body is read: who may call, with which method, sending and accepting
// what, and how much.
import { Code } from "../Message.ts"
import type { Compiled } from "./Compiled.ts"
import type { RequestHeaders } from "./HeaderValue.ts"
import { written } from "./HeaderValue.ts"
import type { Ground, Problem } from "./Refusal.ts"

/** What is known of an HTTP request before its body. */
export interface Head {
  readonly method: string
  readonly headers: RequestHeaders
}

/** A rung that judges a request by its head. Undefined lets it pass. */
export interface HeadRung extends Ground {
  readonly stage: "head"
  readonly check: (compiled: Compiled, head: Head) => Problem | undefined
}

const rung = (
  ground: Omit<Ground, "code">,
  check: (compiled: Compiled, head: Head) => Problem | undefined
): HeadRung => ({ stage: "head", code: Code.InvalidRequest, ...ground, check })

const origin = rung(
  {
    id: "origin",
    status: 403,
    remedy: "allowOrigin",
    because: "streamable-http, Security: servers MUST validate Origin, and answer 403 if it is present and invalid"
  },
  (compiled, { headers }) => {
    const received = headers["origin"]
    if (received === undefined || compiled.anyOrigin) return undefined
    return typeof received === "string" && isOriginAllowed(compiled, received)
      ? undefined
      : { _tag: "OriginRefused", header: "Origin", received: written(received) }
  }
)

const host = rung(
  {
    id: "host",
    status: 403,
    remedy: "allowOrigin",
    because: "streamable-http, Security: a name that was rebound to this address must not reach a local server"
  },
  (compiled, { headers }) => {
    const received = headers["host"]
    if (received === undefined || compiled.anyHost) return undefined
    return typeof received === "string" && isHostAllowed(compiled, received)
      ? undefined
      : { _tag: "OriginRefused", header: "Host", received: written(received) }
  }
)

const httpMethod = rung(
  {
    id: "http-method",
    status: 405,
    remedy: "usePost",
    because: "streamable-http, Earlier Revisions: 405 to GET and DELETE where they have no meaning"
  },
  (compiled, head) =>
    head.method === "POST" ||
    (head.method === "GET" && compiled.streams) ||
    (head.method === "DELETE" && compiled.sessions)
      ? undefined
      : invalid(`the HTTP method ${head.method} is not served here, only ${compiled.allow}`)
)

const contentType = rung(
  {
    id: "content-type",
    status: 415,
    remedy: "setHeader",
    because: "streamable-http, Sending Messages: the body is a JSON-RPC message; RFC 9110: 415 for another type"
  },
  (_, head) =>
    head.method !== "POST" || isJson(head.headers["content-type"])
      ? undefined
      : invalid("the Content-Type is not application/json")
)

const accept = rung(
  {
    id: "accept",
    status: 406,
    remedy: "setHeader",
    because: "streamable-http, Sending Messages: Accept MUST list application/json and text/event-stream"
  },
  (_, head) => {
    const received = head.headers["accept"]
    // Most clients write exactly this.
    if (!received || received === "application/json, text/event-stream") return undefined
    if (head.method === "DELETE") return undefined
    const ranges = rangesOf(received)
    const streams = covers(ranges, "text", "event-stream")
    if (head.method === "GET")
      return streams ? undefined : invalid("the Accept header does not allow text/event-stream")
    return streams && covers(ranges, "application", "json")
      ? undefined
      : invalid("the Accept header does not allow both application/json and text/event-stream")
  }
)

/** The size of a body: by its declared length here, and again by a carrier that counts while it reads. */
export const size: HeadRung = rung(
  {
    id: "size",
    status: 413,
    remedy: "sendLess",
    because: "A body that anyone may send must have a bound; RFC 9110: 413"
  },
  (compiled, { headers }) => {
    const length = headers["content-length"]
    return length !== undefined && Number(length) > compiled.profile.limits.bodyBytes ? tooLarge(compiled) : undefined
  }
)

/** The rungs of the head in the order of their evaluation. */
export const headRungs: ReadonlyArray<HeadRung> = [origin, host, httpMethod, contentType, accept, size]

/** Returns whether a request comes from an origin, and to a host, that the profile allows. */
export const isCallerAllowed = (compiled: Compiled, head: Head): boolean =>
  origin.check(compiled, head) === undefined && host.check(compiled, head) === undefined

export const tooLarge = (compiled: Compiled): Problem => ({
  _tag: "PayloadTooLarge",
  limitBytes: compiled.profile.limits.bodyBytes
})

const invalid = (problem: string): Problem => ({ _tag: "InvalidMessage", code: Code.InvalidRequest, problem })

const isOriginAllowed = (compiled: Compiled, received: string): boolean => {
  const origin = received.toLowerCase()
  if (compiled.origins.has(origin)) return origin !== "loopback"
  return (
    compiled.origins.has("loopback") &&
    ((origin.startsWith("http://") && isLoopback(origin.slice(7))) ||
      (origin.startsWith("https://") && isLoopback(origin.slice(8))))
  )
}

const isHostAllowed = (compiled: Compiled, received: string): boolean => {
  if (compiled.hosts.has("loopback") && isLoopback(received)) return true
  const host = received.toLowerCase()
  if (compiled.hosts.has("loopback") && isLoopback(host)) return true
  return host !== "loopback" && (compiled.hosts.has(host) || compiled.hosts.has(nameOf(host)))
}

const isLoopback = (host: string): boolean =>
  isNamed(host, "localhost") || isNamed(host, "127.0.0.1") || isNamed(host, "[::1]")

// Whether a host is the name, with any port or none. Every request passes here, so nothing is cut out of it.
const isNamed = (host: string, name: string): boolean =>
  host.startsWith(name) && (host.length === name.length || isPort(host, name.length))

const isPort = (host: string, colon: number): boolean => {
  if (host.charCodeAt(colon) !== 58 || host.length - colon > 6 || host.length - colon < 2) return false
  for (let at = colon + 1; at < host.length; at++) {
    const digit = host.charCodeAt(at)
    if (digit < 48 || digit > 57) return false
  }
  return true
}

// The host without its port; the whole text where what follows the last colon is no port, as in [::1].
const nameOf = (host: string): string => {
  const colon = host.lastIndexOf(":")
  return isPort(host, colon) ? host.slice(0, colon) : host
}

const isJson = (received: string | ReadonlyArray<string> | undefined): boolean => {
  if (received === "application/json") return true
  if (typeof received !== "string") return false
  const end = received.indexOf(";")
  return (end < 0 ? received : received.slice(0, end)).trim().toLowerCase() === "application/json"
}

const rangesOf = (received: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  (typeof received === "string" ? received : received.join(","))
    .toLowerCase()
    .split(",")
    .filter((range) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range))
    .map((range) => range.split(";", 1)[0]?.trim() ?? "")

const covers = (ranges: ReadonlyArray<string>, type: string, subtype: string): boolean =>
  ranges.includes("*/*") || ranges.includes(`${type}/*`) || ranges.includes(`${type}/${subtype}`)
