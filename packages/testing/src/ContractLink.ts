// The transport contract's peer over the in-memory link: what the contract asks of any carrier, without one.
import type { Post } from "@parley/core/client/Outgoing"
import type { Medium } from "@parley/core/Medium"
import { isFailure, isRequest, isSuccess } from "@parley/core/Message"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Count, Factory, Flood, Received } from "./ContractPeer.ts"
import { dammedMillis, flooding, makeCount } from "./ContractPeer.ts"
import * as Link from "./Link.ts"

/** Returns the factory for an in-memory link that behaves as the medium says. */
export const linkPeer = (medium: Medium): Factory =>
  Effect.gen(function* () {
    const received = yield* Queue.unbounded<Received>()
    const open = makeCount()
    const transport = Link.make({
      medium,
      onSend: (outgoing, emit) =>
        outgoing._tag === "Post" ? exchange(medium, outgoing, emit, open, received) : Effect.void
    })
    return { transport, received, idle: open.isZero }
  })

const exchange = (
  medium: Medium,
  outgoing: Post,
  emit: Link.Emit,
  open: Count,
  received: Queue.Queue<Received>
): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      open.add(1)
      return { answered: Deferred.makeUnsafe<void>(), gone: Deferred.makeUnsafe<void>() }
    }),
    ({ answered, gone }) =>
      Effect.gen(function* () {
        yield* Queue.offer(received, {
          message: outgoing.message,
          headers: medium.streams === "shared" ? {} : outgoing.headers,
          say: (message) =>
            Effect.andThen(
              emit(Link.answer(medium, outgoing, message)),
              isSuccess(message) || isFailure(message) ? Deferred.succeed(answered, undefined) : Effect.void
            ),
          noise: medium.streams === "shared" ? emit({ _tag: "Stray", head: "ready", problem: "notJson" }) : Effect.void,
          flood: (limitBytes) => flood(medium, outgoing, emit, limitBytes),
          end: Effect.andThen(
            emit(
              medium.streams === "shared"
                ? { _tag: "Closed", exitCode: 0, stderr: "" }
                : { _tag: "Lost", exchange: outgoing.exchange, cause: "The connection broke." }
            ),
            Deferred.succeed(answered, undefined)
          ),
          gone: Deferred.await(gone)
        })
        if (isRequest(outgoing.message)) yield* Deferred.await(answered)
        else if (medium.streams === "perRequest") yield* emit(Link.unanswered(outgoing))
      }),
    ({ gone }) =>
      Effect.sync(() => {
        open.add(-1)
        Deferred.doneUnsafe(gone, Effect.void)
      })
  )

const flood = (medium: Medium, outgoing: Post, emit: Link.Emit, limitBytes: number): Effect.Effect<Flood> =>
  Effect.gen(function* () {
    let messages = 0
    for (let written = 0; written < limitBytes; written += JSON.stringify(flooding(0)).length) {
      const taken = yield* Effect.timeoutOption(emit(Link.answer(medium, outgoing, flooding(messages))), dammedMillis)
      if (taken._tag === "None") return { messages, isDammed: true }
      messages += 1
    }
    return { messages, isDammed: false }
  })
