// Interruption at any moment leaves no channel, fiber or timer. The moments are the operations of the fibers themselves,
// so that none is between two that were tried.
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import * as Medium from "@parley/core/Medium"
import { notification, request } from "@parley/core/Message"
import * as Connection from "@parley/runtime/Connection"
import * as Negotiation from "@parley/runtime/Negotiation"
import { Effect, Exit, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"
import * as Steps from "./support/Steps.ts"

const { client } = Peer
const modern = "2026-07-28"

const scripts: { readonly [name: string]: Parameters<typeof Peer.table>[0] } = {
  "a legacy server": {
    initialize: Peer.initialize(undefined, { sessionId: "s" }),
    "notifications/initialized": Peer.accept
  },
  "a modern server": {
    initialize: (turn) => turn.error(-32022, { supported: [modern] }),
    "server/discover": Peer.discover()
  },
  "a server to hold": {
    initialize: Peer.initialize(modern, { sessionId: "s" }),
    "server/discover": (turn) => turn.error(-32601),
    "notifications/initialized": Peer.accept
  },
  "a server of no shared revision": {
    initialize: Peer.initialize("1999-01-01", { sessionId: "s" }),
    DELETE: Peer.accept
  },
  "a silent server": {},
  "a server that ends": {
    initialize: (turn) => turn.emit({ _tag: "Closed", exitCode: 1, stderr: "" }),
    "server/discover": (turn) => turn.emit({ _tag: "Closed", exitCode: 1, stderr: "" })
  },
  "a talkative server": {
    initialize: (turn) =>
      turn
        .say(request("a", "ping"))
        .pipe(
          Effect.andThen(turn.say(notification("notifications/message"))),
          Effect.andThen(turn.say(request("b", "roots/list"))),
          Effect.andThen(Peer.initialize()(turn))
        ),
    "server/discover": (turn) =>
      Effect.andThen(turn.say(request("c", "ping")), Effect.delay(turn.error(-32601), 12_000)),
    "notifications/initialized": (turn) => Effect.delay(Peer.accept(turn), 50)
  }
}

const policies: ReadonlyArray<Policy.Policy> = [
  ...Object.values(Policy.presets),
  Policy.pinned(modern),
  Policy.pinned("2025-06-18")
]

/** Runs it whole, then interrupted at about `moments` of its steps; returns how many runs were interrupted. */
const atEveryStep = (
  make: () => { readonly peer: Peer.Peer; readonly effect: Effect.Effect<unknown, unknown> },
  moments: number
) =>
  Effect.gen(function* () {
    const check = (
      { peer, left }: { readonly peer: Peer.Peer; readonly left: Steps.Left<unknown, unknown> },
      at: number
    ) =>
      expect({ at, open: peer.seen.opened - peer.seen.closed, fibers: left.fibers, timers: left.timers }).toEqual({
        at,
        open: 0,
        fibers: 0,
        timers: 0
      })
    const whole = make()
    const { steps, ...left } = yield* Steps.run(whole.effect)
    check({ peer: whole.peer, left: { steps, ...left } }, 0)
    let interrupted = 0
    for (let at = 1; at <= steps; at += Math.max(1, Math.floor(steps / moments))) {
      const one = make()
      const run = yield* Steps.run(one.effect, at)
      check({ peer: one.peer, left: run }, at)
      if (Exit.hasInterrupts(run.exit)) interrupted += 1
    }
    return interrupted
  })

describe("a negotiation interrupted at any step leaves nothing", () => {
  for (const medium of [Medium.stdio, Medium.http]) {
    it.effect.each(Object.entries(scripts))(`${medium.name}: with %s, under every policy`, ([, answers]) =>
      Effect.gen(function* () {
        for (const policy of policies) {
          const interrupted = yield* atEveryStep(() => {
            const peer = Peer.make(medium, Peer.table(answers), { onOpen: () => Effect.sleep(20) })
            return { peer, effect: Effect.scoped(Negotiation.negotiate({ transport: peer.transport, client, policy })) }
          }, 25)
          expect(interrupted).toBeGreaterThan(policy.versions.length === 0 ? 0 : 15)
        }
      })
    )
  }

  it.effect("at every single step of a hold over HTTP", () =>
    Effect.gen(function* () {
      const interrupted = yield* atEveryStep(() => {
        const peer = Peer.make(Medium.http, Peer.table({ ...scripts["a server to hold"], DELETE: Peer.accept }))
        return { peer, effect: Effect.scoped(Negotiation.negotiate({ transport: peer.transport, client })) }
      }, Infinity)
      expect(interrupted).toBeGreaterThan(100)
    })
  )

  it.effect("at every single step of a reopening", () =>
    Effect.gen(function* () {
      const interrupted = yield* atEveryStep(() => {
        const peer = Peer.make(
          Medium.stdio,
          Peer.table({ ...scripts["a server that ends"], initialize: Peer.initialize() }),
          { onOpen: () => Effect.sleep(20) }
        )
        const effect = Negotiation.negotiate({ transport: peer.transport, client, policy: Policy.discoverFirst })
        return { peer, effect: Effect.scoped(effect) }
      }, Infinity)
      expect(interrupted).toBeGreaterThan(100)
    })
  )
})

const served: Parameters<typeof Peer.table>[0] = {
  ...scripts["a legacy server"],
  "server/discover": (turn) => turn.error(-32601),
  GET: (turn) => Effect.andThen(turn.say(notification("notifications/message")), turn.cut()),
  DELETE: Peer.accept,
  "notifications/roots/list_changed": Peer.accept,
  "notifications/cancelled": Peer.accept,
  result: Peer.accept,
  error: Peer.accept,
  "tools/list": (turn) =>
    Effect.andThen(turn.say(request("ask", "roots/list")), Effect.delay(turn.result({ tools: [] }), 100)),
  "tools/call": (turn) =>
    turn.params["name"] === "cut" ? turn.cut({ lastEventId: "1", retryMillis: 500 }) : Effect.void
}

describe("a connection interrupted at any step leaves nothing", () => {
  for (const medium of [Medium.stdio, Medium.http]) {
    it.effect(`${medium.name}: from connecting to closing`, () =>
      Effect.gen(function* () {
        const interrupted = yield* atEveryStep(() => {
          const peer = Peer.make(medium, Peer.table(served))
          const effect = Effect.gen(function* () {
            const connection = yield* Connection.connect({
              transport: peer.transport,
              client,
              onRequest: () => Effect.as(Effect.sleep(10), { roots: [] })
            })
            yield* connection.incoming
            yield* Effect.all([connection.request("tools/list"), connection.request("tools/list")], {
              concurrency: "unbounded"
            })
            yield* connection.notify("notifications/roots/list_changed")
            yield* Effect.ignore(connection.request("tools/call", { name: "slow" }, { millis: 1000 }))
            yield* Effect.ignore(connection.request("tools/call", { name: "cut" }, { millis: 3000 }))
            yield* connection.close
          })
          return { peer, effect: Effect.scoped(effect) }
        }, 250)
        expect(interrupted).toBeGreaterThan(100)
      })
    )
  }

  it.effect("a request interrupted at any step leaves its connection in order, and cancels what was sent, once", () =>
    Effect.gen(function* () {
      for (const medium of [Medium.stdio, Medium.http]) {
        const peer = Peer.make(medium, Peer.table(served))
        const counts = yield* Steps.census
        const connection = yield* Effect.provideContext(
          Connection.connect({ transport: peer.transport, client }),
          counts.context
        )
        let cancelled = 0
        for (let at = 1; at < 400; at++) {
          const first = counts.steps()
          const fiber = yield* Effect.forkChild(
            Effect.provideContext(connection.request("tools/call", { name: "slow" }), counts.context)
          )
          counts.onStep = Steps.interruptsAt(fiber, first + at)
          yield* TestClock.adjust(1)
          const done = counts.steps() < first + at
          counts.onStep = () => false
          yield* Fiber.interrupt(fiber)
          const sent = peer.posts("tools/call").length
          cancelled = peer.posts("notifications/cancelled").length
          expect(cancelled).toBeLessThanOrEqual(sent)
          // Interrupted at rest, it had been sent, and was cancelled.
          if (done) {
            expect(peer.posts("notifications/cancelled").at(-1)?.message).toMatchObject({
              params: { requestId: peer.posts("tools/call").at(-1)?.exchange }
            })
            break
          }
        }
        expect(cancelled).toBeGreaterThan(1)
        yield* TestClock.adjust("1 second")
        const resting = counts.fibers()
        yield* connection.notify("notifications/roots/list_changed")
        expect(counts.fibers()).toBe(resting)
        yield* connection.close
        expect({ fibers: counts.fibers(), timers: counts.timers() }).toEqual({ fibers: 0, timers: 0 })
        const queue = yield* connection.incoming
        expect(Exit.isFailure(yield* Effect.exit(Queue.take(queue)))).toBe(true)
      }
    })
  )
})
