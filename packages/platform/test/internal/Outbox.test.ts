import { describe, expect, it } from "@effect/vitest"
import { Outbox } from "../../src/internal/Outbox.ts"

const taken = (outbox: Outbox): Array<string> => {
  const pieces: Array<string> = []
  outbox.take((bytes) => pieces.push(bytes === undefined ? "(end)" : new TextDecoder().decode(bytes)))
  return pieces
}

describe("Outbox", () => {
  it("hands over in one piece what was written before", () => {
    const outbox = new Outbox()
    expect([outbox.write("a"), outbox.write("é")]).toEqual([true, true])
    expect(taken(outbox)).toEqual(["aé"])
  })

  it("hands a text at once to whoever waits for it", () => {
    const outbox = new Outbox()
    const pieces = taken(outbox)
    expect([pieces, outbox.isAwaited()]).toEqual([[], true])
    expect(outbox.write("a")).toBe(true)
    expect([pieces, outbox.isAwaited()]).toEqual([["a"], false])
  })

  it("tells a writer to wait when much waits, and when there is room again", () => {
    const outbox = new Outbox()
    const told: Array<string> = []
    outbox.onDrain(() => told.push("at once"))
    expect(outbox.write("x".repeat(65_535))).toBe(true)
    expect([outbox.write("x"), outbox.isFull()]).toEqual([false, true])
    outbox.onDrain(() => told.push("later"))
    expect(told).toEqual(["at once"])
    expect(taken(outbox)[0]).toHaveLength(65_536)
    expect([told, outbox.isFull()]).toEqual([["at once", "later"], false])
  })

  it("gives what waits before the end, and takes nothing after it", () => {
    const outbox = new Outbox()
    outbox.write("last")
    outbox.end()
    expect(outbox.write("too late")).toBe(true)
    expect([taken(outbox), taken(outbox)]).toEqual([["last"], ["(end)"]])
  })

  it("ends who waits, reader and writers, and forgets what nobody takes", () => {
    const outbox = new Outbox()
    const told: Array<string> = []
    const pieces = taken(outbox)
    outbox.end()
    expect(pieces).toEqual(["(end)"])
    const full = new Outbox()
    full.write("x".repeat(70_000))
    full.onDrain(() => told.push("let go"))
    full.drop()
    expect([told, taken(full), full.isFull()]).toEqual([["let go"], ["(end)"], false])
  })

  it("keeps what comes after its taker left for the next one", () => {
    const outbox = new Outbox()
    const left = taken(outbox)
    outbox.leave()
    outbox.write("a")
    expect([left, taken(outbox)]).toEqual([[], ["a"]])
  })
})
