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

export const make = (): Incoming => {
  // Most connections hear nothing, and nobody listens to them.
  let made: Queue.Queue<Notification, Cause.Done> | undefined
  let ended = false
  // What was offered since the unread were weighed: never less than what they weigh.
  let weight = 0

  const queue = (): Queue.Queue<Notification, Cause.Done> => {
    if (made !== undefined) return made
    made = Effect.runSync(Queue.sliding<Notification, Cause.Done>(mostKept))
    if (ended) Queue.endUnsafe(made)
    return made
  }

  // Keeps the newest that weigh half of what is allowed, so that it is long until the next time.
  const lighten = (queue: Queue.Queue<Notification, Cause.Done>): void => {
    const unread: Array<Notification> = []
    for (let exit = Queue.takeUnsafe(queue); exit !== undefined && Exit.isSuccess(exit); exit = Queue.takeUnsafe(queue))
      unread.push(exit.value)
    weight = 0
    let first = unread.length
    while (first > 0 && weight <= mostWeight / 2) weight += weightOf(unread[(first -= 1)])
    for (const notification of unread.slice(first)) Queue.offerUnsafe(queue, notification)
  }

  return {
    get queue() {
      return queue()
    },
    offer: (notification) => {
      weight += weightOf(notification)
      Queue.offerUnsafe(queue(), notification)
      if (weight > mostWeight) lighten(queue())
    },
    end: () => {
      ended = true
      if (made !== undefined) Queue.endUnsafe(made)
    }
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
