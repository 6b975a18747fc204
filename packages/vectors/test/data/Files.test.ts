// The data files hold what their schemas say, and every id in them leads somewhere.
import { statSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { cells, isMarkedUnreachable } from "@parley/vectors/Cells"
import { serverCells } from "@parley/vectors/server/Cells"
import { allVersions, newestModern } from "@parley/core/Version"
import { json, list, object, path, text, word, words } from "./read.ts"

const names = ["client.steps", "server.steps", "conversations", "codes"] as const

describe("The data files", () => {
  it.each(names)("%s.json is what its schema says", (name) => {
    const schema = json(`${name}.schema.json`)
    const validate = new Ajv2020({ allErrors: false }).compile(schema)
    const data = json(`${name}.json`)
    expect(validate(data) || validate.errors?.slice(0, 3)).toBe(true)
    expect(validate({ ...data, surprise: 1 })).toBe(false)
  })

  it.each([
    ["client.steps", "events", { _tag: "Arrived" }],
    ["client.steps", "events", { _tag: "Rumour" }],
    ["client.steps", "states", { state: { _tag: "Failed", reason: { _tag: "Timeout" } }, via: [] }],
    ["client.steps", "states", { state: { _tag: "Keeping", asked: "2025-11-25" }, via: [] }],
    ["server.steps", "events", { _tag: "Received" }],
    ["server.steps", "states", { state: { _tag: "Serving" }, via: [] }]
  ] as const)("%s.json may not hold any thing of %s under a tag: %j", (name, member, wrong) => {
    const validate = new Ajv2020({ allErrors: false }).compile(json(`${name}.schema.json`))
    const data = json(`${name}.json`)
    expect(validate({ ...data, [member]: { ...object(data[member]), wrong } })).toBe(false)
  })

  it.each(names)("%s.json names its schema, its version and the specification, and is under 5 MB", (name) => {
    const data = json(`${name}.json`)
    expect(data["$schema"]).toBe(`./${name}.schema.json`)
    expect(word(data["dataVersion"])).toMatch(/^\d+\.\d+\.\d+$/)
    expect(data["specification"]).toBe(newestModern)
    expect(data["revisions"]).toEqual(allVersions)
    expect(statSync(path(`${name}.json`)).size).toBeLessThan(5_000_000)
  })

  it.each(["client.steps", "server.steps", "conversations"] as const)("%s.json has one entry on a line", (name) => {
    const longest = Math.max(
      ...text(`${name}.json`)
        .split("\n")
        .map((line) => line.length)
    )
    expect(longest).toBeLessThan(20_000)
  })

  it("every id is used once", () => {
    for (const [name, member] of [
      ["client.steps", "steps"],
      ["server.steps", "steps"],
      ["client.steps", "cells"],
      ["server.steps", "cells"],
      ["codes", "grounds"],
      ["conversations", "client"],
      ["conversations", "server"]
    ] as const) {
      const ids = list(json(`${name}.json`)[member]).map(({ id }) => word(id))
      expect(ids.length).toBeGreaterThan(10)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it("every reference leads somewhere", () => {
    for (const name of ["client.steps", "server.steps"] as const) {
      const data = json(`${name}.json`)
      const events = new Set(Object.keys(object(data["events"])))
      const known = new Set(list(data["cells"]).map(({ id }) => id))
      for (const step of list(data["steps"])) {
        expect(events.has(word(step["event"]))).toBe(true)
        expect(known.has(step["cell"])).toBe(true)
        expect(
          word(step["id"]).startsWith(name === "client.steps" ? word(step["from"]) : `${word(step["profile"])}@`)
        ).toBe(true)
      }
    }
    const data = json("client.steps.json")
    const states = object(data["states"])
    const events = object(data["events"])
    for (const { from, next } of list(data["steps"])) {
      expect(word(from) in states && word(next) in states).toBe(true)
    }
    for (const state of Object.values(states).map(object)) {
      const { via } = state
      if (!Array.isArray(via)) throw new Error("no way to a state")
      expect(via.every((id) => word(id) in events)).toBe(true)
    }
  })

  it("every cell that can be reached has a step", () => {
    const stepped = new Set(list(json("client.steps.json")["steps"]).map(({ cell }) => cell))
    const reachable = cells.filter((cell) => !isMarkedUnreachable(cell)).map(({ id }) => id)
    expect(reachable.filter((id) => !stepped.has(id))).toEqual([])
    const served = new Set(list(json("server.steps.json")["steps"]).map(({ cell }) => cell))
    expect(serverCells.map(({ id }) => id).filter((id) => !served.has(id))).toEqual([])
  })

  it("every cell that can be reached has a conversation, but for what has no text on the wire", () => {
    const data = json("conversations.json")
    const tables = object(data["policies"])
    const shown = new Set(
      list(data["client"]).flatMap(({ meets, policies }) =>
        words(policies).flatMap((policy) =>
          words(meets).map((met) => `${String(object(tables[policy])["table"])}.${met}`)
        )
      )
    )
    const reachable = cells.filter((cell) => !isMarkedUnreachable(cell))
    const missing = reachable.filter(({ id }) => !shown.has(id))
    // The whole negotiation's deadline is the client's own, and a pipe that breaks without an end is no text.
    expect(missing.filter(({ evidence }) => evidence !== "OutOfTime").map(({ id }) => id)).toEqual([
      "discoverFirst.Keeping.Outage"
    ])
  })
})
