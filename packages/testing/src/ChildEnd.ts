// How a child process of a test is ended: by its input first, by force in the end. What it says is its owner's business.
import type { ChildProcess } from "node:child_process"

/** Closes a process's input, and kills it where that does not end it within 3 s. */
export const end = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve()
    const timer = setTimeout(() => child.kill("SIGKILL"), 3_000)
    child.on("close", () => {
      clearTimeout(timer)
      resolve()
    })
    child.stdin?.on("error", () => undefined)
    child.stdin?.end()
  })
