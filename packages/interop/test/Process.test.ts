import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Process from "@parley/interop/Process"

describe("Process", () => {
  it.live("waits for the address that a server announces, and ends the server with the scope", () =>
    Effect.gen(function* () {
      const source =
        'console.log("hello"); console.log(JSON.stringify({ url: "http://127.0.0.1:9/" + process.pid })); process.stdin.on("end", () => process.exit(0)).resume()'
      const url = yield* Effect.scoped(Process.serve(process.execPath, ["-e", source]))
      expect(() => process.kill(Number(new URL(url).pathname.slice(1)), 0)).toThrow("ESRCH")
    })
  )

  it.live("says what a server said that ended before it announced anything", () =>
    Effect.gen(function* () {
      const source = 'console.error("no such module"); process.exitCode = 4'
      const failure = yield* Effect.flip(Effect.scoped(Process.serve(process.execPath, ["-e", source])))
      expect(failure.message).toMatch(/it ended with code 4/)
    })
  )

  it("returns the output of a command, or why it failed", async () => {
    expect(await Process.run(process.execPath, ["-e", "console.log(1)"])).toBe("1\n")
    await expect(Process.run(process.execPath, ["-e", "process.exit(2)"])).rejects.toThrow("exit code 2")
    expect(await Process.versionOf("no-such-program-anywhere", [])).toBeUndefined()
  })
})
