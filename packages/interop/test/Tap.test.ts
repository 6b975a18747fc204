import { createServer } from "node:http"
import { spawn } from "node:child_process"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Tap from "@parley/interop/Tap"

const listening = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<ReturnType<typeof createServer>>((resolve) => {
        const server = createServer((request, response) => {
          request.resume().on("end", () => {
            response.writeHead(request.method === "POST" ? 200 : 405, { "x-host": request.headers.host ?? "" })
            response.end("answered")
          })
        })
        server.listen(0, "127.0.0.1", () => resolve(server))
      })
  ),
  (server) => Effect.promise(() => new Promise((done) => server.close(done)))
)

describe("Tap", () => {
  it.live("hands HTTP on as it is, under the server's own Host, and keeps methods and statuses", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const address = (yield* listening).address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const tap = yield* Tap.open({ url: `http://127.0.0.1:${port}/mcp` })
        const url = "url" in tap.target ? tap.target.url : ""
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize" })
        const answer = yield* Effect.promise(() => fetch(url, { method: "POST", body }))
        expect([answer.status, answer.headers.get("x-host")]).toEqual([200, `127.0.0.1:${port}`])
        expect(yield* Effect.promise(() => answer.text())).toBe("answered")
        yield* Effect.promise(() => fetch(url))
        yield* Effect.promise(() => fetch(url, { method: "POST", body: "{" }))
        expect(yield* tap.heard).toEqual(["initialize 200", "GET 405", "(no JSON) 200"])
      })
    )
  )

  it.live("hands a pipe on, and keeps the methods", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const echo = "process.stdin.pipe(process.stdout)"
        const tap = yield* Tap.open({ command: process.execPath, args: ["-e", echo] })
        const { args, command } = "url" in tap.target ? { command: "", args: [] } : tap.target
        const lines = '{"method":"server/discover"}\n{"result":{}}\nno json\n'
        const out = yield* Effect.promise(
          () =>
            new Promise<string>((resolve) => {
              const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
              let text = ""
              child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
              child.on("close", () => resolve(text))
              child.stdin.end(lines)
            })
        )
        expect(out).toBe(lines)
        expect(yield* tap.heard).toEqual(["server/discover", "(response)", "(no JSON)"])
      })
    )
  )
})
