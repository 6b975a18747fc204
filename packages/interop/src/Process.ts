// Child processes of a run: commands that end, servers that announce an address. Nothing here knows MCP.
import { end } from "@parley/testing/ChildEnd"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"

/** A command could not be run, or ended badly. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly command: string
  readonly said: string
}> {
  override get message(): string {
    return `${this.command} failed: ${this.said}`
  }
}

/** How long a server may take until it says where it listens, in milliseconds. */
const startMillis = 60_000

/** Runs a command to its end and returns its standard output. Fails where its exit code is not 0. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    let out = ""
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => {
      out = (out + chunk.toString()).slice(-100_000)
    })
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000)
    })
    child.on("error", (cause) => reject(new CommandFailed({ command, said: cause.message })))
    child.on("close", (code) => {
      if (code === 0) return resolve(out)
      const line = [command, ...args].join(" ").slice(0, 200)
      reject(new CommandFailed({ command: line, said: `exit code ${code}: ${said || out.slice(-2_000)}` }))
    })
  })

/** Returns a command's first line of output, or undefined where it cannot be run. */
export const versionOf = async (command: string, args: ReadonlyArray<string>): Promise<string | undefined> => {
  try {
    return (await run(command, args)).split("\n")[0]?.trim()
  } catch {
    return undefined
  }
}

/** Starts a server that announces `{"url": …}` on its standard output and ends with its standard input. */
export const serve = (
  command: string,
  args: ReadonlyArray<string>
): Effect.Effect<string, CommandFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })),
    (child) => Effect.promise(() => end(child))
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<string, CommandFailed>((resume) => {
        let out = ""
        let said = ""
        const fail = (problem: string): void =>
          resume(Effect.fail(new CommandFailed({ command, said: `${problem} ${said}` })))
        child.stderr.on("data", (chunk: Buffer) => {
          said = (said + chunk.toString()).slice(-2_000)
        })
        child.stdout.on("data", (chunk: Buffer) => {
          out = (out + chunk.toString()).slice(-10_000)
          const url = /^\{"url":\s?"(http:\/\/127\.0\.0\.1:\d+\/[^"]*)"\}\r?$/m.exec(out)?.[1]
          if (url !== undefined) resume(Effect.succeed(url))
        })
        child.on("error", (cause) => fail(cause.message))
        child.on("exit", (code) => fail(`it ended with code ${code}.`))
      })
    ),
    Effect.timeoutOrElse({
      duration: startMillis,
      orElse: () => Effect.fail(new CommandFailed({ command, said: `no address within ${startMillis} ms` }))
    })
  )
