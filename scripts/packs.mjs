// Packs every public package as npm would publish it and meets the copies as a stranger does: what the tarballs hold, what
// publint and attw say of them, then an empty project for each outside the workspace, where it is installed by npm, imported,
// type-checked and run, under Node 22 with TypeScript 5.9 and under this Node with this TypeScript. Without a registry this
// second part is skipped by name, unless PARLEY_REQUIRE_PACKS=1. `--keep` leaves the projects where they are.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lint } from "./packs/lint.mjs"
import { manifestProblems, publicPackages } from "./packs/manifest.mjs"
import { startServer, strange } from "./packs/project.mjs"
import { npm, pool, root, run } from "./packs/run.mjs"
import { sizes } from "./packs/sizes.mjs"
import { pack, sweep } from "./packs/tarball.mjs"

const isRequired = process.env["PARLEY_REQUIRE_PACKS"] === "1"
const started = Date.now()
const problems = []
const skipped = []

const built = await run(process.execPath, [
  join(root, "node_modules/typescript/bin/tsc"),
  "-b",
  "tsconfig.packages.json"
])
if (built.code !== 0) problems.push(`the build fails: ${built.text}`)

const folder = mkdtempSync(join(tmpdir(), "parley-packs-"))
try {
  const packages = publicPackages()
  for (const one of packages) {
    problems.push(...manifestProblems(one))
    sweep(one)
  }
  problems.push(...(await pack(packages, folder)))
  if (problems.length === 0) {
    await pool(
      packages.map((one) => async () => problems.push(...(await lint(one)))),
      2
    )
    await meet(packages)
  }
} finally {
  if (process.argv.includes("--keep")) process.stdout.write(`${folder}\n`)
  else rmSync(folder, { recursive: true, force: true })
}

const seconds = ((Date.now() - started) / 1000).toFixed(0)
for (const what of skipped) process.stdout.write(`packs: SKIPPED ${what}\n`)
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`)
  process.exitCode = 1
} else process.stdout.write(`packs: ${skipped.length === 0 ? "all" : "the rest"} is well, in ${seconds} s\n`)

async function meet(packages) {
  const shown = packages.map(({ files, size, short }) => `${short} ${Math.round(size / 1024)} KiB in ${files.length}`)
  process.stdout.write(`packs: publint and attw find nothing (${shown.join(", ")} files)\n`)
  const tools = await fetchTools()
  if (tools === undefined) return
  const servers = await Promise.all(tools.nodes.map((node, at) => startServer(packages, folder, node, `server-${at}`)))
  try {
    const jobs = packages.map(
      (one) => async () => problems.push(...(await strange(one, packages, folder, tools, servers)))
    )
    await pool(jobs, 2)
  } finally {
    for (const server of servers) await server.close()
  }
  const { lines, problems: found } = await sizes(packages, folder)
  problems.push(...found)
  const nodes = tools.nodes.map(({ version, typescript }) => `Node ${version} with TypeScript ${typescript.version}`)
  if (problems.length === 0)
    process.stdout.write(
      `packs: installed, imported, type-checked and run under ${nodes.join(" and ")}\n${lines.join("\n")}\n`
    )
}

// The older Node and TypeScript of a stranger, from the registry; and those of this workspace.
async function fetchTools() {
  const own = {
    file: process.execPath,
    version: process.versions.node,
    typescript: await typescriptAt(join(root, "node_modules/typescript"), process.execPath)
  }
  const platform = `${process.platform}-${process.arch}`
  const hasNode = ["linux-x64", "linux-arm64"].includes(platform)
  const tools = join(folder, "tools")
  mkdirSync(tools)
  writeFileSync(join(tools, "package.json"), "{}")
  const wanted = ["typescript@5.9", ...(hasNode ? [`node-${platform}@22.23.5`] : [])]
  const installed = await npm(own, ["install", ...wanted], tools)
  if (installed.code !== 0) {
    skip(
      `installing, type-checking and running: npm install ${wanted.join(" ")} fails: ${installed.text.split("\n", 1)[0]}`
    )
    return undefined
  }
  if (!hasNode) skip(`Node 22: the registry is not asked for one for ${platform}`)
  const file = hasNode ? join(tools, `node_modules/node-${platform}/bin/node`) : process.execPath
  const { out } = await run(file, ["-p", "process.versions.node"])
  const older = {
    file,
    version: out.trim(),
    typescript: {
      ...(await typescriptAt(join(tools, "node_modules/typescript"), file)),
      check: [join(tools, "check.mjs")]
    }
  }
  copyFileSync(join(root, "scripts/packs/check.mjs"), join(tools, "check.mjs"))
  return { nodes: [older, own] }
}

async function typescriptAt(at, node) {
  const file = join(at, "bin/tsc")
  const { out } = await run(node, [file, "--version"])
  return { check: [file, "-p", ".", "--pretty", "false"], version: out.trim().replace("Version ", "") }
}

function skip(what) {
  if (isRequired) problems.push(`not skipped, for PARLEY_REQUIRE_PACKS=1: ${what}`)
  else skipped.push(what)
}
