// Parley's Transport over a Transport of the official SDK: its sends, messages, errors and close become events, and once
// the opening is over the same transport is handed on. Who sits at the other end of the hand-over is not known here.
import type { Event } from "@parley/core/client/Event"
import type { Outgoing, Post } from "@parley/core/client/Outgoing"
import { HeaderName } from "@parley/core/Envelope"
import { TransportFailure } from "@parley/core/Errors"
import type { Medium } from "@parley/core/Medium"
import type { JsonObject } from "@parley/core/Message"
import { head, isRequest, Method } from "@parley/core/Message"
import type { Era } from "@parley/core/Version"
import type { Channel, Transport } from "@parley/runtime/Transport"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as SdkExchanges from "./SdkExchanges.ts"
import * as SdkFailure from "./SdkFailure.ts"
import { type Carrier, carrierOf, mediumOf, type SdkTransport, type SendOptions, type Source } from "./SdkTransport.ts"

/** What a port may be told. */
export interface Options {
  /** Who is meant, for spans and logs: without credentials. Default: what carries the messages. */
  readonly target?: string | undefined
  /** What carries the messages, where the transport does not show it: a user's own HTTP transport. */
  readonly carrier?: Carrier | undefined
}

/** The one user of a transport's callbacks. */
export interface Receiver {
  readonly onMessage: (message: unknown, extra: unknown) => void
  readonly onError: (error: Error) => void
  readonly onClose: () => void
}

/** A transport that was opened and can be handed on. */
export interface Opened {
  readonly inner: SdkTransport
  /** The latest result that answered `initialize`, as it came. */
  readonly initialized: () => JsonObject | undefined
  /** The error of the transport's own authorization, if that is what ended an exchange. */
  readonly authorization: () => unknown
  /** Gives everything that comes from now on to a receiver, after what came before and was not answered. */
  readonly handOver: (receiver: Receiver, backlog: ReadonlyArray<Event>) => void
}

export interface Port {
  readonly carrier: Carrier
  /** The transport that the first opening uses. */
  readonly first: SdkTransport
  readonly transport: (eras: ReadonlyArray<Era>) => Transport
  /** What was opened last, while there is one. */
  readonly opened: () => Opened | undefined
  /** Starts the first transport for a receiver without negotiating anything. */
  readonly bypass: (receiver: Receiver) => Promise<void>
}

/**
 * Returns the port of an SDK transport. A factory is called at once for the first opening, and for every later one; a
 * transport by itself opens once. Its callbacks are taken over while it is open; those that it had before are called
 * first and come back when it closes.
 */
export const make = (source: Source, options: Options = {}): Port => {
  const first = typeof source === "function" ? source() : source
  const carrier = options.carrier ?? carrierOf(first)
  const target = options.target ?? `SDK transport (${carrier})`
  const medium = mediumOf(carrier, typeof source === "function" ? "available" : "unavailable")
  let isTaken = false
  let latest: Opened | undefined

  const next = (): SdkTransport | undefined => {
    if (isTaken) return typeof source === "function" ? source() : undefined
    isTaken = true
    return first
  }

  const open = Effect.gen(function* (): Effect.fn.Return<Channel, TransportFailure, Scope.Scope> {
    const inner = yield* Effect.try({ try: next, catch: (error) => cannotStart(target, error) })
    if (inner === undefined) return yield* usedUp
    const events = yield* Queue.dropping<Event, Cause.Done>(mostUnread)
    const { channel, opened } = channelOf(inner, carrier, medium, target, events)
    yield* Effect.addFinalizer(() => channel.close)
    yield* Effect.tryPromise({ try: () => inner.start(), catch: (error) => cannotStart(target, error) })
    latest = opened
    return channel
  })

  return {
    carrier,
    first,
    transport: (eras) => ({ medium, eras, target, open }),
    opened: () => latest,
    bypass: (receiver) => {
      isTaken = true
      attach(first, () => receiver)
      return first.start()
    }
  }
}

