// The other end of a server under test: one message goes out, what answers it comes back, over HTTP or on a pipe. How
// bytes travel is HttpSender's and StdioSender's business.
import { HeaderName } from "@parley/core/Envelope"
import * as HttpSender from "@parley/testing/HttpSender"
import type { Target } from "@parley/testing/Scripted"
import { wireLine } from "@parley/testing/Scripted"
import type { Answer } from "@parley/testing/ServerCheck"
import * as StdioSender from "@parley/testing/StdioSender"
import type { Said } from "@parley/vectors/data/ServerConversations"

export type { Said }

/** A connection to a server under test. */
export interface Wire {
  /**
   * Sends a message and waits for what answers it. `due` says what: with `nothing` a pipe is not waited for, as what came
   * all the same shows at the end.
   */
  readonly say: (said: Said, due: "answer" | "error" | "nothing") => Promise<Heard>
  /** Ends it. What came on a pipe and answers nothing, and whether the server ended by itself. */
  readonly close: () => Promise<{ readonly left: ReadonlyArray<string>; readonly ended: string | undefined }>
  /** What went over it, line by line. */
  readonly wire: ReadonlyArray<string>
}

/** An answer, nothing in time, or a connection that broke. */
export type Heard =
  | { readonly _tag: "Answered"; readonly answer: Answer }
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Broken"; readonly problem: string }

/**
 * Opens a connection: over HTTP to a server that is there already, on a pipe to a new process. An answer is waited for
 * `waitMillis`, and on a pipe five times as long for the one that shows whether another still comes. The process does not
 * outlive an abort of the signal.
 */
export const open = (target: Target, waitMillis: number, signal: AbortSignal): Wire => {
  const start = Date.now()
  const wire: Array<string> = []
  const log = (who: ">" | "<" | "*", text: string) => wire.push(wireLine(Date.now() - start, who, text))
  return "url" in target ? overHttp(target.url, waitMillis, wire, log) : onPipe(target, waitMillis, wire, log, signal)
}

type Log = (who: ">" | "<" | "*", text: string) => void

const overHttp = (url: string, waitMillis: number, wire: ReadonlyArray<string>, log: Log): Wire => {
  let session: string | undefined
  return {
    wire,
    say: async ({ headers, method, text }) => {
      const mine = Object.entries(headers).flatMap(([name, value]): ReadonlyArray<readonly [string, typeof value]> => {
        // The conversation's own names for where the server is and for the session that it issued.
        if (name === "host" && value === "localhost:3000") return []
        if (name === HeaderName.SessionId && value === "session-1")
          return session === undefined ? [] : [[name, session]]
        return [[name, value]]
      })
      const message = {
        httpMethod: method,
        headers: Object.fromEntries(mine),
        ...(text === undefined ? {} : { raw: text })
      }
      log(">", `${method} ${JSON.stringify(message.headers)} ${text ?? ""}`)
      try {
        const answer = await HttpSender.send(url, message, waitMillis)
        if (answer === undefined) {
          log("*", `nothing within ${waitMillis} ms`)
          return { _tag: "Nothing" }
        }
        session ??= answer.headers[HeaderName.SessionId]
        log("<", `${answer.status} ${JSON.stringify(answer.headers)} ${answer.text}`)
        return { _tag: "Answered", answer }
      } catch (cause) {
        const problem = cause instanceof Error ? cause.message : String(cause)
        log("*", problem)
        return { _tag: "Broken", problem: "the connection broke" }
      }
    },
    close: () => Promise.resolve({ left: [], ended: undefined })
  }
}

const onPipe = (
  target: Extract<Target, { readonly command: string }>,
  waitMillis: number,
  wire: ReadonlyArray<string>,
  log: Log,
  signal: AbortSignal
): Wire => {
  const pipe = StdioSender.start(target)
  signal.addEventListener("abort", pipe.kill)
  // Whoever left one of them unanswered is not asked again.
  let deaf = false
  const fenceMillis = fences * waitMillis
  let owed: "answer" | "error" | "nothing" = "answer"
  // Whether something is not answered shows when what was asked after it is: how long a busy machine takes says nothing.
  const fence = async (): Promise<void> => {
    if (deaf || pipe.ended() !== undefined) return
    log(">", fenceLine)
    pipe.write({ line: fenceLine })
    const answer = await pipe.answerTo({ line: fenceLine }, "any", fenceMillis)
    deaf = answer === undefined
    log(answer === undefined ? "*" : "<", answer?.text ?? `nothing within ${fenceMillis} ms`)
  }
  return {
    wire,
    say: async ({ text = "" }, due) => {
      log(">", text)
      pipe.write({ line: text })
      owed = due
      if (due === "nothing") return { _tag: "Nothing" }
      const wanted = due === "error" ? "error" : "any"
      let answer = await pipe.answerTo({ line: text }, wanted, waitMillis)
      if (answer === undefined) {
        await fence()
        answer = await pipe.answerTo({ line: text }, wanted, quietMillis)
      }
      log(answer === undefined ? "*" : "<", answer?.text ?? pipe.ended() ?? "no answer")
      return answer === undefined ? { _tag: "Nothing" } : { _tag: "Answered", answer }
    },
    close: async () => {
      if (owed === "nothing") await fence()
      // What a server has still to say to the last message, it says soon.
      await new Promise((resolve) => setTimeout(resolve, quietMillis))
      const ended = pipe.ended()
      await pipe.close()
      signal.removeEventListener("abort", pipe.kill)
      const left = pipe.left().map(({ text }) => text)
      for (const text of left) log("<", text)
      if (pipe.stderr() !== "") log("*", `standard error: ${pipe.stderr().slice(-400)}`)
      return { left, ended }
    }
  }
}

const quietMillis = 100
const fences = 5
// Every server has an answer to a request, be it a refusal.
const fenceLine = '{"jsonrpc":"2.0","id":"parley-fence","method":"ping"}'
