// What a real process cannot be made to do: a bug of our own is told as one, and is not the server's.
import { expect, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Terminal } from "effect"
import { TestConsole } from "effect/testing"
import { run } from "@parley/cli/Cli"

it.effect("A defect ends with exit code 1 and says whose bug it is", () => {
  let asked = 0
  // The first reading is for help and errors; the second, the command's own, is where the bug strikes.
  const terminal = Terminal.make({
    columns: Effect.suspend(() =>
      (asked += 1) === 1 ? Effect.succeed(80) : Effect.die(new Error("\u001b[31mbroken"))
    ),
    rows: Effect.succeed(24),
    size: Effect.die("unused"),
    readInput: Effect.die("unused"),
    readLine: Effect.die("unused"),
    display: () => Effect.void
  })
  return Effect.gen(function* () {
    expect(yield* Effect.flip(run(["probe", "http://127.0.0.1:1/mcp"]))).toMatchObject({ _tag: "TaskFailed" })
    const lines = (yield* TestConsole.errorLines).join("\n")
    expect(lines).toContain("This is a bug in parley, not in the server")
    expect(lines).toContain("broken")
    expect(lines).not.toContain("\u001b")
  }).pipe(
    Effect.provide([Layer.merge(NodeServices.layer, TestConsole.layer), Layer.succeed(Terminal.Terminal, terminal)])
  )
})
