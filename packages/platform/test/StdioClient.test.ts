import { NodeServices } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Queue, Schedule } from "effect"
import { TestClock } from "effect/testing"
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { Launch, Limits } from "@parley/core/Launch"
import { request } from "@parley/core/Message"
import * as StdioClient from "@parley/platform/StdioClient"
import type { Channel } from "@parley/runtime/Transport"

const program = (body: string): string => `
const say = (text) => process.stdout.write(text + "\\n")
const result = (id, result = {}) => say(JSON.stringify({ jsonrpc: "2.0", id, result }))
let on = (message) => result(message.id)
let buffer = ""
process.stdin.on("data", (chunk) => {
  buffer += chunk
  for (let at; (at = buffer.indexOf("\\n")) >= 0; buffer = buffer.slice(at + 1)) on(JSON.parse(buffer.slice(0, at)))
})
${body}`

const opened = (launch: Launch) =>
  Effect.flatMap(Effect.provide(StdioClient.make(launch), NodeServices.layer), (transport) => transport.open)

const open = (body: string, limits: Partial<Limits> = {}) =>
  opened({ command: process.execPath, args: ["-e", program(body)], limits, env: { OWN: "yes" } })

const post = (exchange: number, params?: { readonly [key: string]: unknown }): Outgoing => ({
  _tag: "Post",
  exchange,
  message: request(exchange, "ping", params),
  headers: {}
})

const untilEnd = (channel: Channel): Effect.Effect<ReadonlyArray<Event>> =>
  Effect.gen(function* () {
    const seen: Array<Event> = []
    while (true) {
      const event = yield* Effect.orDie(Queue.take(channel.events))
      seen.push(event)
      if (event._tag === "Closed" || event._tag === "Lost") return seen
    }
  })

const ask = (channel: Channel, exchange: number): Effect.Effect<Record<string, unknown>> =>
  Effect.gen(function* () {
    yield* channel.send(post(exchange))
    const event = yield* Effect.orDie(Queue.take(channel.events))
    return event._tag === "Arrived" && "result" in event.message ? { ...event.message.result } : { event }
  })

const lives = (pid: unknown): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

/** Waits until a condition holds; a test's own time limit is the bound. */
const until = (condition: Effect.Effect<boolean>): Effect.Effect<boolean> =>
  Effect.as(
    Effect.repeat(condition, Schedule.spaced("5 millis").pipe(Schedule.while(({ input }) => input === false))),
    true
  )

/** Waits until no process of these has a life. */
const gone = (...pids: ReadonlyArray<unknown>): Effect.Effect<boolean> => until(Effect.sync(() => !pids.some(lives)))

const quick = { settleMillis: 50, stdinMillis: 50, termMillis: 50 }

describe("StdioClient on Effect's spawner: reading", () => {
  it.live("tolerates CRLF, a BOM, blank lines and noise, and skips an overlong line", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `process.stdout.write("\\ufeff\\r\\n\\n"); say("listening")
         on = ({ id }) => { say("x".repeat(500_000)); process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "ž 🐎" } }) + "\\r\\n") }`,
        { lineBytes: 100_000 }
      )
      yield* channel.send(post(1))
      expect(yield* Queue.take(channel.events)).toMatchObject({ _tag: "Stray", problem: "notJson" })
      expect(yield* Queue.take(channel.events)).toMatchObject({ _tag: "Stray", problem: "overlong" })
      expect(yield* Queue.take(channel.events)).toMatchObject({
        _tag: "Arrived",
        message: { result: { text: "ž 🐎" } }
      })
    })
  )
})

