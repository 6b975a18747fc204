// Starts a server command, writes the lines of a server case and tells which line that comes back answers which.
// Independent of Parley's own carriers, since it judges them.
import { spawn } from "node:child_process"
import type { Send } from "./Case.ts"
import type { CommandTarget } from "./Scripted.ts"
import type { Answer } from "./ServerCheck.ts"

/** The other end of a server's pipe. */
export interface Pipe {
  /** Writes a message as a line of its own. */
  readonly write: (message: Send) => void
  /**
   * Takes the line that answers the message; undefined if none came within `waitMillis`. An error without an id answers
   * where an error is due, or where the message has no usable id; else only if nothing better came in time.
   */
  readonly answerTo: (message: Send, due: "error" | "any", waitMillis: number) => Promise<Answer | undefined>
  /** The answers that nobody took: they answer nothing that was asked. */
  readonly left: () => ReadonlyArray<Answer>
  /** How the process ended, or undefined while it lives. One that wrote more than is kept has been ended, and this says so. */
  readonly ended: () => string | undefined
  /** The end of what it wrote to standard error, at most 4,000 characters. */
  readonly stderr: () => string
  /** Ends its input, and kills it if it lives on for a second. */
  readonly close: () => Promise<void>
  /** Kills it at once. */
  readonly kill: () => void
}

/** How long a line may be, and how much may lie untaken, in characters. */
const most = { line: 8 * 1024 * 1024, untaken: 32 * 1024 * 1024 }

export const start = (target: CommandTarget): Pipe => {
  const child = spawn(target.command, target.args, { stdio: ["pipe", "pipe", "pipe"] })
  const lines: Array<Answer> = []
  const waiting = new Set<() => void>()
  let rest = ""
  let untaken = 0
  let stderr = ""
  let end: string | undefined
  const wake = () => {
    for (const check of waiting) check()
  }
  const tooMuch = (what: string) => {
    if (end !== undefined) return
    end = `ended by us, as it wrote ${what}`
    rest = ""
    child.kill("SIGKILL")
    wake()
  }
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (end !== undefined) return
    const parts = (rest + chunk).split("\n")
    rest = parts.pop() ?? ""
    for (const text of parts) {
      const message = parse(text)
      // What the server says by itself is no answer.
      if (text.trim() !== "" && !isOwnWord(message)) {
        lines.push({ headers: {}, text, ...(message === undefined ? undefined : { message }) })
        untaken += text.length
      }
    }
    if (rest.length > most.line) return tooMuch(`a line of more than ${most.line} characters`)
    if (untaken > most.untaken) return tooMuch(`more than ${most.untaken} characters that answer nothing`)
    wake()
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = (stderr + chunk).slice(-4000)
  })
  const closed = new Promise<void>((resolve) => {
    child.on("error", (cause) => {
      end = `cannot be started: ${cause.message}`
      wake()
      resolve()
    })
    child.on("close", (code, signal) => {
      end ??= `ended with ${signal ?? `code ${code}`}`
      wake()
      resolve()
    })
  })
  // A server that is gone shows in `ended`.
  child.stdin.on("error", () => undefined)

  const take = (ids: ReadonlyArray<unknown>, unaddressed: boolean): Answer | undefined => {
    const exact = lines.findIndex((line) => members(line.message).some((item) => ids.includes(item["id"])))
    const index = exact >= 0 || !unaddressed ? exact : lines.findIndex(isUnaddressed)
    const taken = index < 0 ? undefined : lines.splice(index, 1)[0]
    untaken -= taken?.text.length ?? 0
    return taken
  }

  return {
    write: (message) => {
      child.stdin.write(bytesOf(message))
      child.stdin.write("\n")
    },
    answerTo: (message, due, waitMillis) =>
      new Promise((resolve) => {
        const ids = idsOf(message)
        const finish = (answer: Answer | undefined) => {
          clearTimeout(timer)
          waiting.delete(check)
          resolve(answer)
        }
        const check = () => {
          const answer = take(ids, due === "error" || ids.length !== 1)
          if (answer !== undefined || end !== undefined) finish(answer)
        }
        const timer = setTimeout(() => finish(take(ids, true)), waitMillis)
        waiting.add(check)
        check()
      }),
    left: () => lines,
    ended: () => end,
    stderr: () => stderr,
    close: async () => {
      child.stdin.end()
      const timer = setTimeout(() => child.kill("SIGKILL"), 1000)
      await closed
      clearTimeout(timer)
    },
    kill: () => void child.kill("SIGKILL")
  }
}

const bytesOf = (message: Send): Buffer =>
  message.lineBase64 === undefined
    ? Buffer.from(message.line ?? message.raw ?? JSON.stringify(message.body))
    : Buffer.from(message.lineBase64, "base64")

const idsOf = (message: Send): ReadonlyArray<unknown> =>
  members(message.body ?? parse(bytesOf(message).toString("utf8"))).flatMap((item) =>
    item["id"] === undefined || item["id"] === null ? [] : [item["id"]]
  )

/** An answer to something that had no readable id. */
const isUnaddressed = ({ message }: Answer): boolean => {
  const [first] = members(message)
  return first === undefined || first["id"] === undefined || first["id"] === null || first["id"] === ""
}

const isOwnWord = (message: unknown): boolean => {
  const all = members(message)
  return all.length > 0 && all.every((item) => "method" in item)
}

const members = (value: unknown): ReadonlyArray<{ readonly [name: string]: unknown }> =>
  (Array.isArray(value) ? value : [value]).filter(isObject)

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
