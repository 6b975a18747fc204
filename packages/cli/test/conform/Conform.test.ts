// `parley conform` against real processes: Parley's own client and servers wholly, and one client and one server of other
// people's, where what is otherwise is known.
import { lives, parley, startHost, type Running, until } from "../Program.ts"
import { isObject } from "@parley/core/Message"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const program = `"${process.execPath}" --import "${root}scripts/register.mjs"`
const client = (which: string): string => `${program} "${root}packages/interop/src/field/client-bin.ts" ${which}`
const server = (era: string): string =>
  `${program} "${root}packages/cli/src/bin.ts" serve --era ${era} --transport stdio`

const startParley = (era: string): Promise<Running> => {
  const args = ["--import", `${root}scripts/register.mjs`, `${root}packages/cli/src/bin.ts`, "serve", "--era", era]
  const child = spawn(process.execPath, [...args, "--port", "0"], { stdio: ["pipe", "pipe", "ignore"] })
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`parley serve ended with ${code}`)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /http:\/\/\S+/.exec(line)?.[0]
      const stop = () =>
        new Promise<void>((done) => {
          child.on("exit", () => done())
          child.kill("SIGTERM")
        })
      if (url !== undefined) resolve({ url, stop })
    })
  })
}

interface Told {
  readonly counts: { readonly held: number; readonly differ: number }
  readonly heldTo: string
  readonly kinds: ReadonlyArray<unknown>
}

const reportIn = (stdout: string): Told => {
  const value: unknown = JSON.parse(stdout)
  if (!isObject(value) || !Array.isArray(value["reports"])) throw new Error(stdout)
  // `parley conform --json` wrote it.
  return value["reports"][0] as Told
}

