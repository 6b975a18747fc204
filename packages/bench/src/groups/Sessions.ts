// What a legacy session that nothing happens in keeps on a server's heap.
import type { Group } from "../Group.ts"
import * as Rounds from "../Rounds.ts"
import { number } from "../Row.ts"
import { start } from "../Worker.ts"

const peers = ["effect-ai", "sdk2"]
const names = ["floor", "parley-node", ...peers]

const plans = { full: { rounds: 2, sessions: 10_000 }, smoke: { rounds: 1, sessions: 100 } } as const

const name = "idle sessions"

export const sessionsGroup: Group = {
  name,
  about:
    "What 10,000 legacy sessions keep on the heap of the server's process, each opened by `initialize` and " +
    "`notifications/initialized` and then left alone: what lives there after collections, less what lived there before. " +
    "The floor keeps a random id with the revision and the client's name.",
  caveats: ["The client sends no capabilities and a short name: a session keeps what it is told, within bounds."],
  run: async (mode) => {
    const { rounds, sessions } = plans[mode]
    const values = await Rounds.interleaved(names, rounds, (contender) => kept(contender, sessions))
    const entry = (contender: string) => ({ name: contender, figure: Rounds.figure(Rounds.of(values, contender)) })
    return [
      {
        group: name,
        title: "heap of one",
        unit: "KB",
        floor: `${number(Rounds.figure(Rounds.of(values, "floor")).median)} KB`,
        parley: entry("parley-node"),
        peers: peers.map(entry),
        hold: { most: 0.6 },
        aim: { most: 0.4 }
      }
    ]
  }
}

// What each of so many sessions keeps, in kilobytes: a server of its own, since sessions cannot all be ended.
const kept = async (contender: string, sessions: number): Promise<number> => {
  const [client, server] = await Promise.all([
    start("./servers/load-bin.ts"),
    start("./contenders/server-bin.ts", { args: [contender] })
  ])
  try {
    const port = await server.run<number>("port")
    const open = async (count: number): Promise<void> => {
      const issued = await client.run<number>("sessions", { port, count })
      if (issued !== count) throw new Error(`${contender} issued ${issued} sessions of ${count}`)
    }
    // What is made for the first ones is made once.
    await open(50)
    const before = await server.run<number>("heap")
    await open(sessions)
    return ((await server.run<number>("heap")) - before) / sessions / 1000
  } finally {
    await Promise.all([client.stop(), server.stop()])
  }
}
