// The client's door: how a conversation begins, and how one event moves it. The table decides; this file only looks up.
import { PolicyForbids } from "../Errors.ts"
import type { Step } from "../Machine.ts"
import { follow } from "../Machine.ts"
import type { Medium } from "../Medium.ts"
import { newestOf } from "../Version.ts"
import type { Command } from "./Command.ts"
import type { Event } from "./Event.ts"
import type { EvidenceTag } from "./Evidence.ts"
import { describe } from "./Evidence.ts"
import type { Cell, Policy } from "./Rules.ts"
import type { Awaiting, Settled, Failed, State } from "./State.ts"
import { emptyLedger } from "./State.ts"
import { most } from "./Transitions.ts"
import { weigh } from "./Weigh.ts"

/** The first exchange number that a negotiation never uses: a connection counts its own from here. */
export const firstFreeExchange: number = most.exchanges + 1

/**
 * Returns the opening of a negotiation: the first state and what to send. A policy that cannot begin, for want of a
 * revision or of the era that it needs, is Failed with PolicyForbids before a byte is sent.
 */
export const begin = (policy: Policy, medium: Medium): Step<State, Command> => {
  const forbidden = whyForbidden(policy)
  if (forbidden !== undefined) {
    const reason = new PolicyForbids({ policy: policy.name, what: forbidden })
    return beginning({ _tag: "Failed", reason }, [], "fail", forbidden)
  }
  const modern = newestOf("modern", policy.versions)
  const legacy = newestOf("legacy", policy.versions)
  const discovers = policy.open === "discover" ? modern !== undefined : legacy === undefined
  const asked = (discovers ? modern : legacy) ?? ""
  const ledger = {
    ...emptyLedger,
    exchanges: 1,
    initializes: discovers ? 0 : 1,
    discovers: discovers ? 1 : 0
  }
  const { exchangeMillis, negotiationMillis, probeMillis } = policy.budgets
  const probes = discovers && policy.open === "discover" && medium.silence === "maybeLegacy"
  return beginning(
    { _tag: discovers ? "Discovering" : "Initializing", asked, ledger },
    [
      { _tag: "StartDeadline", of: "negotiation", millis: negotiationMillis },
      { _tag: "StartDeadline", of: 1, millis: probes ? Math.min(probeMillis, exchangeMillis) : exchangeMillis },
      { _tag: "Open" },
      discovers
        ? { _tag: "SendDiscover", exchange: 1, version: asked }
        : { _tag: "SendInitialize", exchange: 1, version: asked }
    ],
    discovers ? "discover" : "initialize",
    openingReason(policy, discovers)
  )
}

/**
 * Returns the next state and what to do about an event. Pure and total: no event throws, and an ending accepts none
 * (the state is returned as it is, without commands and without a trace entry).
 */
export const step = (policy: Policy, medium: Medium, state: State, event: Event): Step<State, Command> => {
  if (isEnding(state)) return { state, commands: [] }
  const evidence = weigh(policy, medium, state, event)
  return follow(
    cellOf(policy, state, evidence._tag),
    { policy, medium, state, evidence },
    {
      state: state._tag,
      event: event._tag,
      evidence: describe(evidence)
    }
  )
}

/** Returns the cell that a policy has for an evidence in a state. */
export const cellOf = (policy: Policy, state: Awaiting, evidence: EvidenceTag): Cell<EvidenceTag> =>
  // The row pairs each evidence with a move that takes it; TypeScript cannot carry that pairing through a lookup.
  policy.fallback[state._tag][evidence] as Cell<EvidenceTag>

/** Returns whether a state is an ending. */
export const isEnding = (state: State): state is Settled | Failed => state._tag === "Settled" || state._tag === "Failed"

const whyForbidden = (policy: Policy): string | undefined => {
  const lacking = policy.lacking === undefined ? "" : ` ${policy.lacking}`
  if (policy.requires !== undefined && newestOf(policy.requires, policy.versions) === undefined) {
    return `it needs a ${policy.requires} revision and has none.${lacking}`
  }
  return (newestOf("modern", policy.versions) ?? newestOf("legacy", policy.versions))
    ? undefined
    : `it speaks no revision.${lacking}`
}

const openingReason = (policy: Policy, discovers: boolean): string => {
  const wanted = policy.open === "discover"
  return wanted === discovers
    ? `policy ${policy.name} opens so${policy.lacking === undefined ? "" : ` (${policy.lacking})`}`
    : `policy ${policy.name} would open with ${wanted ? "server/discover" : "initialize"} (${policy.lacking ?? "its versions lack that era"})`
}

const beginning = (
  state: State,
  commands: ReadonlyArray<Command>,
  move: string,
  because: string
): Step<State, Command> => ({
  state,
  commands,
  trace: { state: "Idle", event: "Begun", evidence: "", move, because, next: state._tag }
})
