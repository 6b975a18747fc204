// What a memory of eras saves, when it is believed, and what happens when it was wrong.
import { describe, expect, it } from "@effect/vitest"
import * as Medium from "@parley/core/Medium"
import * as Policy from "@parley/core/client/Policy"
import * as Connection from "@parley/runtime/Connection"
import * as EraMemory from "@parley/runtime/EraMemory"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const key = { target: "link", principal: "" }
const modern = (ttlMs: number, at = 0): EraMemory.Verdict => ({
  era: "modern",
  version: "2026-07-28",
  at,
  result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs }
})
const legacy: EraMemory.Verdict = { era: "legacy", version: "2025-11-25", at: 0, probed: true }

const discoverFor =
  (ttlMs: number, extra = {}) =>
  (turn: Peer.Turn) =>
    turn.result({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ttlMs,
      ...extra
    })

const opened = (peer: Peer.Peer, memory: EraMemory.Shape, policy = Policy.discoverFirst, principal?: string) =>
  Effect.scoped(EraMemory.negotiate({ transport: peer.transport, client: Peer.client, policy, memory, principal }))

describe("a fresh modern memory", () => {
  it.effect.each([Medium.stdio, Medium.http])(
    "connects without an exchange over %o, and the first request works",
    (medium) =>
      Effect.gen(function* () {
        const memory = EraMemory.memory()
        const peer = Peer.make(
          medium,
          Peer.table({ "server/discover": discoverFor(60_000), "tools/list": (turn) => turn.result({ tools: [] }) })
        )
        yield* opened(peer, memory)
        expect(peer.words()).toEqual(["server/discover"])
        const connection = yield* Connection.connect({ transport: peer.transport, client: Peer.client, memory })
        expect(peer.words()).toEqual(["server/discover"])
        expect(connection.agreement).toMatchObject({
          era: "modern",
          version: "2026-07-28",
          capabilities: { tools: {} }
        })
        expect(connection.agreement.trace).toEqual([
          expect.objectContaining({ event: "Remembered", because: expect.stringContaining("60000 ms") })
        ])
        yield* connection.request("tools/list")
        expect(peer.words()).toEqual(["server/discover", "tools/list"])
      })
  )

  it.effect("is stale when its ttlMs has passed: one server/discover, and it is fresh again", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const peer = Peer.make(Medium.http, Peer.table({ "server/discover": discoverFor(1000) }))
      yield* opened(peer, memory)
      yield* TestClock.adjust(999)
      yield* opened(peer, memory)
      expect(peer.words().length).toBe(1)
      yield* TestClock.adjust(1)
      // The handshake comes first under this policy, where nothing is remembered.
      yield* opened(peer, memory, Policy.auto)
      yield* opened(peer, memory, Policy.auto)
      expect(peer.words()).toEqual(["server/discover", "server/discover"])
    })
  )

  it.effect("fails as an outage where the transport does not open in time, and stays", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember(key, modern(600_000))
      const peer = Peer.make(Medium.http, () => Effect.void, { onOpen: () => Effect.never })
      const fiber = yield* Effect.forkChild(Effect.flip(opened(peer, memory)))
      yield* TestClock.adjust("60 seconds")
      const { reason } = yield* Fiber.join(fiber)
      expect(reason).toMatchObject({ _tag: "TransportFailure", retryable: true })
      expect(peer.seen.closed).toBe(peer.seen.opened)
      expect(yield* memory.lookup(key)).toEqual(modern(600_000))
    })
  )

  it.effect("is never another principal's, public or not", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const peer = Peer.make(
        Medium.http,
        Peer.table({ "server/discover": discoverFor(60_000, { cacheScope: "public" }) })
      )
      yield* opened(peer, memory, Policy.discoverFirst, "ann")
      yield* opened(peer, memory, Policy.discoverFirst, "bob")
      expect(peer.words().length).toBe(2)
      yield* opened(peer, memory, Policy.discoverFirst, "bob")
      expect(peer.words().length).toBe(2)
    })
  )

  it.effect("is not used by a policy or a client that cannot live in its era", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const peer = Served.peer(Served.legacyHttp, {})
      for (const policy of [Policy.handshakeOnly, Policy.pinned("2025-06-18")]) {
        yield* memory.remember(key, modern(60_000))
        yield* opened(peer, memory, policy)
      }
      yield* memory.remember(key, modern(60_000))
      yield* Effect.scoped(
        EraMemory.negotiate({ transport: { ...peer.transport, eras: ["legacy"] }, client: Peer.client, memory })
      )
      expect(peer.words().filter((word) => word === "initialize").length).toBe(3)
      expect(peer.words()).not.toContain("server/discover")
      // Nor does a handshake that nobody probed before unsay it.
      expect(yield* memory.lookup(key)).toEqual(modern(60_000))
    })
  )

  it.effect("keeps no DiscoverResult of more than 65,536 characters, and none without a ttlMs", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      for (const answer of [
        discoverFor(60_000, { instructions: "x".repeat(65_536) }),
        discoverFor(0),
        discoverFor(-1)
      ]) {
        yield* opened(Peer.make(Medium.http, Peer.table({ "server/discover": answer })), memory)
        expect(yield* memory.lookup(key)).toEqual({ era: "modern", version: "2026-07-28", at: 0 })
      }
    })
  )

  it.effect("is believed for a day at most, and not at all when it comes from the future", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const peer = Peer.make(Medium.http, Peer.table({ "server/discover": discoverFor(1) }))
      yield* memory.remember(key, modern(1e300, 60_001))
      yield* opened(peer, memory)
      expect(peer.words().length).toBe(1)
      yield* memory.remember(key, modern(1e300))
      yield* TestClock.adjust("1 day")
      yield* opened(peer, memory)
      expect(peer.words().length).toBe(2)
    })
  )
})

