// Each cell of each table changed to each other legal move: which of them a law catches, which a conversation, and which
// does the same as the table in every state that can be reached.
import type { EvidenceTag } from "@parley/core/client/Evidence"
import * as Client from "@parley/core/client/Client"
import type { Policy } from "@parley/core/client/Policy"
import { override, withBudgets } from "@parley/core/client/Policy"
import type { Cell, Context, Move } from "@parley/core/client/Rules"
import type { AwaitingTag, State } from "@parley/core/client/State"
import type { CellOfTable } from "../Cells.ts"
import { cells, isMarkedUnreachable } from "../Cells.ts"
import { shown } from "../data/ClientSteps.ts"
import { short } from "../data/Layout.ts"
import type { ClientConversation } from "../data/Conversations.ts"
import { conversationsOf, holds } from "../data/Conversations.ts"
import { keyOf } from "../Key.ts"
import { clientLaws } from "../Laws.ts"
import { occurrences } from "../Occurrences.ts"
import type { Subject, TableName } from "../Subjects.ts"
import { subjects } from "../Subjects.ts"
import { clientMachine, distinct, isEnding, walk } from "../Walk.ts"
import { legalMoves } from "./Legal.ts"

/** A cell with another move in it. */
export interface Mutant {
  readonly cell: CellOfTable
  readonly other: string
}

/** What became of a mutant. */
export type Verdict =
  /** The other move does the same in every state that can be reached; `why` is what it notes there. */
  | { readonly _tag: "Equivalent"; readonly why: string }
  | { readonly _tag: "Caught"; readonly law: string | undefined; readonly conversation: string | undefined }
  /** What a server would see is otherwise, and neither law nor conversation says so: the events that show it. */
  | { readonly _tag: "Survives"; readonly events: ReadonlyArray<string> }

/** Every mutant: each cell that can be reached, with each other move that its evidence can feed. */
export const mutants: ReadonlyArray<Mutant> = cells
  .filter((cell) => !isMarkedUnreachable(cell))
  .flatMap((cell) =>
    legalMoves[cell.evidence].filter(({ name }) => name !== cell.move).map(({ name }) => ({ cell, other: name }))
  )

/** What is known of a table before its mutants are judged: its steps by cell, and its conversations. */
export interface Known {
  readonly table: TableName
  readonly steps: ReadonlyMap<string, ReadonlyArray<Made>>
  readonly conversations: ReadonlyArray<ClientConversation>
  /** Every subject that runs the table. */
  readonly subjects: ReadonlyArray<Subject>
  /** The preset on each medium. */
  readonly presets: ReadonlyArray<Subject>
}

/** What a cell makes of an evidence in a state: what another move must make of it to be the same. */
interface Made {
  readonly context: Context
  readonly made: string
}

/** Returns what is known of a table, from all of its subjects or from those given. */
export const knowing = (table: TableName, from: ReadonlyArray<Subject> = subjects): Known => {
  const own = from.filter((subject) => subject.table === table)
  const steps = new Map<string, Array<Made>>()
  const conversations: Array<ClientConversation> = []
  for (const subject of own) {
    const policy = withBudgets(subject.policy, { outOfTurn: 1, noise: 1 })
    for (const step of walk({ ...subject, policy }, clientMachine, distinct).steps) {
      const { state } = step.from
      if (isEnding(state)) continue
      const context: Context = { policy, medium: subject.medium, state, evidence: step.evidence }
      const made = written(step)
      const others = steps.get(step.cell)
      if (others === undefined) steps.set(step.cell, [{ context, made }])
      else others.push({ context, made })
    }
    if (subject.preset) conversations.push(...conversationsOf(walk(subject)))
  }
  return { table, steps, conversations, subjects: own, presets: own.filter(({ preset }) => preset) }
}

/** Returns what becomes of a mutant: asking for both a law and a conversation, or for one of them, which is much faster. */
export const judge = (known: Known, mutant: Mutant, ask: "both" | "either" = "both"): Verdict => {
  const move = moveOf(mutant)
  const notes = new Set<string>()
  const same = (known.steps.get(mutant.cell.id) ?? []).every((made) => isSame(made, move, notes))
  if (same) return { _tag: "Equivalent", why: [...notes].toSorted().join("; ") || "it does the same" }
  const conversation = conversationAgainst(known, mutant)
  const law = ask === "both" || conversation === undefined ? lawAgainst(known, mutant) : undefined
  if (law === undefined && conversation === undefined) {
    const rare = lawAmong(known.subjects, mutant)
    if (rare !== undefined) return { _tag: "Caught", law: rare, conversation }
  }
  if (law !== undefined || conversation !== undefined) return { _tag: "Caught", law, conversation }
  const events = known.subjects.flatMap((subject) => tellApart(subject, mutant) ?? [])
  return events.length > 0
    ? { _tag: "Survives", events }
    : { _tag: "Equivalent", why: "it leads to another state, and nothing that anyone can observe differs from there" }
}

