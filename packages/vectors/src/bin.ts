// `npm run generate`: writes what is drawn from the machines. With --check it writes nothing and fails, naming the
// files, where what is committed differs. The only file here that touches the disk.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { generatedMark } from "./render/Markdown.ts"
import { outputs, stale } from "./Output.ts"

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

const filesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
  } catch {
    return []
  }
}

// Pages by other hands may stand beside the generated ones; in the data folder everything is generated.
const present = (): ReadonlyArray<string> => [
  ...filesIn("docs/machines").filter((path) => read(path)?.startsWith(generatedMark) === true),
  ...filesIn("packages/vectors/data")
]

const main = (args: ReadonlyArray<string>): number => {
  const unknown = args.find((arg) => arg !== "--check")
  if (unknown !== undefined) {
    process.stderr.write(`generate: unknown argument ${unknown}; there is only --check\n`)
    return 2
  }
  const wanted = outputs()
  const old = stale(wanted, read, present())
  if (args.includes("--check")) {
    if (old.length === 0) {
      process.stdout.write(`generate: ${wanted.length} files are as the machines draw them\n`)
      return 0
    }
    const lines = old.map(({ path, problem }) => `  ${path}: ${problem}`)
    process.stderr.write(`generate: run "npm run generate" and read the difference:\n${lines.join("\n")}\n`)
    return 1
  }
  for (const { path, problem } of old) {
    if (problem === "no longer generated") rmSync(join(root, path))
  }
  for (const { path, text } of wanted) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  process.stdout.write(
    old.length === 0
      ? `generate: ${wanted.length} files, none changed\n`
      : `${old.map(({ path, problem }) => `generate: ${path} (${problem})`).join("\n")}\n`
  )
  return 0
}

process.exitCode = main(process.argv.slice(2))
