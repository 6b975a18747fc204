// Parley's own server as a subject of the case runner: `parley serve`, started as a process of its own for each case.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import type { CommandTarget, HttpTarget, Target } from "./Scripted.ts"
import { type CannotServe, cannotServe, type ServeOptions, type ServerSubject } from "./Subject.ts"

/** How long a server may take until it says where it listens, in milliseconds. */
const startMillis = 15_000

/**
 * Returns the subject that starts `<command> <args> serve …` with what a case asks for: `--era`, `--transport`, and over
 * HTTP `--port 0`, `--sessions` or `--no-sessions`, `--tool NAME`, `--allow-origin ORIGIN`. Over HTTP the first URL that
 * the program writes says where it listens; a pipe is started by whoever talks to it.
 */
export const subject = (program: CommandTarget): ServerSubject => ({
  serve: (options): Effect.Effect<Target, CannotServe, Scope.Scope> => {
    const target = { command: program.command, args: [...program.args, ...argumentsOf(options)] }
    return options.transport === "stdio" ? Effect.succeed(target) : listening(target)
  }
})

/** Returns what `parley` is given for a case, after the program's own arguments. */
export const argumentsOf = ({
  eras,
  transport,
  sessions,
  tools,
  allowedOrigins
}: ServeOptions): ReadonlyArray<string> => [
  "serve",
  "--era",
  eras.length === 2 ? "dual" : (eras[0] ?? "dual"),
  "--transport",
  transport,
  ...(transport === "http" ? ["--port", "0", sessions ? "--sessions" : "--no-sessions"] : []),
  ...(tools ?? []).flatMap((name) => ["--tool", name]),
  ...(allowedOrigins ?? []).flatMap((origin) => ["--allow-origin", origin])
]

const listening = (target: CommandTarget): Effect.Effect<HttpTarget, CannotServe, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(
      Effect.sync(() => spawn(target.command, target.args, { stdio: ["pipe", "pipe", "pipe"] })),
      (child) => Effect.promise(() => end(child))
    ),
    (child) =>
      Effect.timeoutOrElse(urlOf(child), {
        duration: startMillis,
        orElse: () => Effect.fail(cannotServe(`no URL within ${startMillis} ms`))
      })
  )

const urlOf = (child: ChildProcess): Effect.Effect<HttpTarget, CannotServe> =>
  Effect.callback((resume) => {
    let said = ""
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-8_000)
      const url = /https?:\/\/[\w.:[\]/-]+(?=[^\w.:[\]/-])/.exec(said)?.[0]
      if (url !== undefined) resume(Effect.succeed({ url }))
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.on("error", (cause) => resume(Effect.fail(cannotServe(cause.message))))
    child.on("close", (code) => resume(Effect.fail(cannotServe(`ended with code ${code}: ${said.slice(-1_000)}`))))
  })

const end = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve()
    const timer = setTimeout(() => child.kill("SIGKILL"), 2_000)
    child.on("close", () => {
      clearTimeout(timer)
      resolve()
    })
    child.stdin?.end()
    child.kill("SIGTERM")
  })
