// The wire form of what a client sends in either era: the keys of `_meta`, the HTTP headers, the opening messages.
// The only file that may mention a `_meta` key; headers are written here once for every carrier.
import type { Headers } from "./client/Outgoing.ts"
import type { Id, JsonObject, Notification, Params, Request } from "./Message.ts"
import { isNotification, isObject, Method, notification, request } from "./Message.ts"
import type { ToolHeader } from "./ToolHeaders.ts"
import { valueAt } from "./ToolHeaders.ts"
import { isModern } from "./Version.ts"

/** The reserved keys of `_meta`. */
export const MetaKey = {
  ProtocolVersion: "io.modelcontextprotocol/protocolVersion",
  ClientInfo: "io.modelcontextprotocol/clientInfo",
  ClientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  ServerInfo: "io.modelcontextprotocol/serverInfo",
  LogLevel: "io.modelcontextprotocol/logLevel",
  SubscriptionId: "io.modelcontextprotocol/subscriptionId",
  ProgressToken: "progressToken"
} as const

/** The HTTP header names, in lower case. */
export const HeaderName = {
  ProtocolVersion: "mcp-protocol-version",
  SessionId: "mcp-session-id",
  Method: "mcp-method",
  Name: "mcp-name",
  ParamPrefix: "mcp-param-",
  LastEventId: "last-event-id"
} as const

/** Who the client is: sent in `initialize`, and in the `_meta` of every modern request. */
export interface ClientIdentity {
  readonly info: Implementation
  readonly capabilities: JsonObject
}

/** The name and version of a program; further members are carried along. */
export interface Implementation {
  readonly name: string
  readonly version: string
  readonly [key: string]: unknown
}

/** What later requests need of an agreement. */
export interface Stamp {
  readonly version: string
  readonly client: ClientIdentity
  /** Legacy HTTP: the id that the server issued with its `initialize` result. */
  readonly sessionId?: string | undefined
}

/** A message with the headers that its POST needs. */
export interface Stamped<M extends Request | Notification = Request | Notification> {
  readonly message: M
  readonly headers: Headers
}

/** Returns the `initialize` request that offers a revision. Its POST carries no version header and no session. */
export const initialize = (id: Id, version: string, client: ClientIdentity): Stamped<Request> => ({
  message: request(id, Method.Initialize, {
    protocolVersion: version,
    capabilities: client.capabilities,
    clientInfo: client.info
  }),
  headers: none
})

/** Returns the `server/discover` request at a revision, with its envelope and headers. */
export const discover = (id: Id, version: string, client: ClientIdentity): Stamped<Request> =>
  modern({ version, client }, request(id, Method.Discover), none)

/** Returns `notifications/initialized`, which follows a good `initialize` result. */
export const initialized = (stamp: Stamp): Stamped<Notification> => ({
  message: notification(Method.Initialized),
  headers: legacyHeaders(stamp)
})

/**
 * Returns the wire form of a later request or notification. Modern: `_meta` gets revision, client info and client
 * capabilities (the caller's other keys are kept), and the headers name revision, method, name and the parameters that
 * the tool's schema marks. Legacy: the message is untouched and the headers carry the negotiated revision and session.
 */
export const stamp = <M extends Request | Notification>(
  agreement: Stamp,
  message: M,
  toolHeaders?: ReadonlyArray<ToolHeader>
): Stamped<M> => {
  if (!isModern(agreement.version)) return { message, headers: legacyHeaders(agreement) }
  return modern(agreement, message, toolHeaders === undefined ? none : parameterHeaders(message, toolHeaders))
}

/** Returns the headers of a legacy POST, GET or DELETE: the negotiated revision, and the session if there is one. */
export const legacyHeaders = (stamp: Stamp): Headers =>
  stamp.sessionId === undefined
    ? { [HeaderName.ProtocolVersion]: stamp.version }
    : { [HeaderName.ProtocolVersion]: stamp.version, [HeaderName.SessionId]: stamp.sessionId }

/** Returns the member of the params that `Mcp-Name` mirrors for a method, or undefined where it mirrors none. */
export const nameOf = (method: string, params: Params | undefined): string | undefined => {
  const key = nameKey(method)
  const value = key === undefined ? undefined : params?.[key]
  return typeof value === "string" ? value : undefined
}

/** Returns which member of the params `Mcp-Name` mirrors: `name`, `uri`, or none. */
export const nameKey = (method: string): "name" | "uri" | undefined =>
  method === Method.ToolsCall || method === Method.PromptsGet
    ? "name"
    : method === Method.ResourcesRead
      ? "uri"
      : undefined

/** Returns a value as a header may carry it: plain if it is printable ASCII without outer blanks, else in the Base64 sentinel. */
export const encodeHeaderValue = (value: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(value) && !looksLikeSentinel(value)
    ? value
    : `${sentinelStart}${toBase64(value)}${sentinelEnd}`

/** Returns what a header value stands for, or undefined if its sentinel holds no valid Base64 of UTF-8. */
export const decodeHeaderValue = (value: string): string | undefined =>
  isSentinel(value) ? fromBase64(value.slice(sentinelStart.length, -sentinelEnd.length)) : value

const modern = <M extends Request | Notification>(agreement: Stamp, message: M, extra: Headers): Stamped<M> => {
  const given = message.params
  const meta = given?.["_meta"]
  const params: Params = {
    ...given,
    _meta: {
      ...(isObject(meta) ? meta : undefined),
      [MetaKey.ProtocolVersion]: agreement.version,
      [MetaKey.ClientInfo]: agreement.client.info,
      [MetaKey.ClientCapabilities]: agreement.client.capabilities
    }
  }
  const name = nameOf(message.method, given)
  return {
    message: isNotification(message) && message.method === Method.Cancelled ? message : { ...message, params },
    headers: {
      [HeaderName.ProtocolVersion]: agreement.version,
      [HeaderName.Method]: encodeHeaderValue(message.method),
      ...(name === undefined ? undefined : { [HeaderName.Name]: encodeHeaderValue(name) }),
      ...extra
    }
  }
}

const parameterHeaders = (message: Request | Notification, toolHeaders: ReadonlyArray<ToolHeader>): Headers => {
  const headers: { [name: string]: string } = {}
  const given = message.params?.["arguments"]
  for (const { header, path } of toolHeaders) {
    const value = valueAt(given, path)
    if (value !== undefined)
      headers[`${HeaderName.ParamPrefix}${header.toLowerCase()}`] = encodeHeaderValue(String(value))
  }
  return headers
}

// The markers may overlap in a value that is none: it is encoded all the same, since a peer may read it as one.
const looksLikeSentinel = (value: string): boolean => value.startsWith(sentinelStart) && value.endsWith(sentinelEnd)

const isSentinel = (value: string): boolean =>
  value.length >= sentinelStart.length + sentinelEnd.length && looksLikeSentinel(value)

const toBase64 = (text: string): string => {
  let binary = ""
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

const fromBase64 = (text: string): string | undefined => {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const sentinelStart = "=?base64?"
const sentinelEnd = "?="
const none: Headers = {}
