// How long an application waits for the modules that it needs to connect over HTTP: CPU time of a process that imports them
// and ends, above one that imports nothing.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { number } from "../Row.ts"

const name = "cold import"

const contenders = {
  empty: "",
  effect: 'import "effect/Effect"',
  parley: 'import "@parley/runtime/Connection"; import "@parley/node/HttpClient"; import "effect/Effect"',
  "effect-ai": 'import "effect/ai/McpClient"; import "effect/http/FetchHttpClient"; import "effect/Effect"',
  sdk1: 'import "@modelcontextprotocol/sdk/client/index.js"; import "@modelcontextprotocol/sdk/client/streamableHttp.js"',
  sdk2: 'import "@modelcontextprotocol/client"'
} as const

type Contender = keyof typeof contenders

const plans = { full: { rounds: 11 }, smoke: { rounds: 1 } } as const

export const importsGroup: Group = {
  name,
  about:
    "CPU time of a new process that imports what connecting over HTTP needs and ends, less that of one that imports " +
    "nothing. Parley is imported as it is published, compiled to JavaScript. It is held to 0.8 of what SDK 2.4.0 takes in the " +
    "same run.",
  caveats: [
    "Nothing is kept of what was compiled before: Node's compile cache, where a program turns it on, makes all less."
  ],
  run: async (mode) => {
    await built()
    // Reads the files once, so that none is measured by the disk.
    for (const one of names) await imported(one)
    const values = await Rounds.interleaved(names, plans[mode].rounds, imported)
    const empty = Rounds.of(values, "empty")
    const above = (one: Contender): ReadonlyArray<number> =>
      Rounds.of(values, one).map((value, round) => value - (empty[round] ?? Number.NaN))
    const entry = (one: Contender, floor: ReadonlyArray<number>) => ({
      name: one,
      figure: Rounds.figure(Rounds.ratios(above(one), floor)),
      cost: `${number(Rounds.figure(above(one)).median)} ms`
    })
    const effect = above("effect")
    const sdk2 = Rounds.figure(Rounds.ratios(above("sdk2"), effect)).median
    return [
      {
        group: name,
        title: "core, runtime and node, of Effect core's",
        unit: "×",
        floor: `Effect core ${number(Rounds.figure(effect).median)} ms, empty ${number(Rounds.figure(empty).median)} ms`,
        parley: entry("parley", effect),
        peers: (["effect-ai", "sdk1", "sdk2"] as const).map((peer) => entry(peer, effect)),
        hold: { most: Math.round(80 * sdk2) / 100 },
        aim: { most: 1.25 },
        heldBackBy:
          "Above Effect core these are 61 modules, and Node takes most of a millisecond to find, read and compile each: one " +
          "noun a file has this price. node:http itself is loaded at the first request only."
      }
    ]
  }
}

// Object.keys forgets what the keys are.
const names = Object.keys(contenders) as ReadonlyArray<Contender>

const run = promisify(execFile)
const root = fileURLToPath(new URL("../../../../", import.meta.url))

// What tsc has not to do again takes a second.
const built = async (): Promise<void> => {
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/node/tsconfig.src.json"], {
    cwd: root
  })
}

// CPU time of the process, in milliseconds. Its compile cache is off whatever this process has.
const imported = async (one: string): Promise<number> => {
  const code = `${contenders[one as Contender]}
    const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))`
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], {
    cwd: root,
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" }
  })
  return Number(stdout)
}
