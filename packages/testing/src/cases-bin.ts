// `npm run cases -- FILE...`: runs case files against Parley's own client and server, prints a block for each case that
// is wrong and a closing line, and exits with 1 if there is one.
import { readdir, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as Effect from "effect/Effect"
import * as CaseFile from "./CaseFile.ts"
import * as CaseRunner from "./CaseRunner.ts"
import * as Report from "./Report.ts"
import * as ParleyClient from "./ParleyClient.ts"
import * as ParleyServer from "./ParleyServer.ts"
import type { CommandTarget } from "./Scripted.ts"

const usage = `Usage: npm run cases -- [FILE...] [options]

Runs the cases of each file over real processes and sockets. Without a file: the project's own, packages/testing/cases.

  --side client|server   only the cases for that side
  --only ID,ID           only these cases
  --json FILE            writes every verdict to FILE as JSON
  --server COMMAND       what to run for a server case, before \`serve …\` (default: this workspace's parley)
  --concurrency N        how many run at the same time (default 8)
  --help
`

const main = async (): Promise<number> => {
  const options = read()
  if (typeof options === "string") {
    console.error(options)
    return 2
  }
  if (options.help) {
    console.log(usage)
    return 0
  }
  const started = performance.now()
  const files = await Promise.all((options.files.length === 0 ? await ownFiles() : options.files).map(CaseFile.load))
  const chosen = files.flatMap(({ file, cases }) => cases.filter(options.wants).map((item) => ({ file, item })))
  const broken = files.flatMap((file) => file.broken)
  for (const { file, ignored } of files) {
    if (ignored.length > 0) console.error(`${file}: members that the format does not know: ${ignored.join("; ")}`)
  }
  const subjects = {
    client: ParleyClient.subject((target) => ("url" in target ? HttpClient.make(target) : StdioClient.make(target))),
    server: ParleyServer.subject(options.server ?? ownServer())
  }
  const cases = chosen.map(({ item }) => item)
  const verdicts = await Effect.runPromise(CaseRunner.runAll(cases, subjects, { concurrency: options.concurrency }))
  for (const item of broken) console.log(Report.brokenBlock(item))
  verdicts.forEach((verdict, index) => {
    const block = Report.block(chosen[index]?.file ?? "", verdict)
    if (block !== "") console.log(block)
  })
  if (options.json !== undefined) {
    const report = { verdicts: verdicts.map((verdict, index) => ({ file: chosen[index]?.file, ...verdict })), broken }
    await writeFile(options.json, `${JSON.stringify(report, undefined, 2)}\n`)
  }
  const unknown = options.only.filter((id) => !chosen.some(({ item }) => item.id === id))
  if (unknown.length > 0) console.error(`No such case: ${unknown.join(", ")}`)
  console.error(`${chosen.length} cases in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  console.log(Report.closing(verdicts, broken))
  return broken.length + unknown.length > 0 || verdicts.some(({ problems }) => problems.length > 0) ? 1 : 0
}

const read = () => {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        side: { type: "string" },
        only: { type: "string" },
        json: { type: "string" },
        server: { type: "string" },
        concurrency: { type: "string", default: "8" },
        help: { type: "boolean", default: false }
      }
    })
    const { side, json } = values
    if (side !== undefined && side !== "client" && side !== "server") return `--side is client or server.\n\n${usage}`
    const concurrency = Number(values.concurrency)
    if (!Number.isInteger(concurrency) || concurrency < 1) return `--concurrency is a number from 1.\n\n${usage}`
    const only = values.only?.split(",").map((id) => id.trim()) ?? []
    const wants = (item: { readonly id: string; readonly side: string }): boolean =>
      (side === undefined || item.side === side) && (only.length === 0 || only.includes(item.id))
    const [command, ...args] = values.server?.split(" ").filter((part) => part !== "") ?? []
    const server: CommandTarget | undefined = command === undefined ? undefined : { command, args }
    return { files: positionals, only, json, concurrency, wants, server, help: values.help }
  } catch (cause) {
    return `${cause instanceof Error ? cause.message : String(cause)}\n\n${usage}`
  }
}

/** The command line of this workspace, run from its sources. A package of its own may not import it. */
const ownServer = (): CommandTarget => {
  const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  return { command: process.execPath, args: ["--import", at("scripts/register.mjs"), at("packages/cli/src/bin.ts")] }
}

const ownFiles = async (): Promise<ReadonlyArray<string>> => {
  const folder = new URL("../cases/", import.meta.url)
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.endsWith(".notes.json"))
  return names.toSorted().map((name) => fileURLToPath(new URL(name, folder)))
}

process.exit(await main())
