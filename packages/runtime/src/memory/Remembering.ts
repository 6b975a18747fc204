// A negotiation that begins from what is remembered: with no exchange at all, with the one opening that is known to work,
// or in full. A memory that turns out wrong is dropped, and the whole negotiation runs once more.
import * as Agreement from "@parley/core/Agreement"
import * as Client from "@parley/core/client/Client"
import * as Policy from "@parley/core/client/Policy"
import type { Settled } from "@parley/core/client/State"
import { NegotiationError } from "@parley/core/Errors"
import type { TraceEntry } from "@parley/core/Machine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Negotiation from "../Negotiation.ts"
import * as Observe from "../Observe.ts"
import * as ObserveConnection from "../ObserveConnection.ts"
import { refutes } from "./Disproof.ts"
import { type Key, type Shape, textOf } from "./Memory.ts"
import * as Opening from "./Opening.ts"
import * as Verdict from "./Verdict.ts"

/** What a negotiation with a memory is given. */
export interface Options extends Negotiation.Options {
  readonly memory: Shape
  /** On whose behalf; see `EraMemory.Key`. Default "". */
  readonly principal?: string | undefined
}

/** What it gives. */
export interface Remembered extends Negotiation.Negotiated {
  /** True where the server was asked nothing: the first request is what shows whether the memory was right. */
  readonly isUnproven: boolean
}

/**
 * Negotiates as `Negotiation.negotiate` does, from what is remembered of the server, and remembers what comes of it. While one
 * negotiation with a server is under way for a principal, others wait for its verdict (at most as long as one exchange of
 * their policy) and use it; where it fails they negotiate by themselves. Fails as `Negotiation.negotiate` does, never for
 * the sake of the memory.
 */
export const negotiate = (options: Options): Effect.Effect<Remembered, NegotiationError, Scope.Scope> => {
  const { memory, transport } = options
  const policy = Policy.narrow(options.policy ?? Policy.auto, transport.eras, options.lacking)
  const given: Given = { ...options, policy, key: { target: transport.target, principal: options.principal ?? "" } }
  return Effect.withFiber(({ context }) =>
    Effect.flatMap(memory.lookup(given.key), (verdict) => {
      const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
      const use = Verdict.use(verdict, policy, now, memory.legacyMillis)
      counted(use, verdict, context)
      if (use._tag === "Fresh") return unasked(given, use)
      // Whoever knows the legacy era needs a handshake of its own: there is nothing to wait for.
      const shakesHands = use._tag === "Shortcut" || policy.open === "initialize"
      const knowing = { ...given, known: verdict }
      return verdict?.era === "legacy" && shakesHands ? through(knowing, use) : alone(knowing, use)
    })
  )
}

const counted = (use: Verdict.Use, verdict: Verdict.Verdict | undefined, context: Context.Context<never>): void => {
  const what = use._tag === "Fresh" ? "hit" : use._tag === "Shortcut" ? "shortened" : use.why
  ObserveConnection.remembered(what, verdict?.era, context)
}

interface Given extends Options {
  readonly policy: Policy.Policy
  readonly key: Key
  readonly known?: Verdict.Verdict | undefined
}

type Negotiating = Effect.Effect<Remembered, NegotiationError, Scope.Scope>

// Nothing is asked: the server's own word is still fresh.
const unasked = (given: Given, use: Extract<Verdict.Use, { readonly _tag: "Fresh" }>): Negotiating => {
  const { client, policy, transport } = given
  const because = `the server's own word is fresh for ${use.leftMillis} ms more; nothing is asked`
  const trace: ReadonlyArray<TraceEntry> = [entry("Remembered", `modern ${use.version}`, "settle", because, "Settled")]
  const settled: Settled = {
    _tag: "Settled",
    version: use.version,
    named: use.version,
    offered: use.version,
    method: "server/discover",
    result: use.result,
    sessionId: undefined,
    strays: []
  }
  return Observe.negotiation(subjectOf(given), (span) =>
    Effect.clockWith((clock) => {
      for (const one of trace) Observe.step(span, one, clock.currentTimeNanosUnsafe())
      return Effect.map(Opening.open(transport, policy.budgets.negotiationMillis, trace), (channel) => ({
        agreement: Agreement.fromSettled(settled, client, [], trace),
        channel,
        backlog: [],
        nextExchange: Client.firstFreeExchange,
        isUnproven: true
      }))
    })
  )
}

