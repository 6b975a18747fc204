// The real servers of the demo: what each is, how it is started, and what it is known to speak. Each starts a process of
// its own; those that serve HTTP announce their address and end when their standard input closes.
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** What a server is known to speak. */
export type Speaks = "legacy" | "dual" | "modern"

export interface Server {
  /** At most 13 characters, for the table. */
  readonly name: string
  readonly carrier: "stdio" | "http"
  readonly speaks: Speaks
  /** How a modern-only server answers `initialize`; it decides what each policy makes of it. */
  readonly refusal?: "-32022 with a list" | "-32022 without a list" | "-32020"
  /** The arguments of `node`. */
  readonly args: ReadonlyArray<string>
  /** A tool that it must list. */
  readonly tool: string
}

const host = (file: string): string => fileURLToPath(new URL(`./hosts/${file}`, import.meta.url))
const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

export const servers: ReadonlyArray<Server> = [
  { name: "everything", carrier: "stdio", speaks: "legacy", args: [everything, "stdio"], tool: "echo" },
  { name: "everything", carrier: "http", speaks: "legacy", args: [host("everything-http.ts")], tool: "echo" },
  { name: "sdk1", carrier: "stdio", speaks: "legacy", args: [host("sdk1.ts"), "stdio"], tool: "clock" },
  { name: "sdk1", carrier: "http", speaks: "legacy", args: [host("sdk1.ts"), "http"], tool: "clock" },
  { name: "sdk2 dual", carrier: "stdio", speaks: "dual", args: [host("sdk2.ts"), "stdio", "dual"], tool: "clock" },
  { name: "sdk2 dual", carrier: "http", speaks: "dual", args: [host("sdk2.ts"), "http", "dual"], tool: "clock" },
  {
    name: "sdk2 modern",
    carrier: "stdio",
    speaks: "modern",
    refusal: "-32022 with a list",
    args: [host("sdk2.ts"), "stdio", "modern"],
    tool: "clock"
  },
  {
    name: "sdk2 modern",
    carrier: "http",
    speaks: "modern",
    refusal: "-32022 with a list",
    args: [host("sdk2.ts"), "http", "modern"],
    tool: "clock"
  },
  {
    name: "effect/ai",
    carrier: "stdio",
    speaks: "modern",
    refusal: "-32022 without a list",
    args: [host("effect.ts"), "stdio"],
    tool: "clock"
  },
  {
    name: "effect/ai",
    carrier: "http",
    speaks: "modern",
    refusal: "-32020",
    args: [host("effect.ts"), "http"],
    tool: "clock"
  }
]

/** What the names in the table stand for. */
export const legend: ReadonlyArray<string> = [
  "everything  @modelcontextprotocol/server-everything 2026.8.31, the reference",
  "sdk1        a host on @modelcontextprotocol/sdk 1.32.2: the handshake only",
  "sdk2        hosts on @modelcontextprotocol/server 2.4.0: both eras, modern only",
  "effect/ai   a host on McpServer of effect 4.1.0: modern only"
]

/** A server of the demo did not start: a fault of the demo or of the machine, not of a negotiation. */
export class HostFailed extends Data.TaggedError("HostFailed")<{ readonly server: string; readonly problem: string }> {
  override get message(): string {
    return `The server ${this.server} did not start: ${this.problem}`
  }
}

/** Starts an HTTP server and returns its address, once it announced one. It ends with the scope. */
export const start = (server: Server): Effect.Effect<string, HostFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, server.args, { stdio: ["pipe", "pipe", "pipe"] })
      const exited = new Promise<void>((resolve) => {
        child.on("exit", () => resolve())
        child.on("error", () => resolve())
      })
      child.stdin.on("error", () => undefined)
      return { child, exited }
    }),
    ({ child, exited }) =>
      Effect.promise(() => {
        child.stdin.end()
        return exited
      }).pipe(Effect.timeoutOption(2000), Effect.andThen(Effect.sync(() => child.kill("SIGKILL"))))
  ).pipe(
    Effect.flatMap(({ child }) =>
      Effect.callback<string, HostFailed>((resume) => {
        let output = ""
        let errors = ""
        const fail = (problem: string): void =>
          resume(Effect.fail(new HostFailed({ server: server.name, problem: `${problem} ${errors.slice(-500)}` })))
        child.stderr.on("data", (chunk: Buffer) => {
          errors = `${errors}${chunk.toString()}`.slice(-2000)
        })
        child.stdout.on("data", (chunk: Buffer) => {
          output = `${output}${chunk.toString()}`.slice(-10_000)
          const url = /^\{"url":"(http:\/\/127\.0\.0\.1:\d+\/[^"]*)"\}$/m.exec(output)?.[1]
          if (url !== undefined) resume(Effect.succeed(url))
        })
        child.on("error", (cause) => fail(cause.message))
        child.on("exit", (code) => fail(`it ended with code ${code}.`))
      })
    ),
    Effect.timeoutOrElse({
      duration: 30_000,
      orElse: () => Effect.fail(new HostFailed({ server: server.name, problem: "no address within 30 s." }))
    })
  )
