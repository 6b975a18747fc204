// `npm run bench`: measures Parley beside its peers, prints one table and writes docs/performance.md.
// `npm run bench -- --smoke`: sees that everything runs and that what is counted is exact; exits 1 otherwise.
// `--only=<text>`: only the groups whose names contain the text. `--rounds=<n>`: so many rounds at most.
// `--profile=<contender>`: records CPU profiles of that contender. None of them writes the page, but where it is told where:
// `--page=<file>`.
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bundlesGroup } from "./groups/Bundles.ts"
import { countsGroup } from "./groups/Counts.ts"
import { fleetGroup } from "./groups/Fleet.ts"
import { gateGroup } from "./groups/Gate.ts"
import { importsGroup } from "./groups/Imports.ts"
import { openingsGroup } from "./groups/Openings.ts"
import { pureGroup } from "./groups/Pure.ts"
import { refusingGroup } from "./groups/Refusing.ts"
import { servingGroup } from "./groups/Serving.ts"
import { sessionsGroup } from "./groups/Sessions.ts"
import { stdioGroup } from "./groups/Stdio.ts"
import { warmGroup } from "./groups/Warm.ts"
import type { Group, Mode } from "./Group.ts"
import { machine, versions } from "./Machine.ts"
import { page } from "./Page.ts"
import { kept } from "./Profile.ts"
import * as Rounds from "./Rounds.ts"
import { fault, type Row } from "./Row.ts"
import { table } from "./Table.ts"
import { profiled } from "./Worker.ts"

// In the order in which they are measured and shown.
const groups: ReadonlyArray<Group> = [
  openingsGroup,
  countsGroup,
  warmGroup,
  stdioGroup,
  fleetGroup,
  servingGroup,
  refusingGroup,
  gateGroup,
  pureGroup,
  sessionsGroup,
  bundlesGroup,
  importsGroup
]

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)

const mode: Mode = process.argv.includes("--smoke") ? "smoke" : "full"
const only = option("only")
const rounds = option("rounds")
const profile = option("profile")
const committed = fileURLToPath(new URL("../../../docs/performance.md", import.meta.url))
const isWhole = mode === "full" && only === undefined && rounds === undefined && profile === undefined
const pageAt = option("page") ?? (isWhole ? committed : undefined)
if (rounds !== undefined) Rounds.atMost(Number(rounds))
if (profile !== undefined) process.stderr.write(`profiles are written to ${profiled(profile)}\n`)

// What is measured is what is published: the workers load the packages as they are built.
const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url))
const project = fileURLToPath(new URL("../tsconfig.src.json", import.meta.url))
execFileSync(process.execPath, [tsc, "-b", project], { stdio: "inherit" })

const before = machine()
const started = performance.now()
const seconds = (): number => (performance.now() - started) / 1000

const measured: Array<{ readonly group: Group; readonly rows: ReadonlyArray<Row> }> = []
for (const group of groups) {
  if (only !== undefined && !group.name.includes(only)) continue
  const begun = seconds()
  process.stderr.write(`${group.name} …`)
  measured.push({ group, rows: await group.run(mode) })
  process.stderr.write(` ${(seconds() - begun).toFixed(1)} s\n`)
}

const rows = measured.flatMap((one) => one.rows)
process.stdout.write(`${table(rows)}\n`)

const faults = rows.flatMap((row) => {
  const found = fault(row)
  return found === undefined ? [] : [`${row.group}, ${row.title}: ${found}`]
})
process.stdout.write(`${rows.length} rows in ${seconds().toFixed(0)} s, ${faults.length} faults\n`)
for (const one of faults) process.stdout.write(`  ${one}\n`)
if (faults.length > 0 || rows.length === 0) process.exitCode = 1

if (pageAt !== undefined) {
  const text = page({
    day: new Date().toISOString().slice(0, 10),
    minutes: seconds() / 60,
    before,
    loadAfter: machine().load,
    versions: versions(),
    groups: measured,
    profiles: kept()
  })
  writeFileSync(pageAt, text)
  const oxfmt = fileURLToPath(new URL("../../../node_modules/oxfmt/bin/oxfmt", import.meta.url))
  execFileSync(process.execPath, [oxfmt, pageAt], { stdio: "ignore" })
}
