import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import { TransportFailure } from "@parley/core/Errors"
import * as Medium from "@parley/core/Medium"
import { notification, request } from "@parley/core/Message"
import * as Negotiation from "@parley/runtime/Negotiation"
import { Effect, Fiber, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"

const { client } = Peer
const media = [Medium.stdio, Medium.http]
const modern = "2026-07-28"
const legacy = "2025-11-25"

const negotiate = (peer: Peer.Peer, policy?: Policy.Policy) =>
  Negotiation.negotiate({ transport: peer.transport, client, policy })

/** What a policy does with a server, and what it ends with. */
interface Journey {
  readonly title: string
  readonly policy: Policy.Policy
  readonly answers: Parameters<typeof Peer.table>[0]
  readonly words: ReadonlyArray<string>
  /** The revision agreed on, or the tag of the error's reason. */
  readonly ends: string
}

const handshake = { initialize: Peer.initialize(), "notifications/initialized": Peer.accept }
const handshakeWords = ["initialize", "notifications/initialized"]
const modernOnly = {
  initialize: (turn: Peer.Turn) => turn.error(-32022, { supported: [modern] }, { status: 400 }),
  "server/discover": Peer.discover()
}
const namesModern = {
  initialize: Peer.initialize(modern),
  "notifications/initialized": Peer.accept,
  "server/discover": (turn: Peer.Turn) => turn.error(-32601)
}

const journeys: ReadonlyArray<Journey> = [
  {
    title: "auto settles with a legacy server",
    policy: Policy.auto,
    answers: handshake,
    words: handshakeWords,
    ends: legacy
  },
  {
    title: "auto discovers a modern-only server",
    policy: Policy.auto,
    answers: modernOnly,
    words: ["initialize", "server/discover"],
    ends: modern
  },
  {
    title: "auto holds a handshake that names a modern revision",
    policy: Policy.auto,
    answers: namesModern,
    words: ["initialize", "server/discover", "initialize", "notifications/initialized"],
    ends: legacy
  },
  {
    title: "hermes falls forward on -32601",
    policy: Policy.hermes,
    answers: { initialize: (turn) => turn.error(-32601), "server/discover": Peer.discover() },
    words: ["initialize", "server/discover"],
    ends: modern
  },
  {
    title: "hermes fails on -32602",
    policy: Policy.hermes,
    answers: { initialize: (turn) => turn.error(-32602) },
    words: ["initialize"],
    ends: "InitializeRejected"
  },
  {
    title: "discoverFirst settles with a modern server",
    policy: Policy.discoverFirst,
    answers: { "server/discover": Peer.discover() },
    words: ["server/discover"],
    ends: modern
  },
  {
    title: "discoverFirst falls back to a legacy server",
    policy: Policy.discoverFirst,
    answers: { ...handshake, "server/discover": (turn) => turn.error(-32601) },
    words: ["server/discover", ...handshakeWords],
    ends: legacy
  },
  {
    title: "discoverFirst never initializes after a list that shares nothing",
    policy: Policy.discoverFirst,
    answers: { "server/discover": (turn) => turn.error(-32022, { supported: ["2030-01-01"] }) },
    words: ["server/discover"],
    ends: "UnsupportedProtocolVersion"
  },
  {
    title: "stateless tries one handshake whatever the probe met",
    policy: Policy.stateless,
    answers: { ...handshake, "server/discover": (turn) => turn.error(-32022, { supported: ["2030-01-01"] }) },
    words: ["server/discover", ...handshakeWords],
    ends: legacy
  },
  {
    title: "handshakeOnly never probes",
    policy: Policy.handshakeOnly,
    answers: modernOnly,
    words: ["initialize"],
    ends: "UnsupportedProtocolVersion"
  },
  {
    title: "pinned to a modern revision discovers alone",
    policy: Policy.pinned(modern),
    answers: { "server/discover": (turn) => turn.error(-32601) },
    words: ["server/discover"],
    ends: "UnsupportedProtocolVersion"
  },
  {
    title: "pinned to a legacy revision initializes alone",
    policy: Policy.pinned("2025-03-26"),
    answers: handshake,
    words: handshakeWords,
    ends: "2025-03-26"
  }
]

describe("negotiate", () => {
  for (const medium of media) {
    it.effect.each(journeys.map((journey) => [journey.title, journey] as const))(
      `${medium.name}: %s`,
      ([, { answers, ends, policy, words }]) =>
        Effect.gen(function* () {
          const peer = Peer.make(medium, Peer.table(answers))
          const end = yield* negotiate(peer, policy).pipe(
            Effect.match({
              onSuccess: ({ agreement }) => agreement.version,
              onFailure: (error) => error.reason._tag
            }),
            Effect.scoped
          )
          expect({ end, words: peer.words() }).toEqual({ end: ends, words })
          expect(peer.seen.closed).toBe(peer.seen.opened)
        })
    )
  }

  it.effect("leaves the channel open on success until the scope closes", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.stdio, Peer.table(handshake))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { channel } = yield* negotiate(peer)
          expect(peer.seen).toMatchObject({ opened: 1, closed: 0 })
          yield* channel.send({ _tag: "Post", exchange: 50, message: notification("still/here"), headers: {} })
        })
      )
      expect(peer.words()).toContain("still/here")
      expect(peer.seen.closed).toBe(1)
    })
  )

  it.effect("closes the channel at once on failure, while the scope is still open", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.stdio, Peer.table({ initialize: (turn) => turn.error(-32000) }))
      const error = yield* Effect.flip(negotiate(peer))
      expect(error.reason._tag).toBe("InitializeRejected")
      expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
    })
  )

  it.effect("closes the channel at once on interruption, while the scope is still open", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.http, () => Effect.void)
      const fiber = yield* Effect.forkChild(negotiate(peer))
      yield* TestClock.adjust(1)
      expect(peer.seen).toMatchObject({ opened: 1, closed: 0 })
      yield* Fiber.interrupt(fiber)
      expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
    })
  )

  it.effect("opens again with each retry, and leaves none of the channels open", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.stdio, (turn) =>
        turn.opening < 4 ? turn.emit({ _tag: "Closed", stderr: "" }) : Peer.table(handshake)(turn)
      )
      yield* Effect.scoped(Effect.retry(negotiate(peer), { times: 5 }))
      expect(peer.seen).toMatchObject({ opened: 4, closed: 4 })
    })
  )

  it.effect("says before a byte is sent that a policy cannot begin", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.stdio, Peer.table(handshake), { eras: ["legacy"] })
      const error = yield* Effect.flip(
        Negotiation.negotiate({
          transport: peer.transport,
          client,
          policy: Policy.pinned(modern),
          lacking: "This client is old; upgrade it."
        })
      )
      expect(error.reason._tag).toBe("PolicyForbids")
      expect(error.message).toContain("This client is old; upgrade it.")
      expect(peer.seen.opened).toBe(0)
    })
  )

  it.effect("keeps what an opening that failed knows of itself", () =>
    Effect.gen(function* () {
      const failure = new TransportFailure({ reason: "No such command.", retryable: false, exitCode: 127 })
      const peer = Peer.make(Medium.stdio, () => Effect.void, { onOpen: () => Effect.fail(failure) })
      const error = yield* Effect.flip(negotiate(peer))
      expect(error.reason).toBe(failure)
      expect(error.retryable).toBe(false)
      expect(error.trace.map((entry) => entry.next)).toEqual(["Initializing", "Failed"])
    })
  )

  it.effect("keeps every step with its time, on success and on failure", () =>
    Effect.gen(function* () {
      const slowly = (turn: Peer.Turn) => Effect.delay(turn.error(-32601), 250)
      const good = Peer.make(Medium.http, Peer.table({ initialize: slowly, "server/discover": Peer.discover() }))
      const settling = yield* Effect.forkChild(Effect.scoped(negotiate(good)))
      yield* TestClock.adjust(250)
      const { agreement } = yield* Fiber.join(settling)
      expect(agreement.trace.map(({ atMillis, next }) => [next, atMillis])).toEqual([
        ["Initializing", 0],
        ["Discovering", 250],
        ["Settled", 250]
      ])

      const bad = Peer.make(Medium.http, Peer.table({ initialize: slowly, "server/discover": slowly }))
      const failing = yield* Effect.forkChild(Effect.scoped(Effect.flip(negotiate(bad))))
      yield* TestClock.adjust(500)
      const error = yield* Fiber.join(failing)
      expect(error.trace.map(({ atMillis, next }) => [next, atMillis])).toEqual([
        ["Initializing", 0],
        ["Discovering", 250],
        ["Failed", 500]
      ])
    })
  )

  it.effect("deletes a session that is of no use, and waits for its end, not for long", () =>
    Effect.gen(function* () {
      for (const [answer, waits] of [
        [Peer.accept, 0],
        [() => Effect.void, 2000]
      ] as const) {
        const peer = Peer.make(
          Medium.http,
          Peer.table({ initialize: Peer.initialize("2024-01-01", { sessionId: "s1" }), DELETE: answer })
        )
        const failing = yield* Effect.forkChild(Effect.flip(negotiate(peer)))
        yield* TestClock.adjust(Math.max(0, waits - 1))
        expect(peer.seen.closed).toBe(waits === 0 ? 1 : 0)
        yield* TestClock.adjust(1)
        expect((yield* Fiber.join(failing)).reason._tag).toBe("UnsupportedProtocolVersion")
        expect(peer.seen.sent.at(-1)).toMatchObject({ _tag: "Delete", headers: { "mcp-session-id": "s1" } })
        expect(peer.seen.closed).toBe(1)
      }
    })
  )
})

