// What a negotiation tells the outside: its span, its metrics, its log line.
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import { TransportFailure } from "@parley/core/Errors"
import * as Medium from "@parley/core/Medium"
import * as Negotiation from "@parley/runtime/Negotiation"
import * as Observe from "@parley/runtime/Observe"
import { Effect, Exit, Fiber, Logger, Metric, References, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"

const legacy = { initialize: Peer.initialize(), "notifications/initialized": Peer.accept }
const modernOnly: Parameters<typeof Peer.table>[0] = {
  initialize: (turn) => Effect.delay(turn.error(-32022, { supported: ["2026-07-28"] }, { status: 400 }), 40),
  "server/discover": (turn) => Effect.delay(Peer.discover()(turn), 60)
}

/** What a run told. */
const observed = <A, E>(effect: Effect.Effect<A, E>, drive: (fiber: Fiber.Fiber<A, E>) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const lines: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
    const fiber = yield* Effect.forkChild(
      effect.pipe(
        Effect.withTracer(tracer),
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(References.MinimumLogLevel, "Debug"),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
    )
    yield* drive(fiber)
    return { exit: yield* Fiber.await(fiber), spans, lines }
  })

/** Negotiates, then reads the counters by the labels that matter. */
const negotiating = (peer: Peer.Peer, policy: Policy.Policy = Policy.auto) =>
  Negotiation.negotiate({ transport: peer.transport, client: Peer.client, policy }).pipe(Effect.scoped, Effect.exit)

const counters = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(
    all.flatMap(({ attributes, id, state }) => {
      const count = "count" in state ? Number(state.count) : 0
      const labels = Object.entries(attributes ?? {}).map(([key, value]) => `${key}=${value}`)
      return [[`${id}{${labels.toSorted().join(",")}}`, count] as const]
    })
  )
)

const after = (millis: number) => () => TestClock.adjust(millis)

describe("the span", () => {
  it.effect("is one for a negotiation, with an event for each step at its time", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, Peer.table(modernOnly))
      const { spans } = yield* observed(negotiating(peer), () =>
        Effect.andThen(TestClock.adjust(40), TestClock.adjust(60))
      )
      expect(spans.map((span) => [span.name, span.kind])).toEqual([["parley.negotiate", "client"]])
      const [span] = spans
      expect(Object.fromEntries(span?.attributes ?? [])).toEqual({
        "parley.target": "link",
        "parley.policy": "auto",
        "parley.medium": "http",
        "parley.outcome": "agreed",
        "mcp.protocol.version": "2026-07-28"
      })
      expect(
        span?.events.map(([name, nanos, attributes]) => [name, Number(nanos) / 1e6, attributes?.["parley.move"]])
      ).toEqual([
        ["Idle -> Initializing", 0, "initialize"],
        ["Initializing -> Discovering", 40, "discoverAt"],
        ["Discovering -> Settled", 100, "settle"]
      ])
      expect(span?.events[1]?.[2]).toMatchObject({
        "parley.evidence": "Corrected 2026-07-28",
        "parley.because": expect.stringContaining("versioning")
      })
      expect(span?.status).toMatchObject({ _tag: "Ended", endTime: 100_000_000n })
    })
  )

  it.effect("of a failure holds the error's tag and ends with the error", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, Peer.table({ initialize: (turn) => turn.status(401) }))
      const { spans } = yield* observed(
        Effect.scoped(Negotiation.negotiate({ transport: peer.transport, client: Peer.client })),
        after(1)
      )
      expect(spans[0]?.attributes.get("parley.outcome")).toBe("Unauthorized")
      expect(spans[0]?.events.map(([name]) => name)).toEqual(["Idle -> Initializing", "Initializing -> Failed"])
      expect(spans[0]?.status).toMatchObject({ _tag: "Ended", exit: { _tag: "Failure" } })
    })
  )
})

