// The second door's types: a codec that drifts from its type does not compile. `tsc` proves it.
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Budgets } from "@parley/core/client/Policy"
import type { Lost } from "@parley/core/client/Event"
import type { SendInitialized } from "@parley/core/client/Command"
import type { Timeout } from "@parley/core/Errors"
import type { Notification } from "@parley/core/Message"
import * as Schemas from "@parley/core/Schemas"
import type { Same } from "@parley/core/schemas/Exact"
import { exactly, orAbsent, orMissing } from "@parley/core/schemas/Exact"

const number = Schema.Finite
const text = Schema.String
const budgets = {
  probeMillis: number,
  exchangeMillis: number,
  negotiationMillis: number,
  outOfTurn: number,
  noise: number
}

describe("exactly", () => {
  it("takes a codec of exactly the type", () => {
    expect(exactly<Budgets>()(Schema.Struct(budgets))).toBeDefined()
  })

  it("refuses a codec that lacks a member", () => {
    const { noise: _, ...rest } = budgets
    // @ts-expect-error noise is missing
    expect(exactly<Budgets>()(Schema.Struct(rest))).toBeDefined()
  })

  it("refuses a codec with a member too many", () => {
    // @ts-expect-error retries is no budget
    expect(exactly<Budgets>()(Schema.Struct({ ...budgets, retries: number }))).toBeDefined()
  })

  it("refuses a member of another type", () => {
    // @ts-expect-error noise is a number
    expect(exactly<Budgets>()(Schema.Struct({ ...budgets, noise: text }))).toBeDefined()
  })

  it("refuses an optional member in place of a required one, and the other way about", () => {
    // @ts-expect-error noise is required
    expect(exactly<Budgets>()(Schema.Struct({ ...budgets, noise: Schema.optionalKey(number) }))).toBeDefined()
    const lost = {
      exchange: Schema.optionalKey(number),
      cause: text,
      retryable: Schema.optionalKey(Schema.Literal(false))
    }
    const resume = Schema.optionalKey(Schema.Struct({ lastEventId: text, retryMillis: number }))
    expect(exactly<Lost>()(Schema.TaggedStruct("Lost", { ...lost, resume }))).toBeDefined()
    // @ts-expect-error exchange is optional
    expect(exactly<Lost>()(Schema.TaggedStruct("Lost", { ...lost, resume, exchange: number }))).toBeDefined()
    // @ts-expect-error resume was forgotten, and it is optional
    expect(exactly<Lost>()(Schema.TaggedStruct("Lost", lost))).toBeDefined()
  })

  it("tells a member that may be undefined from one that may be absent", () => {
    const sent = { version: text }
    expect(
      exactly<SendInitialized>()(Schema.TaggedStruct("SendInitialized", { ...sent, sessionId: orAbsent(text) }))
    ).toBeDefined()
    expect(
      // @ts-expect-error sessionId is required, though it may be undefined
      exactly<SendInitialized>()(Schema.TaggedStruct("SendInitialized", { ...sent, sessionId: orMissing(text) }))
    ).toBeDefined()
  })

  it("refuses a union that lacks a case", () => {
    // @ts-expect-error "server/discover" is missing
    expect(exactly<"initialize" | "server/discover">()(Schema.Literals(["initialize"]))).toBeDefined()
  })

  it("does not mind a member that can never be there", () => {
    const frame = { jsonrpc: Schema.Literal("2.0"), method: text, params: Schema.optionalKey(Schemas.JsonObject) }
    expect(exactly<Notification>()(Schema.Struct({ ...frame, id: Schema.optionalKey(Schema.Never) }))).toBeDefined()
  })
})

describe("the codecs of the door", () => {
  it("are of the types that they are named for", () => {
    const same: Same<typeof Schemas.Client.Budgets.Type, Budgets> = true
    const timeout: Same<typeof Schemas.Timeout.Type, Timeout> = true
    // @ts-expect-error they are not the same
    const different: Same<typeof Schemas.Client.Budgets.Type, Timeout> = true
    expect([same, timeout, different]).toEqual([true, true, true])
  })
})
