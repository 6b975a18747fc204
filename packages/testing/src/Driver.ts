// A foreign client under our orders: one process that takes jobs and reports their ends, a line of JSON each.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { end } from "./ChildEnd.ts"
import type { CommandTarget, Target } from "./Scripted.ts"

/** What a client is asked to do once. */
export interface Job {
  readonly mode: string
  readonly target: Target
  /** How long each of its requests may take, in milliseconds. */
  readonly timeoutMillis: number
  /** How long its probe may take where it has one; absent: as its library does by itself. */
  readonly probeMillis?: number | undefined
  /** Whether to list the tools and call `echo`, or to connect and leave. */
  readonly afterwards: "call" | "leave"
}

/** How a job ended. */
export type End =
  | {
      readonly outcome: "established"
      readonly version: string
      readonly tools?: ReadonlyArray<string>
      readonly echo?: string
    }
  | { readonly outcome: "failed"; readonly error: string }

export interface Driver {
  /** Gives a job and waits for its end. A client that says nothing any more is a failed job. */
  readonly ask: (job: Job) => Effect.Effect<End>
}

/** Starts the client's process; it ends with the scope. */
export const start = (peer: CommandTarget): Effect.Effect<Driver, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => spawnClient(peer)),
    ({ child }) => Effect.promise(() => end(child))
  )

const spawnClient = (peer: CommandTarget) => {
  const child = spawn(peer.command, peer.args, { stdio: ["pipe", "pipe", "pipe"] })
  const waiting = new Map<number, (end: End) => void>()
  let last = 0
  let rest = ""
  let said = ""
  const giveUp = (why: string): void => {
    for (const settle of waiting.values()) settle({ outcome: "failed", error: why })
    waiting.clear()
  }
  child.stdin.on("error", () => undefined)
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-500)
  })
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n")
    rest = (lines.pop() ?? "").slice(-1_000_000)
    for (const line of lines) {
      const found = read(line)
      if (found === undefined) continue
      waiting.get(found.id)?.(found.end)
      waiting.delete(found.id)
    }
  })
  child.on("error", (cause) => giveUp(`ClientDied: ${cause.message}`))
  child.on("close", () => giveUp(`ClientDied: ${said}`))
  const ask = (job: Job): Effect.Effect<End> =>
    Effect.callback<End>((resume) => {
      const id = ++last
      if (child.exitCode !== null) return resume(Effect.succeed({ outcome: "failed", error: `ClientDied: ${said}` }))
      waiting.set(id, (end) => resume(Effect.succeed(end)))
      child.stdin.write(`${JSON.stringify({ id, ...wireJob(job) })}\n`)
    }).pipe(
      Effect.timeoutOrElse({
        duration: 6 * job.timeoutMillis + 60_000,
        orElse: () => Effect.succeed<End>({ outcome: "failed", error: "NoEnd" })
      })
    )
  return { child, ask }
}

const wireJob = ({ afterwards, mode, probeMillis, target, timeoutMillis }: Job) => ({
  mode,
  ...("url" in target ? { url: target.url } : { command: [target.command, ...target.args] }),
  timeout: timeoutMillis / 1000,
  ...(probeMillis === undefined ? {} : { probe: probeMillis / 1000 }),
  calls: afterwards === "call"
})

const read = (line: string): { readonly id: number; readonly end: End } | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== "object" || value === null || !("id" in value) || typeof value.id !== "number")
      return undefined
    // The programs are ours: an end has the shape that the contract in peers/ says.
    const { id, ...end } = value as { readonly id: number } & End
    return { id, end: end as End }
  } catch {
    return undefined
  }
}
