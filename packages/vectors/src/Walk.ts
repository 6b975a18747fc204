// Walks a client machine breadth first: every reachable state of a subject and every step from it, with the shortest
// way to each. Laws are checked on what it returns; nothing is judged here.
import type { Step as MachineStep } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import type { Evidence } from "@parley/core/client/Evidence"
import type { Policy } from "@parley/core/client/Policy"
import type { Awaiting, State } from "@parley/core/client/State"
import { weigh } from "@parley/core/client/Weigh"
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

/** A state as the walk found it first. */
export interface Node {
  readonly index: number
  readonly key: string
  readonly state: State
  /** The step that reached it first, and so by the shortest way; absent for the opening. */
  readonly by: Step | undefined
}

/** One step: from a state, by an event, to a state. */
export interface Step {
  readonly from: Node
  readonly occurrence: Occurrence
  readonly evidence: Evidence
  /** `<table>.<state>.<evidence>`: stable, and unique within a machine. */
  readonly cell: string
  readonly move: string
  readonly because: string
  readonly to: Node
  /** The next state exactly as this step made it; `to` is the first that was found with its key. */
  readonly state: State
  readonly commands: ReadonlyArray<Command>
}

/** Everything that can happen to a subject. */
export interface Walk {
  readonly subject: Subject
  readonly machine: ClientMachine
  readonly opening: MachineStep<State, Command>
  readonly nodes: ReadonlyArray<Node>
  readonly steps: ReadonlyArray<Step>
  /** The steps that leave a node, by its index. */
  readonly leaving: ReadonlyArray<ReadonlyArray<Step>>
}

/** A walk that finds more states than this is not finite enough to be a walk. */
export const mostStates = 50_000

/** Returns the walk of a subject. */
export const walk = (subject: Subject, machine: ClientMachine = clientMachine): Walk => {
  const { medium, policy, table } = subject
  const opening = machine.begin(policy, medium)
  const nodes: Array<Node> = []
  const byKey = new Map<string, Node>()
  const nodeOf = (state: State, by: Step | undefined): Node => {
    const key = keyOf(state)
    const known = byKey.get(key)
    if (known !== undefined) return known
    const node = { index: nodes.length, key, state, by }
    nodes.push(node)
    byKey.set(key, node)
    return node
  }
  nodeOf(opening.state, undefined)
  const leaving: Array<Array<Step>> = []
  for (let index = 0; index < nodes.length && nodes.length <= mostStates; index++) {
    const from = nodes[index]
    if (from === undefined || isEnding(from.state)) {
      leaving.push([])
      continue
    }
    const { state } = from
    leaving.push(
      occurrences(medium, state).map((occurrence) => {
        const next = machine.step(policy, medium, state, occurrence.event)
        const evidence = machine.weigh(policy, medium, state, occurrence.event)
        const step: Mutable<Step> = {
          from,
          occurrence,
          evidence,
          cell: `${table}.${state._tag}.${evidence._tag}`,
          move: next.trace?.move ?? "none",
          because: next.trace?.because ?? "",
          to: from,
          state: next.state,
          commands: next.commands
        }
        step.to = nodeOf(next.state, step)
        return step
      })
    )
  }
  return { subject, machine, opening, nodes, steps: leaving.flat(), leaving }
}

/** Returns the steps of the shortest way from the opening to a node. */
export const pathTo = (node: Node): ReadonlyArray<Step> => {
  const path: Array<Step> = []
  for (let step = node.by; step !== undefined; step = step.from.by) path.push(step)
  return path.toReversed()
}

/** Returns whether a state is an ending. */
export const isEnding = (state: State): state is Exclude<State, Awaiting> => Client.isEnding(state)

type Mutable<A> = { -readonly [K in keyof A]: A[K] }
