// Server processes behind a load balancer: started, killed without warning and started again, while a round-robin proxy
// sends each connection to the next one that listens. What travels is not looked at.
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { createServer, request, Agent, type IncomingMessage, type ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"

export class NodeFailure extends Data.TaggedError("NodeFailure")<{ readonly reason: string }> {}

export interface Nodes {
  /** The address of the proxy. */
  readonly url: string
  /** Kills a server with SIGKILL; the proxy finds out by itself. */
  readonly kill: (index: number) => void
  /** Starts it again, on another port. */
  readonly start: (index: number) => Effect.Effect<void, NodeFailure>
  /** Each server's answers, by its index. */
  readonly served: ReadonlyArray<number>
}

interface Node {
  child: ChildProcess | undefined
  port: number | undefined
}

/** Starts so many servers of a Redis, and the proxy before them. The scope ends them all. */
export const make = (count: number, redisPort: number): Effect.Effect<Nodes, NodeFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const nodes = Array.from({ length: count }, (): Node => ({ child: undefined, port: undefined }))
    const served = nodes.map(() => 0)
    const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 })
    let turn = 0

    const kill = (index: number): void => {
      const node = nodes[index]
      node?.child?.kill("SIGKILL")
      if (node !== undefined) node.child = undefined
    }

    const start = (index: number): Effect.Effect<void, NodeFailure> =>
      Effect.callback((resume) => {
        const node = nodes[index]
        if (node === undefined) return resume(Effect.void)
        const child = spawn(process.execPath, [...process.execArgv, program, String(redisPort)], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        node.child = child
        child.stdout.once("data", (chunk: Buffer) => {
          node.port = Number(chunk.toString().trim())
          resume(Effect.void)
        })
        child.once("close", () => resume(Effect.fail(new NodeFailure({ reason: "A server ended while it started." }))))
      })

    // As a load balancer does: a server that refuses the connection has not seen the request, so the next one gets it. One
    // that breaks later may have served it: that is a 502, and the client's to judge.
    const forward = (from: IncomingMessage, body: Buffer, to: ServerResponse, tries: number): void => {
      const index = turn++ % count
      const port = nodes[index]?.port
      const next = (): void => {
        if (tries > 1) forward(from, body, to, tries - 1)
        else to.writeHead(502).end()
      }
      if (port === undefined) return next()
      const headers = { ...from.headers, host: `127.0.0.1:${port}` }
      const out = request(
        { port, host: "127.0.0.1", agent, path: from.url, method: from.method, headers },
        (answer) => {
          served[index] = (served[index] ?? 0) + 1
          to.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.on("error", () => to.destroy())
          answer.pipe(to)
        }
      )
      out.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") next()
        else if (to.headersSent) to.destroy()
        else to.writeHead(502).end()
      })
      out.end(body)
    }

    const proxy = createServer((from, to) => {
      const parts: Array<Buffer> = []
      from.on("data", (chunk: Buffer) => parts.push(chunk))
      from.on("end", () => forward(from, Buffer.concat(parts), to, count))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void proxy.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          for (let index = 0; index < count; index++) kill(index)
          agent.destroy()
          proxy.closeAllConnections()
          proxy.close()
        })
    )
    const address = proxy.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    yield* Effect.forEach(nodes, (_, index) => start(index), { concurrency: "unbounded", discard: true })
    return { url: `http://127.0.0.1:${port}/mcp`, kill, start, served }
  })

const program = fileURLToPath(new URL("sessions-node-bin.ts", import.meta.url))
