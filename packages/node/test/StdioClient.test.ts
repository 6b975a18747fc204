import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Queue, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Closed, Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type { Limits } from "@parley/core/Launch"
import { request } from "@parley/core/Message"
import * as StdioClient from "@parley/node/StdioClient"
import type { Channel } from "@parley/runtime/Transport"
import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** A server program of a few lines: `on(method, message)` runs for each request, `say` writes a line, `result` answers. */
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

const transport = (body: string, limits: Partial<Limits> = {}, env?: { readonly [name: string]: string }) =>
  StdioClient.make({
    command: process.execPath,
    args: ["-e", program(body)],
    limits,
    ...(env === undefined ? undefined : { env })
  })

const post = (exchange: number, method = "ping", params?: { readonly [key: string]: unknown }): Outgoing => ({
  _tag: "Post",
  exchange,
  message: request(exchange, method, params),
  headers: {}
})

/** Takes events up to and with the first that tells the end. */
const untilEnd = (channel: Channel): Effect.Effect<ReadonlyArray<Event>> =>
  Effect.gen(function* () {
    const seen: Array<Event> = []
    while (true) {
      const event = yield* Effect.orDie(Queue.take(channel.events))
      seen.push(event)
      if (event._tag === "Closed" || event._tag === "Lost") return seen
    }
  })

const resultOf = (event: Event): unknown =>
  event._tag === "Arrived" && "result" in event.message ? event.message.result : event

/** Asks for one answer and gives its result. */
const ask = (channel: Channel, exchange: number, method?: string): Effect.Effect<Record<string, unknown>> =>
  Effect.gen(function* () {
    yield* channel.send(post(exchange, method))
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

const closedOf = (events: ReadonlyArray<Event>): Closed => {
  const last = events.at(-1)
  if (last?._tag !== "Closed") throw new Error(`expected Closed, received ${JSON.stringify(last)}`)
  return last
}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-stdio-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("StdioClient: reading", () => {
  it.live("tolerates CRLF, a BOM and blank lines", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`
        process.stdout.write("\\ufeff\\r\\n\\n")
        on = ({ id }) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "ž 🐎" } }) + "\\r\\n\\r\\n")
      `).open
      yield* channel.send(post(1))
      yield* channel.send(post(2))
      expect(resultOf(yield* Queue.take(channel.events))).toEqual({ text: "ž 🐎" })
      expect(resultOf(yield* Queue.take(channel.events))).toEqual({ text: "ž 🐎" })
    })
  )

  it.live("gives noise as stray and goes on", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`
        say("Server listening"); say("[1]")
        on = ({ id }) => result(id)
      `).open
      yield* channel.send(post(1))
      expect(yield* Queue.take(channel.events)).toMatchObject({
        _tag: "Stray",
        problem: "notJson",
        head: "Server listening"
      })
      expect(yield* Queue.take(channel.events)).toMatchObject({ _tag: "Stray", problem: "notJsonRpc" })
      expect(yield* Queue.take(channel.events)).toMatchObject({ _tag: "Arrived" })
    })
  )

  it.live("skips an overlong line and reads the next", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`on = ({ id }) => { say("x".repeat(5_000_000)); result(id) }`, {
        lineBytes: 100_000
      }).open
      yield* channel.send(post(1))
      const stray = yield* Queue.take(channel.events)
      expect(stray).toMatchObject({ _tag: "Stray", problem: "overlong" })
      expect(stray._tag === "Stray" && stray.head.length).toBe(200)
      expect(resultOf(yield* Queue.take(channel.events))).toEqual({})
    })
  )

  it.live("reads characters and lines that are split over writes", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`
        on = ({ id }) => {
          const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "漢🐎" } }) + "\\n")
          const next = (at) => at < bytes.length && process.stdout.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1))
          next(0)
        }
      `).open
      yield* channel.send(post(1))
      expect(resultOf(yield* Queue.take(channel.events))).toEqual({ text: "漢🐎" })
    })
  )

  it.live("gives a last message that has no newline", () =>
    Effect.gen(function* () {
      const channel = yield* transport(
        `on = ({ id }) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: {} }), () => process.exit(0))`
      ).open
      yield* channel.send(post(1))
      expect((yield* untilEnd(channel)).map((event) => event._tag)).toEqual(["Arrived", "Closed"])
    })
  )
})