describe("a modern memory that turns out wrong", () => {
  const once = (refuse: (turn: Peer.Turn) => Effect.Effect<void>) => {
    const peer = Served.peer(Served.legacyHttp, {
      "server/discover": (turn) => turn.error(-32601),
      "tools/call": (turn) =>
        turn.outgoing.headers["mcp-session-id"] === undefined ? refuse(turn) : turn.result({ did: 1 })
    })
    return Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember(key, modern(60_000))
      const connection = yield* Connection.connect({ transport: peer.transport, client: Peer.client, memory })
      const exit = yield* Effect.exit(connection.request("tools/call", { name: "pay" }))
      return { peer, exit, connection, verdict: yield* memory.lookup(key), calls: peer.posts("tools/call").length }
    })
  }

  it.effect.each([
    ["-32022", (turn: Peer.Turn) => turn.error(-32022, { supported: ["2025-11-25"] }, { status: 400 })],
    ["-32601", (turn: Peer.Turn) => turn.error(-32601)],
    ["-32600", (turn: Peer.Turn) => turn.error(-32600, undefined, { status: 400 })],
    ["-32000 in a 400", (turn: Peer.Turn) => turn.error(-32000, undefined, { status: 400 })],
    ["400 without JSON-RPC", (turn: Peer.Turn) => turn.status(400)]
  ] as const)(
    "is dropped at a %s to the first request, which is sent once more to what was agreed on then",
    ([, refuse]) =>
      Effect.gen(function* () {
        const { calls, connection, exit, verdict } = yield* once(refuse)
        expect(exit).toEqual(Exit.succeed({ did: 1 }))
        expect(calls).toBe(2)
        expect(connection.agreement.era).toBe("legacy")
        expect(verdict).toMatchObject({ era: "legacy" })
      })
  )

  it.effect.each([
    ["a cut", (turn: Peer.Turn) => turn.cut()],
    ["a 500", (turn: Peer.Turn) => turn.status(500)],
    ["a -32000 in a 200", (turn: Peer.Turn) => turn.error(-32000)],
    ["a 503", (turn: Peer.Turn) => turn.status(503)],
    ["a 401", (turn: Peer.Turn) => turn.status(401)]
  ] as const)("is not shown by %s: the request may have been executed, and is not sent again", ([, refuse]) =>
    Effect.gen(function* () {
      const { calls, exit, verdict } = yield* once(refuse)
      expect(Exit.isFailure(exit)).toBe(true)
      expect(calls).toBe(1)
      expect(verdict).toMatchObject({ era: "modern" })
    })
  )

  it.effect("does not send a request again to the same revision: an unknown method stays unknown", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember(key, modern(60_000))
      const peer = Peer.make(
        Medium.http,
        Peer.table({ "server/discover": discoverFor(60_000), "tools/call": (turn) => turn.error(-32601) })
      )
      const connection = yield* Connection.connect({
        transport: peer.transport,
        client: Peer.client,
        policy: Policy.discoverFirst,
        memory
      })
      const errors = yield* Effect.all(
        [1, 2].map(() => Effect.flip(connection.request("tools/call"))),
        { concurrency: 2 }
      )
      expect(errors.map(({ reason }) => reason._tag)).toEqual(["MethodNotFound", "MethodNotFound"])
      expect(peer.words()).toEqual(["tools/call", "tools/call", "server/discover"])
      expect(peer.seen.opened).toBe(2)
    })
  )

  it.effect("is dropped by a refused server/discover, and one negotiation in full follows", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember(key, modern(0))
      const peer = Served.peer(Served.legacyHttp, { "server/discover": (turn) => turn.error(-32601) })
      const { agreement } = yield* opened(peer, memory, Policy.auto)
      expect(agreement.era).toBe("legacy")
      expect(agreement.trace.map(({ move }) => move)).toContain("forget")
      expect(peer.words()).toEqual(["server/discover", "initialize", "notifications/initialized"])
      expect(yield* memory.lookup(key)).toMatchObject({ era: "legacy", probed: true })
    })
  )

  it.effect.each([
    ["an outage", (turn: Peer.Turn) => turn.status(502)],
    ["a busy server", (turn: Peer.Turn) => turn.status(429)],
    ["a 401", (turn: Peer.Turn) => turn.status(401)],
    ["a cut", (turn: Peer.Turn) => turn.cut()]
  ] as const)("is not shown by %s: the memory stays and nothing else is sent", ([, answer]) =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember(key, modern(0))
      const peer = Peer.make(Medium.http, Peer.table({ "server/discover": answer }))
      yield* Effect.flip(opened(peer, memory, Policy.auto))
      expect(peer.words()).toEqual(["server/discover"])
      expect(yield* memory.lookup(key)).toEqual(modern(0))
    })
  )

  it.effect("is dropped by a silent probe on a pipe, and not over HTTP", () =>
    Effect.gen(function* () {
      for (const place of [Served.legacyStdio, Served.legacyHttp]) {
        const memory = EraMemory.memory()
        yield* memory.remember(key, modern(0))
        const peer = Served.peer(place, {})
        const fiber = yield* Effect.forkChild(Effect.exit(opened(peer, memory, Policy.discoverFirst)))
        yield* TestClock.adjust("10 seconds")
        yield* TestClock.adjust("20 seconds")
        const exit = yield* Fiber.join(fiber)
        expect(Exit.isSuccess(exit)).toBe(place === Served.legacyStdio)
        expect((yield* memory.lookup(key))?.era).toBe(place === Served.legacyStdio ? "legacy" : "modern")
      }
    })
  )
})

