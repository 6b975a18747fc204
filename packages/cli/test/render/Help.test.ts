// Help that was formatted for no width in particular is made to fit.
import { expect, it } from "vitest"
import { fitted } from "@parley/cli/render/Help"

it("breaks what stands in a second column within that column", () => {
  expect(fitted("FLAGS\n  --row file    Keep the row in this file", 34)).toBe(
    ["FLAGS", "  --row file    Keep the row in", "                this file"].join("\n")
  )
})

it("gives what a wide first column names a line of its own", () => {
  expect(fitted("  --level <all|debug|error>    The least that is shown", 30)).toBe(
    ["  --level <all|debug|error>", "      The least that is shown"].join("\n")
  )
})

it("keeps the indent of prose", () => {
  expect(fitted("  one two three four", 12)).toBe(["  one two", "  three four"].join("\n"))
})

it("puts a blank line before a heading that has none, coloured or not", () => {
  const heading = "\u001b[1mEXAMPLES\u001b[0m"
  expect(fitted(`  conform\nEXAMPLES\n  a\n${heading}`, 80)).toBe(`  conform\n\nEXAMPLES\n  a\n\n${heading}`)
  expect(fitted("A\n\nB", 80)).toBe("A\n\nB")
})
