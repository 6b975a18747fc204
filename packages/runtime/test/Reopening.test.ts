// A channel that is lost as a whole: what fails, what waits, how often it is opened again, and what the readiness shows.
import { describe, expect, it } from "@effect/vitest"
import * as Medium from "@parley/core/Medium"
import * as Policy from "@parley/core/client/Policy"
import * as Connection from "@parley/runtime/Connection"
import * as ConnectionState from "@parley/runtime/ConnectionState"
import * as EraMemory from "@parley/runtime/EraMemory"
import * as Readiness from "@parley/runtime/Readiness"
import { Effect, Exit, Fiber, Queue, Schedule, Scope, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const die = (turn: Peer.Turn) => turn.emit({ _tag: "Closed", exitCode: 7, stderr: "oh" })
const every = (millis: number, times: number) => Schedule.upTo(Schedule.spaced(millis), { times })

const states = (connection: Connection.Shape) => {
  const seen: Array<string> = [connection.readiness.current()._tag]
  connection.readiness.listen((state) =>
    seen.push(state._tag === "Reopening" ? `${state._tag} ${state.attempt}` : state._tag)
  )
  return seen
}

describe.each([Served.legacyStdio, Served.modernStdio])("a process that exits, $title", (place) => {
  it.effect("fails what is under way, retryably, and later requests wait for the next one", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(
        place,
        { crash: die, echo: (turn) => turn.result({ opening: turn.opening }) },
        { reopen: every(1000, 3) }
      )
      const seen = states(connection)
      const hanging = yield* Effect.forkChild(Effect.flip(connection.request("hang")), { startImmediately: true })
      const error = yield* Effect.flip(connection.request("crash"))
      for (const one of [error, yield* Fiber.join(hanging)]) {
        expect(one).toMatchObject({ retryable: true, reason: { _tag: "TransportFailure", exitCode: 7 } })
      }
      expect(yield* connection.request("echo")).toMatchObject({ opening: 2 })
      expect(peer.posts("hang").length).toBe(1)
      expect(peer.seen).toMatchObject({ opened: 2, closed: 1 })
      expect(seen).toEqual(["Ready", "Reopening 1", "Ready"])
    })
  )

  it.effect("does not send notifications again that were lost", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(
        place,
        { crash: die, ping: (turn) => turn.result({}) },
        { reopen: every(1, 3) }
      )
      yield* connection.notify("notifications/roots/list_changed")
      yield* Effect.flip(connection.request("crash"))
      yield* connection.request("ping")
      expect(peer.posts("notifications/roots/list_changed").length).toBe(1)
    })
  )

  it.effect("stays lost without a schedule", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, { crash: die })
      const seen = states(connection)
      yield* Effect.flip(connection.request("crash"))
      expect((yield* Effect.flip(connection.request("ping"))).reason._tag).toBe("TransportFailure")
      expect(peer.seen.opened).toBe(1)
      expect(seen).toEqual(["Ready", "Closed"])
      expect(connection.readiness.current()).toMatchObject({ reason: { exitCode: 7 } })
    })
  )
})

const mortal = (mayOpen: (opening: number) => boolean) =>
  Peer.make(
    Medium.stdio,
    Peer.table({
      "server/discover": (turn) =>
        mayOpen(turn.opening) ? Peer.discover()(turn) : turn.emit({ _tag: "Closed", exitCode: 1, stderr: "" }),
      crash: die,
      ping: (turn) => turn.result({ opening: turn.opening })
    })
  )

const connect = (peer: Peer.Peer, options: Partial<Connection.Options> = {}) =>
  Connection.connect({
    transport: peer.transport,
    client: Peer.client,
    policy: Policy.pinned("2026-07-28"),
    reopen: every(1000, 3),
    ...options
  })

