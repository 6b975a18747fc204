import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { deepest } from "@parley/core/Message"
import * as Profile from "@parley/core/server/Profile"
import type { Options as AdmissionOptions } from "@parley/runtime/Admission"
import * as Admission from "@parley/runtime/Admission"
import type { Handler } from "@parley/runtime/Handler"
import * as StdioServer from "@parley/node/StdioServer"
import { PassThrough, Writable } from "node:stream"
import * as Caller from "./support/Caller.ts"
import * as Piped from "./support/Piped.ts"

const profile = Profile.dual({
  serverInfo: { name: "tested", version: "1.0.0" },
  capabilities: { tools: { listChanged: true }, logging: {} }
})

/** A server on streams in memory. What it wrote is kept as text. */
const inMemory = (
  handler: Handler<unknown>,
  {
    changed,
    options,
    output
  }: {
    readonly changed?: Partial<Profile.Profile>
    readonly options?: AdmissionOptions
    readonly output?: Writable
  } = {}
) =>
  Effect.gen(function* () {
    const admission = yield* Admission.make({ ...profile, ...changed }, handler, options)
    const input = new PassThrough()
    const written = new Written()
    const fiber = yield* Effect.forkChild(StdioServer.serve({ admission, input, output: output ?? written }), {
      startImmediately: true
    })
    const say = (...messages: ReadonlyArray<unknown>): void => {
      input.write(
        messages.map((message) => `${typeof message === "string" ? message : JSON.stringify(message)}\n`).join("")
      )
    }
    return { input, written, say, done: Fiber.join(fiber), fiber }
  })

/** An output that takes everything at once. */
class Written extends Writable {
  text = ""
  pieces = 0
  private readonly watching = new Set<() => void>()

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.text += chunk.toString("utf8")
    this.pieces += 1
    callback()
    for (const look of this.watching) look()
  }

  override _writev(chunks: ReadonlyArray<{ readonly chunk: Buffer }>, callback: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "utf8", callback)
  }

  get lines(): ReadonlyArray<any> {
    return this.text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  }

  linesTo(count: number): Effect.Effect<ReadonlyArray<any>> {
    return Effect.callback((resume) => {
      const look = (): void => {
        if (this.lines.length < count) return
        this.watching.delete(look)
        resume(Effect.succeed(this.lines))
      }
      this.watching.add(look)
      look()
    })
  }
}

