// JSON-RPC 2.0 as MCP uses it: the frames, their guards, the codes and the method names.
// Recognising a frame lives here; what it means does not.

/** A request id. MCP allows a string or an integer, never null. */
export type Id = string | number

/** A frame that asks for an answer. */
export interface Request {
  readonly jsonrpc: "2.0"
  readonly id: Id
  readonly method: string
  readonly params?: Params
}

/** A frame that asks for none. */
export interface Notification {
  readonly jsonrpc: "2.0"
  readonly method: string
  readonly params?: Params
}

/** The answer of a request that succeeded. */
export interface Success {
  readonly jsonrpc: "2.0"
  readonly id: Id
  readonly result: JsonObject
}

/** An error response. The id is absent or null when the peer could not read it; some peers write "". */
export interface Failure {
  readonly jsonrpc: "2.0"
  readonly id?: Id | null
  readonly error: ErrorObject
}

/** What went wrong, as the other side says it. */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Either answer. */
export type Response = Success | Failure
/** Any frame. */
export type Message = Request | Notification | Success | Failure
/** A JSON object whose members are not looked into. */
export type JsonObject = { readonly [key: string]: unknown }
/** The parameters of a request or a notification. */
export type Params = JsonObject

/** The kinds of frame, and Invalid for anything that is none. */
export type Kind = "Request" | "Notification" | "Success" | "Failure" | "Invalid"

/** Returns what kind of JSON-RPC frame a decoded value is. Never throws; a foreign shape is Invalid. */
export const kindOf = (value: unknown): Kind => {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return "Invalid"
  const method = value["method"]
  if (method !== undefined) {
    if (typeof method !== "string") return "Invalid"
    const params = value["params"]
    if (params !== undefined && !isObject(params)) return "Invalid"
    if (!("id" in value)) return "Notification"
    return isId(value["id"]) ? "Request" : "Invalid"
  }
  const error = value["error"]
  if (error !== undefined) {
    if (!isObject(error) || !Number.isInteger(error["code"]) || typeof error["message"] !== "string") return "Invalid"
    if ("result" in value) return "Invalid"
    const id = value["id"]
    return id === undefined || id === null || isId(id) ? "Failure" : "Invalid"
  }
  return isObject(value["result"]) && isId(value["id"]) ? "Success" : "Invalid"
}

/** Returns whether a decoded value is any JSON-RPC frame. */
export const isMessage = (value: unknown): value is Message => kindOf(value) !== "Invalid"

/**
 * Returns a decoded value as a frame, or undefined if it is none. Two habits of real peers do not hide what they say: a
 * member that is null is read as absent (`error` beside a result, `result` beside an error, `params`), and an error without
 * words is still an error, since codes decide and words do not.
 */
export const read = (value: unknown): Message | undefined => {
  if (isMessage(value)) return value
  if (!isObject(value)) return undefined
  const mended: { [key: string]: unknown } = { ...value }
  for (const key of ["params", "result", "error"]) if (mended[key] === null) delete mended[key]
  const { error } = mended
  if (isObject(error) && typeof error["message"] !== "string") mended["error"] = { ...error, message: "" }
  return isMessage(mended) ? mended : undefined
}

/** Returns whether a frame is a request: it has a method and an id. */
export const isRequest = (message: Message): message is Request => "method" in message && "id" in message
/** Returns whether a frame is a notification. */
export const isNotification = (message: Message): message is Notification => "method" in message && !("id" in message)
/** Returns whether a frame is a result. */
export const isSuccess = (message: Message): message is Success => "result" in message
/** Returns whether a frame is an error response. */
export const isFailure = (message: Message): message is Failure => "error" in message
/** Returns whether a frame is a result or an error response. */
export const isResponse = (message: Message): message is Response => isSuccess(message) || isFailure(message)

/** Returns whether an error response names no request: its id is absent, null or the empty string. */
export const isUnaddressed = (message: Failure): boolean =>
  message.id === undefined || message.id === null || message.id === ""

