// `npm run generate`: writes what is drawn from the machines. With --check it writes nothing and fails, naming the
// files, where what is committed differs. With --mutants it judges every mutated table besides, which takes minutes.
// The only file here that touches the disk.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { changeOf, isFollowed, versionOf } from "./data/Growth.ts"
import { generatedMark } from "./render/Markdown.ts"
import { isOfThese, mutantsPage, mutantsPath } from "./render/MutantsPage.ts"
import type { Output, Stale } from "./Output.ts"
import { outputs, stale } from "./Output.ts"
import { assetFiles } from "./page/Page.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

// A walk makes many errors and looks at none of their stacks.
Error.stackTraceLimit = 0

const read = (path: string): string | undefined => {
  try {
    return readFileSync(join(root, path), "utf8")
  } catch {
    return undefined
  }
}

const asset = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), "utf8")

const movesOf = (side: string): string => readFileSync(join(root, `packages/core/src/${side}/Moves.ts`), "utf8")

const filesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
  } catch {
    return []
  }
}

// Pages by other hands may stand beside the generated ones; in the data folder everything is generated.
const present = (): ReadonlyArray<string> => [
  ...filesIn("docs/machines").filter((path) => path !== mutantsPath && read(path)?.startsWith(generatedMark) === true),
  ...filesIn("packages/vectors/data")
]

const main = (args: ReadonlyArray<string>): number => {
  const unknown = args.find((arg) => arg !== "--check" && arg !== "--mutants")
  if (unknown !== undefined || args.length > 1) {
    process.stderr.write(`generate: it takes nothing, --check, or --mutants; not ${args.join(" ")}\n`)
    return 2
  }
  const wanted = outputs(
    { style: asset(assetFiles.style), scripts: assetFiles.scripts.map(asset) },
    { client: movesOf("client"), server: movesOf("server") }
  )
  return args[0] === "--check" ? check(wanted) : write(wanted, args[0] === "--mutants")
}

const check = (wanted: ReadonlyArray<Output>): number => {
  const old = [...stale(wanted, read, present()), ...oldMutants()]
  if (old.length === 0) {
    process.stdout.write(`generate: ${wanted.length + 1} files are as the machines draw them\n`)
    return 0
  }
  const lines = old.map(({ path, problem }) => `  ${path}: ${problem}`)
  process.stderr.write(`generate: run "npm run generate" and read the difference:\n${lines.join("\n")}\n`)
  if (oldMutants().length > 0) process.stderr.write(`${howToJudge}\n`)
  return 1
}

const write = (wanted: ReadonlyArray<Output>, withMutants: boolean): number => {
  const all = withMutants ? [...wanted, { path: mutantsPath, text: mutantsPage(tell) }] : wanted
  const old = stale(all, read, present())
  for (const { path, problem } of old) {
    if (problem === "no longer generated") rmSync(join(root, path))
  }
  for (const output of all) tellGrowth(output)
  for (const { path, text } of all) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  tell(old.length === 0 ? `${all.length} files, none changed` : `${old.length} of ${all.length} files changed`)
  for (const { path, problem } of old) tell(`${path} (${problem})`)
  if (oldMutants().length > 0) process.stderr.write(`${howToJudge}\n`)
  return 0
}

// The data has a version of its own, for those who run it in other languages.
const tellGrowth = ({ path, text }: Output): void => {
  const before = read(path)
  if (before === undefined || before === text || !/data\/[a-z.]+(?<!\.schema)\.json$/.test(path)) return
  const { bump, why } = changeOf(before, text)
  if (isFollowed(versionOf(before), versionOf(text), bump)) return
  tell(`${path}: ${why}: a ${bump} change since ${versionOf(before)}; once that is published, say so in data/Layout.ts`)
}

// The mutants take too long to be judged every time: their page says of which tables and laws it is.
const oldMutants = (): ReadonlyArray<Stale> => {
  const committed = read(mutantsPath)
  if (isOfThese(committed)) return []
  return [{ path: mutantsPath, problem: committed === undefined ? "missing" : "differs" }]
}

const tell = (line: string): void => void process.stdout.write(`generate: ${line}\n`)

const howToJudge = `generate: ${mutantsPath} is not of these tables and laws: run "npm run generate -- --mutants" (some minutes)`

process.exitCode = main(process.argv.slice(2))