describe("StdioClient: the end of the program", () => {
  it.live("a process that dies at once is Closed with its exit code and what it wrote to standard error", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`process.stderr.write("no config: ž\\n", () => process.exit(7))`).open
      expect(yield* untilEnd(channel)).toEqual([{ _tag: "Closed", exitCode: 7, stderr: "no config: ž\n" }])
    })
  )

  it.live("a process that ends by a signal is Closed with the signal", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`process.kill(process.pid, "SIGKILL")`).open
      expect(closedOf(yield* untilEnd(channel))).toEqual({ _tag: "Closed", signal: "SIGKILL", stderr: "" })
    })
  )

  it.live("everything that was written before the exit arrives before Closed", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`
        for (let i = 0; i < 5000; i++) result(i, { pad: "x".repeat(100) })
        process.exitCode = 3
        process.stdin.destroy()
      `).open
      const events = yield* untilEnd(channel)
      expect(events.length).toBe(5001)
      expect(closedOf(events).exitCode).toBe(3)
    })
  )

  it.live("keeps the last 64 KiB of standard error, and always drains it", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`
        process.stderr.write("y".repeat(1_000_000) + "the end", () => process.exit(1))
      `).open
      const { stderr } = closedOf(yield* untilEnd(channel))
      expect(stderr.length).toBe(64 * 1024)
      expect(stderr.endsWith("yythe end")).toBe(true)
    })
  )

  it.live("a process that closes its output but lives on is Closed without an exit code, and ended", () =>
    Effect.gen(function* () {
      const channel = yield* transport(
        `on = ({ id }) => {
           result(id, { pid: process.pid })
           require("fs").closeSync(1)
           process.stdin.on("end", () => {})
           setInterval(() => {}, 1000)
         }`,
        { settleMillis: 50, stdinMillis: 50 }
      ).open
      const { pid } = yield* ask(channel, 1)
      expect(yield* untilEnd(channel)).toEqual([{ _tag: "Closed", stderr: "" }])
      expect(yield* gone(pid)).toBe(true)
    })
  )

  it.live("an exit is told although another process holds the output", () =>
    Effect.gen(function* () {
      const channel = yield* transport(
        `on = ({ id }) => {
           const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })
           child.on("spawn", () => { result(id, { pid: child.pid }); setImmediate(() => process.exit(4)) })
         }`,
        { settleMillis: 50, stdinMillis: 50 }
      ).open
      const { pid } = yield* ask(channel, 1)
      expect(yield* untilEnd(channel)).toEqual([{ _tag: "Closed", exitCode: 4, stderr: "" }])
      expect(yield* gone(pid)).toBe(true)
    })
  )

  it.live("a process that closes its input but lives on is Lost once something is sent", () =>
    Effect.gen(function* () {
      const channel = yield* transport(
        `on = ({ id }) => { process.stdin.destroy(); require("fs").closeSync(0); result(id, { pid: process.pid }); setInterval(() => {}, 1000) }`,
        { settleMillis: 50, stdinMillis: 50 }
      ).open
      const { pid } = yield* ask(channel, 1)
      yield* channel.send(post(2))
      yield* channel.send(post(3))
      const events = yield* untilEnd(channel)
      expect(events).toEqual([{ _tag: "Lost", cause: expect.stringContaining("closed its input") }])
      expect(yield* gone(pid)).toBe(true)
      yield* channel.close
      expect(Exit.isFailure(yield* Effect.exit(Queue.take(channel.events)))).toBe(true)
    })
  )

  it.live("writing to a process that has gone is harmless, and Closed comes once", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`process.stdin.pause(); process.exit(0)`).open
      for (let i = 0; i < 100; i++) yield* channel.send(post(i, "ping", { pad: "x".repeat(10_000) }))
      expect((yield* untilEnd(channel)).map((event) => event._tag)).toEqual(["Closed"])
      for (let i = 0; i < 100; i++) yield* channel.send(post(i))
      yield* channel.close
      expect(yield* Queue.collect(channel.events)).toEqual([])
    })
  )
})

