// Conversations: wire text in and out only, so that an implementation with other inner names can run them. A client
// conversation scripts what a server says and tells what the client must send and how it must end.
import type { Evidence } from "@parley/core/client/Evidence"
import type { Failed, Settled, State } from "@parley/core/client/State"
import type { NegotiationReason } from "@parley/core/Errors"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Policy } from "@parley/core/client/Policy"
import type { Medium } from "@parley/core/Medium"
import { eraOf } from "@parley/core/Version"
import { keyOf } from "../Key.ts"
import type { Sent } from "../link/Wire.ts"
import { sentBy } from "../link/Wire.ts"
import { presetOf } from "../Subjects.ts"
import type { Step, Walk } from "../Walk.ts"
import { isEnding, pathTo } from "../Walk.ts"
import type { In, Out } from "./Turns.ts"
import { heardAs, outOf, wireOf } from "./Turns.ts"

/** How a conversation ends. */
export type Outcome =
  | { readonly agreed: { readonly version: string; readonly named: string; readonly era: string } }
  | {
      readonly failed: {
        readonly error: string
        readonly fault: string
        readonly retryable: boolean
        /** The facts that the error holds, as far as there are: what an implementation with other errors may skip. */
        readonly facts: { readonly [name: string]: unknown }
      }
    }

/** A conversation of a client with a scripted server. */
export interface ClientConversation {
  readonly id: string
  readonly side: "client"
  /** The policies under which a client does exactly this. */
  readonly policies: ReadonlyArray<string>
  readonly medium: string
  /** What is met, as `<state>.<evidence>`, in order: behind the name of a policy's table these are the cells followed. */
  readonly meets: ReadonlyArray<string>
  readonly turns: ReadonlyArray<{ readonly out: Out } | { readonly in: In }>
  readonly outcome: Outcome
  /** Present where it holds with the bounds of the walk alone: the client gives up on what is out of turn. */
  readonly bounds?: "walk"
}

/** Returns the conversations of a walk: for each thing that a cell can do, a shortest run that shows it. */
export const conversationsOf = (walk: Walk): ReadonlyArray<ClientConversation> => {
  const shown = new Map<string, ClientConversation>()
  const told = new Set<string>()
  const endings = waysOut(walk)
  for (const node of walk.nodes) {
    for (const step of walk.leaving[node.index] ?? []) {
      const key = `${step.cell} ${spentIn(step)} ${codeIn(step.evidence)} ${step.because} ${summary(step.state)}`
      if (told.has(key)) continue
      const path = [...pathTo(node), step, ...(endings(step.to.index) ?? [])]
      const conversation = write(walk, path)
      if (conversation === undefined) continue
      told.add(key)
      // One run may show two things; its id says what it is.
      if (!shown.has(conversation.id)) shown.set(conversation.id, conversation)
    }
  }
  return [...shown.values()]
}

/** Returns the conversations of several walks, each once: what two policies do alike names both. */
export const merged = (all: ReadonlyArray<ClientConversation>): ReadonlyArray<ClientConversation> => {
  const found = new Map<string, ClientConversation>()
  for (const one of all) {
    const key = JSON.stringify([one.medium, one.meets, one.turns, one.outcome])
    const known = found.get(key)
    found.set(key, known === undefined ? one : { ...known, policies: known.policies.concat(one.policies) })
  }
  return [...found.values()]
}

/** Returns whether a client under a policy says what a conversation says, and ends as it ends. */
export const holds = (conversation: ClientConversation, policy: Policy, medium: Medium): boolean => {
  const wanted = conversation.turns.values()
  const sent = new Map<number, Sent>()
  let free = Client.firstFreeExchange
  let agrees = true
  const speak = (commands: ReadonlyArray<Command>): void => {
    for (const command of commands) {
      if (command._tag === "Reopen") expect({ reopen: true })
      const one = sentBy(medium, command, () => free++)
      if (one === undefined) continue
      sent.set(one.exchange, one)
      expect(outOf(medium, one))
    }
  }
  const expect = (out: Out): void => {
    const turn = wanted.next().value
    if (turn === undefined || !("out" in turn) || JSON.stringify(turn.out) !== JSON.stringify(out)) agrees = false
  }
  const opening = Client.begin(policy, medium)
  let { state } = opening
  speak(opening.commands)
  for (let turn = wanted.next().value; turn !== undefined; turn = wanted.next().value) {
    if (!("in" in turn)) return false
    const exchange = exchangeOf(state)
    for (const event of heardAs(turn.in, exchange, sent.get(exchange))) {
      if (isEnding(state)) break
      const next = Client.step(policy, medium, state, event)
      state = next.state
      speak(next.commands)
    }
    if (!agrees) return false
  }
  return agrees && isEnding(state) && JSON.stringify(outcomeOf(state)) === JSON.stringify(conversation.outcome)
}

