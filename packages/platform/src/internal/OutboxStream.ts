// An outbox as a stream of Effect.
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Outbox } from "./Outbox.ts"

/** Returns what is written to an outbox as a stream. Run it once. */
export const streamOf = (outbox: Outbox): Stream.Stream<Uint8Array> =>
  Stream.fromPull(
    Effect.succeed(
      Effect.callback<NonEmptyReadonlyArray<Uint8Array>, Cause.Done>((resume) => {
        outbox.take((bytes) => resume(bytes === undefined ? Cause.done() : Effect.succeed([bytes])))
        return Effect.sync(() => outbox.leave())
      })
    )
  )
