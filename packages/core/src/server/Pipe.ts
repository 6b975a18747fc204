// The pure entry for a pipe: from a line to the machine's commands. It reads and writes nothing.
import type { Step, TraceEntry } from "../Machine.ts"
import type { Line } from "../Lines.ts"
import { parse } from "../Message.ts"
import { climbBody, notUtf8 } from "./BodyRungs.ts"
import type { Command } from "./Command.ts"
import type { Compiled } from "./Compiled.ts"
import type { Event } from "./Event.ts"
import { noRoom, overlong } from "./Grounds.ts"
import { batchAtVersion } from "./LegacyRungs.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import { step } from "./Server.ts"
import type { State } from "./State.ts"

/** What a line comes to. */
export interface Taken {
  readonly state: State
  readonly commands: ReadonlyArray<Command>
  /** Whether the line was a batch: its answers go out in one array, on one line. */
  readonly batched: boolean
  readonly trace: ReadonlyArray<TraceEntry>
}

/**
 * Returns the next state and what to do about a line. `unanswered` counts the requests of this pipe that were delivered
 * and are not yet answered: past the profile's bound another is refused as busy. Nothing is read once the state is Closed.
 */
export const receive = (compiled: Compiled, state: State, line: Line, unanswered: number): Taken => {
  if (line._tag === "Overlong") return one(compiled, state, unreadable(overlong(line.limitBytes)), unanswered)
  if (line.isMended === true) return one(compiled, state, unreadable(notUtf8), unanswered)
  const sent = climbBody(compiled, parse(line.text))
  if (!("_tag" in sent)) return one(compiled, state, unreadable(sent), unanswered)
  if (sent._tag === "One") return one(compiled, state, { _tag: "Received", value: sent.message }, unanswered)
  const problem = batchAtVersion.check(compiled, { headers: {}, sessionId: undefined, state, batched: true })
  if (problem !== undefined) return one(compiled, state, unreadable(refusal(batchAtVersion, problem)), unanswered)
  return many(compiled, state, sent.members, unanswered)
}

const one = (compiled: Compiled, state: State, event: Event, unanswered: number): Taken => {
  const next = step(compiled, state, event)
  return {
    state: next.state,
    commands: bounded(compiled, next, unanswered),
    batched: false,
    trace: next.trace === undefined ? [] : [next.trace]
  }
}

const many = (compiled: Compiled, state: State, members: ReadonlyArray<unknown>, unanswered: number): Taken => {
  let at = state
  const commands: Array<Command> = []
  const trace: Array<TraceEntry> = []
  for (const value of members) {
    const delivered = commands.filter(({ _tag }) => _tag === "Deliver").length
    const taken = one(compiled, at, { _tag: "Received", value, batched: true }, unanswered + delivered)
    at = taken.state
    commands.push(...taken.commands)
    trace.push(...taken.trace)
  }
  return { state: at, commands, batched: true, trace }
}

const bounded = (
  compiled: Compiled,
  { commands }: Step<State, Command>,
  unanswered: number
): ReadonlyArray<Command> => {
  const most = compiled.profile.limits.unanswered
  return unanswered < most
    ? commands
    : commands.map((command) =>
        command._tag === "Deliver" ? { _tag: "Refuse", refusal: noRoom(most, command.request.id) } : command
      )
}

const unreadable = (refusal: Refusal): Event => ({ _tag: "Unreadable", refusal })
