// What opening a connection costs a client: CPU time of its process, beside the same exchanges made by hand.
import type { Cost } from "../Job.ts"
import type { Opening } from "../contenders/client/Opening.ts"
import { pathOf } from "../contenders/client/Opening.ts"
import type { Group, Mode } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import type { Bound, Entry, Row } from "../Row.ts"
import { number } from "../Row.ts"
import { start, type Worker } from "../Worker.ts"

const openings: ReadonlyArray<Opening> = [
  { policy: "discoverFirst", era: "modern" },
  { policy: "discoverFirst", era: "legacy" },
  { policy: "auto", era: "legacy" },
  { policy: "auto", era: "modern" }
]

/** The carriers of Parley's, the floor of each, and what they are held to. */
const carriers = [
  {
    name: "parley-fetch",
    title: "platform, plain fetch",
    floor: "floor-fetch",
    hold: { most: 1.4 },
    aim: { most: 1.2 },
    heldBackBy:
      "What is left is spread thin (as in the profile, which is of the node carrier): Effect's run loop, the queue, the scopes and the fibers of a connection " +
      "that can be interrupted at any point, then the machine with its trace, then the record of the outcome. No function of " +
      "it takes 3 % of an opening. An opening of one exchange bears all of it; one of three shares it."
  },
  {
    name: "parley-platform",
    title: "platform, Effect's client on fetch",
    floor: "floor-fetch",
    hold: { most: 1.4 },
    aim: { most: 1.2 },
    heldBackBy:
      "Effect's client on fetch adds its request, its response, a scope and a stream to each exchange before Parley adds " +
      "anything: what the same costs by hand over it stands beside the floor. `FetchClient` is the carrier for whoever has fetch and needs no other client."
  },
  {
    name: "parley-node",
    title: "node",
    floor: "floor-node",
    hold: { most: 2.2 },
    aim: { most: 1.6 },
    heldBackBy:
      "The floor is a third of fetch, so that the same work beside it weighs three times as much: Effect's run loop, queue, " +
      "scopes and fibers, the machine with its trace, a deadline for each exchange, and the record of the outcome (see the " +
      "profile). It is still less than a bare fetch costs where a server is probed and answers, and far less than any peer."
  }
] as const satisfies ReadonlyArray<{
  name: string
  title: string
  floor: string
  hold: Bound
  aim: Bound
  heldBackBy: string
}>

const peers = ["sdk2", "sdk1", "effect-ai"]
const names = ["floor-fetch", "floor-effect", "floor-node", "parley-fetch", "parley-platform", "parley-node", ...peers]

const plans = {
  full: { rounds: 9, times: 400, warm: 1200, inFlight: 16 },
  smoke: { rounds: 1, times: 16, warm: 16, inFlight: 16 }
} as const satisfies { readonly [M in Mode]: object }

export const openingsGroup: Group = {
  name: "opening over HTTP",
  about:
    "CPU time of the client's process for one connection, opened and closed, 16 at a time, over connections that are kept. " +
    "The floor makes the same exchanges by hand.",
  caveats: [
    "A peer is in a row only where it has such an opening: SDK 1.32.2 and SDK 2.4.0's `legacy` know the handshake alone, " +
      "SDK 2.4.0's `auto` probes with `server/discover`, and effect/ai is told the revision and negotiates nothing.",
    "The floor keeps no deadline, follows no redirect, bounds no body and checks nothing of an answer."
  ],
  run: async (mode) => {
    const server = await start("./servers/opening-bin.ts")
    const workers = new Map<string, Worker>()
    for (const name of names) workers.set(name, await start("./contenders/client-bin.ts", { args: [name] }))
    try {
      const port = await server.run<number>("port")
      const rows: Array<Row> = []
      for (const opening of openings) rows.push(...(await measured(mode, opening, port, workers)))
      return rows
    } finally {
      await Promise.all([server, ...workers.values()].map((worker) => worker.stop()))
    }
  }
}

const measured = async (
  mode: Mode,
  opening: Opening,
  port: number,
  workers: ReadonlyMap<string, Worker>
): Promise<ReadonlyArray<Row>> => {
  const { inFlight, rounds, times, warm } = plans[mode]
  const url = `http://127.0.0.1:${port}${pathOf(opening)}`
  const able: Array<string> = []
  for (const [name, worker] of workers) if (await worker.run<boolean>("can", { opening, url })) able.push(name)
  const open = async (name: string, count: number): Promise<number> => {
    const input = { opening, url, times: count, inFlight }
    return (await workers.get(name)?.run<Cost>("open", input))?.cpuMicros ?? Number.NaN
  }
  for (const name of able) await open(name, warm)
  const values = await Rounds.interleaved(able, rounds, (name) => open(name, times))

  const entry = (name: string, floor: string): Entry => ({
    name,
    figure: Rounds.figure(Rounds.ratios(Rounds.of(values, name), Rounds.of(values, floor))),
    cost: `${number(Rounds.figure(Rounds.of(values, name)).median)} µs`
  })
  const floorOf = (floor: string): string =>
    `${floor.slice(6)} ${number(Rounds.figure(Rounds.of(values, floor)).median)} µs`
  const byHand = `; by hand over Effect's client ${number(entry("floor-effect", "floor-fetch").figure.median)} ×`
  return carriers.map(({ aim, floor, heldBackBy, hold, name, title }) => ({
    group: "opening over HTTP",
    title: `${title}: ${opening.policy} to ${opening.era}`,
    unit: "×",
    floor: name === "parley-platform" ? floorOf(floor) + byHand : floorOf(floor),
    parley: entry(name, floor),
    peers: peers.filter((peer) => able.includes(peer)).map((peer) => entry(peer, floor)),
    hold,
    aim,
    heldBackBy
  }))
}
