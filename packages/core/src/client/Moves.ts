// What can follow from an evidence: named pure functions from (policy, medium, state, evidence) to the next state and
// commands. Which of them follows is the table's business. A move whose budget is spent is `fail`.
import { Code } from "../Message.ts"
import { isModern, newestOf } from "../Version.ts"
import type { EvidenceTag } from "./Evidence.ts"
import { unsupportedOf } from "./Reason.ts"
import type { Context, Move, Transition } from "./Rules.ts"
import {
  againTag,
  ask,
  canHold,
  counterAt,
  discoverAtNewest,
  failed,
  holdableAfter,
  holdAt,
  initializeAtNewest,
  lackingNote,
  most,
  reopening,
  replyTo,
  sessionOf,
  settled,
  tryHandshake
} from "./Transitions.ts"

const move = <E extends EvidenceTag>(name: string, run: (context: Context<E>) => Transition): Move<E> => ({ name, run })

/** End in agreement on the revision found. A handshake is completed by `notifications/initialized`. */
export const settle = move<"Agreed" | "LateAgreed">("settle", (context) => {
  const { evidence, state } = context
  return settled(context, {
    _tag: "Settled",
    version: evidence.version,
    named: evidence.version,
    offered: state.asked,
    method: isModern(evidence.version) ? "server/discover" : "initialize",
    result: evidence.result,
    sessionId: evidence._tag === "Agreed" ? evidence.sessionId : undefined,
    strays: state.ledger.strays
  })
})

/** End in agreement at the revision that we offered, where the server named the same modern one in both answers. */
export const settleHeld = move<"ModernNamed">("settleHeld", (context) => {
  const { evidence, state } = context
  if (evidence.version !== state.ledger.holdable) return failed(context, "it named another revision than before")
  return settled(context, {
    _tag: "Settled",
    version: state.asked,
    named: evidence.version,
    offered: state.asked,
    method: "initialize",
    result: evidence.result,
    sessionId: evidence.sessionId,
    strays: state.ledger.strays
  })
})

/** Keep a late DiscoverResult and await the answer to the `initialize` that is under way. */
export const keep = move<"LateAgreed">("keep", ({ evidence, state }) => ({
  state: {
    _tag: "Keeping",
    asked: state.asked,
    ledger: { ...state.ledger, probe: undefined },
    late: { _tag: "Agreed", version: evidence.version, result: evidence.result }
  },
  commands: []
}))

/** End in agreement on the late DiscoverResult that was kept. */
export const settleKept = move("settleKept", (context) => {
  const { state } = context
  if (state._tag !== "Keeping") return failed(context, "no late answer is kept")
  return settled(context, {
    _tag: "Settled",
    version: state.late.version,
    named: state.late.version,
    offered: state.late.version,
    method: "server/discover",
    result: state.late.result,
    sessionId: undefined,
    strays: state.ledger.strays
  })
})

/** Ask `server/discover` at our newest modern revision. */
export const discover = move("discover", (context) => discoverAtNewest(context, {}))

/** Ask `server/discover`, and remember that the handshake can be held if that is not to be had. */
export const discoverHoldably = move<"ModernNamed">("discoverHoldably", (context) => {
  const { evidence, state } = context
  const changes = { holdable: evidence.version, session: sessionOf(context) }
  if (newestOf("modern", context.policy.versions) !== undefined) return discoverAtNewest(context, changes)
  return holdAt(context, state.asked, changes, [], lackingNote(context.policy, "modern"))
})

/** Ask `server/discover` at the revision that the refusal named. At most one correction; the handshake can no longer be held. */
export const discoverAt = move<"Corrected">("discoverAt", (context) => {
  const { evidence, state } = context
  const corrects = state.ledger.discovers > 0
  if (corrects && state.ledger.corrected) return failed(context, "the one correction is spent")
  return ask(context, againTag(context), evidence.version, { corrected: corrects, holdable: undefined })
})

/** Fall back: send `initialize` at our newest legacy revision. */
export const initialize = move("initialize", (context) => initializeAtNewest(context, {}, []))

/** Fall back at the newest legacy revision that the server listed. */
export const initializeAt = move<"Countered">("initializeAt", (context) =>
  ask(context, "Initializing", context.evidence.version, {})
)

/** A silent pipe may be legacy: send `initialize` on it and keep listening for the probe. Elsewhere silence says nothing. */
export const initializeListening = move<"Silence">("initializeListening", (context) =>
  context.medium.silence === "maybeLegacy"
    ? initializeAtNewest(context, { probe: context.state.ledger.exchanges }, [])
    : failed(context, "on this carrier silence says nothing")
)

/** The probe ended the process: start one fresh process and send `initialize` there. */
export const reopenAndInitialize = move<"Ended">("reopenAndInitialize", (context) => {
  if (context.state.ledger.reopened) return failed(context, "it was reopened before")
  return initializeAtNewest(context, reopening, [{ _tag: "Reopen" }])
})

