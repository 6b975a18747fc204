import * as Clauses from "@parley/cli/conform/Clauses"
import { conversations } from "@parley/cli/conform/Data"
import { requirements } from "@parley/vectors/requirements/All"
import { describe, expect, it } from "vitest"

const places = new Set(requirements.map(({ place }) => place))

describe("Clauses", () => {
  it("name only places that the list of requirements has", () => {
    for (const clause of [...Object.values(Clauses.ofMessages), ...Object.values(Clauses.ofAnswers)]) {
      if (clause.place !== "" || clause.level.startsWith("MUST"))
        expect([clause.place, places.has(clause.place)]).toEqual([clause.place, true])
    }
  })

  it("have a reason for every cell that a conversation meets", () => {
    const { client, policies } = conversations()
    for (const { medium, meets, policies: names } of client) {
      for (const name of names) {
        for (const met of meets) {
          const clause = Clauses.ofCell(`${policies[name]?.table}.${met}`, medium)
          expect([name, met, clause.says === "the table says so"]).toEqual([name, met, false])
          if (clause.place !== "") expect(places.has(clause.place)).toBe(true)
        }
      }
    }
  })

  it("have a reason for every rung on which a conversation is refused", () => {
    const rungs = new Set(
      [...JSON.stringify(conversations().server).matchAll(/rung\\+":\\+"([\w.-]+)/g)].map(([, id]) => id)
    )
    expect(rungs.size).toBeGreaterThan(20)
    for (const rung of rungs)
      expect(Clauses.ofRung(rung ?? "", "http").says).not.toContain("Parley's server refuses it")
  })

  it("are a requirement only where it demands just that, on that carrier", () => {
    expect(Clauses.ofRung("origin", "http").level).toBe("MUST")
    expect(Clauses.ofRung("origin", "http", ["2025-11-25"]).place).toBe("basic/transports#security-warning")
    expect(Clauses.ofRung("host", "http").level).toBe("page")
    expect(Clauses.ofRung("legacy.init-repeated", "http").level).toBe("choice")
    expect(Clauses.ofRung("modern.method", "http").place).toBe(
      "basic/transports/streamable-http#protocol-version-header"
    )
    expect(Clauses.ofRung("modern.method", "stdio").place).toBe("")
    expect(Clauses.ofCell("discoverFirst.Discovering.ModernSign", "http").level).toBe("SHOULD")
    expect(Clauses.ofCell("auto.Initializing.Countered", "http").level).toBe("page")
  })
})