describe("a legacy memory", () => {
  it.effect("skips the probe for a day; then the server is probed again", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const peer = Served.peer(Served.legacyHttp, { "server/discover": (turn) => turn.error(-32601) })
      const handshake = ["initialize", "notifications/initialized"]
      yield* opened(peer, memory)
      expect(peer.words()).toEqual(["server/discover", ...handshake])
      yield* TestClock.adjust(86_399_999)
      yield* opened(peer, memory)
      yield* opened(peer, memory, Policy.auto)
      yield* opened(peer, memory)
      expect(peer.words()).toEqual(["server/discover", ...handshake, ...handshake, ...handshake, ...handshake])
      yield* TestClock.adjust(1)
      yield* opened(peer, memory)
      expect(peer.words().slice(9)).toEqual(["server/discover", ...handshake])
    })
  )

  it.effect("of a server that became modern is dropped, and the modern one remembered", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember(key, legacy)
      const peer = Peer.make(
        Medium.http,
        Peer.table({
          initialize: (turn) => turn.error(-32022, { supported: ["2026-07-28"] }, { status: 400 }),
          "server/discover": discoverFor(60_000)
        })
      )
      const { agreement } = yield* opened(peer, memory)
      expect(agreement.era).toBe("modern")
      expect(peer.words()).toEqual(["initialize", "server/discover"])
      expect(yield* memory.lookup(key)).toMatchObject({ era: "modern" })
    })
  )

  it.effect("that nobody probed for skips nothing: the server may be both", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const peer = Served.peer(Served.legacyHttp, { "server/discover": discoverFor(60_000) })
      yield* opened(peer, memory, Policy.auto)
      expect(yield* memory.lookup(key)).toMatchObject({ era: "legacy", probed: false })
      expect((yield* opened(peer, memory)).agreement.era).toBe("modern")
    })
  )
})

