// Sessions of the legacy era over HTTP: lost ones are replaced once, unless forbidden; closing deletes the last.
import { describe, expect, it } from "@effect/vitest"
import type * as Connection from "@parley/runtime/Connection"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const place = Served.legacyHttp
const sessionOf = (turn: Peer.Turn): string | undefined => turn.outgoing.headers["mcp-session-id"]

/** Serves a method in every session but these, which the server has forgotten. */
const forgetting =
  (
    forgotten: ReadonlyArray<string>,
    answer: (turn: Peer.Turn) => Effect.Effect<void> = (turn) => turn.result({ in: sessionOf(turn) })
  ) =>
  (turn: Peer.Turn): Effect.Effect<void> =>
    forgotten.includes(sessionOf(turn) ?? "") ? turn.status(404) : answer(turn)

const outcome = (connection: Connection.Shape, method = "work") =>
  Effect.match(connection.request(method), {
    onSuccess: (result): unknown => result,
    onFailure: (error) => error.reason
  })

describe("a request that finds its session gone", () => {
  it.effect("opens one new session without the old id, and is sent once more in it", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, { work: forgetting(["s1"]) })
      expect(connection.agreement.sessionId).toBe("s1")
      expect(yield* outcome(connection)).toEqual({ in: "s2" })
      expect(connection.agreement.sessionId).toBe("s2")
      expect(peer.words().slice(2)).toEqual(["work", "initialize", "notifications/initialized", "work"])
      expect(peer.posts("initialize")[1]?.headers).toEqual({})
      // The channel of the old session is closed once nobody uses it.
      expect(peer.seen).toMatchObject({ opened: 2, closed: 1 })
      expect(yield* outcome(connection)).toEqual({ in: "s2" })
    })
  )

  it.effect("knows it by the status, whatever the body says", () =>
    Effect.gen(function* () {
      for (const refuse of [
        (turn: Peer.Turn) => turn.error(-32001, undefined, { status: 404 }),
        (turn: Peer.Turn) => turn.error(-32600, undefined, { status: 404 }),
        (turn: Peer.Turn) => turn.result({}, { status: 404 })
      ]) {
        const { connection } = yield* Served.connected(place, {
          work: (turn) => (sessionOf(turn) === "s1" ? refuse(turn) : turn.result({ in: sessionOf(turn) }))
        })
        expect(yield* outcome(connection)).toEqual({ in: "s2" })
      }
    })
  )

  it.effect("but not where the body is a -32601 with the request's id: then it is the method that is unknown", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {
        work: (turn) => turn.error(-32601, undefined, { status: 404 })
      })
      expect(yield* outcome(connection)).toMatchObject({ _tag: "MethodNotFound", method: "work" })
      expect(peer.posts("initialize").length).toBe(1)
    })
  )

  it.effect("nor without a session: then a 404 is only a 404", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {
        initialize: Peer.initialize(),
        work: (turn) => turn.status(404)
      })
      expect(yield* outcome(connection)).toMatchObject({ _tag: "TransportFailure", status: 404 })
      expect(peer.posts("initialize").length).toBe(1)
    })
  )

  it.effect("is not sent a third time", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, { work: forgetting(["s1", "s2", "s3"]) })
      expect(yield* outcome(connection)).toMatchObject({ _tag: "SessionUnknown", retryable: true })
      expect(peer.posts("work").length).toBe(2)
      expect(peer.posts("initialize").length).toBe(2)
    })
  )

  it.effect("only fails where the owner forbids a new session", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(
        place,
        { work: forgetting(["s1"]) },
        { onLostSession: "fail" }
      )
      expect(yield* outcome(connection)).toMatchObject({ _tag: "SessionUnknown", problem: "unknown" })
      expect(peer.posts("initialize").length).toBe(1)
    })
  )

  it.effect("shares the new session with whoever else found the old one gone", () =>
    Effect.gen(function* () {
      let initializes = 0
      const { connection, peer } = yield* Served.connected(place, {
        initialize: (turn) =>
          Effect.delay(
            Peer.initialize(undefined, { sessionId: `s${(initializes += 1)}` })(turn),
            initializes === 1 ? 0 : 300
          ),
        work: forgetting(["s1"])
      })
      const fiber = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 50 }), () => outcome(connection), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust(1)
      yield* TestClock.adjust(300)
      expect(yield* Fiber.join(fiber)).toEqual(Array.from({ length: 50 }, () => ({ in: "s2" })))
      expect(peer.posts("initialize").length).toBe(2)
      expect(peer.posts("work").length).toBe(100)
      expect(peer.seen).toMatchObject({ opened: 2, closed: 1 })
    })
  )

  it.effect("shares its failure too, and the next request tries anew", () =>
    Effect.gen(function* () {
      let initializes = 0
      const { connection, peer } = yield* Served.connected(place, {
        initialize: (turn) =>
          (initializes += 1) === 2
            ? Effect.delay(turn.status(503), 300)
            : Peer.initialize(undefined, { sessionId: `s${initializes}` })(turn),
        work: forgetting(["s1"])
      })
      const fiber = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 20 }), () => outcome(connection), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust(1)
      yield* TestClock.adjust(300)
      const reasons = yield* Fiber.join(fiber)
      for (const reason of reasons) {
        expect(reason).toMatchObject({ _tag: "NegotiationError", reason: { _tag: "Busy" }, retryable: true })
      }
      expect(peer.posts("initialize").length).toBe(2)
      expect(yield* outcome(connection)).toEqual({ in: "s3" })
      expect(peer.seen).toMatchObject({ opened: 3, closed: 2 })
    })
  )

  it.effect("leaves the new session to the others when it is interrupted", () =>
    Effect.gen(function* () {
      let initializes = 0
      const { connection, peer } = yield* Served.connected(place, {
        initialize: (turn) =>
          Effect.delay(
            Peer.initialize(undefined, { sessionId: `s${(initializes += 1)}` })(turn),
            initializes === 1 ? 0 : 300
          ),
        work: forgetting(["s1"])
      })
      const first = yield* Effect.forkChild(outcome(connection))
      yield* TestClock.adjust(1)
      const second = yield* Effect.forkChild(outcome(connection))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(1)
      yield* TestClock.adjust(300)
      expect(yield* Fiber.join(second)).toEqual({ in: "s3" })
      expect(peer.seen).toMatchObject({ opened: 3, closed: 2 })
    })
  )

  it.effect("does not take the old session from a request that is still under way in it", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {
        work: forgetting(["s1"]),
        slow: (turn) => Effect.delay(turn.result({ in: sessionOf(turn) }), 1000)
      })
      const slow = yield* Effect.forkChild(outcome(connection, "slow"))
      yield* TestClock.adjust(1)
      expect(yield* outcome(connection)).toEqual({ in: "s2" })
      expect(peer.seen).toMatchObject({ opened: 2, closed: 0 })
      yield* TestClock.adjust(1000)
      expect(yield* Fiber.join(slow)).toEqual({ in: "s1" })
      expect(peer.seen).toMatchObject({ opened: 2, closed: 1 })
    })
  )

  it.effect("goes on listening in the new session, and incoming does not end with the old one", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {
        work: forgetting(["s1"]),
        GET: (turn) => turn.say({ jsonrpc: "2.0", method: "hello", params: { in: sessionOf(turn) } })
      })
      const incoming = yield* connection.incoming
      expect(yield* Queue.take(incoming)).toMatchObject({ params: { in: "s1" } })
      yield* outcome(connection)
      expect(yield* Queue.take(incoming)).toMatchObject({ params: { in: "s2" } })
      expect(peer.seen).toMatchObject({ opened: 2, closed: 1 })
    })
  )
})

