// The types that tie the server's table together: a row for each state, a cell for each evidence, and in each cell a
// move that takes what that state and that evidence hold. A missing cell, or a move that they cannot feed, does not compile.
import type * as Machine from "../Machine.ts"
import type { Command } from "./Command.ts"
import type { Compiled } from "./Compiled.ts"
import type { EvidenceOf, EvidenceTag } from "./Evidence.ts"
import type { Open, OpenTag, State } from "./State.ts"

/** What a move is given. */
export interface Context<S extends OpenTag = OpenTag, E extends EvidenceTag = EvidenceTag> {
  readonly compiled: Compiled
  readonly state: StateOf<S>
  readonly evidence: EvidenceOf<E>
}

/** The state of a tag. */
export type StateOf<S extends OpenTag> = StateByTag[S]
type StateByTag = { readonly [S in OpenTag]: Extract<Open, { readonly _tag: S }> }

/** What a move gives: the next state and what to do. */
export type Transition = Machine.Transition<State, Command>
/** A function that takes what a state and an evidence hold. */
export type Move<S extends OpenTag, E extends EvidenceTag> = Machine.Move<Context<S, E>, State, Command>
/** The answer for a state and an evidence: a move, and why. */
export type Cell<S extends OpenTag, E extends EvidenceTag> = Machine.Cell<Context<S, E>, State, Command>
/** The answers of one state: a missing cell does not compile. */
export type Row<S extends OpenTag> = { readonly [E in EvidenceTag]: Cell<S, E> }
/** The whole of the server's decisions. */
export type Table = { readonly [S in OpenTag]: Row<S> }
