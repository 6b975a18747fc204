import { readFile } from "node:fs/promises"
import { describe, expect, it } from "@effect/vitest"
import { findings, gone } from "@parley/interop/Findings"
import * as Page from "@parley/interop/Page"
import * as Results from "@parley/interop/Results"
import * as Verdict from "@parley/interop/Verdict"

const names = ["python", "go", "rust", "java", "typescript"]
const committed = async (): Promise<ReadonlyArray<Results.Results>> => {
  const found = await Promise.all(names.map(Results.load))
  return found.filter((results) => results !== undefined)
}

describe("what is committed", () => {
  it("holds the results of every language", async () => {
    expect((await committed()).map(({ language }) => language)).toEqual(names)
  })

  it("is drawn from them: neither page was written by hand", async () => {
    for (const { path, text } of Page.pages(await committed())) {
      expect(await readFile(new URL(`../../../${path}`, import.meta.url), "utf8")).toBe(text)
    }
  })

  it("has nothing that is not as it must be, and no difference that nobody explains", async () => {
    for (const results of await committed()) {
      expect(Verdict.wrong(results)).toEqual([])
      expect(Verdict.count(results)).toBeGreaterThan(20)
    }
  })

  it("shows every finding where it says", async () => {
    const all = await committed()
    expect(all.flatMap(gone)).toEqual([])
    for (const { language } of findings) expect(names).toContain(language)
  })

  it("is written a row a line, and read back as it was", async () => {
    for (const results of await committed()) expect(JSON.parse(Results.textOf(results))).toEqual(results)
  })
})

describe("Page.pages", () => {
  it("shows a server's outcome, its exchanges and its second process", () => {
    const row = { library: "rmcp", carriage: "stdio", path: ["Ended", "Agreed"], wrong: [] }
    const [matrix] = Page.pages([
      {
        language: "rust",
        toolchain: "Rust 1",
        skipped: [{ peer: "another", why: "it needs Rust 2" }],
        servers: [
          { ...row, policy: "auto", outcome: "legacy 2025-03-26", exchanges: 1, processes: 1, called: true },
          { ...row, policy: "stateless", outcome: "legacy 2025-03-26", exchanges: 2, processes: 2, called: true },
          { ...row, policy: "pin:2026-07-28", outcome: "TransportFailure", exchanges: 1, processes: 1 }
        ],
        clients: [],
        seeds: []
      }
    ])
    expect(matrix?.text).toContain(
      "| rmcp | stdio | 2025-03-26 (1) |  |  | 2025-03-26 (2, +1) |  | TransportFailure (1) |  |"
    )
    expect(matrix?.text).toContain("| auto | 1 | 0 | 1.00 | 1 |")
    expect(matrix?.text).toContain("| pin:2026-07-28 | 0 | 1 | 1.00 | 1 |")
    expect(matrix?.text).toContain("Skipped: another: it needs Rust 2.")
  })

  it("groups what a seed does otherwise by what is sent and why", () => {
    const seed = { seed: "Python auto", policy: "discoverFirst" }
    const real = { sent: ["server/discover", "initialize"], outcome: "agreed 2025-06-18" }
    const parley = { sent: ["server/discover"], outcome: "failed" }
    const text = Page.pages([
      {
        language: "python",
        toolchain: "CPython 3",
        skipped: [],
        servers: [],
        clients: [],
        seeds: [
          { ...seed, case: "one", real, parley, because: "of this" },
          { ...seed, case: "two", real, parley, because: "of this" },
          { ...seed, case: "three", real, parley: real }
        ]
      }
    ])[1]?.text
    expect(text).toContain("| Python auto | discoverFirst | 3 | 1 | 2 |")
    expect(text).toContain("| `one`, `two` | D I: 2025-06-18 | D: failed | of this |")
  })
})
