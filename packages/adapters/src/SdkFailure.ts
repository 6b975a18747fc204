// What an error that an SDK's transport threw says: a status with its body, a missing credential, an unusable answer, or
// a lost connection. The transports of the SDK hide the response behind their errors; this reads it back, by structure.
// What follows from it is the machine's business.
import type { Event } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import * as HttpRequest from "@parley/core/HttpRequest"
import { head, isFailure, parse, read as readMessage } from "@parley/core/Message"

export type SdkFailure = Refused | Unauthorized | Unusable | Broken

/** The server answered with this status, which the transport does not accept. */
export interface Refused {
  readonly _tag: "Refused"
  readonly status: number
  readonly body: string
}

/** The transport's own authorization gave up: the application must finish it. */
export interface Unauthorized {
  readonly _tag: "Unauthorized"
  readonly status: 401 | 403
}

/** A success without an answer in it. */
export interface Unusable {
  readonly _tag: "Unusable"
  readonly contentType?: string
  readonly problem: string
}

/** Nothing came back. */
export interface Broken {
  readonly _tag: "Broken"
  readonly error: unknown
}

/** Returns what an error of `send` says. Never throws. */
export const read = (error: unknown): SdkFailure => {
  if (isAuthorization(error)) return { _tag: "Unauthorized", status: statusOf(error) === 403 ? 403 : 401 }
  const posted = postedOf(error)
  const status = statusOf(error) ?? posted?.status
  if (status !== undefined) return { _tag: "Refused", status, body: bodyOf(error) ?? posted?.body ?? "" }
  return unusableOf(error) ?? { _tag: "Broken", error }
}

/** Returns whether an error is a message of the server that the SDK's schemas refused: noise on a pipe. */
export const isNoise = (error: unknown): boolean => nameOf(error) === "SyntaxError" || hasIssues(error)

/** Returns the event of an exchange whose `send` failed. `target` names the server in a sentence about a lost connection. */
export const eventOf = (exchange: number, target: string, failure: SdkFailure): Event => {
  switch (failure._tag) {
    case "Refused": {
      const { body, status } = failure
      const parsed = parse(body)
      const message = parsed.ok ? readMessage(parsed.value) : undefined
      if (message !== undefined && isFailure(message)) return arrived(message, exchange, { status })
      const problem = "the response is no JSON-RPC error"
      return { _tag: "Unanswered", exchange, head: { status }, body: head(body, 200), problem }
    }
    case "Unauthorized":
      return { _tag: "Unanswered", exchange, head: { status: failure.status }, body: "", problem: "not authorized" }
    case "Unusable": {
      const { contentType, problem } = failure
      const response =
        contentType === undefined ? { status: 200 } : { status: 200, contentType: head(contentType, 200) }
      return { _tag: "Unanswered", exchange, head: response, body: "", problem }
    }
    case "Broken":
      return { _tag: "Lost", exchange, cause: wordsOf(target, failure.error) }
  }
}

/** Returns a sentence about an error that is no status: its code or the name of its class, for its words may hold secrets. */
export const wordsOf = (target: string, error: unknown, when: "asked" | "answering" = "asked"): string => {
  const words = HttpRequest.failure(target, error, when)
  const name = member(member(error, "constructor"), "name")
  const isNamed = typeof name === "string" && !words.endsWith(").") && name !== "Error" && name !== "TypeError"
  return head(isNamed ? `${words.slice(0, -1)} (${head(name, 100)}).` : words, 300)
}

// 1.x: StreamableHTTPError.code. 2.x: SdkHttpError.status, from data. A JSON-RPC code is negative, a system's is a word.
const statusOf = (error: unknown): number | undefined =>
  [member(error, "status"), member(member(error, "data"), "status"), member(error, "code")].find(isStatus)

const isStatus = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 300 && value <= 599

const bodyOf = (error: unknown): string | undefined => {
  const text = member(member(error, "data"), "text")
  return typeof text === "string" ? text : undefined
}

// 1.x keeps the body, and its older releases the status too, in the sentence of the error alone. That sentence is the
// SDK's own and stands before anything that a server wrote.
const posted = /^(?:Streamable HTTP error: )?Error POSTing to endpoint(?: \(HTTP (\d{3})\))?: /

const postedOf = (error: unknown): { readonly status: number | undefined; readonly body: string } | undefined => {
  const text = member(error, "message")
  const found = typeof text === "string" ? posted.exec(text) : null
  if (typeof text !== "string" || found === null) return undefined
  return { status: found[1] === undefined ? undefined : Number(found[1]), body: text.slice(found[0].length) }
}

// 2.x stamps what escapes its authorization; 1.x has a class for it, whose name survives where no bundler took it.
const isAuthorization = (error: unknown): boolean =>
  member(error, Symbol.for("mcp.authSeamEscape")) === true ||
  nameOf(error) === "UnauthorizedError" ||
  member(member(error, "constructor"), "name") === "UnauthorizedError"

const unusableOf = (error: unknown): Unusable | undefined => {
  const code = member(error, "code")
  if (code === "CLIENT_HTTP_UNEXPECTED_CONTENT" || code === -1) {
    const contentType = member(member(error, "data"), "contentType")
    const problem = "the response is neither JSON nor an event stream"
    return typeof contentType === "string" ? { _tag: "Unusable", problem, contentType } : { _tag: "Unusable", problem }
  }
  const contentType = "application/json"
  if (nameOf(error) === "SyntaxError") return { _tag: "Unusable", problem: "the body is no JSON", contentType }
  return hasIssues(error) ? { _tag: "Unusable", problem: "the body is no JSON-RPC message", contentType } : undefined
}

const hasIssues = (error: unknown): boolean => Array.isArray(member(error, "issues"))

const nameOf = (error: unknown): unknown => member(error, "name")

// An error is a foreign object: a getter of it may throw.
const member = (value: unknown, key: string | symbol): unknown => {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}
