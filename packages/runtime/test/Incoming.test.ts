import { describe, expect, it } from "@effect/vitest"
import { notification } from "@parley/core/Message"
import * as Incoming from "@parley/runtime/Incoming"
import { Effect, Exit, Fiber, Queue } from "effect"

const mebi = "x".repeat(1024 * 1024)
const large = (index: number) => notification("n", { index, data: [mebi, { more: mebi }] })
const indexOf = ({ params }: { readonly params?: { readonly [key: string]: unknown } }) => params?.["index"]

describe("Incoming", () => {
  it.effect("keeps at most 1,024, the newest", () =>
    Effect.gen(function* () {
      const incoming = Incoming.make()
      for (let index = 0; index < 3000; index++) incoming.offer(notification("n", { index }))
      const kept = yield* Queue.clear(incoming.queue)
      expect(kept.map(indexOf)).toEqual(Array.from({ length: 1024 }, (_, index) => index + 3000 - 1024))
    })
  )

  it.effect("keeps no more than one message may hold, the newest, in order", () =>
    Effect.gen(function* () {
      const incoming = Incoming.make()
      for (let index = 0; index < 500; index++) {
        incoming.offer(large(index))
        expect(incoming.queue.messages.length).toBeLessThanOrEqual(8)
      }
      const kept = yield* Queue.clear(incoming.queue)
      expect(kept.length).toBeGreaterThanOrEqual(4)
      expect(kept.map(indexOf)).toEqual(kept.map((_, at) => 500 - kept.length + at))
    })
  )

  it.effect("loses nothing to a reader who keeps up, however much passes through", () =>
    Effect.gen(function* () {
      const incoming = Incoming.make()
      const read: Array<unknown> = []
      for (let index = 0; index < 100; index++) {
        incoming.offer(large(index))
        read.push(indexOf(yield* Queue.take(incoming.queue)))
      }
      expect(read).toEqual(Array.from({ length: 100 }, (_, index) => index))
    })
  )

  it.effect("gives a reader what is there before it ends", () =>
    Effect.gen(function* () {
      const incoming = Incoming.make()
      const waiting = yield* Effect.forkChild(Queue.take(incoming.queue))
      yield* Effect.yieldNow
      incoming.offer(notification("one"))
      incoming.offer(notification("two"))
      incoming.end()
      incoming.offer(notification("late"))
      expect(yield* Fiber.join(waiting)).toEqual(notification("one"))
      expect(yield* Queue.take(incoming.queue)).toEqual(notification("two"))
      expect(Exit.isFailure(yield* Effect.exit(Queue.take(incoming.queue)))).toBe(true)
    })
  )
})
