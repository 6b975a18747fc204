// What can follow from an evidence: named pure functions from (policy, medium, state, evidence) to the next state and
// commands. Which of them follows is the table's business. A move whose budget is spent is `fail`.
import type { NegotiationReason } from "../Errors.ts"
import { Code, failure, isRequest, Method, success } from "../Message.ts"
import { isLegacy, isModern, newestOf } from "../Version.ts"
import type { Command } from "./Command.ts"
import type { Evidence, EvidenceTag } from "./Evidence.ts"
import { reasonOf, unsupportedOf } from "./Reason.ts"
import type { Context, Move, Policy, Transition } from "./Rules.ts"
import type { AwaitingTag, Ledger, Opening, Session, Settled } from "./State.ts"
import { methodOf } from "./State.ts"

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
  if (context.medium.reopens === "never" || context.state.ledger.reopened)
    return failed(context, "it was reopened before")
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
  return canHold(context) && version !== undefined && context.medium.reopens === "once" && !ledger.reopened
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

// ---- what the moves are made of

const ask = (
  context: Context,
  tag: Exclude<AwaitingTag, "Keeping">,
  version: string,
  changes: Partial<Ledger>,
  before: ReadonlyArray<Command> = [],
  note?: string
): Transition => {
  const { policy, state } = context
  const { ledger } = state
  const discovering = tag === "Discovering" || tag === "DiscoveringAgain"
  const era = discovering ? "modern" : "legacy"
  if (newestOf(era, policy.versions) === undefined) return failed(context, lackingNote(policy, era))
  const initializes = ledger.initializes + (discovering ? 0 : 1)
  const discovers = ledger.discovers + (discovering ? 1 : 0)
  if (ledger.exchanges >= most.exchanges || initializes > most.initializes || discovers > most.discovers) {
    return failed(context, "no exchange is left")
  }
  const exchange = ledger.exchanges + 1
  const next: Ledger = {
    ...ledger,
    opening: ledger.opening ?? openingOf(context),
    ...changes,
    exchanges: exchange,
    initializes,
    discovers,
    outOfTurn: ledger.outOfTurn,
    noise: ledger.noise
  }
  return {
    state: { _tag: tag, asked: version, ledger: next },
    commands: [
      ...clearing(context),
      { _tag: "StartDeadline", of: exchange, millis: policy.budgets.exchangeMillis },
      ...before,
      discovering ? { _tag: "SendDiscover", exchange, version } : { _tag: "SendInitialize", exchange, version }
    ],
    ...(note === undefined ? undefined : { note })
  }
}

const discoverAtNewest = (
  context: Context,
  changes: Partial<Ledger>,
  tag: "Discovering" | "DiscoveringAgain" = "Discovering"
): Transition => ask(context, tag, newestOf("modern", context.policy.versions) ?? "", changes)

const initializeAtNewest = (context: Context, changes: Partial<Ledger>, before: ReadonlyArray<Command>): Transition =>
  ask(context, "Initializing", newestOf("legacy", context.policy.versions) ?? "", changes, before)

const counterAt = (context: Context<"Countered">, note?: string): Transition =>
  context.state.ledger.countered
    ? failed(context, "the one counter is spent")
    : ask(context, "Countering", context.evidence.version, { countered: true, holdable: undefined }, [], note)

const holdAt = (
  context: Context,
  version: string,
  changes: Partial<Ledger>,
  before: ReadonlyArray<Command>,
  note?: string
): Transition => {
  if (context.state.ledger.held) return failed(context, "the one hold is spent")
  const deletion = leaving(changes.session ?? context.state.ledger.session)
  return ask(
    context,
    "Holding",
    version,
    { ...changes, held: true, session: undefined },
    [...before, ...deletion],
    note
  )
}

const canHold = (context: Context): boolean => context.state.ledger.holdable !== undefined && !context.state.ledger.held

