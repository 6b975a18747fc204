// The client's steps as data for other languages: states, events and steps with stable ids. One step for every thing
// that a cell can do, and in the opening state one for every event.
import type { Event } from "@parley/core/client/Event"
import { describe } from "@parley/core/client/Evidence"
import type { Command } from "@parley/core/client/Command"
import type { State } from "@parley/core/client/State"
import { methodOf } from "@parley/core/client/State"
import { cells } from "../Cells.ts"
import { keyOf } from "../Key.ts"
import { media, presetOf, subjects, walkBudgets } from "../Subjects.ts"
import type { Node, Step, Walk } from "../Walk.ts"
import { isEnding, pathTo } from "../Walk.ts"
import { withoutTexts } from "./Growth.ts"
import { header, short, sorted } from "./Layout.ts"

/** A step, with references to a state and an event. */
export interface StepRow {
  readonly id: string
  readonly policy: string
  readonly medium: string
  readonly from: string
  readonly event: string
  readonly cell: string
  readonly evidence: string
  readonly move: string
  readonly because: string
  readonly next: string
  readonly commands: ReadonlyArray<Command>
}

/**
 * A state, and a shortest way to it: the ids of the events from the opening on. An ending is exactly the state that its id
 * stands for. What an awaiting state remembers of the opening may read otherwise than after another way; it goes on alike.
 */
export interface StateRow {
  readonly state: unknown
  readonly via: ReadonlyArray<string>
}

/** What gathers the steps while the subjects are walked. */
export interface ClientSteps {
  readonly add: (walk: Walk) => void
  /** The file; `moves` is what each move does, in a sentence. */
  readonly file: (moves: { readonly [name: string]: string }) => { readonly [key: string]: unknown }
}

/** Returns a collection that is empty. Only presets as they stand are gathered; of the pinned ones, one of each era. */
export const gatherClientSteps = (): ClientSteps => {
  const openings: Array<unknown> = []
  const states = new Map<string, StateRow>()
  const events = new Map<string, Event>()
  const steps = new Map<string, StepRow>()

  const add = (walk: Walk): void => {
    const { nodes, opening, subject } = walk
    if (!subject.preset) return
    const policy = subject.policy.name
    const medium = subject.medium.name
    const subjectId = `${policy}@${medium}`
    const first = nodes[0]
    if (first === undefined) return
    openings.push({ policy, medium, next: `${subjectId}/${stateId(first.state)}`, commands: opening.commands })
    keep(subject, first.state, [])
    const seen = new Set<string>()
    for (const node of nodes) {
      for (const step of walk.leaving[node.index] ?? []) {
        const once = node.index === 0 ? step.occurrence.id : outcomeOf(step)
        if (seen.has(once) || !isTold(node, step)) continue
        seen.add(once)
        const row = rowOf(step, policy, medium)
        steps.set(row.id, row)
        keep(subject, node.state, pathTo(node))
        if (isEnding(step.state)) keep(subject, step.state, [...pathTo(node), step])
        else keep(subject, step.to.state, pathTo(step.to))
      }
    }
  }

  const keep = ({ medium, policy }: Walk["subject"], state: State, way: ReadonlyArray<Step>): void => {
    const id = `${policy.name}@${medium.name}/${stateId(state)}`
    if (states.has(id)) return
    states.set(id, { state: shown(state), via: way.map((step) => keepEvent(step, medium.name)) })
  }

  const keepEvent = (step: Step, medium: string): string => {
    const id = eventId(step, medium)
    const { event } = step.occurrence
    const known = events.get(id)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(event)) throw new Error(`two events are ${id}`)
    events.set(id, event)
    return id
  }

  const rowOf = (step: Step, policy: string, medium: string): StepRow => ({
    id: `${policy}@${medium}/${stateId(step.from.state)}/${step.occurrence.id}`,
    policy,
    medium,
    from: `${policy}@${medium}/${stateId(step.from.state)}`,
    event: keepEvent(step, medium),
    cell: step.cell,
    evidence: describe(step.evidence),
    move: step.move,
    because: step.because,
    next: `${policy}@${medium}/${stateId(step.state)}`,
    commands: step.commands
  })

  const file: ClientSteps["file"] = (moves) => ({
    ...header("client.steps.schema.json"),
    media: Object.fromEntries(media.map((medium) => [medium.name, medium])),
    policies: policyRows(),
    walkBudgets,
    moves,
    cells: cells.map(({ because, id, move }) => ({ id, move, because })),
    events: sorted(events),
    states: sorted(states),
    openings,
    steps: Object.values(sorted(steps))
  })

  return { add, file }
}

// Every event in the opening state; elsewhere what is out of turn only where it passes the bound.
const isTold = (node: Node, step: Step): boolean => {
  if (isEnding(node.state)) return false
  const { exchanges, noise, outOfTurn } = node.state.ledger
  if (outOfTurn + noise === 0) return true
  return exchanges === 1 && (step.evidence._tag === "OutOfTurn" || describe(step.evidence).includes("more than"))
}

// What a step does, apart from who it was that brought it about.
const outcomeOf = (step: Step): string => {
  const { state } = step
  const next = isEnding(state)
    ? keyOf(state)
    : `${state._tag} ${state.asked} ${state.ledger.exchanges} ${state.ledger.outOfTurn} ${state.ledger.noise}`
  return [step.cell, step.because, next, JSON.stringify(step.commands)].join(" ")
}

/**
 * Returns the stable id of a state: its tag, and a short name for all that decides how it goes on, or of an ending for all
 * that it says, apart from the sentence for people.
 */
export const stateId = (state: State): string =>
  `${state._tag}-${short(isEnding(state) ? JSON.stringify(withoutTexts(shown(state))) : keyOf(state))}`

// The content of an event depends on the exchange, for an answer on the method, and for a list on what was asked.
const eventId = ({ from, occurrence }: Step, medium: string): string => {
  const state: State = from.state
  if (isEnding(state)) return occurrence.id
  const asked = JSON.stringify(occurrence.event).includes(`"requested"`) ? `@${state.asked}` : ""
  return `${isOfMedium(occurrence.event) ? medium : "any"}.${state.ledger.exchanges}.${methodOf(state)}.${occurrence.id}${asked}`
}

// Over HTTP an answer names the exchange on whose response it came, and noise is another.
const isOfMedium = (event: Event): boolean =>
  event._tag === "Stray" || event._tag === "Unanswered" || (event._tag === "Arrived" && event.exchange !== undefined)

/** Returns a state as JSON shows it; an error with its message, its fault and whether trying again can help. */
export const shown = (state: State): unknown => {
  if (state._tag !== "Failed") return state
  const { reason } = state
  const { name: _, stack: __, ...fields } = Object.fromEntries(Object.entries(reason))
  return {
    _tag: "Failed",
    reason: {
      _tag: reason._tag,
      fault: reason.fault,
      retryable: reason.retryable,
      message: reason.message,
      ...fields,
      ...("cause" in reason && isTagged(reason.cause) ? { cause: { _tag: reason.cause._tag } } : undefined)
    }
  }
}

const isTagged = (value: unknown): value is { readonly _tag: string } =>
  typeof value === "object" && value !== null && "_tag" in value

/** Returns the policies that the data speaks of: their table, opening, versions and budgets. */
export const policyRows = (): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    subjects
      .filter(({ medium, preset }) => preset && medium.name === "stdio")
      .map(({ policy, table }) => [
        policy.name,
        { table, open: policy.open, versions: policy.versions, budgets: presetOf(table).budgets }
      ])
  )
