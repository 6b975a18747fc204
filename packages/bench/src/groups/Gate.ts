// What Parley adds in front of a handler that somebody else made: CPU time for each request.
import type { Group, Mode } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { number, type Row } from "../Row.ts"
import { type Plan, withServers } from "./serverRounds.ts"

const plans = {
  full: { rounds: 21, times: 4800, warm: 9600 },
  smoke: { rounds: 1, times: 64, warm: 32 }
} as const satisfies { readonly [M in Mode]: Plan }

const name = "admission in front of a handler"

export const gateGroup: Group = {
  name,
  about:
    "What `Admission.gate` adds to the CPU time of a handler made by hand, which has parsed the request, looked at its " +
    "headers, and writes what the floor writes: the difference within a round between two servers, of which one does not " +
    "ask the gate.",
  caveats: ["These are times and no ratios: they hold for this machine alone, and vary by a microsecond or two."],
  run: (mode) =>
    withServers(["parley-node", "gateless", "parley-gate"], async (field) => {
      const rows: Array<Row> = []
      await field.follow("parley-node", "modern")
      const { cpu } = await field.rounds(["gateless", "parley-gate"], "modern", plans[mode], () => 200)
      const floor = Rounds.of(cpu, "gateless")
      const added = Rounds.of(cpu, "parley-gate").map((value, round) => value - (floor[round] ?? Number.NaN))
      rows.push({
        group: name,
        title: "modern request: CPU added",
        unit: "µs",
        floor: `0 (the handler ${number(Rounds.figure(floor).median)} µs)`,
        parley: { name: "parley-gate", figure: Rounds.figure(added) },
        peers: [],
        hold: { most: 15 },
        aim: { most: 5 },
        heldBackBy:
          "The ladder itself takes a microsecond (see the decisions below); the rest is what it makes for each request: a " +
          "request as Parley sees it, and a decision."
      })
      return rows
    })
}
