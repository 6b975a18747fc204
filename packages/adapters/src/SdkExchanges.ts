// Which request of an opening a message of an SDK transport belongs to. The transport merges every response into one
// callback; text ids and the one exchange in flight tell them apart again.
import type { Event } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import type { Medium } from "@parley/core/Medium"
import { head, type Id, isObject, isResponse, isSuccess, Method } from "@parley/core/Message"
import type { JsonObject, Message, Request } from "@parley/core/Message"
import { read as readMessage } from "@parley/core/Message"
import * as SdkFailure from "./SdkFailure.ts"
import type { Carrier, SdkTransport, SendOptions } from "./SdkTransport.ts"

/** The requests of one opening, and what is known of each. */
export interface SdkExchanges {
  /** Begins an exchange, and returns what to tell the transport about it. `tell` hears of a stream without an answer. */
  readonly begin: (exchange: number, request: Request, tell: (event: Event) => void) => SendOptions
  /** The transport took a message: for what awaits no answer that is its acceptance. */
  readonly accepted: (exchange: number) => Event | undefined
  readonly arrived: (message: unknown, extra: unknown) => Event
  /** The transport reported an error: noise on a pipe, or the stream of the answer was cut. */
  readonly failed: (error: unknown, target: string) => Event | undefined
  readonly end: (exchange: number) => void
  readonly abandon: (exchange: number) => void
  /** Whether a message answers a request of the opening: nobody else asked for it. */
  readonly isLate: (message: unknown) => boolean
  /** What the transport said about a message beside it. */
  readonly extraOf: (message: Message) => unknown
  readonly initialized: () => JsonObject | undefined
}

interface Exchange {
  readonly method: string
  readonly abort: AbortController
  /** `resumable`: its stream has an event id, so that the transport resumes it by itself. */
  phase: "sending" | "streaming" | "resumable"
}

export const make = (inner: SdkTransport, carrier: Carrier, medium: Medium): SdkExchanges => {
  // Both are bounded: a negotiation makes four requests at most.
  const ids = new Map<Id, number>()
  const open = new Map<number, Exchange>()
  const methods = new Map<number, string>()
  const extras = new WeakMap<Message, unknown>()
  const separate = medium.streams === "perRequest"
  let initialized: JsonObject | undefined

  const inFlight = (): number | undefined => [...open.keys()].at(-1)

  const begin: SdkExchanges["begin"] = (exchange, request, tell) => {
    const own: Exchange = { method: request.method, abort: new AbortController(), phase: "sending" }
    ids.set(request.id, exchange)
    open.set(exchange, own)
    methods.set(exchange, request.method)
    return {
      requestSignal: own.abort.signal,
      onresumptiontoken: () => {
        own.phase = "resumable"
      },
      onRequestStreamEnd: () => {
        if (!open.delete(exchange)) return
        const response = { status: 200, contentType: "text/event-stream" }
        const problem = "the stream ended before the answer"
        tell({ _tag: "Unanswered", exchange, head: response, body: "", problem })
      }
    }
  }

  const headOf = (): { readonly status: number; readonly sessionId?: string } => {
    const { sessionId } = inner
    return typeof sessionId === "string" ? { status: 200, sessionId } : { status: 200 }
  }

  const read: SdkExchanges["arrived"] = (value, extra) => {
    const message = readMessage(value)
    if (message === undefined) return { _tag: "Stray", head: textOf(value), problem: "notJsonRpc" }
    if (extra !== undefined) extras.set(message, extra)
    if (!isResponse(message)) return separate ? arrived(message, undefined, headOf()) : arrived(message)
    // Over HTTP the SDK tells no exchange: what is not addressed to one of ours answers the one in flight.
    const known = message.id === undefined || message.id === null ? undefined : ids.get(message.id)
    const exchange = known ?? (separate ? inFlight() : undefined)
    if (exchange === undefined) return arrived(message)
    open.delete(exchange)
    if (known !== undefined && isSuccess(message) && methods.get(known) === Method.Initialize) {
      initialized = message.result
    }
    return separate ? arrived(message, exchange, headOf()) : arrived(message)
  }

  const failed: SdkExchanges["failed"] = (error, target) => {
    if (SdkFailure.isNoise(error)) {
      return carrier === "http" ? undefined : { _tag: "Stray", head: wordsOf(error), problem: "notJson" }
    }
    const exchange = inFlight()
    if (!separate || exchange === undefined || open.get(exchange)?.phase !== "streaming") return undefined
    open.delete(exchange)
    return { _tag: "Lost", exchange, cause: SdkFailure.wordsOf(target, error, "answering") }
  }

  return {
    begin,
    accepted: (exchange) => {
      const own = open.get(exchange)
      if (own?.phase === "sending") own.phase = "streaming"
      return methods.has(exchange) || !separate
        ? undefined
        : { _tag: "Unanswered", exchange, head: { status: 202 }, body: "", problem: "accepted" }
    },
    arrived: read,
    failed,
    end: (exchange) => {
      open.delete(exchange)
    },
    abandon: (exchange) => {
      open.get(exchange)?.abort.abort()
      open.delete(exchange)
    },
    isLate: (message) => {
      if (!isObject(message) || "method" in message) return false
      const id = message["id"]
      return typeof id === "string" && ids.has(id)
    },
    extraOf: (message) => extras.get(message),
    initialized: () => initialized
  }
}

const textOf = (value: unknown): string => {
  try {
    return head(JSON.stringify(value) ?? "", 200)
  } catch {
    return ""
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? head(error.message, 200) : "")
