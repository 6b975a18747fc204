// The servers of the case runner on this package's carriers: HTTP in this process, stdio in a process for each case.
import * as Admission from "@parley/runtime/Admission"
import * as HttpServer from "@parley/node/HttpServer"
import type { ServeOptions, ServerSubject } from "@parley/testing/Subject"
import { cannotServe } from "@parley/testing/Subject"
import * as TestServer from "@parley/testing/TestServer"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RequestListener, Server } from "node:http"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export const stdioArgs = (options: object): ReadonlyArray<string> => [
  "--expose-gc",
  "--import",
  at("../../../../scripts/register.mjs"),
  at("./stdio-server-bin.ts"),
  JSON.stringify(options)
]

export const overStdio: ServerSubject = {
  serve: (options) => Effect.succeed({ command: process.execPath, args: stdioArgs(options) })
}

export const admissionOf = (
  options: Partial<ServeOptions> = {},
  changes?: TestServer.Changes
): Effect.Effect<Admission.Admission, never, Scope.Scope> => {
  const server = TestServer.make({ eras: ["legacy", "modern"], transport: "http", sessions: true, ...options }, changes)
  return Admission.make(server.profile, server.handler, { listener: server.listener })
}

export const overHttp: ServerSubject = {
  serve: (options) =>
    Effect.flatMap(admissionOf(options), (admission) => HttpServer.serve({ admission })).pipe(
      Effect.map(({ url }) => ({ url })),
      Effect.mapError(({ message }) => cannotServe(message))
    )
}

/** The same, mounted in somebody else's application. */
export const mounted = (mount: (listener: HttpServer.Listener) => RequestListener): ServerSubject => ({
  serve: (options) =>
    Effect.flatMap(admissionOf(options), (admission) =>
      Effect.map(listening(createServer(mount(HttpServer.listener(admission)))), (port) => ({
        url: `http://127.0.0.1:${port}/mcp`
      }))
    )
})

/** Lets a server listen on a free port until the scope closes, and returns the port. */
export const listening = (server: Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        if (typeof address === "object" && address !== null) resume(Effect.succeed(address.port))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
