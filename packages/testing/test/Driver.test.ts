import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Driver from "@parley/testing/Driver"

const client = (source: string) => ({ command: process.execPath, args: ["-e", source] })
const job = {
  mode: "auto",
  target: { url: "http://127.0.0.1:1/mcp" },
  timeoutMillis: 1_500,
  afterwards: "call"
} as const

// Answers the second of two jobs first, and the first with what it was given.
const turned = `
  const lines = require("node:readline").createInterface({ input: process.stdin })
  const held = []
  lines.on("line", (line) => {
    held.push(JSON.parse(line))
    if (held.length < 2) return
    console.log("a word that is no end")
    console.log(JSON.stringify({ id: held[1].id, outcome: "failed", error: "Refused" }))
    console.log(JSON.stringify({ id: held[0].id, outcome: "established", version: JSON.stringify(held[0]) }))
  })`

describe("Driver", () => {
  it.live("gives jobs in seconds and hands each end to its own asker", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const driver = yield* Driver.start(client(turned))
        const ends = yield* Effect.all(
          [driver.ask({ ...job, probeMillis: 250 }), driver.ask({ ...job, target: { command: "node", args: ["x"] } })],
          { concurrency: 2 }
        )
        const given = { id: 1, mode: "auto", url: "http://127.0.0.1:1/mcp", timeout: 1.5, probe: 0.25, calls: true }
        expect(ends[0]).toEqual({ outcome: "established", version: JSON.stringify(given) })
        expect(ends[1]).toEqual({ outcome: "failed", error: "Refused" })
      })
    )
  )

  it.live("fails a job whose client dies, with its last words", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const driver = yield* Driver.start(
          client('process.stdin.once("data", () => { console.error("oh no"); process.exit(3) })')
        )
        expect(yield* driver.ask(job)).toEqual({ outcome: "failed", error: "ClientDied: oh no\n" })
      })
    )
  )
})
