// Walks a server machine: every reachable state of a subject and every step from it. Laws are checked on what it
// returns; nothing is judged here.
import type { Step as MachineStep } from "@parley/core/Machine"
import type { Command } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import type { Event } from "@parley/core/server/Event"
import type { Evidence } from "@parley/core/server/Evidence"
import * as Server from "@parley/core/server/Server"
import type { Open, State } from "@parley/core/server/State"
import { weigh } from "@parley/core/server/Weigh"
import * as Explore from "../Explore.ts"
import type { ServerOccurrence } from "./Occurrences.ts"
import { serverOccurrences } from "./Occurrences.ts"
import type { ServerSubject } from "./Subjects.ts"

/** The machine that is walked: core's, or a mutated one to see that the laws bite. */
export interface ServerMachine {
  readonly begin: (compiled: Compiled) => MachineStep<State, Command>
  readonly weigh: (compiled: Compiled, state: Open, event: Event) => Evidence
  readonly step: (compiled: Compiled, state: State, event: Event) => MachineStep<State, Command>
}

/** Core's own. */
export const serverMachine: ServerMachine = { begin: Server.begin, weigh, step: Server.step }

/** What a step of a server says. */
export interface ServerLabel {
  readonly occurrence: ServerOccurrence
  readonly evidence: Evidence
  /** `server.<state>.<evidence>`. */
  readonly cell: string
  readonly move: string
  readonly because: string
  readonly commands: ReadonlyArray<Command>
}

export type ServerStep = Explore.Step<State, ServerLabel>

/** Everything that can happen to a subject. */
export interface ServerWalk extends Explore.Graph<State, ServerLabel> {
  readonly subject: ServerSubject
  readonly machine: ServerMachine
  readonly opening: MachineStep<State, Command>
}

/** Returns the walk of a subject. */
export const serverWalk = (subject: ServerSubject, machine: ServerMachine = serverMachine): ServerWalk => {
  const { carrier, compiled } = subject
  const opening = machine.begin(compiled)
  const next = (state: State): ReadonlyArray<ServerLabel & { readonly state: State }> =>
    state._tag === "Closed"
      ? []
      : serverOccurrences(carrier).map((occurrence) => {
          const made = machine.step(compiled, state, occurrence.event)
          const evidence = machine.weigh(compiled, state, occurrence.event)
          return {
            occurrence,
            evidence,
            cell: Server.cellId(state._tag, evidence._tag),
            move: made.trace?.move ?? "none",
            because: made.trace?.because ?? "",
            state: made.state,
            commands: made.commands
          }
        })
  return {
    subject,
    machine,
    opening,
    ...Explore.explore({ opening: opening.state, keyOf: serverKeyOf, next }, mostStates)
  }
}

const mostStates = 1_000

/** Returns the structural key of a state: who the client says it is does not decide anything. */
export const serverKeyOf = (state: State): string => {
  switch (state._tag) {
    case "AwaitingOpening":
      return state.admitted ? "AwaitingOpening, admitted" : "AwaitingOpening"
    case "AwaitingInitialized":
      return `AwaitingInitialized ${state.opening.version}${state.admitted ? ", admitted" : ""}`
    case "Serving":
      return `Serving ${state.opening.version}`
    case "Closed":
      return `Closed ${state.why}`
  }
}
