import { type ChildProcess, spawn } from "node:child_process"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CommandTarget } from "@parley/testing/Scripted"
import * as ScriptedStdio from "@parley/testing/ScriptedStdio"

interface Started {
  readonly child: ChildProcess
  readonly say: (text: string) => void
  readonly out: () => string
  readonly err: () => string
}

const start = (target: CommandTarget): Started => {
  const child = spawn(target.command, target.args, { stdio: "pipe" })
  let out = ""
  let err = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk))
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk))
  child.stdin.on("error", () => undefined)
  return { child, say: (text) => child.stdin.write(text), out: () => out, err: () => err }
}

const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep(5)
  })

const ended = (child: ChildProcess) =>
  Effect.promise(() =>
    child.exitCode === null && child.signalCode === null
      ? new Promise<number | null>((resolve) => child.once("close", resolve))
      : Promise.resolve(child.exitCode)
  )

const line = (method: string, id: unknown = 1) => `${JSON.stringify({ jsonrpc: "2.0", id, method })}\n`

describe("ScriptedStdio", () => {
  it.live("is a process that answers by its rows and ends with its input", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([
        { on: { method: "a" }, reply: { raw: "noise\n", body: { id: "{{request.id}}" }, stderr: "to err\n" } },
        { on: { method: "b" }, reply: { body: { slow: true }, delayMs: 60 } },
        { on: { method: "c" }, reply: { body: { fast: true }, chunkBytes: 3 } }
      ])
      const one = start(peer.target)
      one.say(`${line("a", "x")}\r\nnot json\n${line("none")}`)
      yield* until(() => one.out() === 'noise\n{"id":"x"}\n' && one.err() === "to err\n")
      one.say(line("b") + line("c"))
      yield* until(() => one.out().endsWith('{"fast":true}\n{"slow":true}\n'))
      one.child.stdin?.end()
      expect(yield* ended(one.child)).toBe(0)
      const { received, processes, wire } = yield* peer.record
      expect(received.map(({ method, text, row }) => [method ?? text, row])).toEqual([
        ["a", 0],
        ["not json", undefined],
        ["none", undefined],
        ["b", 1],
        ["c", 2]
      ])
      expect(processes).toEqual([{ pid: one.child.pid, exitCode: 0 }])
      expect(wire[0]).toContain("started")
    })
  )

  it.live("ends with code 3 or with the code of the row, and counts on in the next process", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([
        { on: { method: "a", nth: 1 }, reply: { exit: true } },
        { on: { method: "a", nth: 2 }, reply: { stderr: "dying\n", body: { last: 1 }, exit: 7 } },
        { on: { method: "a", nth: 3 }, reply: { body: { third: true } } }
      ])
      const first = start(peer.target)
      first.say(line("a"))
      expect(yield* ended(first.child)).toBe(3)
      const second = start(peer.target)
      second.say(line("a"))
      expect(yield* ended(second.child)).toBe(7)
      expect([second.out(), second.err()]).toEqual(['{"last":1}\n', "dying\n"])
      const third = start(peer.target)
      third.say(line("a"))
      yield* until(() => third.out() === '{"third":true}\n')
      third.child.stdin?.end()
      yield* ended(third.child)
      const { received, processes } = yield* peer.record
      expect(received.map(({ nth, pid }) => [nth, pid])).toEqual([
        [1, first.child.pid],
        [2, second.child.pid],
        [3, third.child.pid]
      ])
      expect(processes.map(({ exitCode }) => exitCode)).toEqual([3, 7, 0])
    })
  )

  it.live("closes its output and lives on", () =>
    Effect.gen(function* () {
      const peer = yield* ScriptedStdio.open([{ on: { method: "a" }, reply: { body: {}, close: true } }])
      const one = start(peer.target)
      const closed = new Promise((resolve) => one.child.stdout?.once("end", resolve))
      one.say(line("a"))
      yield* Effect.promise(() => closed)
      expect(one.child.exitCode).toBeNull()
      one.say(line("heard"))
      yield* Effect.gen(function* () {
        while ((yield* peer.record).received.length < 2) yield* Effect.sleep(5)
      })
      one.child.stdin?.end()
      expect(yield* ended(one.child)).toBe(0)
    })
  )

  it.live("kills what its client left behind, when its scope closes", () =>
    Effect.gen(function* () {
      const left = yield* Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* ScriptedStdio.open([])
          const one = start(peer.target)
          while ((yield* peer.record).processes.length === 0) yield* Effect.sleep(5)
          expect((yield* peer.record).processes.map(ScriptedStdio.lives)).toEqual([true])
          return one
        })
      )
      yield* ended(left.child)
      expect(left.child.signalCode).toBe("SIGKILL")
    })
  )
})
