// Whatever a person reads fits into 80 columns, with a target whose name is long. Real processes.
import { displayWidth } from "effect/cli/CliOutput"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { host, parley } from "./Program.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-width-"))
afterAll(() => rmSync(folder, { recursive: true }))

const targets = join(folder, "targets.json")
writeFileSync(
  targets,
  JSON.stringify([
    { name: "日本語 サーバー with a name that is long enough to be cut", url: "http://127.0.0.1:1/mcp" },
    { name: "dies", command: "sh", args: ["-c", "echo Error: no DATABASE_URL in the environment of this process >&2"] }
  ])
)

const dead = ["http://127.0.0.1:1/a/path/as/long/as/those/that/people/have/mcp"]
const refusing = ["--policy", "handshakeOnly", "--", process.execPath, host("sdk2.ts"), "stdio", "modern"]

const widest = (text: string): string =>
  text.split("\n").reduce((widest, line) => (displayWidth(line) > displayWidth(widest) ? line : widest), "")

describe.concurrent("fits into 80 columns", () => {
  it.each([
    ["what is shown without arguments", []],
    ["--help", ["--help"]],
    ...["probe", "serve", "matrix", "explain", "doctor", "observe", "conform"].map(
      (command): [string, Array<string>] => [`${command} --help`, [command, "--help"]]
    ),
    ["a command that is not known", ["prob"]],
    ["probe where nothing listens", ["probe", "--trace", ...dead]],
    ["probe where the policy is refused", ["probe", "--trace", ...refusing]],
    ["doctor where nothing listens", ["doctor", ...dead]],
    ["doctor of a server", ["doctor", "--", process.execPath, host("sdk2.ts"), "stdio", "dual"]],
    ["matrix", ["matrix", targets]]
  ])("%s", async (_, args) => {
    const { stderr, stdout } = await parley(args)
    expect(stdout + stderr).not.toBe("")
    const line = widest(`${stdout}\n${stderr}`)
    expect({ line, fits: displayWidth(line) <= 80 }).toEqual({ line, fits: true })
  })
})
