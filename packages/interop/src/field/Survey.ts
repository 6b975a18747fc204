// Finds out what the servers and clients of the field do: `parley matrix` is run on the servers, `parley observe` on each
// client, as the programs that they are. Who is in the field is Roster's; where the rows are kept is Field's.
import type { Row as ServerRow } from "@parley/cli/Matrix"
import { type Row as Observed, type Way, wayNames } from "@parley/cli/Observation"
import type { ClientRow } from "@parley/cli/render/ClientPage"
import { end } from "@parley/testing/ChildEnd"
import * as Driver from "@parley/testing/Driver"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Process from "../Process.ts"
import * as Roster from "./Roster.ts"

/** Returns the rows of servers, in their order. All are started, and asked by one `parley matrix`. */
export const servers = (
  list: ReadonlyArray<Roster.Server>
): Effect.Effect<ReadonlyArray<ServerRow>, Process.CommandFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporary
      const targets = yield* Effect.forEach(
        list,
        (server): Effect.Effect<object, Process.CommandFailed, Scope.Scope> =>
          server.carrier === "stdio"
            ? Effect.succeed({ name: server.name, command: server.command, args: server.args })
            : Effect.map(Process.serve(server.command, server.args), (url) => ({ name: server.name, url })),
        { concurrency: 4 }
      )
      const file = join(folder, "targets.json")
      yield* Effect.promise(() => writeFile(file, JSON.stringify(targets)))
      const { code, stderr, stdout } = yield* parley(["matrix", file, "--json", "--timeout", "60s"])
      // 1 means that some were not reached: their rows say so.
      if (code !== 0 && code !== 1) return yield* new Process.CommandFailed({ command: "parley matrix", said: stderr })
      // `parley matrix --json` wrote it: a row for each target, in order.
      const { rows } = JSON.parse(stdout) as { readonly rows: ReadonlyArray<ServerRow> }
      // A port says nothing to whoever reads it later; how the server is started does.
      return rows.map((row, index) => {
        const server = list[index]
        return server === undefined ? row : { ...row, target: Roster.shown(server) }
      })
    })
  )

/** Returns the rows of a client, one for each carrier. */
export const client = (one: Roster.Client): Effect.Effect<ReadonlyArray<ClientRow>, Process.CommandFailed> =>
  Effect.forEach(one.carriers, (carrier) =>
    Effect.scoped(
      Effect.gen(function* () {
        const driver = yield* Driver.start(one)
        const meet = (target: Driver.Job["target"]) =>
          Effect.map(
            driver.ask({ mode: one.mode, target, ...times[carrier], afterwards: "call" }),
            ({ outcome }) => outcome
          )
        const { ends, observed } = yield* carrier === "http" ? overHttp(meet) : onPipe(meet)
        return { name: one.name, mode: one.mode, observed, ends }
      })
    )
  )

type Meet = (target: Driver.Job["target"]) => Effect.Effect<string>
interface Met {
  readonly observed: Observed
  readonly ends: ClientRow["ends"]
}

// Each way has a URL; the row comes when the observer's input ends.
const overHttp = (meet: Meet): Effect.Effect<Met, Process.CommandFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const [command = "", ...args] = [...Roster.parleyCommand, "observe", "--port", "0", "--json"]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })),
      (started) => Effect.promise(() => end(started))
    )
    let out = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
    const urls = yield* Effect.callback<ReadonlyArray<string>, Process.CommandFailed>((resume) => {
      let said = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text
        const found = said.match(/http:\S+\/mcp/g) ?? []
        if (found.length === wayNames.length) resume(Effect.succeed(found))
      })
      child.on("exit", () => resume(Effect.fail(new Process.CommandFailed({ command: "parley observe", said }))))
    })
    const ends = yield* Effect.forEach(urls, (url) => meet({ url }))
    yield* Effect.promise(() => end(child))
    return { observed: read(out), ends: endsOf(ends) }
  })

// Each way is a command of its own, and they share the file of the row.
const onPipe = (meet: Meet): Effect.Effect<Met, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file = join(yield* temporary, "row.json")
    const [command = "", ...parley] = Roster.parleyCommand
    const ends = yield* Effect.forEach(wayNames, (way) =>
      meet({ command, args: [...parley, "observe", "--transport", "stdio", "--row", file, "--way", way] })
    )
    return { observed: read(yield* Effect.promise(() => readFile(file, "utf8"))), ends: endsOf(ends) }
  })

const endsOf = (ends: ReadonlyArray<string>): { readonly [way in Way]?: string } =>
  Object.fromEntries(wayNames.map((way, index) => [way, ends[index] ?? ""]))

// `parley observe` wrote it.
const read = (text: string): Observed => JSON.parse(text) as Observed

// A process takes its time to start; over HTTP the observer runs already.
const times = {
  http: { timeoutMillis: 3_000, probeMillis: 2_000 },
  stdio: { timeoutMillis: 16_000, probeMillis: 8_000 }
} as const

const parley = (
  args: ReadonlyArray<string>
): Effect.Effect<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> =>
  Effect.promise(
    () =>
      new Promise((resolve) => {
        const [command = "", ...before] = Roster.parleyCommand
        const child = spawn(command, [...before, ...args], { stdio: ["ignore", "pipe", "pipe"] })
        let stdout = ""
        let stderr = ""
        child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
        child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-4_000)))
        child.on("close", (code) => resolve({ code, stdout, stderr }))
      })
  )

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "parley-field-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)
