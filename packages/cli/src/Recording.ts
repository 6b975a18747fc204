// What went over a transport during a probe: a Transport like the one it wraps, which keeps a short account of every
// message. Bounded in number and in length; credentials and session ids are never kept.
import { HeaderName, MetaKey } from "@parley/core/Envelope"
import type { Event, ResponseHead } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { Failure, Id, JsonObject, Message } from "@parley/core/Message"
import { isFailure, isNotification, isObject, isRequest, isSuccess } from "@parley/core/Message"
import type { Channel, Transport } from "@parley/runtime/Transport"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { oneLine } from "./render/Text.ts"

/** Who an entry comes from: us, the server, or what lies between. */
export type From = "client" | "server" | "carrier"

/** One thing that was sent, received or noticed. Text is harmless on a terminal. */
export interface Entry {
  /** When, in milliseconds since the recording began. */
  readonly atMillis: number
  readonly from: From
  readonly kind: "request" | "notification" | "result" | "error" | "opened" | "noise" | "status" | "lost" | "closed"
  /** The method, the error code, or what happened. */
  readonly what: string
  /** The fact that decides, such as the revision that was offered or named. May be empty. */
  readonly detail: string
  /** HTTP only: the status of the response that carried it. */
  readonly status?: number
}

/** A recording under way. */
export interface Recording {
  readonly transport: Transport
  /** What happened so far, oldest first; at most {@link limit} entries. */
  readonly entries: () => ReadonlyArray<Entry>
  /** How many entries were dropped after the limit. */
  readonly dropped: () => number
}

/** How many entries a recording keeps. */
export const limit = 500

/** Returns a recording of everything that the channels of a transport carry. */
export const record = (transport: Transport): Effect.Effect<Recording> =>
  Effect.map(Clock.currentTimeMillis, (started) => {
    const entries: Array<Entry> = []
    const asked = new Set<Id>()
    let dropped = 0
    const keep = (entry: Omit<Entry, "atMillis">): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (entries.length < limit) entries.push({ atMillis: now - started, ...entry })
        else dropped += 1
      })
    const open = Effect.gen(function* () {
      const inner = yield* transport.open.pipe(
        Effect.tapError((failure) =>
          keep({ from: "carrier", kind: "lost", what: "not opened", detail: oneLine(failure.reason, 300) })
        )
      )
      yield* keep({ from: "carrier", kind: "opened", what: "opened", detail: "" })
      const events = yield* Queue.bounded<Event, Cause.Done>(16)
      yield* Queue.take(inner.events).pipe(
        Effect.flatMap((event) => Effect.andThen(keep(received(event, asked)), Queue.offer(events, event))),
        Effect.forever,
        Effect.ensuring(Queue.end(events)),
        Effect.ignore,
        Effect.forkScoped
      )
      return {
        send: (outgoing) =>
          Effect.suspend(() => {
            if (outgoing._tag === "Post" && isRequest(outgoing.message)) asked.add(outgoing.message.id)
            return Effect.andThen(keep(sent(outgoing)), inner.send(outgoing))
          }),
        events,
        abandon: inner.abandon,
        close: inner.close
      } satisfies Channel
    })
    return { transport: { ...transport, open }, entries: () => entries, dropped: () => dropped }
  })

/** Returns the number of requests that were sent: each is one round trip, answered or not. */
export const roundTrips = (entries: ReadonlyArray<Entry>): number =>
  entries.filter((entry) => entry.from === "client" && entry.kind === "request").length

/** Returns the account of something sent. */
export const sent = (outgoing: Outgoing): Omit<Entry, "atMillis"> => {
  switch (outgoing._tag) {
    case "Listen":
      return { from: "client", kind: "request", what: "GET", detail: "to listen" }
    case "Delete":
      return { from: "client", kind: "request", what: "DELETE", detail: "the session" }
    case "Post":
      return { from: "client", ...ofMessage(outgoing.message), ...offered(outgoing.message, outgoing.headers) }
  }
}

/**
 * Returns the account of something received, or of what went wrong instead. `asked` holds the ids of our requests: a
 * result for another id is told as such.
 */
export const received = (event: Event, asked?: ReadonlySet<Id>): Omit<Entry, "atMillis"> => {
  switch (event._tag) {
    case "Arrived":
      return { from: "server", ...ofMessage(event.message), ...stray(event.message, asked), ...ofHead(event.head) }
    case "Stray":
      return { from: "server", kind: "noise", what: "no message", detail: oneLine(event.head) }
    case "Unanswered":
      return {
        from: "server",
        kind: "status",
        what: `HTTP ${event.head.status}`,
        detail: oneLine(event.body === "" ? event.problem : `${event.problem}: ${event.body}`),
        ...ofHead(event.head)
      }
    case "Lost":
      return { from: "carrier", kind: "lost", what: "lost", detail: oneLine(event.cause, 300) }
    case "Closed":
      return {
        from: "carrier",
        kind: "closed",
        what: "closed",
        detail: event.exitCode === undefined ? oneLine(event.signal ?? "") : `exit code ${event.exitCode}`
      }
    case "DeadlinePassed":
      return { from: "carrier", kind: "lost", what: "silence", detail: `${event.waitedMillis} ms` }
  }
}

const ofHead = (head: ResponseHead | undefined): { readonly status?: number } =>
  head === undefined ? {} : { status: head.status }

const stray = (message: Message, asked: ReadonlySet<Id> | undefined): { readonly what?: string } =>
  asked !== undefined && isSuccess(message) && !asked.has(message.id)
    ? { what: `a result for another id, ${oneLine(JSON.stringify(message.id), 40)}` }
    : {}

const ofMessage = (message: Message): Pick<Entry, "kind" | "what" | "detail"> => {
  if (isRequest(message)) return { kind: "request", what: oneLine(message.method, 80), detail: "" }
  if (isNotification(message)) return { kind: "notification", what: oneLine(message.method, 80), detail: "" }
  if (isFailure(message)) return ofFailure(message)
  return { kind: "result", what: "result", detail: ofResult(message.result) }
}

const ofFailure = ({ error }: Failure): Pick<Entry, "kind" | "what" | "detail"> => {
  const listed = isObject(error.data) ? revisions(error.data["supported"]) : ""
  const said = oneLine(error.message, 120)
  return { kind: "error", what: String(error.code), detail: listed === "" ? said : `${said}; supports ${listed}` }
}

const ofResult = (result: JsonObject): string => {
  const named = result["protocolVersion"]
  if (typeof named === "string") return `names ${oneLine(named, 40)}`
  const listed = revisions(result["supportedVersions"])
  return listed === "" ? "" : `lists ${listed}`
}

const offered = (message: Message, headers: { readonly [name: string]: string }): { readonly detail?: string } => {
  if (!isRequest(message)) return {}
  const offers = message.params?.["protocolVersion"]
  if (typeof offers === "string") return { detail: `offers ${oneLine(offers, 40)}` }
  const meta = message.params?.["_meta"]
  const carried = isObject(meta) ? meta[MetaKey.ProtocolVersion] : headers[HeaderName.ProtocolVersion]
  return typeof carried === "string" ? { detail: `at ${oneLine(carried, 40)}` } : {}
}

const revisions = (list: unknown): string =>
  Array.isArray(list)
    ? list
        .slice(0, 8)
        .map((item) => (typeof item === "string" ? oneLine(item, 40) : "?"))
        .join(", ")
    : ""
