// A stranger's project for one package: installed by npm from the tarballs, imported, type-checked, and run. The programs
// are those of scripts/packs/programs: they say in comments what they print.
import { spawn } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { closure, modulesOf } from "./manifest.mjs"
import { npm, root, run } from "./run.mjs"

const programs = join(root, "scripts/packs/programs")
const command = "node_modules/@parley/cli/dist/bin.js"

/** Starts the server process that the clients meet, from a project of its own on the given Node. */
export const startServer = async (packages, folder, node, name) => {
  const project = make(folder, name)
  const installed = await install("@parley/node", packages, project, node)
  if (installed.code !== 0) throw new Error(installed.text)
  copyFileSync(join(programs, "server.ts"), join(project, "server.ts"))
  const child = spawn(node.file, ["server.ts"], { cwd: project, stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((done) => child.on("close", done))
  const url = await new Promise((done, fail) => {
    child.stdout.once("data", (chunk) => done(String(chunk).trim()))
    child.on("close", (code) => fail(new Error(`the server on Node ${node.version} ended with ${code}`)))
  })
  const close = async () => {
    child.kill()
    await ended
  }
  return { url, close }
}

/** Returns what a stranger meets with this package under each Node. A client meets the server of the other Node. */
export const strange = async (one, packages, folder, { nodes }, servers) => {
  const project = make(folder, one.short)
  writeFileSync(join(project, "imports.mjs"), importing(modulesOf(one)))
  writeFileSync(join(project, "modules.ts"), naming(modulesOf(one)))
  for (const name of [`${one.short}.ts`, "server.ts"])
    if (existsSync(join(programs, name)) && (name !== "server.ts" || one.short === "node"))
      copyFileSync(join(programs, name), join(project, name))

  const problems = []
  for (const [at, node] of nodes.entries()) {
    const where = `${one.name} under Node ${node.version}`
    const installed = at === 0 ? await install(one.name, packages, project, node) : await npm(node, ["ci"], project)
    if (installed.code !== 0 || /EBADENGINE/.test(installed.text)) {
      problems.push(`${where} does not install: ${installed.text}`)
      continue
    }
    const { url } = servers.at(at - 1)
    problems.push(...(await checks(one, project, node, url)).map((problem) => `${where} ${problem}`))
  }
  return problems
}

const checks = async ({ manifest: { bin }, short }, project, node, url) => {
  const imported = await run(node.file, ["imports.mjs"], project)
  if (imported.code !== 0) return [`does not import: ${imported.text}`]
  return [
    ...(await types(project, node)),
    ...(existsSync(join(project, `${short}.ts`)) ? await program(project, `${short}.ts`, node, url) : []),
    ...(bin === undefined ? [] : await parley(project, node, url))
  ]
}

// ---- installing

const make = (folder, name) => {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }))
  return project
}

// Ours are on no registry: a package comes with those that it needs. What others it needs, npm finds out.
const install = (name, packages, project, node) => {
  const tarballs = closure(name, packages).map((wanted) => packages.find((one) => one.name === wanted).tarball)
  return npm(node, ["install", "--engine-strict", "@types/node@24", ...tarballs], project)
}

// ---- importing

// Every module, one process. Importing does nothing: it leaves no timer or socket, no listener, nothing global.
const importing = (names) => `
const state = () => [
  ...process.getActiveResourcesInfo(),
  ...process.eventNames().map((name) => \`\${String(name)} \${process.listenerCount(name)}\`),
  ...Object.getOwnPropertyNames(globalThis)
]
// The standard streams of this process, which node:http opens, and the marks of Effect on globalThis.
const ignored = /^(?:Pipe|TTY)Wrap$|effect/i
const before = new Set(state())
const failed = []
for (const name of ${JSON.stringify(names)}) await import(name).catch((error) => failed.push(\`\${name}: \${error.message}\`))
for (const name of ["@parley/core/internal/x", "@parley/core/index"])
  await import(name).then(() => failed.push(\`\${name} is open\`), () => {})
for (const left of state()) if (!before.has(left) && !ignored.test(left)) failed.push(\`importing leaves \${left}\`)
if (failed.length > 0) throw new Error(failed.join("\\n"))
`

// ---- type-checking

const naming = (names) => names.map((name, at) => `import * as m${at} from "${name}"\nvoid m${at}\n`).join("")

const types = async (project, { file, typescript }) => {
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    strict: true,
    noEmit: true,
    types: ["node"],
    skipLibCheck: false,
    resolveJsonModule: true
  }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  const { code, out, text } = await run(file, typescript.check, project)
  // Declarations of others are theirs.
  const ours = out.split("\n").filter((line) => /^(?:[\w-]+\.ts|node_modules\/@parley)/.test(line))
  if (ours.length > 0)
    return [`with TypeScript ${typescript.version} does not type-check:\n${ours.slice(0, 20).join("\n")}`]
  return out.includes("error TS") || code === 0 ? [] : [`with TypeScript ${typescript.version}: ${text}`]
}

// ---- running

const program = async (project, name, node, url) => {
  const { code, out, text } = await run(node.file, [name, url], project)
  if (code !== 0) return [`${name} ends with ${code}: ${text}`]
  const expected = [...readFileSync(join(project, name), "utf8").matchAll(/^\/\/ prints (.+)$/gm)]
  return expected
    .filter(([, line]) => !out.includes(line))
    .map(([, line]) => `${name} did not print ${line}, but ${text}`)
}

// The command as npm linked it, then by its file so that each Node runs it: a server process, and one of its own.
const parley = async (project, node, url) => {
  const serve = ["--", node.file, command, "serve", "--transport", "stdio"]
  const told = [
    [["--version"], /\d+\.\d+\.\d+/],
    [["--help"], /probe/],
    [["probe", url, "--json"], /"version": ?"2025-11-25"/],
    [["probe", "--policy", "discover-first", ...serve], /speaks 2026-07-28/],
    [["conform", "--server", url, "--only", "fresh/discover"], /conversations, .* none otherwise/]
  ]
  const linked = await npm(node, ["exec", "--no", "--", "parley", "--version"], project)
  const problems = linked.code === 0 ? [] : [`npx parley fails: ${linked.text}`]
  for (const [args, expected] of told) {
    const { code, out, text } = await run(node.file, [command, ...args], project, { NO_COLOR: "1" })
    if (code !== 0 || !expected.test(out)) problems.push(`parley ${args.join(" ")} ends with ${code}: ${text}`)
  }
  return problems
}
