// The rungs that judge the shape of what was sent, before anyone asks what it means: JSON, a batch, a JSON-RPC message.
import type { Id, Kind, Message, Parsed } from "../Message.ts"
import { Code, isId, isObject, kindOf, Method, read } from "../Message.ts"
import { batchVersion } from "../Version.ts"
import type { Compiled } from "./Compiled.ts"
import type { Ground, Problem, Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"

/** What was sent, as its rungs see it. */
export interface Body {
  readonly parsed: Parsed
  /** What frame it is: Invalid where it is no JSON, undefined for an array. */
  readonly kind: Kind | undefined
}

/** A rung that judges what was sent. Undefined lets it pass. */
export interface BodyRung extends Ground {
  readonly stage: "body"
  readonly check: (compiled: Compiled, body: Body) => Problem | undefined
}

const json: BodyRung = {
  stage: "body",
  id: "json",
  code: Code.ParseError,
  status: 400,
  remedy: "sendOneMessage",
  because: "JSON-RPC 2.0, Error Object: -32700, with no id since none can be read",
  check: (_, { parsed }) => (parsed.ok ? undefined : unparsable(`it is no JSON (${parsed.problem})`))
}

const batch: BodyRung = {
  stage: "body",
  id: "batch",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "sendOneMessage",
  because: "2025-03-26 lifecycle, Initialization: initialize MUST NOT be in a batch; other revisions have no batches",
  check: (compiled, { parsed }) =>
    parsed.ok && Array.isArray(parsed.value) ? checkBatch(compiled, parsed.value) : undefined
}

const shape: BodyRung = {
  stage: "body",
  id: "shape",
  code: Code.InvalidRequest,
  status: 400,
  remedy: "sendOneMessage",
  because: "index, Messages: JSON-RPC 2.0, an id is a string or an integer and never null",
  check: (_, { parsed, kind }) =>
    kind === "Invalid" && parsed.ok
      ? { _tag: "InvalidMessage", code: Code.InvalidRequest, problem: misshape(parsed.value) }
      : undefined
}

/** The rungs of the body in the order of their evaluation. */
export const bodyRungs: ReadonlyArray<BodyRung> = [json, batch, shape]

/** What was sent and has passed: one message, or the members of a batch, each still to be weighed. */
export type Sent = One | Many

export interface One {
  readonly _tag: "One"
  readonly message: Message
  readonly kind: Exclude<Kind, "Invalid">
}

export interface Many {
  readonly _tag: "Many"
  readonly members: ReadonlyArray<unknown>
}

/** Returns what was sent, or the refusal of a rung. */
export const climbBody = (compiled: Compiled, parsed: Parsed): Sent | Refusal => {
  let value = parsed.ok ? parsed.value : undefined
  let kind: Body["kind"] = Array.isArray(value) ? undefined : kindOf(value)
  if (kind === "Invalid") {
    // An error response without words is still an answer to what the server asked.
    const mended = read(value)
    if (mended !== undefined) {
      value = mended
      kind = kindOf(mended)
    }
  }
  const body: Body = { parsed, kind }
  for (const rung of bodyRungs) {
    const problem = rung.check(compiled, body)
    if (problem !== undefined) return refusal(rung, problem, idOf(value))
  }
  if (Array.isArray(value)) return { _tag: "Many", members: value }
  // The rungs have let pass nothing else that is no message; TypeScript cannot carry that from a tag to the value.
  return { _tag: "One", message: value as Message, kind: kind as One["kind"] }
}

/** Returns the refusal of bytes that are no UTF-8. */
export const notUtf8: Refusal = refusal(json, {
  _tag: "InvalidMessage",
  code: Code.ParseError,
  problem: "its bytes are no UTF-8"
})

/** Returns the refusal of a member of a batch that is no message. Its id is repeated where it can be read. */
export const misshapen = (value: unknown): Refusal =>
  refusal(shape, { _tag: "InvalidMessage", code: Code.InvalidRequest, problem: misshape(value) }, idOf(value))

/** Returns the refusal of a modern request in a batch: its era has none. */
export const unbatchable = (id: Id): Refusal =>
  refusal(
    batch,
    {
      _tag: "InvalidMessage",
      code: Code.InvalidRequest,
      problem: "a request with an envelope is in an array, and the modern era has no batches"
    },
    id
  )

const checkBatch = (compiled: Compiled, members: ReadonlyArray<unknown>): Problem | undefined => {
  const problem = batchProblem(compiled, members)
  return problem === undefined ? undefined : { _tag: "InvalidMessage", code: Code.InvalidRequest, problem }
}

const batchProblem = (compiled: Compiled, members: ReadonlyArray<unknown>): string | undefined => {
  if (!compiled.legacyVersions.has(batchVersion)) return "it is an array, and no revision served here has batches"
  if (members.length === 0) return "the array is empty"
  const most = compiled.profile.limits.batch
  if (members.length > most) return `the array has more than ${most} members`
  return members.some((member) => isObject(member) && member["method"] === Method.Initialize)
    ? "initialize is in an array"
    : undefined
}

const unparsable = (problem: string): Problem => ({ _tag: "InvalidMessage", code: Code.ParseError, problem })

// What looks like a response is no request: its id is one of the server's own, so it is not repeated.
const idOf = (value: unknown): Id | undefined => {
  if (!isObject(value) || (!("method" in value) && ("result" in value || "error" in value))) return undefined
  const id = value["id"]
  return isId(id) ? id : undefined
}

const misshape = (value: unknown): string => {
  if (!isObject(value)) return "it is no JSON object"
  if (value["jsonrpc"] !== "2.0") return 'its member jsonrpc is not "2.0"'
  if ("id" in value && !isId(value["id"])) return "its id is no string and no integer"
  const method = value["method"]
  if (method !== undefined) return typeof method === "string" ? "its params are no object" : "its method is no string"
  return "it has no method, and is no response either"
}
