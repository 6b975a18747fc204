// The stdio server in memory, on Effect's Stdio with a clock of the test, and as a program of its own.
import { NodeSink } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "@parley/core/Message"
import * as StdioServer from "@parley/platform/StdioServer"
import * as Admission from "@parley/runtime/Admission"
import { type Cause, Effect, Exit, Fiber, Latch, PlatformError, Queue, Scope, Sink, Stdio, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { Writable } from "node:stream"
import { call, initialize, initialized, Signal, stamped } from "./support/Caller.ts"
import * as Example from "./support/Example.ts"
import * as Program from "./support/Program.ts"

const onPipe = { ...Example.both, transport: "stdio" } as const
const line = (message: JsonObject): string => `${JSON.stringify(message)}\n`
const discover = (id: number): string => line(stamped(id, "server/discover"))

interface Given {
  readonly stdout?: Sink.Sink<void, string | Uint8Array>
  readonly admission?: Effect.Effect<Admission.Admission, never, Scope.Scope>
}

/** A server that runs on an input to write to and an output to read from. */
const running = (given: Given = {}) =>
  Effect.gen(function* () {
    const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
    const lines = yield* Queue.unbounded<any>()
    const decoder = new TextDecoder()
    let rest = ""
    const read = Sink.forEach((chunk: string | Uint8Array) =>
      Effect.sync(() => {
        const parts = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split("\n")
        rest = parts.pop() ?? ""
        for (const part of parts) Queue.offerUnsafe(lines, JSON.parse(part))
      })
    )
    const stdio = Stdio.layerTest({ stdin: Stream.fromQueue(input), stdout: () => given.stdout ?? read })
    const admission = yield* given.admission ?? Example.admission(onPipe)
    const server = yield* StdioServer.serve({ admission }).pipe(Effect.provide(stdio), Effect.forkScoped)
    return {
      server,
      lines,
      write: (text: string | Uint8Array) =>
        Queue.offerUnsafe(input, typeof text === "string" ? new TextEncoder().encode(text) : text),
      end: Queue.end(input),
      closed: Fiber.join(server)
    }
  })

const watched = () => {
  const begun = new Signal()
  const interrupted = new Signal()
  const admission = Example.admission(onPipe, { watch: { begun: begun.tell, interrupted: interrupted.tell } })
  return { begun, interrupted, admission }
}

describe("StdioServer on Stdio in memory", () => {
  it.effect("answers line by line, however they are cut, and ends with its input", () =>
    Effect.gen(function* () {
      const { closed, end, lines, write } = yield* running()
      const text = new TextEncoder().encode(`${discover(1)}\r\n${line(stamped(2, "tools/list"))}`)
      for (const byte of text) write(new Uint8Array([byte]))
      expect(yield* Queue.take(lines)).toMatchObject({ id: 1 })
      expect(yield* Queue.take(lines)).toMatchObject({ id: 2, result: { resultType: "complete" } })
      yield* end
      expect(yield* closed).toBe("ended")
    })
  )

  it.effect("answers what is no message, and reads the next line", () =>
    Effect.gen(function* () {
      const limits = { lineBytes: 1_000 }
      const { closed, end, lines, write } = yield* running({
        admission: Example.admission(onPipe, { profile: { limits } })
      })
      write(`not json\n[]\n{"jsonrpc":"1.0"}\n${"x".repeat(2_000)}\n`)
      write(new Uint8Array([0xff, 0xfe, 0x0a]))
      write(discover(1))
      const codes = [-32700, -32600, -32600, -32600, -32700]
      for (const code of codes) expect(yield* Queue.take(lines)).toMatchObject({ error: { code } })
      expect(yield* Queue.take(lines)).toMatchObject({ id: 1, result: {} })
      yield* end
      expect(yield* closed).toBe("ended")
    })
  )

  it.effect("answers what was still being served, and a last line without its newline, before it ends", () =>
    Effect.gen(function* () {
      const latch = Latch.makeUnsafe()
      const admission = Admission.make(Example.profile(onPipe), () => Effect.as(latch.await, { content: [] }))
      const { closed, end, lines, server, write } = yield* running({ admission })
      write(line(call(1, "echo")))
      write(discover(2).trimEnd())
      yield* end
      expect(yield* Queue.take(lines)).toMatchObject({ id: 2 })
      expect(server.pollUnsafe()).toBeUndefined()
      yield* latch.open
      expect(yield* Queue.take(lines)).toMatchObject({ id: 1, result: { content: [] } })
      expect(yield* closed).toBe("ended")
    })
  )

  it.effect("closes a pipe on which nothing is opened, though its input goes on", () =>
    Effect.gen(function* () {
      const { closed, lines, write } = yield* running()
      write("noise\n")
      expect(yield* Queue.take(lines)).toMatchObject({ error: { code: -32700 } })
      yield* TestClock.adjust("30 seconds")
      expect(yield* closed).toBe("timeout")
    })
  )

  it.effect("keeps its door open for a client that is silent after the handshake", () =>
    Effect.gen(function* () {
      const { closed, end, lines, server, write } = yield* running()
      write(line(initialize) + line(initialized))
      yield* Queue.take(lines)
      yield* TestClock.adjust("3 hours")
      expect(server.pollUnsafe()).toBeUndefined()
      yield* end
      expect(yield* closed).toBe("ended")
    })
  )

  it.effect.each<[string, Effect.Effect<void, unknown>]>([
    ["fails", Effect.fail(new Error("EPIPE"))],
    ["dies", Effect.die(new Error("no such stream"))],
    ["is interrupted", Effect.interrupt]
  ])("interrupts what is being served and ends where the output %s", ([_, broken]) =>
    Effect.gen(function* () {
      const { admission, interrupted } = watched()
      // A Stdio may fail in any way; the types of Effect's own know one.
      const stdout = Sink.forEach(() => broken) as Sink.Sink<void, string | Uint8Array>
      const { closed, write } = yield* running({ admission, stdout })
      write(line(call(1, "wait")) + discover(2))
      expect(yield* closed).toBe("ended")
      yield* interrupted.until("wait")
    })
  )

  it.effect("ends where the output is over before anything was written", () =>
    Effect.gen(function* () {
      const { closed } = yield* running({ stdout: Sink.succeed(undefined) })
      expect(yield* closed).toBe("ended")
    })
  )

  it.effect("lets go of its input when it is over", () =>
    Effect.gen(function* () {
      const released = new Signal()
      const stdin = Stream.concat(Stream.make(new TextEncoder().encode("noise\n")), Stream.never).pipe(
        Stream.ensuring(Effect.sync(() => released.tell("input")))
      )
      // The types of Effect's own Stdio know one failure.
      const stdout = Sink.forEach(() => Effect.fail("EPIPE")) as unknown as ReturnType<Stdio.Stdio["stdout"]>
      const admission = yield* Example.admission(onPipe)
      const stdio = Stdio.layerTest({ stdin, stdout: () => stdout })
      expect(yield* StdioServer.serve({ admission }).pipe(Effect.provide(stdio))).toBe("ended")
      expect(released.has("input")).toBe(true)
    })
  )

  it.effect("is over when its output has taken the last answer, not when it was handed over", () =>
    Effect.gen(function* () {
      const asked = new Signal()
      let take = (): void => undefined
      const output = new Writable({
        write: (_chunk, _encoding, done) => {
          take = done
          asked.tell("write")
        }
      })
      const onError = (cause: unknown) =>
        PlatformError.systemError({ module: "Stdio", method: "stdout", _tag: "Unknown", cause })
      const stdio = Stdio.layerTest({
        stdin: Stream.make(new TextEncoder().encode("noise")),
        stdout: (options) => NodeSink.fromWritable({ evaluate: () => output, onError, ...options })
      })
      const admission = yield* Example.admission(onPipe)
      const server = yield* StdioServer.serve({ admission }).pipe(Effect.provide(stdio), Effect.forkScoped)
      yield* asked.until("write")
      for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
      expect(server.pollUnsafe()).toBeUndefined()
      take()
      expect(yield* Fiber.join(server)).toBe("ended")
      expect(output.writableFinished).toBe(true)
    })
  )

  it.effect("takes input that breaks for its end", () =>
    Effect.gen(function* () {
      const admission = yield* Example.admission(onPipe)
      const stdin = Stream.concat(Stream.make(new TextEncoder().encode("noise\n")), Stream.die(new Error("EIO")))
      const written: Array<string | Uint8Array> = []
      const stdout = () => Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => written.push(chunk)))
      const why = yield* StdioServer.serve({ admission }).pipe(Effect.provide(Stdio.layerTest({ stdin, stdout })))
      expect([why, written.length]).toEqual(["ended", 1])
    })
  )

  it.effect("reads no more while the client does not read", () =>
    Effect.gen(function* () {
      const latch = Latch.makeUnsafe()
      const stalled = Sink.forEach((_: string | Uint8Array) => latch.await)
      const chunk = new TextEncoder().encode(discover(1))
      let read = 0
      const stdin = Stream.make(chunk).pipe(
        Stream.forever,
        Stream.tap(() =>
          Effect.andThen(
            Effect.sync(() => (read += 1)),
            Effect.yieldNow
          )
        ),
        Stream.take(5_000)
      )
      const admission = yield* Example.admission(onPipe)
      const server = yield* StdioServer.serve({ admission }).pipe(
        Effect.provide(Stdio.layerTest({ stdin, stdout: () => stalled })),
        Effect.forkScoped
      )
      for (let last = -1; read !== last; yield* Effect.yieldNow) {
        last = read
        for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      }
      expect(read).toBeGreaterThan(50)
      expect(read).toBeLessThan(1_000)
      yield* latch.open
      expect(yield* Fiber.join(server)).toBe("ended")
      expect(read).toBe(5_000)
    })
  )

  it.effect("interrupts what is being served when it is interrupted itself", () =>
    Effect.gen(function* () {
      const { admission, begun, interrupted } = watched()
      const { server, write } = yield* running({ admission })
      write(line(call(1, "wait")))
      yield* begun.until("wait")
      yield* Fiber.interrupt(server)
      yield* interrupted.until("wait")
    })
  )

  it.effect("answers what is being served when its admission ends, and refuses what comes then", () =>
    Effect.gen(function* () {
      const { admission, begun, interrupted } = watched()
      const scope = yield* Scope.make()
      const { lines, write } = yield* running({ admission: Scope.provide(admission, scope) })
      write(line(call(1, "wait")))
      yield* begun.until("wait")
      yield* Scope.close(scope, Exit.void)
      yield* interrupted.until("wait")
      expect(yield* Queue.take(lines)).toMatchObject({ id: 1, error: { code: -32603 } })
      write(line(call(2, "echo")))
      expect(yield* Queue.take(lines)).toMatchObject({ id: 2, error: { data: { parley: { rung: "closing" } } } })
    })
  )
})

