// What a law is, and the three ways to check one: on the opening, on every step, on every path with a small memory.
// The laws themselves are in the files beside this one.
import type { Step, Walk } from "../Walk.ts"
import { pathTo } from "../Walk.ts"

/** A sentence that holds of every run of every subject. */
export interface Law {
  readonly id: string
  readonly sentence: string
  /** Returns the shortest run that breaks the law, or undefined where it holds. */
  readonly check: (walk: Walk) => Violation | undefined
}

/** A run that breaks a law. */
export interface Violation {
  readonly law: Law
  readonly walk: Walk
  readonly problem: string
  readonly path: ReadonlyArray<Step>
}

/** What a judge says: undefined for right, a sentence for wrong. */
export type Verdict = string | undefined

/** A law about how a run begins. */
export const onOpening = (id: string, sentence: string, judge: (walk: Walk) => Verdict): Law => {
  const law: Law = {
    id,
    sentence,
    check: (walk) => {
      const problem = judge(walk)
      return problem === undefined ? undefined : { law, walk, problem, path: [] }
    }
  }
  return law
}

/** A law about each step by itself. The walk is breadth first, so the first broken step has the shortest path. */
export const onEveryStep = (id: string, sentence: string, judge: (step: Step, walk: Walk) => Verdict): Law => {
  const law: Law = {
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
}

/** What a law about history remembers: a text or a number, so that equal memories are one. */
export type Memory = string | number

/** A small automaton that watches a run. */
export interface Observer<M extends Memory> {
  /** The memory after the opening, or what is wrong with it. */
  readonly start: (walk: Walk) => M | Broken
  /** The memory after a step, or what is wrong with it. */
  readonly see: (memory: M, step: Step, walk: Walk) => M | Broken
}

/** What an observer returns when the law is broken. */
export class Broken {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

/** A law about runs: the product of the walk and an observer is explored breadth first, whole. */
export const onEveryPath = <M extends Memory>(id: string, sentence: string, observer: Observer<M>): Law => {
  const law: Law = { id, sentence, check: (walk) => explore(law, observer, walk) }
  return law
}

interface Visit<M> {
  readonly node: number
  readonly memory: M
  readonly by: { readonly step: Step; readonly from: Visit<M> } | undefined
}

const explore = <M extends Memory>(law: Law, observer: Observer<M>, walk: Walk): Violation | undefined => {
  const first = observer.start(walk)
  if (first instanceof Broken) return { law, walk, problem: first.problem, path: [] }
  const queue: Array<Visit<M>> = [{ node: 0, memory: first, by: undefined }]
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

const pathOf = <M>(visit: Visit<M>): ReadonlyArray<Step> => {
  const path: Array<Step> = []
  for (let at = visit; at.by !== undefined; at = at.by.from) path.push(at.by.step)
  return path.toReversed()
}

/** Returns a law that is checked only where it speaks of the subject. */
export const only = (applies: (walk: Walk) => boolean, law: Law): Law => {
  const limited: Law = {
    ...law,
    check: (walk) => {
      const found = applies(walk) ? law.check(walk) : undefined
      return found === undefined ? undefined : { ...found, law: limited }
    }
  }
  return limited
}
