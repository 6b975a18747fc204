// The link that a connection uses, and how another takes its place: where a legacy session is gone, where the whole channel
// is lost, where what was remembered of the server is wrong. What is called on it is Connection's.
import type { NegotiationError, RequestReason, TransportFailure } from "@parley/core/Errors"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Answers from "./Answers.ts"
import type { Options } from "./ConnectionOptions.ts"
import type { Incoming } from "./Incoming.ts"
import * as Link from "./Link.ts"
import { disproves, makesDoubtful } from "./memory/Disproof.ts"
import * as Remembering from "./memory/Remembering.ts"
import * as Negotiation from "./Negotiation.ts"
import * as ObserveConnection from "./ObserveConnection.ts"
import type { Changing } from "./Readiness.ts"
import * as Reopening from "./Reopening.ts"

/** What it needs of its connection. */
export interface Given {
  readonly options: Options
  readonly scope: Scope.Scope
  readonly clock: Clock.Clock
  readonly context: Context.Context<never>
  readonly readiness: Changing
  readonly incoming: Incoming
}

export interface InUse {
  /** Opens the first link. */
  readonly begin: Effect.Effect<void, NegotiationError>
  /** The link in use. Not before {@link begin} has succeeded. */
  readonly link: () => Link.Link
  /** Sends on it, or on the one that takes its place. */
  readonly use: <A>(send: (link: Link.Link) => Effect.Effect<A, RequestReason>) => Effect.Effect<A, RequestReason>
  /** Opens the stream on which the server speaks by itself, on this link and on those that follow. */
  readonly listen: Effect.Effect<void>
  /** Deletes the session, closes every channel that is open, and opens no more. The connection's scope runs it. */
  readonly shut: Effect.Effect<void>
}

