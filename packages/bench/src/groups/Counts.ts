// What an opening over HTTP consists of, counted by the server: requests, new connections, bytes. The same in every run.
import type { Opening } from "../contenders/client/Opening.ts"
import type { Counts } from "../servers/opening-bin.ts"
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import type { Entry, Row } from "../Row.ts"
import { start, type Worker } from "../Worker.ts"

/** What is counted: an opening by a contender, at a path of the server, and the fewest requests that it takes. */
interface Counted {
  readonly title: string
  readonly name: string
  readonly opening: Opening
  readonly path: string
  readonly requests: number
  readonly peers: ReadonlyArray<string>
}

const discoverModern: Opening = { policy: "discoverFirst", era: "modern" }
const discoverLegacy: Opening = { policy: "discoverFirst", era: "legacy" }
const autoModern: Opening = { policy: "auto", era: "modern" }
const autoLegacy: Opening = { policy: "auto", era: "legacy" }

const counted: ReadonlyArray<Counted> = [
  {
    title: "discoverFirst to modern",
    name: "parley-node",
    opening: discoverModern,
    path: "/modern",
    requests: 1,
    peers: ["sdk2", "effect-ai"]
  },
  {
    title: "discoverFirst to legacy",
    name: "parley-node",
    opening: discoverLegacy,
    path: "/legacy",
    requests: 3,
    peers: ["sdk2"]
  },
  {
    title: "auto to legacy",
    name: "parley-node",
    opening: autoLegacy,
    path: "/legacy",
    requests: 2,
    peers: ["sdk2", "sdk1", "effect-ai"]
  },
  { title: "auto to modern", name: "parley-node", opening: autoModern, path: "/modern", requests: 2, peers: [] },
  {
    title: "auto to legacy, and closing its session",
    name: "parley-node",
    opening: autoLegacy,
    path: "/session",
    requests: 3,
    peers: []
  },
  {
    title: "known and not fresh, modern",
    name: "parley-known",
    opening: discoverModern,
    path: "/modern",
    requests: 1,
    peers: []
  },
  { title: "known, legacy", name: "parley-known", opening: discoverLegacy, path: "/legacy", requests: 2, peers: [] },
  {
    title: "known and fresh, modern",
    name: "parley-known",
    opening: discoverModern,
    path: "/fresh",
    requests: 0,
    peers: []
  }
]

// The last three are the same exchanges as others, or none.
const withBytes = new Map([
  ["discoverFirst to modern", { floor: "floor-node", hold: 606 }],
  ["discoverFirst to legacy", { floor: "floor-node", hold: 1500 }]
])

const times = 10

export const countsGroup: Group = {
  name: "counts of an opening",
  about:
    "What an opening over HTTP consists of, counted by the server after others were made, so that connections may be kept: " +
    "requests, new connections, and bytes with everything that HTTP adds.",
  caveats: [
    "The SDKs have no opening that begins with `initialize` and goes on with `server/discover`; effect/ai is told the revision.",
    "The bytes of the floor are those of the shortest request that node:http writes with the headers that MCP demands."
  ],
  run: async () => {
    const server = await start("./servers/opening-bin.ts")
    const workers = new Map<string, Worker>()
    const workerOf = async (name: string): Promise<Worker> => {
      const worker = workers.get(name) ?? (await start("./contenders/client-bin.ts", { args: [name] }))
      workers.set(name, worker)
      return worker
    }
    try {
      const port = await server.run<number>("port")
      // What an opening takes after others have been made: connections may be kept by then.
      const count = async (name: string, { opening, path }: Counted): Promise<Counts> => {
        const worker = await workerOf(name)
        const url = `http://127.0.0.1:${port}${path}`
        await worker.run("open", { opening, url, times: 2, inFlight: 1 })
        await server.run("count")
        await worker.run("open", { opening, url, times, inFlight: 1 })
        const { bytes, connections, methods, requests } = await server.run<Counts>("count")
        return { requests: requests / times, connections: connections / times, bytes: bytes / times, methods }
      }
      const rows: Array<Row> = []
      for (const one of counted) rows.push(...(await rowsOf(one, count)))
      return rows
    } finally {
      await Promise.all([server, ...workers.values()].map((worker) => worker.stop()))
    }
  }
}

const rowsOf = async (
  one: Counted,
  count: (name: string, counted: Counted) => Promise<Counts>
): Promise<ReadonlyArray<Row>> => {
  const own = await count(one.name, one)
  const others: Array<readonly [string, Counts]> = []
  for (const peer of one.peers) others.push([peer, await count(peer, one)])
  const entries = (of: (counts: Counts) => number): Array<Entry> =>
    others.map(([name, counts]) => ({ name, figure: Rounds.exactly(of(counts)) }))
  const row = (what: "requests" | "connections" | "bytes", floor: number, hold: number, aim: number): Row => ({
    group: "counts of an opening",
    title: `${what === "connections" ? "new connections" : what}: ${one.title}`,
    unit: "",
    floor: String(floor),
    parley: { name: one.name, figure: Rounds.exactly(own[what]) },
    peers: entries((counts) => counts[what]),
    hold: what === "bytes" ? { most: hold } : { exactly: hold },
    aim: what === "bytes" ? { most: aim } : { exactly: aim },
    isExact: true
  })
  const rows = [row("requests", one.requests, one.requests, one.requests), row("connections", 0, 0, 0)]
  const bytes = withBytes.get(one.title)
  if (bytes !== undefined) {
    const floor = (await count(bytes.floor, one)).bytes
    rows.push(row("bytes", floor, bytes.hold, Math.floor(1.05 * floor)))
  }
  return rows
}
