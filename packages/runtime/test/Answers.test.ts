// What a server asks of the client by itself.
import { describe, expect, it } from "@effect/vitest"
import { arrived } from "@parley/core/client/Event"
import type { Medium } from "@parley/core/Medium"
import { notification, request } from "@parley/core/Message"
import type { Request } from "@parley/core/Message"
import { Deferred, Effect, Exit, Fiber, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import type * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const legacy = [Served.legacyStdio, Served.legacyHttp].map((place) => [place.title, place] as const)

/** A peer whose `work` is answered at `after`, and that asks these things first. */
const asking = (asked: ReadonlyArray<Request>, after = 0): Served.Answers => ({
  work: (turn) =>
    Effect.andThen(
      Effect.forEach(asked, (one) => turn.say(one), { discard: true }),
      Effect.delay(turn.result({}), after)
    )
})

const answersOf = (peer: Peer.Peer) =>
  peer.seen.sent.flatMap((one) => (one._tag === "Post" && !("method" in one.message) ? [one] : []))

const onExchange = (medium: Medium, exchange: number) => (message: Request) =>
  medium.streams === "shared" ? arrived(message) : arrived(message, exchange, { status: 200 })

/** Lets time pass in small steps, so that what one fiber starts in another is not overtaken. */
const pass = (millis: number) => Effect.repeat(TestClock.adjust(1), { times: millis - 1 })

describe("a legacy server", () => {
  it.effect.each(legacy)("has its pings answered, with the session's headers, in %s", ([, place]) =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(place, asking([request("p1", "ping"), request(2, "ping")]))
      yield* connection.request("work")
      expect(answersOf(peer)).toEqual(
        ["p1", 2].map((id) => ({
          _tag: "Post",
          exchange: expect.any(Number),
          message: { jsonrpc: "2.0", id, result: {} },
          headers: {
            "mcp-protocol-version": "2025-11-25",
            ...(place === Served.legacyHttp ? { "mcp-session-id": "s1" } : undefined)
          }
        }))
      )
    })
  )

  it.effect.each(legacy)("is answered by the owner, and refused as the owner refuses, in %s", ([, place]) =>
    Effect.gen(function* () {
      const seen: Array<Request> = []
      const asked = [request("a", "roots/list", { x: 1 }), request("b", "sampling/createMessage")]
      const { connection, peer } = yield* Served.connected(place, asking(asked, 100), {
        onRequest: (one) => {
          seen.push(one)
          return one.method === "roots/list"
            ? Effect.succeed({ roots: [] })
            : Effect.fail({ code: -1, message: "The user said no.", data: { by: "user" } })
        }
      })
      const fiber = yield* Effect.forkChild(connection.request("work"))
      yield* pass(150)
      yield* Fiber.join(fiber)
      expect(seen).toEqual(asked)
      expect(answersOf(peer).map((one) => one.message)).toEqual([
        { jsonrpc: "2.0", id: "a", result: { roots: [] } },
        { jsonrpc: "2.0", id: "b", error: { code: -1, message: "The user said no.", data: { by: "user" } } }
      ])
    })
  )

  it.effect("is refused what the owner was given no way to", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(
        Served.legacyStdio,
        asking([request("a", "elicitation/create")], 100)
      )
      const fiber = yield* Effect.forkChild(connection.request("work"))
      yield* pass(150)
      yield* Fiber.join(fiber)
      expect(answersOf(peer).map((one) => one.message)).toEqual([
        { jsonrpc: "2.0", id: "a", error: { code: -32601, message: "This client does not serve elicitation/create." } }
      ])
    })
  )

  it.effect("is told of an internal error where the owner's answer breaks, and the log says why", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      const { connection, peer } = yield* Served.connected(
        Served.legacyStdio,
        asking([request("a", "roots/list"), request("b", "roots/list")], 100),
        {
          onRequest: ({ id }) => {
            if (id === "a") throw new Error("broken at once")
            return Effect.die("broken later")
          }
        }
      ).pipe(Effect.provide(Logger.layer([logger])))
      const fiber = yield* Effect.forkChild(connection.request("work"))
      yield* pass(150)
      yield* Fiber.join(fiber)
      const error = { code: -32603, message: "The client could not answer." }
      expect(answersOf(peer).map((one) => one.message)).toEqual([
        { jsonrpc: "2.0", id: "a", error },
        { jsonrpc: "2.0", id: "b", error }
      ])
      expect(lines.filter((line) => line.startsWith("Warn")).length).toBe(2)
    })
  )

  it.effect("may cancel what it asked: the owner is interrupted, and no response follows", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const { connection, peer } = yield* Served.connected(
        Served.legacyStdio,
        {
          work: (turn) =>
            turn
              .say(request("slow", "elicitation/create"))
              .pipe(
                Effect.andThen(Effect.sleep(50)),
                Effect.andThen(turn.say(notification("notifications/cancelled", { requestId: "slow" }))),
                Effect.andThen(Effect.delay(turn.result({}), 50))
              )
        },
        { onRequest: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)) }
      )
      const fiber = yield* Effect.forkChild(connection.request("work"))
      yield* pass(150)
      yield* Fiber.join(fiber)
      yield* Deferred.await(interrupted)
      expect(answersOf(peer)).toEqual([])
      // It is the answers' own business: who listens hears of cancellations of nothing.
      expect((yield* connection.incoming).messages.length).toBe(0)
    })
  )

  it.effect("that asks the same once more, as a resumed stream may, is answered once", () =>
    Effect.gen(function* () {
      let asked = 0
      const { connection, peer } = yield* Served.connected(
        Served.legacyHttp,
        asking([request("a", "roots/list"), request("a", "roots/list")], 100),
        {
          onRequest: () =>
            Effect.as(
              Effect.delay(
                Effect.sync(() => (asked += 1)),
                50
              ),
              { roots: [] }
            )
        }
      )
      const fiber = yield* Effect.forkChild(connection.request("work"))
      yield* pass(150)
      yield* Fiber.join(fiber)
      expect(asked).toBe(1)
      expect(answersOf(peer).length).toBe(1)
    })
  )

  it.effect("does not hold up the answers to the client's own requests while the owner thinks", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(Served.legacyStdio, asking([request("a", "roots/list")]), {
        onRequest: () => Effect.never
      })
      expect(yield* connection.request("work")).toEqual({})
    })
  )
})

