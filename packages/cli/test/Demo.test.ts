// The demo: its judgement on its own, then as the process that `npm run demo` starts, which leaves nothing behind.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { demand, judge, policies } from "../demo/Demands.ts"
import { legend, servers } from "../demo/Servers.ts"
import * as Table from "../demo/Table.ts"
import { coloured, plain } from "@parley/cli/render/Style"
import { lives, until } from "./Program.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const program = fileURLToPath(new URL("../demo/demo.ts", import.meta.url))

const rowOf = (wrong: ReadonlyArray<string>): Table.Row => ({
  server: servers[7] ?? expect.fail("there are ten servers"),
  policy: "handshakeOnly",
  demand: { outcome: "UnsupportedProtocolVersion", roundTrips: 1, because: "it must" },
  outcome: "UnsupportedProtocolVersion",
  problem: "2025-11-25 was refused",
  roundTrips: 1,
  millis: 12.4,
  wrong
})

describe("judge", () => {
  const demanded = { outcome: "2025-11-25", roundTrips: 1, because: "" } as const

  it("finds nothing wrong with what is demanded", () => {
    expect(judge(demanded, { outcome: "2025-11-25", roundTrips: 1 })).toEqual([])
  })

  it("names what is wrong: another outcome, another number of round trips", () => {
    expect(judge(demanded, { outcome: "Timeout", roundTrips: 2 })).toEqual([
      "2025-11-25 was demanded, Timeout was seen.",
      "1 round trip was demanded, 2 were made."
    ])
  })
})

describe("demand", () => {
  it("never demands a modern revision of handshakeOnly, nor a handshake of a modern-only server", () => {
    for (const server of servers) {
      for (const policy of policies) {
        const { because, outcome } = demand(server, policy)
        expect(because).not.toBe("")
        if (policy === "handshakeOnly") expect(outcome).not.toBe("2026-07-28")
        if (server.speaks === "modern") expect(outcome).not.toBe("2025-11-25")
      }
    }
  })
})

describe("table", () => {
  it("fits 80 columns", () => {
    const lines = [...legend, Table.head(plain), Table.row(rowOf([]), plain), Table.row(rowOf(["x"]), plain)]
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it("marks a wrong row, and tells below what is wrong with it and why", () => {
    expect(Table.row(rowOf(["x"]), plain)).toMatch(/NO$/)
    expect(Table.row(rowOf(["x"]), coloured)).toContain("\u001b[31m")
    const foot = Table.foot([rowOf([]), rowOf(["Something else was seen."])], 1, plain).join("\n")
    expect(foot).toContain("Something else was seen.")
    expect(foot).toContain("It said: 2025-11-25 was refused")
    expect(foot).toContain("1 of 2 pairings are not as demanded.")
  })
})

describe("the demo", () => {
  const start = () => {
    const child = spawn(process.execPath, ["--import", `${root}scripts/register.mjs`, program], {
      cwd: root,
      // A group of its own, so that what it leaves behind can be counted.
      detached: true,
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    return { child, ended, output: () => output, group: -(child.pid ?? expect.fail("it did not start")) }
  }

  it("finds every pairing as demanded, within a minute, and leaves no process behind", async () => {
    const { ended, group, output } = start()
    const code = await ended
    expect({ code, wrong: output().match(/^.* NO$/gm) }).toEqual({ code: 0, wrong: null })
    expect(output().match(/ ok$/gm)).toHaveLength(servers.length * policies.length)
    expect(output()).toContain(`${servers.length * policies.length} of`)
    expect(output()).not.toContain("\u001b")
    expect(
      output()
        .split("\n")
        .filter((line) => line.length > 80)
    ).toEqual([])
    expect(lives(group)).toBe(false)
  }, 60_000)

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "leaves no server behind when it is ended by %s",
    async (signal) => {
      const { child, ended, group, output } = start()
      await until(() => / ok$/m.test(output()) || child.exitCode !== null)
      expect(lives(group)).toBe(true)
      child.kill(signal)
      expect(await ended).not.toBe(0)
      await until(() => !lives(group))
    },
    60_000
  )
})
