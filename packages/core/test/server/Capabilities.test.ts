import { describe, expect, it } from "@effect/vitest"
import { missingOf } from "@parley/core/server/Capabilities"

describe("Capabilities.missingOf", () => {
  it("is undefined where everything was declared, in whatever shape", () => {
    expect(missingOf({}, undefined)).toBeUndefined()
    expect(missingOf({ roots: {} }, { roots: {} })).toBeUndefined()
    expect(missingOf({ roots: {} }, { roots: { listChanged: true }, more: 1 })).toBeUndefined()
    expect(missingOf({ roots: true }, { roots: 1 })).toBeUndefined()
    expect(missingOf({ a: { b: { c: {} } } }, { a: { b: { c: true } } })).toBeUndefined()
  })

  it("looks into what is needed only where that is an object", () => {
    expect(missingOf({ a: null, b: "text", c: [{}], d: 1 }, { a: {}, b: {}, c: {}, d: {} })).toBeUndefined()
    expect(missingOf({ a: null, b: "text" }, { b: null })).toEqual({ a: null, b: "text" })
  })

  it("takes undefined, null and false for not declared", () => {
    for (const roots of [undefined, null, false]) expect(missingOf({ roots: {} }, { roots })).toEqual({ roots: {} })
  })

  it("names the inner part alone where the outer was declared", () => {
    expect(missingOf({ a: { b: {}, c: {} }, d: {} }, { a: { b: {} }, d: {} })).toEqual({ a: { c: {} } })
    expect(missingOf({ a: { b: {} } }, { a: true })).toEqual({ a: { b: {} } })
  })

  it("does not take what every object has, nor what is no object, for a declaration", () => {
    expect(missingOf({ toString: {} }, {})).toEqual({ toString: {} })
    for (const declared of [undefined, null, 7, "roots", ["roots"]]) {
      expect(missingOf({ roots: {} }, declared)).toEqual({ roots: {} })
      expect(missingOf({ length: {} }, declared)).toEqual({ length: {} })
    }
  })
})
