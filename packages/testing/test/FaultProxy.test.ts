// Each fault does what its name says, on a real connection, and a seed gives the same faults again.
import { describe, expect, it } from "@effect/vitest"
import * as FaultProxy from "@parley/testing/FaultProxy"
import * as Random from "@parley/testing/Random"
import { Effect } from "effect"
import { connect, createServer } from "node:net"

/** A server that sends back whatever it gets. */
const echo = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => socket.destroy())
      socket.pipe(socket)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ port, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** Sends bytes and returns what came back until the connection ended. */
const through = (port: number, sent: Buffer): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    const parts: Array<Buffer> = []
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    socket.on("data", (part: Buffer) => parts.push(part))
    socket.on("error", () => socket.destroy())
    socket.on("end", () => socket.destroy())
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(parts))))
    socket.end(sent)
  })

const large = Buffer.alloc(1_000_000, "abcdefghij")
const small = large.subarray(0, 5_000)

const harmed = (fault: FaultProxy.Fault, sent: Buffer, seed = 1) =>
  Effect.gen(function* () {
    const { port } = yield* echo
    const proxy = yield* FaultProxy.make({ port, random: Random.make(seed), faults: [fault] })
    const back = yield* through(proxy.port, sent)
    expect(proxy.met[fault]).toBe(1)
    while (proxy.open() > 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    return back
  }).pipe(Effect.scoped)

describe("a fault proxy", () => {
  it.live.each(["none", "delay", "slow"] as const)("changes nothing by %s", (fault) =>
    Effect.gen(function* () {
      expect((yield* harmed(fault, small)).equals(small)).toBe(true)
    })
  )

  it.live("loses a piece by drop, repeats one by duplicate, ends early by cut", () =>
    Effect.gen(function* () {
      for (const seed of [1, 2, 3, 4]) {
        expect((yield* harmed("drop", large, seed)).length).toBeLessThan(large.length)
        expect((yield* harmed("duplicate", large, seed)).length).toBeGreaterThan(large.length)
        expect((yield* harmed("cut", large, seed)).length).toBeLessThan(large.length)
      }
    })
  )

  it.live("changes one byte by corrupt", () =>
    Effect.gen(function* () {
      const changed: Array<number> = []
      for (const seed of [1, 2, 3, 4]) {
        const back = yield* harmed("corrupt", large, seed)
        expect(back.length).toBe(large.length)
        changed.push(back.reduce((count, byte, at) => count + (byte === large[at] ? 0 : 1), 0))
      }
      expect(Math.max(...changed)).toBe(1)
    })
  )

  it.live("answers nothing by halfOpen, and lets go of whoever leaves", () =>
    Effect.gen(function* () {
      expect((yield* harmed("halfOpen", small)).length).toBe(0)
    })
  )

  it.live("draws the same faults from the same seed", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const run = Effect.scoped(
        Effect.gen(function* () {
          const proxy = yield* FaultProxy.make({ port, random: Random.make(9), faults: ["none", "delay", "halfOpen"] })
          for (let round = 0; round < 12; round++) yield* through(proxy.port, Buffer.from("x"))
          return { ...proxy.met }
        })
      )
      const first = yield* run
      expect(yield* run).toEqual(first)
      expect(first.none + first.delay + first.halfOpen).toBe(12)
    }).pipe(Effect.scoped)
  )
})