/** Send `initialize` at the legacy revision that the server listed, once. */
export const counter = move<"Countered">("counter", (context) => counterAt(context))

/** Counter, if no `initialize` was sent yet. */
export const counterIfFresh = move<"Countered">("counterIfFresh", (context) =>
  context.state.ledger.initializes === 0 ? counterAt(context) : failed(context, "an initialize was sent before")
)

/** Hold the handshake if an `initialize` was answered with a modern revision; else the refusal stands, with both causes. */
export const holdOrFail = move("holdOrFail", (context) => {
  const version = newestOf("legacy", context.policy.versions)
  return canHold(context) && version !== undefined
    ? holdAt(context, version, {}, [])
    : failed(context, "there is no handshake to hold")
})

/** Hold at the revision that the server listed, if the handshake can be held; else counter at it. */
export const holdOrCounter = move<"Countered">("holdOrCounter", (context) =>
  canHold(context) ? holdAt(context, context.evidence.version, {}, []) : counterAt(context)
)

/** The process ended on `server/discover`: start a fresh one and hold the handshake there, if it can be held. */
export const reopenAndHold = move<"Ended">("reopenAndHold", (context) => {
  const version = newestOf("legacy", context.policy.versions)
  const { ledger } = context.state
  return canHold(context) && version !== undefined && !ledger.reopened
    ? holdAt(context, version, reopening, [{ _tag: "Reopen" }])
    : failed(context, "there is no handshake to hold")
})

/** A handshake after a probe named a modern revision: discover once if the probe was silent; hold if it was refused. */
export const discoverOrHold = move<"ModernNamed">("discoverOrHold", (context) => {
  const { evidence, policy, state } = context
  const changes = { holdable: evidence.version, session: sessionOf(context) }
  if (newestOf("modern", policy.versions) === undefined) {
    return holdAt(context, state.asked, changes, [], lackingNote(policy, "modern"))
  }
  const opening = state.ledger.opening?.evidence._tag
  if (opening === "Silence") return discoverAtNewest(context, { session: changes.session }, "DiscoveringAgain")
  return opening !== undefined && holdableAfter.has(opening)
    ? holdAt(context, state.asked, changes, [])
    : failed(context, "the probe did not end in a way that lets a handshake be held")
})

/** Whatever the probe met, try one handshake if none was tried. */
export const handshakeOnce = move("handshakeOnce", (context) => tryHandshake(context))

/** Ask again at the revision named, once; after that try one handshake. */
export const correctOrHandshake = move<"Corrected">("correctOrHandshake", (context) =>
  context.state.ledger.corrected || context.state.ledger.discovers >= most.discovers
    ? tryHandshake(context)
    : discoverAt.run(context)
)

/** Any -32022 leads on to discover; the handshake's own -32602 does not. */
export const discoverOnVersionError = move<"Disjoint">("discoverOnVersionError", (context) =>
  context.evidence.code === Code.UnsupportedProtocolVersion ? discoverAtNewest(context, {}) : failed(context)
)

/** As `discoverAt` for a -32022; the handshake's own -32602 fails. */
export const discoverAtOnVersionError = move<"Corrected">("discoverAtOnVersionError", (context) =>
  context.evidence.code === Code.UnsupportedProtocolVersion ? discoverAt.run(context) : failed(context)
)

/** A -32022 leads on to discover, or where that is not to be had to the revision it listed; a -32602 fails. */
export const discoverOrCounterOnVersionError = move<"Countered">("discoverOrCounterOnVersionError", (context) => {
  if (context.evidence.code !== Code.UnsupportedProtocolVersion) return failed(context)
  return newestOf("modern", context.policy.versions) === undefined
    ? counterAt(context, lackingNote(context.policy, "modern"))
    : discoverAtNewest(context, {})
})

/** Stay, and count it. A ping is answered, another request of the server refused, a notification kept. */
export const stay = move<"OutOfTurn">("stay", ({ evidence, state }) => {
  const { ledger } = state
  const noisy = evidence.kind === "noise"
  return {
    state: {
      ...state,
      ledger: {
        ...ledger,
        outOfTurn: noisy ? ledger.outOfTurn : ledger.outOfTurn + 1,
        noise: noisy ? ledger.noise + 1 : ledger.noise,
        strays: noisy && ledger.strays.length < most.strays ? [...ledger.strays, evidence.what] : ledger.strays,
        probe: evidence.probeAnswered === true ? undefined : ledger.probe
      }
    },
    commands: replyTo(evidence)
  }
})

/** End without agreement, with the error of the evidence. */
export const fail = move("fail", (context) => failed(context))

/** End without agreement: whatever was refused, the one revision that the policy allows is not to be had. */
export const failUnsupported = move("failUnsupported", (context) => failed(context, undefined, unsupportedOf(context)))
