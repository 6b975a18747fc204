// Walks a client machine: every reachable state of a subject and every step from it. Laws are checked on what it returns;
// nothing is judged here.
import type { Step as MachineStep } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import type { Evidence } from "@parley/core/client/Evidence"
import { describe } from "@parley/core/client/Evidence"
import type { Policy } from "@parley/core/client/Policy"
import type { Awaiting, State } from "@parley/core/client/State"
import { weigh } from "@parley/core/client/Weigh"
import * as Explore from "./Explore.ts"
import { keyOf } from "./Key.ts"
import type { Occurrence } from "./Occurrences.ts"
import { occurrences } from "./Occurrences.ts"
import type { Subject } from "./Subjects.ts"

/** The machine that is walked: core's, or a mutated one to see that the laws bite. */
export interface ClientMachine {
  readonly weigh: (policy: Policy, medium: Medium, state: Awaiting, event: Event) => Evidence
  readonly begin: (policy: Policy, medium: Medium) => MachineStep<State, Command>
  readonly step: (policy: Policy, medium: Medium, state: State, event: Event) => MachineStep<State, Command>
}

/** Core's own. */
export const clientMachine: ClientMachine = { begin: Client.begin, step: Client.step, weigh }

/** What a step of a client says. */
export interface Label {
  readonly occurrence: Occurrence
  readonly evidence: Evidence
  /** `<table>.<state>.<evidence>`: stable, and unique within a machine. */
  readonly cell: string
  readonly move: string
  readonly because: string
  readonly commands: ReadonlyArray<Command>
}

/** A state as the walk found it first. */
export type Node = Explore.Node<State, Label>

/** One step: from a state, by an event, to a state. */
export type Step = Explore.Step<State, Label>

/** Everything that can happen to a subject. */
export interface Walk extends Explore.Graph<State, Label> {
  readonly subject: Subject
  readonly machine: ClientMachine
  readonly opening: MachineStep<State, Command>
}

/** A walk that finds more states than this is not finite enough to be a walk. */
export const mostStates = 50_000

/**
 * Returns the walk of a subject. `of` gives the events that are tried in a state: all of them by default; {@link distinct}
 * leaves out those that mean what another one means.
 */
export const walk = (
  subject: Subject,
  machine: ClientMachine = clientMachine,
  of: (subject: Subject, state: Awaiting) => ReadonlyArray<Occurrence> = every
): Walk => {
  const { medium, policy, table } = subject
  const opening = machine.begin(policy, medium)
  const next = (state: State): ReadonlyArray<Label & { readonly state: State }> =>
    isEnding(state)
      ? []
      : of(subject, state).map((occurrence) => {
          const made = machine.step(policy, medium, state, occurrence.event)
          const evidence = machine.weigh(policy, medium, state, occurrence.event)
          return {
            occurrence,
            evidence,
            cell: `${table}.${state._tag}.${evidence._tag}`,
            move: made.trace?.move ?? "none",
            because: made.trace?.because ?? "",
            state: made.state,
            commands: made.commands
          }
        })
  return { subject, machine, opening, ...Explore.explore({ opening: opening.state, keyOf, next }, mostStates) }
}

const every = ({ medium }: Subject, state: Awaiting): ReadonlyArray<Occurrence> => occurrences(medium, state)

/** Returns one event for each thing that an event can mean in a state: evidence, what it carries, and whether in a session. */
export const distinct = ({ medium, policy }: Subject, state: Awaiting): ReadonlyArray<Occurrence> => {
  const seen = new Set<string>()
  return occurrences(medium, state).filter(({ event }) => {
    const evidence = weigh(policy, medium, state, event)
    const code = "code" in evidence ? evidence.code : ""
    const session = "sessionId" in evidence ? evidence.sessionId : ""
    const meaning = `${describe(evidence)} ${code} ${session}`
    return seen.size < seen.add(meaning).size
  })
}

/** Returns the steps of the shortest way from the opening to a node. */
export const pathTo = (node: Node): ReadonlyArray<Step> => Explore.pathTo(node)

/** Returns whether a state is an ending. */
export const isEnding = (state: State): state is Exclude<State, Awaiting> => Client.isEnding(state)
