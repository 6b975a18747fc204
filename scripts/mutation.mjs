// Runs Stryker on core, part by part, and writes what came of it to docs/machines/mutation.md. What a survivor is excused
// by stands in scripts/mutation/survivors.json; how tests are run stands in scripts/mutation/runner.mjs.
//
//   npm run mutation                  every part, from the results that are kept: what has not changed is not run again
//   npm run mutation -- client        one part (client, server, wire, schemas)
//   npm run mutation -- --page        only the page, from the reports in .mutation
//   npm run mutation -- --open        prints the survivors without a reason
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"

const core = "packages/core/src"
const parts = {
  client: `${core}/client/*.ts`,
  server: `${core}/server/*.ts`,
  wire: `${core}/*.ts`,
  schemas: `${core}/schemas/*.ts`
}
const page = "docs/machines/mutation.md"
const reportOf = (part) => `.mutation/${part}.json`

const main = (words) => {
  const asked = words.filter((word) => word in parts)
  if (!words.includes("--page") && !words.includes("--open")) {
    for (const part of asked.length === 0 ? Object.keys(parts) : asked) run(part, words.includes("--force"))
  }
  const missing = Object.keys(parts).filter((part) => !existsSync(reportOf(part)))
  const files = mutated()
  if (words.includes("--open")) {
    for (const one of files.flatMap(({ survivors }) => survivors)) if (one.reason === undefined) print(one)
    return
  }
  if (missing.length > 0) {
    console.error(`No report yet of ${missing.join(", ")}: the page is left as it is.`)
    process.exitCode = 1
    return
  }
  writeFileSync(page, render(files))
  console.log(`${page}: ${percent(sum(files))} of ${sum(files).valid} mutants`)
}

const run = (part, force) => {
  forget(part)
  const { status } = spawnSync(
    "stryker",
    [
      "run",
      `--mutate=${parts[part]}`,
      `--incrementalFile=.mutation/${part}.incremental.json`,
      ...(force ? ["--force"] : [])
    ],
    { stdio: "inherit", shell: process.platform === "win32" }
  )
  if (status !== 0) throw new Error(`Stryker ended with ${status} on ${part}.`)
  writeFileSync(reportOf(part), readFileSync(".mutation/report.json"))
}

// Stryker keeps a survivor as long as the tests that cover it are the same, and knows no such tests for what a module
// computes while it loads. A survivor is always tried again, and so is what timed out: the machine may have been busy.
const forget = (part) => {
  const kept = `.mutation/${part}.incremental.json`
  if (!existsSync(kept)) return
  const report = JSON.parse(readFileSync(kept, "utf8"))
  for (const file of Object.values(report.files)) {
    file.mutants = file.mutants.filter(({ status }) => status === "Killed" || status === "Ignored")
  }
  writeFileSync(kept, JSON.stringify(report))
}

/** What the reports say of each file, with the reasons that are known. */
const mutated = () => {
  const reasons = JSON.parse(readFileSync("scripts/mutation/survivors.json", "utf8"))
  return Object.keys(parts)
    .filter((part) => existsSync(reportOf(part)))
    .flatMap((part) => Object.entries(JSON.parse(readFileSync(reportOf(part), "utf8")).files))
    .map(([file, { mutants, source }]) => {
      const lines = source.split("\n")
      const counts = { killed: 0, timeout: 0, survived: 0, uncovered: 0 }
      const survivors = []
      for (const mutant of mutants) {
        const { location, mutatorName, replacement } = mutant
        const status = verdict(mutant)
        if (status === "Killed") counts.killed += 1
        if (status === "Timeout") counts.timeout += 1
        if (status === "Survived") counts.survived += 1
        if (status === "NoCoverage") counts.uncovered += 1
        if (status !== "Survived" && status !== "NoCoverage") continue
        const { start, end } = location
        const first = lines[start.line - 1]
        const was =
          start.line === end.line
            ? first.slice(start.column - 1, end.column - 1)
            : `${first.slice(start.column - 1).trim()} …`
        const short = file.slice(core.length + 1)
        const excuse = reasons.find(
          (one) =>
            one.file === short &&
            one.was === was &&
            one.becomes === replacement &&
            (one.line === undefined || first.includes(one.line))
        )
        survivors.push({
          file: short,
          at: start.line,
          mutator: mutatorName,
          line: first.trim(),
          was,
          becomes: replacement,
          status,
          reason: excuse?.reason
        })
      }
      return { file: file.slice(core.length + 1), ...counts, valid: Object.values(counts).reduce(add, 0), survivors }
    })
    .filter(({ valid }) => valid > 0)
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
}

