// `npm run interop`: meets clients and servers written in other languages, compares with the committed results, and
// writes the results and the pages drawn from them. The only file here that reads the command line.
import * as Effect from "effect/Effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Language, Missing, Ready } from "./Language.ts"
import { go } from "./languages/Go.ts"
import { java } from "./languages/Java.ts"
import { python } from "./languages/Python.ts"
import { rust } from "./languages/Rust.ts"
import { typescript } from "./languages/TypeScript.ts"
import * as Findings from "./Findings.ts"
import * as Page from "./Page.ts"
import * as ParleyAsClient from "./ParleyAsClient.ts"
import * as ParleyAsServer from "./ParleyAsServer.ts"
import type { Results } from "./Results.ts"
import * as Stored from "./Results.ts"
import * as Seeds from "./Seeds.ts"
import * as Verdict from "./Verdict.ts"

const languages: ReadonlyArray<Language> = [python, go, rust, java, typescript]

const usage = `Usage: npm run interop [-- options]

Meets clients and servers of other languages, over stdio and HTTP, and writes what came of it.

  --only NAME,NAME      only these languages (${languages.map(({ name }) => name).join(", ")})
  --require NAME,NAME   fails if one of these is not on this machine
  --part NAME,NAME      only these parts of it (servers, clients, seeds); implies --check for them
  --seeds NAME,NAME     only these seeds ("Python auto", …); implies --check
  --check               writes nothing, and fails where what is committed differs
  --help
`

const root = fileURLToPath(new URL("../../../", import.meta.url))
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      require: { type: "string" },
      part: { type: "string" },
      seeds: { type: "string" },
      check: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return (say(usage), 0)
  const required = listOf(values.require)
  const only = listOf(values.only)
  const unknown = [...required, ...only].filter((name) => !languages.some((language) => language.name === name))
  if (unknown.length > 0) return (say(`There is no ${unknown.join(", ")}.\n\n${usage}`), 2)
  const parts = new Set(values.part === undefined ? ["servers", "clients", "seeds"] : listOf(values.part))
  const seeds = Seeds.seeds.filter(({ name }) => values.seeds === undefined || listOf(values.seeds).includes(name))
  const check = values.check || values.part !== undefined || values.seeds !== undefined
  const chosen = languages.filter(({ name }) => only.length === 0 || only.includes(name))
  let passed = 0
  let failed = 0
  let skipped = 0
  for (const language of chosen) {
    const ready = await prepare(language)
    if (ready._tag === "Missing") {
      say(`${language.name}: SKIPPED: ${ready.why}`)
      skipped += 1
      if (required.includes(language.name)) failed += 1
      continue
    }
    for (const { peer, why } of ready.skipped) {
      say(`${language.name}: ${peer}: SKIPPED: ${why}`)
      skipped += 1
      if (required.includes(language.name)) failed += 1
    }
    const results = await meet(language, ready, parts, seeds)
    const committed = await Stored.load(language.name)
    const problems = [
      ...Verdict.wrong(results),
      ...(values.part === undefined ? Findings.gone(results) : []),
      ...(check
        ? Verdict.differences(
            committed,
            results,
            parts,
            seeds.map(({ name }) => name)
          )
        : [])
    ]
    for (const problem of problems) say(`${language.name}: ${problem}`)
    failed += problems.length
    passed += Verdict.count(results) - Math.min(problems.length, Verdict.count(results))
    if (!check) await Stored.save(results)
  }
  if (!check) await writePages()
  else failed += await stalePages()
  say(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  return failed === 0 ? 0 : 1
}

const prepare = async (language: Language): Promise<Ready | Missing> => {
  const started = performance.now()
  try {
    const ready = await language.prepare(join(root, ".interop"))
    say(`${language.name}: ready in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    return ready
  } catch (cause) {
    return { _tag: "Missing", why: cause instanceof Error ? cause.message : String(cause) }
  }
}

const meet = async (
  language: Language,
  ready: Ready,
  parts: ReadonlySet<string>,
  chosen: ReadonlyArray<Seeds.Seed>
): Promise<Results> => {
  const started = performance.now()
  const lap = (what: string): void =>
    say(`${language.name}: ${what} after ${((performance.now() - started) / 1000).toFixed(1)} s`)
  const servers = await Effect.runPromise(
    Effect.forEach(parts.has("servers") ? ready.servers : [], ParleyAsClient.meet, { concurrency: 2 })
  )
  lap(`${servers.flat().length} meetings with servers`)
  const clients = await Effect.runPromise(
    Effect.forEach(parts.has("clients") ? ready.clients : [], ParleyAsServer.meet)
  )
  lap(`${clients.flat().length} meetings with clients`)
  const pairs = parts.has("seeds")
    ? chosen.flatMap((seed) => {
        const peer = ready.clients.find(({ library }) => library === seed.library)
        return peer === undefined ? [] : [{ seed, peer }]
      })
    : []
  const before = (await Stored.load(language.name))?.seeds ?? []
  const seeds = await Effect.runPromise(
    Effect.forEach(pairs, ({ peer, seed }) =>
      Seeds.play(
        seed,
        peer,
        before.filter((row) => row.seed === seed.name)
      )
    )
  )
  lap(`${seeds.flat().length} scripts played`)
  return {
    language: language.name,
    toolchain: ready.toolchain,
    skipped: ready.skipped,
    servers: servers.flat(),
    clients: clients.flat(),
    seeds: seeds.flat()
  }
}

const pages = async (): Promise<ReadonlyArray<{ readonly path: string; readonly text: string }>> => {
  const stored: Array<Results> = []
  for (const { name } of languages) {
    const results = await Stored.load(name)
    if (results !== undefined) stored.push(results)
  }
  return Page.pages(stored)
}

const writePages = async (): Promise<void> => {
  for (const { path, text } of await pages()) await writeFile(join(root, path), text)
}

const stalePages = async (): Promise<number> => {
  let stale = 0
  for (const { path, text } of await pages()) {
    if ((await readFile(join(root, path), "utf8").catch(() => "")) === text) continue
    say(`${path} is not drawn from the committed results: run npm run interop`)
    stale += 1
  }
  return stale
}

const listOf = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined ? [] : text.split(",").map((name) => name.trim())

process.exit(await main())
