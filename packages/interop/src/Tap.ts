// What passes between a foreign client and a Parley server: a relay before an HTTP server, a wrapper around a stdio one.
// Keeps the methods and what they were answered with, no bodies.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CommandTarget, HttpTarget, Target } from "@parley/testing/Scripted"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer, request as forward } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { methodOf } from "@parley/testing/Script"

/** A target that is listened to, and what the client sent so far: methods in order, over HTTP with the status. */
export interface Tap {
  readonly target: Target
  readonly heard: Effect.Effect<ReadonlyArray<string>>
}

const program = fileURLToPath(new URL("./tap-stdio-bin.ts", import.meta.url))

/** Listens to what a client sends to the target, until the scope closes. */
export const open = (target: Target): Effect.Effect<Tap, never, Scope.Scope> =>
  "url" in target ? relay(target) : wrap(target)

const wrap = (target: CommandTarget): Effect.Effect<Tap, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "parley-tap-"))),
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
    ),
    (folder) => {
      const file = join(folder, "heard")
      return {
        target: { command: process.execPath, args: [program, file, target.command, ...target.args] },
        heard: Effect.promise(async () =>
          (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "")
        )
      }
    }
  )

const relay = (target: HttpTarget): Effect.Effect<Tap, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listen(target)),
      ({ server }) =>
        Effect.promise(
          () =>
            new Promise<void>((done) => {
              server.close(() => done())
              server.closeAllConnections()
            })
        )
    ),
    ({ heard, url }) => ({ target: { url }, heard: Effect.sync(() => [...heard]) })
  )

const listen = (target: HttpTarget) => {
  const heard: Array<string> = []
  const to = new URL(target.url)
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("error", () => undefined)
    outgoing.on("error", () => undefined)
    incoming.on("end", () => {
      const body = Buffer.concat(chunks)
      const place = heard.push(nameOf(incoming.method ?? "", body.toString())) - 1
      const headers = { ...incoming.headers, host: to.host }
      const sent = forward({
        hostname: to.hostname,
        port: to.port,
        path: incoming.url,
        method: incoming.method,
        headers
      })
      sent.on("error", () => outgoing.destroy())
      sent.on("response", (answer) => {
        heard[place] = `${heard[place] ?? ""} ${answer.statusCode ?? ""}`
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        outgoing.flushHeaders()
        answer.pipe(outgoing)
        answer.on("error", () => outgoing.destroy())
      })
      outgoing.on("close", () => sent.destroy())
      sent.end(body)
    })
  })
  return new Promise<{ readonly server: typeof server; readonly heard: ReadonlyArray<string>; readonly url: string }>(
    (resolve) =>
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resolve({ server, heard, url: `http://127.0.0.1:${port}${to.pathname}` })
      })
  )
}

const nameOf = (httpMethod: string, body: string): string => {
  if (httpMethod !== "POST") return httpMethod
  try {
    return methodOf(JSON.parse(body)) ?? "(response)"
  } catch {
    return "(no JSON)"
  }
}
