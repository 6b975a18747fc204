// What `parley doctor` checks of the machine that it runs on: Node, the loopback network, proxies. Servers are not asked here.
import * as Effect from "effect/Effect"
import { createServer, get } from "node:http"

/** One check: whether it passed, and what was found in one sentence. */
export interface Check {
  readonly state: "ok" | "note" | "bad"
  readonly what: string
}

/** The oldest Node that Parley runs on. A test holds it to package.json. */
export const oldestNode = "22.19.0"

/** Returns whether this Node is new enough. */
export const node = (version: string): Check => {
  const there = numbersOf(version)
  const needed = numbersOf(oldestNode)
  const differs = needed.findIndex((part, index) => part !== there[index])
  const enough = differs === -1 || (there[differs] ?? 0) > (needed[differs] ?? 0)
  return enough
    ? { state: "ok", what: `Node ${version}` }
    : { state: "bad", what: `Node ${version} is too old. Install ${oldestNode} or newer.` }
}

/** Listens on a free port of 127.0.0.1 and asks itself once. */
export const loopback: Effect.Effect<Check> = Effect.acquireUseRelease(
  Effect.sync(() => createServer((_, response) => response.end("reached"))),
  (server) =>
    Effect.callback<Check>((resume) => {
      const bad = (cause: Error): void =>
        resume(
          Effect.succeed({
            state: "bad",
            what: `Nothing can be served and reached on 127.0.0.1: ${cause.message}. Look at the firewall or the sandbox.`
          })
        )
      server.on("error", bad)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        get({ host: "127.0.0.1", port, agent: false }, (response) => {
          response.resume()
          response.on("end", () => resume(Effect.succeed({ state: "ok", what: "127.0.0.1 can be served and reached" })))
        }).on("error", bad)
      })
    }),
  // What is left open here would keep the program alive.
  (server) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
).pipe(
  Effect.timeoutOrElse({
    duration: "5 seconds",
    orElse: () => Effect.succeed<Check>({ state: "bad", what: "127.0.0.1 did not answer within 5 s" })
  })
)

/** Returns which variables name a proxy. Their values are not told: they may hold a password. */
export const proxies = (environment: { readonly [name: string]: string | undefined }): ReadonlyArray<Check> => {
  const set = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"].filter(
    (name) => (environment[name] ?? environment[name.toLowerCase()] ?? "") !== ""
  )
  return set.length === 0
    ? []
    : [{ state: "note", what: `A proxy is named by ${set.join(", ")}; parley connects without one` }]
}

const numbersOf = (version: string): ReadonlyArray<number> => version.replace(/^v/, "").split(".").map(Number)
