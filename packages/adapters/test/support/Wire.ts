// What crossed the wire between a client and a server: a relay for either carrier that writes down every message of the
// client. No test and no server lives here.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, request as forward } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A message of the client, as it was on the wire. */
export interface Said {
  /** The JSON-RPC method, or over HTTP without one the HTTP method. */
  readonly method: string
  readonly body: unknown
  /** Over HTTP: names in lower case. */
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /** Over HTTP: the status of the answer. */
  readonly status?: number
}

/** A command to start. */
export interface Command {
  readonly command: string
  readonly args: Array<string>
}

/** Returns how often a method was said. */
export const count = (said: ReadonlyArray<Said>, method: string): number =>
  said.filter((one) => one.method === method).length

/** Returns the methods of the opening that were said, in their order. */
export const openings = (said: ReadonlyArray<Said>): ReadonlyArray<string> =>
  said
    .map(({ method }) => method)
    .filter(
      (method) => method === "initialize" || method === "server/discover" || method === "notifications/initialized"
    )

/** Opens a relay before an HTTP server. */
export const overHttp = (
  target: string
): Effect.Effect<{ readonly url: string; readonly said: () => ReadonlyArray<Said> }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listen(target)),
      ({ close }) => Effect.promise(close)
    ),
    ({ said, url }) => ({ url, said: () => [...said] })
  )

const listen = (target: string) => {
  const said: Array<Said> = []
  const to = new URL(target)
  const server = createServer((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const body = Buffer.concat(chunks)
      const parsed: unknown = body.length === 0 ? undefined : JSON.parse(body.toString())
      const { method = "" } = incoming
      const index = said.push({ method: methodOf(parsed) ?? method, body: parsed, headers: incoming.headers }) - 1
      const headers = { ...incoming.headers, host: to.host }
      const outgoing = forward({ host: to.hostname, port: to.port, path: to.pathname, method, headers }, (answer) => {
        const one = said[index]
        if (one !== undefined) said[index] = { ...one, status: answer.statusCode ?? 0 }
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on("error", () => response.destroy())
        answer.pipe(response)
      })
      outgoing.on("error", () => response.destroy())
      response.on("close", () => outgoing.destroy())
      response.on("error", () => outgoing.destroy())
      outgoing.end(body)
    })
  })
  return new Promise<{ url: string; said: ReadonlyArray<Said>; close: () => Promise<void> }>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({
        url: `http://127.0.0.1:${port}${to.pathname}`,
        said,
        close: () =>
          new Promise((done) => {
            server.close(() => done())
            server.closeAllConnections()
          })
      })
    })
  })
}

/** Returns a command that starts a server behind a relay. */
export const overStdio = (
  command: string,
  args: ReadonlyArray<string>
): Effect.Effect<Command & { readonly said: Effect.Effect<ReadonlyArray<Said>> }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = await mkdtemp(join(tmpdir(), "parley-relay-"))
        await writeFile(join(folder, "said"), "")
        return folder
      }),
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
    ),
    (folder) => ({
      command: process.execPath,
      args: [relay, join(folder, "said"), command, ...args],
      said: Effect.promise(async () => {
        const text = await readFile(join(folder, "said"), "utf8")
        return text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => {
            const body: unknown = JSON.parse(line)
            return { method: methodOf(body) ?? "", body, headers: {} }
          })
      })
    })
  )

const relay = fileURLToPath(new URL("./relay.mjs", import.meta.url))

const methodOf = (body: unknown): string | undefined => {
  const method = typeof body === "object" && body !== null ? Reflect.get(body, "method") : undefined
  return typeof method === "string" ? method : undefined
}
