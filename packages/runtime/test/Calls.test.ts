// What becomes of a request under way: its progress, its cancellation, the stream that was cut.
import { describe, expect, it } from "@effect/vitest"
import { arrived } from "@parley/core/client/Event"
import { notification, success } from "@parley/core/Message"
import type * as Connection from "@parley/runtime/Connection"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const progress = (turn: Peer.Turn, value: number, token: unknown = tokenOf(turn)) =>
  turn.say(notification("notifications/progress", { progressToken: token, progress: value }))
const tokenOf = (turn: Peer.Turn): unknown => {
  const meta = turn.params["_meta"]
  return typeof meta === "object" && meta !== null && "progressToken" in meta ? meta.progressToken : undefined
}

describe("progress", () => {
  it.effect.each(Served.places.map((place) => [place.title, place] as const))(
    "reaches its request in %s",
    ([, place]) =>
      Effect.gen(function* () {
        const { connection, peer } = yield* Served.connected(place, {
          work: (turn) => Effect.andThen(Effect.andThen(progress(turn, 1), progress(turn, 2)), turn.result({}))
        })
        const heard: Array<unknown> = []
        yield* connection.request(
          "work",
          { _meta: { kept: 1 } },
          { onProgress: ({ progress }) => heard.push(progress) }
        )
        expect(heard).toEqual([1, 2])
        const [sent] = peer.posts("work")
        expect(sent?.message).toMatchObject({ params: { _meta: { kept: 1, progressToken: sent?.exchange } } })
      })
  )

  it.effect("is asked for only by who hears it, and what nobody asked for is incoming", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyStdio, {
        work: (turn) => Effect.andThen(progress(turn, 1, "stranger"), turn.result({}))
      })
      yield* connection.request("work")
      expect(peer.posts("work")[0]?.message).not.toHaveProperty("params")
      const incoming = yield* connection.incoming
      expect(incoming.messages.length).toBe(1)
    })
  )

  it.effect("heard by a broken function harms nothing", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyStdio, {
        work: (turn) => Effect.andThen(progress(turn, 1), turn.result({ done: true }))
      })
      const broken = {
        onProgress: () => {
          throw new Error("broken")
        }
      }
      expect(yield* connection.request("work", {}, broken)).toEqual({ done: true })
      expect(yield* connection.request("work", {}, broken)).toEqual({ done: true })
    })
  )
})

/** Starts a request that is not answered, and ends it as told. */
const givenUp = (place: Served.Place, end: "interrupt" | "timeout", method = "slow") =>
  Effect.gen(function* () {
    const { connection, peer } = yield* Served.connected(place, {})
    const fiber = yield* Effect.forkChild(Effect.exit(connection.request(method, {}, { millis: 1000 })))
    yield* TestClock.adjust(999)
    if (end === "timeout") yield* TestClock.adjust(1)
    else yield* Fiber.interrupt(fiber)
    return { peer, exchange: peer.posts(method)[0]?.exchange }
  })

