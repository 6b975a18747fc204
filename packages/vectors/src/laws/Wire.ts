// Laws about what goes out: replies to the server, the end of a handshake, sessions, and the class of a failure.
import { isNotification, isRequest } from "@parley/core/Message"
import type { Command } from "@parley/core/client/Command"
import type { Step } from "../Walk.ts"
import { Broken, onEveryPath, onEveryStep } from "./ClientLaw.ts"
import type { ClientLaw } from "./ClientLaw.ts"

/** Section 9: an answered request is answered once. */
export const answeredOnce: ClientLaw = onEveryStep(
  "answered-once",
  "A request of the server is answered once, a ping with a result and any other with an error, and its notification is kept once, but for the one that passes the bound. Nothing else is replied to or kept.",
  ({ commands, evidence, occurrence: { event } }) => {
    const replies = commands.filter((command) => command._tag === "Reply")
    const kept = commands.filter((command) => command._tag === "Keep")
    const message = event._tag === "Arrived" ? event.message : undefined
    const borne = evidence._tag === "OutOfTurn"
    if (message !== undefined && isRequest(message) && borne) {
      const [reply] = replies
      if (replies.length !== 1 || reply === undefined || kept.length > 0)
        return `it is answered ${replies.length} times`
      if (reply.message.id !== message.id) return "the reply has another id"
      return "result" in reply.message === (message.method === "ping")
        ? undefined
        : "a ping is owed a result, others an error"
    }
    if (message !== undefined && isNotification(message) && borne) {
      return kept.length === 1 && replies.length === 0 ? undefined : `it is kept ${kept.length} times`
    }
    return replies.length + kept.length === 0 ? undefined : "it replies to what is no request"
  }
)

/** Section 4: a handshake is completed, and only a handshake. */
export const handshakesAreCompleted: ClientLaw = onEveryStep(
  "handshakes-are-completed",
  "notifications/initialized is sent once, last, at the revision agreed and in its session, when and only when a handshake settles.",
  ({ commands, state }) => {
    const sent = commands.filter((command) => command._tag === "SendInitialized")
    if (state._tag !== "Settled" || state.method !== "initialize") {
      return sent.length === 0 ? undefined : `it is sent and the state is ${state._tag}`
    }
    const [one] = sent
    if (one === undefined || sent.length > 1) return `it is sent ${sent.length} times`
    if (one.version !== state.version) return `it is sent at ${one.version}, and ${state.version} was agreed`
    if (one.sessionId !== state.sessionId) return "it is sent in another session"
    return commands.at(-1) === one ? undefined : "something follows it"
  }
)

/** Section 4, Hold: sessions are left tidy. */
export const sessionsAreTidy: ClientLaw = onEveryPath(
  "sessions-are-tidy",
  "A session that an initialize result opened is used by the agreement or deleted once, before a handshake is held; nothing else is deleted.",
  {
    start: () => "",
    see: (memory: string, step) => {
      const open = new Set(memory === "" ? [] : memory.split(" "))
      const opened = sessionIn(step)
      if (opened !== undefined) open.add(opened)
      for (const command of step.commands) {
        if (command._tag === "DeleteSession" && !open.delete(command.sessionId)) {
          return new Broken(`${command.sessionId} is deleted and was not open`)
        }
        if (command._tag === "SendInitialize" && step.state._tag === "Holding" && open.size > 0) {
          return new Broken(`a handshake is held while ${[...open].join()} is open`)
        }
      }
      if (step.state._tag === "Settled" || step.state._tag === "Failed") {
        const used = step.state._tag === "Settled" ? step.state.sessionId : undefined
        if (used !== undefined && !open.delete(used)) return new Broken(`it settles in ${used}, which is not open`)
        if (open.size > 0) return new Broken(`it ends and leaves ${[...open].join()} open`)
      }
      return [...open].toSorted().join(" ")
    }
  }
)

const sessionIn = ({ evidence, occurrence: { event } }: Step): string | undefined =>
  event._tag === "Arrived" && opens.has(evidence._tag) && "result" in event.message ? event.head?.sessionId : undefined

const opens: ReadonlySet<string> = new Set(["Agreed", "ModernNamed", "StrangerNamed"])

/** Section 7: trouble speaks for itself, whatever was refused before. */
export const troubleSpeaksForItself: ClientLaw = onEveryStep(
  "trouble-speaks-for-itself",
  "Access, load, outage, end and silence fail with their own error, whatever was refused before them; a silent or ended opening is never the reason when what followed was refused.",
  ({ evidence, from, state }) => {
    if (state._tag !== "Failed" || from.state._tag === "Settled" || from.state._tag === "Failed") return undefined
    const own = ownError[evidence._tag]
    if (own !== undefined) {
      return state.reason._tag === own ? undefined : `${evidence._tag} fails with ${state.reason._tag}, not ${own}`
    }
    const opening = from.state.ledger.opening?.evidence._tag
    if (opening !== "Silence" && opening !== "Ended") return undefined
    const { reason } = state
    return reason._tag === "Timeout" || (reason._tag === "TransportFailure" && reason.exitCode !== undefined)
      ? `the reason is the opening's ${opening}`
      : undefined
  }
)

const ownError: { readonly [evidence: string]: string } = {
  AccessRefused: "Unauthorized",
  Busy: "Busy",
  Outage: "TransportFailure",
  Ended: "TransportFailure",
  Silence: "Timeout",
  OutOfTime: "Timeout"
}

/** Section 4, Bounds: what a peer can grow is bounded. */
export const noiseIsBounded: ClientLaw = onEveryPath(
  "noise-is-bounded",
  "Messages out of turn and stray lines are borne up to the policy's budgets and not past them; they change nothing else.",
  {
    start: () => "0 0",
    see: (memory: string, { commands, evidence, from, state }, { subject: { policy } }) => {
      const [messages = 0, noise = 0] = memory.split(" ").map(Number)
      if (evidence._tag !== "OutOfTurn") return memory
      const next = evidence.kind === "noise" ? [messages, noise + 1] : [messages + 1, noise]
      if ((next[0] ?? 0) > policy.budgets.outOfTurn || (next[1] ?? 0) > policy.budgets.noise) {
        return new Broken("more than the budget is borne")
      }
      if (state._tag !== from.state._tag) return new Broken(`what is out of turn leads to ${state._tag}`)
      return commands.some(isMoving) ? new Broken("what is out of turn makes the client ask again") : next.join(" ")
    }
  }
)

const isMoving = (command: Command): boolean => command._tag !== "Reply" && command._tag !== "Keep"
