// Runs conversations with a client under test: a scripted peer for each, what the client does with it, and the judgement.
import type { Scripted } from "@parley/testing/Scripted"
import * as ScriptedPeer from "@parley/testing/ScriptedPeer"
import * as Effect from "effect/Effect"
import type { Client, End, Patience } from "./Client.ts"
import { NeverEnds } from "./Client.ts"
import { judge } from "./ClientJudge.ts"
import type { ClientConversation } from "./Data.ts"
import type { Verdict } from "./Difference.ts"
import { holdAll, type Pace } from "./Holding.ts"
import { dueIn, rowsOf, stepOf, waits } from "./Script.ts"

export interface Options extends Pace {
  /** The name of the table that the policy runs. */
  readonly table: string
  /** How long the client is told to wait for an answer, in milliseconds. */
  readonly timeoutMillis: number
}

/**
 * Holds the conversations; the verdicts come in their order. Fails where the client ended in none of the first ones: each
 * that it does not end takes as long as it may.
 */
export const run = (
  conversations: ReadonlyArray<ClientConversation>,
  client: Client,
  options: Options
): Effect.Effect<ReadonlyArray<Verdict>, NeverEnds> =>
  Effect.suspend(() => {
    let hung = 0
    let ended = 0
    const patient: Client = { ...client, meet: (target, patience) => Effect.tap(client.meet(target, patience), count) }
    const count = (end: End): Effect.Effect<void> =>
      Effect.sync(() => {
        if (end.outcome === "failed" && end.hung === true) hung += 1
        else ended += 1
      })
    return holdAll(
      conversations,
      (one) =>
        Effect.tap(hold(one, patient, options), () =>
          ended === 0 && hung >= mostHung ? Effect.fail(new NeverEnds({ conversations: hung })) : Effect.void
        ),
      options
    )
  })

const mostHung = 3

const hold = (
  conversation: ClientConversation,
  client: Client,
  { table, timeoutMillis }: Options
): Effect.Effect<Verdict> =>
  Effect.scoped(
    Effect.gen(function* () {
      const peer = yield* ScriptedPeer.open(conversation.medium === "http" ? "http" : "stdio", rowsOf(conversation))
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
