import { describe, expect, it } from "vitest"
import { examine, targets } from "@parley/testing/Fuzz"
import * as Random from "@parley/testing/Random"

describe("what reads a peer", () => {
  it.each(targets)("$name", (target) => {
    for (let seed = 0; seed < 400; seed++) {
      const random = Random.make(seed)
      expect([seed, examine(target, Random.bytes(random), random)]).toEqual([seed, undefined])
    }
  })
})

describe("examine", () => {
  it("tells what a target threw", () => {
    const random = Random.make(1)
    const broken = {
      name: "broken",
      run: () => {
        throw new Error("no")
      }
    }
    expect(examine(broken, Random.bytes(random), random)).toMatch(/^it threw Error: no/)
  })

  it("gets the same bytes from the same seed, and others from another", () => {
    expect(Random.bytes(Random.make(7))).toEqual(Random.bytes(Random.make(7)))
    expect(Random.bytes(Random.make(7))).not.toEqual(Random.bytes(Random.make(8)))
  })
})