const channelOf = (
  inner: SdkTransport,
  carrier: Carrier,
  medium: Medium,
  target: string,
  events: Queue.Queue<Event, Cause.Done>
): { readonly channel: Channel; readonly opened: Opened } => {
  const exchanges = SdkExchanges.make(inner, carrier, medium)
  let authorization: unknown
  let isClosed = false
  let isHandedOver = false

  const tell = (event: Event | undefined): void => {
    if (event !== undefined) Queue.offerUnsafe(events, event)
  }

  const own: Receiver = {
    onMessage: (message, extra) => tell(exchanges.arrived(message, extra)),
    onError: (error) => tell(exchanges.failed(error, target)),
    onClose: () => tell({ _tag: "Closed", stderr: "" })
  }
  let receiver = own
  const detach = attach(inner, () => receiver)

  const post = (outgoing: Post): void => {
    const { exchange, headers, message } = outgoing
    const version = headers[HeaderName.ProtocolVersion]
    // A probe says its own revision: the transport's is the negotiated one.
    if (version !== undefined && !("method" in message && message.method === Method.Discover)) {
      inner.setProtocolVersion?.(version)
    }
    const options: SendOptions | undefined = isRequest(message) ? exchanges.begin(exchange, message, tell) : undefined
    sent(inner, message, options).then(
      () => tell(exchanges.accepted(exchange)),
      (error: unknown) => {
        const failure = SdkFailure.read(error)
        if (failure._tag === "Unauthorized") authorization = error
        exchanges.end(exchange)
        tell(SdkFailure.eventOf(exchange, target, failure))
      }
    )
  }

  // The transport forgets a session only when its end was accepted, so this is waited for: what follows must not carry it.
  const terminate = Effect.promise(async () => {
    try {
      await inner.terminateSession?.()
    } catch {
      // A session that cannot be ended is left to its server.
    }
  })

  const send = (outgoing: Outgoing): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isClosed) return Effect.void
      switch (outgoing._tag) {
        case "Post":
          // 2.x takes the session off an `initialize` by itself. 1.x keeps one even from a refusal.
          return isInitialize(outgoing) && inner.sessionId !== undefined && inner.hasPerRequestStream !== true
            ? Effect.andThen(
                terminate,
                Effect.sync(() => post(outgoing))
              )
            : Effect.sync(() => post(outgoing))
        case "Delete": {
          const { exchange, headers } = outgoing
          const ended: Event = { _tag: "Unanswered", exchange, head: { status: 200 }, body: "", problem: "accepted" }
          const done = Effect.sync(() => tell(ended))
          return inner.sessionId === headers[HeaderName.SessionId] ? Effect.andThen(terminate, done) : done
        }
        case "Listen":
          // The SDK's transports open and resume their streams themselves.
          return Effect.void
      }
    })

  const close = Effect.suspend(() => {
    if (isClosed) return Effect.void
    isClosed = true
    Queue.endUnsafe(events)
    return Effect.promise(async () => {
      try {
        await inner.close()
      } catch {
        // It is gone either way.
      }
      detach()
    }).pipe(Effect.timeoutOption(closeMillis), Effect.asVoid)
  })

  const handOver: Opened["handOver"] = (to, backlog) => {
    if (isHandedOver) return
    isHandedOver = true
    receiver = {
      ...to,
      onMessage: (message, extra) => {
        if (!exchanges.isLate(message)) to.onMessage(message, extra)
      }
    }
    const untold = [...backlog]
    for (let event = Queue.takeUnsafe(events); event !== undefined; event = Queue.takeUnsafe(events)) {
      if (Exit.isFailure(event)) break
      untold.push(event.value)
    }
    for (const event of untold) {
      if (event._tag === "Arrived") receiver.onMessage(event.message, exchanges.extraOf(event.message))
      else if (event._tag === "Closed") to.onClose()
    }
  }

  return {
    channel: { send, events, close, abandon: (exchange) => Effect.sync(() => exchanges.abandon(exchange)) },
    opened: { inner, initialized: exchanges.initialized, authorization: () => authorization, handOver }
  }
}

// A user's `send` may throw before it returns its promise.
const sent = async (inner: SdkTransport, message: unknown, options: SendOptions | undefined): Promise<void> =>
  inner.send(message, options)

const isInitialize = ({ message }: Post): boolean => "method" in message && message.method === Method.Initialize

// Takes the callbacks of a transport over, and returns how to give them back.
const attach = (inner: SdkTransport, receiver: () => Receiver): (() => void) => {
  const { onclose, onerror, onmessage } = inner
  Object.assign(inner, {
    onclose: () => {
      onclose?.()
      receiver().onClose()
    },
    onerror: (error: Error) => {
      onerror?.(error)
      receiver().onError(error)
    },
    onmessage: (message: unknown, extra?: unknown) => {
      onmessage?.(message, extra)
      receiver().onMessage(message, extra)
    }
  })
  return () => {
    Object.assign(inner, { onclose, onerror, onmessage })
  }
}

const cannotStart = (target: string, error: unknown): TransportFailure => {
  const failure = SdkFailure.read(error)
  const words = SdkFailure.wordsOf(target, error)
  return new TransportFailure({
    reason: failure._tag === "Refused" ? `${target} was answered ${failure.status}.` : words,
    retryable: !/\((?:ENOENT|EACCES|ENOTDIR|ENOEXEC)\)/.test(words),
    ...(failure._tag === "Refused" ? { status: failure.status, head: head(failure.body, 200) } : undefined),
    cause: error
  })
}

const usedUp = new TransportFailure({
  reason:
    "The SDK transport was opened before. Give a function that makes a fresh one, so that it can be opened again.",
  retryable: false
})

const mostUnread = 1024
// The SDK's own stdio transports wait 2 s for the process, then 2 s after SIGTERM.
const closeMillis = 10_000
