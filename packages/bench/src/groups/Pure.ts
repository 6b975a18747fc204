// What Parley's decisions cost by themselves: a request classified by the ladder, beside the parsing of its body, and a step
// of the client's machine.
import type { Done, Left } from "../contenders/pure-bin.ts"
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { number, type Row } from "../Row.ts"
import type { Share } from "../servers/Inbound.ts"
import { start, type Worker } from "../Worker.ts"

const peers = ["sdk2"]
const names = ["floor", "parley", ...peers]

const plans = {
  full: { rounds: 11, warm: 30_000, classifications: 4000, steps: 50_000, kept: 300_000 },
  smoke: { rounds: 1, warm: 300, classifications: 300, steps: 300, kept: 300 }
} as const

const name = "deciding"

const shares: ReadonlyArray<{ readonly share: Share; readonly title: string }> = [
  { share: "admitted", title: "classify a request that is admitted, body parsed" },
  { share: "refused", title: "classify a request that is refused, body parsed" }
]

export const pureGroup: Group = {
  name,
  about:
    "CPU time of decisions alone, without input or output: six requests that are admitted (openings, calls and a ping of " +
    "both eras) and six that are refused, beside `JSON.parse` of the same bodies; and the steps of a negotiation by " +
    "`discoverFirst` that ends at a legacy server.",
  caveats: [
    "SDK 2.4.0's `classifyInboundRequest` tells the era and checks the envelope; it looks at no Origin, Host, content type " +
      "or method.",
    "The requests are the same each time: caches and predictions are as good as they get."
  ],
  run: async (mode) => {
    const { classifications, kept, rounds, steps, warm } = plans[mode]
    const workers = new Map<string, Worker>()
    try {
      await Promise.all(
        names.map(async (one) => workers.set(one, await start("./contenders/pure-bin.ts", { args: [one] })))
      )
      const run = async (contender: string, job: string, input: object): Promise<Done> =>
        (await workers.get(contender)?.run<Done>(job, input)) ?? { micros: Number.NaN, count: 1 }
      const each = ({ count, micros }: Done): number => micros / count
      const rows: Array<Row> = []
      for (const { share, title } of shares) {
        const classify = async (contender: string): Promise<number> =>
          each(await run(contender, "classify", { share, times: classifications }))
        for (const contender of names) await run(contender, "classify", { share, times: warm })
        rows.push(classified(title, await Rounds.interleaved(names, rounds, classify)))
      }
      const negotiate = async (times: number): Promise<Done> => run("parley", "negotiate", { times })
      await negotiate(steps)
      const made = await Rounds.interleaved(["parley"], rounds, async () => each(await negotiate(steps)))
      const left = (await workers.get("parley")?.run<Left>("keep", { times: kept })) ?? {
        count: 1,
        keptBytes: Number.NaN
      }
      return [
        ...rows,
        {
          group: name,
          title: "one step of the client's machine: CPU",
          unit: "µs",
          floor: "",
          parley: { name: "parley", figure: Rounds.figure(Rounds.of(made, "parley")) },
          peers: [],
          hold: { most: 1 },
          aim: { most: 0.3 },
          heldBackBy:
            "Each step makes a new state with its ledger, its commands and a trace entry for people: that is what it costs " +
            "to keep what was there before as it was."
        },
        {
          group: name,
          title: `one step of the client's machine, after ${left.count} of them: kept on the heap`,
          unit: "bytes",
          floor: "0",
          parley: { name: "parley", figure: Rounds.exactly(Math.max(0, Math.round(left.keptBytes / left.count))) },
          peers: [],
          hold: { exactly: 0 }
        }
      ]
    } finally {
      await Promise.all([...workers.values()].map((worker) => worker.stop()))
    }
  }
}

const classified = (title: string, values: Rounds.Values): Row => {
  const floor = Rounds.of(values, "floor")
  const entry = (contender: string) => ({
    name: contender,
    figure: Rounds.figure(Rounds.ratios(Rounds.of(values, contender), floor)),
    cost: `${number(Rounds.figure(Rounds.of(values, contender)).median)} µs`
  })
  return {
    group: name,
    title,
    unit: "×",
    floor: `JSON.parse ${number(Rounds.figure(floor).median)} µs`,
    parley: entry("parley"),
    peers: peers.map(entry),
    hold: { most: 1 },
    aim: { most: 0.4 },
    heldBackBy:
      "Bodies of 150 to 400 bytes are parsed in a microsecond. A request passes up to twenty rungs, each a function that " +
      "looks a header or a member up in objects of many shapes: about 20 ns each."
  }
}
