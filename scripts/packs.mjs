// Packs every public package as npm would publish it, puts the copies into an empty project outside the workspace, and
// looks at them as a stranger does: what the tarball holds, whether it type-checks, whether every module can be imported and
// the command runs. Dependencies that are not ours are taken from this workspace's node_modules, so that nothing is fetched.
import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const problems = []
const sizes = []

// A program as a stranger writes it: once with types, once as it runs.
const sample = `
import { HttpClient } from "@parley/node"
import { Connection } from "@parley/runtime"
import { Effect } from "effect"
export const program = Connection.connect({
  transport: HttpClient.make({ url: "http://127.0.0.1:1/mcp" }),
  client: { info: { name: "stranger", version: "1.0.0" }, capabilities: {} }
}).pipe(Effect.flatMap((connection) => connection.request("tools/list")), Effect.scoped)
`
const sampleRun = `${sample.replace("export ", "")}
console.log("Timeout or outage:", await Effect.runPromise(Effect.flip(program)).then(({ reason }) => reason._tag))
`

const built = run(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-b", "tsconfig.packages.json"],
  root
)
if (built.status !== 0) problems.push(`the build fails: ${built.text}`)

const packages = readdirSync(join(root, "packages"))
  .map((name) => ({ folder: join(root, "packages", name), name }))
  .map((one) => ({ ...one, manifest: JSON.parse(readFileSync(join(one.folder, "package.json"), "utf8")) }))
  .filter(({ manifest }) => manifest.private !== true)

