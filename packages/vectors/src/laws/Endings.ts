// Laws about endings: that they are final, that every run has one, and that what was begun is finished.
import type { Walk } from "../Walk.ts"
import { cycleIn } from "../Explore.ts"
import { isEnding, pathTo } from "../Walk.ts"
import type { Event } from "@parley/core/client/Event"
import type { Step } from "../Walk.ts"
import { Broken, onEveryPath, onEveryStep, onOpening } from "./ClientLaw.ts"
import type { ClientLaw } from "./ClientLaw.ts"

/** Section 9: endings are final. */
export const endingsAreFinal: ClientLaw = onEveryStep(
  "endings-are-final",
  "Endings are final: an ending accepts no event, and returns no command and no trace.",
  ({ state }, { machine, subject: { medium, policy } }) => {
    if (!isEnding(state)) return undefined
    for (const event of afterlife) {
      const next = machine.step(policy, medium, state, event)
      if (next.state !== state) return `${state._tag} moved on ${event._tag}`
      if (next.commands.length > 0 || next.trace !== undefined) return `${state._tag} acted on ${event._tag}`
    }
    return undefined
  }
)

const afterlife: ReadonlyArray<Event> = [
  { _tag: "Arrived", message: { jsonrpc: "2.0", id: 1, result: {} }, exchange: 1, head: { status: 200 } },
  { _tag: "Arrived", message: { jsonrpc: "2.0", id: "server-1", method: "ping" } },
  { _tag: "Stray", head: "late noise", problem: "notJson" },
  { _tag: "DeadlinePassed", of: "negotiation", waitedMillis: 60_000 },
  { _tag: "DeadlinePassed", of: 1, waitedMillis: 30_000 },
  { _tag: "Closed", exitCode: 0, stderr: "" },
  { _tag: "Lost", cause: "The connection was reset." }
]

/** Section 9: every run ends. The walk is finite, so a run that does not end would pass a state twice. */
export const everyRunEnds: ClientLaw = {
  id: "every-run-ends",
  sentence: "Every run ends: no state is met twice, and every state that awaits has a deadline that ends the run.",
  check: (walk) => {
    const path = cycleIn(walk)
    if (path !== undefined) return { law: everyRunEnds, walk, problem: "the run can go round for ever", path }
    for (const node of walk.nodes) {
      if (isEnding(node.state)) continue
      const ends = walk.leaving[node.index]?.some((step) => isNegotiationDeadline(step) && isEnding(step.state))
      if (ends !== true) {
        const problem = "the deadline of the whole negotiation does not end it"
        return { law: everyRunEnds, walk, problem, path: pathTo(node) }
      }
    }
    return undefined
  }
}

const isNegotiationDeadline = ({ occurrence: { event } }: Step): boolean =>
  event._tag === "DeadlinePassed" && event.of === "negotiation"

/** A policy that cannot begin says so before anything is opened. */
export const forbiddenBeforeAByte: ClientLaw = onOpening(
  "forbidden-before-a-byte",
  "A policy that cannot begin fails with PolicyForbids before a byte is sent; every other opens, and starts its deadlines.",
  ({ opening: { commands, state } }) => {
    if (state._tag === "Settled") return "the opening settles before anything was asked"
    if (state._tag === "Failed") {
      if (state.reason._tag !== "PolicyForbids") return `it fails with ${state.reason._tag}`
      return commands.length === 0 ? undefined : "it fails and asks for something"
    }
    const order = commands.map((command) => command._tag)
    const sends = order.filter((tag) => tag === "SendInitialize" || tag === "SendDiscover")
    return order.indexOf("Open") >= 0 && sends.length === 1 && order.indexOf("Open") < order.length - 1
      ? undefined
      : `it does not open and then send one request: ${order.join(", ")}`
  }
)

/** Section 9: nothing settles on a closed pipe. */
export const nothingOnAClosedPipe: ClientLaw = onEveryPath(
  "nothing-on-a-closed-pipe",
  "Nothing settles on a closed pipe, and nothing is sent into one: a fresh process is opened first.",
  {
    start: () => "open",
    see: (memory: string, step) => {
      const { event } = step.occurrence
      let pipe = memory
      if (event._tag === "Closed" || (event._tag === "Lost" && event.exchange === undefined)) pipe = "closed"
      for (const command of step.commands) {
        if (command._tag === "Reopen") pipe = "open"
        else if (pipe === "closed" && speaks.has(command._tag)) return new Broken(`${command._tag} on a closed pipe`)
      }
      return pipe === "closed" && step.state._tag === "Settled" ? new Broken("it settles on a closed pipe") : pipe
    }
  }
)

const speaks: ReadonlySet<string> = new Set(["SendInitialize", "SendDiscover", "SendInitialized", "Reply"])

/** Section 9: every deadline started is cleared or passed. */
export const deadlinesAreCleared: ClientLaw = onEveryPath(
  "deadlines-are-cleared",
  "Every deadline started is cleared or passed: none runs on behind an ending, and none is started twice.",
  {
    start: ({ opening }) => withDeadlines("", undefined, opening.commands, isEnding(opening.state)),
    see: (running, step) => withDeadlines(running, passedBy(step.occurrence.event), step.commands, isEnding(step.state))
  }
)

const passedBy = (event: Event): string | undefined => (event._tag === "DeadlinePassed" ? String(event.of) : undefined)

const withDeadlines = (
  before: string,
  passed: string | undefined,
  commands: Walk["opening"]["commands"],
  ended: boolean
): string | Broken => {
  const running = new Set(before === "" ? [] : before.split(" "))
  if (passed !== undefined) running.delete(passed)
  for (const command of commands) {
    if (command._tag === "StartDeadline") {
      if (running.has(String(command.of))) return new Broken(`the deadline of ${command.of} is started twice`)
      running.add(String(command.of))
    } else if (command._tag === "ClearDeadline" && !running.delete(String(command.of))) {
      return new Broken(`the deadline of ${command.of} is cleared and was not running`)
    }
  }
  const left = [...running].toSorted().join(" ")
  return ended && left !== "" ? new Broken(`it ends, and the deadline of ${left} runs on`) : left
}
