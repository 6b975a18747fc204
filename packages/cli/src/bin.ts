#!/usr/bin/env node
// The program `parley`: the command line on Node's services. Output is flushed before the process ends.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { defaultTeardown } from "effect/Runtime"
import { Stdio } from "effect/Stdio"
import { run } from "./Cli.ts"

// A reader that went away (`parley … | head -1`) is no failure of ours: what was started is still ended in order. An answer
// that could not be written, as where a disk is full, is one.
let unwritten = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    unwritten ||= error.code !== "EPIPE"
  })
}

// The terminal was closed: as when somebody ends the program, so that what was started does not outlive it.
process.once("SIGHUP", () => process.emit("SIGTERM"))

Stdio.use(({ args }) => Effect.flatMap(args, run)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      defaultTeardown(exit, (code) => {
        const end = () => onExit(unwritten ? Math.max(code, 1) : code)
        // A failure to write is told after the write was called back.
        process.stdout.write("", () => process.stderr.write("", () => setImmediate(end)))
      })
  })
)
