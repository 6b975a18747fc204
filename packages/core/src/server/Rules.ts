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

export type StateOf<S extends OpenTag> = StateByTag[S]
type StateByTag = { readonly [S in OpenTag]: Extract<Open, { readonly _tag: S }> }

export type Transition = Machine.Transition<State, Command>
export type Move<S extends OpenTag, E extends EvidenceTag> = Machine.Move<Context<S, E>, State, Command>
export type Cell<S extends OpenTag, E extends EvidenceTag> = Machine.Cell<Context<S, E>, State, Command>
export type Row<S extends OpenTag> = { readonly [E in EvidenceTag]: Cell<S, E> }
export type Table = { readonly [S in OpenTag]: Row<S> }