export const make = (given: Given): InUse => {
  const { clock, context, incoming, options, readiness, scope } = given
  const { medium } = options.transport
  const fork = Effect.runForkWith(context)
  let current: Opened | undefined
  // What is open: one, but for those that are replaced and still in use, and one that is opening.
  const opened = new Set<Opening>()
  // Until the first link is in use its loss is the negotiation's.
  let isInstalled = false
  let listens = false
  let closed = false

  const open = Effect.suspend(() => {
    const own: Opening = {
      scope: Scope.makeUnsafe(),
      users: 0,
      isReplaced: false,
      isUnproven: false,
      isForgotten: false,
      lost: undefined
    }
    opened.add(own)
    const hooks: Link.Hooks = {
      onNotification: (notification) => incoming.offer(notification),
      onRequest: options.onRequest ?? Answers.refuse,
      onLost: (reason) => {
        own.lost = reason
        if (isInstalled && current === own && !own.isReplaced && !closed) reopening.begin(reason())
      }
    }
    const { memory } = options
    const negotiating: Effect.Effect<Negotiation.Negotiated, NegotiationError> =
      memory === undefined
        ? Negotiation.within(own.scope, options)
        : Effect.map(Scope.provide(Remembering.negotiate({ ...options, memory }), own.scope), (remembered) => {
            own.isUnproven = remembered.isUnproven
            return remembered
          })
    return Effect.onExitPrimitive(
      Effect.flatMap(negotiating, (negotiated) => {
        const link = Link.make(negotiated, medium, hooks, { scope: own.scope, clock, fork })
        const linked = Object.assign(own, { link })
        const { warnings } = negotiated.agreement
        return warnings.length === 0 ? Effect.succeed(linked) : Effect.as(warn(warnings), linked)
      }),
      (exit) => (Exit.isSuccess(exit) ? undefined : close(own))
    )
  })

  const reopening = Reopening.make({
    schedule: options.reopen,
    readiness,
    context,
    scope,
    open: Effect.suspend(() => reopened(held())),
    onEnd: () => incoming.end()
  })

  const close = (own: Opening): Effect.Effect<void> => {
    opened.delete(own)
    return Scope.close(own.scope, Exit.void)
  }

  const closeAll = Effect.suspend(() => {
    const [first, ...others] = opened
    if (first === undefined) return Effect.void
    return others.length === 0 ? close(first) : Effect.forEach(opened, close, { discard: true })
  })

  const held = (): Opened => {
    if (current === undefined) throw new Error("a connection was used before it was open")
    return current
  }

  // From here on the loss of the channel is the connection's; it may have been lost already.
  const install = (fresh: Opened): void => {
    current = fresh
    isInstalled = true
    if (fresh.lost !== undefined) reopening.begin(fresh.lost())
    else if (readiness.current()._tag === "Opening") readiness.set({ _tag: "Ready" })
  }

  // One new negotiation however many requests found the session gone; whoever waited for it takes what it gave.
  let permit: Semaphore.Semaphore | undefined
  const alone = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    (permit ??= Semaphore.makeUnsafe(1)).withPermits(1)(effect)
  let failures = 0
  let lastFailure: NegotiationError | undefined
  const renewed = (
    stale: Opened,
    reason: RequestReason,
    cause: ObserveConnection.Loss
  ): Effect.Effect<Link.Link, RequestReason> =>
    Effect.suspend(() => {
      const seen = failures
      return alone(
        Effect.suspend((): Effect.Effect<Link.Link, RequestReason> => {
          if (current !== stale) return Effect.succeed(held().link)
          if (lastFailure !== undefined && failures !== seen) return Effect.fail(lastFailure)
          if (closed) return Effect.fail(reason)
          return replace(stale, cause)
        })
      )
    })

  const replace = (stale: Opened, cause: ObserveConnection.Loss): Effect.Effect<Link.Link, NegotiationError> =>
    Effect.uninterruptibleMask((restore) =>
      restore(open).pipe(
        Effect.onExit((exit) => Effect.sync(() => ObserveConnection.reopened(cause, exit, context))),
        Effect.tapError((error) =>
          Effect.sync(() => {
            failures += 1
            lastFailure = error
          })
        ),
        Effect.map((fresh) => {
          stale.isReplaced = true
          install(fresh)
          return fresh.link
        })
      )
    ).pipe(Effect.tap((link) => (listens ? link.listen : Effect.void)))

  // What is lost is closed before there is another: of a process nothing is left. A session that was found gone meanwhile
  // may have been replaced already.
  const reopened = (stale: Opened): Effect.Effect<void, NegotiationError> =>
    alone(
      Effect.suspend(() => {
        if (current !== stale || stale.lost === undefined || closed) return Effect.void
        const forgotten = stale.isUnproven ? forget(stale) : Effect.void
        const cause = ObserveConnection.lossOf(stale.lost())
        return Effect.andThen(Effect.andThen(close(stale), forgotten), replace(stale, cause))
      })
    )

  // transports, Session Management: a session that is gone is replaced, and what was refused for it is sent once more.
  const useNow = <A>(send: (link: Link.Link) => Effect.Effect<A, RequestReason>): Effect.Effect<A, RequestReason> =>
    Effect.suspend(() => {
      const own = held()
      let isIn = false
      const sending = Effect.suspend(() => {
        own.users += 1
        isIn = true
        const sent = own.isUnproven ? proving(own, send) : send(own.link)
        return Effect.catchTag(sent, "SessionUnknown", (reason) =>
          options.onLostSession === "fail" ? Effect.fail(reason) : Effect.flatMap(renewed(own, reason, "session"), send)
        )
      })
      return Effect.onExitPrimitive(sending, () => (isIn ? leave(own) : undefined))
    })

  // Whoever leaves a replaced channel last closes it.
  const leave = (own: Opening): Effect.Effect<void> | undefined => {
    own.users -= 1
    return own.isReplaced && own.users === 0 ? close(own) : undefined
  }

  // Nothing was asked when this link was opened: what is refused first may show that the memory was wrong.
  const proving = <A>(
    own: Opened,
    send: (link: Link.Link) => Effect.Effect<A, RequestReason>
  ): Effect.Effect<A, RequestReason> =>
    Effect.matchEffect(send(own.link), {
      onSuccess: (value) => {
        own.isUnproven = false
        return Effect.succeed(value)
      },
      onFailure: (reason) => {
        if (!own.isUnproven) return Effect.fail(reason)
        const asked = Effect.suspend(() => Effect.andThen(forget(own), renewed(own, reason, "memory")))
        if (disproves(reason, medium)) {
          return Effect.flatMap(asked, (link) =>
            link.agreement.version === own.link.agreement.version ? Effect.fail(reason) : send(link)
          )
        }
        return makesDoubtful(reason) ? Effect.andThen(Effect.ignore(asked), Effect.fail(reason)) : Effect.fail(reason)
      }
    })

  // Only the first to find out forgets: by the time of the second there may be a better memory.
  const forget = (own: Opened): Effect.Effect<void> => {
    if (options.memory === undefined || own.isForgotten) return Effect.void
    own.isForgotten = true
    ObserveConnection.remembered("dropped", own.link.agreement.era, context)
    return options.memory.forget({ target: options.transport.target, principal: options.principal ?? "" })
  }

  return {
    begin: Effect.matchEffect(open, {
      onFailure: (reason) => {
        readiness.set({ _tag: "Closed", reason })
        return Effect.fail(reason)
      },
      onSuccess: (first) => {
        install(first)
        return Effect.void
      }
    }),
    link: () => held().link,
    use: (send) =>
      Effect.suspend(() => {
        const wait = reopening.wait()
        return wait === undefined ? useNow(send) : Effect.andThen(wait, useNow(send))
      }),
    listen: Effect.suspend(() => {
      listens = true
      return held().link.listen
    }),
    shut: Effect.suspend(() => {
      closed = true
      reopening.stop()
      const farewell = current?.link.farewell(farewellMillis)
      return farewell === undefined ? closeAll : Effect.andThen(farewell, closeAll)
    })
  }
}

// How long the server may take to say that a session is deleted, in milliseconds.
const farewellMillis = 2000

/** A channel that is opened, and how many requests and notifications are under way on it. */
interface Opening {
  readonly scope: Scope.Closeable
  users: number
  isReplaced: boolean
  /** Whether the agreement came from memory and no request has shown yet that it holds. */
  isUnproven: boolean
  isForgotten: boolean
  /** Why the channel is lost, once it is. */
  lost: (() => TransportFailure) | undefined
}

type Opened = Opening & { readonly link: Link.Link }

const warn = (warnings: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
