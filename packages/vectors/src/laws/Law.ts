// What a law is, and the three ways to check one: on the opening, on every step, on every path with a small memory.
// The laws themselves are in the files beside this one.
import type { Graph, Step } from "../Explore.ts"
import { pathTo } from "../Explore.ts"

/** A sentence that holds of every run of everything that is walked. */
export interface Law<Walk, S> {
  readonly id: string
  readonly sentence: string
  /** Returns the shortest run that breaks the law, or undefined where it holds. */
  readonly check: (walk: Walk) => Violation<Walk, S> | undefined
}

/** A run that breaks a law. */
export interface Violation<Walk, S> {
  readonly law: Law<Walk, S>
  readonly walk: Walk
  readonly problem: string
  readonly path: ReadonlyArray<S>
}

/** What a judge says: undefined for right, a sentence for wrong. */
export type Verdict = string | undefined

/** What a law about history remembers: a text or a number, so that equal memories are one. */
export type Memory = string | number

/** A small automaton that watches a run. */
export interface Observer<Walk, S, M extends Memory> {
  /** The memory after the opening, or what is wrong with it. */
  readonly start: (walk: Walk) => M | Broken
  /** The memory after a step, or what is wrong with it. */
  readonly see: (memory: M, step: S, walk: Walk) => M | Broken
}

/** What an observer returns when the law is broken. */
export class Broken {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

/** The ways to make a law about one kind of walk. */
export interface Ways<Walk, S> {
  /** A law about how a run begins. */
  readonly onOpening: (id: string, sentence: string, judge: (walk: Walk) => Verdict) => Law<Walk, S>
  /** A law about each step by itself. The walk is breadth first, so the first broken step has the shortest path. */
  readonly onEveryStep: (id: string, sentence: string, judge: (step: S, walk: Walk) => Verdict) => Law<Walk, S>
  /** A law about runs: the product of the walk and an observer is explored breadth first, whole. */
  readonly onEveryPath: <M extends Memory>(id: string, sentence: string, observer: Observer<Walk, S, M>) => Law<Walk, S>
  /** A law that is checked only where it speaks of the walk. */
  readonly only: (applies: (walk: Walk) => boolean, law: Law<Walk, S>) => Law<Walk, S>
}

/** Returns the ways to make a law about one kind of walk. */
export const ways = <State, Label, Walk extends Graph<State, Label>>(): Ways<Walk, Step<State, Label>> => ({
  onOpening: (id, sentence, judge) => {
    const law: Law<Walk, Step<State, Label>> = {
      id,
      sentence,
      check: (walk) => {
        const problem = judge(walk)
        return problem === undefined ? undefined : { law, walk, problem, path: [] }
      }
    }
    return law
  },
  onEveryStep: (id, sentence, judge) => {
    const law: Law<Walk, Step<State, Label>> = {
      id,
      sentence,
      check: (walk) => {
        for (const step of walk.steps) {
          const problem = judge(step, walk)
          if (problem !== undefined) return { law, walk, problem, path: [...pathTo(step.from), step] }
        }
        return undefined
      }
    }
    return law
  },
  onEveryPath: (id, sentence, observer) => {
    const law: Law<Walk, Step<State, Label>> = { id, sentence, check: (walk) => watch(law, observer, walk) }
    return law
  },
  only: (applies, law) => {
    const limited: Law<Walk, Step<State, Label>> = {
      ...law,
      check: (walk) => {
        const found = applies(walk) ? law.check(walk) : undefined
        return found === undefined ? undefined : { ...found, law: limited }
      }
    }
    return limited
  }
})

interface Visit<S, M> {
  readonly node: number
  readonly memory: M
  readonly by: { readonly step: S; readonly from: Visit<S, M> } | undefined
}

const watch = <State, Label, Walk extends Graph<State, Label>, M extends Memory>(
  law: Law<Walk, Step<State, Label>>,
  observer: Observer<Walk, Step<State, Label>, M>,
  walk: Walk
): Violation<Walk, Step<State, Label>> | undefined => {
  const first = observer.start(walk)
  if (first instanceof Broken) return { law, walk, problem: first.problem, path: [] }
  const queue: Array<Visit<Step<State, Label>, M>> = [{ node: 0, memory: first, by: undefined }]
  const seen: Array<Set<M>> = walk.nodes.map(() => new Set<M>())
  seen[0]?.add(first)
  for (let index = 0; index < queue.length; index++) {
    const visit = queue[index]
    if (visit === undefined) break
    for (const step of walk.leaving[visit.node] ?? []) {
      const memory = observer.see(visit.memory, step, walk)
      if (memory instanceof Broken) {
        return { law, walk, problem: memory.problem, path: [...pathOf(visit), step] }
      }
      const known = seen[step.to.index]
      if (known === undefined || known.has(memory)) continue
      known.add(memory)
      queue.push({ node: step.to.index, memory, by: { step, from: visit } })
    }
  }
  return undefined
}

const pathOf = <S, M>(visit: Visit<S, M>): ReadonlyArray<S> => {
  const path: Array<S> = []
  for (let at = visit; at.by !== undefined; at = at.by.from) path.push(at.by.step)
  return path.toReversed()
}
