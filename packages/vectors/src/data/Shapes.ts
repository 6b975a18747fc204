// The shapes of events, states and commands in the data files, one for each tag: closed where the shape is ours, open
// where a JSON-RPC message or an error's fields stand.
import { stateTags } from "../Cells.ts"

/** A JSON Schema, or a part of one. */
export type Schema = { readonly [key: string]: unknown }

export const text: Schema = { type: "string" }
export const texts: Schema = { type: "array", items: text }
export const integer: Schema = { type: "integer" }
export const boolean: Schema = { type: "boolean" }
export const anyObject: Schema = { type: "object" }
/** Who is at fault. */
export const fault: Schema = { enum: ["peer", "network", "owner", "caller"] }

/** An object with these members and no others; all are required but those that are named. */
export const closed = (
  properties: { readonly [key: string]: Schema },
  optional: ReadonlyArray<string> = []
): Schema => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  properties
})

const tagged = (tag: string, properties: { readonly [key: string]: Schema } = {}, optional?: ReadonlyArray<string>) =>
  closed({ _tag: { const: tag }, ...properties }, optional)

const oneOf = (...schemas: ReadonlyArray<Schema>): Schema => ({ oneOf: schemas })

const id: Schema = { anyOf: [text, integer] }
const jsonRpc: Schema = { type: "object", required: ["jsonrpc"], properties: { jsonrpc: { const: "2.0" } } }
const error: Schema = closed({ code: integer, message: text, data: {} }, ["message", "data"])

// ---- the client

const head = closed(
  {
    status: integer,
    contentType: text,
    sessionId: text,
    challenge: text,
    retryAfterMillis: integer,
    location: text,
    note: text
  },
  ["contentType", "sessionId", "challenge", "retryAfterMillis", "location", "note"]
)

const exchangeOrAll: Schema = { anyOf: [integer, { const: "negotiation" }] }

/** What can happen to a client. */
export const clientEvent: Schema = oneOf(
  tagged("Arrived", { message: jsonRpc, exchange: integer, head }, ["exchange", "head"]),
  tagged("Stray", { head: text, problem: { enum: ["notJson", "notJsonRpc", "overlong"] } }),
  tagged("Unanswered", { exchange: integer, head, body: text, problem: text }),
  tagged(
    "Lost",
    {
      exchange: integer,
      cause: text,
      retryable: { const: false },
      resume: closed({ lastEventId: text, retryMillis: integer })
    },
    ["exchange", "retryable", "resume"]
  ),
  tagged("Closed", { exitCode: integer, signal: text, stderr: text }, ["exitCode", "signal"]),
  tagged("DeadlinePassed", { of: exchangeOrAll, waitedMillis: integer })
)

/** What a client's machine asks for. */
export const clientCommand: Schema = oneOf(
  tagged("Open"),
  tagged("Reopen"),
  tagged("StartDeadline", { of: exchangeOrAll, millis: integer }),
  tagged("ClearDeadline", { of: exchangeOrAll }),
  tagged("SendInitialize", { exchange: integer, version: text }),
  tagged("SendDiscover", { exchange: integer, version: text }),
  tagged("SendInitialized", { version: text, sessionId: text }, ["sessionId"]),
  tagged("DeleteSession", { sessionId: text, version: text }),
  tagged("Reply", { message: jsonRpc, sessionId: text }, ["sessionId"]),
  tagged("Keep", { message: jsonRpc })
)

const method: Schema = { enum: ["initialize", "server/discover"] }

const ledger = closed(
  {
    exchanges: integer,
    initializes: integer,
    discovers: integer,
    corrected: boolean,
    countered: boolean,
    held: boolean,
    reopened: boolean,
    outOfTurn: integer,
    noise: integer,
    strays: texts,
    opening: closed({
      method,
      asked: text,
      evidence: { type: "object", required: ["_tag"], properties: { _tag: text } }
    }),
    holdable: text,
    session: closed({ id: text, version: text }),
    probe: integer
  },
  ["opening", "holdable", "session", "probe"]
)

const awaiting = { asked: text, ledger }

/** Where a client's conversation stands. */
export const clientState: Schema = oneOf(
  ...stateTags.map((tag) =>
    tag === "Keeping"
      ? tagged(tag, { ...awaiting, late: closed({ _tag: { const: "Agreed" }, version: text, result: anyObject }) })
      : tagged(tag, awaiting)
  ),
  tagged(
    "Settled",
    { version: text, named: text, offered: text, method, result: anyObject, sessionId: text, strays: texts },
    ["sessionId"]
  ),
  tagged("Failed", {
    reason: {
      type: "object",
      required: ["_tag", "fault", "retryable", "message"],
      properties: { _tag: text, fault, retryable: boolean, message: text }
    }
  })
)

// ---- the server

const refusal = { id, ground: text, status: integer, error }

/** What can happen to a server's conversation. */
export const serverEvent: Schema = oneOf(
  tagged(
    "Received",
    {
      value: {},
      headers: { type: "object", additionalProperties: { anyOf: [text, texts] } },
      batched: boolean
    },
    ["headers", "batched"]
  ),
  tagged("Unreadable", { refusal: closed(refusal, ["id"]) }),
  tagged("DeadlinePassed", { of: { enum: ["opening", "idle"] }, waitedMillis: integer, unanswered: integer }),
  tagged("EndOfInput"),
  tagged("Deleted")
)

const why: Schema = { enum: ["ended", "deleted", "timeout", "idle"] }

/** What a server's machine asks for. */
export const serverCommand: Schema = oneOf(
  tagged("Reply", { id, result: anyObject }),
  tagged("Refuse", refusal, ["id"]),
  tagged("Deliver", { id, method: text, era: { enum: ["legacy", "modern"] }, version: text }),
  tagged("Hear", { method: text }),
  tagged("Resolve", { id }, ["id"]),
  tagged("Issue", { version: text }),
  tagged("StartDeadline", { of: { const: "opening" }, millis: integer }),
  tagged("ClearDeadline", { of: { const: "opening" } }),
  tagged("Close", { why })
)

const opening = closed({ version: text, client: anyObject })

/** Where a server's conversation stands. */
export const serverState: Schema = oneOf(
  tagged("AwaitingOpening", { admitted: boolean }),
  tagged("AwaitingInitialized", { admitted: boolean, opening }),
  tagged("Serving", { opening }),
  tagged("Closed", { why })
)
