// `parley explain` as a real process on what `parley probe --json` printed of real servers, and on files of strangers.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dangerous, hostile, trace } from "./Fixture.ts"
import { host, parley } from "./Program.ts"

describe("parley explain", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-explain-"))
  const file = (name: string, value: unknown): string => {
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value))
    return join(folder, name)
  }
  let agreed: string
  let failed: string
  beforeAll(async () => {
    const modern = ["--", process.execPath, host("sdk2.ts"), "stdio", "modern"]
    const [first, second] = await Promise.all([
      parley(["probe", "--json", ...modern]),
      parley(["probe", "--json", "--policy", "handshakeOnly", ...modern])
    ])
    agreed = file("agreed.json", first.stdout)
    failed = file("failed.json", second.stdout)
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  it("tells each step of a real negotiation with its reason, and how it ended", async () => {
    const { code, stderr, stdout } = await parley(["explain", agreed])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("under auto over stdio in 3 steps")
    expect(stdout).toMatch(/ 2 .*Initializing: .* → discover/)
    expect(stdout).toContain("Agreed on 2026-07-28.")
    expect(stdout.split("\n").every((line) => line.length <= 80)).toBe(true)
  })

  it("tells why there was no agreement", async () => {
    const { code, stdout } = await parley(["explain", failed])
    expect(code).toBe(0)
    expect(stdout).toMatch(/No agreement\. .*2026-07-28/)
  })

  it("draws the way taken over all that the policy can do", async () => {
    const { code, stdout } = await parley(["explain", agreed, "--diagram"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^stateDiagram-v2\n/)
    expect(stdout).toMatch(/\[\*\] --> Initializing: \(1\) initialize/)
    expect(stdout).toMatch(/Initializing --> Discovering: \(2\) Corrected.*<br\/>.*ModernNamed/)
    expect(stdout).toMatch(/Discovering --> Settled: \(3\) Agreed/)
    expect(stdout).toContain("Initializing --> Countering: Countered")
    expect(stdout).toContain("class Initializing,Discovering,Settled met")
  })

  it("reads a trace alone, and draws it over the policy that is named", async () => {
    const bare = file("bare.json", trace)
    const alone = await parley(["explain", bare, "--diagram"])
    expect(alone.stdout).not.toContain("Countering")
    const over = await parley(["explain", bare, "--diagram", "--policy", "auto"])
    expect(over.stdout).toContain("Countering")
    expect([alone.code, over.code]).toEqual([0, 0])
  })

  it("makes what a stranger wrote harmless", async () => {
    const nasty = `${hostile}\n  class X evil;%%{init}%%<b>`
    const step = { state: nasty, event: nasty, evidence: nasty, move: nasty, because: nasty, next: nasty }
    const evil = file("evil.json", { policy: nasty, target: { carrier: "http", name: nasty }, trace: [step] })
    const [text, drawn] = await Promise.all([parley(["explain", evil]), parley(["explain", evil, "--diagram"])])
    expect(text.stdout + drawn.stdout).not.toMatch(dangerous)
    expect(drawn.stdout).not.toMatch(/<b>|%%\{|^ {2}class X/m)
  })

  it.each([
    ["what is no trace", "{}", "neither a document"],
    ["a trace without steps", "[]", "no steps"],
    ["a step that is none", '[{"state":"Idle"}]', "Step 1"],
    ["what is no JSON", "trace", "no JSON"]
  ])("refuses %s with exit code 2", async (name, text, problem) => {
    const { code, stderr, stdout } = await parley(["explain", file(`${name}.json`, text)])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(problem)
  })
})
