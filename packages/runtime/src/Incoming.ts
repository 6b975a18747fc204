// What the server says by itself, kept for whoever reads it: so many notifications, so large together, the oldest go
// first. What is a notification, and who reads them, is not decided here.
import type { Notification } from "@parley/core/Message"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"

export interface Incoming {
  readonly queue: Queue.Dequeue<Notification, Cause.Done>
  readonly offer: (notification: Notification) => void
  readonly end: () => void
}

/** How many notifications are kept unread. */
export const mostKept = 1024

/** How large they may be together, in characters and members: what one message may hold. */
export const mostWeight = 16 * 1024 * 1024

export const make = (): Incoming => new Kept()

// Most connections hear nothing, and nobody listens to them: the queue is made when it is needed.
class Kept implements Incoming {
  private made: Queue.Queue<Notification, Cause.Done> | undefined = undefined
  private ended = false
  // What was offered since the unread were weighed: never less than what they weigh.
  private weight = 0

  get queue(): Queue.Queue<Notification, Cause.Done> {
    if (this.made !== undefined) return this.made
    const queue = (this.made = Effect.runSync(Queue.sliding<Notification, Cause.Done>(mostKept)))
    if (this.ended) Queue.endUnsafe(queue)
    return queue
  }

  offer(notification: Notification): void {
    this.weight += weightOf(notification)
    Queue.offerUnsafe(this.queue, notification)
    if (this.weight > mostWeight) this.lighten()
  }

  end(): void {
    this.ended = true
    if (this.made !== undefined) Queue.endUnsafe(this.made)
  }

  // Keeps the newest that weigh half of what is allowed, so that it is long until the next time.
  private lighten(): void {
    const { queue } = this
    const unread: Array<Notification> = []
    for (let exit = Queue.takeUnsafe(queue); exit !== undefined && Exit.isSuccess(exit); exit = Queue.takeUnsafe(queue))
      unread.push(exit.value)
    this.weight = 0
    let first = unread.length
    while (first > 0 && this.weight <= mostWeight / 2) this.weight += weightOf(unread[(first -= 1)])
    for (const notification of unread.slice(first)) Queue.offerUnsafe(queue, notification)
  }
}

// The characters of a JSON value, and some for each of its members.
const weightOf = (value: unknown): number => {
  const rest = [value]
  let weight = 0
  while (rest.length > 0) {
    const one = rest.pop()
    weight += 16
    if (typeof one === "string") weight += one.length
    else if (Array.isArray(one)) for (const member of one) rest.push(member)
    else if (typeof one === "object" && one !== null) {
      for (const [key, member] of Object.entries(one)) {
        weight += key.length
        rest.push(member)
      }
    }
  }
  return weight
}
