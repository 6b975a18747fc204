// Laws about what a run may spend: exchanges, corrections, counters, holds, reopens, and time. They count what is sent,
// never what the machine's own ledger says.
import { isModern } from "@parley/core/Version"
import type { Command } from "@parley/core/client/Command"
import type { Step, Walk } from "../Walk.ts"
import { Broken, onEveryPath, onEveryStep, onOpening } from "./ClientLaw.ts"
import type { ClientLaw } from "./ClientLaw.ts"

type Counted = (step: Step, before: Before) => number
interface Before {
  /** Whether a `server/discover` was sent before this step. */
  readonly discovered: boolean
}

// The memory is the count, plus a mark for "a server/discover was sent".
const atMost = (
  id: string,
  sentence: string,
  limit: number,
  first: (walk: Walk) => number,
  counted: Counted
): ClientLaw =>
  onEveryPath(id, sentence, {
    start: (walk) => memoryOf(first(walk), sendsDiscover(walk.opening.commands)),
    see: (memory: number, step) => {
      const discovered = memory >= mark
      const count = (memory % mark) + counted(step, { discovered })
      return count > limit
        ? new Broken(`that is number ${count}, and ${limit} is the limit`)
        : memoryOf(count, discovered || sendsDiscover(step.commands))
    }
  })

const mark = 1000
const memoryOf = (count: number, discovered: boolean): number => count + (discovered ? mark : 0)
const isDiscover = (command: Command): boolean => command._tag === "SendDiscover"
const isInitialize = (command: Command): boolean => command._tag === "SendInitialize"
const sendsDiscover = (commands: ReadonlyArray<Command>): boolean => commands.some(isDiscover)
const count = (commands: ReadonlyArray<Command>, is: (command: Command) => boolean): number =>
  commands.filter(is).length

/** Section 9: four exchanges. */
export const fourExchanges: ClientLaw = atMost(
  "four-exchanges",
  "At most four requests are sent in one negotiation.",
  4,
  ({ opening: { commands } }) => count(commands, (command) => isDiscover(command) || isInitialize(command)),
  ({ commands }) => count(commands, (command) => isDiscover(command) || isInitialize(command))
)

/** Section 4, Bounds: two of either method. */
export const twoInitializes: ClientLaw = atMost(
  "two-initializes",
  "At most two initialize requests are sent in one negotiation.",
  2,
  ({ opening }) => count(opening.commands, isInitialize),
  ({ commands }) => count(commands, isInitialize)
)

/** Section 4, Bounds: two of either method. */
export const twoDiscovers: ClientLaw = atMost(
  "two-discovers",
  "At most two server/discover requests are sent in one negotiation.",
  2,
  ({ opening }) => count(opening.commands, isDiscover),
  ({ commands }) => count(commands, isDiscover)
)

/** Section 9: at most one correction. */
export const oneCorrection: ClientLaw = atMost(
  "one-correction",
  "At most one correction: a server/discover sent because of a list, when one was already sent.",
  1,
  () => 0,
  ({ commands, evidence }, { discovered }) =>
    discovered && evidence._tag === "Corrected" && sendsDiscover(commands) ? 1 : 0
)

/** Section 9: at most one counter. */
export const oneCounter: ClientLaw = atMost(
  "one-counter",
  "At most one counter: a listed legacy revision is offered once after an offer was refused.",
  1,
  () => 0,
  ({ commands, state }) => (state._tag === "Countering" && commands.some(isInitialize) ? 1 : 0)
)

/** Section 9: at most one hold. */
export const oneHold: ClientLaw = atMost(
  "one-hold",
  "At most one hold: a handshake that named a modern revision is repeated once.",
  1,
  () => 0,
  ({ commands, state }) => (state._tag === "Holding" && commands.some(isInitialize) ? 1 : 0)
)

