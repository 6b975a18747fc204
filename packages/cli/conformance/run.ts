// `npm run conformance -- [--leg server|client] [--only NAME,...] [--set negotiation|extended|all]`: runs the official suite
// against `parley serve` and against a client on Parley's Connection. Prints a line a run, and "N passed, N failed".
import { spawn, type ChildProcess } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { extended, negotiation, type Scenario, suites } from "./Scenarios.ts"

const { values } = parseArgs({
  options: { leg: { type: "string" }, only: { type: "string" }, set: { type: "string", default: "all" } }
})
const root = fileURLToPath(new URL("../../..", import.meta.url))
const sources = ["--import", join(root, "scripts/register.mjs")]
const only = values.only?.split(",")
const wanted = [
  ...(values.set === "extended" ? [] : negotiation),
  ...(values.set === "negotiation" ? [] : extended)
].filter(
  ({ leg, name }) => (values.leg === undefined || leg === values.leg) && (only === undefined || only.includes(name))
)

const servers: Array<ChildProcess> = []

const serve = (): Promise<string> => {
  const child = spawn(
    process.execPath,
    [...sources, join(root, "packages/cli/src/bin.ts"), "serve", "--era", "dual", "--transport", "http", "--port", "0"],
    { stdio: ["pipe", "pipe", "inherit"] }
  )
  servers.push(child)
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`parley serve ended with ${code}`)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /http:\/\/\S+/.exec(line)?.[0]
      if (url !== undefined) resolve(url)
    })
  })
}

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

const checksIn = (folder: string): ReadonlyArray<Check> => {
  const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("checks.json"))
  // The suite's own report of one run.
  return file === undefined ? [] : (JSON.parse(readFileSync(join(folder, file), "utf8")) as ReadonlyArray<Check>)
}

// A warning fails too: the suite's server leg would let it pass.
const run = (scenario: Scenario, target: string): Promise<ReadonlyArray<string>> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-conformance-"))
  const program = join(root, "node_modules", suites[scenario.suite], "dist/index.js")
  const addressed = scenario.leg === "server" ? ["--url", target] : ["--command", target, "--timeout", "30000"]
  const versioned = scenario.suite === "0.1.16" ? [] : ["--spec-version", scenario.version]
  const child = spawn(
    process.execPath,
    [program, scenario.leg, ...addressed, "--scenario", scenario.name, "-o", folder, ...versioned],
    { stdio: ["ignore", "pipe", "pipe"], detached: true }
  )
  let output = ""
  child.stdout.on("data", (chunk) => (output += chunk))
  child.stderr.on("data", (chunk) => (output += chunk))
  // The suite waits for the pipes of a client that hangs: its whole group is ended instead.
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), 60_000)
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer)
      const checks = checksIn(folder)
      rmSync(folder, { recursive: true, force: true })
      const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
      const problems = bad.map((check) => `${check.status} ${check.id}: ${(check.errorMessage ?? "").slice(0, 300)}`)
      if (code !== 0 && problems.length === 0) problems.push(`it ended with ${code}: ${output.slice(-600)}`)
      if (scenario.known === undefined && !checks.some(({ status }) => status === "SUCCESS")) {
        problems.push("nothing was asserted")
      }
      resolve(judged(scenario, bad, problems))
    })
  })
}

const judged = (
  { known }: Scenario,
  bad: ReadonlyArray<Check>,
  problems: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (known === undefined) return problems
  const failing = bad.map(({ id }) => id)
  return failing.length === 1 && failing[0] === known.check
    ? []
    : [`expected ${known.check} alone to fail (${known.because}); failing: ${failing.join(", ") || "nothing"}`]
}

const client = [process.execPath, ...sources, join(root, "packages/cli/conformance/client.ts")].join(" ")
let passed = 0
try {
  const needsServer = wanted.some(({ leg }) => leg === "server")
  const server = needsServer ? await serve() : ""
  for (const scenario of wanted) {
    const problems = await run(scenario, scenario.leg === "client" ? client : server)
    if (problems.length === 0) passed += 1
    const note = scenario.known === undefined ? "" : ` (fails as known: ${scenario.known.because})`
    const verdict = problems.length === 0 ? "pass" : "FAIL"
    console.log(`${verdict} ${scenario.suite.padEnd(14)} ${scenario.leg} ${scenario.version} ${scenario.name}${note}`)
    for (const problem of problems) console.log(`     ${problem}`)
  }
} finally {
  for (const server of servers) server.kill("SIGTERM")
}
console.log(`${passed} passed, ${wanted.length - passed} failed`)
process.exit(passed === wanted.length ? 0 : 1)