describe("parley conform", () => {
  it.each([
    ["auto", 300],
    ["discoverFirst", 450]
  ])(
    "finds nothing otherwise with Parley's client under %s over HTTP",
    async (policy, least) => {
      const args = ["--jobs", policy, "--policy", policy, "--transport", "http", "--concurrency", "8", "--json"]
      const { code, stderr, stdout } = await parley(["conform", "--client", client("parley"), ...args])
      const { counts, kinds } = reportIn(stdout)
      expect({ kinds, stderr, code }).toEqual({ kinds: [], stderr: "", code: 0 })
      expect(counts.held).toBeGreaterThan(least)
    },
    120_000
  )

  it("finds nothing otherwise with Parley's client on a pipe: late answers, silence, and processes that end", async () => {
    const only = ["--only", "/closed", "--only", "late.result.2026-07-28/result.names.2025"]
    const args = ["--jobs", "discoverFirst", "--policy", "discoverFirst", "--transport", "stdio", ...only, "--json"]
    const { code, stderr, stdout } = await parley(["conform", "--client", client("parley"), ...args])
    const { counts, kinds } = reportIn(stdout)
    expect({ kinds, stderr, code }).toEqual({ kinds: [], stderr: "", code: 0 })
    expect(counts.held).toBeGreaterThan(20)
  }, 120_000)

  it.each([
    ["dual", "dual", 200],
    ["legacy", "handshakeOnly", 200],
    ["modern", "modernOnly", 50]
  ])(
    "finds nothing otherwise with parley serve --era %s over HTTP, and knows its profile",
    async (era, profile, least) => {
      const running = await startParley(era)
      try {
        const { code, stderr, stdout } = await parley(["conform", "--server", running.url, "--json"])
        const { counts, heldTo, kinds } = reportIn(stdout)
        expect({ heldTo, kinds, stderr, code }).toEqual({ heldTo: profile, kinds: [], stderr: "", code: 0 })
        expect(counts.held).toBeGreaterThan(least)
      } finally {
        await running.stop()
      }
    },
    120_000
  )

  it.each([
    ["dual", "dual"],
    ["legacy", "handshakeOnly"],
    ["modern", "modernOnly"]
  ])(
    "finds nothing otherwise with parley serve --era %s on a pipe",
    async (era, profile) => {
      const only = ["--only", "fresh/discover.2", "--only", "fresh/raw", "--only", "opened/initialize.2024"]
      const { code, stderr, stdout } = await parley(["conform", "--server", server(era), ...only, "--json"])
      const { counts, heldTo, kinds } = reportIn(stdout)
      expect({ heldTo, kinds, stderr, code }).toEqual({ heldTo: profile, kinds: [], stderr: "", code: 0 })
      expect(counts.held).toBeGreaterThan(4)
    },
    120_000
  )

  it("shows what the client of SDK 2.4.0 does otherwise, with the clause, in 80 columns and without colour", async () => {
    const args = ["--jobs", "auto", "--transport", "http", "--only", "discoverFirst@http/error.-32020"]
    const { code, stdout } = await parley(["conform", "--client", client("client-2.4.0"), ...args], { NO_COLOR: "1" })
    expect(code).toBe(1)
    // Which policy it comes nearest to was found out.
    expect(stdout).toContain("held to policy discoverFirst")
    expect(stdout).toMatch(
      /Discovering\.ModernSign SHOULD\n {2}expected {2}nothing more\n {2}came {6}initialize at 2025-11-25/
    )
    expect(stdout).toContain("(basic/transports/streamable-http#backward-compatibility)")
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
    expect(stdout).not.toContain("\u001b")
    const coloured = await parley(["conform", "--client", client("client-2.4.0"), ...args], { FORCE_COLOR: "1" })
    expect(coloured.stdout).toContain("\u001b[31m")
  }, 60_000)

  it("shows what a server on SDK 1.32.2 does otherwise, and the wire of it", async () => {
    const running = await startHost("sdk1.ts", "http")
    try {
      const args = ["--only", "fresh/head.originElsewhere", "--only", "fresh/initialize.2025-06-18", "--wire"]
      const { code, stdout } = await parley(["conform", "--server", running.url, ...args])
      expect(code).toBe(1)
      expect(stdout).toContain("held to profile handshakeOnly")
      expect(stdout).toContain("2 conversations, 1 as told, 1 otherwise")
      expect(stdout).toMatch(/origin MUST\n {2}expected {2}403\n/)
      expect(stdout).toContain("https://elsewhere.example")
    } finally {
      await running.stop()
    }
  }, 60_000)

  it("starts a client that is a command once for each conversation, and believes its exit code", async () => {
    const source = `
      const url = process.argv[1]
      const post = (body) => fetch(url, { method: "POST", headers: { "content-type": "application/json",
        accept: "application/json, text/event-stream" }, body: JSON.stringify(body) })
      const info = { name: "small", version: "1" }
      const answer = await (await post({ jsonrpc: "2.0", id: "a", method: "initialize", params: {
        protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info } })).json()
      if (answer.result === undefined) process.exit(1)
      await fetch(url, { method: "POST", headers: { "mcp-protocol-version": answer.result.protocolVersion },
        body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) })`
    const command = `"${process.execPath}" --input-type=module -e '${source}' {url}`
    const only = [
      "--only",
      "pinned:2025-11-25@http/result.names.2025-11-25",
      "--only",
      "auto@http/result.names.2025-11-25"
    ]
    const args = ["--policy", "pinned:2025-11-25", ...only]
    const { code, stdout } = await parley(["conform", "--client", command, ...args, "--json"])
    expect(code).toBe(1)
    // It agrees where it should; but its second POST says little, and a status of 500 means nothing to it.
    expect(reportIn(stdout).kinds).toMatchObject([
      { about: "notifications/initialized", expected: ["accept: application/json, text/event-stream"], came: '"*/*"' },
      { about: "notifications/initialized", expected: ["mcp-session-id: session-of-1"], came: "none" },
      { about: "Initializing.Outage", expected: ["nothing more"], came: "notifications/initialized" }
    ])
  }, 60_000)

  // One that reads and never says a word, tells its process id and ends for nothing but force.
  const deaf = (file: string): string => {
    const source = `require("node:fs").writeFileSync(process.argv[1], String(process.pid)); process.on("SIGTERM", () => {}); process.stdin.resume(); setInterval(() => {}, 1000)`
    return `"${process.execPath}" -e '${source}' "${file}"`
  }

  it("gives up on a server that answers nothing, within a few times the time that one answer may take", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-conform-"))
    try {
      const args = ["--server", deaf(join(folder, "pid")), "--timeout", "200ms"]
      const { code, millis, stderr } = await parley(["conform", ...args])
      expect(code).toBe(2)
      expect(stderr).toContain("answers neither initialize nor server/discover")
      // Twice six times that, and the ends of two processes: not twenty seconds for each revision.
      expect(millis).toBeLessThan(45_000)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 60_000)

  it("leaves no server behind when it is ended itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-conform-"))
    const file = join(folder, "pid")
    try {
      const { code } = await parley(["conform", "--server", deaf(file), "--timeout", "30s"], {}, (child) => {
        void until(() => existsSync(file) && readFileSync(file, "utf8") !== "").then(() => child.kill("SIGTERM"))
      })
      expect(code).not.toBe(0)
      const pid = Number(readFileSync(file, "utf8"))
      await until(() => !lives(pid))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 60_000)

  it("tells of a client that never ends, and does not wait for it in every conversation", async () => {
    const command = `"${process.execPath}" -e "process.stdin.resume()"`
    for (const named of [[], ["--policy", "auto"]]) {
      const args = ["--client", command, "--transport", "http", "--timeout", "100ms", ...named]
      const { code, stderr } = await parley(["conform", ...args])
      expect(code).toBe(2)
      expect(stderr).toMatch(/The client did not end in (?:its first conversation|any of \d conversations)/)
    }
  }, 60_000)

  it.each([
    ["neither side", ["conform"], "Name one side to test"],
    ["both sides", ["conform", "--client", "a", "--server", "b"], "Name one side to test"],
    ["an unknown policy", ["conform", "--client", "a", "--policy", "polite"], "no conversations of polite"],
    ["an open quote", ["conform", "--client", "node 'a"], "quote that nothing closes"],
    ["a server that is none", ["conform", "--server", "false"], "answers neither initialize nor server/discover"],
    [
      "a choice that leaves nothing",
      ["conform", "--client", "a", "--policy", "auto", "--only", "zzz"],
      "No conversation"
    ]
  ])(
    "refuses %s with exit code 2",
    async (_, args, problem) => {
      const { code, stderr, stdout } = await parley(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain(problem)
      expect(stderr).toContain("See parley conform --help")
    },
    60_000
  )
})
