// How many conversations are held: some at the same time, and once more those that differ. What one is, and how it is
// judged, is ClientRun's and ServerRun's.
import * as Effect from "effect/Effect"
import type { Verdict } from "./Difference.ts"

export interface Pace {
  /** How many conversations are held at the same time. */
  readonly concurrency: number
  /** Told after each conversation. */
  readonly onDone?: () => void
}

/**
 * Holds conversations; the verdicts come in their order. One that differs is held once more, with less beside it, and only
 * that counts: a busy machine is no property of who is tested.
 */
export const holdAll = <A, E>(
  conversations: ReadonlyArray<A>,
  hold: (conversation: A) => Effect.Effect<Verdict, E>,
  { concurrency, onDone }: Pace
): Effect.Effect<ReadonlyArray<Verdict>, E> =>
  Effect.forEach(
    conversations,
    (conversation) =>
      Effect.map(hold(conversation), (verdict) => {
        onDone?.()
        return { conversation, verdict }
      }),
    { concurrency }
  ).pipe(
    Effect.flatMap(
      Effect.forEach(
        ({ conversation, verdict }) =>
          verdict.differences.length === 0 ? Effect.succeed(verdict) : hold(conversation),
        { concurrency: 2 }
      )
    )
  )
