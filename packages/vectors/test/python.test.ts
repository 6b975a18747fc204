// The Python runner and its example: run where python3 exists, and skipped by name elsewhere.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const folder = fileURLToPath(new URL("../python/", import.meta.url))
const python = spawnSync("python3", ["--version"], { encoding: "utf8" })
const hasPython = python.status === 0

const run = (...args: ReadonlyArray<string>) =>
  spawnSync("python3", [join(folder, "steps.py"), ...args], { encoding: "utf8" })

describe.skipIf(!hasPython)(`The steps in Python${hasPython ? "" : " (skipped: there is no python3 here)"}`, () => {
  it("the example negotiator takes every step of its policy", () => {
    const { status, stdout } = run()
    expect(stdout).toMatch(/^[1-9]\d+ passed, 0 failed\n$/)
    expect(status).toBe(0)
  })

  it("a wrong negotiator is told which steps it takes otherwise, and the exit code says so", () => {
    const temporary = mkdtempSync(join(tmpdir(), "parley-python-"))
    try {
      const wrong = readFileSync(join(folder, "negotiator.py"), "utf8").replace("if named == PIN:", "if named:")
      writeFileSync(join(temporary, "wrong.py"), wrong)
      const { status, stdout } = run("--negotiator", join(temporary, "wrong.py"))
      expect(stdout).toContain("FAIL pinned:2025-11-25@stdio/")
      expect(stdout).toContain("result.names.2024-11-05: _tag is 'Settled', expected 'Failed'")
      expect(status).toBe(1)
    } finally {
      rmSync(temporary, { recursive: true })
    }
  })

  it("a negotiator that says why it fails is told where the reason is another", () => {
    const temporary = mkdtempSync(join(tmpdir(), "parley-python-"))
    try {
      const example = readFileSync(join(folder, "negotiator.py"), "utf8")
      const reason = (fault: string) => `{"_tag": "Failed", "reason": {"fault": "${fault}", "retryable": False}}`
      const wrong = example.replaceAll('{"_tag": "Failed"}', reason("peer"))
      writeFileSync(join(temporary, "wrong.py"), wrong)
      const { status, stdout } = run("--negotiator", join(temporary, "wrong.py"))
      expect(stdout).toContain("fault of the reason is 'peer', expected 'network'")
      expect(stdout).not.toContain("fault of the reason is 'peer', expected 'peer'")
      expect(status).toBe(1)
    } finally {
      rmSync(temporary, { recursive: true })
    }
  })

  it("a policy that the data does not have is refused by name", () => {
    const { status, stderr } = run("--policy", "no-such-policy")
    expect(stderr).toContain("no such policy: no-such-policy")
    expect(status).toBe(1)
  })
})
