// What an opening over HTTP consists of, counted by the server: requests, new connections, bytes. The same in every run.
import type { Opening } from "../contenders/client/Opening.ts"
import type { Counts } from "../servers/opening-bin.ts"
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import type { Row } from "../Row.ts"
import { start, type Worker } from "../Worker.ts"

/** What is counted: an opening by a contender, at a path of the server, and the fewest requests that it takes. */
interface Counted {
  readonly title: string
  readonly name: string
  readonly opening: Opening
  readonly path: string
  readonly requests: number
  /** How many bytes it took when somebody last looked: what is another fails. */
  readonly bytes: number
  /** What the bytes are held to beside it, and by whose they are judged. */
  readonly least?: { readonly floor: string; readonly hold: number } | undefined
  readonly peers: ReadonlyArray<string>
}

const discoverModern: Opening = { policy: "discoverFirst", era: "modern" }
const discoverLegacy: Opening = { policy: "discoverFirst", era: "legacy" }
const autoModern: Opening = { policy: "auto", era: "modern" }
const autoLegacy: Opening = { policy: "auto", era: "legacy" }

const openings = [
  { title: "discoverFirst to modern", opening: discoverModern, path: "/modern", requests: 1, hold: 606 },
  { title: "discoverFirst to legacy", opening: discoverLegacy, path: "/legacy", requests: 3, hold: 1500 },
  { title: "auto to legacy", opening: autoLegacy, path: "/legacy", requests: 2 },
  { title: "auto to modern", opening: autoModern, path: "/modern", requests: 2 },
  { title: "auto to legacy, and closing its session", opening: autoLegacy, path: "/session", requests: 3 }
] as const

// The bytes in the order of the openings. Fetch adds headers of its own, whoever asks by it.
const carriers: ReadonlyArray<{
  readonly name: string
  readonly title: string
  readonly bytes: ReadonlyArray<number>
}> = [
  { name: "parley-node", title: "node", bytes: [490, 1084, 594, 824, 816] },
  { name: "parley-fetch", title: "plain fetch", bytes: [574, 1336, 762, 992, 1081] },
  { name: "parley-platform", title: "Effect's client on fetch", bytes: [574, 1336, 762, 992, 1081] }
]

const peersOf = new Map<string, ReadonlyArray<string>>([
  ["discoverFirst to modern", ["sdk2", "effect-ai"]],
  ["discoverFirst to legacy", ["sdk2"]],
  ["auto to legacy", ["sdk2", "sdk1", "effect-ai"]]
])

const counted: ReadonlyArray<Counted> = [
  ...carriers.flatMap(({ bytes, name, title }) =>
    openings.map((one, index): Counted => {
      const isNode = name === "parley-node"
      return {
        ...one,
        title: `${title}: ${one.title}`,
        name,
        bytes: bytes[index] ?? Number.NaN,
        least: isNode && "hold" in one ? { floor: "floor-node", hold: one.hold } : undefined,
        peers: isNode ? (peersOf.get(one.title) ?? []) : []
      }
    })
  ),
  ...(
    [
      { title: "known and not fresh, modern", opening: discoverModern, path: "/modern", requests: 1, bytes: 490 },
      { title: "known, legacy", opening: discoverLegacy, path: "/legacy", requests: 2, bytes: 594 },
      { title: "known and fresh, modern", opening: discoverModern, path: "/fresh", requests: 0, bytes: 0 }
    ] as const
  ).map((one): Counted => ({ ...one, title: `node: ${one.title}`, name: "parley-known", peers: [] }))
]

const times = 10

export const countsGroup: Group = {
  name: "counts of an opening",
  about:
    "What an opening over HTTP consists of, counted by the server after others were made, so that connections may be kept: " +
    "requests, new connections, and bytes with everything that HTTP adds.",
  caveats: [
    "The SDKs have no opening that begins with `initialize` and goes on with `server/discover`; effect/ai is told the revision.",
    "The bytes of the floor are those of the request that node:http writes by itself with the headers that MCP demands: it " +
      "adds `connection: keep-alive`, where Parley says in `accept-encoding` that it decodes nothing.",
    "The SDKs are closed as soon as they are connected, so that the GET which they send to a legacy server is not always counted."
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
  const row = (what: string, figure: (counts: Counts) => number, rest: Pick<Row, "floor" | "hold" | "aim">): Row => ({
    group: "counts of an opening",
    title: `${what}, ${one.title}`,
    unit: "",
    parley: { name: one.name, figure: Rounds.exactly(figure(own)) },
    peers: others.map(([name, counts]) => ({ name, figure: Rounds.exactly(figure(counts)) })),
    isExact: true,
    ...rest
  })
  const exactly = (count: number) => ({ floor: String(count), hold: { exactly: count }, aim: { exactly: count } })
  const bytes = one.least === undefined ? undefined : (await count(one.least.floor, one)).bytes
  return [
    row("requests", ({ requests }) => requests, exactly(one.requests)),
    row("new connections", ({ connections }) => connections, exactly(0)),
    {
      ...row("bytes", (counts) => counts.bytes, {
        floor: bytes === undefined ? "" : String(bytes),
        hold: one.least === undefined ? { exactly: one.bytes } : { most: one.least.hold },
        aim: bytes === undefined ? { exactly: one.bytes } : { most: Math.floor(1.05 * bytes) }
      }),
      expected: one.bytes
    }
  ]
}
