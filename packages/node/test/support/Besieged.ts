// A server in a process of its own that a test attacks: it is asked how it is over a channel that no attack can reach, and
// a good client shows that it still serves.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Caller from "./Caller.ts"

export interface Usage {
  /** What is in use after a collection, in bytes. */
  readonly heap: number
  readonly rss: number
  readonly connections: number
  /** Streams that somebody listens on. */
  readonly doors: number
  /** What hangs on the prototypes that nobody may write to. */
  readonly pollution: ReadonlyArray<string>
}

export interface Besieged {
  readonly url: string
  readonly usage: Effect.Effect<Usage>
  /** Waits until the server is so. */
  readonly until: (holds: (usage: Usage) => boolean) => Effect.Effect<Usage>
  /** A client of each era opens, lists and calls a tool. Fails the test if it is not served. */
  readonly serves: Effect.Effect<void>
}

export const start = (
  settings: { readonly options?: object; readonly changes?: object; readonly serve?: object } = {}
): Effect.Effect<Besieged, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fork(at("./http-server-bin.ts"), [JSON.stringify(settings)], {
          execArgv: ["--expose-gc", "--import", at("../../../../scripts/register.mjs")],
          stdio: ["ignore", "inherit", "inherit", "ipc"]
        })
      ),
      (running) =>
        Effect.promise(async () => {
          if (running.exitCode !== null || running.signalCode !== null) return
          const gone = once(running, "exit")
          running.kill("SIGKILL")
          await gone
        })
    )
    const said = Effect.callback<any>((resume) => {
      const ended = (): void => resume(Effect.die(new Error("the server has ended")))
      child.once("message", (message) => {
        child.off("exit", ended)
        resume(Effect.succeed(message))
      })
      child.once("exit", ended)
    })
    const { url }: { readonly url: string } = yield* said
    const usage: Effect.Effect<Usage> = Effect.suspend(() => {
      child.send("usage")
      return said
    })
    const until = (holds: (usage: Usage) => boolean): Effect.Effect<Usage> =>
      Effect.flatMap(usage, (now) => (holds(now) ? Effect.succeed(now) : until(holds)))
    return { url, usage, until, serves: serves(url) }
  })

const serves = (url: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const call = { name: "plain_tool", arguments: { good: true } }
    const session = yield* Caller.openSession(url)
    const legacy = yield* Caller.send(url, Caller.legacy(1, "tools/call", call), { session })
    const modern = yield* Caller.send(url, Caller.stamped(2, "tools/call", call))
    const ended = yield* Caller.send(url, undefined, { method: "DELETE", session })
    const statuses = [legacy.status, modern.status, ended.status].join(" ")
    const texts = [legacy, modern].map(({ message }) => message.result?.content?.[0]?.text).join(" ")
    if (statuses !== "200 200 204" || texts !== '{"good":true} {"good":true}') {
      return yield* Effect.die(new Error(`a good client got ${statuses} and ${texts}`))
    }
  })

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