describe("a request that is given up", () => {
  for (const end of ["interrupt", "timeout"] as const) {
    it.effect(`${end}: in the modern era over HTTP its stream is closed, and nothing is written`, () =>
      Effect.gen(function* () {
        const { exchange, peer } = yield* givenUp(Served.modernHttp, end)
        expect(peer.seen.abandoned).toEqual([exchange])
        expect(peer.words()).toEqual(["server/discover", "slow"])
      })
    )

    it.effect.each([Served.legacyStdio, Served.modernStdio].map((place) => [place.title, place] as const))(
      `${end}: in %s it is cancelled by a notification`,
      ([, place]) =>
        Effect.gen(function* () {
          const { exchange, peer } = yield* givenUp(place, end)
          expect(peer.posts("notifications/cancelled").map((one) => one.message)).toEqual([
            {
              jsonrpc: "2.0",
              method: "notifications/cancelled",
              params: { requestId: exchange, reason: expect.any(String) }
            }
          ])
          expect(peer.seen.abandoned).toEqual([])
        })
    )

    it.effect(`${end}: in the legacy era over HTTP it is cancelled, and its stream is closed`, () =>
      Effect.gen(function* () {
        const { exchange, peer } = yield* givenUp(Served.legacyHttp, end)
        expect(peer.posts("notifications/cancelled")).toMatchObject([
          { message: { params: { requestId: exchange } }, headers: { "mcp-session-id": "s1" } }
        ])
        expect(peer.seen.abandoned).toEqual([exchange])
      })
    )
  }

  it.effect("is never cancelled where it is initialize", () =>
    Effect.gen(function* () {
      const { peer } = yield* givenUp({ ...Served.modernStdio }, "interrupt", "initialize")
      expect(peer.words()).toEqual(["server/discover", "initialize"])
    })
  )

  it.effect("does not harm the others, and its late answer is nobody's", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyStdio, {
        slow: (turn) => Effect.delay(turn.result({ late: true }), 2000),
        quick: (turn) => Effect.delay(turn.result({ quick: true }), 3000)
      })
      const slow = yield* Effect.forkChild(Effect.flip(connection.request("slow", {}, { millis: 1000 })))
      const quick = yield* Effect.forkChild(connection.request("quick"))
      yield* TestClock.adjust(3000)
      expect((yield* Fiber.join(slow)).reason._tag).toBe("Timeout")
      expect(yield* Fiber.join(quick)).toEqual({ quick: true })
    })
  )

  it.effect("holds nothing up where the server accepts no cancellation", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        "notifications/cancelled": () => Effect.void
      })
      const fiber = yield* Effect.forkChild(Effect.flip(connection.request("slow", {}, { millis: 1000 })))
      yield* TestClock.adjust(1000)
      expect((yield* Fiber.join(fiber)).reason._tag).toBe("Timeout")
      yield* TestClock.adjust("10 seconds")
      // Nor is its acceptance waited for longer than ten seconds.
      expect(peer.seen.abandoned).toContain(peer.posts("notifications/cancelled")[0]?.exchange)
    })
  )
})

describe("a subscription of the modern era", () => {
  it.effect("is ended by the server's cancellation, which is also told", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.modernStdio, {
        "subscriptions/listen": (turn) =>
          Effect.delay(turn.say(notification("notifications/cancelled", { requestId: idOf(turn) })), 90_000)
      })
      const fiber = yield* Effect.forkChild(
        Effect.flip(connection.request("subscriptions/listen", { notifications: {} }, { millis: Infinity }))
      )
      yield* TestClock.adjust(90_000)
      expect((yield* Fiber.join(fiber)).reason).toMatchObject({ _tag: "TransportFailure", retryable: true })
      expect((yield* connection.incoming).messages.length).toBe(1)
    })
  )

  it.effect("no other request is", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.modernStdio, {
        work: (turn) =>
          Effect.andThen(
            turn.say(notification("notifications/cancelled", { requestId: idOf(turn) })),
            Effect.delay(turn.result({ done: true }), 100)
          )
      })
      const fiber = yield* Effect.forkChild(connection.request("work"))
      yield* TestClock.adjust(100)
      expect(yield* Fiber.join(fiber)).toEqual({ done: true })
    })
  )
})

const idOf = (turn: Peer.Turn) =>
  turn.outgoing._tag === "Post" && "id" in turn.outgoing.message ? (turn.outgoing.message.id ?? 0) : 0

const resumable = { lastEventId: "e7", retryMillis: 500 }
/** Requests `work` in a fiber; joined, it gives the result or the reason. */
const call = (connection: Connection.Shape) =>
  Effect.forkChild(
    Effect.match(connection.request("work"), {
      onSuccess: (value): unknown => value,
      onFailure: (error) => error.reason
    })
  )

