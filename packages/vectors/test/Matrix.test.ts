// The compatibility matrix: what happens here equals the specification's rows, on both media and for every policy.
import { describe, expect, it } from "vitest"
import { clients, deviations, matrix, servers, specified } from "@parley/vectors/Matrix"

describe("The compatibility matrix", () => {
  const outcomes = matrix()

  it.each(specified.map((row) => [`${row.client} client, ${row.server} server: ${row.outcome}`, row] as const))(
    "%s",
    (_, { client, era, outcome, server }) => {
      const own = outcomes.filter(
        (one) => one.clientSides === client && one.serverSides === server && !one.server.endsWith("alone")
      )
      expect(own.length).toBe(2 * clients.filter(({ sides }) => sides === client).length)
      for (const one of own) {
        expect(one.version === undefined ? "fails" : "works").toBe(outcome)
        if (era !== undefined) expect(one.era).toBe(era)
        if (outcome === "fails") expect(one.error).toBe("UnsupportedProtocolVersion")
      }
    }
  )

  it("has a row for every pair of eras, and no pair deviates", () => {
    const sides = ["modern", "dual", "legacy"]
    const rows = specified.map(({ client, server }) => `${client} ${server}`)
    expect(rows.toSorted()).toEqual(sides.flatMap((one) => sides.map((other) => `${one} ${other}`)).toSorted())
    expect(deviations(outcomes)).toEqual([])
  })

  it("notices an outcome that is otherwise", () => {
    const [first] = outcomes
    if (first === undefined) throw new Error("no outcome")
    expect(deviations([{ ...first, version: undefined, era: undefined, error: "Timeout" }])).toHaveLength(1)
  })

  it("a dual-era client agrees with a server of any one revision, in at most two requests", () => {
    for (const one of outcomes.filter(({ clientSides }) => clientSides === "dual")) {
      expect(one.requests).toBeLessThanOrEqual(2)
      if (one.server.endsWith("alone")) expect(`${one.version} alone`).toBe(one.server)
    }
    expect(outcomes).toHaveLength(clients.length * servers.length * 2)
  })
})
