// Keeps the documents true. `npm run docs` rewrites their generated parts; with `-- --check` it only compares. Either way
// every TypeScript block of README.md, docs/*.md, the packages' READMEs and docstrings is type-checked, those marked `ts run`
// and every example are run, and every link to a file of this repository must lead somewhere. What the documents say is theirs.
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { errorsPage } from "./docs/errors.mjs"
import { checkPort, checkServer, freePort, startRedis, startServer } from "./docs/peers.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const check = process.argv.includes("--check")
const loader = ["--import", pathToFileURL(join(root, "scripts/register.mjs")).href]
const problems = []
const skipped = []
const started = Date.now()

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ".changeset/README.md",
  ...within("docs"),
  ...within("docs/decisions"),
  ...within("docs/examples"),
  ...readmes()
]

generate("docs/errors.md", errorsPage())
for (const page of pages) mark(page)
for (const page of pages) links(page)
const blocks = extract()
await Promise.all([types(), run()])

const seconds = ((Date.now() - started) / 1000).toFixed(0)
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`)
  process.exitCode = 1
} else {
  const ran = blocks.filter((block) => block.runs || block.serves).length + examples().length - skipped.length
  for (const what of skipped) process.stdout.write(`docs: SKIPPED ${what}\n`)
  process.stdout.write(
    `docs: ${pages.length} pages, ${blocks.length} blocks of code type-check, ${ran} programs ran, ${seconds} s\n`
  )
}

function within(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
}

function readmes() {
  return readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}/README.md`)
    .filter((path) => existsSync(join(root, path)))
}

// ---- generated parts

function generate(path, text) {
  const file = join(root, path)
  const old = existsSync(file) ? readFileSync(file, "utf8") : ""
  if (plain(old) === plain(text)) return
  if (check) problems.push(`${path} is not what its source says: run npm run docs`)
  else writeFileSync(file, text)
}

// A part between `<!-- from FILE#TITLE -->` and `<!-- end -->` is the section of that title in that file; between
// `<!-- code FILE -->` and `<!-- end -->` it is the whole of that program.
function mark(path) {
  const text = read(path)
  const pattern = /(<!-- (?:from (\S+?)#(.+?)|code (\S+?)) -->\n)([\s\S]*?)(<!-- end -->)/g
  const next = text.replace(pattern, (whole, open, source, title, program, old, close) => {
    const found = program === undefined ? section(read(source), title) : `\`\`\`ts\n${read(program).trim()}\n\`\`\``
    if (found === undefined) {
      problems.push(`${path}: ${source} has no section "${title}"`)
      return whole
    }
    return plain(old) === plain(found) ? whole : `${open}\n${found}\n\n${close}`
  })
  if (next === text) return
  if (check) problems.push(`${path}: a generated part is old: run npm run docs`)
  else writeFileSync(join(root, path), next)
}

function section(text, title) {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === title)
  if (start < 0) return undefined
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line))
  return lines
    .slice(start + 1, length < 0 ? undefined : start + 1 + length)
    .join("\n")
    .trim()
}

// The formatter pads tables and ends files with a newline.
function plain(text) {
  return text
    .replace(/-{3,}/g, "---")
    .replace(/[ \t]+/g, " ")
    .trim()
}

// ---- links

function links(path) {
  const prose = read(path).replace(/^```[\s\S]*?^```/gm, "")
  for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue
    const [file, anchor] = target.split("#")
    const to = file === "" ? join(root, path) : resolve(root, dirname(path), file)
    if (!existsSync(to)) problems.push(`${path}: the link ${target} leads nowhere`)
    else if (anchor !== undefined && to.endsWith(".md") && !anchors(readFileSync(to, "utf8")).has(anchor))
      problems.push(`${path}: there is no heading for ${target}`)
  }
}

function anchors(text) {
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replace(/ /g, "-")
    )
  )
}

// ---- code

// Blocks become modules of .docs, which git ignores. `ts run` is run too; `ts serve` is a server on port 3000, which is started
// and called in both eras; `ts ignore` is only read by people.
function extract() {
  rmSync(join(root, ".docs"), { recursive: true, force: true })
  mkdirSync(join(root, ".docs"))
  return [...pages.flatMap((page) => blocksOf(page, read(page).split("\n"))), ...sources().flatMap(docstringBlocks)]
}

function blocksOf(page, lines) {
  const found = []
  for (let at = 0; at < lines.length; at++) {
    const info = /^```ts(?: (\w+))?$/.exec(lines[at])
    if (info === null) continue
    const end = lines.indexOf("```", at)
    const text = lines.slice(at + 1, end).join("\n")
    if (info[1] !== "ignore") {
      const file = `.docs/${page.replace(/\W/g, "-")}-${at + 1}.ts`
      writeFileSync(join(root, file), `${text}\nexport {}\n`)
      found.push({ file, page, line: at + 1, text, runs: info[1] === "run", serves: info[1] === "serve" })
    }
    at = end
  }
  return found
}

function sources() {
  return readdirSync(join(root, "packages")).flatMap((name) =>
    readdirSync(join(root, "packages", name, "src"), { recursive: true })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => `packages/${name}/src/${path}`)
  )
}

// The examples of docstrings are type-checked like those of pages; what is no docstring is blank here.
function docstringBlocks(path) {
  const text = read(path)
  if (!text.includes(" * ```ts")) return []
  let isIn = false
  const lines = text.split("\n").map((line) => {
    isIn = line.startsWith("/**") || (isIn && line.startsWith(" *"))
    return isIn ? line.replace(/^ \* ?/, "") : ""
  })
  return blocksOf(path, lines)
}

