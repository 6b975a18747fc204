// What it costs a server to refuse a request: CPU time of its process, beside bare node:http that writes the same refusal.
import type { Group, Mode } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { number, type Row } from "../Row.ts"
import type { Kind } from "../servers/Requests.ts"
import { type Field, type Plan, withServers } from "./serverRounds.ts"

const peers = ["effect-ai", "sdk2"]
const names = ["floor", "parley-node", ...peers]

const plans = {
  full: { rounds: 9, times: 2400, warm: 4800 },
  smoke: { rounds: 1, times: 64, warm: 32 }
} as const satisfies { readonly [M in Mode]: Plan }

const name = "refusing a request"

const kinds: ReadonlyArray<{ readonly kind: Kind; readonly title: string }> = [
  { kind: "version", title: "a revision that is not served (-32022)" },
  { kind: "header", title: "a header that disagrees (-32020)" },
  { kind: "method", title: "a method that does not exist (-32601)" },
  { kind: "origin", title: "a foreign page (403)" }
]

export const refusingGroup: Group = {
  name,
  about:
    "CPU time of the server's process for one request that it refuses, loaded as above. The floor parses the request and " +
    "writes the bytes that Parley writes; for a foreign page it writes them without reading the body.",
  caveats: [
    "A refusal of Parley's is longer than a peer's: it says what to do, to a person and to a program.",
    "A peer is in a row only where it refuses such a request with the status that the specification demands."
  ],
  run: (mode) =>
    withServers(names, async (field) => {
      const rows: Array<Row> = []
      for (const one of kinds) rows.push(await rowOf(field, plans[mode], one))
      return rows
    })
}

const rowOf = async (field: Field, plan: Plan, { kind, title }: (typeof kinds)[number]): Promise<Row> => {
  await field.follow("parley-node", kind)
  const { status } = await field.ask("parley-node", kind)
  const able: Array<string> = []
  for (const contender of names) if ((await field.ask(contender, kind)).status === status) able.push(contender)
  const { cpu } = await field.rounds(able, kind, plan, () => status)
  const floor = Rounds.of(cpu, "floor")
  const entry = (contender: string) => ({
    name: contender,
    figure: Rounds.figure(Rounds.ratios(Rounds.of(cpu, contender), floor)),
    cost: `${number(Rounds.figure(Rounds.of(cpu, contender)).median)} µs`
  })
  return {
    group: name,
    title,
    unit: "×",
    floor: `node:http ${number(Rounds.figure(floor).median)} µs`,
    parley: entry("parley-node"),
    peers: peers.filter((peer) => able.includes(peer)).map(entry),
    hold: { most: 2 },
    aim: { most: 1.4 },
    heldBackBy:
      "Nine tenths of the time are node:http's, the system's and the collector's (see the profile): Parley judges the head, " +
      "bounds the body in size and time, and keeps the headers that the floor never looks at."
  }
}
