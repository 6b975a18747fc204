// What the moves are made of: the parts of a transition that several share, their budgets and their commands. Which
// evidence leads where is in Moves and the table.
import type { NegotiationReason } from "../Errors.ts"
import { Code, failure, isRequest, Method, success } from "../Message.ts"
import { isLegacy, newestOf } from "../Version.ts"
import type { Command } from "./Command.ts"
import type { Evidence } from "./Evidence.ts"
import { reasonOf } from "./Reason.ts"
import type { Context, Policy, Transition } from "./Rules.ts"
import type { AwaitingTag, Ledger, Opening, Session, Settled } from "./State.ts"
import { methodOf } from "./State.ts"

export const ask = (
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

export const discoverAtNewest = (
  context: Context,
  changes: Partial<Ledger>,
  tag: "Discovering" | "DiscoveringAgain" = "Discovering"
): Transition => ask(context, tag, newestOf("modern", context.policy.versions) ?? "", changes)

export const initializeAtNewest = (
  context: Context,
  changes: Partial<Ledger>,
  before: ReadonlyArray<Command>
): Transition => ask(context, "Initializing", newestOf("legacy", context.policy.versions) ?? "", changes, before)

export const counterAt = (context: Context<"Countered">, note?: string): Transition =>
  context.state.ledger.countered
    ? failed(context, "the one counter is spent")
    : ask(context, "Countering", context.evidence.version, { countered: true, holdable: undefined }, [], note)

export const holdAt = (
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

export const canHold = (context: Context): boolean =>
  context.state.ledger.holdable !== undefined && !context.state.ledger.held

export const tryHandshake = (context: Context): Transition => {
  const { evidence, state } = context
  if (state.ledger.initializes > 0) return failed(context, "a handshake was tried before")
  if (evidence._tag === "Countered") return ask(context, "Initializing", evidence.version, {})
  if (evidence._tag !== "Ended") return initializeAtNewest(context, {}, [])
  // Nothing is reopened but for a handshake: where none was tried, the one fresh process is left.
  return initializeAtNewest(context, reopening, [{ _tag: "Reopen" }])
}

export const settled = (context: Context, state: Settled): Transition => ({
  state,
  commands: [
    ...closing(context),
    ...leaving(context.state.ledger.session),
    ...(state.method === "initialize"
      ? [{ _tag: "SendInitialized", version: state.version, sessionId: state.sessionId } as const]
      : [])
  ]
})

export const failed = (context: Context, note?: string, reason: NegotiationReason = reasonOf(context)): Transition => ({
  state: { _tag: "Failed", reason },
  commands: [...closing(context), ...leaving(context.state.ledger.session), ...leaving(justOpened(context))],
  ...(note === undefined ? undefined : { note })
})

// A session that a server opened with an answer we cannot use is not left behind.
const justOpened = ({ evidence, state }: Context): Session | undefined => {
  if (evidence._tag !== "ModernNamed" && evidence._tag !== "StrangerNamed" && evidence._tag !== "Agreed") {
    return undefined
  }
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

export const replyTo = (evidence: Context<"OutOfTurn">["evidence"]): ReadonlyArray<Command> => {
  const { message, sessionId } = evidence
  if (message === undefined) return []
  if (!isRequest(message)) return [{ _tag: "Keep", message }]
  const reply =
    message.method === Method.Ping
      ? success(message.id, {})
      : failure(message.id, { code: Code.MethodNotFound, message: "The connection is not initialized yet." })
  return [{ _tag: "Reply", message: reply, sessionId }]
}

// Where a list can name a modern revision, a policy that opens with discover has done so.
export const againTag = ({ policy }: Context): "Discovering" | "DiscoveringAgain" =>
  policy.open === "discover" ? "DiscoveringAgain" : "Discovering"

const openingOf = ({ evidence, state }: Context): Opening => ({ method: methodOf(state), asked: state.asked, evidence })

export const sessionOf = ({ evidence, state }: Context<"ModernNamed">): Session | undefined =>
  evidence.sessionId === undefined ? state.ledger.session : { id: evidence.sessionId, version: state.asked }

export const lackingNote = (policy: Policy, era: "modern" | "legacy"): string =>
  policy.lacking ?? `the policy speaks no ${era} revision`

export const holdableAfter: ReadonlySet<Evidence["_tag"]> = new Set([
  "MethodMissing",
  "Refused",
  "HttpRefused",
  "Garbled",
  "Ended",
  "Countered"
] as const)

// A fresh process has no older request to answer.
export const reopening = { reopened: true, probe: undefined } as const

/** The bounds of every conversation, whatever the policy. */
export const most = { exchanges: 4, initializes: 2, discovers: 2, strays: 8 } as const