describe("StdioServer", () => {
  it.live("answers line by line, bad lines too, and ends at the end of input", () =>
    Effect.gen(function* () {
      const { done, input, say, written } = yield* inMemory(() => Effect.succeed({ tools: [] }))
      say("not JSON", Caller.initialize(1), Caller.initialized, "", Caller.legacy(2), Caller.stamped(3))
      input.end()
      expect(yield* done).toBe("ended")
      expect(written.lines).toMatchObject([
        { error: { code: -32700 } },
        { id: 1, result: { protocolVersion: "2025-11-25" } },
        { id: 2, result: { tools: [] } },
        { id: 3, result: { tools: [], resultType: "complete" } }
      ])
      expect(written.text.endsWith("\n")).toBe(true)
    })
  )

  it.live("reads a line that came in pieces, and a last one that has no newline", () =>
    Effect.gen(function* () {
      const { done, input, written } = yield* inMemory((request) => Effect.succeed({ said: request.params?.["said"] }))
      const bytes = Buffer.from(JSON.stringify(Caller.stamped(1, "tools/list", { said: "žluťoučký 🐎" })))
      for (const byte of bytes) input.write(Uint8Array.of(byte))
      input.end()
      expect(yield* done).toBe("ended")
      expect(written.lines).toMatchObject([{ id: 1, result: { said: "žluťoučký 🐎" } }])
    })
  )

  it.live("reads an input that gives text", () =>
    Effect.gen(function* () {
      const { done, input, say, written } = yield* inMemory(() => Effect.succeed({}))
      input.setEncoding("utf8")
      say(Caller.stamped("ž"))
      input.end()
      yield* done
      expect(written.lines).toMatchObject([{ id: "ž" }])
    })
  )

  it.live("writes what was asked in one piece in one piece", () =>
    Effect.gen(function* () {
      const { say, written } = yield* inMemory(() => Effect.succeed({}))
      say(...Array.from({ length: 50 }, (_, id) => Caller.stamped(id)))
      yield* written.linesTo(50)
      expect(written.pieces).toBe(1)
    })
  )

  it.live("writes the last answer after the end of input, and ends then", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const { done, fiber, input, say, written } = yield* inMemory(() =>
        Effect.andThen(Deferred.succeed(began, undefined), Effect.as(Deferred.await(go), { late: true }))
      )
      say(Caller.stamped(1))
      yield* Deferred.await(began)
      input.end()
      yield* Effect.callback<void>((resume) => void input.on("end", () => resume(Effect.void)))
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(go, undefined)
      expect(yield* done).toBe("ended")
      expect(written.lines).toMatchObject([{ id: 1, result: { late: true } }])
    })
  )

  it.live("waits until the last answer has gone out", () =>
    Effect.gen(function* () {
      const release = yield* Deferred.make<() => void>()
      const slow = new Writable({
        write: (_chunk, _encoding, callback) =>
          Deferred.doneUnsafe(
            release,
            Effect.succeed(() => callback())
          )
      })
      const { done, fiber, input, say } = yield* inMemory(() => Effect.succeed({}), { output: slow })
      say(Caller.stamped(1))
      input.end()
      const written = yield* Deferred.await(release)
      expect(fiber.pollUnsafe()).toBeUndefined()
      written()
      expect(yield* done).toBe("ended")
    })
  )

  it.live("ends when the client opens nothing in time", () =>
    Effect.gen(function* () {
      const { done, say, written } = yield* inMemory(() => Effect.succeed({}), {
        changed: { deadlines: { ...profile.deadlines, openingMillis: 20 } }
      })
      say(Caller.legacy(1, "ping"))
      expect(yield* done).toBe("timeout")
      expect(written.lines).toMatchObject([{ id: 1, result: {} }])
    })
  )

  it.live("interrupts what is being served when nobody reads its output any more, and ends", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const output = new PassThrough()
      const { done, say } = yield* inMemory(
        () =>
          Deferred.succeed(began, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
          ),
        { output }
      )
      say(Caller.stamped(1))
      yield* Deferred.await(began)
      output.destroy(new Error("EPIPE"))
      yield* Deferred.await(interrupted)
      expect(yield* done).toBe("ended")
    })
  )

  it.live("interrupts what is being served when it is interrupted, and leaves the streams open", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const { fiber, input, say, written } = yield* inMemory(() =>
        Deferred.succeed(began, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      )
      say(Caller.stamped(1))
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
      expect([input.destroyed, written.destroyed, written.text]).toEqual([false, false, ""])
      expect([input.listenerCount("data"), input.isPaused()]).toEqual([0, true])
    })
  )

  it.live("reads nothing more while the client does not read what was written", () =>
    Effect.gen(function* () {
      let served = 0
      const output = new PassThrough({ highWaterMark: 10_000 })
      const { done, input, say } = yield* inMemory(
        () =>
          Effect.sync(() => {
            served += 1
            return { text: "x".repeat(1_000) }
          }),
        { output }
      )
      const asked = 5_000
      say(...Array.from({ length: asked }, (_, id) => Caller.stamped(id)))
      input.end()
      yield* Effect.callback<void>((resume) => {
        if (output.writableNeedDrain) resume(Effect.void)
        else output.once("readable", () => resume(Effect.void))
      })
      expect(served).toBeLessThan(100)
      let text = ""
      output.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
      expect(yield* done).toBe("ended")
      expect(served).toBe(asked)
      expect(text.split("\n")).toHaveLength(asked + 1)
      expect(
        text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line).id)
      ).toEqual(Array.from({ length: asked }, (_, id) => id))
    })
  )

  it.live("lets a handler wait while the client does not read", () =>
    Effect.gen(function* () {
      const output = new PassThrough({ highWaterMark: 10_000 })
      const total = 500
      const waits = yield* Deferred.make<number>()
      const { done, input, say } = yield* inMemory(
        (_, context) =>
          Effect.gen(function* () {
            for (let sent = 0; sent < total; sent++) {
              const told = context.progress({ progress: sent, message: "x".repeat(1_000) })
              const fiber = yield* Effect.forkChild(told, { startImmediately: true })
              if (fiber.pollUnsafe() === undefined) yield* Deferred.succeed(waits, sent)
              yield* Fiber.join(fiber)
            }
            return {}
          }),
        { output }
      )
      say(Caller.stamped(1, "tools/list", {}, { progressToken: 1 }))
      expect(yield* Deferred.await(waits)).toBeLessThan(total)
      let text = ""
      output.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
      input.end()
      yield* done
      expect(text.split("\n")).toHaveLength(total + 2)
    })
  )

  it.live("is not moved by streams that have ended before", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(profile, () => Effect.succeed({}))
      const input = new PassThrough()
      input.destroy()
      expect(yield* StdioServer.serve({ admission, input, output: new Written() })).toBe("ended")
      const output = new PassThrough()
      output.destroy()
      expect(yield* StdioServer.serve({ admission, input: new PassThrough(), output })).toBe("ended")
    })
  )
})

