// Many servers at once: who is held up by whom, how many at a time, and what is left when the reader stops.
import { describe, expect, it } from "@effect/vitest"
import * as Medium from "@parley/core/Medium"
import * as Policy from "@parley/core/client/Policy"
import * as Fleet from "@parley/runtime/Fleet"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "./support/Peer.ts"

const counts = { now: 0, most: 0 }
const server = (
  name: string,
  answer: (turn: Peer.Turn) => Effect.Effect<void> = Peer.discover(),
  medium = Medium.http
) => {
  const peer = Peer.make(medium, Peer.table({ "server/discover": answer }))
  return { name, peer, transport: { ...peer.transport, target: name } }
}
const options = { client: Peer.client, policy: Policy.pinned("2026-07-28") }
const names = (results: ReadonlyArray<Fleet.Result<{ name: string } & Fleet.Target, unknown>>) =>
  results.map(({ target }) => target.name)
const slowly = (millis: number) => (turn: Peer.Turn) =>
  Effect.sync(() => {
    counts.now += 1
    counts.most = Math.max(counts.most, counts.now)
  }).pipe(
    Effect.andThen(Effect.delay(Peer.discover()(turn), millis)),
    Effect.ensuring(Effect.sync(() => void (counts.now -= 1)))
  )

describe("a fleet", () => {
  it.effect("gives results as they come: a dead server of many targets holds no other origin up", () =>
    Effect.gen(function* () {
      const dead = Array.from({ length: 200 }, (_, index) => server(`http://dead.test/${index}`, () => Effect.void))
      const alive = Array.from({ length: 10 }, (_, index) => server(`http://h${index}.test/mcp`))
      const seen: Array<string> = []
      const fiber = yield* Effect.forkChild(
        Fleet.negotiate([...dead, ...alive], options).pipe(
          Stream.take(10),
          Stream.runForEach((result) => Effect.sync(() => seen.push(`${result._tag} ${result.target.name}`)))
        )
      )
      yield* Fiber.join(fiber)
      expect(new Set(seen)).toEqual(new Set(alive.map(({ name }) => `Agreed ${name}`)))
      expect(dead.reduce((sum, { peer }) => sum + peer.seen.opened, 0)).toBe(6)
      // The reader has stopped: nothing is left open.
      expect([...dead, ...alive].every(({ peer }) => peer.seen.opened === peer.seen.closed)).toBe(true)
    })
  )

  it.effect("keeps the limits: so many at once, so many of one origin, and every target gets its result", () =>
    Effect.gen(function* () {
      counts.most = 0
      const one = Array.from({ length: 20 }, (_, index) => server(`http://one.test/${index}`, slowly(100)))
      const run = (targets: typeof one, more: object) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Stream.runCollect(Fleet.negotiate(targets, { ...options, ...more })))
          for (let round = 0; round < 40; round++) yield* TestClock.adjust(100)
          return [...(yield* Fiber.join(fiber))]
        })
      const results = yield* run(one, {})
      expect(counts.most).toBe(6)
      expect(new Set(names(results)).size).toBe(20)
      expect(results.at(-1)?.progress).toEqual({ done: 20, failed: 0, total: 20 })
      counts.most = 0
      const many = Array.from({ length: 20 }, (_, index) => server(`http://h${index}.test/`, slowly(100)))
      yield* run(many, { concurrency: 7 })
      expect(counts.most).toBe(7)
      counts.most = 0
      const commands = Array.from({ length: 20 }, () => server("node server.js", slowly(100), Medium.stdio))
      yield* run(commands, {})
      expect(counts.most).toBe(20)
    })
  )

  it.effect("tells failures and defects apart, and neither ends it", () =>
    Effect.gen(function* () {
      const results = yield* Stream.runCollect(
        Fleet.negotiate(
          [
            server("http://a.test/", (turn) => turn.status(503)),
            server("http://b.test/"),
            {
              ...server("http://c.test/"),
              transport: { ...server("http://c.test/").transport, open: Effect.die("broken") }
            }
          ],
          { ...options, each: ({ agreement }) => Effect.succeed(agreement.version) }
        )
      )
      const byName = new Map([...results].map((result) => [result.target.name, result]))
      expect(byName.get("http://a.test/")).toMatchObject({
        _tag: "Failed",
        index: 0,
        error: { reason: { _tag: "Busy" } }
      })
      expect(byName.get("http://b.test/")).toMatchObject({ _tag: "Agreed", index: 1, value: "2026-07-28" })
      expect(byName.get("http://c.test/")).toMatchObject({ _tag: "Broken", index: 2, problem: "broken" })
      expect([...results].at(-1)?.progress).toMatchObject({ done: 3, failed: 2 })
    })
  )

  it.effect("takes from an endless iterable no more than is read", () =>
    Effect.gen(function* () {
      let made = 0
      const endless = function* () {
        for (;;) yield server(`http://h${(made += 1)}.test/`)
      }
      const results = yield* Stream.runCollect(
        Stream.take(Fleet.negotiate(endless(), { ...options, concurrency: 4 }), 20)
      )
      expect([...results].length).toBe(20)
      expect(made).toBeLessThan(40)
      expect([...results][0]?.progress.total).toBeUndefined()
    })
  )

  it.effect("of nobody ends at once", () =>
    Effect.gen(function* () {
      expect([...(yield* Stream.runCollect(Fleet.negotiate([], options)))]).toEqual([])
    })
  )
})
