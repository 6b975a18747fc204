// `parley serve` as a process: how it starts, what it says, how it ends. What the host answers is in host/Host.test.ts.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Ended, lives, parley, until } from "./Program.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const program = ["--import", `${root}scripts/register.mjs`, `${root}packages/cli/src/bin.ts`, "serve"]

/** Starts `parley serve` with its input open, and waits for its first line. */
const start = async (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [...program, ...args], { stdio: ["pipe", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = new Promise<Omit<Ended, "millis">>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
  if (!args.includes("stdio")) await until(() => stdout.includes("\n") || child.exitCode !== null)
  return { child, ended, url: /https?:\S+/.exec(stdout)?.[0] ?? "", line: stdout }
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tester", version: "1.0.0" } }
}
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body)
  })

describe.concurrent("parley serve", () => {
  it("says where it listens and what it speaks, serves, and ends when it is told to", async () => {
    const { child, ended, line, url } = await start(["--port", "0"])
    expect(line).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/mcp speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05\n$/
    )
    const response = await post(url, initialize)
    expect([response.status, response.headers.get("mcp-session-id")]).toEqual([200, expect.stringMatching(/^.{24}$/)])
    await response.text()
    child.kill("SIGTERM")
    expect(await ended).toEqual({ code: 130, stdout: line, stderr: "" })
    await expect(post(url, initialize)).rejects.toThrow("fetch failed")
  })

  it("ends when whoever started it has gone", async () => {
    const { child, ended } = await start(["--port", "0"])
    child.stdin.end()
    expect((await ended).code).toBe(0)
  })

  it("serves on where it has no input", async () => {
    const exited = parley(["serve", "--port", "0"], {}, (child) => {
      child.stdout?.once("data", (text: string) => {
        void post(/https?:\S+/.exec(text)?.[0] ?? "", initialize).then(async (response) => {
          await response.text()
          child.kill("SIGINT")
        })
      })
    })
    expect((await exited).code).toBe(130)
  })

  it.each([
    ["modern", [], "2026-07-28\n", 400],
    ["legacy", [], "2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05\n", 200],
    ["dual", ["--path", "/other", "--no-sessions"], "2024-11-05\n", 200]
  ])("serves the era %s %j", async (era, args, versions, status) => {
    const { child, ended, line, url } = await start(["--era", era, "--port", "0", ...args])
    expect(line.endsWith(versions)).toBe(true)
    expect(new URL(url).pathname).toBe(args.includes("--path") ? "/other" : "/mcp")
    const response = await post(url, initialize)
    expect(response.status).toBe(status)
    expect(response.headers.has("mcp-session-id")).toBe(era === "legacy")
    await response.text()
    child.stdin.end()
    expect((await ended).code).toBe(0)
  })

  it("lets in the origins and hosts that it is told to, and their pages where that is chosen", async () => {
    const allowed = ["--allow-origin", "https://app.example", "--allow-host", "mcp.example", "--cors"]
    const { child, ended, url } = await start(["--port", "0", ...allowed])
    const statuses = await Promise.all(
      ["https://app.example", "https://evil.example", "http://localhost:1"].map(async (origin) => {
        const response = await post(url, initialize, { origin })
        await response.text()
        return [response.status, response.headers.get("access-control-allow-origin")]
      })
    )
    expect(statuses).toEqual([
      [200, "https://app.example"],
      [403, null],
      [403, null]
    ])
    child.stdin.end()
    expect((await ended).code).toBe(0)
  })

  it("serves one client on stdio, writes nothing else, and ends with its input", async () => {
    const { child, ended } = await start(["--transport", "stdio", "--log-level", "debug"])
    child.stdin.end(`nonsense\n${JSON.stringify(initialize)}\n`)
    const { code, stderr, stdout } = await ended
    const lines = stdout.split("\n").slice(0, -1)
    expect([code, lines.length]).toEqual([0, 2])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { error: { code: -32700 } },
      { id: 1, result: { serverInfo: { name: "parley-serve" } } }
    ])
    // What was refused is in the log, on standard error.
    expect(stderr).toContain("InvalidMessage")
  })

  it("ends on stdio when it is told to, whatever it is doing", async () => {
    const { child, ended } = await start(["--transport", "stdio"])
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const params = { name: "countdown", arguments: { seconds: 600 }, _meta: { ...meta, progressToken: 1 } }
    const heard = new Promise((resolve) => child.stdout.once("data", resolve))
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`)
    await heard
    child.kill("SIGTERM")
    expect((await ended).code).toBe(130)
    expect(lives(child.pid ?? 0)).toBe(false)
  })

  it("tells when it cannot listen, with exit code 1", async () => {
    const first = await start(["--port", "0"])
    const port = new URL(first.url).port
    const { code, stderr, stdout } = await parley(["serve", "--port", port])
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toBe(
      `error: The server cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Another program listens there: end it, or choose another port.\n`
    )
    first.child.stdin.end()
    await first.ended
  })

  it.each([
    ["a port that is none", ["--port", "70000"], "--port is from 0 to 65535"],
    ["a path without a slash", ["--path", "mcp"], "--path begins with a slash: /mcp"],
    ["an era that is none", ["--era", "future"], "future"],
    ["a command", ["--", "node"], "nothing may follow --"]
  ])("refuses %s with exit code 2", async (_, args, problem) => {
    const { code, stderr, stdout } = await parley(["serve", ...args])
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toContain(problem)
    expect(stderr).toContain("See parley serve --help")
  })
})
