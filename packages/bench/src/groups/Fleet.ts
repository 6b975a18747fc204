// Many servers at once, each of its own origin, some of them dead: when the last live one is connected, what it costs the
// client, whether none is lost, and how cost and memory grow with their number.
import type { Met } from "../contenders/client-fleet-bin.ts"
import type { Meeting } from "../contenders/client-fleet/Meeting.ts"
import type { Group, Mode } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { type Bound, number, type Row } from "../Row.ts"
import { start, type Worker } from "../Worker.ts"

const group = "many servers"
const peers = ["sdk2", "effect-ai"]
const carriers = [
  { name: "parley-fetch", title: "platform, plain fetch" },
  { name: "parley-node", title: "node" }
]
const names = ["floor-fetch", "floor-node", ...carriers.map(({ name }) => name), ...peers]

const plans = {
  full: { servers: 1000, dead: 50, rounds: 4, fewer: 200, growthRounds: 3 },
  smoke: { servers: 40, dead: 2, rounds: 1, fewer: 8, growthRounds: 1 }
} as const satisfies { readonly [M in Mode]: object }

export const fleetGroup: Group = {
  name: group,
  about:
    "1,000 servers, each at an address of its own, half of them modern and half legacy, met under `discoverFirst`. In the " +
    "first rows 50 of them take a connection and never answer, each server has 1 s, and each connection is closed as soon " +
    "as it is open; connections are new in every round. Growth is measured in a fresh process each time, all servers live " +
    "and all connections held: CPU time of the meeting without the start of the program, and the most memory that the " +
    "process held.",
  caveats: [
    "The servers are addresses of 127.0.0.0/8 that one process serves: this runs on Linux only.",
    "Time on the clock is bounded by the processor here and not by a network: with real distances the contenders are nearer.",
    "effect/ai is told the revision of each server and so needs one exchange less with each legacy server.",
    "SDK 2.4.0 and effect/ai offer no way to meet many servers: they are called 64 at a time."
  ],
  run: async (mode) => {
    const server = await start("./servers/opening-bin.ts", { args: ["0.0.0.0"] })
    try {
      const port = await server.run<number>("port")
      return [...(await meetings(mode, server, port)), ...(await growth(mode, server, port))]
    } finally {
      await server.stop()
    }
  }
}

// A block of addresses, so that no connection of an earlier round is left.
const addresses = (port: number, block: number, count: number, dead: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => {
    const isDead = Math.floor((index * dead) / count) !== Math.floor(((index + 1) * dead) / count)
    const path = isDead ? "dead" : index % 2 === 0 ? "modern" : "legacy"
    return `http://127.${1 + (block % 250)}.${index >> 8}.${index & 255}:${port}/${path}`
  })

const meetings = async (mode: Mode, server: Worker, port: number): Promise<ReadonlyArray<Row>> => {
  const { dead, rounds, servers } = plans[mode]
  const workers = new Map<string, Worker>()
  for (const name of names) workers.set(name, await start("./contenders/client-fleet-bin.ts", { args: [name] }))
  let block = 0
  const meet = async (name: string, meeting: Partial<Meeting>): Promise<Met> => {
    const worker = workers.get(name)
    if (worker === undefined) throw new Error(`no contender ${name}`)
    const met = await worker.run<Met>("meet", {
      urls: addresses(port, block++, servers, dead),
      inFlight: 64,
      deadlineMillis: 1000,
      closes: "each",
      ...meeting
    })
    await server.run("cut")
    await server.run("count")
    return met
  }
  try {
    for (const name of names) await meet(name, { urls: addresses(port, block++, servers, 0), deadlineMillis: 30_000 })
    const wall = new Map<string, Array<number>>(names.map((name) => [name, []]))
    const healthy = new Map<string, Array<number>>(names.map((name) => [name, []]))
    const cpu = await Rounds.interleaved(names, rounds, async (name) => {
      const met = await meet(name, {})
      wall.get(name)?.push(met.lastMillis)
      healthy.get(name)?.push(met.connected)
      return met.cpuMicros / 1000
    })
    const atOnce = await Rounds.interleaved(
      names,
      rounds,
      async (name) => (await meet(name, { inFlight: servers })).connected
    )

    const row = (
      values: Rounds.Values,
      what: string,
      { name, title }: (typeof carriers)[number],
      floor: string,
      hold: Bound,
      aim: Bound
    ): Row => {
      const base = Rounds.of(values, floor)
      const entry = (contender: string) => ({
        name: contender,
        figure: Rounds.figure(Rounds.ratios(Rounds.of(values, contender), base)),
        cost: `${number(Rounds.figure(Rounds.of(values, contender)).median)} ms`
      })
      return {
        group,
        title: `${what}: ${title}, over ${floor === "floor-fetch" ? "fetch" : "node:http"}`,
        unit: "×",
        floor: `${floor === "floor-fetch" ? "fetch" : "node:http"} ${number(Rounds.figure(base).median)} ms`,
        parley: entry(name),
        peers: peers.map(entry),
        hold,
        aim,
        heldBackBy:
          "Each server is an opening: what is said of one holds for a thousand. A fleet adds a place in line, a fiber and a " +
          "result for each."
      }
    }
    const counted = (values: Rounds.Values, what: string, isExact: boolean): ReadonlyArray<Row> =>
      carriers.map(({ name, title }) => {
        const floor = name === "parley-node" ? "floor-node" : "floor-fetch"
        const least = Rounds.figure(Rounds.of(values, floor)).least
        const entry = (contender: string) => ({
          name: contender,
          figure: Rounds.figure(Rounds.of(values, contender))
        })
        return {
          group,
          title: `healthy ones connected, ${what}: ${title}`,
          unit: `of ${servers - dead}`,
          floor: `${floor.slice(6)} ${number(least)} at least`,
          parley: entry(name),
          peers: peers.map(entry),
          hold: { exactly: servers - dead },
          aim: { exactly: servers - dead },
          isExact,
          heldBackBy:
            `By hand ${number(least)} were reached in the worst round: what is begun all at once is done all at once, and ` +
            "where that takes the processor more than the second that each server has, those that come last are late. " +
            "`Fleet` has 64 in flight where nothing else is said."
        }
      })
    const rows: Array<Row> = []
    for (const [what, values] of [
      ["last live one", wall],
      ["client CPU", cpu]
    ] as const) {
      for (const carrier of carriers) {
        rows.push(row(values, what, carrier, "floor-fetch", { most: 1.25 }, { most: 1.1 }))
      }
      const [, node] = carriers
      // 1.25 of fetch is about three times node:http.
      if (node !== undefined) rows.push(row(values, what, node, "floor-node", { most: 3 }, { most: 1.5 }))
    }
    return [
      ...rows,
      ...counted(healthy, "64 in flight (Fleet's default)", true),
      // Whether a second is enough for all of them is the machine's as well.
      ...counted(atOnce, "none waiting", false)
    ]
  } finally {
    await Promise.all([...workers.values()].map((worker) => worker.stop()))
  }
}

