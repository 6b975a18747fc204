// `npm run field`: asks the servers and clients that exist what they speak, and writes docs/field. The only file here that
// reads the command line.
import * as Effect from "effect/Effect"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { ClientRow } from "@parley/cli/render/ClientPage"
import type { Row as ServerRow } from "@parley/cli/Matrix"
import * as Field from "./field/Field.ts"
import * as Roster from "./field/Roster.ts"
import * as Survey from "./field/Survey.ts"

const usage = `Usage: npm run field [-- options]

Starts every server of the field and asks it with parley matrix; points every client of the field at parley observe. Writes
servers and clients as JSON, Markdown and HTML. What is not asked keeps its row.

  --only TEXT,TEXT   only those whose name (for clients: name and mode) begins so
  --part NAME        only "servers" or only "clients"
  --list             says who is in the field, and asks nobody
  --out FOLDER       where to write. Default docs/field
  --help
`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      part: { type: "string" },
      list: { type: "boolean", default: false },
      out: { type: "string", default: join(Roster.root, "docs/field") },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return (say(usage), 0)
  const part = values.part
  if (part !== undefined && part !== "servers" && part !== "clients") return (say(usage), 2)
  const only = values.only?.split(",").map((name) => name.trim())
  const isWanted = (name: string): boolean => only === undefined || only.some((start) => name.startsWith(start))

  const servers = [...Roster.servers]
  const clients = [...Roster.clients]
  // Rows of what is in the field no more go only where all of it was asked.
  let isWhole = only === undefined
  for (const language of Roster.languages) {
    // What was met once is asked for by name; to get a language ready takes its time.
    if (only !== undefined && !only.includes(language.name)) continue
    const ready = await language
      .prepare(join(Roster.root, ".interop"))
      .catch((cause: unknown) => ({ _tag: "Missing" as const, why: String(cause) }))
    if (ready._tag === "Missing") {
      say(`${language.name}: SKIPPED: ${ready.why}`)
      isWhole = false
      continue
    }
    if (ready.skipped.length > 0) isWhole = false
    for (const { peer, why } of ready.skipped) say(`${language.name}: ${peer}: SKIPPED: ${why}`)
    servers.push(...ready.servers.map((peer) => ({ ...Roster.serverOf(peer), language: language.name })))
    clients.push(...ready.clients.flatMap(Roster.clientsOf).map((one) => ({ ...one, language: language.name })))
  }
  const chosenServers = servers.filter((one) => isWanted(one.name) || isWanted(languageOf(one)))
  const chosenClients = clients.filter((one) => isWanted(`${one.name} ${one.mode}`) || isWanted(languageOf(one)))
  if (values.list) {
    for (const one of chosenServers) say(`server  ${one.name} (${one.carrier}): ${Roster.shown(one)}`)
    for (const one of chosenClients) say(`client  ${one.name}, ${one.mode} (${one.carriers.join(", ")})`)
    return 0
  }
  await mkdir(values.out, { recursive: true })
  const stamp = {
    format: 1,
    date: new Date().toISOString().slice(0, 10),
    machine: `${process.platform} ${process.arch}, Node.js ${process.versions.node}`
  } as const

  if (part !== "clients" && chosenServers.length > 0) {
    const found = await Effect.runPromise(Survey.servers(chosenServers))
    for (const row of found) say(`${row.name} (${row.carrier}): ${row.reached ? row.eras.join(", ") : "not reached"}`)
    const before = await Field.load<ServerRow>(values.out, "servers")
    const keys = unique([...servers.map(Field.serverKey), ...(isWhole ? [] : before.rows.map(Field.serverKey))])
    await Field.saveServers(values.out, { ...stamp, rows: Field.merged(before.rows, found, keys, Field.serverKey) })
  }
  if (part !== "servers") {
    // Written after each, so that what was found is kept where a later one fails.
    let found: ReadonlyArray<ClientRow> = []
    const before = await Field.load<ClientRow>(values.out, "clients")
    const keys = unique([
      ...clients.flatMap(({ carriers, mode, name }) =>
        carriers.map((transport) => Field.clientKey({ name, mode, observed: { transport } }))
      ),
      ...(isWhole ? [] : before.rows.map(Field.clientKey))
    ])
    const meet = (one: Roster.Client) =>
      Effect.flatMap(Survey.client(one), (rows) =>
        Effect.promise(async () => {
          found = [...found, ...rows]
          say(
            `${one.name}, ${one.mode}: ${rows.map(({ observed }) => observed.eras.join(" and ") || "no era").join("; ")}`
          )
          await Field.saveClients(values.out, {
            ...stamp,
            rows: Field.merged(before.rows, found, keys, Field.clientKey)
          })
        })
      )
    await Effect.runPromise(Effect.forEach(chosenClients, meet, { concurrency: 3, discard: true }))
  }
  return 0
}

const languageOf = (one: object): string => ("language" in one ? String(one.language) : "")
const unique = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)]

process.exit(await main())
