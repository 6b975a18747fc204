import * as Rounds from "../src/Rounds.ts"
import { describe, expect, it } from "vitest"

describe("Rounds", () => {
  it("measures each contender once a round, beginning with another one each time", async () => {
    const asked: Array<string> = []
    await Rounds.interleaved(["a", "b", "c"], 4, async (name, round) => {
      asked.push(`${round}${name}`)
      return 0
    })
    expect(asked.join(" ")).toBe("0a 0b 0c 1b 1c 1a 2c 2a 2b 3a 3b 3c")
  })

  it("keeps the values of a contender in the order of the rounds", async () => {
    const values = await Rounds.interleaved(["a", "b"], 3, async (name, round) => round + (name === "a" ? 0 : 10))
    expect(Rounds.of(values, "a")).toEqual([0, 1, 2])
    expect(Rounds.of(values, "b")).toEqual([10, 11, 12])
    expect(Rounds.of(values, "c")).toEqual([])
  })

  it("takes ratios within a round", () => {
    expect(Rounds.ratios([2, 9, 4], [1, 3, 8])).toEqual([2, 3, 0.5])
  })

  it("gives no number for a round that the floor lacks", () => {
    expect(Rounds.ratios([2, 9], [1])).toEqual([2, Number.NaN])
  })

  it("gives the median, the range and the middle half of an odd number of values", () => {
    expect(Rounds.figure([5, 1, 4, 2, 3])).toEqual({ median: 3, least: 1, most: 5, middle: [2, 4] })
  })

  it("takes the median of an even number of values between the two in the middle", () => {
    expect(Rounds.figure([4, 1, 2, 3])).toEqual({ median: 2.5, least: 1, most: 4, middle: [1.75, 3.25] })
  })

  it("sorts values as numbers", () => {
    expect(Rounds.figure([10, 9, 100]).median).toBe(10)
  })

  it("gives no number for no values, and where one of them is none", () => {
    expect(Rounds.figure([]).median).toBeNaN()
    expect(Rounds.figure([1, Number.NaN, 2]).median).toBeNaN()
  })
})