describe("StdioClient on Effect's spawner: the end of the program", () => {
  it.live("a process that dies at once is Closed with its exit code and what it wrote to standard error", () =>
    Effect.gen(function* () {
      const channel = yield* open(`process.stderr.write("no config: ž\\n", () => process.exit(7))`)
      expect(yield* untilEnd(channel)).toEqual([{ _tag: "Closed", exitCode: 7, stderr: "no config: ž\n" }])
    })
  )

  it.live("a process that ends by a signal is Closed with the signal", () =>
    Effect.gen(function* () {
      const channel = yield* open(`process.kill(process.pid, "SIGKILL")`)
      expect(yield* untilEnd(channel)).toEqual([{ _tag: "Closed", signal: "SIGKILL", stderr: "" }])
    })
  )

  it.live("everything that was written before the exit arrives before Closed", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `for (let i = 0; i < 5000; i++) result(i, { pad: "x".repeat(100) }); process.exitCode = 3; process.stdin.destroy()`
      )
      const events = yield* untilEnd(channel)
      expect(events.length).toBe(5001)
      expect(events.at(-1)).toEqual({ _tag: "Closed", exitCode: 3, stderr: "" })
    })
  )

  it.effect("an exit does not overtake what was written, however late it is read", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `for (let i = 0; i < 300; i++) result(i, { pid: process.pid }); process.exitCode = 5; process.stdin.destroy()`,
        { queuedEvents: 2, settleMillis: 5 }
      )
      const first = yield* Queue.take(channel.events)
      const pid = first._tag === "Arrived" && "result" in first.message ? first.message.result["pid"] : undefined
      expect(yield* TestClock.withLive(gone(pid))).toBe(true)
      // Several times as long as an exit waits for output that does not come.
      for (let n = 0; n < 5; n++) yield* TestClock.adjust("5 millis")
      expect((yield* untilEnd(channel)).length).toBe(300)
    })
  )

  it.live("a process that closes its output but lives on is Closed without an exit code, and ended", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `on = ({ id }) => { result(id, { pid: process.pid }); require("fs").closeSync(1); setInterval(() => {}, 1000) }`,
        quick
      )
      const { pid } = yield* ask(channel, 1)
      expect(yield* untilEnd(channel)).toEqual([{ _tag: "Closed", stderr: "" }])
      expect(yield* gone(pid)).toBe(true)
    })
  )

  it.live("a process that closes its input but lives on is Lost once something is sent", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `on = ({ id }) => { process.stdin.destroy(); require("fs").closeSync(0); result(id, { pid: process.pid }); setInterval(() => {}, 1000) }`,
        quick
      )
      const { pid } = yield* ask(channel, 1)
      for (let exchange = 2; exchange < 10; exchange++) yield* channel.send(post(exchange))
      expect(yield* untilEnd(channel)).toEqual([{ _tag: "Lost", cause: expect.stringContaining("closed its input") }])
      expect(yield* gone(pid)).toBe(true)
      yield* channel.close
      expect(yield* Queue.collect(channel.events)).toEqual([])
    })
  )

  it.live("writing to a process that has gone is harmless, and Closed comes once", () =>
    Effect.gen(function* () {
      const channel = yield* open(`process.stdin.pause(); process.exit(0)`)
      for (let i = 0; i < 100; i++) yield* channel.send(post(i, { pad: "x".repeat(10_000) }))
      expect((yield* untilEnd(channel)).map((event) => event._tag)).toEqual(["Closed"])
      yield* channel.send(post(1))
      yield* channel.close
      expect(yield* Queue.collect(channel.events)).toEqual([])
    })
  )
})

