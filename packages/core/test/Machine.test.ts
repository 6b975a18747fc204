import { describe, expect, it } from "@effect/vitest"
import type { Move } from "@parley/core/Machine"
import { follow } from "@parley/core/Machine"
import { http, idOf, stdio } from "@parley/core/Medium"

interface Counting {
  readonly _tag: "Counting" | "Done"
  readonly count: number
}

const labels = { state: "Counting", event: "Ticked", evidence: "Tick 3" }
const move = (run: Move<number, Counting, string>["run"]): Move<number, Counting, string> => ({ name: "count", run })

describe("Machine.follow", () => {
  it("makes the cell's move of the context and leaves a trace of it", () => {
    const add = move((by) => ({ state: { _tag: "Done", count: by }, commands: ["ring", "stop"] }))
    expect(follow({ move: add, because: "ticks count" }, 3, labels)).toEqual({
      state: { _tag: "Done", count: 3 },
      commands: ["ring", "stop"],
      trace: { ...labels, move: "count", because: "ticks count", next: "Done" }
    })
  })

  it("adds what the move has to say to the cell's reason", () => {
    const noted = move(() => ({ state: { _tag: "Counting", count: 0 }, commands: [], note: "it was spent" }))
    expect(follow({ move: noted, because: "ticks count" }, 0, labels).trace).toMatchObject({
      because: "ticks count (it was spent)",
      next: "Counting"
    })
  })

  it("calls the move once, with the context as it is", () => {
    const given: Array<number> = []
    const spy = move((context) => {
      given.push(context)
      return { state: { _tag: "Done", count: 0 }, commands: [] }
    })
    follow({ move: spy, because: "" }, 7, labels)
    expect(given).toEqual([7])
  })
})

describe("Medium", () => {
  it("says what silence, an end and a stream are on each carrier", () => {
    expect(stdio).toEqual({ name: "stdio", silence: "maybeLegacy", reopens: "once", streams: "shared", ids: "integer" })
    expect(http).toEqual({ name: "http", silence: "nothing", reopens: "never", streams: "perRequest", ids: "integer" })
  })

  it("writes ids that no other client on the pipe writes, where it must", () => {
    expect(idOf(http, 12)).toBe(12)
    expect(idOf({ ...stdio, ids: "text" }, 12)).toBe("parley-12")
  })
})
