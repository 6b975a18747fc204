// The shapes of a client's rules: policy, table, cell, move. Only types, so that tables and moves may know each other.
import type * as Machine from "../Machine.ts"
import type { Medium } from "../Medium.ts"
import type { Era } from "../Version.ts"
import type { Command } from "./Command.ts"
import type { EvidenceOf, EvidenceTag } from "./Evidence.ts"
import type { Awaiting, AwaitingTag, State } from "./State.ts"

/** What the client's owner wants, as data. Presets and ways to derive one are in {@link Policy} (the module). */
export interface Policy {
  /** For errors, logs and metrics. */
  readonly name: string
  /** The method that opens, where the client can live in its era. */
  readonly open: "initialize" | "discover"
  /** What follows from each evidence in each state. */
  readonly fallback: Table
  /** The revisions that the client speaks, in any order. */
  readonly versions: ReadonlyArray<string>
  /** The era without which the policy makes no sense. */
  readonly requires?: Era
  readonly budgets: Budgets
  /** Why an era is missing, where a transport or an adapter narrowed the versions. */
  readonly lacking?: string
}

/** What a negotiation may spend. */
export interface Budgets {
  /** How long the opening probe may be unanswered on a pipe, in milliseconds. Default 10,000; pinned 30,000. */
  readonly probeMillis: number
  /** How long any other exchange may be unanswered, in milliseconds. Default 30,000. */
  readonly exchangeMillis: number
  /** How long the whole negotiation may take, in milliseconds, start-up included. Default 60,000. */
  readonly negotiationMillis: number
  /** How many messages out of turn are borne. Default 64. */
  readonly outOfTurn: number
  /** How many lines that are no JSON-RPC message are borne. Default 256. */
  readonly noise: number
}

/** What a move is given. */
export interface Context<out E extends EvidenceTag = EvidenceTag> {
  readonly policy: Policy
  readonly medium: Medium
  readonly state: Awaiting
  readonly evidence: EvidenceOf<E>
}

/** What a move gives: the next state and what to do. */
export type Transition = Machine.Transition<State, Command>

/** A move that can be fed with these evidences. */
export interface Move<in E extends EvidenceTag = EvidenceTag> extends Machine.Move<Context<E>, State, Command> {
  readonly run: (context: Context<E>) => Transition
}

/** The answer for one evidence: a move that takes it, and why. */
export interface Cell<in E extends EvidenceTag> extends Machine.Cell<Context<E>, State, Command> {
  readonly move: Move<E>
}

/** The answers of one state: a missing cell, or a move that its evidence cannot feed, does not compile. */
export type Row = { readonly [E in EvidenceTag]: Cell<E> }

/** The whole of a policy's fallback. */
export type Table = { readonly [S in AwaitingTag]: Row }