// A move that needs another handshake can only be told from one that does not while there is one to spend; and whether
// one is held depends on how the opening ended.
const spentIn = ({ evidence, from: { state } }: Step): string => {
  if (isEnding(state)) return ""
  const { initializes, opening } = state.ledger
  return `${initializes} ${evidence._tag === "ModernNamed" ? opening?.evidence._tag : ""}`
}

// Whether a list came in a result or under which code decides in some tables.
const codeIn = (evidence: Evidence): string => ("theirs" in evidence ? String(evidence.code ?? "result") : "")

const summary = (state: State): string =>
  isEnding(state)
    ? keyOf(state)
    : `${state._tag} ${state.ledger.exchanges} ${state.ledger.outOfTurn > 0 ? "noise" : ""}`

// From each node a shortest way to an ending, one that settles where there are two. A walk has no cycles.
const waysOut = (walk: Walk): ((node: number) => ReadonlyArray<Step> | undefined) => {
  const best = new Map<number, ReadonlyArray<Step> | undefined>()
  const wayOut = (index: number): ReadonlyArray<Step> | undefined => {
    if (best.has(index)) return best.get(index)
    const node = walk.nodes[index]
    let found: ReadonlyArray<Step> | undefined
    if (node !== undefined && isEnding(node.state)) found = []
    for (const step of walk.leaving[index] ?? []) {
      if (!isSimple(step)) continue
      const rest = wayOut(step.to.index)
      if (rest === undefined) continue
      const way = [step, ...rest]
      if (found === undefined || cost(way) < cost(found)) found = way
    }
    best.set(index, found)
    return found
  }
  return wayOut
}

const cost = (way: ReadonlyArray<Step>): number => 2 * way.length + (way.at(-1)?.state._tag === "Settled" ? 0 : 1)

const isSimple = ({ evidence }: Step): boolean => evidence._tag !== "OutOfTurn" && evidence._tag !== "OutOfTime"

// ---- from a path to texts

const write = (walk: Walk, path: ReadonlyArray<Step>): ClientConversation | undefined => {
  const { medium, policy } = walk.subject
  const turns: Array<{ readonly out: Out } | { readonly in: In }> = []
  const sent = new Map<number, Sent>()
  let free = Client.firstFreeExchange
  let state = walk.opening.state
  const speak = (commands: Step["commands"]): void => {
    for (const command of commands) {
      if (command._tag === "Reopen") turns.push({ out: { reopen: true } })
      const one = sentBy(medium, command, () => free++)
      if (one === undefined) continue
      sent.set(one.exchange, one)
      turns.push({ out: outOf(medium, one) })
    }
  }
  speak(walk.opening.commands)
  for (const step of path) {
    const said = wireOf(medium, step.occurrence.event, exchangeOf(state))
    if (said === undefined || isEnding(state)) return undefined
    turns.push({ in: said.told })
    const commands: Array<Step["commands"][number]> = []
    for (const event of said.events(sent.get(exchangeOf(state)))) {
      if (isEnding(state)) break
      const next = Client.step(policy, medium, state, event)
      state = next.state
      commands.push(...next.commands)
    }
    // What is on the wire must mean what the step says; what cannot be written so is no conversation.
    if (keyOf(state) !== step.to.key || JSON.stringify(commands) !== JSON.stringify(step.commands)) return undefined
    speak(commands)
  }
  if (!isEnding(state)) return undefined
  const conversation: ClientConversation = {
    id: `client/${policy.name}@${medium.name}/${path.map(({ occurrence }) => occurrence.id).join("/")}`,
    side: "client",
    policies: [policy.name],
    medium: medium.name,
    meets: path.map(({ evidence, from }) => `${from.state._tag}.${evidence._tag}`),
    turns,
    outcome: outcomeOf(state)
  }
  const own = presetOf(walk.subject.table)
  return holds(conversation, own, medium) ? conversation : { ...conversation, bounds: "walk" }
}

const exchangeOf = (state: State): number => (isEnding(state) ? 0 : state.ledger.exchanges)

const outcomeOf = (state: Settled | Failed): Outcome => {
  if (state._tag === "Failed") {
    const { _tag, fault, retryable } = state.reason
    return { failed: { error: _tag, fault, retryable, facts: factsOf(state.reason) } }
  }
  const { named, version } = state
  return { agreed: { version, named, era: eraOf(version) ?? "legacy" } }
}

const factsOf = (reason: NegotiationReason): { readonly [name: string]: unknown } => {
  const facts: { [name: string]: unknown } = {}
  // A cause is no enumerable member of an error, so the names are asked one by one.
  for (const name of factNames) {
    const value: unknown = Reflect.get(reason, name)
    if (value !== undefined) facts[name] = name === "cause" ? causeOf(value) : value
  }
  return facts
}

const factNames: ReadonlyArray<string> = [
  "requested",
  "supported",
  "named",
  "method",
  "phase",
  "path",
  "code",
  "status",
  "exitCode",
  "signal",
  "retryAfterMillis",
  "cause"
]

const causeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "_tag" in cause ? cause._tag : undefined