describe("many openings of one server at once", () => {
  const crowd = (peer: Peer.Peer, memory: EraMemory.Shape) =>
    Effect.all(
      Array.from({ length: 50 }, () => Effect.exit(opened(peer, memory))),
      { concurrency: "unbounded" }
    )

  it.effect("are one negotiation: the others wait for its verdict and use it", () =>
    Effect.gen(function* () {
      const peer = Peer.make(
        Medium.http,
        Peer.table({ "server/discover": (turn) => Effect.delay(discoverFor(60_000)(turn), 100) })
      )
      const fiber = yield* Effect.forkChild(crowd(peer, EraMemory.memory()))
      yield* TestClock.adjust(100)
      const exits = yield* Fiber.join(fiber)
      expect(exits.every(Exit.isSuccess)).toBe(true)
      expect(peer.words()).toEqual(["server/discover"])
    })
  )

  it.effect("do not wait where each needs a handshake of its own", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember(key, legacy)
      const peer = Served.peer(Served.legacyHttp, {
        initialize: (turn) => Effect.delay(Peer.initialize()(turn), 100)
      })
      for (const policy of [Policy.auto, Policy.discoverFirst]) {
        const all = Effect.all(
          Array.from({ length: 10 }, () => opened(peer, memory, policy)),
          { concurrency: "unbounded" }
        )
        const fiber = yield* Effect.forkChild(all)
        yield* TestClock.adjust(100)
        expect((yield* Fiber.join(fiber)).length).toBe(10)
      }
      expect(peer.words()).not.toContain("server/discover")
    })
  )

  it.effect("do not fail with the one that went first", () =>
    Effect.gen(function* () {
      let asked = 0
      const peer = Peer.make(
        Medium.http,
        Peer.table({
          "server/discover": (turn) =>
            Effect.suspend(() => ((asked += 1) === 1 ? Effect.delay(turn.status(503), 100) : discoverFor(60_000)(turn)))
        })
      )
      const fiber = yield* Effect.forkChild(crowd(peer, EraMemory.memory()))
      yield* TestClock.adjust(100)
      const exits = yield* Fiber.join(fiber)
      expect(exits.filter(Exit.isFailure).length).toBe(1)
    })
  )

  it.effect("go on when the one that went first is interrupted", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      let asked = 0
      const peer = Peer.make(
        Medium.http,
        Peer.table({
          "server/discover": (turn) => Effect.suspend(() => ((asked += 1) === 1 ? Effect.never : discoverFor(1)(turn)))
        })
      )
      const first = yield* Effect.forkChild(opened(peer, memory), { startImmediately: true })
      const second = yield* Effect.forkChild(opened(peer, memory), { startImmediately: true })
      yield* Fiber.interrupt(first)
      expect((yield* Fiber.join(second)).agreement.era).toBe("modern")
    })
  )
})

describe("a memory of this process", () => {
  it.effect("keeps so many, and forgets what was not used for longest", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory({ capacity: 2 })
      const named = (target: string) => ({ target, principal: "" })
      yield* memory.remember(named("a"), legacy)
      yield* memory.remember(named("b"), legacy)
      yield* memory.lookup(named("a"))
      yield* memory.remember(named("c"), legacy)
      const left = yield* Effect.forEach(["a", "b", "c"], (target) => memory.lookup(named(target)))
      expect(left.map((one) => one !== undefined)).toEqual([true, false, true])
    })
  )

  it.effect("never takes one key for another", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      yield* memory.remember({ target: "a", principal: "1:b" }, legacy)
      expect(yield* memory.lookup({ target: "a1:", principal: "b" })).toBeUndefined()
      expect(yield* memory.lookup({ target: "a1:b", principal: "" })).toBeUndefined()
    })
  )
})