const tryHandshake = (context: Context): Transition => {
  const { evidence, medium, state } = context
  if (state.ledger.initializes > 0) return failed(context, "a handshake was tried before")
  if (evidence._tag === "Countered") return ask(context, "Initializing", evidence.version, {})
  if (evidence._tag !== "Ended") return initializeAtNewest(context, {}, [])
  return medium.reopens === "once" && !state.ledger.reopened
    ? initializeAtNewest(context, reopening, [{ _tag: "Reopen" }])
    : failed(context, "it was reopened before")
}

const settled = (context: Context, state: Settled): Transition => ({
  state,
  commands: [
    ...closing(context),
    ...leaving(context.state.ledger.session),
    ...(state.method === "initialize"
      ? [{ _tag: "SendInitialized", version: state.version, sessionId: state.sessionId } as const]
      : [])
  ]
})

const failed = (context: Context, note?: string, reason: NegotiationReason = reasonOf(context)): Transition => ({
  state: { _tag: "Failed", reason },
  commands: [...closing(context), ...leaving(context.state.ledger.session), ...leaving(justOpened(context))],
  ...(note === undefined ? undefined : { note })
})

// A session that a server opened with an answer we cannot use is not left behind.
const justOpened = ({ evidence, state }: Context): Session | undefined => {
  if (evidence._tag !== "ModernNamed" && evidence._tag !== "StrangerNamed") return undefined
  if (evidence.sessionId === undefined) return undefined
  // The session is at the handshake revision that the server named: under another its DELETE would be refused.
  return { id: evidence.sessionId, version: isLegacy(evidence.version) ? evidence.version : state.asked }
}

const leaving = (session: Session | undefined): ReadonlyArray<Command> =>
  session === undefined ? [] : [{ _tag: "DeleteSession", sessionId: session.id, version: session.version }]

const clearing = ({ evidence, state }: Context): ReadonlyArray<Command> =>
  evidence._tag === "Silence" ? [] : [{ _tag: "ClearDeadline", of: state.ledger.exchanges }]

const closing = (context: Context): ReadonlyArray<Command> =>
  context.evidence._tag === "OutOfTime"
    ? clearing(context)
    : [...clearing(context), { _tag: "ClearDeadline", of: "negotiation" }]

const replyTo = (evidence: Context<"OutOfTurn">["evidence"]): ReadonlyArray<Command> => {
  const { message, sessionId } = evidence
  if (message === undefined) return []
  if (!isRequest(message)) return [{ _tag: "Keep", message }]
  const reply =
    message.method === Method.Ping
      ? success(message.id, {})
      : failure(message.id, { code: Code.MethodNotFound, message: "The connection is not initialized yet." })
  return [{ _tag: "Reply", message: reply, sessionId }]
}

const againTag = ({ policy, state }: Context): "Discovering" | "DiscoveringAgain" =>
  policy.open === "discover" && state.ledger.discovers > 0 ? "DiscoveringAgain" : "Discovering"

const openingOf = ({ evidence, state }: Context): Opening => ({ method: methodOf(state), asked: state.asked, evidence })

const sessionOf = ({ evidence, state }: Context<"ModernNamed">): Session | undefined =>
  evidence.sessionId === undefined ? state.ledger.session : { id: evidence.sessionId, version: state.asked }

const lackingNote = (policy: Policy, era: "modern" | "legacy"): string =>
  policy.lacking ?? `the policy speaks no ${era} revision`

const holdableAfter: ReadonlySet<Evidence["_tag"]> = new Set([
  "MethodMissing",
  "Refused",
  "HttpRefused",
  "Garbled",
  "Ended",
  "Countered"
] as const)

// A fresh process has no older request to answer.
const reopening = { reopened: true, probe: undefined } as const

/** The bounds of every conversation, whatever the policy. */
export const most = { exchanges: 4, initializes: 2, discovers: 2, strays: 8 } as const
