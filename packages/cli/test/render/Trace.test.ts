// Every step with its reason, within the columns there are.
import { expect, it } from "vitest"
import { plain } from "@parley/cli/render/Style"
import { trace as render } from "@parley/cli/render/Trace"
import { dangerous, hostile, trace } from "../Fixture.ts"

it("shows the step, when it was taken, and why", () => {
  expect(render(trace, plain, 80)).toEqual([
    " 1     0 ms  Idle → initialize",
    "             policy auto opens so",
    " 2    84 ms  Initializing: Agreed 2025-11-25 → settle",
    "             2025-11-25 lifecycle, Version Negotiation"
  ])
})

it("fits a narrow terminal and is harmless", () => {
  const evil = Array.from({ length: 200 }, () => ({
    state: "Initializing",
    event: "Arrived",
    evidence: hostile.repeat(50),
    move: "fail",
    because: "word ".repeat(50),
    next: "Failed"
  }))
  const lines = render(evil, plain, 40)
  expect(lines.every((line) => line.length <= 40)).toBe(true)
  expect(lines.join("\n")).not.toMatch(dangerous)
})
