// Laws about revisions: what may be offered, what may be agreed, and which policy never says what.
import { isFailure, isSuccess } from "@parley/core/Message"
import { isLegacy, isModern } from "@parley/core/Version"
import type { Event } from "@parley/core/client/Event"
import type { Step } from "../Walk.ts"
import { Broken, onEveryPath, onEverySend, onEveryStep, only, sends } from "./ClientLaw.ts"
import type { ClientLaw } from "./ClientLaw.ts"

/** Section 9: settle only on a version that the policy lists. */
export const settlesOnListed: ClientLaw = onEveryStep(
  "settles-on-listed",
  "A run settles only on a revision that the policy lists.",
  ({ state }, { subject: { policy } }) =>
    state._tag !== "Settled" || policy.versions.includes(state.version)
      ? undefined
      : `it settles on ${state.version}, and the policy lists ${policy.versions.join(", ")}`
)

/** Section 4, Degradation: nothing is asked in an era, or at a revision, that the client cannot speak. */
export const asksWhatItSpeaks: ClientLaw = onEverySend(
  "asks-what-it-speaks",
  "Every request is sent at a revision that the policy lists, initialize at a legacy one and server/discover at a modern one; so a client narrowed to one era never sends the other's method.",
  (send, { subject: { policy } }) => {
    if (!policy.versions.includes(send.version))
      return `${send._tag} at ${send.version}, which the policy does not list`
    const fits = send._tag === "SendInitialize" ? isLegacy(send.version) : isModern(send.version)
    return fits ? undefined : `${send._tag} at ${send.version}, which is of the other era`
  }
)

/** Section 9: `handshakeOnly` never probes. */
export const handshakeOnlyNeverProbes: ClientLaw = onEverySend(
  "handshake-only-never-probes",
  "handshakeOnly never sends server/discover.",
  (send) => (send._tag === "SendDiscover" ? "it sends server/discover" : undefined),
  ({ subject }) => subject.table === "handshakeOnly"
)

/** Section 9: `pinned` says nothing outside its version. */
export const pinnedStaysPinned: ClientLaw = onEverySend(
  "pinned-stays-pinned",
  "A pinned policy says nothing outside its revision, sends only the opening of that revision's era, and neither counters nor holds.",
  (send, { subject: { policy } }) => {
    const pin = policy.versions[0] ?? ""
    if (send.version !== pin) return `it asks for ${send.version}`
    const wanted = isModern(pin) ? "SendDiscover" : "SendInitialize"
    return send._tag === wanted ? undefined : `it sends ${send._tag}`
  },
  ({ subject }) => subject.table === "pinnedModern" || subject.table === "pinnedLegacy"
)

/** Section 9: no `initialize` when the last list received named no legacy revision (`stateless` excepted). */
export const noInitializeAgainstAList: ClientLaw = only(
  ({ subject }) => subject.table !== "stateless",
  onEveryPath(
    "no-initialize-against-a-list",
    "No initialize is sent when the last list received named no legacy revision (stateless excepted).",
    {
      start: () => "noList",
      see: (memory: string, step) => {
        const list = listIn(step)
        const last = list === undefined ? memory : list.some((one) => isLegacy(one)) ? "legacy" : "noLegacy"
        return last === "noLegacy" && step.commands.some((command) => command._tag === "SendInitialize")
          ? new Broken("the last list named no legacy revision, and initialize is sent")
          : last
      }
    }
  )
)

// The list is read from the bytes; that it was a usable one is what the evidence says.
const listIn = ({ evidence, occurrence: { event } }: Step): ReadonlyArray<string> | undefined => {
  if (!lists.has(evidence._tag)) return undefined
  const member = memberIn(event)
  return Array.isArray(member) ? member.filter((one): one is string => typeof one === "string") : undefined
}

const lists: ReadonlySet<string> = new Set(["Agreed", "Corrected", "Countered", "Disjoint", "LateAgreed"])

const memberIn = (event: Event): unknown => {
  if (event._tag !== "Arrived") return undefined
  const { message } = event
  if (isSuccess(message)) return message.result["supportedVersions"]
  if (!isFailure(message)) return undefined
  const { data } = message.error
  return typeof data === "object" && data !== null && "supported" in data ? data.supported : undefined
}

/** Specification, Protocol Version Negotiation: retry at a revision of the list. */
export const asksWhatIsListed: ClientLaw = onEveryStep(
  "asks-what-is-listed",
  "What is asked because of a list is asked at a revision in that list: server/discover after a modern one, initialize after a legacy one.",
  (step) => {
    const { commands, evidence } = step
    if (evidence._tag !== "Corrected" && evidence._tag !== "Countered") return undefined
    const method = evidence._tag === "Corrected" ? "SendDiscover" : "SendInitialize"
    const list = listIn(step) ?? []
    const send = sends(commands).find(({ _tag }) => _tag === method)
    return send === undefined || list.includes(send.version)
      ? undefined
      : `${send.version} is asked for, and the list holds ${list.join(", ")}`
  }
)

/** Section 9: no modern version out of a handshake. */
export const noModernFromAHandshake: ClientLaw = onEveryStep(
  "no-modern-from-a-handshake",
  "No modern revision comes out of a handshake, and no legacy one out of server/discover.",
  ({ state }) => {
    if (state._tag !== "Settled") return undefined
    const modern = isModern(state.version)
    return modern === (state.method === "server/discover") ? undefined : `${state.method} gave ${state.version}`
  }
)

/** Section 4, Hold: the revision offered is spoken, what was named is kept, and both answers named the same. */
export const heldTwiceTheSame: ClientLaw = onEveryPath(
  "held-twice-the-same",
  "A handshake is held only when two answers to initialize named the same modern revision in turn; it speaks the revision offered and keeps what was named. In every other agreement the revision spoken is the one named.",
  {
    start: () => "",
    see: (memory: string, step) => {
      const { evidence, state } = step
      if (state._tag === "Settled" && state.named !== state.version) {
        const twice = evidence._tag === "ModernNamed" && evidence.version === memory && state.named === memory
        return twice && state.version === state.offered && step.from.state._tag === "Holding"
          ? memory
          : new Broken(`it holds ${state.version} against ${state.named}`)
      }
      return evidence._tag === "ModernNamed" ? evidence.version : memory
    }
  }
)

/** Section 4: a correction ends the hold. */
export const noHoldAfterACorrection: ClientLaw = onEveryPath(
  "no-hold-after-a-correction",
  "Once a refusal has listed a modern revision that we speak, no handshake is held any more.",
  {
    start: () => "free",
    see: (memory: string, { evidence, state }) => {
      if (evidence._tag === "Corrected") memory = "corrected"
      return memory === "corrected" && state._tag === "Holding" ? new Broken("it holds after a correction") : memory
    }
  }
)
