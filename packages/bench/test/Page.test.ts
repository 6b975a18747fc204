import { type Given, page } from "../src/Page.ts"
import * as Rounds from "../src/Rounds.ts"
import type { Row } from "../src/Row.ts"
import { describe, expect, it } from "vitest"

const row = (title: string, value: number): Row => ({
  group: "openings",
  title,
  unit: "×",
  floor: "fetch | 100 µs",
  parley: { name: "parley", figure: Rounds.exactly(value), cost: "120 µs" },
  peers: [{ name: "sdk2", figure: Rounds.exactly(2) }],
  hold: { most: 1.4 },
  aim: { most: 1.2 },
  heldBackBy: `Held back: ${title}.`
})

const given = (rows: ReadonlyArray<Row>): Given => ({
  day: "2026-12-01",
  minutes: 9.5,
  before: { processor: "P", cores: 2, memoryGib: 23, system: "Linux 6", node: "v24", load: 0.1 },
  loadAfter: 1.5,
  versions: [["effect", "4.1.0"]],
  groups: [{ group: { name: "openings", about: "About.", caveats: ["Beware."], run: async () => [] }, rows }],
  profiles: []
})

describe("Page", () => {
  it("tells how many rows stand how", () => {
    const text = page(given([row("a", 1), row("b", 1.3), row("c", 2)]))
    expect(text).toContain("Of 3 rows 1 reach their aim, 1 hold what is demanded without reaching it, and 1 miss it.")
  })

  it("tells of each row that does not reach its aim what holds it back, and of no other", () => {
    const text = page(given([row("a", 1), row("b", 1.3), row("c", 2)]))
    expect(text).toContain("- **holds** openings, b: 1.30 ×, held to ≤ 1.4, aim ≤ 1.2.\n\nHeld back: b.")
    expect(text).toContain("- **misses** openings, c: 2 ×, held to ≤ 1.4, aim ≤ 1.2.\n\nHeld back: c.")
    expect(text).not.toContain("Held back: a.")
    expect(page(given([row("a", 1)]))).not.toContain("What is not reached")
  })

  it("tells once what holds several rows back", () => {
    const same = [row("b", 1.3), row("c", 2)].map((one) => ({ ...one, heldBackBy: "The same." }))
    const text = page(given(same))
    expect(text).toContain("openings, b: 1.30 ×, held to ≤ 1.4, aim ≤ 1.2.\n- **misses** openings, c")
    expect(text.split("The same.")).toHaveLength(2)
  })

  it("keeps a bar within its cell", () => {
    expect(page(given([row("a", 1)]))).toContain(
      "| a | 1 ×, 120 µs | sdk2 2 × | ≤ 1.4 | ≤ 1.2 | aim | fetch \\| 100 µs |"
    )
  })
})
