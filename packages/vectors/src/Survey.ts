// One pass over all subjects: how much there is, which laws are broken, which cells are reached. Each walk is let go
// before the next, so that memory holds one.
import type { Coverage } from "./Cells.ts"
import { cover } from "./Cells.ts"
import type { ClientLaw, ClientViolation } from "./Laws.ts"
import { clientLaws, violations } from "./Laws.ts"
import type { Subject } from "./Subjects.ts"
import { otherSubjects, subjects } from "./Subjects.ts"
import type { Walk } from "./Walk.ts"
import { isEnding, walk } from "./Walk.ts"

/** How much a walk found. */
export interface Count {
  readonly subject: Subject
  readonly states: number
  readonly endings: number
  readonly steps: number
  /** The steps of the longest shortest way: how deep the walk goes. */
  readonly depth: number
}

/** What a survey found. */
export interface Survey {
  readonly counts: ReadonlyArray<Count>
  readonly violations: ReadonlyArray<ClientViolation>
  readonly coverage: Coverage
}

/** Everything that is walked. */
export const walked: ReadonlyArray<Subject> = [...subjects, ...otherSubjects]

/** Walks the subjects, checks the laws on each walk, and shows each to a visitor. */
export const survey = (
  of: ReadonlyArray<Subject> = walked,
  laws: ReadonlyArray<ClientLaw> = clientLaws,
  visit: (walk: Walk) => void = () => undefined
): Survey => {
  const counts: Array<Count> = []
  const broken: Array<ClientViolation> = []
  const coverage = new Map<string, number>()
  for (const subject of of) {
    const found = walk(subject)
    counts.push(countOf(found))
    broken.push(...violations(found, laws))
    cover(coverage, found)
    visit(found)
  }
  return { counts, violations: broken, coverage }
}

const countOf = ({ nodes, steps, subject }: Walk): Count => {
  const depths: Array<number> = []
  for (const { by, index } of nodes) depths[index] = by === undefined ? 0 : (depths[by.from.index] ?? 0) + 1
  return {
    subject,
    states: nodes.length,
    endings: nodes.filter(({ state }) => isEnding(state)).length,
    steps: steps.length,
    depth: Math.max(0, ...depths)
  }
}

/** Returns the sums of a survey: subjects, states, endings and steps. */
export const totals = ({ counts }: Survey): { subjects: number; states: number; endings: number; steps: number } => ({
  subjects: counts.length,
  states: counts.reduce((sum, { states }) => sum + states, 0),
  endings: counts.reduce((sum, { endings }) => sum + endings, 0),
  steps: counts.reduce((sum, { steps }) => sum + steps, 0)
})