describe("the metrics", () => {
  it.effect("count negotiations by outcome, era, policy and medium, how long they took, and their moves", () =>
    Effect.gen(function* () {
      const good = Peer.make(Medium.http, Peer.table(legacy))
      const bad = Peer.make(Medium.http, Peer.table({ initialize: (turn) => turn.status(503) }))
      const run = negotiating(good).pipe(
        Effect.andThen(negotiating(good)),
        Effect.andThen(negotiating(bad, Policy.handshakeOnly)),
        Effect.andThen(counters)
      )
      const { exit } = yield* observed(run, after(1))
      expect(exit).toEqual(
        Exit.succeed({
          "parley_negotiations_total{era=legacy,medium=http,outcome=agreed,policy=auto}": 2,
          "parley_negotiations_total{era=none,medium=http,outcome=Busy,policy=handshakeOnly}": 1,
          "parley_negotiation_duration_millis{medium=http,outcome=agreed}": 2,
          "parley_negotiation_duration_millis{medium=http,outcome=Busy}": 1,
          "parley_negotiation_moves_total{move=initialize,policy=auto,state=Idle}": 2,
          "parley_negotiation_moves_total{move=settle,policy=auto,state=Initializing}": 2,
          "parley_negotiation_moves_total{move=initialize,policy=handshakeOnly,state=Idle}": 1,
          "parley_negotiation_moves_total{move=fail,policy=handshakeOnly,state=Initializing}": 1
        })
      )
    })
  )

  it.effect("tell an interruption from a defect", () =>
    Effect.gen(function* () {
      const outcomes = (behave: (turn: Peer.Turn) => Effect.Effect<void>, interrupts: boolean) =>
        Effect.gen(function* () {
          const peer = Peer.make(Medium.stdio, behave)
          const broken = {
            ...peer.transport,
            open: Effect.map(peer.transport.open, (channel) => ({ ...channel, send: () => Effect.die("broken") }))
          }
          const transport = interrupts ? peer.transport : broken
          const run = Effect.gen(function* () {
            const inner = yield* Effect.forkChild(
              Effect.exit(Effect.scoped(Negotiation.negotiate({ transport, client: Peer.client })))
            )
            yield* Effect.sleep(10)
            yield* Fiber.interrupt(inner)
            return yield* counters
          })
          const { exit } = yield* observed(run, after(10))
          return Object.keys(Exit.isSuccess(exit) ? exit.value : {}).filter((key) => key.includes("_total"))
        })
      const total = (outcome: string) => [
        `parley_negotiations_total{era=none,medium=stdio,outcome=${outcome},policy=auto}`
      ]
      expect(yield* outcomes(() => Effect.void, true)).toEqual(total("interrupted"))
      expect(yield* outcomes(() => Effect.void, false)).toEqual(total("defect"))
    })
  )

  it.effect("have the durations in milliseconds", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, Peer.table(modernOnly))
      const labels = { outcome: "agreed", medium: "http" }
      const run = Effect.andThen(negotiating(peer), Metric.value(Metric.withAttributes(Observe.durations, labels)))
      const { exit } = yield* observed(run, () => Effect.andThen(TestClock.adjust(40), TestClock.adjust(60)))
      expect(exit).toMatchObject({ value: { count: 1, sum: 100, min: 100, max: 100 } })
    })
  )
})

describe("the log", () => {
  it.effect("has one line for a negotiation that a person can read", () =>
    Effect.gen(function* () {
      const good = yield* observed(negotiating(Peer.make(Medium.http, Peer.table(legacy))), after(1))
      expect(good.lines).toEqual(["Debug Agreed on 2025-11-25 (legacy) with link under auto in 0 ms"])
      const refused = Peer.make(
        Medium.http,
        Peer.table({ initialize: (turn) => turn.status(401, { challenge: "Bearer" }) })
      )
      const bad = yield* observed(negotiating(refused), after(1))
      expect(bad.lines).toEqual([
        expect.stringMatching(
          /^Debug No agreement with link under auto after 0 ms: The server answered 401 and asks for Bearer/
        )
      ])
    })
  )

  it.effect("keeps what a peer wrote on one line, and short", () =>
    Effect.gen(function* () {
      const reason = new TransportFailure({
        reason: "It could not start.",
        stderr: `${"line\n".repeat(1000)}\u001b[31mred`,
        head: "x".repeat(5000),
        retryable: false
      })
      const peer = Peer.make(Medium.stdio, () => Effect.void, { onOpen: () => Effect.fail(reason) })
      const { lines } = yield* observed(negotiating(peer), after(1))
      expect(lines.length).toBe(1)
      expect(lines[0]?.length).toBeLessThan(1200)
      // oxlint-disable-next-line no-control-regex
      expect(lines[0]).not.toMatch(/[\u0000-\u001f]/)
    })
  )

  it.effect(
    "and the span hold no credential: what a transport calls its target is all that is said of the address",
    () =>
      Effect.gen(function* () {
        const peer = Peer.make(
          Medium.http,
          Peer.table({ ...legacy, initialize: Peer.initialize(undefined, { sessionId: "secret-session" }) })
        )
        const { lines, spans } = yield* observed(negotiating(peer), after(1))
        const told = JSON.stringify([
          lines,
          spans.map((span) => [...span.attributes, span.events.map(([name, , rest]) => [name, rest])])
        ])
        expect(told).toContain("link")
        expect(told).not.toContain("secret-session")
      })
  )
})
