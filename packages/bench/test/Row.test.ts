import * as Rounds from "../src/Rounds.ts"
import { type Bound, fault, number, rangeOf, type Row, textOf, verdict } from "../src/Row.ts"
import { describe, expect, it } from "vitest"

const row = (values: ReadonlyArray<number>, hold: Bound, more?: Partial<Row>): Row => ({
  group: "group",
  title: "title",
  unit: "×",
  floor: "1",
  parley: { name: "parley", figure: Rounds.figure(values) },
  peers: [],
  hold,
  ...more
})

describe("Row", () => {
  it("reaches its aim, holds or misses by its median", () => {
    const aim = { most: 1.2 }
    expect(verdict(row([1, 1.2, 9], { most: 1.4 }, { aim }))).toBe("aim")
    expect(verdict(row([1, 1.21, 9], { most: 1.4 }, { aim }))).toBe("holds")
    expect(verdict(row([1, 1.41, 9], { most: 1.4 }, { aim }))).toBe("misses")
  })

  it("reaches its aim by holding where it has no other", () => {
    expect(verdict(row([1], { most: 1 }))).toBe("aim")
  })

  it("holds an exact count only where every round does", () => {
    expect(verdict(row([950, 950, 949], { least: 950 }))).toBe("aim")
    expect(verdict(row([950, 950, 949], { least: 950 }, { isExact: true }))).toBe("misses")
    expect(verdict(row([3, 3, 2], { exactly: 3 }, { isExact: true }))).toBe("misses")
    expect(verdict(row([3, 3, 3], { exactly: 3 }, { isExact: true }))).toBe("aim")
  })

  it("misses every bound where nothing was measured", () => {
    for (const bound of [{ most: 1 }, { least: 1 }, { exactly: 1 }]) expect(verdict(row([], bound))).toBe("misses")
  })

  it("finds no fault with a slow figure", () => {
    expect(fault(row([9], { most: 1 }))).toBeUndefined()
  })

  it("finds fault with a count that is not exact, and with a row that was not measured", () => {
    expect(fault(row([3, 4], { exactly: 3 }, { isExact: true }))).toBe("= 3 is demanded, and it is 3–4")
    expect(fault(row([], { most: 3 }))).toBe("nothing was measured")
  })

  it("finds fault with a count that is another than it was, better or worse, and in a single round", () => {
    const of = (values: ReadonlyArray<number>) => fault(row(values, { most: 606 }, { isExact: true, expected: 490 }))
    expect(of([490, 490])).toBeUndefined()
    expect(of([491])).toBe("it was 490, and it is 491")
    expect(of([489])).toBe("it was 490, and it is 489")
    expect(of([490, 500])).toBe("it was 490, and it is 490–500")
  })

  it("writes a bound in few characters", () => {
    expect([undefined, { most: 1.4 }, { least: 950 }, { exactly: 0 }].map(textOf)).toEqual([
      "",
      "≤ 1.4",
      "≥ 950",
      "= 0"
    ])
  })

  it("writes numbers with three figures, and counts whole", () => {
    expect([0, 7, 1234.5, 123.4, 12.34, 1.234, 0.5].map(number)).toEqual([
      "0",
      "7",
      "1235",
      "123",
      "12.3",
      "1.23",
      "0.50"
    ])
  })

  it("writes a range of one value as that value", () => {
    expect(rangeOf({ median: 2, least: 1, most: 3 })).toBe("1–3")
    expect(rangeOf(Rounds.exactly(2))).toBe("2")
  })
})
