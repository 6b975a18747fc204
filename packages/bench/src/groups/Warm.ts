// What an opening costs where the server's own word is still fresh, so that it is asked nothing: CPU time, for which there
// is no floor but none at all.
import type { Opening } from "../contenders/client/Opening.ts"
import type { Group, Mode } from "../Group.ts"
import type { Cost } from "../Job.ts"
import * as Rounds from "../Rounds.ts"
import { start } from "../Worker.ts"

const names = ["parley-known", "sdk2-prior"]
const opening: Opening = { policy: "discoverFirst", era: "modern" }

const plans = {
  full: { rounds: 15, times: 4000, warm: 12_000 },
  smoke: { rounds: 1, times: 100, warm: 100 }
} as const satisfies { readonly [M in Mode]: object }

export const warmGroup: Group = {
  name: "warm opening",
  about:
    "CPU time of a connection that is opened and closed where what the server said of itself is remembered and fresh: " +
    "Parley's `EraMemory`, the SDK's `prior`. No byte is sent (see the counts).",
  caveats: ["These are times and no ratios: they hold for this machine alone."],
  run: async (mode) => {
    const { rounds, times, warm } = plans[mode]
    const server = await start("./servers/opening-bin.ts")
    const workers = new Map(
      await Promise.all(
        names.map(async (name) => [name, await start("./contenders/client-bin.ts", { args: [name] })] as const)
      )
    )
    try {
      const url = `http://127.0.0.1:${await server.run<number>("port")}/fresh`
      const open = async (name: string, count: number): Promise<number> =>
        (await workers.get(name)?.run<Cost>("open", { opening, url, times: count, inFlight: 1 }))?.cpuMicros ??
        Number.NaN
      for (const name of names) await open(name, warm)
      await server.run("count")
      const values = await Rounds.interleaved(names, rounds, (name) => open(name, times))
      const { requests } = await server.run<{ readonly requests: number }>("count")
      const entry = (name: string) => ({ name, figure: Rounds.figure(Rounds.of(values, name)) })
      const common = { group: "warm opening", peers: names.slice(1).map(entry) }
      return [
        {
          ...common,
          title: "with EraMemory, modern: CPU time",
          unit: "µs",
          floor: "0",
          parley: entry("parley-known"),
          hold: { most: 50 },
          aim: { most: 20 },
          heldBackBy:
            "Without a request there is still a connection: a scope that its owner can close at any time, a channel with its " +
            "queue, the verdict looked up by target and principal, an agreement with its trace, and the outcome counted. The " +
            "SDK's `prior` makes a client object and asks its caller to keep the verdict."
        },
        {
          ...common,
          title: "with EraMemory, modern: requests of all of them together",
          unit: "",
          floor: "0",
          parley: { name: "parley-known", figure: Rounds.exactly(requests) },
          peers: [],
          hold: { exactly: 0 },
          isExact: true
        }
      ]
    } finally {
      await Promise.all([server, ...workers.values()].map((worker) => worker.stop()))
    }
  }
}
