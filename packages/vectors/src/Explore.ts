// Breadth-first exploration of anything that steps: its states by key, the steps between them, the shortest ways.
// Knows no machine and no law.

/** A state as it was found first. */
export interface Node<State, Label> {
  readonly index: number
  readonly key: string
  readonly state: State
  /** The step that reached it first, and so by the shortest way; absent for the opening. */
  readonly by: Step<State, Label> | undefined
}

/** A step between nodes, with what its label says. `state` is exactly what it led to; `to` the first with its key. */
export type Step<State, Label> = Label & {
  readonly from: Node<State, Label>
  readonly to: Node<State, Label>
  readonly state: State
}

/** All that can be reached. */
export interface Graph<State, Label> {
  readonly nodes: ReadonlyArray<Node<State, Label>>
  readonly steps: ReadonlyArray<Step<State, Label>>
  /** The steps that leave a node, by its index. */
  readonly leaving: ReadonlyArray<ReadonlyArray<Step<State, Label>>>
}

/** Something that can be walked: where it begins, when two states are one, and what follows from a state. */
export interface Steps<State, Label> {
  readonly opening: State
  readonly keyOf: (state: State) => string
  /** Everything that can happen in a state; nothing for an ending. */
  readonly next: (state: State) => ReadonlyArray<Label & { readonly state: State }>
}

/** Returns everything that can be reached. Stops after `most` states: what finds more is not finite enough. */
export const explore = <State, Label>(steps: Steps<State, Label>, most: number): Graph<State, Label> => {
  const nodes: Array<Node<State, Label>> = []
  const byKey = new Map<string, Node<State, Label>>()
  const leaving: Array<ReadonlyArray<Step<State, Label>>> = []
  const all: Array<Step<State, Label>> = []
  const add = (key: string, state: State, by: Step<State, Label> | undefined): Node<State, Label> => {
    const node = { index: nodes.length, key, state, by }
    nodes.push(node)
    byKey.set(key, node)
    return node
  }
  add(steps.keyOf(steps.opening), steps.opening, undefined)
  for (let index = 0; index < nodes.length && nodes.length <= most; index++) {
    const from = nodes[index]
    if (from === undefined) break
    const out: Array<Step<State, Label>> = []
    for (const one of steps.next(from.state)) {
      const key = steps.keyOf(one.state)
      const known = byKey.get(key)
      const step = { ...one, from, to: known ?? from }
      // A new node and the step that found it know each other.
      if (known === undefined) step.to = add(key, one.state, step)
      out.push(step)
      all.push(step)
    }
    leaving.push(out)
  }
  return { nodes, steps: all, leaving }
}

/** Returns the steps of the shortest way from the opening to a node. */
export const pathTo = <State, Label>(node: Node<State, Label>): ReadonlyArray<Step<State, Label>> => {
  const path: Array<Step<State, Label>> = []
  for (let step = node.by; step !== undefined; step = step.from.by) path.push(step)
  return path.toReversed()
}

/** Returns a way that passes a node twice, or undefined where every way has an end. */
export const cycleIn = <State, Label>({
  leaving
}: Graph<State, Label>): ReadonlyArray<Step<State, Label>> | undefined => {
  const done = new Set<number>()
  const onWay = new Set<number>([0])
  // Depth first, without recursion: a step to a node on the present way closes a cycle.
  const way: Array<{ readonly node: number; next: number }> = [{ node: 0, next: 0 }]
  const taken: Array<Step<State, Label>> = []
  for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
    const step = leaving[top.node]?.[top.next]
    top.next += 1
    if (step === undefined) {
      done.add(top.node)
      onWay.delete(top.node)
      way.pop()
      taken.pop()
    } else if (onWay.has(step.to.index)) {
      return [...taken, step]
    } else if (!done.has(step.to.index)) {
      way.push({ node: step.to.index, next: 0 })
      onWay.add(step.to.index)
      taken.push(step)
    }
  }
  return undefined
}