describe("StdioServer, in a process", () => {
  it.live("serves on standard streams, and ends with its input", () =>
    Effect.gen(function* () {
      const server = yield* Piped.start()
      server.say(Caller.initialize(1), Caller.initialized, Caller.legacy(2, "ping"), Caller.stamped(3))
      yield* server.linesTo(3)
      expect(server.lines).toMatchObject([
        { id: 1 },
        { id: 2, result: {} },
        { id: 3, result: { resultType: "complete" } }
      ])
      server.child.stdin.end()
      expect(yield* server.exit).toEqual({ code: 0, stderr: "served: ended\n" })
    })
  )

  it.live("does not crash when its standard output is closed", () =>
    Effect.gen(function* () {
      const server = yield* Piped.start()
      server.say(Caller.initialize(1))
      yield* server.linesTo(1)
      server.child.stdout.destroy()
      // What is written into a pipe that nobody reads breaks it.
      const flood = setInterval(() => server.say(Caller.legacy(2, "ping")), 1)
      const exit = yield* server.exit
      clearInterval(flood)
      expect(exit).toEqual({ code: 0, stderr: "served: ended\n" })
    })
  )

  it.live("keeps what else the program writes out of its standard output", () =>
    Effect.gen(function* () {
      const server = yield* Piped.start({ tools: ["noisy"] })
      server.say(Caller.stamped(1, "tools/call", { name: "noisy" }))
      yield* server.linesTo(1)
      expect(server.lines).toMatchObject([{ id: 1, result: {} }])
      server.child.stdin.end()
      const { code, stderr } = yield* server.exit
      expect(code).toBe(0)
      expect(stderr).toContain("said on the console\nsaid on standard output\n")
    })
  )

  it.live("refuses a line that is too long, and reads the next one", () =>
    Effect.gen(function* () {
      const server = yield* Piped.start()
      server.child.stdin.write("x".repeat(6 * 1024 * 1024))
      server.child.stdin.write("\n")
      server.say(Caller.stamped(1))
      yield* server.linesTo(2)
      expect(server.lines[0]).toMatchObject({ error: { code: -32600, data: { parley: { rung: "line" } } } })
      expect(server.lines[0]).not.toHaveProperty("id")
      expect(server.lines[1]).toMatchObject({ id: 1, result: {} })
    })
  )

  it.live.each([
    {
      depth: 1_000_000,
      title: "refuses JSON that is as deep as a line can be",
      codes: [...Array.from({ length: 5 }, () => [undefined, -32700]), [6, undefined]]
    },
    {
      depth: deepest - 10,
      title: "answers JSON that is as deep as is read",
      codes: [
        [undefined, -32600],
        [undefined, -32700],
        ["open", -32602],
        [4, undefined],
        [5, undefined],
        [6, undefined]
      ]
    }
  ])(
    "$title",
    ({ codes, depth }) =>
      Effect.gen(function* () {
        const server = yield* Piped.start()
        const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`
        const lines = [
          deep,
          "[".repeat(4_000_000),
          JSON.stringify(Caller.initialize()).replace('"capabilities":{', `"capabilities":{"deep":${deep},`),
          JSON.stringify(Caller.stamped(4, "tools/call", { name: "plain_tool", arguments: "D" })).replace('"D"', deep),
          JSON.stringify(Caller.stamped(5, "tools/list", { extra: "D" })).replace('"D"', deep)
        ]
        server.say(...lines, Caller.stamped(6))
        yield* server.linesTo(6)
        expect(server.lines.map(({ error, id }) => [id, error?.code])).toEqual(codes)
      }),
    60_000
  )

  it.live("takes keys that name prototypes for what they are: keys", () =>
    Effect.gen(function* () {
      const server = yield* Piped.start()
      const evil = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'
      const call = JSON.stringify(Caller.stamped(1, "tools/call", { name: "plain_tool", arguments: {} }))
      server.say(
        call.replace('"arguments":{}', `"arguments":{${evil}}`).replace('"_meta":{', `${evil},"_meta":{${evil},`),
        Caller.stamped(2, "__proto__"),
        Caller.notification("notifications/cancelled", { requestId: "__proto__" }),
        Caller.stamped(3)
      )
      yield* server.linesTo(3)
      expect(server.lines).toMatchObject([
        { id: 1, result: { content: [{ text: `{${evil}}` }] } },
        { id: 2, error: { code: -32601 } },
        { id: 3, result: {} }
      ])
    })
  )

  it.live(
    "answers a million junk lines, with no more memory than before, and then a good client",
    () =>
      Effect.gen(function* () {
        const server = yield* Piped.start()
        server.say(Caller.stamped(1))
        yield* server.linesTo(1)
        yield* server.junk(20_000)
        const before = yield* server.heap
        yield* server.junk(980_000)
        const after = yield* server.heap
        expect(server.refused).toBe(1_000_000)
        expect(after - before).toBeLessThan(5 * 1024 * 1024)
        server.say(Caller.initialize(2))
        yield* server.linesTo(2)
        expect(server.lines[1]).toMatchObject({ id: 2, result: { protocolVersion: "2025-11-25" } })
        server.child.stdin.end()
        expect((yield* server.exit).code).toBe(0)
      }),
    240_000
  )
})
