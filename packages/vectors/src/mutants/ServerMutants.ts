// Each cell of the server's table changed to each other legal move: which of them a law catches, which a step of the
// data, and which does the same in every state that can be reached.
import { follow } from "@parley/core/Machine"
import type { EvidenceTag } from "@parley/core/server/Evidence"
import { describe } from "@parley/core/server/Evidence"
import * as Moves from "@parley/core/server/Moves"
import type { Context, Move } from "@parley/core/server/Rules"
import * as Server from "@parley/core/server/Server"
import type { OpenTag } from "@parley/core/server/State"
import { weigh } from "@parley/core/server/Weigh"
import type { ServerCell } from "../server/Cells.ts"
import { serverCells } from "../server/Cells.ts"
import { serverLaws } from "../server/Laws.ts"
import { serverSubjects } from "../server/Subjects.ts"
import type { ServerMachine, ServerWalk } from "../server/Walk.ts"
import { serverMachine, serverWalk } from "../server/Walk.ts"

type Any = Move<OpenTag, EvidenceTag>

/** A cell of the server's table with another move in it. */
export interface ServerMutant {
  readonly cell: ServerCell
  readonly other: string
  readonly move: Any
}

/** What became of a mutant. What is not the same is otherwise at some step, and every step is in the data. */
export type ServerVerdict =
  | { readonly _tag: "Equivalent" }
  | { readonly _tag: "Caught"; readonly law: string | undefined; readonly step: string }

// A move is tried only where its state and its evidence can feed it; the pairing is told here by tags, which the
// compiler cannot follow, so each move is widened once.
const taking = <S extends OpenTag, E extends EvidenceTag>(
  move: Move<S, E>,
  states: ReadonlyArray<OpenTag>,
  evidence: ReadonlyArray<EvidenceTag>
): { readonly move: Any; readonly states: ReadonlyArray<OpenTag>; readonly evidence: ReadonlyArray<EvidenceTag> } => ({
  move: move as unknown as Any,
  states,
  evidence
})

const anyState: ReadonlyArray<OpenTag> = ["AwaitingOpening", "AwaitingInitialized", "Serving"]
const opened: ReadonlyArray<OpenTag> = ["AwaitingInitialized", "Serving"]
const refusing: ReadonlyArray<EvidenceTag> = [
  "OpenedBadly",
  "VersionUnserved",
  "HeadersDisagree",
  "EnvelopeInvalid",
  "MethodUnknown",
  "CapabilityMissing",
  "Malformed"
]
const every = [...new Set(serverCells.map(({ evidence }) => evidence))]

const legal = [
  taking(Moves.drop, anyState, every),
  taking(Moves.end, anyState, every),
  taking(Moves.remove, anyState, every),
  taking(Moves.refuse, anyState, refusing),
  taking(Moves.open, ["AwaitingOpening"], ["Opened"]),
  taking(Moves.repeat, anyState, ["Opened"]),
  taking(Moves.begin, ["AwaitingInitialized"], ["Initialized"]),
  taking(Moves.pong, anyState, ["Ping"]),
  taking(Moves.miss, ["AwaitingOpening"], ["LegacyRequest"]),
  taking(Moves.admitLegacy, opened, ["LegacyRequest"]),
  taking(Moves.admitModern, anyState, ["ModernRequest"]),
  taking(Moves.interleave, anyState, ["ModernRequest"]),
  taking(Moves.hear, anyState, ["Notification"]),
  taking(Moves.hearEarly, ["AwaitingOpening"], ["Notification"]),
  taking(Moves.resolve, anyState, ["Response"]),
  taking(Moves.expire, ["AwaitingOpening", "AwaitingInitialized"], ["DeadlinePassed"]),
  taking(Moves.expireIdle, ["Serving"], ["DeadlinePassed"])
]

/** Every mutant of the server's table. */
export const serverMutants: ReadonlyArray<ServerMutant> = serverCells.flatMap((cell) =>
  legal
    .filter(
      ({ evidence, move, states }) =>
        states.includes(cell.state) &&
        evidence.includes(cell.evidence) &&
        move !== Server.cellOf(cell.state, cell.evidence).move
    )
    .map(({ move }) => ({ cell, other: move.name, move }))
)

/** Returns what becomes of a mutant, given the walks of the machine as it is. */
export const judgeServer = (walks: ReadonlyArray<ServerWalk>, mutant: ServerMutant): ServerVerdict => {
  const step = walks
    .flatMap((walk) => walk.steps.map((one) => ({ walk, one })))
    .find(({ one, walk }) => {
      const { state } = one.from
      if (one.cell !== mutant.cell.id || state._tag === "Closed") return false
      const context: Context = { compiled: walk.subject.compiled, state, evidence: one.evidence }
      const made = mutant.move.run(context)
      return JSON.stringify([made.state, made.commands]) !== JSON.stringify([one.state, one.commands])
    })
  if (step === undefined) return { _tag: "Equivalent" }
  const machine = withMutant(mutant)
  const law = serverSubjects
    .map((subject) => serverWalk(subject, machine))
    .flatMap((mutated) => serverLaws.filter(({ check }) => check(mutated) !== undefined))[0]
  return { _tag: "Caught", law: law?.id, step: `${step.walk.subject.id}/${step.one.occurrence.id}` }
}

const withMutant = ({ cell, move }: ServerMutant): ServerMachine => ({
  ...serverMachine,
  step: (compiled, state, event) => {
    if (state._tag === "Closed") return { state, commands: [] }
    const evidence = weigh(compiled, state, event)
    const own = Server.cellOf(state._tag, evidence._tag)
    const mutated = state._tag === cell.state && evidence._tag === cell.evidence ? { ...own, move } : own
    return follow(
      mutated,
      { compiled, state, evidence },
      { state: state._tag, event: event._tag, evidence: describe(evidence) }
    )
  }
})
