// Mutated tables: every other legal move in every cell is caught by a law or a conversation, or does the same. Three
// tables are judged whole, of the others a sample; all of them are judged by `npm run generate -- --mutants`.
import { describe, expect, it } from "vitest"
import { cells, isMarkedUnreachable } from "@parley/vectors/Cells"
import type { Known, Mutant } from "@parley/vectors/mutants/Mutants"
import { fingerprint, judge, knowing, lawAgainst, mutants, tellApart } from "@parley/vectors/mutants/Mutants"
import { judgeServer, serverMutants } from "@parley/vectors/mutants/ServerMutants"
import { isOfThese, renderMutants } from "@parley/vectors/render/MutantsPage"
import { serverSubjects } from "@parley/vectors/server/Subjects"
import { serverWalk } from "@parley/vectors/server/Walk"
import { subjects, tableNames } from "@parley/vectors/Subjects"
import { quick } from "../quick.ts"

// A walk of every mutated machine takes its time on a busy computer.
const patience = 120_000

const presets = subjects.filter(({ preset }) => preset)

// The same sample in every run: a linear congruence, seeded.
const sample = <A>(from: ReadonlyArray<A>, size: number): ReadonlyArray<A> => {
  let seed = 20260728
  const chosen = new Set<A>()
  while (chosen.size < Math.min(size, from.length)) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const one = from[seed % from.length]
    if (one !== undefined) chosen.add(one)
  }
  return [...chosen]
}

const survivors = (known: Known, of: ReadonlyArray<Mutant>): ReadonlyArray<string> =>
  of
    .filter((mutant) => judge(known, mutant, "either")._tag === "Survives")
    .map(({ cell, other }) => `${cell.id}: ${cell.move} -> ${other}`)

describe("Mutants of the client", () => {
  it("are every other legal move in every cell that can be reached", () => {
    expect(mutants.every(({ cell, other }) => cell.move !== other && !isMarkedUnreachable(cell))).toBe(true)
    const reached = cells.filter((cell) => !isMarkedUnreachable(cell))
    const mutated = new Set(mutants.map(({ cell }) => cell.id))
    expect(reached.filter(({ id }) => !mutated.has(id))).toEqual([])
    expect(mutants.length).toBeGreaterThan(2500)
  })

  it.each(["handshakeOnly", "pinnedModern", "pinnedLegacy"] as const)("of %s: none survives", (name) => {
    const known = quick(() => knowing(name, presets))
    expect(
      quick(() =>
        survivors(
          known,
          mutants.filter(({ cell }) => cell.table === name)
        )
      )
    ).toEqual([])
  })

  it.each(["auto", "hermes", "discoverFirst", "stateless"] as const)(
    "of %s: none of a sample survives",
    (name) => {
      const known = quick(() => knowing(name, presets))
      const chosen = sample(
        mutants.filter(({ cell }) => cell.table === name),
        12
      )
      expect(quick(() => survivors(known, chosen))).toEqual([])
    },
    patience
  )

  it("A survivor would be noticed: without conversations and laws, what differs can still be told.", () => {
    const known = { ...quick(() => knowing("handshakeOnly", presets)), conversations: [] }
    const mutant = mutants.find(
      ({ cell, other }) => cell.id === "handshakeOnly.Initializing.Countered" && other === "fail"
    )
    if (mutant === undefined) throw new Error("no such mutant")
    expect(lawAgainst(known, mutant)).toBeUndefined()
    expect(judge(known, mutant)).toEqual({ _tag: "Survives", events: ["error.-32022.legacy", "error.-32022.legacy"] })
    const [subject] = known.presets
    if (subject === undefined) throw new Error("no preset")
    expect(tellApart(subject, mutant)).toEqual(["error.-32022.legacy"])
  })
})

describe("Mutants of the server", () => {
  const walks = serverSubjects.map((subject) => serverWalk(subject))

  it("are caught, or do the same", () => {
    expect(serverMutants.length).toBeGreaterThan(100)
    for (const mutant of sample(serverMutants, 20)) {
      const verdict = judgeServer(walks, mutant)
      if (verdict._tag === "Caught") expect(verdict.step).toContain("@")
    }
  })

  it("that drop what must be answered break a law", () => {
    const mutant = serverMutants.find(({ cell, other }) => cell.id === "server.Serving.Ping" && other === "drop")
    if (mutant === undefined) throw new Error("no such mutant")
    expect(judgeServer(walks, mutant)).toMatchObject({ _tag: "Caught", law: "every-request-one-answer" })
  })
})

describe("The page of mutants", () => {
  const [mutant] = mutants
  if (mutant === undefined) throw new Error("no mutant")

  it("says of which tables and laws it is", () => {
    const page = renderMutants([], [])
    expect(isOfThese(page)).toBe(true)
    expect(isOfThese(page.replace(fingerprint(), "00000000"))).toBe(false)
    expect(isOfThese(undefined)).toBe(false)
  })

  it("counts, names survivors and groups what changes nothing", () => {
    const page = renderMutants(
      [
        [mutant, { _tag: "Survives", events: ["noise", "closed"] }],
        [mutant, { _tag: "Equivalent", why: "it does the same" }],
        [mutant, { _tag: "Caught", law: "one-hold", conversation: undefined }]
      ],
      []
    )
    expect(page).toContain(`| ${tableNames[0]} | 3 | 1 | 1 | 0 | 1 |`)
    expect(page).toContain(`| \`${mutant.cell.id}\` | \`${mutant.cell.move}\` | \`${mutant.other}\` | noise, closed |`)
    expect(page).toContain(`${mutant.cell.state}.${mutant.cell.evidence} | it does the same |`)
  })
})
