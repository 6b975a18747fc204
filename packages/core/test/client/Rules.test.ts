// The table's types: what must not compile does not. `tsc` proves it; the assertions show that the rest still runs.
import { describe, expect, it } from "@effect/vitest"
import type { Evidence } from "@parley/core/client/Evidence"
import {
  counter,
  discoverAt,
  fail,
  initializeListening,
  keep,
  settle,
  settleHeld,
  stay
} from "@parley/core/client/Moves"
import * as Policy from "@parley/core/client/Policy"
import type { Cell, Move, Row, Table } from "@parley/core/client/Rules"
import { cell, failing } from "@parley/core/client/Table"

describe("a table", () => {
  it("with a missing cell does not compile", () => {
    const { Silence: _, ...rest } = failing
    // @ts-expect-error the cell for Silence is missing
    const row: Row = rest
    expect(Object.keys(row)).not.toContain("Silence")
  })

  it("with a cell for an evidence that does not exist does not compile", () => {
    const row: Row = {
      ...failing,
      // @ts-expect-error there is no such evidence
      Whatever: cell(fail, "no")
    }
    expect(row.Agreed).toBe(failing.Agreed)
  })

  it("with a missing state does not compile", () => {
    const { Holding: _, ...rest } = Policy.auto.fallback
    // @ts-expect-error the row for Holding is missing
    const table: Table = rest
    expect(Object.keys(table)).not.toContain("Holding")
  })

  it("with an empty cell does not compile", () => {
    // @ts-expect-error a cell is never absent
    const row: Row = { ...failing, Silence: undefined }
    expect(row.Silence).toBeUndefined()
  })

  it("with a cell without a reason does not compile", () => {
    // @ts-expect-error a cell says why
    const row: Row = { ...failing, Silence: { move: fail } }
    expect(row.Silence.move).toBe(fail)
  })
})

describe("a move that its evidence cannot feed does not compile", () => {
  it("in a row", () => {
    const row: Row = {
      ...failing,
      // @ts-expect-error counter needs the revision that a list named
      Silence: cell(counter, "no"),
      // @ts-expect-error settle needs a result
      MethodMissing: cell(settle, "no"),
      // @ts-expect-error discoverAt needs a modern revision from a list
      Countered: cell(discoverAt, "no"),
      // @ts-expect-error settleHeld needs a modern revision that was named
      StrangerNamed: cell(settleHeld, "no"),
      // @ts-expect-error keep needs a DiscoverResult
      Agreed: cell(keep, "no"),
      // @ts-expect-error only silence leaves a probe behind
      Ended: cell(initializeListening, "no"),
      // @ts-expect-error only what is out of turn may be stayed with
      Refused: cell(stay, "no"),
      // These are fed.
      Corrected: cell(discoverAt, "yes"),
      LateAgreed: cell(keep, "yes"),
      OutOfTurn: cell(stay, "yes"),
      Busy: cell(fail, "yes")
    }
    expect(row.Corrected.move).toBe(discoverAt)
  })

  it("in an override", () => {
    // @ts-expect-error counter cannot be fed with Silence
    const wrong = Policy.override(Policy.auto, "Initializing", "Silence", cell(counter, "no"))
    const right = Policy.override(Policy.auto, "Initializing", "Silence", cell(fail, "yes"))
    expect(wrong.fallback.Initializing.Silence.move.name).toBe("counter")
    expect(right.fallback.Initializing.Silence.move.name).toBe("fail")
    // @ts-expect-error there is no such state
    Policy.override(Policy.auto, "Nowhere", "Silence", cell(fail, "no"))
    // @ts-expect-error there is no such evidence
    Policy.override(Policy.auto, "Initializing", "Nothing", cell(fail, "no"))
  })

  it("as a narrower move where a wider one is asked for", () => {
    const any: Move = fail
    const narrow: Move<"Countered"> = counter
    // A move that takes everything takes this.
    const fits: Move<"Countered"> = any
    // @ts-expect-error a move that takes one evidence does not take them all
    const wide: Move = narrow
    // @ts-expect-error nor does its cell
    const cells: Cell<"Silence"> = cell(narrow, "no")
    expect([fits.name, wide.name, cells.move.name]).toEqual(["fail", "counter", "counter"])
  })
})

describe("evidence", () => {
  it("is a closed alphabet", () => {
    // @ts-expect-error there is no such evidence
    const evidence: Evidence = { _tag: "Maybe" }
    expect(evidence).toBeDefined()
  })
})
