import { describe, expect, it } from "@effect/vitest"
import { bounded, isWithin, mostDeep } from "@parley/core/server/Identity"

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })

describe("Identity.isWithin", () => {
  // Counted as JSON writes it: two quotes around a text, five characters for anything else, four around a name.
  it("counts a value about as JSON writes it", () => {
    const sizes: ReadonlyArray<readonly [unknown, number]> = [
      ["abc", 5],
      [7, 5],
      [null, 5],
      [true, 5],
      [{}, 2],
      [[], 2],
      [{ ab: "c" }, 11],
      [{ a: 1, b: {} }, 19]
    ]
    for (const [value, size] of sizes) {
      expect([value, isWithin(value, size)]).toEqual([value, true])
      expect([value, isWithin(value, size - 1)]).toEqual([value, false])
    }
  })

  it("goes on counting where a member has used up all of it", () => {
    expect(isWithin({ a: 1 }, 12)).toBe(true)
    expect(isWithin({ a: 1, b: {} }, 12)).toBe(false)
  })

  it("is false from a depth on, whatever the size", () => {
    expect(isWithin(nested(mostDeep), 1e6)).toBe(true)
    expect(isWithin(nested(mostDeep + 1), 1e6)).toBe(false)
  })

  it("stops as soon as the bound is passed", () => {
    let read = 0
    const costly = Object.defineProperty({}, "x", { enumerable: true, get: () => (read += 1) })
    expect(isWithin({ large: "x".repeat(1000), costly }, 100)).toBe(false)
    expect(read).toBe(0)
    expect(isWithin({ small: "x", costly }, 100)).toBe(true)
    expect(read).toBe(1)
  })
})

describe("Identity.bounded", () => {
  it("keeps all of it within the bound, else the name and the version, cut", () => {
    expect(bounded({ name: "x", title: "T" }, "a", "1", 100)).toEqual({ name: "a", title: "T", version: "1" })
    const cut = bounded({ title: "T".repeat(100) }, "n".repeat(300), "v".repeat(300), 50)
    expect(cut).toEqual({ name: "n".repeat(200), version: "v".repeat(200) })
  })
})
