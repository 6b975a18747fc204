// Runs conversations with a client under test: a scripted peer for each, what the client does with it, and the judgement.
import type { Scripted } from "@parley/testing/Scripted"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"
import * as ScriptedStdio from "@parley/testing/ScriptedStdio"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Client, End, Patience } from "./Client.ts"
import { judge } from "./ClientJudge.ts"
import type { ClientConversation } from "./Data.ts"
import type { Verdict } from "./Difference.ts"
import { dueIn, rowsOf, stepOf, waits } from "./Script.ts"

export interface Options {
  /** The name of the table that the policy runs. */
  readonly table: string
  /** How long the client is told to wait for an answer, in milliseconds. */
  readonly timeoutMillis: number
  /** How many conversations are held at the same time. */
  readonly concurrency: number
  /** Told after each conversation. */
  readonly onDone?: () => void
}

/**
 * Holds the conversations; the verdicts come in their order. One that differs is held once more, with less beside it: a busy
 * machine is no property of a client.
 */
export const run = (
  conversations: ReadonlyArray<ClientConversation>,
  client: Client,
  options: Options
): Effect.Effect<ReadonlyArray<Verdict>> =>
  Effect.gen(function* () {
    const once = yield* Effect.forEach(
      conversations,
      (one) => Effect.tap(hold(one, client, options), () => Effect.sync(() => options.onDone?.())),
      { concurrency: options.concurrency }
    )
    return yield* Effect.forEach(
      once,
      (verdict, index) => {
        const conversation = conversations[index]
        return verdict.differences.length === 0 || conversation === undefined
          ? Effect.succeed(verdict)
          : hold(conversation, client, options)
      },
      { concurrency: 2 }
    )
  })

const hold = (
  conversation: ClientConversation,
  client: Client,
  { table, timeoutMillis }: Options
): Effect.Effect<Verdict> =>
  Effect.scoped(
    Effect.gen(function* () {
      const rows = rowsOf(conversation)
      const opened: Effect.Effect<Scripted, never, Scope.Scope> =
        conversation.medium === "http" ? ScriptedHttp.open(rows) : ScriptedStdio.open(rows)
      const peer = yield* opened
      const patience: Patience = waits(conversation)
        ? { timeoutMillis: silentMillis, probeMillis: silentMillis }
        : { timeoutMillis, probeMillis: timeoutMillis }
      const end: End = yield* client.meet(peer.target, patience)
      yield* arrived(peer, dueIn(conversation).length)
      const { received, wire } = yield* peer.record
      return { id: conversation.id, differences: judge(conversation, table, received, end), wire }
    })
  )

// A client that is told to wait so long has had the time to start what it waits for.
const silentMillis = 3_000

/** Waits a little for what the client has said already and the peer has not yet read. */
const arrived = (peer: Scripted, due: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let waited = 0; waited < 300; waited += 20) {
      const { received } = yield* peer.record
      if (received.filter(({ body }) => stepOf(body) !== undefined).length >= due) return
      yield* Effect.sleep(20)
    }
  })
