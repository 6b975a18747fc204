// A client under test: a command that is started for each conversation, or one that takes a job for each. Whoever else can
// connect to a target may be one too.
import * as Launch from "@parley/core/Launch"
import { isRevision } from "@parley/core/Version"
import { end as endChild } from "@parley/testing/ChildEnd"
import * as Driver from "@parley/testing/Driver"
import type { CommandTarget, Target } from "@parley/testing/Scripted"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { oneLine } from "../render/Text.ts"

/** How a client came out of a conversation. Its revision is absent where it cannot tell it; `hung` is who never came out. */
export type End =
  | { readonly outcome: "established"; readonly version?: string }
  | { readonly outcome: "failed"; readonly error: string; readonly hung?: true }

/** A client that ended in none of the conversations that it was put in. */
export class NeverEnds extends Data.TaggedError("NeverEnds")<{ readonly conversations: number }> {}

/** How long a client should wait, in milliseconds: for an answer, and for the answer to a probe on a pipe. */
export interface Patience {
  readonly timeoutMillis: number
  readonly probeMillis: number
}

/** A client under test. */
export interface Client {
  /** As a person reads it. */
  readonly name: string
  /** Whether it waits as long as it is told. One that does not is spared the conversations in which nothing comes. */
  readonly patience: "told" | "its own"
  /** Connects to the target and leaves. Never fails: a refusal is an end. */
  readonly meet: (target: Target, patience: Patience) => Effect.Effect<End>
}

/**
 * Returns a client that is a command, started for each conversation: `{url}` among its words stands for the URL of the
 * peer, `{command}` for the words that start it on a pipe; without either, they are added at the end. It connects and
 * exits with 0; any other end is a failure to connect. PARLEY_TIMEOUT_MILLIS and PARLEY_PROBE_MILLIS tell it how long to wait.
 */
export const ofCommand = (words: CommandTarget): Client => ({
  name: Launch.targetOf(words),
  patience: "its own",
  meet: (target, patience) =>
    Effect.scoped(
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.sync(() => {
            const { args, command } = pointed(words, target)
            return spawn(command, args, {
              stdio: ["pipe", "ignore", "pipe"],
              env: {
                ...process.env,
                PARLEY_TIMEOUT_MILLIS: String(patience.timeoutMillis),
                PARLEY_PROBE_MILLIS: String(patience.probeMillis)
              }
            })
          }),
          (child) => Effect.promise(() => endChild(child))
        ),
        (child) =>
          Effect.callback<End>((resume) => {
            let said = ""
            const fail = (error: string): void => resume(Effect.succeed({ outcome: "failed", error }))
            child.stderr.setEncoding("utf8").on("data", (text: string) => {
              said = (said + text).slice(-2_000)
            })
            child.on("error", (cause) => fail(oneLine(cause.message, 100)))
            child.on("close", (code, signal) => {
              if (code === 0) resume(Effect.succeed({ outcome: "established" }))
              else fail(signal === null ? `exit code ${code}` : signal)
            })
          })
      )
    ).pipe(
      Effect.timeoutOrElse({
        duration: 3 * patience.timeoutMillis + patience.probeMillis + 5_000,
        orElse: () => Effect.succeed<End>({ outcome: "failed", error: "it did not end", hung: true })
      })
    )
})

/**
 * Starts a client that takes jobs: a line of JSON each on its standard input, `{ id, mode, url | command, timeout, probe?,
 * calls }` with times in seconds; it answers each with `{ id, outcome: "established", version }` or
 * `{ id, outcome: "failed", error }` on its standard output. It ends with the scope.
 */
export const ofJobs = (words: CommandTarget, mode: string): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.map(Driver.start(words), (driver) => ({
    name: `${Launch.targetOf(words)}, mode ${mode}`,
    patience: "told",
    meet: (target, { probeMillis, timeoutMillis }) =>
      Effect.map(driver.ask({ mode, target, timeoutMillis, probeMillis, afterwards: "leave" }), (end): End =>
        end.outcome === "failed"
          ? { outcome: "failed", error: oneLine(end.error, 100) }
          : { outcome: "established", ...(isRevision(end.version) ? { version: end.version } : {}) }
      )
  }))

/** Returns the media that a command can be pointed at: those that its words name, else both. */
export const mediaOf = ({ args, command }: CommandTarget): ReadonlyArray<"http" | "stdio"> => {
  const words = [command, ...args]
  const http = words.some((word) => word.includes("{url}"))
  const stdio = words.includes("{command}")
  if (http && !stdio) return ["http"]
  return stdio && !http ? ["stdio"] : ["http", "stdio"]
}

const pointed = (words: CommandTarget, target: Target): CommandTarget => {
  const place = "url" in target ? [target.url] : [target.command, ...target.args]
  let found = false
  const args = words.args.flatMap((word) => {
    if ("url" in target && word.includes("{url}")) {
      found = true
      return [word.replaceAll("{url}", target.url)]
    }
    if (word !== "{command}" || "url" in target) return [word]
    found = true
    return place
  })
  return { command: words.command, args: found ? args : [...args, ...place] }
}
