// Laws about the verdict on the era: what may make one, what never may, and how HTTP's answers outrank each other.
import { isFailure } from "@parley/core/Message"
import { isModern } from "@parley/core/Version"
import type { Event } from "@parley/core/client/Event"
import type { Step } from "../Walk.ts"
import { Broken, onEveryPath, onEveryStep, only, sends } from "./ClientLaw.ts"
import type { ClientLaw } from "./ClientLaw.ts"

/** Section 9: a timeout, access refusal, busy or outage is never what makes an era. */
export const noVerdictFromTrouble: ClientLaw = onEveryStep(
  "no-verdict-from-trouble",
  "A timeout, an access refusal, a busy answer or an outage is never what makes an era: it ends the run in failure, but for a silent opening probe on a pipe under discoverFirst, and for a late DiscoverResult that was kept.",
  (step, { subject: { medium, table } }) => {
    const { evidence, from, state } = step
    if (!trouble.has(evidence._tag) || state._tag === "Failed") return undefined
    const silentProbe =
      evidence._tag === "Silence" &&
      table === "discoverFirst" &&
      medium.silence === "maybeLegacy" &&
      from.state._tag === "Discovering" &&
      from.state.ledger.exchanges === 1 &&
      state._tag === "Initializing"
    if (silentProbe) return undefined
    const kept =
      from.state._tag === "Keeping" &&
      (evidence._tag === "Silence" || evidence._tag === "OutOfTime") &&
      state._tag === "Settled" &&
      state.version === from.state.late.version
    return kept ? undefined : `${evidence._tag} leads to ${state._tag}`
  }
)

const trouble: ReadonlySet<string> = new Set(["Silence", "OutOfTime", "AccessRefused", "Busy", "Outage"])

/** Specification, Backward Compatibility: a recognized modern error never leads to a handshake. */
export const modernErrorsAreBelieved: ClientLaw = only(
  ({ subject }) => subject.table !== "stateless",
  onEveryPath(
    "modern-errors-are-believed",
    "After a recognized modern error to server/discover that lists no revision, no initialize is sent (stateless excepted).",
    {
      start: () => "free",
      see: (memory: string, step) => {
        const { evidence, from } = step
        const asked = from.state._tag === "Discovering" || from.state._tag === "DiscoveringAgain"
        if (asked && (evidence._tag === "ModernSign" || evidence._tag === "VersionRefused")) memory = "modern"
        const handshake = sends(step.commands).some((send) => send._tag === "SendInitialize")
        return memory === "modern" && handshake ? new Broken("initialize is sent after a modern error") : memory
      }
    }
  )
)

/** Section 4: a late DiscoverResult that was kept is not lost. */
export const keptIsKept: ClientLaw = onEveryStep(
  "kept-is-kept",
  "With a late DiscoverResult kept, only a closed or lost pipe fails; the run settles on what initialize agreed or on what was kept.",
  ({ evidence, from, state }) => {
    if (from.state._tag !== "Keeping") return undefined
    if (state._tag === "Keeping") return evidence._tag === "OutOfTurn" ? undefined : `${evidence._tag} is waited out`
    if (state._tag === "Failed") {
      return evidence._tag === "Ended" || evidence._tag === "Outage" ? undefined : `${evidence._tag} fails`
    }
    if (state._tag !== "Settled") return `${evidence._tag} leads to ${state._tag}`
    const expected = evidence._tag === "Agreed" ? evidence.version : from.state.late.version
    return state.version === expected ? undefined : `it settles on ${state.version}, not on ${expected}`
  }
)

/** Section 4, HTTP precedence. */
export const httpPrecedence: ClientLaw = only(
  ({ subject }) => subject.medium.streams === "perRequest",
  onEveryStep(
    "http-precedence",
    "Over HTTP a body with -32020 to -32022 is read whatever the status; then 401 and 403; then 408, 429 and 503; then any other JSON-RPC error; then the bare status.",
    ({ evidence, from, occurrence: { event } }) => {
      if (from.state._tag === "Settled" || from.state._tag === "Failed") return undefined
      const expected = precedence(event, from.state.ledger.exchanges)
      return expected === undefined || expected.includes(evidence._tag)
        ? undefined
        : `it is ${evidence._tag}, not ${expected.join(" or ")}`
    }
  )
)

const precedence = (event: Event, exchange: number): ReadonlyArray<string> | undefined => {
  if (event._tag !== "Arrived" && event._tag !== "Unanswered") return undefined
  if (event.exchange !== exchange) return ["OutOfTurn", "Garbled"]
  const status = event.head?.status ?? 0
  const code = event._tag === "Arrived" && isFailure(event.message) ? event.message.error.code : undefined
  if (event._tag === "Arrived" && "method" in event.message) return undefined
  if (code === -32022) return ["Corrected", "Countered", "Disjoint", "VersionRefused"]
  if (code === -32020 || code === -32021) return ["ModernSign"]
  if (status === 401 || status === 403) return ["AccessRefused"]
  if (status === 408 || status === 429 || status === 503) return ["Busy"]
  if (code === -32601) return ["MethodMissing"]
  if (code === -32602) return ["ParamsRefused", "Corrected", "Countered", "Disjoint", "Refused"]
  if (code !== undefined) return ["Refused"]
  if (status >= 500) return ["Outage"]
  if (status >= 300) return ["HttpRefused"]
  return event._tag === "Unanswered" ? ["Garbled"] : undefined
}

/** Section 4: hold is reached only by way of a modern revision that an initialize was answered with. */
export const holdIsEarned: ClientLaw = onEveryPath(
  "hold-is-earned",
  "A handshake is repeated only after an initialize was answered with a modern revision, and never because discover was silent, busy, refused access or unreachable.",
  {
    start: () => "",
    see: (memory: string, { evidence, from, state }) => {
      const named = evidence._tag === "ModernNamed" ? evidence.version : memory
      if (state._tag !== "Holding" || from.state._tag === "Holding") return named
      if (named === "" || !isModern(named)) return new Broken("no initialize was answered with a modern revision")
      return trouble.has(evidence._tag) ? new Broken(`${evidence._tag} leads to a hold`) : named
    }
  }
)

/** Section 4, Correlation: only the exact id answers on a pipe. */
export const onlyTheExactIdAnswers: ClientLaw = onEveryStep(
  "only-the-exact-id-answers",
  "A response with another id, of another type, or to an older exchange is never an answer: on a pipe it is out of turn, over HTTP it is garbled or out of turn; and every answer is spent: it ends the exchange that it answers.",
  (step) => {
    const { evidence, from, occurrence, state } = step
    if (from.state._tag === "Settled" || from.state._tag === "Failed") return undefined
    if (foreign.test(occurrence.id) && evidence._tag !== "OutOfTurn" && evidence._tag !== "Garbled") {
      return isErrorOverHttp(step) ? undefined : `${occurrence.id} is taken as ${evidence._tag}`
    }
    if (evidence._tag === "OutOfTurn" || evidence._tag === "LateAgreed") return undefined
    const awaits = state._tag !== "Settled" && state._tag !== "Failed"
    return awaits && state.ledger.exchanges <= from.state.ledger.exchanges
      ? `after ${evidence._tag} it still awaits the same answer`
      : undefined
  }
)

const foreign = /#otherType$|#unknown$|^older\./
// An error body answers the POST that it came back on, whatever its id.
const isErrorOverHttp = ({ occurrence: { event, id } }: Step): boolean =>
  id === "error#unknown" && event._tag === "Arrived" && event.exchange !== undefined
