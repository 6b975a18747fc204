// `npm run conform-sdks`: holds the conversations with the SDKs in both roles, and writes what they do otherwise. The only file
// here that reads the command line.
import { conversations } from "@parley/cli/conform/Data"
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Page from "./conform/Page.ts"
import * as Results from "./conform/Results.ts"
import { run } from "./conform/Run.ts"
import { repeat, subjects, titleOf } from "./conform/Subjects.ts"
import * as Roster from "./field/Roster.ts"

const usage = `Usage: npm run conform-sdks [-- options]

Holds every conversation with the clients and servers of the TypeScript SDK 1.32.2 and 2.4.0, of effect/ai 4.1.0 and of
Parley, and writes ${Page.path} and packages/interop/results/sdks.json.

  --only TEXT   only those whose title begins so; the others keep their rows. Repeatable
  --side SIDE   only "client" or only "server"
  --over NAME   only over "http" or only over "stdio"
  --list        says who is held to what, and holds nobody
  --draw        draws the page from what is committed, and holds nobody
  --help
`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      side: { type: "string" },
      over: { type: "string" },
      list: { type: "boolean", default: false },
      draw: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return (say(usage), 0)
  const { only, over, side } = values
  if (over !== undefined && over !== "http" && over !== "stdio") return (say(usage), 2)
  if (side !== undefined && side !== "client" && side !== "server") return (say(usage), 2)
  const wanted = subjects.filter(
    (one) =>
      (side === undefined || one.side === side) &&
      (only.length === 0 || only.some((start) => titleOf(one).startsWith(start)))
  )
  if (values.list) {
    for (const one of wanted) {
      const media = one.side === "client" ? one.client.carriers : one.servers.map(({ carrier }) => carrier)
      for (const medium of media) say(`${one.side}  ${titleOf(one)}\n        ${repeat(one, medium)}`)
    }
    return 0
  }
  let results = await Results.load()
  let failed = 0
  for (const one of values.draw ? [] : wanted) {
    const started = performance.now()
    const rows = await Effect.runPromise(
      Effect.catch(run(one, over === undefined ? undefined : [over]), (problem) => {
        failed += 1
        say(`${one.side} ${titleOf(one)}: ${problem.message}`)
        return Effect.succeed([])
      })
    )
    for (const { counts, heldTo, medium } of rows) {
      const seconds = Math.round((performance.now() - started) / 1000)
      say(
        `${one.side} ${titleOf(one)} over ${medium}, ${heldTo}: ${counts.conform} of ${counts.held} as told (${seconds} s)`
      )
    }
    // Written after each: a run that is broken off keeps what it has found. Another one may have written meanwhile.
    results = await Results.load()
    results = {
      format: 1,
      date: new Date().toISOString().slice(0, 10),
      machine: `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`,
      dataVersion: conversations().dataVersion,
      rows: ordered([...results.rows, ...rows])
    }
    await Results.save(results)
  }
  results = { ...results, rows: ordered(results.rows) }
  await Results.save(results)
  await writeFile(join(Roster.root, Page.path), Page.page(results))
  say(`${results.rows.length} rows in ${Page.path}`)
  return failed === 0 ? 0 : 1
}

// The order of the subjects; of two rows that are the same one, the newer; none of whom is there no more.
const ordered = (rows: ReadonlyArray<Results.Row>): ReadonlyArray<Results.Row> => {
  const found = new Map(rows.map((row) => [Results.keyOf(row), row]))
  return subjects.flatMap((subject) =>
    (["http", "stdio"] as const).flatMap((medium) => {
      const row = found.get(Results.keyOf({ title: titleOf(subject), side: subject.side, medium }))
      return row === undefined ? [] : [row]
    })
  )
}

process.exit(await main())
