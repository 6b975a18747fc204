// The laws bite: each wrong machine or table breaks exactly the laws that it should, and is shown by its shortest run.
import { describe, expect, it } from "vitest"
import { clientLaws, violations } from "@parley/vectors/Laws"
import { sentences } from "@parley/vectors/laws/Design"
import { pairLaws } from "@parley/vectors/product/Laws"
import { sayViolation } from "@parley/vectors/Say"
import { serverLaws } from "@parley/vectors/server/Laws"
import { walk } from "@parley/vectors/Walk"
import { wrongs } from "./broken.ts"
import { quick } from "./quick.ts"

describe("A law bites", () => {
  it.each(wrongs.map((wrong) => [wrong.what, wrong] as const))("%s", (_, { breaks, machine, subject }) => {
    const found = quick(() => violations(walk(subject, machine)))
    const ids = found.map(({ law }) => law.id).toSorted()
    const wanted = breaks.toSorted()
    // The runs are shown only where the laws are not the ones that should break.
    if (ids.join() !== wanted.join()) expect(found.map(sayViolation).join("\n\n")).toBe(wanted.join())
    expect(ids).toEqual(wanted)
  })

  it("Every law has a wrong machine or table that breaks it.", () => {
    const bitten = new Set(wrongs.flatMap(({ breaks }) => breaks))
    expect(clientLaws.map(({ id }) => id).filter((id) => !bitten.has(id))).toEqual([])
  })

  it("A broken law prints its sentence, the subject and the shortest run.", () => {
    const wrong = wrongs.find(({ breaks }) => breaks.includes("no-verdict-from-trouble"))
    if (wrong === undefined) throw new Error("no such wrong table")
    const [found] = quick(() => violations(walk(wrong.subject, wrong.machine)))
    if (found === undefined) throw new Error("nothing is broken")
    expect(sayViolation(found).split("\n")).toEqual([
      `Broken: ${found.law.sentence}`,
      "  by auto+@http: Silence leads to Discovering",
      "  0. begin: Initializing 2025-11-25; start the deadline of the whole, 60000 ms; start the deadline of #1, 30000 ms; open; initialize #1 at 2025-11-25",
      "  1. deadline is Silence after 10000 ms: wrong, now Discovering 2026-07-28; start the deadline of #2, 30000 ms; server/discover #2 at 2026-07-28"
    ])
  })

  it("Every sentence of the design is kept by a law that is checked.", () => {
    const known = new Set([...clientLaws, ...serverLaws, ...pairLaws].map(({ id }) => id))
    expect(sentences.flatMap(({ laws }) => laws).filter((id) => !known.has(id))).toEqual([])
    expect(sentences.filter(({ laws }) => laws.length === 0)).toEqual([])
    // Section 9, counted on the page: five bounds in one clause, and eleven clauses beside it, one of them with an exception.
    expect(sentences).toHaveLength(17)
  })

  it("Ids are unique, and a sentence ends as one.", () => {
    expect(new Set(clientLaws.map(({ id }) => id)).size).toBe(clientLaws.length)
    for (const { sentence } of clientLaws) expect(sentence).toMatch(/^[A-Za-z].*\.$/)
  })
})