/**
 * Returns a law that a mutant breaks. Without noise, and with one event for each thing that it can mean, a walk is a
 * thirtieth as large, and no law needs more to see a wrong move; a pipe is asked first, HTTP where a pipe has no such cell.
 */
export const lawAgainst = (known: Known, mutant: Mutant): string | undefined => {
  const media = new Set((known.steps.get(mutant.cell.id) ?? []).map(({ context }) => context.medium.name))
  return lawAmong(known.presets.filter(({ medium }) => media.has(medium.name)).slice(0, 1), mutant)
}

const lawAmong = (among: ReadonlyArray<Subject>, mutant: Mutant): string | undefined => {
  for (const subject of among) {
    const policy = mutate(withBudgets(subject.policy, quiet), mutant)
    const mutated = walk({ ...subject, policy }, clientMachine, distinct)
    for (const law of clientLaws) if (law.check(mutated) !== undefined) return law.id
  }
  return undefined
}

/** Returns a conversation that a mutant holds otherwise. */
export const conversationAgainst = (known: Known, mutant: Mutant): string | undefined =>
  known.conversations.find((conversation) => {
    const subject = known.presets.find(({ medium }) => medium.name === conversation.medium)
    return (
      subject !== undefined &&
      conversation.meets.includes(`${mutant.cell.state}.${mutant.cell.evidence}`) &&
      !holds(conversation, mutate(subject.policy, mutant), subject.medium)
    )
  })?.id

/**
 * Returns the events after which a mutant does something else that can be observed: another command, or another ending.
 * Undefined where there are none, however long one looks: both are explored side by side, whole.
 */
export const tellApart = (subject: Subject, mutant: Mutant): ReadonlyArray<string> | undefined => {
  const { medium, policy } = subject
  const other = mutate(policy, mutant)
  const { state } = Client.begin(policy, medium)
  const queue: Array<{ readonly one: State; readonly two: State; readonly way: ReadonlyArray<string> }> = [
    { one: state, two: Client.begin(other, medium).state, way: [] }
  ]
  const seen = new Set<string>()
  for (let index = 0; index < queue.length; index++) {
    const at = queue[index]
    if (at === undefined) break
    const { one, two, way } = at
    if (isEnding(one) || isEnding(two)) continue
    for (const { event, id } of occurrences(medium, one)) {
      const left = Client.step(policy, medium, one, event)
      const right = Client.step(other, medium, two, event)
      const here = [...way, id]
      if (isEnding(left.state) !== isEnding(right.state)) return here
      const ended = isEnding(left.state)
      const observed = (step: typeof left): string =>
        JSON.stringify([step.commands, ended ? shown(step.state) : undefined])
      if (observed(left) !== observed(right)) return here
      const key = `${keyOf(left.state)} | ${keyOf(right.state)}`
      if (seen.has(key)) continue
      seen.add(key)
      queue.push({ one: left.state, two: right.state, way: here })
    }
  }
  return undefined
}

const quiet = { outOfTurn: 0, noise: 0 } as const

const isSame = ({ context, made }: Made, move: Move, notes: Set<string>): boolean => {
  const other = move.run(context)
  if (other.note !== undefined) notes.add(other.note)
  return written(other) === made
}

const written = ({ commands, state }: { readonly state: State; readonly commands: ReadonlyArray<unknown> }): string =>
  JSON.stringify([shown(state), commands])

const moveOf = ({ cell, other }: Mutant): Move => {
  const found = legalMoves[cell.evidence].find(({ name }) => name === other)
  // The list pairs each evidence with moves that take it; a lookup by tag and name cannot carry that pairing.
  return found as Move
}

/** Returns a policy with the mutant in its table. */
export const mutate = (policy: Policy, mutant: Mutant): Policy => {
  const cell: Cell<EvidenceTag> = { move: moveOf(mutant), because: mutant.cell.because }
  const state: AwaitingTag = mutant.cell.state
  return override(policy, state, mutant.cell.evidence, cell, policy.name)
}

/** A mark of what was judged: it changes when a cell, a move's name or a law is added or changed. */
export const fingerprint = (): string =>
  short(
    JSON.stringify([
      cells.map(({ id, move }) => [id, move]),
      mutants.map(({ other }) => other),
      clientLaws.map(({ id }) => id)
    ])
  )