describe("StdioClient on Effect's spawner: opening", () => {
  it.live("a missing command, and a missing directory, fail with a sentence that tells which", () =>
    Effect.gen(function* () {
      const command = yield* Effect.flip(opened({ command: "/no/such/command", args: ["--token", "hush"] }))
      expect(command._tag).toBe("TransportFailure")
      expect(command.message).toContain("The command /no/such/command was not found")
      expect(command.retryable).toBe(false)
      expect(JSON.stringify(command)).not.toContain("hush")
      const directory = yield* Effect.flip(opened({ command: process.execPath, cwd: "/no/such/directory" }))
      expect(directory.message).toContain("The directory /no/such/directory does not exist")
    })
  )

  it.live("arguments that no process can have fail instead of throwing, and are not shown", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(opened({ command: process.execPath, args: ["a\0hush"] }))
      expect(failure.message).toContain("cannot be started")
      expect(failure.message).not.toContain("hush")
    })
  )

  it.live("gives the program the inherited names and its own, and no other", () =>
    Effect.gen(function* () {
      process.env["PARLEY_TEST_SECRET"] = "not for children"
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["PARLEY_TEST_SECRET"]))
      const env = yield* ask(yield* open(`on = ({ id }) => result(id, process.env)`), 1)
      expect([env["OWN"], env["PATH"], env["PARLEY_TEST_SECRET"]]).toEqual(["yes", process.env["PATH"], undefined])
    })
  )
})

describe("StdioClient on Effect's spawner: closing", () => {
  it.live("a program that exits when its input closes is gone when close returns", () =>
    Effect.gen(function* () {
      const channel = yield* open(`on = ({ id }) => result(id, { pid: process.pid })`)
      const { pid } = yield* ask(channel, 1)
      yield* channel.close
      expect(lives(pid)).toBe(false)
    })
  )

  it.live("a program that ignores its input's end and SIGTERM is killed", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); on = ({ id }) => result(id, { pid: process.pid })`,
        quick
      )
      const { pid } = yield* ask(channel, 1)
      yield* channel.close
      expect(lives(pid)).toBe(false)
    })
  )

  it.live("what the program started is ended too, although the program itself exits at once", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `const child = require("child_process").spawn(process.execPath,
           ["-e", "process.on('SIGTERM', () => {}); process.stdout.write('up'); setInterval(() => {}, 1000)"], { stdio: ["ignore", "pipe", "ignore"] })
         const up = new Promise((resolve) => child.stdout.once("data", resolve))
         on = ({ id }) => up.then(() => result(id, { pid: process.pid, grandchild: child.pid }))
         process.stdin.on("end", () => process.exit(0))`,
        quick
      )
      const pids = yield* ask(channel, 1)
      expect(lives(pids["grandchild"])).toBe(true)
      yield* channel.close
      expect(yield* gone(pids["pid"], pids["grandchild"])).toBe(true)
    })
  )

  it.live("interruption leaves no process", () =>
    Effect.gen(function* () {
      const pid = yield* Deferred.make<unknown>()
      const fiber = yield* Effect.forkChild(
        Effect.scoped(
          Effect.gen(function* () {
            const channel = yield* open(`on = ({ id }) => result(id, { pid: process.pid })`)
            yield* Deferred.succeed(pid, (yield* ask(channel, 1))["pid"])
            return yield* Effect.never
          })
        )
      )
      const seen = yield* Deferred.await(pid)
      yield* Fiber.interrupt(fiber)
      expect(lives(seen)).toBe(false)
    })
  )

  it.live("a program that floods unread is let out when it is closed", () =>
    Effect.gen(function* () {
      const channel = yield* open(
        `on = ({ id }) => { result(id, { pid: process.pid }); for (let i = 0; i < 200_000; i++) say("noise " + i) }`,
        // Only its own exit can end this in the test's time, and Node does not exit before its output is written.
        { stdinMillis: 60_000 }
      )
      const { pid } = yield* ask(channel, 1)
      yield* until(Queue.isFull(channel.events))
      yield* channel.close
      expect(lives(pid)).toBe(false)
      expect(Exit.isFailure(yield* Effect.exit(Queue.collect(channel.events)))).toBe(false)
    })
  )

  it.live("a message without JSON is Lost for its own exchange, and the channel goes on", () =>
    Effect.gen(function* () {
      const channel = yield* open(``)
      yield* channel.send(post(1, { big: 1n }))
      expect(yield* Queue.take(channel.events)).toMatchObject({ _tag: "Lost", exchange: 1 })
      expect(yield* ask(channel, 2)).toEqual({})
    })
  )
})
