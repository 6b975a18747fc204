// The program as a person meets it first: help, version, and commands that are not understood. Real processes.
import { closeSync, existsSync, openSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { version } from "@parley/cli/Release"
import { parley } from "./Program.ts"

describe.concurrent("parley", () => {
  it("without arguments shows what to do first", async () => {
    const { code, stderr, stdout } = await parley([])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("parley probe https://")
    expect(stdout).toContain("parley probe -- ")
    expect(stdout.split("\n").every((line) => line.length <= 80)).toBe(true)
  })

  it("--help lists the commands, on standard output", async () => {
    const { code, stderr, stdout } = await parley(["--help"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const command of ["probe", "serve", "matrix", "explain", "doctor", "observe", "conform"])
      expect(stdout).toContain(command)
  })

  it.each([
    ["matrix", ["--json", "--markdown", "--html", "--timeout"]],
    ["explain", ["--diagram", "--policy"]],
    ["doctor", ["--header", "--timeout"]],
    ["observe", ["--transport", "--port", "--row", "--json", "names-modern"]],
    ["conform", ["--client", "--server", "--policy", "--profile", "--only", "--wire", "--json", "{url}"]]
  ])("%s --help shows its flags, exit codes and examples", async (command, words) => {
    const { code, stderr, stdout } = await parley([command, "--help"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const word of [...words, "Exit code", "EXAMPLES", `parley ${command}`]) expect(stdout).toContain(word)
  })

  it.each([
    ["matrix", ["matrix", "targets.json", "--", "node"]],
    ["explain", ["explain", "trace.json", "--", "node"]],
    ["observe", ["observe", "--", "node"]],
    ["conform", ["conform", "--", "node"]]
  ])("%s takes no command behind --", async (command, args) => {
    const { code, stderr } = await parley(args)
    expect(code).toBe(2)
    expect(stderr).toContain("nothing may follow --")
    expect(stderr).toContain(`See parley ${command} --help`)
  })

  it("probe --help shows every flag and examples", async () => {
    const { code, stdout } = await parley(["probe", "--help"])
    expect(code).toBe(0)
    for (const flag of ["--policy", "--timeout", "--header", "--json", "--trace", "--diagram", "EXAMPLES"]) {
      expect(stdout).toContain(flag)
    }
  })

  it.skipIf(!existsSync("/dev/full"))("fails where its answer could not be written, as on a full disk", async () => {
    const full = openSync("/dev/full", "w")
    try {
      const { code } = await parley(["--help"], {}, undefined, full)
      expect(code).toBe(1)
    } finally {
      closeSync(full)
    }
  })

  it("--version names the release", async () => {
    const { code, stdout } = await parley(["--version"])
    expect(code).toBe(0)
    expect(stdout).toContain(version)
  })

  it.each([
    ["an unknown command", ["prob"], "prob", "parley --help"],
    ["an unknown flag", ["probe", "--jsno", "http://127.0.0.1:1/"], "--jsno", "parley probe --help"],
    ["a flag without its value", ["probe", "http://127.0.0.1:1/", "--timeout"], "--timeout", "parley probe --help"],
    ["no target", ["probe"], "No server is named", "parley probe --help"],
    ["nothing after --", ["probe", "--"], "Nothing stands after --", "parley probe --help"],
    ["a URL that is none", ["probe", "nonsense"], "nonsense is no URL", "parley probe --help"],
    ["another scheme", ["probe", "file:///etc/passwd"], "not file:", "parley probe --help"],
    ["a timeout that is none", ["probe", "--timeout", "soon", "http://127.0.0.1:1/"], "soon", "parley probe --help"],
    ["a header that is none", ["probe", "--header", "x", "http://127.0.0.1:1/"], "Name: value", "parley probe --help"],
    ["a header for a command", ["probe", "--header", "a: b", "--", "true"], "no headers", "parley probe --help"],
    ["-- without a command before it", ["--", "node"], "parley probe -- COMMAND", "parley --help"]
  ])("refuses %s with exit code 2, a sentence and the way to the help", async (_, args, problem, help) => {
    const { code, stderr, stdout } = await parley(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(problem)
    expect(stderr).toContain(`See ${help}`)
  })
})
