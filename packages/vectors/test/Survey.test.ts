// The whole walk: every law holds on every run of every subject, and the tables' marks agree with what can be reached.
import { describe, expect, it } from "vitest"
import { disagreement } from "@parley/vectors/Cells"
import { clientLaws } from "@parley/vectors/Laws"
import { sayViolation } from "@parley/vectors/Say"
import { subjects } from "@parley/vectors/Subjects"
import { survey, totals } from "@parley/vectors/Survey"
import { mostStates } from "@parley/vectors/Walk"
import { quick } from "./quick.ts"

const found = quick(() => survey())

describe("The whole walk of the client machine", () => {
  it("walks every subject, and each within the bound on states", () => {
    const sum = totals(found)
    console.log(
      `${sum.subjects} subjects, ${sum.states} states (${sum.endings} endings), ${sum.steps} steps, at most ${Math.max(...found.counts.map(({ depth }) => depth))} steps deep`
    )
    expect(found.counts.map(({ subject }) => subject.id)).toEqual(subjects.map(({ id }) => id))
    expect(new Set(subjects.map(({ id }) => id)).size).toBe(subjects.length)
    const endless = found.counts.filter(({ endings, states }) => states > mostStates || endings === 0)
    expect(endless.map(({ subject }) => subject.id)).toEqual([])
  })

  it.each(clientLaws.map((law) => [law.sentence, law] as const))("%s", (_, law) => {
    expect(found.violations.filter((violation) => violation.law.id === law.id).map(sayViolation)).toEqual([])
  })

  it("no event reaches a cell that is marked unreachable", () => {
    expect(disagreement(found.coverage).reached.map(({ id }) => id)).toEqual([])
  })

  it("an event reaches every cell that is not marked", () => {
    expect(disagreement(found.coverage).unreached.map(({ because, id }) => `${id}: ${because}`)).toEqual([])
  })
})
