// The server's door: how a conversation begins, and how one event moves it. The table decides; this file only looks up.
import type { Step } from "../Machine.ts"
import { follow } from "../Machine.ts"
import type { Command } from "./Command.ts"
import type { Compiled } from "./Compiled.ts"
import type { Event } from "./Event.ts"
import type { Evidence, EvidenceTag } from "./Evidence.ts"
import { describe } from "./Evidence.ts"
import type { Cell } from "./Rules.ts"
import type { Open, OpenTag, State } from "./State.ts"
import { awaiting } from "./State.ts"
import { table } from "./Table.ts"
import { weigh } from "./Weigh.ts"

/** Returns the beginning of a pipe's conversation: nothing is sent, and the opening deadline runs. */
export const begin = (compiled: Compiled): Step<State, Command> => ({
  state: awaiting,
  commands: [{ _tag: "StartDeadline", of: "opening", millis: compiled.profile.deadlines.openingMillis }],
  trace: {
    state: "Idle",
    event: "Begun",
    evidence: "",
    move: "await",
    because: "versioning: the client opens, with initialize or with any modern request",
    next: awaiting._tag
  }
})

/**
 * Returns the next state and what to do about an event, with a trace entry. Pure and total: no event throws, and Closed
 * accepts none (the state is returned as it is, without commands and without a trace entry).
 */
export const step = (compiled: Compiled, state: State, event: Event): Step<State, Command> => {
  if (state._tag === "Closed") return { state, commands: [] }
  const evidence = weigh(compiled, state, event)
  return follow(
    cellOf(state._tag, evidence._tag),
    { compiled, state, evidence },
    { state: state._tag, event: event._tag, evidence: describe(evidence) }
  )
}

/** Returns what {@link step} returns for an evidence that is already weighed, without a trace: for the hot path. */
export const take = (compiled: Compiled, state: Open, evidence: Evidence): Step<State, Command> =>
  cellOf(state._tag, evidence._tag).move.run({ compiled, state, evidence })

/** Returns the table's cell for an evidence in a state. */
export const cellOf = (state: OpenTag, evidence: EvidenceTag): Cell<OpenTag, EvidenceTag> =>
  // The table pairs each state and evidence with a move that takes both; a lookup by two tags cannot carry that pairing.
  table[state][evidence] as Cell<OpenTag, EvidenceTag>

/** Returns the stable id of a cell, as in `server.Serving.Ping`. It stays when the table grows. */
export const cellId = (state: OpenTag, evidence: EvidenceTag): string => `server.${state}.${evidence}`