describe("a notification", () => {
  it.effect("over HTTP returns when it is accepted, and fails as it is refused or lost", () =>
    Effect.gen(function* () {
      for (const [answer, expected] of [
        [(turn: Peer.Turn) => turn.status(202), "accepted"],
        [(turn: Peer.Turn) => turn.result({}, { status: 200 }), "accepted"],
        [(turn: Peer.Turn) => turn.status(401), "Unauthorized"],
        [(turn: Peer.Turn) => turn.status(400), "TransportFailure"],
        [(turn: Peer.Turn) => turn.error(-32600, undefined, { status: 400 }), "TransportFailure"],
        [(turn: Peer.Turn) => turn.cut(), "TransportFailure"]
      ] as const) {
        for (const at of [Served.legacyHttp, Served.modernHttp]) {
          const { connection } = yield* Served.connected(at, { told: answer })
          const end = yield* Effect.match(connection.notify("told", { x: 1 }), {
            onSuccess: () => "accepted",
            onFailure: ({ reason }) => reason._tag
          })
          expect(end).toBe(expected)
        }
      }
    })
  )

  it.effect("is given up after the time of a request, and nothing waits for it any more", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {})
      const fiber = yield* Effect.forkChild(Effect.flip(connection.notify("told")))
      yield* TestClock.adjust(59_999)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect((yield* Fiber.join(fiber)).reason._tag).toBe("Timeout")
      expect(peer.seen.abandoned).toEqual([peer.posts("told")[0]?.exchange])
    })
  )

  it.effect("on a pipe returns when it is written", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyStdio, {})
      yield* connection.notify("told", { x: 1 })
      expect(peer.posts("told")[0]?.message).toEqual({ jsonrpc: "2.0", method: "told", params: { x: 1 } })
    })
  )

  it.effect("that finds its session gone is sent once more in a new one", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {
        told: forgetting(["s1"], (turn) => turn.status(202))
      })
      yield* connection.notify("told")
      expect(peer.posts("told").map((one) => one.headers["mcp-session-id"])).toEqual(["s1", "s2"])
    })
  )
})

