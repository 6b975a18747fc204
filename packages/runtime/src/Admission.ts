// A server's door: whoever calls is answered as core's machine says, and what it admits is handed to the owner's handler.
// This file is the port that carriers use. It reads and writes no bytes.
//
// Over HTTP, for each request:
//   1. `head({ method, headers })`, before the body is read: an Answer to write as it is, or undefined to go on.
//   2. Read the body, at most `limits.bodyBytes`: more is `overflow()`, bytes that are no UTF-8 are `unreadable()`, and
//      one that takes too long is `stalled()`.
//   3. `http({ method, headers, body, principal }, reply)`. It writes through `reply` and returns undefined where all is
//      written, or an InFlight: tell it `gone()` if the client leaves before the response is complete.
// With a session store in memory no fiber is started before the handler's own.
//
// On a pipe: `pipe(outlet)`, then `receive` each Line of core's Lines.reader (limit: `limits.lineBytes`), `end` at the end of
// input, `abandon` when the output breaks. `done` is when to close the output.
import { AdmissionError } from "@parley/core/Errors"
import { parse } from "@parley/core/Message"
import type { Answer } from "@parley/core/server/Answer"
import { refused } from "@parley/core/server/Answer"
import { notUtf8 } from "@parley/core/server/BodyRungs"
import type { Compiled } from "@parley/core/server/Compiled"
import { compile } from "@parley/core/server/Compiled"
import { tooSlow } from "@parley/core/server/Grounds"
import type { Head } from "@parley/core/server/HeadRungs"
import * as Http from "@parley/core/server/Http"
import type { Profile } from "@parley/core/server/Profile"
import { problems } from "@parley/core/server/Profile"
import type { Refusal } from "@parley/core/server/Refusal"
import { toReason } from "@parley/core/server/Refusal"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Outlet, Reply } from "./admission/Exchange.ts"
import type { Handler, Listener, NotificationHandler } from "./Handler.ts"
import type { Host } from "./admission/Host.ts"
import type { InboundHttp, InFlight } from "./admission/HttpCall.ts"
import * as HttpCall from "./admission/HttpCall.ts"
import * as LiveSessions from "./admission/LiveSessions.ts"
import { counting, logFailure, tracing } from "./ObserveServer.ts"
import type { PipeConnection, PipeOptions } from "./admission/PipeCall.ts"
import * as PipeCall from "./admission/PipeCall.ts"
import * as SessionAccess from "./admission/SessionAccess.ts"
import { memory, SessionStore } from "./SessionStore.ts"

export type { Events, Outlet, Reply } from "./admission/Exchange.ts"
export type { InboundHttp, InFlight } from "./admission/HttpCall.ts"
export type { PipeConnection, PipeOptions } from "./admission/PipeCall.ts"

/** A server that admits. */
export interface Admission {
  readonly compiled: Compiled
  /** Judges a request by its method and headers. Returns the answer of a refusal; undefined lets it pass. */
  readonly head: (head: Head) => Answer | undefined
  /** Returns the answer to a body that is larger than the profile allows. */
  readonly overflow: () => Answer
  /** Returns the answer to a body whose bytes are no UTF-8. */
  readonly unreadable: () => Answer
  /** Returns the answer to a body that was not complete after so many milliseconds. */
  readonly stalled: (waitedMillis: number) => Answer
  /** Admits an HTTP request, its head too, and answers it through `reply`. Returns undefined where it is answered already. */
  readonly http: (request: InboundHttp, reply: Reply) => InFlight | undefined
  /**
   * Judges a request that somebody else's handler would serve, openings included. Returns the answer of a refusal; undefined
   * hands the request on. Use a profile with `sessions: "none"` where that handler keeps sessions of its own.
   */
  readonly gate: (request: InboundHttp) => Answer | undefined
  /** Serves one pipe. */
  readonly pipe: (outlet: Outlet, options?: PipeOptions) => PipeConnection
  /**
   * Interrupts and answers whatever is being served, and refuses what comes then, as the end of its scope does. A carrier
   * that ends first calls it, so that its streams end with their closing result.
   */
  readonly stop: Effect.Effect<void>
}