// By the one opening that is known to work; where it is refused the memory was wrong.
const shortly = Effect.fnUntraced(function* (
  given: Given,
  policy: Policy.Policy
): Effect.fn.Return<Remembered, NegotiationError, Scope.Scope> {
  const clock = yield* Clock.Clock
  const begun = clock.monotonicTimeNanosUnsafe()
  const attempt = yield* Effect.result(Negotiation.negotiate({ ...given, policy }))
  if (attempt._tag === "Success") return yield* kept(given, attempt.success)
  const { reason, trace } = attempt.failure
  if (!refutes(reason, given.transport.medium)) return yield* attempt.failure
  yield* given.memory.forget(given.key)
  ObserveConnection.remembered("dropped", policy.requires, yield* Effect.context<never>())
  const earlier = [...trace, entry("Refused", reason._tag, "forget", "the memory of this server was wrong", "Idle")]
  const spent = Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e6
  const left = Math.max(1, given.policy.budgets.negotiationMillis - spent)
  const rest = Policy.withBudgets(given.policy, { negotiationMillis: left })
  return yield* fully({ ...given, policy: rest, known: undefined }, earlier)
})

const fully = (given: Given, earlier: ReadonlyArray<TraceEntry> = []): Negotiating =>
  Negotiation.negotiate(given).pipe(
    Effect.mapError((error) =>
      earlier.length === 0 ? error : new NegotiationError({ reason: error.reason, trace: [...earlier, ...error.trace] })
    ),
    Effect.flatMap((negotiated) => {
      const { agreement } = negotiated
      return earlier.length === 0
        ? kept(given, negotiated)
        : kept(given, { ...negotiated, agreement: { ...agreement, trace: [...earlier, ...agreement.trace] } })
    })
  )

// A handshake that nobody probed before says less than what is known of a server that was, and does not make it younger.
const kept = ({ key, known, memory }: Given, negotiated: Negotiation.Negotiated): Effect.Effect<Remembered> =>
  Effect.clockWith((clock) => {
    const now = clock.currentTimeMillisUnsafe()
    const verdict = Verdict.fromAgreement(negotiated.agreement, now)
    const result: Remembered = { ...negotiated, isUnproven: false }
    return verdict === undefined || Verdict.saysMore(known, verdict, now, memory.legacyMillis)
      ? Effect.succeed(result)
      : Effect.as(memory.remember(key, verdict), result)
  })

// One negotiation at a time for a key of a memory; who waited goes on by what it found, and waits no second time.
const alone = (given: Given, use: Verdict.Use): Negotiating =>
  Effect.suspend(() => {
    const { key, memory, policy } = given
    const under = flightsOf(memory)
    const text = textOf(key)
    const leading = under.get(text)
    if (leading !== undefined) {
      return Effect.timeoutOption(Deferred.await(leading), policy.budgets.exchangeMillis).pipe(
        Effect.andThen(memory.lookup(key)),
        Effect.tap((verdict) =>
          Effect.withFiber(({ context }) => {
            ObserveConnection.remembered("shared", verdict?.era, context)
            return Effect.void
          })
        ),
        Effect.flatMap((verdict) =>
          Effect.clockWith((clock) => {
            const now = Verdict.use(verdict, policy, clock.currentTimeMillisUnsafe(), memory.legacyMillis)
            return now._tag === "Fresh" ? unasked(given, now) : through({ ...given, known: verdict }, now)
          })
        )
      )
    }
    const flight = Deferred.makeUnsafe<void>()
    under.set(text, flight)
    return Effect.onExit(through(given, use), () =>
      Effect.sync(() => {
        under.delete(text)
        Deferred.doneUnsafe(flight, Exit.void)
      })
    )
  })

const through = (given: Given, use: Verdict.Use): Negotiating =>
  use._tag === "Shortcut" ? shortly(given, use.policy) : fully(given)

const flightsOf = (memory: Shape): Map<string, Deferred.Deferred<void>> => {
  const known = flights.get(memory)
  if (known !== undefined) return known
  const fresh = new Map<string, Deferred.Deferred<void>>()
  flights.set(memory, fresh)
  return fresh
}

const flights = new WeakMap<Shape, Map<string, Deferred.Deferred<void>>>()

const subjectOf = ({ policy, transport }: Given): Observe.Subject => ({
  target: transport.target,
  policy: policy.name,
  medium: transport.medium.name
})

const entry = (event: string, evidence: string, move: string, because: string, next: string): TraceEntry => ({
  state: "Idle",
  event,
  evidence,
  move,
  because,
  next
})
