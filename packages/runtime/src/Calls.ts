// The requests of one link: each awaits its answer, is cancelled as its era demands, and goes on where a legacy stream was
// cut. Which events there are, and what else they can belong to, is Link's.
import type { Agreement } from "@parley/core/Agreement"
import * as Answer from "@parley/core/client/Answer"
import type { Arrived, Lost, Unanswered } from "@parley/core/client/Event"
import type { Headers } from "@parley/core/client/Outgoing"
import * as Envelope from "@parley/core/Envelope"
import { type RequestReason, TransportFailure } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import { idOf } from "@parley/core/Medium"
import type { Failure, Id, JsonObject, Notification, Params, Request, Success } from "@parley/core/Message"
import * as Messages from "@parley/core/Message"
import type { ToolHeader } from "@parley/core/ToolHeaders"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** A request to make. */
export interface Call {
  readonly method: string
  readonly params?: Params | undefined
  readonly toolHeaders?: ReadonlyArray<ToolHeader> | undefined
  /** Called with the params of each progress notification of this request. */
  readonly onProgress?: ((progress: Params) => void) | undefined
  readonly resultTypes?: ReadonlyArray<string> | undefined
}

/** What the calls need of their link. */
export interface Given {
  readonly agreement: Agreement
  readonly medium: Medium
  readonly nextExchange: () => number
  readonly post: (exchange: number, message: Request, headers: Headers) => Effect.Effect<void>
  /** Asks by GET for the rest of a stream. */
  readonly get: (exchange: number, lastEventId: string) => Effect.Effect<void>
  readonly abandon: (exchange: number) => Effect.Effect<void>
  /** Tells the server that an answer is not wanted any more, without waiting. */
  readonly tellCancelled: (id: Id) => Effect.Effect<void>
}

export interface Calls {
  readonly make: (call: Call) => Effect.Effect<JsonObject, RequestReason>
  /** Takes a response. Returns whether it answered a request. */
  readonly answered: (event: Arrived, message: Success | Failure) => boolean
  /** Takes the end of an exchange. Returns whether a request awaited its answer on it. */
  readonly ended: (event: Lost | Unanswered) => boolean
  /** Takes `notifications/progress` or `notifications/cancelled`. Returns what to do if a request is to hear of it. */
  readonly heard: (message: Notification) => Effect.Effect<void> | undefined
  /** Fails every request that awaits its answer, and every later one. */
  readonly fail: (reason: () => TransportFailure) => void
  /** How many requests await their answers. */
  readonly size: () => number
}

interface Entry {
  readonly asked: Answer.Asked
  readonly onProgress: Call["onProgress"]
  outcome: Deferred.Deferred<JsonObject, RequestReason | Cut>
  /** Where the answer is awaited: the POST, or the GET that resumes its stream. */
  exchange: number
  isSent: boolean
  /** Where its stream was cut last. */
  from: Lost["resume"]
  resumptions: number
  /** How often in a row a stream could not be asked for. */
  failures: number
}

/** A legacy stream ended before the answer, and can be resumed. */
class Cut extends Data.TaggedError("Cut")<{ readonly from: NonNullable<Lost["resume"]> }> {}