/** Section 9: at most one reopen. */
export const oneReopen: ClientLaw = atMost(
  "one-reopen",
  "At most one fresh process is started.",
  1,
  () => 0,
  ({ commands }) => count(commands, (command) => command._tag === "Reopen")
)

/** Section 4, Bounds: the budgets of time. */
export const timeIsBudgeted: ClientLaw = onEveryPath(
  "time-is-budgeted",
  "Each request has a deadline of its own, started with it: the policy's probe time for a probe that opens on a pipe, its exchange time for any other; the whole has one, started first.",
  {
    start: ({ opening: { commands, state }, subject: { medium, policy } }) => {
      if (state._tag === "Failed") return 0
      const first = commands.find((command) => isDiscover(command) || isInitialize(command))
      const { exchangeMillis, negotiationMillis, probeMillis } = policy.budgets
      const isProbe = first?._tag === "SendDiscover" && policy.open === "discover" && medium.silence === "maybeLegacy"
      const expected = isProbe ? Math.min(probeMillis, exchangeMillis) : exchangeMillis
      const whole = commands.some(
        (command) =>
          command._tag === "StartDeadline" && command.of === "negotiation" && command.millis === negotiationMillis
      )
      if (!whole) return new Broken("the whole negotiation has no deadline")
      return deadlineOf(commands, 1) === expected ? 1 : new Broken(`the opening is given ${deadlineOf(commands, 1)} ms`)
    },
    see: (sent: number, { commands }, { subject }) => {
      let number = sent
      for (const command of commands) {
        if (command._tag === "StartDeadline" && command.of === "negotiation") {
          return new Broken("the deadline of the whole is started again")
        }
        if (command._tag !== "SendInitialize" && command._tag !== "SendDiscover") continue
        number += 1
        if (command.exchange !== number) return new Broken(`exchange ${number} is numbered ${command.exchange}`)
        if (deadlineOf(commands, number) !== subject.policy.budgets.exchangeMillis) {
          return new Broken(`exchange ${number} is given ${deadlineOf(commands, number)} ms`)
        }
      }
      return number
    }
  }
)

const deadlineOf = (commands: ReadonlyArray<Command>, of: number): number | undefined =>
  commands.flatMap((command) => (command._tag === "StartDeadline" && command.of === of ? [command.millis] : []))[0]

/** Specification, Initialization: nothing is sent beside an initialize that waits. */
export const oneAtATime: ClientLaw = onEveryStep(
  "one-at-a-time",
  "The next request is sent only when the last was answered, lost or overdue: never on a message out of turn, and at most one at a time.",
  ({ commands, evidence }) => {
    const sent = count(commands, (command) => isDiscover(command) || isInitialize(command))
    if (sent > 1) return `${sent} requests are sent at once`
    return sent === 1 && (evidence._tag === "OutOfTurn" || evidence._tag === "LateAgreed")
      ? `a request is sent on ${evidence._tag}`
      : undefined
  }
)

/** Section 4: an opening follows the policy, and degrades to the other era where its own is missing. */
export const opensAsThePolicySays: ClientLaw = onOpening(
  "opens-as-the-policy-says",
  "The opening is the policy's own method at its newest revision of that era; where it speaks none of that era, the other method.",
  ({ opening: { commands, state }, subject: { policy } }) => {
    if (state._tag === "Failed") return undefined
    const newest = (modern: boolean): string | undefined =>
      policy.versions
        .filter((version) => isModern(version) === modern)
        .toSorted()
        .at(-1)
    const wanted = policy.open === "discover"
    const discovers = newest(wanted) === undefined ? !wanted : wanted
    const expected = `${discovers ? "SendDiscover" : "SendInitialize"} ${newest(discovers)}`
    const sent = commands.flatMap((command) =>
      command._tag === "SendInitialize" || command._tag === "SendDiscover" ? [`${command._tag} ${command.version}`] : []
    )
    return sent.join() === expected ? undefined : `it sends ${sent.join()}, not ${expected}`
  }
)