describe("a session that is deleted on the way", () => {
  it.effect("is not waited for again at the end", () =>
    Effect.gen(function* () {
      let initializes = 0
      const peer = Peer.make(
        Medium.http,
        Peer.table({
          initialize: (turn) =>
            (initializes += 1) === 1 ? Peer.initialize(modern, { sessionId: "s1" })(turn) : turn.error(-32000),
          "server/discover": (turn) => turn.error(-32601),
          DELETE: Peer.accept
        })
      )
      const failing = yield* Effect.forkChild(Effect.flip(negotiate(peer)))
      yield* TestClock.adjust(1)
      expect(peer.words()).toEqual(["initialize", "server/discover", "DELETE", "initialize"])
      expect(failing.pollUnsafe()).toBeDefined()
    })
  )
})

describe("what arrives meanwhile", () => {
  const log = (text: string) => notification("notifications/message", { data: text })

  for (const medium of media) {
    it.effect(`${medium.name}: pings are answered, other requests refused, notifications kept in order`, () =>
      Effect.gen(function* () {
        const peer = Peer.make(
          medium,
          Peer.table({
            initialize: (turn) =>
              turn
                .say(log("one"))
                .pipe(
                  Effect.andThen(turn.say(request("p", "ping"))),
                  Effect.andThen(turn.say(log("two"))),
                  Effect.andThen(turn.say(request(9, "roots/list"))),
                  Effect.andThen(turn.say(log("three"))),
                  Effect.andThen(Peer.initialize()(turn))
                ),
            result: Peer.accept,
            error: Peer.accept,
            "notifications/initialized": (turn) =>
              turn
                .say(log("four"))
                .pipe(Effect.andThen(turn.say(request("late", "ping"))), Effect.andThen(Peer.accept(turn)))
          })
        )
        const { backlog, channel, nextExchange } = yield* negotiate(peer)
        const sent = peer.seen.sent.flatMap((one) =>
          one._tag === "Post" && !("method" in one.message) ? [one.message] : []
        )
        expect(sent).toEqual([
          { jsonrpc: "2.0", id: "p", result: {} },
          { jsonrpc: "2.0", id: 9, error: { code: -32601, message: expect.any(String) } }
        ])
        const rest = yield* Queue.clear(channel.events)
        const messages = [...backlog, ...rest].flatMap((event) => (event._tag === "Arrived" ? [event.message] : []))
        expect(messages).toEqual([log("one"), log("two"), log("three"), log("four"), request("late", "ping")])
        expect(peer.seen.sent.every((one) => one.exchange < nextExchange)).toBe(true)
        expect(new Set(peer.seen.sent.map((one) => one.exchange)).size).toBe(peer.seen.sent.length)
      })
    )
  }

  it.effect("more than 64 messages out of turn end it, so that a flood holds nothing up", () =>
    Effect.gen(function* () {
      const peer = Peer.make(Medium.stdio, (turn) => Effect.forever(turn.say(log("again")), { disableYield: true }))
      const error = yield* Effect.flip(negotiate(peer))
      expect(error.reason).toMatchObject({ _tag: "MalformedInit", problem: "more than 64 messages came out of turn" })
      expect(error.trace.length).toBeLessThan(70)
      expect(peer.seen.closed).toBe(1)
    })
  )
})

describe("policyFromSetting", () => {
  it.effect("reads a setting, and logs a warning for one that it does not know", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      const read = (text: string) => Effect.provide(Negotiation.policyFromSetting(text), Logger.layer([logger]))
      expect((yield* read("legacy")).name).toBe("handshakeOnly")
      expect(lines).toEqual([])
      expect((yield* read("quic")).name).toBe("auto")
      expect(lines).toEqual([expect.stringMatching(/^Warn "quic" is no protocol setting; auto is used\./)])
    })
  )
})
