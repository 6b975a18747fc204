// What the figures were measured on, as far as it can be told from here: processor, memory, system, Node, and how busy it was.
import { readFileSync } from "node:fs"
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os"

/** A machine at a moment. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGib: number
  readonly system: string
  readonly node: string
  /** How many processes wanted to run, averaged over the last minute. */
  readonly load: number
}

/** Returns this machine as it is now. */
export const machine = (): Machine => ({
  processor: cpus()[0]?.model.trim() || "unknown",
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.version,
  load: loadavg()[0] ?? Number.NaN
})

/** Returns the versions of what is measured, as they are installed. */
export const versions = (): ReadonlyArray<readonly [name: string, version: string]> =>
  installed.map((name) => [name, versionOf(name)])

const installed = [
  "effect",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/node",
  "@modelcontextprotocol/sdk"
]

const versionOf = (name: string): string => {
  try {
    const path = new URL(`../../../node_modules/${name}/package.json`, import.meta.url)
    const read: unknown = JSON.parse(readFileSync(path, "utf8"))
    return typeof read === "object" && read !== null && "version" in read ? String(read.version) : "unknown"
  } catch {
    return "unknown"
  }
}
