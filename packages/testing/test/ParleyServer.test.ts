import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ParleyServer from "@parley/testing/ParleyServer"
import type { ServeOptions } from "@parley/testing/Subject"

const options: ServeOptions = { eras: ["legacy", "modern"], transport: "http", sessions: false }
const program = (source: string) => ({ command: process.execPath, args: ["-e", source, "--"] })

describe("what parley is given", () => {
  it.each<[string, ServeOptions, string]>([
    ["both eras over HTTP", options, "serve --era dual --transport http --port 0 --no-sessions"],
    ["one era on stdio", { ...options, eras: ["legacy"], transport: "stdio" }, "serve --era legacy --transport stdio"],
    [
      "sessions, tools and origins",
      {
        ...options,
        eras: ["modern"],
        sessions: true,
        tools: ["a", "größe"],
        allowedOrigins: ["http://localhost:6200"]
      },
      "serve --era modern --transport http --port 0 --sessions --tool a --tool größe --allow-origin http://localhost:6200"
    ]
  ])("%s", (_, given, expected) => {
    expect(ParleyServer.argumentsOf(given).join(" ")).toBe(expected)
  })
})

describe("ParleyServer", () => {
  it.live("waits for the URL that the program writes, wherever, and ends the program with the scope", () =>
    Effect.gen(function* () {
      const source =
        'process.stderr.write(`\\u001b[1mlistening on http://127.0.0.1:8123/${process.pid}`); setTimeout(() => process.stderr.write("\\u001b[0m\\n"), 50); setInterval(() => {}, 1000)'
      const target = yield* Effect.scoped(ParleyServer.subject(program(source)).serve(options))
      const url = "url" in target ? target.url : ""
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8123\/\d+$/)
      expect(() => process.kill(Number(new URL(url).pathname.slice(1)), 0)).toThrow("ESRCH")
    })
  )

  it.live.each<[string, string]>([
    ["ends at once", 'console.error("no such option"); process.exit(2)'],
    ["is not there", ""]
  ])("tells of a program that %s", ([, source]) =>
    Effect.gen(function* () {
      const given = source === "" ? { command: "/nowhere/at-all", args: [] } : program(source)
      const error = yield* Effect.flip(Effect.scoped(ParleyServer.subject(given).serve(options)))
      expect(error.message).toContain(source === "" ? "ENOENT" : "ended with code 2: no such option")
    })
  )

  it.live("leaves a pipe to whoever talks to it", () =>
    Effect.gen(function* () {
      const target = yield* Effect.scoped(ParleyServer.subject(program("0")).serve({ ...options, transport: "stdio" }))
      expect(target).toMatchObject({ command: process.execPath, args: expect.arrayContaining(["serve", "stdio"]) })
    })
  )
})
