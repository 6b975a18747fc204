// What a move does is told by the comment above it, for every move of the tables, and nothing else is taken for it.
import { describe, expect, it } from "vitest"
import { movesOf } from "@parley/vectors/data/Moves"

const source = `
/** Of another thing. */
export const other = 1

/** Keep going:
 * see {@link other}, and
 * stay. */
export const goOn = move<"A" | "B">(
  "goOn",
  () => 1
)

/** Once. */
export const first = move("both", () => 1)
/** And again. */
export const second = move<A, "B">("both", () => 1)
export const silent = move("silent", () => 1)
`

describe("movesOf", () => {
  it("reads the comment above a move, on one line", () => {
    expect(movesOf(source, ["goOn", "goOn"])).toEqual({ goOn: "Keep going: see other, and stay." })
  })

  it("tells both where two moves have one name", () => {
    expect(movesOf(source, ["both"])).toEqual({ both: "Once. And again." })
  })

  it("fails where a move has no comment", () => {
    expect(() => movesOf(source, ["silent"])).toThrow("the move silent has no comment")
    expect(() => movesOf(source, ["absent"])).toThrow("the move absent has no comment")
  })
})
