// The whole walk: every law holds on every run of every subject, and the tables' marks agree with what can be reached.
import { describe, expect, it } from "vitest"
import { disagreement } from "@parley/vectors/Cells"
import { clientLaws } from "@parley/vectors/Laws"
import { sayViolation } from "@parley/vectors/Say"
import { media, otherMedia } from "@parley/vectors/Subjects"
import { survey, totals, walked } from "@parley/vectors/Survey"
import { mostStates } from "@parley/vectors/Walk"
import { quick } from "./quick.ts"

const found = quick(() => survey())

describe("The whole walk of the client machine", () => {
  it("walks every subject, and each within the bound on states", () => {
    const sum = totals(found)
    console.log(
      `${sum.subjects} subjects, ${sum.states} states (${sum.endings} endings), ${sum.steps} steps, at most ${Math.max(...found.counts.map(({ depth }) => depth))} steps deep`
    )
    expect(found.counts.map(({ subject }) => subject.id)).toEqual(walked.map(({ id }) => id))
    expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length)
    const endless = found.counts.filter(({ endings, states }) => states > mostStates || endings === 0)
    expect(endless.map(({ subject }) => subject.id)).toEqual([])
  })

  it("walks every policy on every pipe that can be, and on HTTP with either kind of id", () => {
    const pipes = [...media, ...otherMedia].filter(({ streams }) => streams === "shared")
    const kinds = pipes.map(({ reopens, silence }) => `${silence} ${reopens}`)
    const all = ["maybeLegacy", "nothing"].flatMap((silence) =>
      ["never", "once"].map((reopens) => `${silence} ${reopens}`)
    )
    expect(kinds.toSorted()).toEqual(all.toSorted())
    expect([...media, ...otherMedia].filter(({ streams }) => streams === "perRequest").map(({ ids }) => ids)).toEqual([
      "integer",
      "text"
    ])
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
