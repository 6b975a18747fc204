// The stream on which a legacy HTTP server speaks by itself, and what the client hears of it.
import { describe, expect, it } from "@effect/vitest"
import { notification } from "@parley/core/Message"
import { Effect, Exit, Fiber, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import type * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const gets = (peer: Peer.Peer) => peer.seen.sent.filter((one) => one._tag === "Listen")
const changed = notification("notifications/tools/list_changed")
const streamEnded = (turn: Peer.Turn) => turn.status(200, { contentType: "text/event-stream" })

describe("incoming", () => {
  it.effect.each(Served.places.map((place) => [place.title, place] as const))(
    "hears what the server says beside its answers in %s",
    ([, place]) =>
      Effect.gen(function* () {
        const { connection } = yield* Served.connected(place, {
          work: (turn) => Effect.andThen(turn.say(changed), turn.result({}))
        })
        yield* connection.request("work")
        expect(yield* Queue.take(yield* connection.incoming)).toEqual(changed)
      })
  )

  it.effect("opens the GET stream when it is first read, in the legacy era over HTTP alone", () =>
    Effect.gen(function* () {
      for (const place of Served.places) {
        const { connection, peer } = yield* Served.connected(place, { GET: (turn) => turn.say(changed) })
        yield* TestClock.adjust("1 minute")
        expect(gets(peer)).toEqual([])
        const incoming = yield* connection.incoming
        yield* connection.incoming
        if (place !== Served.legacyHttp) {
          expect(gets(peer)).toEqual([])
          continue
        }
        expect(gets(peer)).toEqual([
          {
            _tag: "Listen",
            exchange: expect.any(Number),
            headers: { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "s1" }
          }
        ])
        expect(yield* Queue.take(incoming)).toEqual(changed)
      }
    })
  )

  it.effect("has no stream where the server answers with anything but one, and asks no more", () =>
    Effect.gen(function* () {
      for (const [status, contentType] of [
        [405, undefined],
        [404, undefined],
        [401, undefined],
        [200, "application/json"],
        [200, undefined],
        [204, undefined],
        [206, "text/event-stream"]
      ] as const) {
        const head = contentType === undefined ? {} : { contentType }
        const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
          GET: (turn) => turn.status(status, head),
          work: (turn) => turn.result({})
        })
        yield* connection.incoming
        yield* TestClock.adjust("5 minutes")
        yield* connection.incoming
        expect(gets(peer).length).toBe(1)
        expect(yield* connection.request("work")).toEqual({})
      }
    })
  )

  it.effect("keeps at most 1,024, and drops the oldest", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyStdio, {
        work: (turn) =>
          Effect.andThen(
            Effect.forEach(Array.from({ length: 5000 }), (_, index) => turn.say(notification("n", { index })), {
              discard: true
            }),
            turn.result({})
          )
      })
      yield* connection.request("work")
      const kept = yield* Queue.clear(yield* connection.incoming)
      expect(kept.length).toBe(1024)
      expect(kept[0]).toEqual(notification("n", { index: 5000 - 1024 }))
      expect(kept.at(-1)).toEqual(notification("n", { index: 4999 }))
    })
  )

  it.effect("ends with the connection", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyStdio, {})
      const incoming = yield* connection.incoming
      const reader = yield* Effect.forkChild(Effect.exit(Queue.take(incoming)))
      yield* TestClock.adjust(1)
      yield* connection.close
      expect(Exit.isFailure(yield* Fiber.join(reader))).toBe(true)
    })
  )
})

describe("the GET stream", () => {
  it.effect("that was cut after an event goes on from it, when the server wants it to", () =>
    Effect.gen(function* () {
      let times = 0
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        GET: (turn) =>
          Effect.andThen(
            turn.say(changed),
            (times += 1) === 1 ? turn.cut({ lastEventId: "e1", retryMillis: 3000 }) : Effect.void
          )
      })
      const incoming = yield* connection.incoming
      yield* TestClock.adjust(2999)
      expect(gets(peer).length).toBe(1)
      yield* TestClock.adjust(1)
      expect(gets(peer).map((one) => "headers" in one && one.headers["last-event-id"])).toEqual([undefined, "e1"])
      expect((yield* Queue.clear(incoming)).length).toBe(2)
    })
  )

  it.effect("that its server ends, or whose connection breaks, is opened again after a second", () =>
    Effect.gen(function* () {
      for (const end of [streamEnded, (turn: Peer.Turn) => turn.cut()]) {
        let times = 0
        const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
          GET: (turn) => ((times += 1) === 1 ? end(turn) : turn.say(changed))
        })
        const incoming = yield* connection.incoming
        yield* TestClock.adjust(999)
        expect(gets(peer).length).toBe(1)
        yield* TestClock.adjust(1)
        expect(gets(peer).length).toBe(2)
        expect(yield* Queue.take(incoming)).toEqual(changed)
      }
    })
  )

  it.effect("that ends at once again and again is waited for longer each time, and given up with a warning", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, { GET: streamEnded }).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      yield* connection.incoming
      const counts: Array<number> = []
      for (const millis of [1000, 2000, 4000, 8000, 16_000, 3_600_000]) {
        yield* TestClock.adjust(millis)
        counts.push(gets(peer).length)
      }
      expect(counts).toEqual([2, 3, 4, 5, 6, 6])
      expect(lines).toEqual([expect.stringMatching(/^Warn The stream on which the server speaks/)])
    })
  )

  it.effect("that lasts is opened again however often it ends", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        GET: (turn) => Effect.delay(streamEnded(turn), "60 seconds")
      })
      yield* connection.incoming
      yield* TestClock.adjust("61 minutes")
      expect(gets(peer).length).toBeGreaterThan(55)
    })
  )

  it.effect("that brings something is opened again however often it ends", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
        GET: (turn) => Effect.andThen(turn.say(changed), streamEnded(turn))
      })
      yield* connection.incoming
      yield* TestClock.adjust("60 seconds")
      expect(gets(peer).length).toBeGreaterThan(55)
    })
  )

  it.effect("is not opened again once the connection is closed", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.legacyHttp, { GET: streamEnded })
      yield* connection.incoming
      yield* connection.close
      yield* TestClock.adjust("1 hour")
      expect(gets(peer).length).toBe(1)
    })
  )
})