const project = mkdtempSync(join(tmpdir(), "parley-packs-"))
try {
  mkdirSync(join(project, "node_modules/@parley"), { recursive: true })
  for (const one of packages) {
    manifest(one)
    sweep(one)
  }
  pack()
  dependencies()
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }))
  types()
  imports()
  command()
} finally {
  // `--keep`: for tools that look at an installed project, such as publint, attw, an older TypeScript or another Node.
  if (process.argv.includes("--keep")) process.stdout.write(`${project}\n`)
  else rmSync(project, { recursive: true, force: true })
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`)
  process.exitCode = 1
} else {
  process.stdout.write(
    `packs: ${packages.length} packages install, type-check and import outside (${sizes.join(", ")})\n`
  )
}

// ---- what a manifest must say

function manifest({
  manifest: { bin, engines, exports, files, license, name, peerDependencies, sideEffects, type, ...rest }
}) {
  const need = (is, what) => is || problems.push(`${name}: ${what}`)
  need(type === "module", "type is not module")
  need(sideEffects === false, "sideEffects is not false, so that bundlers keep what nobody uses")
  need(license === "MIT", "license is not MIT")
  need(typeof rest.description === "string" && rest.keywords?.length > 0, "description or keywords are missing")
  need(engines?.node === ">=22.19.0", "engines.node is not >=22.19.0")
  need(files?.includes("dist"), "files lacks dist")
  need(exports?.["./internal/*"] === null, "exports does not close internal/*")
  need(
    Object.values(exports ?? {}).every((to) => to === null || typeof to === "string" || to.types !== undefined),
    "an export has no types"
  )
  // One copy of Effect in an application: only a program of its own may bring one along.
  need(bin !== undefined || peerDependencies?.effect !== undefined, "effect is no peer dependency")
  need(bin !== undefined || rest.dependencies?.effect === undefined, "effect is a dependency")
}

// What a source that is no more has left in dist would be published.
function sweep({ folder }) {
  const dist = join(folder, "dist")
  for (const path of existsSync(dist) ? readdirSync(dist, { recursive: true }) : []) {
    const source = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(path)?.[1]
    if (source !== undefined && !existsSync(join(folder, "src", `${source}.ts`))) rmSync(join(dist, path))
  }
}

function pack() {
  const args = packages.flatMap(({ manifest: { name } }) => ["--workspace", name])
  const packed = run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project, ...args], root)
  const start = packed.out.search(/^[[{]/m)
  const found = start < 0 ? [] : Object.values(JSON.parse(packed.out.slice(start)))
  for (const {
    manifest: { exports, name }
  } of packages) {
    const report = found.find((one) => one.name === name)
    if (report === undefined) problems.push(`${name}: npm pack fails: ${packed.text}`)
    else unpack(name, exports, report)
  }
}

function unpack(name, exports, { filename, files, size }) {
  sizes.push(`${name.slice("@parley/".length)} ${Math.round(size / 1024)} KiB`)
  for (const { path } of files)
    if (/\.tsbuildinfo$|(?:^|\/)(?:test|node_modules)\/|\.test\./.test(path)) problems.push(`${name}: packs ${path}`)
  const to = join(project, "node_modules", name)
  mkdirSync(to, { recursive: true })
  for (const target of Object.values(exports ?? {}).flatMap((one) =>
    one === null ? [] : typeof one === "string" ? [one] : Object.values(one)
  ))
    if (typeof target === "string" && !target.includes("*") && !files.some(({ path }) => `./${path}` === target))
      problems.push(`${name}: exports names ${target}, which is not packed`)
  const done = run("tar", ["-xzf", join(project, filename), "-C", to, "--strip-components=1"], project)
  if (done.status !== 0) problems.push(`${name}: ${done.text}`)
}

// What is declared, and only that, is there: an undeclared import does not resolve.
function dependencies() {
  const wanted = packages.flatMap(({ manifest: { dependencies: own, peerDependencies } }) =>
    Object.keys({ ...own, ...peerDependencies })
  )
  for (const name of new Set([...wanted, "typescript", "@types/node"])) {
    const to = join(project, "node_modules", name)
    if (name.startsWith("@parley/") || existsSync(to)) continue
    mkdirSync(join(to, ".."), { recursive: true })
    symlinkSync(join(root, "node_modules", name), to)
  }
}

// ---- as a stranger

// Every module that the exports let in, by its public name.
function modules() {
  return packages.flatMap(({ manifest: { exports, name } }) => {
    const dist = join(project, "node_modules", name, "dist")
    if (!existsSync(dist)) return []
    return readdirSync(dist, { recursive: true })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => path.endsWith(".js") && !path.startsWith("internal/") && !/(?:^|-)bin\.js$/.test(path))
      .filter((path) => path === "index.js" || isModule(exports, `./${path.slice(0, -3)}`))
      .map((path) => (path === "index.js" ? name : `${name}/${path.slice(0, -3)}`))
  })
}

// The longest pattern that fits decides, and may lead to what is no module, such as data.
function isModule(exports, path) {
  const fitting = Object.keys(exports).filter((key) => key.endsWith("*") && path.startsWith(key.slice(0, -1)))
  const [longest] = fitting.toSorted((a, b) => b.length - a.length)
  return longest !== undefined && exports[longest]?.default?.endsWith(".js") === true
}

function types() {
  const options = {
    target: "ES2022",
    module: "NodeNext",
    strict: true,
    noEmit: true,
    types: ["node"],
    skipLibCheck: false
  }
  const lines = modules().map((name, at) => `import * as m${at} from "${name}"\nvoid m${at}`)
  writeFileSync(join(project, "stranger.ts"), `${lines.join("\n")}\n${sample}`)
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["stranger.ts"] }))
  const checked = run(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false"],
    project
  )
  // Declarations of others are theirs.
  const ours = checked.out.split("\n").filter((line) => /^(?:stranger\.ts|node_modules\/@parley)/.test(line))
  if (ours.length > 0) problems.push(`does not type-check outside:\n${ours.slice(0, 20).join("\n")}`)
}

function imports() {
  const names = modules()
  const program = `
    const failed = []
    for (const name of ${JSON.stringify(names)}) await import(name).catch((error) => failed.push(name + ": " + error.message))
    await import("@parley/core/internal/x").then(() => failed.push("internal is open"), () => {})
    await import("@parley/core/index").then(() => failed.push("index is open"), () => {})
    if (failed.length > 0) { console.error(failed.join("\\n")); process.exitCode = 1 }`
  const done = run(process.execPath, ["--input-type=module", "-e", program], project)
  if (done.status !== 0) problems.push(`does not import outside: ${done.text}`)
  const sampled = run(process.execPath, ["stranger-run.mjs"], project, { "stranger-run.mjs": sampleRun })
  if (!sampled.out.includes("Timeout or outage: TransportFailure"))
    problems.push(`does not run outside: ${sampled.text}`)
}

function command() {
  const bin = join(project, "node_modules/@parley/cli/dist/bin.js")
  if (!existsSync(bin)) return problems.push("@parley/cli packs no dist/bin.js")
  const shown = run(process.execPath, [bin, "--help"], project)
  if (shown.status !== 0 || !shown.out.includes("probe")) problems.push(`parley --help fails outside: ${shown.text}`)
  return undefined
}

function run(file, args, cwd, files = {}) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const { error, status, stderr, stdout } = spawnSync(file, args, {
    cwd,
    encoding: "utf8",
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024
  })
  return { status, out: stdout ?? "", text: `${error ?? ""}${stderr ?? ""}${stdout ?? ""}`.trim().slice(0, 3000) }
}
