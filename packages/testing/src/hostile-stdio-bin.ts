// The process of a hostile stdio peer. Arguments: its manner, and a folder for `pids` if somebody wants them.
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { agreement, type Manner, mannerOf, pours } from "./hostileBytes.ts"

const manner = mannerOf(process.argv[2])
const folder = process.argv[3]

const note = (pid: number | undefined): void => {
  if (folder !== undefined) appendFileSync(join(folder, "pids"), `${pid}\n`)
}

/** Writes for ever, as fast as the other side takes it. */
const pour = (stream: NodeJS.WriteStream, text: string): void => {
  stream.write(text, () => setImmediate(pour, stream, text))
}

const hear = (manner: Manner, line: string): void => {
  const message: unknown = JSON.parse(line)
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : undefined
  if (id === undefined) return
  switch (manner) {
    case "floodsStderr":
    case "ignoresSignals":
      process.stdout.write(agreement(id))
      return
    case "writesBadBytes":
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a, 0x00, 0x0a]))
      process.stdout.write(agreement(id))
      return
    case "leavesAChild": {
      // The child holds the pipe, so that its end does not show when this process ends.
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
        stdio: ["ignore", "inherit", "inherit"]
      })
      note(child.pid)
      child.on("spawn", () => process.exit(5))
      return
    }
    default:
      return
  }
}

if (manner === undefined) {
  process.stderr.write("which manner?\n")
  process.exit(2)
}
note(process.pid)
process.stdout.on("error", () => process.exit(0))
process.stderr.on("error", () => undefined)
const flood = pours[manner]
if (flood !== undefined) pour(manner === "floodsStderr" ? process.stderr : process.stdout, flood)
if (manner === "neverReads" || manner === "ignoresSignals") setInterval(() => undefined, 1000)
if (manner === "ignoresSignals")
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined)
if (manner !== "neverReads") {
  let rest = ""
  process.stdin.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) hear(manner, line)
  })
  if (manner !== "ignoresSignals") process.stdin.on("end", () => process.exit(0))
}