const growth = async (mode: Mode, server: Worker, port: number): Promise<ReadonlyArray<Row>> => {
  const { fewer, growthRounds, servers } = plans[mode]
  let block = 0
  const met = async (name: string, count: number): Promise<Met> => {
    const worker = await start("./contenders/client-fleet-bin.ts", { args: [name] })
    try {
      return await worker.run<Met>("meet", {
        urls: addresses(port, block++, count, 0),
        inFlight: 64,
        deadlineMillis: 30_000,
        closes: "together"
      })
    } finally {
      await worker.stop()
      await server.run("count")
    }
  }
  const contenders = names.filter((name) => mode === "full" || !peers.includes(name))
  const memory = new Map<string, Array<number>>(contenders.map((name) => [name, []]))
  const time = await Rounds.interleaved(contenders, growthRounds, async (name) => {
    const few = await met(name, fewer)
    const many = await met(name, servers)
    memory.get(name)?.push((many.peakKib - few.peakKib) / 1024)
    return many.cpuMicros / few.cpuMicros
  })
  const rows = (
    values: Rounds.Values,
    what: string,
    unit: string,
    hold: Bound,
    aim: Bound,
    why: (floor: string, its: string) => string
  ): ReadonlyArray<Row> =>
    carriers.map(({ name, title }) => {
      const entry = (contender: string) => ({
        name: contender,
        figure: Rounds.figure(Rounds.of(values, contender))
      })
      const floor = name === "parley-node" ? "floor-node" : "floor-fetch"
      return {
        group,
        title: `growth from ${fewer} to ${servers}, ${what}: ${title}`,
        unit,
        floor: `${floor.slice(6)} ${number(entry(floor).figure.median)} ${unit}`,
        parley: entry(name),
        peers: peers.filter((peer) => contenders.includes(peer)).map(entry),
        hold,
        aim,
        heldBackBy: why(floor.slice(6), `${number(entry(floor).figure.median)} ${unit}`)
      }
    })
  return [
    ...rows(
      time,
      "client CPU",
      "×",
      { most: 3.2 },
      { most: 3.2 },
      (floor, its) =>
        `The same by hand on ${floor} grows by ${its}: the less there is to be done before the first server, the nearer to ` +
        `${servers / fewer} growth comes that is no more than linear.`
    ),
    ...rows(
      memory,
      "memory",
      "MB",
      { most: 50 },
      { most: 40 },
      (floor, its) =>
        `The same by hand on ${floor} takes ${its}, of sockets, buffers and answers. Parley adds what ${servers - fewer} open ` +
        "connections are: an object, a context, its functions and the requests that it waits for, some 16 KiB each that live, " +
        "and the garbage of their opening, which nothing asks to be collected yet."
    )
  ]
}