describe("StdioClient: opening", () => {
  it.live("a missing command fails with a sentence and cannot be mended by trying again", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(
        StdioClient.make({ command: "/no/such/command", args: ["--token", "hush"] }).open
      )
      expect(failure._tag).toBe("TransportFailure")
      expect(failure.message).toContain("The command /no/such/command was not found")
      expect(failure.retryable).toBe(false)
      expect(JSON.stringify(failure)).not.toContain("hush")
    })
  )

  it.live("a missing directory is told from a missing command", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(
        StdioClient.make({ command: process.execPath, cwd: "/no/such/directory" }).open
      )
      expect(failure.message).toContain("The directory /no/such/directory does not exist")
    })
  )

  it.live("a file where a directory should be, and a file that may not be executed, fail with their reason", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const file = join(directory, "server")
      writeFileSync(file, "#!/bin/sh\nexit 0\n")
      chmodSync(file, 0o600)
      expect((yield* Effect.flip(StdioClient.make({ command: process.execPath, cwd: file }).open)).message).toContain(
        "directory"
      )
      expect((yield* Effect.flip(StdioClient.make({ command: file }).open)).message).toContain("may not be executed")
    })
  )

  it.live("arguments that no process can have fail instead of throwing, and are not shown", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(StdioClient.make({ command: process.execPath, args: ["a\0hush"] }).open)
      expect(failure.message).toContain("cannot be started")
      expect(failure.message).not.toContain("hush")
    })
  )

  it.live("gives the program the inherited names and its own, and no other", () =>
    Effect.gen(function* () {
      process.env["PARLEY_TEST_SECRET"] = "not for children"
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["PARLEY_TEST_SECRET"]))
      const channel = yield* transport(`on = ({ id }) => result(id, process.env)`, {}, { OWN: "yes" }).open
      const env = yield* ask(channel, 1)
      expect(env["OWN"]).toBe("yes")
      expect(env["PATH"]).toBe(process.env["PATH"])
      expect(env["PARLEY_TEST_SECRET"]).toBeUndefined()
    })
  )

  it.live("runs the program in its directory", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const args = ["-e", program(`on = ({ id }) => result(id, { cwd: process.cwd() })`)]
      const channel = yield* StdioClient.make({ command: process.execPath, args, cwd: directory }).open
      expect(yield* ask(channel, 1)).toEqual({ cwd: directory })
    })
  )
})

