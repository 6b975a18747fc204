// The server's walk: every law holds on it, every cell is reached, and each wrong machine breaks exactly its laws.
import { describe, expect, it } from "vitest"
import { serverCells } from "@parley/vectors/server/Cells"
import { serverLaws, serverViolations } from "@parley/vectors/server/Laws"
import { sayServerViolation } from "@parley/vectors/server/Say"
import { serverSubjects } from "@parley/vectors/server/Subjects"
import { serverWalk } from "@parley/vectors/server/Walk"
import { wrongServers } from "./broken.ts"

const walks = serverSubjects.map((subject) => serverWalk(subject))

describe("The whole walk of the server machine", () => {
  it("walks every subject to a Closed state", () => {
    const states = walks.reduce((sum, { nodes }) => sum + nodes.length, 0)
    const steps = walks.reduce((sum, walk) => sum + walk.steps.length, 0)
    console.log(`${walks.length} subjects, ${states} states, ${steps} steps`)
    for (const { nodes } of walks) expect(nodes.some(({ state }) => state._tag === "Closed")).toBe(true)
  })

  it.each(serverLaws.map((law) => [law.sentence, law] as const))("%s", (_, law) => {
    const found = walks.flatMap((walk) => serverViolations(walk, [law]))
    expect(found.map(sayServerViolation)).toEqual([])
  })

  it("an event reaches every cell", () => {
    const reached = new Set(walks.flatMap(({ steps }) => steps.map(({ cell }) => cell)))
    expect(serverCells.map(({ id }) => id).filter((id) => !reached.has(id))).toEqual([])
  })
})

describe("A law of the server bites", () => {
  it.each(wrongServers.map((wrong) => [wrong.what, wrong] as const))("%s", (_, { breaks, machine, subject }) => {
    const of = serverSubjects.find(({ id }) => id === subject)
    if (of === undefined) throw new Error(`no subject ${subject}`)
    const found = serverViolations(serverWalk(of, machine))
    const ids = found.map(({ law }) => law.id).toSorted()
    const wanted = breaks.toSorted()
    // The runs are shown only where the laws are not the ones that should break.
    if (ids.join() !== wanted.join()) expect(found.map(sayServerViolation).join("\n\n")).toBe(wanted.join())
    expect(ids).toEqual(wanted)
  })

  it("Every law has a wrong machine that breaks it.", () => {
    const bitten = new Set(wrongServers.flatMap(({ breaks }) => breaks))
    expect(serverLaws.map(({ id }) => id).filter((id) => !bitten.has(id))).toEqual([])
  })
})
