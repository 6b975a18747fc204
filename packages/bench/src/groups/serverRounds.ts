// How servers are measured beside each other: one client loads them in turn, and each tells what CPU time that took it.
import type { Answered } from "../servers/Socket.ts"
import type { Load, Loaded } from "../servers/load-bin.ts"
import type { Kind } from "../servers/Requests.ts"
import * as Rounds from "../Rounds.ts"
import { start, type Worker } from "../Worker.ts"

/** Servers that run, and the client that loads them. */
export interface Field {
  /** Asks a server once. */
  readonly ask: (name: string, kind: Kind) => Promise<Answered>
  /** Tells each server made by hand to answer a kind of request as that server does. */
  readonly follow: (name: string, kind: Kind) => Promise<void>
  /** Loads each once a round. Rejects where a request is not answered with that status. */
  readonly rounds: (names: ReadonlyArray<string>, kind: Kind, plan: Plan, statuses: Statuses) => Promise<Loads>
}

/** How long is measured. */
export interface Plan {
  readonly rounds: number
  readonly times: number
  readonly warm: number
}

/** The status that each server owes. */
export type Statuses = (name: string) => number

/** For each request, in microseconds. */
export interface Loads {
  readonly cpu: Rounds.Values
  readonly wall: Rounds.Values
}

/** Starts servers and lets them be measured, and ends them. */
export const withServers = async <A>(
  names: ReadonlyArray<string>,
  measure: (field: Field) => Promise<A>
): Promise<A> => {
  const client = await start("./servers/load-bin.ts")
  const workers = new Map<string, Worker>()
  try {
    const ports = new Map<string, number>()
    await Promise.all(
      names.map(async (name) => {
        const worker = await start("./contenders/server-bin.ts", { args: [name] })
        workers.set(name, worker)
        ports.set(name, await worker.run<number>("port"))
      })
    )
    return await measure(fieldOf(client, workers, ports))
  } finally {
    await Promise.all([client, ...workers.values()].map((worker) => worker.stop()))
  }
}

const fieldOf = (client: Worker, workers: ReadonlyMap<string, Worker>, ports: ReadonlyMap<string, number>): Field => {
  const loadOf = (name: string, kind: Kind, times: number): Load => ({
    port: ports.get(name) ?? 0,
    kind,
    connections,
    times
  })
  const ask = (name: string, kind: Kind): Promise<Answered> => client.run<Answered>("ask", loadOf(name, kind, 1))
  const load = async (name: string, kind: Kind, times: number, statuses: Statuses): Promise<Loaded> => {
    const loaded = await client.run<Loaded>("load", loadOf(name, kind, times))
    const count = Math.ceil(times / connections) * connections
    if (loaded.statuses[statuses(name)] !== count) {
      throw new Error(`${name}, ${kind}: ${statuses(name)} is owed, and it was ${JSON.stringify(loaded.statuses)}`)
    }
    return loaded
  }
  return {
    ask,
    follow: async (name, kind) => {
      const { status, text } = await ask(name, kind)
      // A JSON-RPC message, as the server that is followed owes it.
      const message = JSON.parse(text) as object
      for (const worker of workers.values()) {
        await worker.run("answers", { status, message, readsBody: kind !== "origin" })
      }
    },
    rounds: async (among, kind, { rounds, times, warm }, statuses) => {
      for (const name of among) await load(name, kind, warm, statuses)
      const wall = new Map<string, Array<number>>(among.map((name) => [name, []]))
      const count = Math.ceil(times / connections) * connections
      const cpu = await Rounds.interleaved(among, rounds, async (name) => {
        await workers.get(name)?.run("mark")
        const { wallMicros } = await load(name, kind, times, statuses)
        wall.get(name)?.push(wallMicros / count)
        return ((await workers.get(name)?.run<number>("spent")) ?? Number.NaN) / count
      })
      return { cpu, wall }
    }
  }
}

// How many connections are kept, each with one request under way.
const connections = 16
