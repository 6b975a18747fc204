// Exploring: shortest ways, cycles, and the bound.
import { describe, expect, it } from "vitest"
import type { Steps } from "@parley/vectors/Explore"
import { cycleIn, explore, pathTo } from "@parley/vectors/Explore"

const counting = (next: (at: number) => ReadonlyArray<number>): Steps<number, { readonly name: string }> => ({
  opening: 0,
  keyOf: String,
  next: (at) => next(at).map((state) => ({ state, name: String(state) }))
})

describe("explore", () => {
  it("finds every state once, by its shortest way", () => {
    const graph = explore(
      counting((at) => (at < 6 ? [at + 1, at + 3] : [])),
      100
    )
    expect(graph.nodes.map(({ state }) => state)).toEqual([0, 1, 3, 2, 4, 6, 5, 7, 8])
    const node = graph.nodes.find(({ state }) => state === 7)
    if (node === undefined) throw new Error("7 is not reached")
    expect(pathTo(node).map(({ state }) => state)).toEqual([1, 4, 7])
    expect(graph.steps).toHaveLength(12)
  })

  it("finds a cycle, and none where there is none", () => {
    expect(
      cycleIn(
        explore(
          counting((at) => (at < 3 ? [at + 1] : [])),
          100
        )
      )
    ).toBeUndefined()
    const round = cycleIn(
      explore(
        counting((at) => (at < 3 ? [at + 1] : [1])),
        100
      )
    )
    expect(round?.map(({ state }) => state)).toEqual([1, 2, 3, 1])
  })

  it("stops where there is no end", () => {
    expect(
      explore(
        counting((at) => [at + 1]),
        10
      ).nodes.length
    ).toBe(11)
  })
})