const count = 1000

describe("a flood of requests", () => {
  it.effect("on a pipe is answered 64 at a time; the others are refused", () =>
    Effect.gen(function* () {
      let running = 0
      let highest = 0
      const flood = Array.from({ length: count }, (_, index) => request(index, "roots/list"))
      const { connection, peer } = yield* Served.connected(Served.legacyStdio, asking(flood, 100), {
        onRequest: () =>
          Effect.acquireUseRelease(
            Effect.sync(() => (highest = Math.max(highest, (running += 1)))),
            () => Effect.as(Effect.sleep(50), { roots: [] }),
            () => Effect.sync(() => (running -= 1))
          )
      })
      const fiber = yield* Effect.forkChild(connection.request("work"))
      yield* pass(250)
      yield* Fiber.join(fiber)
      expect(highest).toBe(64)
      const words = answersOf(peer).map((one) => ("result" in one.message ? "answered" : "refused"))
      expect(words.length).toBe(count)
      expect(words.filter((word) => word === "answered").length).toBe(64)
    })
  )

  it.effect("over HTTP is not answered by more than 64 POSTs at a time that the server leaves unaccepted", () =>
    Effect.gen(function* () {
      for (const method of ["ping", "roots/list"]) {
        const waiting = yield* Queue.unbounded<Peer.Turn>()
        const flood = Array.from({ length: count }, (_, index) => request(index, method))
        const hold = (turn: Peer.Turn) => Effect.asVoid(Queue.offer(waiting, turn))
        const { connection, peer } = yield* Served.connected(Served.legacyHttp, {
          ...asking(flood, 100),
          result: hold,
          error: hold
        })
        const fiber = yield* Effect.forkChild(connection.request("work"))
        yield* pass(150)
        yield* Fiber.join(fiber)
        expect(answersOf(peer).length).toBe(64)

        // Each that is accepted makes room for another.
        const turn = yield* Queue.take(waiting)
        yield* turn.status(202)
        const ping = onExchange(Served.legacyHttp.medium, 1)
        yield* turn.emit(ping(request("x", "ping")))
        yield* turn.emit(ping(request("y", "ping")))
        yield* TestClock.adjust(1)
        expect(answersOf(peer).length).toBe(65)
        yield* connection.close
      }
    })
  )
})

describe("a server that reads nothing", () => {
  it.effect("while it waits to be read itself is read on, and is owed no more than 64 answers", () =>
    Effect.gen(function* () {
      const flood = Array.from({ length: count }, (_, index) => request(index, "ping"))
      const peer = Served.peer(Served.legacyStdio, asking(flood))
      const stuck: typeof peer.transport = {
        ...peer.transport,
        open: Effect.map(peer.transport.open, (channel) => ({
          ...channel,
          send: (outgoing) =>
            outgoing._tag === "Post" && "result" in outgoing.message
              ? Effect.andThen(channel.send(outgoing), Effect.never)
              : channel.send(outgoing)
        }))
      }
      const connection = yield* Served.connect({ ...peer, transport: stuck }, Served.legacyStdio)
      expect(yield* connection.request("work")).toEqual({})
      expect(answersOf(peer).length).toBe(64)
      yield* connection.close
    })
  )
})

describe("a modern server", () => {
  it.effect.each([Served.modernStdio, Served.modernHttp].map((place) => [place.title, place] as const))(
    "that asks is not answered in %s: no response is ever written",
    ([, place]) =>
      Effect.gen(function* () {
        let asked = 0
        const { connection, peer } = yield* Served.connected(
          place,
          asking([request("p", "ping"), request("r", "roots/list")], 100),
          { onRequest: () => Effect.sync(() => ({ asked: (asked += 1) })) }
        )
        const fiber = yield* Effect.forkChild(Effect.exit(connection.request("work")))
        yield* pass(150)
        expect(Exit.isSuccess(yield* Fiber.join(fiber))).toBe(true)
        expect(asked).toBe(0)
        expect(peer.words()).toEqual(["server/discover", "work"])
      })
  )
})
