// Pages of other origins: the answer to a browser's preflight, and the headers that let a page read an answer. Whether an
// origin is allowed is the ladder's to say, with or without this.
import { HeaderName } from "../Envelope.ts"
import type { Answer } from "./Answer.ts"
import type { Compiled } from "./Compiled.ts"
import type { Head } from "./HeadRungs.ts"
import { isCallerAllowed } from "./HeadRungs.ts"
import type { RequestHeaders } from "./HeaderValue.ts"

/** What a server grants to pages of the origins that its profile allows. */
export interface Cors {
  /** How long a browser may remember a preflight, in seconds. Default 7,200. */
  readonly maxAgeSeconds?: number | undefined
  /** Request headers that a page may send, besides those of the protocol and `Authorization`. */
  readonly allowHeaders?: ReadonlyArray<string> | undefined
  /** Response headers that a page may read, besides those of the protocol, `WWW-Authenticate` and `Retry-After`. */
  readonly exposeHeaders?: ReadonlyArray<string> | undefined
}

/** Returns the answer to a preflight, or undefined for what is none or comes from an origin that is not allowed. */
export const preflight = (compiled: Compiled, cors: Cors, head: Head): Answer | undefined => {
  const { headers, method } = head
  const origin = headers["origin"]
  if (method !== "OPTIONS" || typeof origin !== "string" || headers["access-control-request-method"] === undefined) {
    return undefined
  }
  if (!isCallerAllowed(compiled, head)) return undefined
  return {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": compiled.allow,
      "access-control-allow-headers": [
        ...sent,
        ...(cors.allowHeaders ?? []),
        ...parametersIn(headers["access-control-request-headers"])
      ].join(", "),
      "access-control-max-age": String(cors.maxAgeSeconds ?? 7_200),
      vary: "Origin, Access-Control-Request-Headers"
    },
    body: undefined
  }
}

/** Returns the headers that an answer to a request gets besides its own. */
export const headersFor = (compiled: Compiled, cors: Cors, head: Head): Answer["headers"] => {
  const origin = head.headers["origin"]
  if (typeof origin !== "string" || !isCallerAllowed(compiled, head)) return varies
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": [...read, ...(cors.exposeHeaders ?? [])].join(", "),
    vary: "Origin"
  }
}

// The parameters of tools that travel in headers have names that no list can hold.
const parametersIn = (asked: RequestHeaders[string]): ReadonlyArray<string> =>
  typeof asked === "string"
    ? asked
        .toLowerCase()
        .split(",")
        .map((name) => name.trim())
        .filter((name) => parameter.test(name))
        .slice(0, mostParameters)
    : []

const parameter = new RegExp(`^${HeaderName.ParamPrefix}[!#$%&'*+.^_\`|~0-9a-z-]+$`)
const mostParameters = 100
const sent = [
  "content-type",
  "accept",
  "authorization",
  HeaderName.ProtocolVersion,
  HeaderName.SessionId,
  HeaderName.Method,
  HeaderName.Name,
  HeaderName.LastEventId
]
const read = [HeaderName.SessionId, HeaderName.ProtocolVersion, "www-authenticate", "retry-after"]
const varies: Answer["headers"] = { vary: "Origin" }
