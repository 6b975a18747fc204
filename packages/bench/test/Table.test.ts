import * as Rounds from "../src/Rounds.ts"
import type { Row } from "../src/Row.ts"
import { bestOf, shown, table } from "../src/Table.ts"
import { describe, expect, it } from "vitest"

const entry = (name: string, ...values: ReadonlyArray<number>) => ({ name, figure: Rounds.figure(values) })

const row: Row = {
  group: "opening",
  title: "to modern",
  unit: "×",
  floor: "fetch 100 µs",
  parley: entry("parley", 1.1, 1.2, 1.3, 1.4, 1.5),
  peers: [entry("slow", 3), entry("fast", 2), entry("absent", Number.NaN)],
  hold: { most: 1.4 },
  aim: { most: 1.2 }
}

describe("Table", () => {
  it("shows a group, its rows, how they stand and the best peer", () => {
    expect(table([row, { ...row, title: "exact", unit: "requests", parley: entry("parley", 1), peers: [] }])).toBe(
      [
        "             Parley              best peer  hold   aim           floor",
        "OPENING",
        "  to modern  1.30 × (1.20–1.40)  2 × fast   ≤ 1.4  ≤ 1.2  holds  fetch 100 µs",
        "  exact      1 requests                     ≤ 1.4  ≤ 1.2  aim    fetch 100 µs"
      ].join("\n")
    )
  })

  it("takes the least as the best peer, and the most where more is better", () => {
    expect(bestOf(row)?.name).toBe("fast")
    expect(bestOf({ ...row, hold: { least: 1 } })?.name).toBe("slow")
    expect(bestOf({ ...row, peers: [] })).toBeUndefined()
  })

  it("shows the middle half of a figure that varies, and its range where that is all that is known", () => {
    expect(shown(row, row.parley)).toBe("1.30 × (1.20–1.40)")
    expect(shown(row, { name: "x", figure: { median: 2, least: 1, most: 3 } })).toBe("2 × (1–3)")
    expect(shown({ ...row, unit: "" }, entry("x", 2))).toBe("2")
  })
})
