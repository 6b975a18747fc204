// How long an application waits for the modules that it needs to connect over HTTP: CPU time of a process that imports them
// and ends, above one that imports nothing.
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { bundle } from "../Bundle.ts"
import { deep, floor, peers } from "../contenders/programs.ts"
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { type Entry, number, type Row } from "../Row.ts"

const name = "cold import"

const contenders = {
  empty: "",
  effect: 'import "effect/Effect"',
  parley: 'import "@parley/runtime/Connection"; import "@parley/node/HttpClient"; import "effect/Effect"',
  "effect-ai": 'import "effect/ai/McpClient"; import "effect/http/FetchHttpClient"; import "effect/Effect"',
  sdk1: 'import "@modelcontextprotocol/sdk/client/index.js"; import "@modelcontextprotocol/sdk/client/streamableHttp.js"',
  sdk2: 'import "@modelcontextprotocol/client"'
} as const

const plans = { full: { rounds: 11 }, smoke: { rounds: 1 } } as const

export const importsGroup: Group = {
  name,
  about:
    "CPU time of a new process that imports what connecting over HTTP needs and ends, less that of one that imports " +
    "nothing. Parley is imported as it is published, compiled to JavaScript. It is held to 0.8 of what SDK 2.4.0 takes in the " +
    "same run. Then each is bundled as in the rows above, all that it needs in one file.",
  caveats: [
    "Nothing is kept of what was compiled before: Node's compile cache, where a program turns it on, makes all less."
  ],
  run: async (mode) => {
    await built()
    const { rounds } = plans[mode]
    return [await published(rounds), await bundled(rounds)]
  }
}

const published = async (rounds: number): Promise<Row> => {
  const above = await measured(new Map(Object.entries(contenders)), rounds)
  const effect = above("effect")
  const sdk2 = Rounds.figure(Rounds.ratios(above("sdk2"), effect)).median
  return {
    ...row("as published, of Effect core's", "Effect core", effect, above),
    peers: ["effect-ai", "sdk1", "sdk2"].map((peer) => entry(peer, effect, above)),
    hold: { most: Math.round(80 * sdk2) / 100 },
    aim: { most: 1.25 },
    heldBackBy:
      "Above Effect core these are 63 modules, and Node takes most of a millisecond to find, read and compile each: one " +
      "noun a file has this price, which a bundle does not pay. Published as one file a package they would take a third of " +
      "it (measured once: 1.20 of Effect core), but bundlers leave out module by module what is not used, and could not any " +
      "more. node:http itself is loaded at the first request only."
  }
}

const bundled = async (rounds: number): Promise<Row> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
  try {
    const imports = new Map([["empty", ""]])
    for (const [one, text] of [["effect", floor], ["parley", deep], ...peers] as const) {
      const path = join(folder, `${one}.mjs`)
      writeFileSync(path, (await bundle(text)).code)
      imports.set(one, `import ${JSON.stringify(path)}`)
    }
    const above = await measured(imports, rounds)
    const sdk2 = above("sdk2")
    return {
      ...row("bundled into one file, of SDK 2.4's", "SDK 2.4", sdk2, above),
      floor: `SDK 2.4 ${median(sdk2)} ms, Effect core ${median(above("effect"))} ms`,
      peers: ["effect-ai", "sdk1"].map((peer) => entry(peer, sdk2, above)),
      hold: { most: 0.8 }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What each import takes above one of nothing, round by round, in milliseconds. */
type Above = (one: string) => ReadonlyArray<number>

const measured = async (imports: ReadonlyMap<string, string>, rounds: number): Promise<Above> => {
  const names = [...imports.keys()]
  const imported = (one: string): Promise<number> => cpuOf(imports.get(one) ?? "")
  // Reads the files once, so that none is measured by the disk.
  if (rounds > 1) for (const one of names) await imported(one)
  const values = await Rounds.interleaved(names, rounds, imported)
  const empty = Rounds.of(values, "empty")
  return (one) => Rounds.of(values, one).map((value, round) => value - (empty[round] ?? Number.NaN))
}

const row = (title: string, floor: string, its: ReadonlyArray<number>, above: Above) => ({
  group: name,
  title,
  unit: "×",
  floor: `${floor} ${median(its)} ms`,
  parley: entry("parley", its, above)
})

const entry = (one: string, floor: ReadonlyArray<number>, above: Above): Entry => ({
  name: one,
  figure: Rounds.figure(Rounds.ratios(above(one), floor)),
  cost: `${median(above(one))} ms`
})

const median = (values: ReadonlyArray<number>): string => number(Rounds.figure(values).median)

const run = promisify(execFile)
const root = fileURLToPath(new URL("../../../../", import.meta.url))

// What tsc has not to do again takes a second.
const built = async (): Promise<void> => {
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/node/tsconfig.src.json"], {
    cwd: root
  })
}

// CPU time of the process, in milliseconds. Its compile cache is off whatever this process has.
const cpuOf = async (imports: string): Promise<number> => {
  const code = `${imports}
    const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))`
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], {
    cwd: root,
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" }
  })
  return Number(stdout)
}
