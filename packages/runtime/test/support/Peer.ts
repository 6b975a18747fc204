// A server of a test's own: a function of what the client sends, over an in-memory carrier that counts what is opened,
// closed, sent and abandoned. Runs under TestClock. No expectation lives here.
import type { Event, ResponseHead } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { TransportFailure } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import type { JsonObject, Message, Params } from "@parley/core/Message"
import { failure, isRequest, success } from "@parley/core/Message"
import type { Era } from "@parley/core/Version"
import type { Transport } from "@parley/runtime/Transport"
import * as Link from "@parley/testing/Link"
import * as Effect from "effect/Effect"

/** What the client did, in order. */
export interface Seen {
  opened: number
  closed: number
  readonly sent: Array<Outgoing>
  readonly abandoned: Array<number>
}

export interface Peer {
  readonly transport: Transport
  readonly seen: Seen
  /** What was sent, a word each: a method, `result` or `error` for a response, `GET` or `DELETE`. */
  readonly words: () => ReadonlyArray<string>
  /** The messages of one method, in order. */
  readonly posts: (method: string) => ReadonlyArray<Post>
}

export type Post = Extract<Outgoing, { readonly _tag: "Post" }>

/** One thing that the client sent, and the ways to answer it. */
export interface Turn {
  readonly outgoing: Outgoing
  readonly opening: number
  /** The method of a message, `response`, `GET` or `DELETE`. */
  readonly word: string
  readonly params: Params
  readonly emit: Link.Emit
  /** Answers with a result. */
  readonly result: (result: JsonObject, head?: Partial<ResponseHead>) => Effect.Effect<void>
  /** Answers with an error. */
  readonly error: (code: number, data?: unknown, head?: Partial<ResponseHead>) => Effect.Effect<void>
  /** HTTP: ends the response without an answer. */
  readonly status: (status: number, head?: Partial<ResponseHead>) => Effect.Effect<void>
  /** Sends a message beside the answer: on the pipe, or on this exchange's stream. */
  readonly say: (message: Message) => Effect.Effect<void>
  /** HTTP: the response was cut. */
  readonly cut: (resume?: { readonly lastEventId: string; readonly retryMillis: number }) => Effect.Effect<void>
}

export interface Options {
  readonly eras?: ReadonlyArray<Era>
  readonly onOpen?: (emit: Link.Emit, opening: number) => Effect.Effect<void, TransportFailure>
  readonly queuedEvents?: number
}

/** Returns a server that behaves as told. */
export const make = (medium: Medium, behave: (turn: Turn) => Effect.Effect<void>, options: Options = {}): Peer => {
  const seen: Seen = { opened: 0, closed: 0, sent: [], abandoned: [] }
  const inner = Link.make({
    medium,
    ...options,
    onSend: (outgoing, emit, opening) => behave(turnOf(medium, outgoing, emit, opening))
  })
  const transport: Transport = {
    ...inner,
    open: Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => (seen.opened += 1)),
        () => Effect.sync(() => (seen.closed += 1))
      )
      const channel = yield* inner.open
      return {
        ...channel,
        send: (outgoing) =>
          Effect.suspend(() => {
            seen.sent.push(outgoing)
            return channel.send(outgoing)
          }),
        abandon: (exchange) =>
          Effect.suspend(() => {
            seen.abandoned.push(exchange)
            return channel.abandon(exchange)
          })
      }
    })
  }
  return {
    transport,
    seen,
    words: () => seen.sent.map(wordOf),
    posts: (method) => seen.sent.filter((one): one is Post => one._tag === "Post" && wordOf(one) === method)
  }
}

/** Returns the behaviour that gives each word its own answer; what has none is not answered. */
export const table =
  (answers: { readonly [word: string]: (turn: Turn) => Effect.Effect<void> }): ((turn: Turn) => Effect.Effect<void>) =>
  (turn) =>
    answers[turn.word]?.(turn) ?? Effect.void

/** Answers `initialize` as a good server of the revision asked for, or of the one given. */
export const initialize =
  (version?: string, head: Partial<ResponseHead> = {}, capabilities: JsonObject = { tools: {} }) =>
  (turn: Turn): Effect.Effect<void> =>
    turn.result(
      {
        protocolVersion: version ?? turn.params["protocolVersion"],
        capabilities,
        serverInfo: { name: "peer", version: "1" }
      },
      head
    )

/** Answers `server/discover` with these revisions. */
export const discover =
  (versions: ReadonlyArray<string> = ["2026-07-28"]) =>
  (turn: Turn): Effect.Effect<void> =>
    turn.result({ resultType: "complete", supportedVersions: versions, capabilities: { tools: {} } })

/** Accepts a notification. */
export const accept = (turn: Turn): Effect.Effect<void> => turn.status(202)

export const client = { info: { name: "test", version: "1" }, capabilities: {} }

const turnOf = (medium: Medium, outgoing: Outgoing, emit: Link.Emit, opening: number): Turn => {
  const message = outgoing._tag === "Post" ? outgoing.message : undefined
  const id = message !== undefined && isRequest(message) ? message.id : 0
  const shared = medium.streams === "shared"
  const arrive = (answer: Message, head: Partial<ResponseHead> = {}): Effect.Effect<void> =>
    emit(Link.answer(medium, outgoing, answer, { status: 200, contentType: "application/json", ...head }))
  const alone = (event: Event): Effect.Effect<void> => (shared ? Effect.void : emit(event))
  return {
    outgoing,
    opening,
    word: wordOf(outgoing),
    params: message !== undefined && "params" in message ? (message.params ?? {}) : {},
    emit,
    result: (result, head) => arrive(success(id, result), head),
    error: (code, data, head) =>
      arrive(failure(id, { code, message: "refused", ...(data === undefined ? undefined : { data }) }), head),
    status: (status, head = {}) => alone(Link.unanswered(outgoing, { status, ...head })),
    say: (said) => arrive(said, { contentType: "text/event-stream" }),
    cut: (resume) =>
      alone({
        _tag: "Lost",
        exchange: outgoing.exchange,
        cause: "The stream was cut.",
        ...(resume === undefined ? undefined : { resume })
      })
  }
}

const wordOf = (outgoing: Outgoing): string => {
  if (outgoing._tag !== "Post") return outgoing._tag === "Listen" ? "GET" : "DELETE"
  const { message } = outgoing
  return "method" in message ? message.method : "error" in message ? "error" : "result"
}
