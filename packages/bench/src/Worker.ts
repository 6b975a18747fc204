// A measured process, from the side that starts it: it is given jobs and tells what they cost. What the jobs are is not
// known here.
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A process that takes jobs. */
export interface Worker {
  readonly pid: number
  /** Gives it a job and waits for what it sends back. Rejects where the job failed or the process ended. */
  readonly run: <A>(name: string, input?: unknown) => Promise<A>
  /** Ends it and waits until it is gone. */
  readonly stop: () => Promise<void>
}

/** What a process is started with. */
export interface Options {
  readonly args?: ReadonlyArray<string>
  /** For Node itself, before the file. */
  readonly flags?: ReadonlyArray<string>
}

let profiling: { readonly contender: string; readonly folder: string } | undefined

/** Records a CPU profile of each process of that contender that is started from here on. Returns the folder. */
export const profiled = (contender: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
  profiling = { contender, folder }
  return folder
}

/** Starts a file of this package in a process of its own; it may collect garbage by hand. */
export const start = async (file: string, options: Options = {}): Promise<Worker> => {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { args = [], flags = [] } = options
  const profile =
    profiling !== undefined && args.includes(profiling.contender)
      ? ["--cpu-prof", "--cpu-prof-interval=200", `--cpu-prof-dir=${profiling.folder}`]
      : []
  const child = spawn(process.execPath, ["--expose-gc", ...profile, ...flags, path, ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const gone = new Promise<void>((resolve) => {
    child.on("exit", () => resolve())
    child.on("error", () => resolve())
  })
  const waiting = new Map<number, Waiting>()
  let ended: Error | undefined
  let next = 1
  const ready = new Promise<void>((resolve, reject) => {
    waiting.set(0, { resolve: () => resolve(), reject })
  })
  child.on("message", (message: Reply) => {
    const id = "ready" in message ? 0 : message.id
    const one = waiting.get(id)
    waiting.delete(id)
    if ("problem" in message) one?.reject(new Error(`${file}: ${message.problem}`))
    else one?.resolve("value" in message ? message.value : undefined)
  })
  void gone.then(() => {
    ended = new Error(`${file} ended with ${child.exitCode ?? child.signalCode}`)
    for (const one of waiting.values()) one.reject(ended)
    waiting.clear()
  })
  await ready
  return {
    pid: child.pid ?? 0,
    run: <A>(name: string, input?: unknown) =>
      new Promise<A>((resolve, reject) => {
        if (ended !== undefined) return reject(ended)
        const id = next++
        // The caller names what the job that it asks for sends back.
        waiting.set(id, { resolve: (value) => resolve(value as A), reject })
        child.send({ id, name, input })
      }),
    stop: () => stop(child, gone)
  }
}

const stop = async (child: ChildProcess, gone: Promise<void>): Promise<void> => {
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill("SIGKILL"), 2000)
  await gone
  clearTimeout(timer)
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
}

type Reply =
  | { readonly ready: true }
  | { readonly id: number; readonly value?: unknown }
  | { readonly id: number; readonly problem: string }
