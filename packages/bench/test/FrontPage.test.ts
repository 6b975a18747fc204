// What README tells of the measurements is what their page tells: nobody has to remember to copy it.
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

const figuresIn = (text: string): ReadonlyArray<readonly [value: string, unit: string]> =>
  [...text.matchAll(/(\d+(?:\.\d+)?) (µs|ms|KiB)/g)].map(([, value = "", unit = ""]) => [value, unit])

describe("README", () => {
  const readme = read("README.md")
  const measured = read("docs/performance.md")

  it("counts the rows as the page of the measurements does", () => {
    const [, ...counts] = /Of (\d+) rows (\d+) reach their aim, (\d+) hold .*?, and (\d+) miss it/.exec(measured) ?? []
    expect(counts).toHaveLength(4)
    const [rows, aim, hold, miss] = counts
    expect(readme).toContain(`Of the ${rows} rows there ${aim} reach their aim, ${hold} hold`)
    expect(readme).toContain(`and ${miss} miss it`)
  })

  it("tells no figure that the page does not tell, whole or as it stands there", () => {
    const told = new Set(
      figuresIn(measured).flatMap(([value, unit]) => [`${value} ${unit}`, `${Number(value).toFixed(0)} ${unit}`])
    )
    const table = /\| CPU time, and size [^]*?\n\n/.exec(readme)?.[0] ?? ""
    const shown = figuresIn(table).map(([value, unit]) => `${value} ${unit}`)
    expect(shown.length).toBeGreaterThan(20)
    expect(shown.filter((figure) => !told.has(figure))).toEqual([])
  })

  it("names the day on which it was measured", () => {
    const day = /Measured on (\d{4}-\d{2}-\d{2})/.exec(measured)?.[1] ?? "none"
    expect(readme).toContain(`on a quiet machine on ${day}`)
  })
})
