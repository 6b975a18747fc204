// A stdio server in a process of its own, and a client that writes lines to it and keeps those that come back.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { stdioArgs } from "./Carried.ts"

export interface Piped {
  readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable }
  readonly say: (...messages: ReadonlyArray<unknown>) => void
  /** What came back, but for refusals of junk. */
  readonly lines: ReadonlyArray<any>
  /** How many lines of junk were refused. */
  readonly refused: number
  readonly linesTo: (count: number) => Effect.Effect<void>
  /** Writes so many lines of junk, as fast as they are taken, and waits until all are refused. */
  readonly junk: (count: number) => Effect.Effect<void>
  /** How much memory is in use after a collection, in bytes. */
  readonly heap: Effect.Effect<number>
  readonly exit: Effect.Effect<{ readonly code: number | null; readonly stderr: string }>
}

export const start = (options: object = {}): Effect.Effect<Piped, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [...stdioArgs(options)], { stdio: ["pipe", "pipe", "pipe", "ipc"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => new Client(child as Piped["child"])
  )

class Client implements Piped {
  readonly child: Piped["child"]
  readonly lines: Array<any> = []
  refused = 0
  private stderr = ""
  private code: number | null | undefined
  private rest = ""
  private readonly watching = new Set<() => void>()

  constructor(child: Piped["child"]) {
    this.child = child
    child.stdin.on("error", () => undefined)
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (this.stderr += chunk))
    child.on("close", (code) => {
      this.code = code
      this.changed()
    })
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (this.rest + chunk).split("\n")
      this.rest = parts.pop() ?? ""
      for (const part of parts) {
        if (part.includes('"code":-32700') && part.includes('"rung":"json"') && part.includes("junk")) this.refused += 1
        else this.lines.push(JSON.parse(part))
      }
      this.changed()
    })
  }

  say(...messages: ReadonlyArray<unknown>): void {
    const lines = messages.map((message) => (typeof message === "string" ? message : JSON.stringify(message)))
    this.child.stdin.write(`${lines.join("\n")}\n`)
  }

  linesTo(count: number): Effect.Effect<void> {
    return this.until(() => this.lines.length >= count)
  }

  junk(count: number): Effect.Effect<void> {
    const due = this.refused + count
    const piece = "junk that is no JSON\n".repeat(1_000)
    const write = (left: number): Effect.Effect<void> =>
      left <= 0
        ? Effect.void
        : Effect.suspend(() =>
            this.child.stdin.write(piece)
              ? write(left - 1_000)
              : Effect.andThen(
                  Effect.callback<void>((resume) => void this.child.stdin.once("drain", () => resume(Effect.void))),
                  write(left - 1_000)
                )
          )
    return Effect.andThen(
      write(count),
      this.until(() => this.refused >= due)
    )
  }

  get heap(): Effect.Effect<number> {
    return Effect.callback((resume) => {
      this.child.once("message", (message: any) => resume(Effect.succeed(message.heap)))
      this.child.send("heap")
    })
  }

  get exit(): Effect.Effect<{ readonly code: number | null; readonly stderr: string }> {
    return Effect.map(
      this.until(() => this.code !== undefined),
      () => ({ code: this.code ?? null, stderr: this.stderr })
    )
  }

  private until(holds: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = (): void => {
        if (!holds()) return
        this.watching.delete(look)
        resume(Effect.void)
      }
      this.watching.add(look)
      look()
    })
  }

  private changed(): void {
    for (const look of this.watching) look()
  }
}
