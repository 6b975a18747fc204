// The client that loads servers, in a process of its own, so that its work is in no server's figure: kept connections, one
// request at a time on each.
import { take } from "../Job.ts"
import { asked, bytesOf, type Kind, opened, opening } from "./Requests.ts"
import { type Answered, once, open, type Socket } from "./Socket.ts"

/** A load: so many requests of a kind over so many connections. */
export interface Load {
  readonly port: number
  readonly kind: Kind
  readonly connections: number
  readonly times: number
}

/** What came of it. */
export interface Loaded {
  readonly wallMicros: number
  /** How many answers had each status. */
  readonly statuses: { readonly [status: string]: number }
}

interface Line {
  readonly socket: Socket
  readonly session: string | undefined
}

const failed = (cause: Error): void => {
  process.stderr.write(`${cause.message}\n`)
  process.exit(1)
}

const kept = new Map<string, Array<Line>>()

const linesOf = async ({ connections, kind, port }: Load): Promise<ReadonlyArray<Line>> => {
  const key = `${port} ${kind === "legacy"}`
  const lines = kept.get(key) ?? []
  kept.set(key, lines)
  while (lines.length < connections) {
    const socket = await open(port, failed)
    lines.push({ socket, session: kind === "legacy" ? await begun(socket, port) : undefined })
  }
  return lines.slice(0, connections)
}

// Opens a session, where the server issues them.
const begun = async (socket: Socket, port: number): Promise<string | undefined> => {
  const { head, status } = await once(socket, bytesOf(opening, port))
  if (status !== 200) throw new Error(`initialize was answered with ${status}`)
  const session = /^mcp-session-id: (.+)\r$/im.exec(head)?.[1]
  await once(socket, bytesOf(opened(session), port))
  return session
}

const load = async (wanted: Load): Promise<Loaded> => {
  const lines = await linesOf(wanted)
  const statuses: { [status: string]: number } = {}
  const each = Math.ceil(wanted.times / lines.length)
  const started = process.hrtime.bigint()
  await Promise.all(
    lines.map(
      ({ session, socket }, at) =>
        new Promise<void>((resolve) => {
          const bytes = bytesOf(asked(wanted.kind, 1000 + at, session), wanted.port)
          let left = each
          const next = (status: number): void => {
            statuses[status] = (statuses[status] ?? 0) + 1
            left -= 1
            if (left === 0) resolve()
            else socket.ask(bytes, next)
          }
          socket.ask(bytes, next)
        })
    )
  )
  return { wallMicros: Number(process.hrtime.bigint() - started) / 1000, statuses }
}

take({
  load,
  /** Asks once. */
  ask: async (wanted: Load): Promise<Answered> => {
    const line = (await linesOf({ ...wanted, connections: 1 }))[0]
    if (line === undefined) throw new Error("there is no connection")
    return once(line.socket, bytesOf(asked(wanted.kind, 1000, line.session), wanted.port))
  },
  /** Opens so many sessions and leaves them alone. Returns how many the server issued. */
  sessions: async ({ count, port }: { readonly count: number; readonly port: number }): Promise<number> => {
    const socket = await open(port, failed)
    const ids = new Set<string>()
    for (let at = 0; at < count; at++) {
      const id = await begun(socket, port)
      if (id !== undefined) ids.add(id)
    }
    socket.close()
    return ids.size
  }
})
