// How any table of cells is run: look the evidence up in the state's row, follow the cell's move, leave a trace.
// Knows no protocol: no method, no version, no role. Everything that moves a machine passes through `follow`.

/** What a move returns: where the conversation stands now, and what the runtime is asked to do, in order. */
export interface Transition<State, Command> {
  readonly state: State
  readonly commands: ReadonlyArray<Command>
  /** What the move has to add to the cell's reason, where it had a choice. */
  readonly note?: string
}

/** A named pure function from what is known to a transition. */
export interface Move<Context, State, Command> {
  readonly name: string
  readonly run: (context: Context) => Transition<State, Command>
}

/** The table's answer for a state and an evidence: the move to make, and why. */
export interface Cell<Context, State, Command> {
  readonly move: Move<Context, State, Command>
  /** A clause of the specification, or the reason where it is silent. */
  readonly because: string
}

/** One step, as it is kept for people: the tags, the evidence in a few words, the move and its reason. */
export interface TraceEntry {
  readonly state: string
  readonly event: string
  readonly evidence: string
  readonly move: string
  readonly because: string
  readonly next: string
  /** When, in milliseconds since the conversation began. The runtime adds it; a pure walk has none. */
  readonly atMillis?: number
}

/** What one step of a machine gives. `trace` is absent where an ending was given an event: it accepts none. */
export interface Step<State, Command> {
  readonly state: State
  readonly commands: ReadonlyArray<Command>
  readonly trace?: TraceEntry
}

/** Returns the step that a cell makes of a context, with its trace entry. */
export const follow = <Context, State extends { readonly _tag: string }, Command>(
  cell: Cell<Context, State, Command>,
  context: Context,
  labels: { readonly state: string; readonly event: string; readonly evidence: string }
): Step<State, Command> => {
  const next = cell.move.run(context)
  return {
    state: next.state,
    commands: next.commands,
    trace: {
      state: labels.state,
      event: labels.event,
      evidence: labels.evidence,
      move: cell.move.name,
      because: next.note === undefined ? cell.because : `${cell.because} (${next.note})`,
      next: next.state._tag
    }
  }
}