describe("a stream of the legacy era that was cut", () => {
  it.effect("goes on by GET from the last event, when the time has come that the server asked for", () =>
    Effect.gen(function* () {
      let id: ReturnType<typeof idOf> = 0
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) => {
          id = idOf(turn)
          return turn.cut(resumable)
        },
        GET: (turn) => turn.say(success(id, { done: true }))
      })
      const fiber = yield* call(connection)
      yield* TestClock.adjust(499)
      expect(peer.words()).not.toContain("GET")
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toEqual({ done: true })
      expect(peer.seen.sent.at(-1)).toEqual({
        _tag: "Listen",
        exchange: expect.any(Number),
        headers: { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "s1", "last-event-id": "e7" }
      })
      expect(peer.posts("work").length).toBe(1)
    })
  )

  it.effect("is resumed again and again, each time from where it ended, as the polling of a server demands", () =>
    Effect.gen(function* () {
      const from: Array<unknown> = []
      const { connection } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) => turn.cut({ lastEventId: "0", retryMillis: 10 }),
        GET: (turn) => {
          from.push(turn.outgoing._tag === "Listen" && turn.outgoing.headers["last-event-id"])
          return from.length < 20 ? turn.cut({ lastEventId: String(from.length), retryMillis: 10 }) : turn.result({})
        }
      })
      const fiber = yield* call(connection)
      yield* TestClock.adjust("1 second")
      // The answer bears the id 0 of a GET; only its exchange tells whose it is, so it is malformed, not unheard.
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "MalformedResult", path: "id" })
      expect(from).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
    })
  )

  it.effect("is resumed a hundred times, and not more", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) => turn.cut({ lastEventId: "0", retryMillis: 1 }),
        GET: (turn) => turn.cut({ lastEventId: "0", retryMillis: 1 })
      })
      const fiber = yield* call(connection)
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "TransportFailure", retryable: true })
      expect(peer.words().filter((word) => word === "GET").length).toBe(100)
    })
  )

  it.effect("whose GET is lost is asked for again, five times", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) => turn.cut(resumable),
        GET: (turn) => turn.cut()
      })
      const fiber = yield* call(connection)
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "TransportFailure", reason: "The stream was cut." })
      expect(peer.words().filter((word) => word === "GET").length).toBe(6)
    })
  )

  it.effect("that cannot be resumed fails, and the request is not sent again: it may have been executed", () =>
    Effect.gen(function* () {
      for (const status of [400, 404, 405, 500]) {
        const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
          work: (turn) => turn.cut(resumable),
          GET: (turn) => turn.status(status)
        })
        const fiber = yield* call(connection)
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "TransportFailure", status, retryable: true })
        expect(peer.posts("work").length).toBe(1)
        expect(peer.posts("initialize").length).toBe(1)
      }
    })
  )

  it.effect("without an event id fails at once", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, { work: (turn) => turn.cut() })
      expect(yield* Effect.flatMap(call(connection), Fiber.join)).toMatchObject({
        _tag: "TransportFailure",
        retryable: true
      })
      expect(peer.words()).not.toContain("GET")
    })
  )

  it.effect("waits no longer once its answer has come on another stream", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) =>
          Effect.andThen(
            turn.cut({ lastEventId: "1", retryMillis: 30_000 }),
            Effect.delay(turn.emit(arrived(success(idOf(turn), { done: true }), 999, { status: 200 })), 100)
          )
      })
      const fiber = yield* call(connection)
      yield* TestClock.adjust(100)
      expect(yield* Fiber.join(fiber)).toEqual({ done: true })
      expect(peer.words()).not.toContain("GET")
    })
  )

  it.effect("is not ended by what is still told of the stream that it left", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) =>
          turn
            .cut(resumable)
            .pipe(
              Effect.andThen(Effect.sleep(600)),
              Effect.andThen(turn.status(500)),
              Effect.andThen(turn.cut()),
              Effect.andThen(Effect.sleep(100)),
              Effect.andThen(turn.emit(arrived(success(idOf(turn), { done: true }), 999, { status: 200 })))
            ),
        GET: () => Effect.void
      })
      const fiber = yield* call(connection)
      yield* Effect.repeat(TestClock.adjust(10), { times: 80 })
      expect(yield* Fiber.join(fiber)).toEqual({ done: true })
    })
  )

  it.effect("given up while it is resumed closes the resumed stream, and leaves no wait behind", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        work: (turn) => turn.cut(resumable),
        GET: () => Effect.void
      })
      const first = yield* call(connection)
      yield* TestClock.adjust(499)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 minute")
      expect(peer.words()).not.toContain("GET")

      const second = yield* call(connection)
      yield* TestClock.adjust(500)
      const get = peer.seen.sent.find((one) => one._tag === "Listen")
      expect(get).toBeDefined()
      yield* Fiber.interrupt(second)
      expect(peer.seen.abandoned.at(-1)).toBe(get?.exchange)
      expect(peer.posts("notifications/cancelled").length).toBe(2)
    })
  )
})

describe("a stream of the modern era that was cut", () => {
  it.effect("is not resumed", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.modernHttp, { work: (turn) => turn.cut(resumable) })
      expect(yield* Effect.flatMap(call(connection), Fiber.join)).toMatchObject({
        _tag: "TransportFailure",
        retryable: true
      })
      expect(peer.words()).toEqual(["server/discover", "work"])
    })
  )
})