describe("reopening", () => {
  it.effect("follows the schedule until it succeeds", () =>
    Effect.gen(function* () {
      const peer = mortal((opening) => opening === 1 || opening === 4)
      const connection = yield* connect(peer)
      yield* Effect.flip(connection.request("crash"))
      const waiting = yield* Effect.forkChild(connection.request("ping"), { startImmediately: true })
      yield* TestClock.adjust(1999)
      expect(peer.seen.opened).toBe(3)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(waiting)).toMatchObject({ opening: 4 })
    })
  )

  it.effect("ends with the schedule: whoever waits is told why, and the incoming queue ends", () =>
    Effect.gen(function* () {
      const peer = mortal((opening) => opening === 1)
      const connection = yield* connect(peer)
      const incoming = yield* connection.incoming
      yield* Effect.flip(connection.request("crash"))
      const waiting = yield* Effect.forkChild(Effect.flip(connection.request("ping")), { startImmediately: true })
      yield* TestClock.adjust(3000)
      expect((yield* Fiber.join(waiting)).reason._tag).toBe("NegotiationError")
      expect((yield* Effect.flip(connection.request("ping"))).reason._tag).toBe("NegotiationError")
      expect(yield* Effect.exit(Queue.take(incoming))).toSatisfy(Exit.isFailure)
      expect(peer.seen).toMatchObject({ opened: 5, closed: 5 })
      expect(connection.readiness.current()._tag).toBe("Closed")
    })
  )

  it.effect("is waited for no longer than a request may take", () =>
    Effect.gen(function* () {
      const connection = yield* connect(mortal((opening) => opening === 1))
      yield* Effect.flip(connection.request("crash"))
      const waiting = yield* Effect.forkChild(Effect.flip(connection.request("ping", {}, { millis: 500 })), {
        startImmediately: true
      })
      yield* TestClock.adjust(500)
      expect((yield* Fiber.join(waiting)).reason).toMatchObject({ _tag: "Timeout", phase: "request" })
    })
  )

  it.effect("of a server that dies again and again ends with the schedule, and begins anew after 10 s of life", () =>
    Effect.gen(function* () {
      let kill: Effect.Effect<void> = Effect.void
      const peer = Peer.make(
        Medium.stdio,
        Peer.table({
          "server/discover": (turn) => {
            kill = turn.emit({ _tag: "Closed", exitCode: 1, stderr: "" })
            return Peer.discover()(turn)
          },
          ping: (turn) => turn.result({})
        })
      )
      const connection = yield* connect(peer)
      const killed = Effect.gen(function* () {
        const { current } = connection.readiness
        const before = peer.seen.closed
        yield* kill
        while (peer.seen.closed === before && current()._tag === "Ready") yield* Effect.yieldNow
      })
      for (let round = 0; round < 6; round++) {
        yield* killed
        yield* connection.request("ping")
        yield* TestClock.adjust(10_000)
      }
      expect(peer.seen.opened).toBe(7)
      // Now too soon each time.
      for (let round = 0; round < 5; round++) {
        yield* killed
        yield* TestClock.adjust(1000)
      }
      expect(peer.seen.opened).toBe(11)
      expect(connection.readiness.current()._tag).toBe("Closed")
    })
  )

  it.effect("ends with the connection, and nobody hangs", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const peer = mortal((opening) => opening === 1)
      const connection = yield* Scope.provide(connect(peer), scope)
      yield* Effect.flip(connection.request("crash"))
      const waiting = yield* Effect.forkChild(Effect.flip(connection.request("ping")), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      expect((yield* Fiber.join(waiting)).reason._tag).toBe("TransportFailure")
      yield* TestClock.adjust("1 minute")
      expect(peer.seen.opened).toBe(peer.seen.closed)
    })
  )

  it.effect("does not trust a memory that no request has proved", () =>
    Effect.gen(function* () {
      const memory = EraMemory.memory()
      const result = { supportedVersions: ["2026-07-28"], capabilities: {}, ttlMs: 1e6 }
      yield* memory.remember({ target: "link", principal: "" }, { era: "modern", version: "2026-07-28", at: 0, result })
      // A legacy process that cannot bear a modern request.
      const peer = Served.peer(Served.legacyStdio, {
        "tools/list": (turn) => ("_meta" in turn.params ? die(turn) : turn.result({ tools: [] }))
      })
      const connection = yield* connect(peer, { memory, policy: Policy.auto })
      expect((yield* Effect.flip(connection.request("tools/list"))).retryable).toBe(true)
      yield* connection.request("tools/list")
      expect(connection.agreement.era).toBe("legacy")
    })
  )
})

describe("a readiness", () => {
  it.effect("shows the opening, and its failure", () =>
    Effect.gen(function* () {
      const readiness = Readiness.make()
      const peer = mortal(() => false)
      expect(readiness.current()._tag).toBe("Opening")
      yield* Effect.flip(Effect.scoped(connect(peer, { readiness })))
      expect(readiness.current()).toMatchObject({ _tag: "Closed", reason: { _tag: "NegotiationError" } })
    })
  )

  it.effect("is followed by a SubscriptionRef", () =>
    Effect.gen(function* () {
      const readiness = Readiness.make()
      const ref = yield* ConnectionState.follow(readiness)
      const seen = yield* Effect.forkChild(
        SubscriptionRef.changes(ref).pipe(
          Stream.map(({ _tag }) => _tag),
          Stream.takeUntil((tag) => tag === "Closed"),
          Stream.runCollect
        ),
        { startImmediately: true }
      )
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(
        connect(
          mortal(() => true),
          { readiness }
        ),
        scope
      )
      yield* Effect.flip(connection.request("crash"))
      yield* connection.request("ping")
      yield* Scope.close(scope, Exit.void)
      expect(yield* Fiber.join(seen)).toEqual(["Opening", "Ready", "Reopening", "Ready", "Closed"])
    })
  )
})
