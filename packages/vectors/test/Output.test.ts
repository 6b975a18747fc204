// Comparing what is committed with what is generated.
import { describe, expect, it } from "vitest"
import { stale } from "@parley/vectors/Output"

describe("stale", () => {
  const wanted = [
    { path: "docs/machines/a.md", text: "a\n" },
    { path: "docs/machines/b.md", text: "b\n" }
  ]
  const disk = (files: { readonly [path: string]: string }) => (path: string) => files[path]

  it("finds nothing where everything is as generated", () => {
    const read = disk({ "docs/machines/a.md": "a\n", "docs/machines/b.md": "b\n" })
    expect(stale(wanted, read, ["docs/machines/a.md", "docs/machines/b.md"])).toEqual([])
  })

  it("names a missing file, a different one, and one that is no longer generated", () => {
    const read = disk({ "docs/machines/b.md": "b\r\n", "docs/machines/old.md": "old\n" })
    expect(stale(wanted, read, ["docs/machines/b.md", "docs/machines/old.md"])).toEqual([
      { path: "docs/machines/a.md", problem: "missing" },
      { path: "docs/machines/b.md", problem: "differs" },
      { path: "docs/machines/old.md", problem: "no longer generated" }
    ])
  })
})
