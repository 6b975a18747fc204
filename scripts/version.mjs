// Makes a release of what waits in .changeset: versions and packages/*/CHANGELOG.md by `changeset version`, then from the same
// changesets the section of the root CHANGELOG.md, the version that the command tells, and the lockfile. Publishes nothing,
// commits nothing, and needs no network.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const importance = ["major", "minor", "patch"]

const { changesets, releases } = waiting()
if (changesets.length === 0) {
  process.stderr.write("version: no changeset waits in .changeset; npx changeset writes one\n")
  process.exit(1)
}
changeset("version")
const { newVersion } = releases.find(({ name }) => name === "@parley/core")
changelog(newVersion)
command(newVersion)
lockfile()
process.stdout.write(`version: ${newVersion}, ${changesets.length} changesets\n`)

// ---- changesets

function waiting() {
  const folder = mkdtempSync(join(tmpdir(), "parley-version-"))
  try {
    const file = join(folder, "status.json")
    changeset("status", "--output", relative(root, file))
    return JSON.parse(readFileSync(file, "utf8"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function changeset(...args) {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/@changesets/cli/bin.js"), ...args],
    { cwd: root, encoding: "utf8" }
  )
  if (status === 0) return
  process.stderr.write(`changeset ${args[0]} fails:\n${stdout}${stderr}`)
  process.exit(1)
}

// ---- what follows from them

// Before the newest release. What users have to act on comes first.
function changelog(version) {
  const lines = changesets
    .filter(({ releases: named }) => named.length > 0)
    .map(({ releases: named, summary }) => ({ rank: Math.min(...named.map(rankOf)), line: lineOf(named, summary) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ line }) => line)
  const path = join(root, "CHANGELOG.md")
  const section = `## ${version}\n\n${lines.join("\n")}\n\n`
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(/^## /m, (heading) => section + heading)
  )
}

function rankOf({ type }) {
  return importance.indexOf(type) < 0 ? importance.length : importance.indexOf(type)
}

function lineOf(named, summary) {
  const packages = named.map(({ name }) => `\`${name.replace("@parley/", "")}\``).join(", ")
  return `- ${packages}: ${summary.trim().replace(/\n+/g, "\n  ")}`
}

function command(version) {
  const path = join(root, "packages/cli/src/Release.ts")
  writeFileSync(path, readFileSync(path, "utf8").replace(/(export const version = ")[^"]+/, `$1${version}`))
}

// npm would ask the registry; all that changes is what the manifests of the workspace say.
function lockfile() {
  const path = join(root, "package-lock.json")
  const lock = JSON.parse(readFileSync(path, "utf8"))
  for (const name of readdirSync(join(root, "packages"))) {
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))
    const entry = lock.packages[`packages/${name}`]
    for (const field of ["version", "dependencies", "devDependencies", "peerDependencies"])
      if (manifest[field] !== undefined) entry[field] = manifest[field]
  }
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
}
