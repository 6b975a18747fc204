// What it costs a server to let a request in and to answer it: CPU time of its process, and requests a second, beside bare
// node:http that writes the same bytes.
import type { Group, Mode } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { number, type Row } from "../Row.ts"
import { type Field, type Loads, type Plan, withServers } from "./serverRounds.ts"

const peers = ["effect-ai", "sdk2"]
const names = ["floor", "parley-node", "parley-platform", "router", ...peers]

const plans = {
  full: { rounds: 11, times: 3200, warm: 6400 },
  smoke: { rounds: 1, times: 64, warm: 32 }
} as const satisfies { readonly [M in Mode]: Plan }

const name = "serving a request"

export const servingGroup: Group = {
  name,
  about:
    "CPU time of the server's process for one `tools/call` whose tool says a constant, over 16 kept connections with one " +
    "request under way on each. Legacy ones are in sessions, one a connection. The floor parses the request, looks the " +
    "session up and writes the bytes that Parley writes. Requests a second are told as a share of the floor's.",
  caveats: [
    "No contender decodes the arguments of the tool: Parley and SDK 2.4.0's low-level server leave that to the handler, and " +
      "effect/ai's tool is registered without a schema of Effect's.",
    "SDK 2.4.0 makes a server for each modern request, as its handler is meant to be used; its legacy sessions are kept, " +
      "and answer with JSON.",
    "A modern request is longer than a legacy one by its envelope and headers, and its answer by the server's name: the " +
      "floor of each row has the same ones."
  ],
  run: (mode) =>
    withServers(names, async (field) => [
      ...rowsOf("modern", await measured(field, mode, "modern")),
      ...rowsOf("legacy", await measured(field, mode, "legacy"))
    ])
}

const measured = async (field: Field, mode: Mode, kind: "modern" | "legacy"): Promise<Loads> => {
  await field.follow("parley-node", kind)
  return field.rounds(names, kind, plans[mode], () => 200)
}

const rowsOf = (era: string, { cpu, wall }: Loads): ReadonlyArray<Row> => {
  const floor = `node:http ${number(Rounds.figure(Rounds.of(cpu, "floor")).median)} µs`
  const times = (contender: string) => ({
    name: contender,
    figure: Rounds.figure(Rounds.ratios(Rounds.of(cpu, contender), Rounds.of(cpu, "floor"))),
    cost: `${number(Rounds.figure(Rounds.of(cpu, contender)).median)} µs`
  })
  const share = (contender: string) => ({
    name: contender,
    figure: Rounds.figure(Rounds.ratios(Rounds.of(wall, "floor"), Rounds.of(wall, contender))),
    cost: `${number(1e6 / Rounds.figure(Rounds.of(wall, contender)).median)} a second`
  })
  const router = times("router")
  const routed = `${number(router.figure.median)} ×`
  return [
    {
      group: name,
      title: `node listener, ${era}: CPU`,
      unit: "×",
      floor,
      parley: times("parley-node"),
      peers: peers.map(times),
      hold: { most: 4 },
      aim: { most: 2 }
    },
    {
      group: name,
      title: `node listener, ${era}: requests a second, of the floor's`,
      unit: "",
      floor: `node:http ${number(1e6 / Rounds.figure(Rounds.of(wall, "floor")).median)} a second`,
      parley: share("parley-node"),
      peers: peers.map(share),
      hold: { least: 0.25 },
      aim: { least: 0.5 }
    },
    {
      group: name,
      title: `platform's HttpRouter, ${era}: CPU`,
      unit: "×",
      floor: `${floor}; by hand on the router ${routed}`,
      parley: times("parley-platform"),
      peers: peers.map(times),
      hold: { most: 6 },
      aim: { most: 4 },
      heldBackBy:
        `A route of Effect's HttpRouter that only parses and writes the same bytes is ${routed} the floor already: ` +
        "what is above that is Parley's."
    }
  ]
}
