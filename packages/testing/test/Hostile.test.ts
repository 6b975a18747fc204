import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as Hostile from "@parley/testing/Hostile"
import * as ParleyClient from "@parley/testing/ParleyClient"
import type { Target } from "@parley/testing/Scripted"

const client = ParleyClient.subject((target) => ("url" in target ? HttpClient.make(target) : StdioClient.make(target)))

/** Short where the end of it is what is waited for, generous to a busy machine where it is not. */
const timeoutFor = (fate: Hostile.Fate): number => (fate.includes("Timeout") ? 1_000 : 8_000)

/** Connects under `auto`, closes, and tells the outcome, how long all took, and by how much memory rose meanwhile. */
const meet = (target: Target, fate: Hostile.Fate) =>
  Effect.gen(function* () {
    const timeoutMs = timeoutFor(fate)
    const before = process.memoryUsage.rss()
    let peak = before
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
    const start = performance.now()
    const outcome = yield* Effect.scoped(client.connect({ target, policy: "auto", timeoutMs, calls: [] }))
    clearInterval(watch)
    return { outcome, elapsed: performance.now() - start, grownMiB: (peak - before) / 1024 / 1024 }
  })

const judge = (met: Effect.Success<ReturnType<typeof meet>>, fate: Hostile.Fate) => {
  if (fate === "established") expect(met.outcome).toMatchObject({ outcome: "established", version: "2025-11-25" })
  else expect(fate).toContain(met.outcome.outcome === "failed" ? met.outcome.error : met.outcome)
  // Two seconds to the end of input, two more to SIGTERM, and the slack of a busy machine.
  expect(met.elapsed).toBeLessThan(timeoutFor(fate) + 6_000)
  expect(met.grownMiB).toBeLessThan(300)
}

const dead = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

describe("Parley's client meets a peer over HTTP", () => {
  it.live.each(Object.entries(Hostile.overHttp))("that %s", ([manner, fate]) =>
    Effect.gen(function* () {
      // The names of the table are its keys.
      const peer = yield* Hostile.http(manner as Hostile.HttpManner)
      judge(yield* meet(peer.target, fate), fate)
    })
  )
})

describe("Parley's client meets a process", () => {
  it.live.each(Hostile.stdioManners)("that %s, and leaves none behind", (manner) =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "parley-hostile-"))
      const fate = Hostile.onStdio[manner]
      judge(yield* meet(Hostile.stdio(manner, folder).target, fate), fate)
      const pids = readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number)
      expect(pids).toHaveLength(manner === "leavesAChild" ? 2 : 1)
      yield* Effect.gen(function* () {
        while (!pids.every(dead)) yield* Effect.sleep(10)
      })
      rmSync(folder, { recursive: true })
    })
  )
})
