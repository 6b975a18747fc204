// codes.json says what core says: every code, every ground of a refusal with its reason, and every error with its sentence.
import { describe, expect, it } from "vitest"
import { ladder } from "@parley/core/server/Ladder"
import { codesFile } from "@parley/vectors/data/Codes"
import { json, list } from "./read.ts"

describe("The codes", () => {
  const written = json("codes.json")
  const made = codesFile({ add: () => {}, rows: () => [] })

  it.each(["codes", "grounds", "errors"] as const)("of core are the %s that are written", (part) => {
    const rows = list(JSON.parse(JSON.stringify(made[part])))
    for (const [index, row] of list(written[part]).entries()) expect(rows[index]).toEqual(row)
    expect(rows.length).toBe(list(written[part]).length)
  })

  it("are judged in requests or in all messages, where the era is modern", () => {
    const judges = ladder.flatMap((rung) => (rung.stage === "modern" ? [rung.judges] : []))
    expect(judges.length).toBeGreaterThan(10)
    expect(new Set(judges)).toEqual(new Set(["requests", "all"]))
  })
})