async function types() {
  const packages = readdirSync(join(root, "packages"))
  const config = {
    extends: "../tsconfig.base.json",
    include: ["*.ts", "../docs/examples/*.ts"],
    compilerOptions: {
      composite: false,
      incremental: false,
      declaration: false,
      declarationMap: false,
      sourceMap: false,
      noEmit: true,
      noUnusedLocals: false,
      types: ["node"],
      paths: Object.fromEntries(
        packages.flatMap((name) => [
          [`@parley/${name}`, [`../packages/${name}/src/index.ts`]],
          [`@parley/${name}/*`, [`../packages/${name}/src/*.ts`]]
        ])
      )
    }
  }
  writeFileSync(join(root, ".docs/tsconfig.json"), JSON.stringify(config))
  const { out } = await start([join(root, "node_modules/typescript/bin/tsc"), "-p", ".docs", "--pretty", "false"])
  for (const line of out.split("\n")) {
    const [, file, at, rest] = /^(\S+?)\((\d+),\d+\): (.*)$/.exec(line) ?? []
    if (file === undefined) continue
    const block = blocks.find((one) => one.file === file)
    if (block !== undefined) problems.push(`${block.page}:${block.line + Number(at)}: ${rest}`)
    else if (file.startsWith("docs/")) problems.push(`${file}:${at}: ${rest}`)
  }
}

function examples() {
  return readdirSync(join(root, "docs/examples")).filter((name) => name.endsWith(".ts") && name !== "clock.ts")
}

async function run() {
  const server = await startServer()
  const running = blocks.filter((block) => block.runs)
  for (const { file, text } of running)
    writeFileSync(join(root, file), `${text.replaceAll("http://127.0.0.1:3000/mcp", server.url)}\nexport {}\n`)
  // Blocks that end when their module does can share a process: starting one costs more than most of them.
  const [shared, alone] = [running.filter(endsWithModule), running.filter((block) => !endsWithModule(block))]
  const jobs = [
    () => runShared(shared),
    ...alone.map((block) => () => runAlone(block)),
    ...blocks.filter((block) => block.serves).map((block) => () => runServing(block)),
    ...examples().map((name) => () => runExample(name, server.url))
  ]
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job()
  }
  await Promise.all([worker(), worker(), worker()])
  await server.close()
}

function endsWithModule({ text }) {
  return /^await |^console/m.test(text) && !/^Effect\.run/m.test(text)
}

async function runAlone({ file, page, line, text }) {
  judge(`${page}:${line}`, text, await start([...loader, file]))
}

async function runServing({ file, page, line, text }) {
  const port = await freePort()
  writeFileSync(join(root, file), `${text.replace(/\b3000\b/g, port)}\nexport {}\n`)
  const problem = await checkPort(port, [...loader, file])
  if (problem !== undefined) problems.push(`${page}:${line}: ${problem}`)
}

async function runShared(shared) {
  const program = `
    for (const file of ${JSON.stringify(shared.map(({ file }) => file))}) {
      process.stdout.write("\\u0001")
      await import("../" + file).catch((error) => process.stdout.write("\\u0002" + (error.stack ?? error)))
    }`
  writeFileSync(join(root, ".docs/shared.mjs"), program)
  const { code, err, out } = await start([...loader, ".docs/shared.mjs"])
  const texts = out.split("\u0001").slice(1)
  if (code !== 0) problems.push(`the blocks ended with ${code}: ${err.slice(-1500)}`)
  for (const [at, { line, page, text }] of shared.entries()) {
    const [said, broken] = (texts[at] ?? "\u0002it was not run").split("\u0002")
    judge(`${page}:${line}`, text, { code: broken === undefined ? 0 : 1, out: said, err: broken ?? "" })
  }
}

async function runExample(name, url) {
  const file = `docs/examples/${name}`
  const text = read(file)
  if (text.split("\n").length > 60) problems.push(`${file} is not under 60 lines`)
  if (name === "nodes.ts") return runNodes(file, text)
  if (!name.endsWith("-server.ts")) return judge(file, text, await start([...loader, file, url]))
  const problem = await checkServer(name, [...loader, file])
  if (problem !== undefined) problems.push(`${file}: ${problem}`)
}

async function runNodes(file, text) {
  const redis = await startRedis()
  if (redis === undefined) return skipped.push(`${file}: there is no redis-server on the path`)
  judge(file, text, await start([...loader, file], { PORT: "0", REDIS_URL: redis.url }))
  return redis.close()
}

// A program says in comments what it prints.
function judge(where, text, { code, err, out }) {
  if (code !== 0) return problems.push(`${where}: ended with ${code}: ${(err || out).trim().slice(-1500)}`)
  for (const [, expected] of text.matchAll(/^\/\/ prints (.+)$/gm))
    if (!out.includes(expected)) problems.push(`${where}: did not print ${expected}, but ${out.trim().slice(-800)}`)
  return undefined
}

function start(args, env = {}) {
  return new Promise((done) => {
    const options = { cwd: root, env: { ...process.env, ...env }, timeout: 90_000, stdio: ["ignore", "pipe", "pipe"] }
    const child = spawn(process.execPath, args, options)
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => (out += chunk))
    child.stderr.on("data", (chunk) => (err += chunk))
    child.on("close", (code, signal) => done({ code: code ?? signal, out, err }))
  })
}

function read(path) {
  return readFileSync(join(root, path), "utf8")
}
