// The servers of the matrix: real ones on the official SDKs and on effect/ai, started as processes, and one that answers a
// handshake with a modern revision. What a client makes of them is not known here.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

/** A server, and how it is started on either carrier. */
export interface Server {
  readonly name: string
  readonly speaks: string
  readonly program: string
  readonly args: ReadonlyArray<string>
}

const demo = (file: string): string => fileURLToPath(new URL(`../../../cli/demo/hosts/${file}`, import.meta.url))

export const legacy: Server = { name: "sdk 1.32.2", speaks: "legacy", program: demo("sdk1.ts"), args: [] }
export const dual: Server = { name: "server 2.4.0", speaks: "both eras", program: demo("sdk2.ts"), args: ["dual"] }
export const modern: Server = {
  name: "server 2.4.0, modern only",
  speaks: "modern; refuses `initialize` with -32022 and a list",
  program: demo("sdk2.ts"),
  args: ["modern"]
}
export const effectModern: Server = {
  name: "effect/ai 4.1.0, modern only",
  speaks: "modern; refuses `initialize` without a list",
  program: demo("effect.ts"),
  args: []
}
export const namesModern: Server = {
  name: "names 2026-07-28",
  speaks: "answers `initialize` with 2026-07-28, knows no `server/discover`",
  program: fileURLToPath(new URL("../hosts/names-modern.ts", import.meta.url)),
  args: []
}

export const servers: ReadonlyArray<Server> = [legacy, dual, modern, effectModern, namesModern]

/** Returns the arguments of `node` that start a server. */
export const argumentsOf = ({ args, program }: Server, carrier: "stdio" | "http"): Array<string> => [
  program,
  carrier,
  ...args
]

/** Starts a server over HTTP and returns its address. It ends with the scope. */
export const startHttp = (server: Server): Effect.Effect<string, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, argumentsOf(server, "http"), { stdio: ["pipe", "pipe", "ignore"] })),
      (child) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              if (child.exitCode !== null || child.signalCode !== null) return resolve()
              child.on("exit", () => resolve())
              child.kill("SIGKILL")
            })
        )
    ),
    (child) =>
      Effect.callback<string>((resume) => {
        let output = ""
        child.stdout.on("data", (chunk: Buffer) => {
          output += chunk.toString()
          const url = /"url":"([^"]+)"/.exec(output)?.[1]
          if (url !== undefined) resume(Effect.succeed(url))
        })
        child.on("exit", (code) => resume(Effect.die(`${server.name} ended with code ${code}`)))
      })
  )

/** A port of 127.0.0.1 where nothing listens. */
export const freePort: Effect.Effect<number> = Effect.promise(
  () =>
    new Promise((resolve) => {
      const server = createServer()
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        server.close(() => resolve(port))
      })
    })
)
