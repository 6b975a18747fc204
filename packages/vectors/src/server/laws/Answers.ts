// Laws about answers and endings: every request exactly one, refusals change nothing, waits have an end.
import { isId, isObject, kindOf } from "@parley/core/Message"
import type { Id } from "@parley/core/Message"
import type { Event } from "@parley/core/server/Event"
import type { ServerStep } from "../Walk.ts"
import type { ServerLaw } from "./ServerLaw.ts"
import { Broken, onEveryPath, onEveryStep } from "./ServerLaw.ts"

/** Section 9: endings are final. */
export const closedIsFinal: ServerLaw = onEveryStep(
  "closed-is-final",
  "Closed is final: it accepts no event, and returns no command and no trace.",
  ({ state }, { machine, subject: { compiled } }) => {
    if (state._tag !== "Closed") return undefined
    for (const event of afterlife) {
      const next = machine.step(compiled, state, event)
      if (next.state !== state) return `Closed moved on ${event._tag}`
      if (next.commands.length > 0 || next.trace !== undefined) return `Closed acted on ${event._tag}`
    }
    return undefined
  }
)

const afterlife: ReadonlyArray<Event> = [
  { _tag: "Received", value: { jsonrpc: "2.0", id: 9, method: "ping" } },
  { _tag: "DeadlinePassed", of: "opening", waitedMillis: 1, unanswered: 0 },
  { _tag: "DeadlinePassed", of: "idle", waitedMillis: 1, unanswered: 0 },
  { _tag: "EndOfInput" },
  { _tag: "Deleted" }
]

/** Section 9: an answered request is answered once. */
export const everyRequestOneAnswer: ServerLaw = onEveryStep(
  "every-request-one-answer",
  "A request with an id gets exactly one answer, under that id: a result, an error, or delivery to the handler. What cannot be read is refused once. A notification and a response get none, but that over HTTP an envelope that is wrong is refused without an id.",
  ({ commands, occurrence: { event } }, { subject: { carrier } }) => {
    const answered = answersIn(commands)
    if (event._tag === "Unreadable") return answered.length === 1 ? undefined : `it is refused ${answered.length} times`
    if (event._tag !== "Received") return answered.length === 0 ? undefined : "it answers nobody"
    const kind = kindOf(event.value)
    if (kind === "Request" || kind === "Invalid") {
      const id = isObject(event.value) && isId(event.value["id"]) ? event.value["id"] : undefined
      return answered.length === 1 && answered[0] === id ? undefined : `it is answered ${answered.length} times`
    }
    if (answered.length === 0) return undefined
    return carrier === "http" && kind === "Notification" && answered.length === 1 && answered[0] === undefined
      ? undefined
      : "what is no request is answered"
  }
)

const answersIn = (commands: ServerStep["commands"]): ReadonlyArray<Id | undefined> =>
  commands.flatMap((command) =>
    command._tag === "Reply"
      ? [command.id]
      : command._tag === "Refuse"
        ? [command.refusal.id]
        : command._tag === "Deliver"
          ? [command.request.id]
          : []
  )

/** Section 6: a refusal stays. */
export const refusalsChangeNothing: ServerLaw = onEveryStep(
  "refusals-change-nothing",
  "A refusal changes nothing: the state is as it was, nothing else is done, and the next message is read.",
  ({ commands, from, state }) => {
    if (!commands.some(({ _tag }) => _tag === "Refuse")) return undefined
    if (state !== from.state) return `it leads to ${state._tag}`
    return commands.length === 1 ? undefined : "it does more than refuse"
  }
)

/** Section 9: every deadline started is cleared or passed. */
export const openingDeadlineEnds: ServerLaw = onEveryPath(
  "opening-deadline-ends",
  "The opening deadline runs from the beginning until the first admitted request of either era, the end of the handshake, its passing or the close; it is cleared only while it runs.",
  {
    start: ({ opening }) =>
      opening.commands.some(({ _tag }) => _tag === "StartDeadline") ? "running" : new Broken("it is not started"),
    see: (memory: string, { commands, evidence, occurrence: { event }, state }) => {
      let deadline = memory
      if (event._tag === "DeadlinePassed" && event.of === "opening") deadline = "over"
      const admits = evidence._tag === "ModernRequest" || evidence._tag === "LegacyRequest"
      for (const command of commands) {
        if (command._tag === "StartDeadline") deadline = "running"
        if (command._tag !== "ClearDeadline") continue
        if (deadline !== "running") return new Broken("it is cleared and was not running")
        deadline = "cleared"
      }
      if (state._tag === "Closed")
        return commands.some(({ _tag }) => _tag === "Close") ? "closed" : new Broken("no close")
      if (state._tag === "Serving" && deadline === "running") return new Broken("it runs on behind the handshake")
      const admitted = admits && commands.some(({ _tag }) => _tag === "Deliver" || _tag === "Reply")
      return admitted && deadline === "running" ? new Broken("it runs on behind an admitted request") : deadline
    }
  }
)

/** Section 6: what closes, and why. */
export const closesForAReason: ServerLaw = onEveryStep(
  "closes-for-a-reason",
  "A conversation closes at the end of its input, when it is deleted, when nothing was admitted within the opening deadline, or when it was idle and no answer is outstanding; no message closes it.",
  ({ commands, from, occurrence: { event }, state }) => {
    const closes = commands.filter(({ _tag }) => _tag === "Close").length
    if (state._tag !== "Closed") return closes === 0 ? undefined : "it closes and stays open"
    if (closes !== 1) return `it is closed ${closes} times`
    if (event._tag === "EndOfInput") return state.why === "ended" ? undefined : `why is ${state.why}`
    if (event._tag === "Deleted") return state.why === "deleted" ? undefined : `why is ${state.why}`
    if (event._tag !== "DeadlinePassed") return `${event._tag} closes it`
    const admitted = from.state._tag === "Serving" || (from.state._tag !== "Closed" && from.state.admitted)
    if (!admitted) return state.why === "timeout" ? undefined : `why is ${state.why}`
    return event.of === "idle" && event.unanswered === 0 && state.why === "idle"
      ? undefined
      : `it is closed as ${state.why} by ${event.of} with ${event.unanswered} unanswered`
  }
)

/** Section 6: admitted on the terms that were agreed. */
export const admittedOnItsTerms: ServerLaw = onEveryStep(
  "admitted-on-its-terms",
  "A legacy request is admitted at the revision of its handshake, a modern one at the revision of its envelope, which is served; where a profile does not interleave, a conversation that was opened by a handshake admits no modern request.",
  ({ commands, from }, { subject: { compiled } }) => {
    for (const command of commands) {
      if (command._tag !== "Deliver") continue
      const { era, version } = command.admitted
      if (era === "modern") {
        if (!compiled.modernVersions.has(version)) return `it is admitted at ${version}, which is not served`
        if (from.state._tag !== "AwaitingOpening" && compiled.profile.interleave === "refuse")
          return "it is interleaved"
      } else if (!("opening" in from.state) || from.state.opening.version !== version) {
        return `it is admitted at ${version}, and that was not agreed`
      }
    }
    return undefined
  }
)