describe("closing", () => {
  it.effect("deletes the session, in the legacy era over HTTP alone", () =>
    Effect.gen(function* () {
      for (const at of Served.places) {
        const { connection, peer } = yield* Served.connected(at, {})
        yield* connection.close
        yield* connection.close
        const deletions = peer.seen.sent.filter((one) => one._tag === "Delete")
        expect(deletions).toEqual(
          at === place
            ? [
                {
                  _tag: "Delete",
                  exchange: expect.any(Number),
                  headers: { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "s1" }
                }
              ]
            : []
        )
        expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
      }
    })
  )

  it.effect("waits two seconds for the server's word, and no longer, also as a finalizer", () =>
    Effect.gen(function* () {
      const peer = Served.peer(place, { DELETE: () => Effect.void })
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.asVoid(Served.connect(peer, place))))
      yield* TestClock.adjust(1999)
      expect(peer.words().at(-1)).toBe("DELETE")
      expect(peer.seen.closed).toBe(0)
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
      expect(peer.seen.closed).toBe(1)
    })
  )

  it.effect("fails what is under way, and whatever comes later, at once", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {})
      const asked = yield* Effect.forkChild(Effect.flip(connection.request("slow", {}, { millis: Infinity })))
      const told = yield* Effect.forkChild(Effect.flip(connection.notify("told")))
      yield* TestClock.adjust(1)
      yield* connection.close
      for (const error of [
        yield* Fiber.join(asked),
        yield* Fiber.join(told),
        yield* Effect.flip(connection.request("late")),
        yield* Effect.flip(connection.notify("late"))
      ]) {
        expect(error.reason).toMatchObject({ _tag: "TransportFailure", reason: "The connection was closed." })
      }
      expect(peer.words()).not.toContain("late")
      expect(peer.posts("initialize").length).toBe(1)
    })
  )

  it.effect("is not held up by a session that is gone, nor opens another", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, {
        DELETE: (turn) => Effect.delay(turn.status(404), 500),
        work: forgetting(["s1"])
      })
      const closing = yield* Effect.forkChild(connection.close)
      yield* TestClock.adjust(1)
      expect(yield* outcome(connection)).toMatchObject({ _tag: "SessionUnknown" })
      yield* TestClock.adjust(500)
      yield* Fiber.join(closing)
      expect(peer.posts("initialize").length).toBe(1)
      expect(peer.seen).toMatchObject({ opened: 1, closed: 1 })
    })
  )
})
