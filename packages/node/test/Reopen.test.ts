// A real process that is killed: the connection notices, starts the next one, and leaves nothing of either.
import { describe, expect, it } from "@effect/vitest"
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import * as Servers from "@parley/testing/SoakServers"
import { Effect, Schedule } from "effect"

const register = new URL("../../../scripts/register.mjs", import.meta.url).pathname

describe.each(Servers.kinds)("a process that is killed, %s", (kind) => {
  it.live("is followed by another, and requests wait for it", () =>
    Effect.gen(function* () {
      const { args, command } = Servers.command(kind)
      const pids = new Set<unknown>()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* Connection.connect({
            transport: StdioClient.make({ command, args: ["--import", register, ...args.slice(-3)] }),
            client: { info: { name: "test", version: "1" }, capabilities: {} },
            reopen: Schedule.upTo(Schedule.spaced("50 millis"), { times: 5 })
          })
          const pid = () => Effect.map(connection.request("tools/call", { name: "pid" }), ({ pid }) => pids.add(pid))
          yield* pid()
          const error = yield* Effect.flip(connection.request("tools/call", { name: "die" }))
          expect(error).toMatchObject({ retryable: true, reason: { _tag: "TransportFailure", signal: "SIGKILL" } })
          yield* pid()
          expect(connection.readiness.current()._tag).toBe("Ready")
        })
      )
      expect(pids.size).toBe(2)
      for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH")
    })
  )
})
