// What goes back over HTTP as a whole: a status, headers and a body. Streams of events are the carrier's.
import type { Message } from "../Message.ts"
import { HeaderName } from "../Envelope.ts"
import type { Compiled } from "./Compiled.ts"
import type { Refusal } from "./Refusal.ts"
import { toMessage } from "./Refusal.ts"

/** A whole HTTP answer. Header names are in lower case. */
export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** JSON, or undefined for none. */
  readonly body: string | undefined
}

/** The headers of an answer that has a body. */
export const jsonHeaders: Answer["headers"] = { "content-type": "application/json" }

/** A notification or a response was taken: 202 without a body. */
export const accepted: Answer = { status: 202, headers: {}, body: undefined }

/** A session was ended: 204 without a body. */
export const deleted: Answer = { status: 204, headers: {}, body: undefined }

/** Returns a 200 with a JSON-RPC message, or with the answers of a batch, and the session that an opening issued. */
export const json = (message: Message | ReadonlyArray<Message>, sessionId?: string): Answer => ({
  status: 200,
  headers: sessionId === undefined ? jsonHeaders : { ...jsonHeaders, [HeaderName.SessionId]: sessionId },
  body: JSON.stringify(message)
})

/** Returns the answer of a refusal: its ground's status, `Allow` with a 405, `Retry-After` (seconds) with a 503. */
export const refused = (compiled: Compiled, refusal: Refusal): Answer => {
  const { status } = refusal.ground
  return {
    status,
    headers:
      status === 405
        ? { ...jsonHeaders, allow: compiled.allow }
        : status === 503
          ? { ...jsonHeaders, "retry-after": retryAfterSeconds }
          : jsonHeaders,
    body: JSON.stringify(toMessage(refusal))
  }
}

const retryAfterSeconds = "2"