/** Returns whether a value is an id that MCP allows: a string or an integer. */
export const isId = (value: unknown): value is Id => typeof value === "string" || Number.isInteger(value)

/** Returns whether a value is a JSON object: not null, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The outcome of reading text as JSON, without a throw. */
export type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

/** How deep a text may be nested: far more than a message needs, far less than what recursion over it can bear. */
export const deepest = 512

/** The problem of a text that is nested deeper. */
export const tooDeep: string = `it is nested deeper than ${deepest} levels`

/**
 * Reads text as JSON that is nested at most {@link deepest} levels: whoever walks, copies or writes what was read may
 * recurse. A problem is one line of at most 200 characters.
 */
export const parse = (text: string): Parsed => {
  if (isTooDeep(text)) return { ok: false, problem: tooDeep }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (cause) {
    return { ok: false, problem: head(cause instanceof Error ? cause.message : String(cause), 200) }
  }
}

// Most messages have too few brackets to be deep, which is quickly seen; the others are read once, strings left out.
const isTooDeep = (text: string): boolean => {
  if (text.length <= deepest) return false
  const openers = text.split("{", deepest + 2).length + text.split("[", deepest + 2).length - 2
  if (openers <= deepest) return false
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === backslash) at += 1
      else if (code === quote) quoted = false
    } else if (code === quote) quoted = true
    else if (code === brace || code === bracket) {
      depth += 1
      if (depth > deepest) return true
    } else if (code === brace + 2 || code === bracket + 2) depth -= 1
  }
  return false
}

const quote = 0x22
const bracket = 0x5b
const backslash = 0x5c
const brace = 0x7b

/** Returns the beginning of a text, on one line and at most so many characters, for an error or a log. */
export const head = (text: string, limit: number): string => {
  // Control characters of a peer must not reach a terminal.
  // oxlint-disable-next-line no-control-regex
  const line = text.slice(0, limit + 1).replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
  return line.length > limit ? `${detached(line.slice(0, limit - 1))}…` : line
}

// A slice shares the memory of its text: without a copy, 200 characters kept for an error hold a line of 16 MiB.
const detached = (text: string): string => {
  const copy: unknown = JSON.parse(JSON.stringify(text))
  return typeof copy === "string" ? copy : text
}

/** JSON-RPC and MCP error codes, by the names the specification gives them. */
export const Code = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022
} as const

/** Returns whether a code is one that only a modern server may emit. */
export const isModernCode = (code: number): boolean =>
  code === Code.HeaderMismatch ||
  code === Code.MissingRequiredClientCapability ||
  code === Code.UnsupportedProtocolVersion

/** The method names of the opening and of what stands around it. */
export const Method = {
  Initialize: "initialize",
  Initialized: "notifications/initialized",
  Discover: "server/discover",
  Ping: "ping",
  Cancelled: "notifications/cancelled",
  Progress: "notifications/progress",
  LogMessage: "notifications/message",
  ToolsList: "tools/list",
  ToolsCall: "tools/call",
  PromptsList: "prompts/list",
  PromptsGet: "prompts/get",
  ResourcesList: "resources/list",
  ResourceTemplatesList: "resources/templates/list",
  ResourcesRead: "resources/read",
  ResourcesSubscribe: "resources/subscribe",
  ResourcesUnsubscribe: "resources/unsubscribe",
  Complete: "completion/complete",
  SetLogLevel: "logging/setLevel",
  SubscriptionsListen: "subscriptions/listen",
  SubscriptionsAcknowledged: "notifications/subscriptions/acknowledged"
} as const

/** Makes a request. */
export const request = (id: Id, method: string, params?: Params): Request =>
  params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params }

/** Makes a notification. */
export const notification = (method: string, params?: Params): Notification =>
  params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params }

/** Makes a result. */
export const success = (id: Id, result: JsonObject): Success => ({ jsonrpc: "2.0", id, result })

/** Makes an error response; without an id it answers what could not be read. */
export const failure = (id: Id | undefined, error: ErrorObject): Failure =>
  id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error }