// That a mutant took too long proves an endless loop only where Stryker counted its turns: a busy machine is slow too.
const verdict = ({ status, statusReason }) =>
  status === "Timeout" && !String(statusReason).includes("Hit limit") ? "Survived" : status

const render = (files) => {
  const all = sum(files)
  const survivors = files.flatMap((one) => one.survivors)
  const known = survivors.filter(({ reason }) => reason !== undefined)
  const open = survivors.filter(({ reason }) => reason === undefined)
  const [cpu] = cpus()
  const stryker = JSON.parse(readFileSync("node_modules/@stryker-mutator/core/package.json", "utf8")).version
  return [
    "<!-- Generated by `npm run mutation` from Stryker's reports. Do not edit by hand. -->",
    "",
    "# Mutants of the core",
    "",
    `Stryker changes the source of \`${core}\` in one place at a time, and the tests have to notice. Of ${all.valid} changes they notice ${all.killed + all.timeout}: a mutation score of **${percent(all)}**. ${all.timeout} of these are noticed because the changed code no longer ends (counted in turns, not in time: what was only slow counts as a survivor). ${known.length} survivors change nothing that can be seen, each with its reason below; ${open.length} are open.`,
    "",
    `Run on ${new Date().toISOString().slice(0, 10)} at commit ${commit()}: Stryker ${stryker}, Node ${process.versions.node}, ${cpus().length} × ${cpu?.model ?? "unknown"}.`,
    "",
    "To repeat it: `npm run mutation` (results of unchanged code and tests are kept in `.mutation`), `npm run mutation -- client` for one part, `npm run mutation -- --force` for everything anew. It is run by hand, not in CI.",
    "",
    "The tests are those of `packages/core/test`, and the replay of every step of `packages/vectors/data` (`packages/vectors/test/data/*Replay.test.ts`). Core is pure, so `scripts/mutation/runner.mjs` runs them in one process and loads modules anew only for what is computed while a module loads; a test that failed must pass again without the mutant, or its verdict is not taken. Properties are tried on 25 inputs and a few long tests are left out (`without` in `stryker.config.json`): both can only make the score too low.",
    "",
    "## By file",
    "",
    "| file | mutants | killed | timed out | survived | not covered | score |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...files.map((one) => row(`\`${one.file}\``, one)),
    row("**all**", all),
    "",
    "## Survivors that change nothing",
    "",
    ...byFile(known),
    "## Open survivors",
    "",
    ...(open.length === 0 ? ["None.", ""] : byFile(open))
  ]
    .join("\n")
    .replace(/\n+$/, "\n")
}

const row = (name, one) =>
  `| ${name} | ${one.valid} | ${one.killed} | ${one.timeout} | ${one.survived} | ${one.uncovered} | ${percent(one)} |`

const byFile = (survivors) =>
  [...new Set(survivors.map(({ file }) => file))].flatMap((file) => [
    `### \`${file}\``,
    "",
    ...survivors.filter((one) => one.file === file).map(said),
    ""
  ])

const said = ({ at, becomes, reason, status, was }) =>
  `- ${at}: ${code(was)} becomes ${code(becomes)}${reason === undefined ? (status === "NoCoverage" ? " (not covered)" : "") : `. ${reason}`}`

const code = (text) => {
  const line = text.replace(/\s+/g, " ")
  const cut = line.length > 90 ? `${line.slice(0, 89)}…` : line
  return cut === "" ? "nothing" : cut.includes("`") ? `\`\` ${cut} \`\`` : `\`${cut}\``
}

const print = ({ at, becomes, file, line, mutator, was }) =>
  console.log(
    `${file}:${at} ${mutator}\n    ${line.slice(0, 150)}\n    ${was.slice(0, 90)}  =>  ${becomes.replace(/\s+/g, " ").slice(0, 90)}`
  )

const counted = ["killed", "timeout", "survived", "uncovered", "valid"]
const sum = (files) => Object.fromEntries(counted.map((key) => [key, files.map((one) => one[key]).reduce(add, 0)]))
const add = (a, b) => a + b
const percent = ({ killed, timeout, valid }) => `${((100 * (killed + timeout)) / valid).toFixed(1)} %`
const commit = () => execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()

main(process.argv.slice(2))
