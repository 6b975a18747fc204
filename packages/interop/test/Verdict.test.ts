import { describe, expect, it } from "@effect/vitest"
import type { Results } from "@parley/interop/Results"
import * as Verdict from "@parley/interop/Verdict"

const row = {
  library: "mcp 2.3.0",
  carriage: "http",
  policy: "auto",
  outcome: "legacy 2025-11-25",
  exchanges: 1,
  processes: 0,
  path: ["Agreed 2025-11-25"],
  called: true,
  wrong: []
}
const results: Results = {
  language: "python",
  toolchain: "CPython 3",
  skipped: [],
  servers: [row],
  clients: [],
  seeds: []
}

describe("Verdict", () => {
  it("finds nothing where a run is as it was committed", () => {
    expect(Verdict.wrong(results)).toEqual([])
    expect(Verdict.differences(results, results, new Set(["servers", "seeds"]), [])).toEqual([])
  })

  it("names a row that changed, as it was and as it is, and only in the parts that were run", () => {
    const changed = { ...results, servers: [{ ...row, exchanges: 2 }] }
    const found = Verdict.differences(results, changed, new Set(["servers"]), [])
    expect(found).toHaveLength(2)
    expect(found[0]).toMatch(/^not as committed: .*"exchanges":2/)
    expect(found[1]).toMatch(/^committed, not seen: .*"exchanges":1/)
    expect(Verdict.differences(results, changed, new Set(["clients"]), [])).toEqual([])
  })

  it("looks at the seeds that were played alone", () => {
    const said = { sent: ["initialize"], outcome: "failed" }
    const seed = { policy: "handshakeOnly", case: "1a-x", real: said, parley: said }
    const before = { ...results, seeds: ["one", "other"].map((name) => ({ ...seed, seed: name })) }
    const now = { ...results, seeds: before.seeds.slice(0, 1) }
    expect(Verdict.differences(before, now, new Set(["seeds"]), ["one"])).toEqual([])
    expect(Verdict.differences(before, now, new Set(["seeds"]), ["one", "other"])).toHaveLength(1)
  })

  it("takes every row for new where nothing was committed", () => {
    expect(Verdict.differences(undefined, results, new Set(["servers"]), [])).toHaveLength(1)
  })

  it("complains about what is wrong in itself and about a difference without a reason", () => {
    const said = { sent: ["initialize"], outcome: "failed" }
    const seed = { seed: "Hermes", policy: "handshakeOnly", case: "1a-x", real: said }
    const parley = { sent: ["initialize"], outcome: "agreed 2025-11-25" }
    const found = Verdict.wrong({
      ...results,
      servers: [{ ...row, wrong: ["Its tool could not be called."] }],
      seeds: [
        { ...seed, parley },
        { ...seed, parley, because: "of this" },
        { ...seed, parley: said }
      ]
    })
    expect(found).toHaveLength(2)
    expect(found[0]).toContain("mcp 2.3.0 (http) under auto: Its tool could not be called.")
    expect(found[1]).toContain("nobody says why")
  })
})