describe("StdioServer as a program of its own", () => {
  const started = (openingMillis?: number) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const { args, command } = Program.command(onPipe, openingMillis)
        return new Running(spawn(command, args))
      }),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    )

  it.live("answers, and ends by itself with its input, when all of its last answer is out", () =>
    Effect.gen(function* () {
      const program = yield* started()
      program.child.stdin.write(discover(1))
      yield* program.until(({ stdout }) => stdout.includes("\n"))
      program.child.stdin.end(line(call(2, "large")))
      yield* program.exited
      expect([program.code, program.stderr.trim()]).toEqual([0, "closed: ended"])
      const [first, second] = program.stdout.trimEnd().split("\n")
      expect(JSON.parse(first ?? "")).toMatchObject({ id: 1 })
      expect(JSON.parse(second ?? "").result.content[0].text).toHaveLength(1_048_576)
    })
  )

  it.live.each<[string, string]>([
    ["at once", discover(1)],
    ["while it is served", line(call(1, "wait")) + discover(2)],
    ["with an answer larger than a pipe holds", line(call(1, "large"))]
  ])("does not crash when nobody reads its output any more: %s", ([_, text]) =>
    Effect.gen(function* () {
      const program = yield* started()
      program.child.stdout.destroy()
      program.child.stdin.write(text)
      yield* program.exited
      expect([program.code, program.stderr.trim()]).toEqual([0, "closed: ended"])
    })
  )

  it.live("does not crash when its output is closed just before its end", () =>
    Effect.gen(function* () {
      const program = yield* started()
      program.child.stdin.write(discover(1))
      yield* program.until(({ stdout }) => stdout.includes("\n"))
      program.child.stdout.destroy()
      program.child.stdin.end()
      yield* program.exited
      expect([program.code, program.stderr.trim()]).toEqual([0, "closed: ended"])
    })
  )

  it.live("ends when the client opens nothing in time, though it keeps the pipe", () =>
    Effect.gen(function* () {
      const program = yield* started(50)
      yield* program.exited
      expect([program.code, program.stderr.trim()]).toEqual([0, "closed: timeout"])
    })
  )

  it.live("ends on SIGTERM while it serves", () =>
    Effect.gen(function* () {
      const program = yield* started()
      program.child.stdin.write(line(call(1, "wait")) + discover(2))
      yield* program.until(({ stdout }) => stdout.includes("\n"))
      program.child.kill("SIGTERM")
      yield* program.exited
      // The code that Effect gives a program that was interrupted.
      expect([program.code, program.stderr]).toEqual([130, ""])
    })
  )
})

class Running {
  readonly child: ChildProcessWithoutNullStreams
  stdout = ""
  stderr = ""
  code: number | null | undefined
  signal: string | null = null
  private watching: Array<() => void> = []

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      this.stdout += chunk
      this.changed()
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (this.stderr += chunk))
    child.stdin.on("error", () => undefined)
    child.on("close", (code, signal) => {
      this.code = code
      this.signal = signal
      this.changed()
    })
  }

  get exited(): Effect.Effect<this> {
    return this.until(({ code }) => code !== undefined)
  }

  until(is: (program: Running) => boolean): Effect.Effect<this> {
    return Effect.callback((resume) => {
      const look = (): void => {
        if (is(this)) resume(Effect.succeed(this))
        else if (this.code !== undefined) resume(Effect.die(new Error(`ended: ${this.stderr}`)))
        else this.watching.push(look)
      }
      look()
    })
  }

  private changed(): void {
    for (const look of this.watching.splice(0)) look()
  }
}