describe("StdioClient: closing", () => {
  it.live("a program that exits when its input closes is gone when close returns", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`on = ({ id }) => result(id, { pid: process.pid })`).open
      const { pid } = yield* ask(channel, 1)
      expect(lives(pid)).toBe(true)
      yield* channel.close
      expect(lives(pid)).toBe(false)
      yield* channel.close
      yield* channel.send(post(2))
      expect(yield* Queue.collect(channel.events)).toEqual([])
    })
  )

  const stubborn = `
    process.on("SIGTERM", () => process.stderr.write("term"))
    process.stdin.on("end", () => {})
    setInterval(() => {}, 1000)
    on = ({ id }) => result(id, { pid: process.pid })`

  it.live("a program that ignores its input's end and SIGTERM is killed", () =>
    Effect.gen(function* () {
      const channel = yield* transport(stubborn, { stdinMillis: 50, termMillis: 50 }).open
      const { pid } = yield* ask(channel, 1)
      yield* channel.close
      expect(lives(pid)).toBe(false)
    })
  )

  it.effect("waits 2 s for the exit, 2 s after SIGTERM, on Effect's clock", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const channel = yield* Scope.provide(transport(stubborn).open, scope)
      const { pid } = yield* ask(channel, 1)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1999 millis")
      expect(lives(pid)).toBe(true)
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("1999 millis")
      expect(lives(pid)).toBe(true)
      expect(closing.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)
      expect(lives(pid)).toBe(false)
    })
  )

  const grandchild = (ignoring: string): string => `
    const child = require("child_process").spawn(process.execPath,
      ["-e", ${JSON.stringify(`${ignoring}; process.stdout.write("up"); setInterval(() => {}, 1000)`)}], { stdio: ["ignore", "pipe", "ignore"] })
    const up = new Promise((resolve) => child.stdout.once("data", resolve))
    on = ({ id }) => up.then(() => result(id, { pid: process.pid, grandchild: child.pid }))
    process.stdin.on("end", () => process.exit(0))`

  it.live("what the program started is ended too, although the program itself exits at once", () =>
    Effect.gen(function* () {
      const channel = yield* transport(grandchild(""), { stdinMillis: 50 }).open
      const pids = yield* ask(channel, 1)
      expect(lives(pids["grandchild"])).toBe(true)
      yield* channel.close
      expect(yield* gone(pids["pid"], pids["grandchild"])).toBe(true)
    })
  )

  it.live("what the program started is killed where it ignores SIGTERM", () =>
    Effect.gen(function* () {
      const channel = yield* transport(grandchild(`process.on("SIGTERM", () => {})`), {
        stdinMillis: 50,
        termMillis: 50
      }).open
      const pids = yield* ask(channel, 1)
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
            const channel = yield* transport(`on = ({ id }) => result(id, { pid: process.pid })`).open
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

  it.live("a closed channel keeps nothing alive, not even where a process left the group and holds the pipes", () =>
    Effect.gen(function* () {
      const server = program(`
        const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit", detached: true })
        child.unref()
        on = ({ id }) => result(id, { pid: child.pid })
        process.stdin.on("end", () => process.exit(0))`)
      const [register, user] = ["../../../scripts/register.mjs", "./support/stdio-user-bin.ts"].map((path) =>
        fileURLToPath(new URL(path, import.meta.url))
      )
      const run = promisify(execFile)(process.execPath, ["--import", String(register), String(user), server], {
        timeout: 15_000
      })
      const [event, closed] = (yield* Effect.promise(() => run)).stdout.split("\n")
      process.kill(JSON.parse(String(event)).message.result.pid, "SIGKILL")
      expect(closed).toBe("closed")
    })
  )

  it.live("a program that floods is let out, not held up, when it is closed", () =>
    Effect.gen(function* () {
      const channel = yield* transport(
        `on = ({ id }) => { result(id, { pid: process.pid }); for (let i = 0; i < 200_000; i++) say("noise " + i) }`,
        // Only its own exit can end this in the test's time, and Node does not exit before its output is written.
        { stdinMillis: 60_000 }
      ).open
      const { pid } = yield* ask(channel, 1)
      yield* until(Queue.isFull(channel.events))
      yield* channel.close
      expect(lives(pid)).toBe(false)
    })
  )
})

describe("StdioClient: pressure", () => {
  it.live("loses nothing of a flood that is larger than its queue", () =>
    Effect.gen(function* () {
      const lines = 40_000
      const channel = yield* transport(`
        for (let n = 0; n < ${lines}; n++) say(JSON.stringify({ jsonrpc: "2.0", method: "n", params: { n, pad: "x".repeat(500) } }))
        process.stdin.destroy()
      `).open
      const events = yield* untilEnd(channel)
      const seen = events.map(
        (event) => event._tag === "Arrived" && "params" in event.message && event.message.params?.["n"]
      )
      expect(seen).toEqual([...Array.from({ length: lines }, (_, n) => n), false])
    })
  )

  it.effect("an exit does not wait for a reader who does not read, nor overtake what was written", () =>
    Effect.gen(function* () {
      const channel = yield* transport(
        `for (let i = 0; i < 300; i++) result(i, { pid: process.pid }); process.exitCode = 5; process.stdin.destroy()`,
        { queuedEvents: 2, settleMillis: 5 }
      ).open
      const first = yield* Queue.take(channel.events)
      const { pid } = { pid: undefined, ...Object(resultOf(first)) }
      expect(yield* TestClock.withLive(gone(pid))).toBe(true)
      // Several times as long as an exit waits for output that does not come.
      for (let n = 0; n < 5; n++) yield* TestClock.adjust("5 millis")
      const events = [first, ...(yield* untilEnd(channel))]
      expect(events.length).toBe(301)
      expect(closedOf(events).exitCode).toBe(5)
    })
  )

  it.live("a send waits while the program reads nothing, and can be interrupted", () =>
    Effect.gen(function* () {
      const channel = yield* transport(`process.stdin.pause(); say("{}"); setInterval(() => {}, 1000)`, {
        stdinMillis: 10,
        termMillis: 10
      }).open
      yield* Queue.take(channel.events)
      yield* channel.send(post(1, "big", { pad: "x".repeat(4_000_000) }))
      const second = yield* Effect.forkChild(channel.send(post(2)), { startImmediately: true })
      expect(second.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(second)
      const many = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 50 }), (_, n) => channel.send(post(n)), { concurrency: "unbounded" })
      )
      yield* Effect.yieldNow
      yield* channel.close
      yield* Fiber.join(many)
    })
  )

  it.live("a message without JSON is Lost for its own exchange, and the channel goes on", () =>
    Effect.gen(function* () {
      const channel = yield* transport(``).open
      yield* channel.send(post(1, "x", { big: 1n }))
      expect(yield* Queue.take(channel.events)).toMatchObject({ _tag: "Lost", exchange: 1 })
      expect(yield* ask(channel, 2)).toEqual({})
    })
  )
})