export const make = (given: Given): Calls => {
  const { abandon, agreement, get, medium, nextExchange, post, tellCancelled } = given
  const stamp = { version: agreement.version, client: agreement.client, sessionId: agreement.sessionId }
  const separate = medium.streams === "perRequest"
  const resumes = separate && agreement.era === "legacy"
  const pending = new Map<Id, Entry>()
  const resumed = new Map<number, Entry>()
  let lost: (() => TransportFailure) | undefined
  // Whether a request was given up on this pipe that the server may still answer.
  let gaveUp = false

  const call = (wanted: Call): Effect.Effect<JsonObject, RequestReason> =>
    Effect.suspend(() => {
      if (lost !== undefined) return Effect.fail(lost())
      const exchange = nextExchange()
      const id = idOf(medium, exchange)
      const params = wanted.onProgress === undefined ? wanted.params : withProgress(wanted.params, id)
      const { headers, message } = Envelope.stamp(
        stamp,
        Messages.request(id, wanted.method, params),
        wanted.toolHeaders
      )
      const entry: Entry = {
        asked: { id, method: wanted.method, resultTypes: wanted.resultTypes ?? [] },
        onProgress: wanted.onProgress,
        outcome: Deferred.makeUnsafe(),
        exchange,
        isSent: false,
        from: undefined,
        resumptions: 0,
        failures: 0
      }
      const asking = Effect.suspend(() => {
        pending.set(id, entry)
        return post(exchange, message, headers)
      })
      return asking.pipe(
        Effect.flatMap(() => {
          entry.isSent = true
          return Deferred.await(entry.outcome)
        }),
        Effect.catchTag("Cut", (cut) => resume(entry, cut)),
        (answered) =>
          Effect.onExitPrimitive(answered, (exit) => {
            pending.delete(id)
            if (entry.exchange !== exchange) resumed.delete(entry.exchange)
            return Exit.hasInterrupts(exit) ? cancel(entry) : undefined
          })
      )
    })

  // Modern HTTP: closing the stream is the cancellation. Elsewhere the server is told, unless it answered already or was
  // not asked yet. lifecycle: `initialize` is never cancelled.
  const cancel = (entry: Entry): Effect.Effect<void> => {
    if (lost !== undefined || Deferred.isDoneUnsafe(entry.outcome)) return Effect.void
    const { id, method } = entry.asked
    const tells = entry.isSent && (resumes || !separate) && method !== Messages.Method.Initialize
    if (!separate) gaveUp = true
    return Effect.andThen(tells ? tellCancelled(id) : Effect.void, separate ? abandon(entry.exchange) : Effect.void)
  }

  // transports, Resumability: after the time that the server asked for, a GET from the last event on.
  const resume = (entry: Entry, { from }: Cut): Effect.Effect<JsonObject, RequestReason> =>
    Effect.suspend(() => {
      if (lost !== undefined) return Effect.fail(lost())
      entry.outcome = Deferred.makeUnsafe()
      entry.resumptions += 1
      entry.from = from
      return Effect.timeoutOption(Deferred.await(entry.outcome), from.retryMillis).pipe(
        Effect.flatMap((early) => {
          if (Option.isSome(early)) return Effect.succeed(early.value)
          resumed.delete(entry.exchange)
          entry.exchange = nextExchange()
          resumed.set(entry.exchange, entry)
          return Effect.andThen(get(entry.exchange, from.lastEventId), Deferred.await(entry.outcome))
        }),
        Effect.catchTag("Cut", (again) => resume(entry, again))
      )
    })

  // Over HTTP a response belongs to the exchange that it came on, unless it bears another's id; on a pipe to its id.
  const entryOf = (event: Arrived, message: Success | Failure): Entry | undefined => {
    const own = entryOn(event.exchange)
    if (own !== undefined && (message.id === own.asked.id || Messages.isFailure(message))) return own
    return entryNamed(message.id) ?? own ?? loneEntry(message)
  }

  const entryNamed = (id: unknown): Entry | undefined => (Messages.isId(id) ? pending.get(id) : undefined)

  const entryOn = (exchange: number | undefined): Entry | undefined =>
    exchange === undefined ? undefined : (resumed.get(exchange) ?? pending.get(idOf(medium, exchange)))

  // An error that names no request can only be the answer to the one that is under way.
  const loneEntry = (message: Success | Failure): Entry | undefined => {
    if (separate || gaveUp || pending.size !== 1) return undefined
    if (!Messages.isFailure(message) || !Messages.isUnaddressed(message)) return undefined
    const [entry] = pending.values()
    return entry
  }

  const settle = (entry: Entry, reason: RequestReason | Cut): true => {
    Deferred.doneUnsafe(entry.outcome, Exit.fail(reason))
    return true
  }

  // What was cut goes on from the last event that is known. A GET that could not be sent is repeated, not often.
  const cutOf = (entry: Entry, event: Lost): RequestReason | Cut => {
    const from = event.resume ?? entry.from
    entry.failures = event.resume === undefined ? entry.failures + 1 : 0
    const spent = entry.resumptions >= most.resumptions || entry.failures > most.failures
    return from === undefined || !resumes || spent ? Answer.reasonOfLoss(event) : new Cut({ from })
  }

  return {
    make: call,
    answered: (event, message) => {
      const entry = entryOf(event, message)
      if (entry === undefined) return false
      const answer = Answer.read(agreement, entry.asked, event, message)
      if (answer._tag === "Refused") return settle(entry, answer.reason)
      Deferred.doneUnsafe(entry.outcome, Exit.succeed(answer.result))
      return true
    },
    ended: (event) => {
      const entry = entryOn(event.exchange)
      if (entry === undefined) return false
      // The answer is awaited elsewhere by now.
      if (entry.exchange !== event.exchange) return true
      if (event._tag === "Lost") return settle(entry, cutOf(entry, event))
      return settle(
        entry,
        entry.from === undefined ? Answer.reasonOfEnd(agreement, entry.asked, event) : notResumed(event)
      )
    },
    heard: ({ method, params }) => {
      const entry = entryNamed(params?.[method === Messages.Method.Progress ? "progressToken" : "requestId"])
      if (entry === undefined) return undefined
      if (method === Messages.Method.Progress) {
        const { onProgress } = entry
        return onProgress === undefined
          ? undefined
          : Effect.catchCause(
              Effect.sync(() => onProgress(params ?? {})),
              (cause) => Effect.logWarning("Hearing of progress failed.", cause)
            )
      }
      // patterns/cancellation: a modern server cancels nothing but a subscription, which it ends so.
      if (agreement.era === "modern" && entry.asked.method === Messages.Method.SubscriptionsListen) {
        settle(entry, new TransportFailure({ reason: "The server ended the subscription.", retryable: true }))
      }
      return undefined
    },
    fail: (reason) => {
      lost = reason
      for (const entry of pending.values()) settle(entry, reason())
    },
    size: () => pending.size
  }
}

// The request may have been executed: whatever the status, it is no refusal of the request.
const notResumed = ({ head }: Unanswered): TransportFailure =>
  new TransportFailure({
    reason: `The stream was cut before the answer, and the server answered ${head.status} when it was to go on.`,
    status: head.status,
    retryable: true
  })

const withProgress = (params: Params | undefined, token: Id): Params => {
  const meta = params?.["_meta"]
  return {
    ...params,
    _meta: { ...(Messages.isObject(meta) ? meta : undefined), [Envelope.MetaKey.ProgressToken]: token }
  }
}

const most = { resumptions: 100, failures: 5 } as const
