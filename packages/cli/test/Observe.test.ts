// `parley observe` as a real process, with real clients of other people and Parley's own pointed at it.
import * as Policy from "@parley/core/client/Policy"
import * as ParleyHttp from "@parley/node/HttpClient"
import * as ParleyStdio from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import { Client as Sdk2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client"
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio"
import { Client as Sdk1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { type Row, type Way, wayNames } from "@parley/cli/Observation"
import { parley, serve } from "./Program.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const program = ["--import", `${root}scripts/register.mjs`, `${root}packages/cli/src/bin.ts`, "observe"]
const info = { name: "observed", version: "9.9.9" }

/** Starts the observer, lets a client meet each way in order, ends it and returns the row. */
const observed = async (
  meet: (url: string) => Promise<unknown>,
  end: "input" | "interrupt" = "input"
): Promise<Row> => {
  const child = spawn(process.execPath, [...program, "--port", "0", "--json"], { stdio: ["pipe", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  const urls = await new Promise<ReadonlyArray<string>>((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`parley observe ended with ${code}: ${stderr}`)))
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
      const found = stderr.match(/http:\S+\/mcp/g) ?? []
      if (found.length === wayNames.length) resolve(found)
    })
  })
  // A refusal is a finding: the row tells it.
  for (const url of urls) await meet(url).catch(() => undefined)
  await new Promise<void>((ended) => {
    child.on("close", () => ended())
    if (end === "input") child.stdin.end()
    else child.kill("SIGINT")
  })
  return JSON.parse(stdout)
}

const outcomes = (row: Row): { readonly [way in Way]?: string } =>
  Object.fromEntries(row.ways.map(({ outcome, way }) => [way, outcome]))

const withParley = (setting: string) => (url: string) =>
  Effect.runPromise(
    Effect.scoped(
      Connection.connect({
        transport: ParleyHttp.make({ url }),
        policy: Policy.withBudgets(Policy.fromSetting(setting).policy, { exchangeMillis: 1000, probeMillis: 1000 }),
        client: { info, capabilities: {} }
      })
    )
  )

describe("parley observe", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-observe-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("writes the row of Parley's auto, which follows each sure sign and never a silence", async () => {
    const row = await observed(withParley("auto"))
    expect(row).toMatchObject({
      client: "observed 9.9.9",
      transport: "http",
      eras: ["legacy", "modern"],
      preferredProtocolVersion: "2025-11-25"
    })
    expect(outcomes(row)).toEqual({
      "agree-legacy": "legacy, at 2025-11-25",
      "agree-modern": "modern, at 2026-07-28",
      unsupported: "modern, at 2026-07-28",
      "method-missing": "modern, at 2026-07-28",
      silence: "stops after initialize",
      "names-modern": "modern, at 2026-07-28"
    })
  }, 60_000)

  it("writes the row of Parley's discoverFirst, which leads with the modern revision", async () => {
    const row = await observed(withParley("discoverFirst"))
    expect(row.preferredProtocolVersion).toBe("2026-07-28")
    expect(outcomes(row)).toMatchObject({
      "agree-legacy": "legacy, at 2025-11-25",
      "agree-modern": "modern, at 2026-07-28",
      unsupported: "legacy, at 2025-11-25",
      "method-missing": "legacy, at 2025-11-25",
      silence: "stops after server/discover",
      "names-modern": "legacy, held at 2025-11-25 where 2026-07-28 was named"
    })
  }, 60_000)

  it("writes the row of the SDK 1.32.2, which knows the handshake alone", async () => {
    const row = await observed(async (url) => {
      const client = new Sdk1(info)
      const transport = new Http1(new URL(url))
      // The SDK's own types disagree under exactOptionalPropertyTypes.
      await client
        .connect(transport as Parameters<typeof client.connect>[0], { timeout: 1000 })
        .finally(() => client.close())
    }, "interrupt")
    expect(row).toMatchObject({ eras: ["legacy"], preferredProtocolVersion: "2025-11-25" })
    expect(outcomes(row)).toMatchObject({
      "agree-legacy": "legacy, at 2025-11-25",
      "agree-modern": "stops after initialize",
      "method-missing": "stops after initialize",
      "names-modern": "stops after initialize"
    })
  }, 60_000)

  it("writes the row of the SDK client 2.4.0 in its mode auto, which lives in both eras", async () => {
    const row = await observed(async (url) => {
      const client = new Sdk2(info, { versionNegotiation: { mode: "auto", probe: { timeoutMs: 1000 } } })
      await client.connect(new Http2(new URL(url)), { timeout: 1000 }).finally(() => client.close())
    })
    expect(row).toMatchObject({ eras: ["legacy", "modern"], preferredProtocolVersion: "2026-07-28" })
    expect(outcomes(row)).toMatchObject({
      "agree-legacy": "legacy, at 2025-11-25",
      "agree-modern": "modern, at 2026-07-28"
    })
  }, 60_000)

  it("on stdio is the next way at each start, and keeps the row in a file", async () => {
    const file = join(folder, "row.json")
    for (const _ of wayNames.slice(0, 2)) {
      await Effect.runPromise(
        Effect.scoped(
          Connection.connect({
            transport: ParleyStdio.make({
              command: process.execPath,
              args: [...program, "--transport", "stdio", "--row", file]
            }),
            client: { info, capabilities: {} }
          })
        )
      )
    }
    const row: Row = JSON.parse(readFileSync(file, "utf8"))
    expect(row.transport).toBe("stdio")
    expect(outcomes(row)).toEqual({
      "agree-legacy": "legacy, at 2025-11-25",
      "agree-modern": "modern, at 2026-07-28"
    })
  }, 60_000)

  it("with --way on stdio is one way, however often a client starts it, as the SDK client 2.4.0 does to probe", async () => {
    const file = join(folder, "sibling.json")
    const met = async (way: Way) => {
      const client = new Sdk2(info, { versionNegotiation: { mode: "auto", probe: { timeoutMs: 20_000 } } })
      const args = [...program, "--transport", "stdio", "--row", file, "--way", way]
      await client
        .connect(new Stdio2({ command: process.execPath, args, stderr: "ignore" }), { timeout: 20_000 })
        .finally(() => client.close())
    }
    await met("method-missing")
    await met("agree-modern")
    const row: Row = JSON.parse(readFileSync(file, "utf8"))
    expect(outcomes(row)).toEqual({
      "agree-modern": "modern, at 2026-07-28",
      "method-missing": "legacy, at 2025-11-25"
    })
  }, 60_000)

  it("says that it cannot listen, with exit code 1 and without a row", async () => {
    const taken = await serve((_, response) => response.end())
    const { code, stderr, stdout } = await parley(["observe", "--port", new URL(taken.url).port])
    await taken.stop()
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("EADDRINUSE")
  })

  it("refuses stdio without a file, and a file that holds no row, with exit code 2", async () => {
    const other = join(folder, "other.json")
    writeFileSync(other, "{}")
    const [bare, foreign, wayward] = await Promise.all([
      parley(["observe", "--transport", "stdio"]),
      parley(["observe", "--row", other]),
      parley(["observe", "--way", "silence"])
    ])
    expect([bare.code, foreign.code, wayward.code]).toEqual([2, 2, 2])
    expect(wayward.stderr).toContain("--way is for stdio")
    expect(bare.stderr).toContain("--row")
    expect(foreign.stderr).toContain("holds no row")
  })
})
