// What a change of the data asks of its version.
import { describe, expect, it } from "vitest"
import { changeOf, isFollowed, versionOf } from "@parley/vectors/data/Growth"
import { text } from "./read.ts"

const file = (version: string, members: object): string =>
  `{\n"dataVersion": "${version}",\n${JSON.stringify(members).slice(1, -1)}\n}`

const one = { id: "auto.Initializing.Agreed", move: "settle", because: "so" }
const other = { id: "auto.Initializing.Busy", move: "fail", because: "so" }

describe("A change of the data", () => {
  it("is major where an id is gone, or says something else", () => {
    const before = file("1.0.0", { cells: [one, other] })
    expect(changeOf(before, file("1.0.0", { cells: [one] }))).toEqual({
      bump: "major",
      why: "cells auto.Initializing.Busy is gone"
    })
    expect(changeOf(before, file("1.0.0", { cells: [one, { ...other, move: "stay" }] }))).toEqual({
      bump: "major",
      why: "cells auto.Initializing.Busy says something else"
    })
    expect(changeOf(file("1.0.0", { revisions: ["2025-11-25"] }), file("1.0.0", { revisions: [] })).bump).toBe("major")
  })

  it("is minor where there is more, and patch where a text for people reads otherwise", () => {
    const before = file("1.0.0", { cells: [one], states: { a: { state: 1 } } })
    const words = file("1.0.0", { cells: [{ ...one, because: "indeed" }], states: { a: { state: 1 } } })
    expect(changeOf(before, words)).toEqual({
      bump: "patch",
      why: "cells auto.Initializing.Agreed is told in other words"
    })
    const more = file("1.0.0", { cells: [{ ...one, because: "indeed" }], states: { a: { state: 1 }, b: { state: 2 } } })
    expect(changeOf(before, more)).toEqual({ bump: "minor", why: "states b is new" })
  })

  it.each(["client.steps", "server.steps", "conversations", "codes"])(
    "of %s.json is seen in what is committed",
    (name) => {
      const committed = text(`${name}.json`)
      expect(changeOf(committed, committed)).toEqual({ bump: "none", why: "" })
      const data: { [member: string]: unknown } = JSON.parse(committed)
      const [member, list] = Object.entries(data).findLast(([, value]) => Array.isArray(value)) ?? ["", []]
      const shorter = { ...data, [member]: Array.isArray(list) ? list.slice(1) : [] }
      expect(changeOf(committed, JSON.stringify(shorter)).bump).toBe("major")
      expect(changeOf(JSON.stringify(shorter), committed).bump).toBe("minor")
      expect(versionOf(committed)).toMatch(/^\d+\.\d+\.\d+$/)
    }
  )

  it.each([
    ["1.0.0", "1.0.0", "none", true],
    ["1.0.0", "1.0.0", "patch", false],
    ["1.0.0", "1.0.1", "patch", true],
    ["1.0.1", "1.1.0", "minor", true],
    ["1.0.0", "1.0.1", "minor", false],
    ["1.9.0", "2.0.0", "major", true],
    ["1.9.0", "1.10.0", "major", false],
    ["2.0.0", "1.9.9", "patch", false]
  ] as const)("from %s to %s, as %s: %s", (before, after, bump, followed) => {
    expect(isFollowed(before, after, bump)).toBe(followed)
  })
})
