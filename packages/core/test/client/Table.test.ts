// The rows that policies share, and that one's own tables may begin with. What follows from an evidence under a preset is
// tested policy by policy.
import { describe, expect, it } from "@effect/vitest"
import { countering, counteringListening, failing, holding, keeping, never } from "@parley/core/client/Table"

describe("every row that policies share", () => {
  it.each(
    Object.entries({ failing, holding, countering, counteringListening, keeping, never: never("the owner says so") })
  )("%s gives a reason for each evidence, and tells which cells no event reaches", (_, row) => {
    for (const [evidence, { because, move }] of Object.entries(row)) {
      const reason = because.replace(/^Unreachable: /, "")
      expect([evidence, reason]).toEqual([evidence, expect.stringMatching(/^\S.{11,}$/)])
      if (reason !== because) expect([evidence, move.name]).toEqual([evidence, "fail"])
    }
  })
})
