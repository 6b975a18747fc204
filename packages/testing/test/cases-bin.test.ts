import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "parley-cases-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

const run = (...args: ReadonlyArray<string>) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const command = ["--import", at("../../../scripts/register.mjs"), at("../src/cases-bin.ts"), ...args]
    execFile(process.execPath, command, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })

const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } }
const right = {
  id: "c-right",
  side: "client",
  title: "An older revision",
  transport: "http",
  policy: "auto",
  server: [
    { on: { method: "initialize" }, reply: { body: { jsonrpc: "2.0", id: "{{request.id}}", result } } },
    { on: { method: "notifications/initialized" }, reply: { status: 202 } }
  ],
  right: {
    outcome: "established",
    era: "legacy",
    version: "2025-06-18",
    sent: ["initialize", "notifications/initialized"]
  }
}
const wrong = { ...right, id: "c-wrong", right: { ...right.right, version: "2025-11-25" } }

describe("npm run cases", () => {
  it("passes what is right: exit code 0 and the closing line", async () => {
    const { code, stdout } = await run(file("right.json", [right]))
    expect([code, stdout]).toEqual([0, "1 passed, 0 failed\n"])
  })

  it("prints what is wrong and what is broken, and counts both as failed", async () => {
    const json = join(folder, "out.json")
    const files = [
      file("mixed.json", { cases: [right, wrong] }),
      file("broken.json", [{ ...right, transport: "pigeon" }])
    ]
    const { code, stdout } = await run(...files, "--json", json)
    expect(code).toBe(1)
    expect(stdout).toContain("wrong  c-wrong  (client, mixed.json)\n       An older revision\n")
    expect(stdout).toContain('version: expected "2025-11-25", saw "2025-06-18"')
    expect(stdout).toContain('broken c-right  (broken.json)\n   -   transport: Expected "stdio" | "http", saw "pigeon"')
    expect(stdout.endsWith("\n1 passed, 2 failed\n")).toBe(true)
    const report = JSON.parse(readFileSync(json, "utf8"))
    expect(report.verdicts).toMatchObject([
      { file: "mixed.json", id: "c-right", problems: [] },
      { file: "mixed.json", id: "c-wrong" }
    ])
  })

  it("runs only what is asked for, and says if there is no such case", async () => {
    const path = file("only.json", [right, wrong])
    expect(await run(path, "--only", "c-right")).toMatchObject({ code: 0, stdout: "1 passed, 0 failed\n" })
    expect(await run(path, "--side", "server")).toMatchObject({ code: 0, stdout: "0 passed, 0 failed\n" })
    const missing = await run(path, "--only", "c-right,c-other")
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("No such case: c-other") })
  })

  it("explains itself: 2 for what it does not understand", async () => {
    expect(await run("--side", "both")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--side is client or server")
    })
    expect(await run("--nonsense")).toMatchObject({ code: 2, stderr: expect.stringContaining("Usage: npm run cases") })
    expect(await run("--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage: npm run cases") })
  })
})