/** What a server's owner may add to a profile and a handler. */
export interface Options<R = never> {
  /** What the server says by itself. Without it a legacy session has no GET stream, and a subscription only waits. */
  readonly listener?: Listener<unknown, R> | undefined
  /** Hears notifications of clients, but for `notifications/initialized` and `notifications/cancelled`. */
  readonly onNotification?: NotificationHandler<unknown, R> | undefined
  /** Told of every refusal and of every session or pipe that a deadline ended, as `ObserveServer.logRefusal` does. */
  readonly onRefused?: ((error: AdmissionError) => Effect.Effect<unknown, never, R>) | undefined
  /** Told of every failure of the owner's programs of which no client is told. Default: a log line at the level Error. */
  readonly onFailed?: ((method: string, cause: Cause.Cause<unknown>) => Effect.Effect<unknown, never, R>) | undefined
}

/**
 * Makes a server of a profile and a handler. Everything that the handler needs is taken from here; sessions are kept in the
 * SessionStore if there is one, else in a memory of its own. When the scope closes, whatever is being served is interrupted
 * and answered, subscriptions by their closing result. What is wrong with the profile is logged as a warning.
 */
export const make = <E, R, R2 = never>(
  profile: Profile,
  handler: Handler<E, R>,
  options?: Options<R2>
): Effect.Effect<Admission, never, R | R2 | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R | R2>()
    const store = Option.getOrElse(yield* Effect.serviceOption(SessionStore), () => memory())
    const clock = yield* Clock.Clock
    yield* Effect.forEach(problems(profile), (problem) => Effect.logWarning(problem), { discard: true })
    const offered: Profile = options?.listener === undefined ? { ...profile, streams: "none" } : profile
    const host = hostOf(compile(offered), handler, options, context, clock)
    const sessions = LiveSessions.make(host, SessionAccess.make(store, clock, host.fork))
    yield* Effect.addFinalizer(() => stop(host))
    return admissionOf(host, sessions)
  })

const admissionOf = (host: Closeable, sessions: LiveSessions.LiveSessions): Admission => {
  const { compiled } = host
  const answer = (refusal: Refusal): Answer => {
    host.refused(refusal)
    return refused(compiled, refusal)
  }
  return {
    compiled,
    head: (head) => {
      const refusal = Http.head(compiled, head)
      return refusal === undefined ? undefined : answer(refusal)
    },
    overflow: () => answer(Http.overflow(compiled)),
    unreadable: () => answer(notUtf8),
    stalled: (waitedMillis) => answer(tooSlow(waitedMillis)),
    http: (request, reply) => HttpCall.admit(host, sessions, request, reply),
    gate: (request) => {
      const { body, method, parsed } = request
      const sent = parsed ?? (method === "POST" ? parse(body ?? "") : undefined)
      const refusal = Http.gate(compiled, request, sent)
      return refusal === undefined ? undefined : answer(refusal)
    },
    pipe: (outlet, options) => PipeCall.open(host, outlet, options),
    stop: stop(host)
  }
}

const hostOf = <E, R, R2>(
  compiled: Compiled,
  handler: Handler<E, R>,
  options: Options<R2> | undefined,
  context: Context.Context<R | R2>,
  clock: Clock.Clock
): Closeable => {
  const run = Effect.runForkWith(context)
  // The owner's programs need R and R2, and whoever has a Host runs them by its fork alone, which gives them the context.
  const fork = run as Host["fork"]
  const count = counting(context)
  const { onFailed, onRefused, onNotification, listener } = options ?? {}
  const host: Closeable = {
    compiled,
    closing: false,
    isClosing: () => host.closing,
    // As above: what they need, fork gives.
    handler: handler as Host["handler"],
    listener: listener as Host["listener"],
    onNotification: onNotification as Host["onNotification"],
    clock,
    fork,
    observed: tracing(context),
    running: new Set(),
    hearing: { count: 0 },
    refused: (refusal) => {
      count(refusal.problem._tag, "none")
      if (onRefused !== undefined) run(onRefused(new AdmissionError({ reason: toReason(refusal.problem) })))
    },
    failed: (method, cause) => {
      run(onFailed === undefined ? logFailure(method, cause) : onFailed(method, cause))
    },
    admitted: (era) => count("admitted", era)
  }
  return host
}

// Interrupts whatever is being served, and waits until it is answered.
const stop = (host: Closeable): Effect.Effect<void> =>
  Effect.suspend(() => {
    host.closing = true
    const fibers = [...host.running].flatMap((running) => {
      running.stop()
      const fiber = running.fiber()
      return fiber === undefined ? [] : [fiber]
    })
    return Effect.asVoid(Fiber.awaitAll(fibers))
  })

interface Closeable extends Host {
  closing: boolean
}
