// How soon a client is connected to a program that it starts, and how many processes that takes: time on the clock from the
// start of the first process, beside one process and the same exchanges by hand.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Opening } from "../contenders/client/Opening.ts"
import type { Launch } from "../contenders/client-stdio/Starting.ts"
import type { Group, Mode } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { number, type Bound, type Row } from "../Row.ts"
import { start, type Worker } from "../Worker.ts"

const program = fileURLToPath(new URL("../servers/stdio-bin.ts", import.meta.url))
const own = ["parley-node", "parley-platform"]
const peers = ["sdk2", "sdk1", "effect-ai"]
const names = ["floor", ...own, ...peers]

const openings: ReadonlyArray<Opening> = [
  { policy: "discoverFirst", era: "modern" },
  { policy: "discoverFirst", era: "legacy" },
  { policy: "auto", era: "legacy" }
]

const startUps: ReadonlyArray<{ readonly millis: number; readonly hold: Bound; readonly aim: Bound }> = [
  { millis: 300, hold: { most: 1.15 }, aim: { most: 1.05 } },
  { millis: 0, hold: { most: 1.25 }, aim: { most: 1.1 } }
]

const plans = {
  full: { rounds: { 300: 4, 0: 11 }, warm: 3 },
  smoke: { rounds: { 300: 1, 0: 1 }, warm: 0 }
} as const satisfies { readonly [M in Mode]: object }

export const stdioGroup: Group = {
  name: "opening over stdio",
  about:
    "Time on the clock from the start of the first process until the client is connected, where the program reads nothing " +
    "for so many milliseconds after Node has started it, and the processes that it takes. The floor starts one process and " +
    "makes the same exchanges over its pipes.",
  caveats: [
    "Most of the time without a start-up is Node's own start, of about 40 ms: a program that starts sooner shows more of " +
      "what the client adds.",
    "A second process is right only where the probe ended the first: a program that leaves at an unknown request.",
    "SDK 2.4.0's `auto` probes a process of its own and then starts another; its `legacy`, SDK 1.32.2 and effect/ai do not probe."
  ],
  run: async (mode) => {
    const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
    const started = join(folder, "started")
    const workers = new Map<string, Worker>()
    for (const name of names) workers.set(name, await start("./contenders/client-stdio-bin.ts", { args: [name] }))
    const launch = (kind: string, millis: number, file = ""): Launch => ({
      command: process.execPath,
      args: [program, kind, String(millis), file]
    })
    const open = async (name: string, opening: Opening, launched: Launch): Promise<number> =>
      (await workers.get(name)?.run<number>("open", { opening, launch: launched })) ?? Number.NaN
    const able = async (opening: Opening): Promise<ReadonlyArray<string>> => {
      const found: Array<string> = []
      for (const [name, worker] of workers) {
        if (await worker.run<boolean>("can", { opening, launch: launch("modern", 0) })) found.push(name)
      }
      return found
    }

    const ready = async (opening: Opening, { aim, hold, millis }: (typeof startUps)[number]): Promise<Array<Row>> => {
      const { rounds, warm } = plans[mode]
      const launched = launch(opening.era, millis)
      const contenders = await able(opening)
      for (let time = 0; time < warm; time++) {
        for (const name of contenders) await open(name, opening, launch(opening.era, 0))
      }
      const count = millis === 0 ? rounds[0] : rounds[300]
      const values = await Rounds.interleaved(contenders, count, (name) => open(name, opening, launched))
      const floor = Rounds.of(values, "floor")
      const entry = (name: string) => ({
        name,
        figure: Rounds.figure(Rounds.ratios(Rounds.of(values, name), floor)),
        cost: `${number(Rounds.figure(Rounds.of(values, name)).median)} ms`
      })
      return own.map((name) => ({
        group: "opening over stdio",
        title: `ready, ${name.slice(7)}, ${millis} ms start-up: ${opening.policy} to ${opening.era}`,
        unit: "×",
        floor: `pipes ${number(Rounds.figure(floor).median)} ms`,
        parley: entry(name),
        peers: peers.filter((peer) => contenders.includes(peer)).map(entry),
        hold,
        aim,
        heldBackBy:
          "The same process is started, and asked the same: what is left is the client's own work between the exchanges (a " +
          "millisecond or two where it has not been done often), and how the system shares its processors between the client " +
          "and the program that starts."
      }))
    }

    const spawned = async (name: string, opening: Opening, kind: string): Promise<number> => {
      writeFileSync(started, "")
      await open(name, opening, launch(kind, 0, started))
      return readFileSync(started, "utf8").split("\n").length - 1
    }
    const processes = async (opening: Opening, kind: string, expected: number): Promise<Array<Row>> => {
      const others: Array<Row["peers"][number]> = []
      for (const name of await able(opening)) {
        if (!peers.includes(name)) continue
        others.push({ name, figure: Rounds.exactly(await spawned(name, opening, kind)) })
      }
      const rows: Array<Row> = []
      for (const name of own) {
        rows.push({
          group: "opening over stdio",
          title: `processes, ${name.slice(7)}: ${opening.policy} to ${kind === "fragile" ? "legacy that a probe ends" : kind}`,
          unit: "",
          floor: String(expected),
          parley: { name, figure: Rounds.exactly(await spawned(name, opening, kind)) },
          peers: others,
          hold: { exactly: expected },
          aim: { exactly: expected },
          isExact: true
        })
      }
      return rows
    }

    try {
      const rows: Array<Row> = []
      for (const opening of openings) rows.push(...(await processes(opening, opening.era, 1)))
      rows.push(...(await processes({ policy: "discoverFirst", era: "legacy" }, "fragile", 2)))
      for (const startUp of startUps) {
        for (const opening of mode === "full" ? openings : openings.slice(1, 2)) {
          rows.push(...(await ready(opening, startUp)))
        }
      }
      return rows
    } finally {
      await Promise.all([...workers.values()].map((worker) => worker.stop()))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
