import * as Page from "@parley/interop/conform/Page"
import * as Results from "@parley/interop/conform/Results"
import { subjects, titleOf } from "@parley/interop/conform/Subjects"
import { readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"

const committed = await Results.load()

describe("what is committed of the SDKs", () => {
  it("has a row for everyone on each carrier", () => {
    const keys = subjects.flatMap((subject) =>
      (["http", "stdio"] as const)
        .filter((medium) => subject.side === "client" || subject.servers.some(({ carrier }) => carrier === medium))
        .map((medium) => Results.keyOf({ title: titleOf(subject), side: subject.side, medium }))
    )
    expect(committed.rows.map(Results.keyOf)).toEqual(keys)
    expect(keys.length).toBeGreaterThan(25)
  })

  it("finds nothing on Parley, and something on others", () => {
    for (const { counts, kinds, title } of committed.rows) {
      expect(counts.conform + counts.differ).toBe(counts.held)
      expect(counts.held).toBeGreaterThan(15)
      expect([title, kinds.length === 0]).toEqual([title, counts.differ === 0])
      if (/^parley/i.test(title)) expect([title, kinds]).toEqual([title, []])
    }
    expect(committed.rows.filter(({ kinds }) => kinds.length > 0).length).toBeGreaterThan(10)
  })

  it("is the page: nothing on it was written by hand", async () => {
    const text = await readFile(new URL(`../../../../${Page.path}`, import.meta.url), "utf8")
    expect(text).toBe(Page.page(committed))
    // Every place that it links to is on it.
    const heads = new Set([...text.matchAll(/^## (.+)$/gm)].map(([, head]) => head))
    for (const { side, title } of committed.rows) expect(heads).toContain(`${title} as ${side}`)
  })

  it("is written a kind a line, and read back as it was", () => {
    expect(JSON.parse(Results.textOf(committed))).toEqual(committed)
  })
})
