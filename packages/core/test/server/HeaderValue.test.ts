import { describe, expect, it } from "@effect/vitest"
import { encodeHeaderValue } from "@parley/core/Envelope"
import { agrees, agreesWithParameter, conflict, single } from "@parley/core/server/HeaderValue"

describe("HeaderValue", () => {
  it("takes equal copies of a header for one value, and tells different ones", () => {
    expect(single(undefined)).toBeUndefined()
    expect(single("")).toBeUndefined()
    expect(single(" a ")).toBe("a")
    expect(single("a, a ,a")).toBe("a")
    expect(single(["a", "a"])).toBe("a")
    expect(single(["a", "a, a"])).toBe("a")
    expect(single("a, b")).toBe(conflict)
    expect(single(["a", "b"])).toBe(conflict)
    expect(single("a,")).toBe(conflict)
    expect(single([])).toBeUndefined()
  })

  it("compares what a value stands for, decoded", () => {
    for (const text of ["plain_tool", "größe", " padded ", "a, b", "a, a", "line1\nline2", "=?base64?literal?=", "x"]) {
      const value = encodeHeaderValue(text)
      expect([text, agrees(value, text)]).toEqual([text, true])
      expect(agrees(`${value}, ${value}`, text)).toBe(true)
      expect(agrees([value, value], text)).toBe(true)
      expect(agrees(` ${value}\t`, text)).toBe(true)
      expect(agrees(value, `${text}!`)).toBe(false)
    }
  })

  it("does not take a value for a text that it does not stand for", () => {
    expect(agrees(undefined, "a")).toBe(false)
    expect(agrees([], "a")).toBe(false)
    expect(agrees(["a", "b"], "a")).toBe(false)
    expect(agrees("a, b", "a")).toBe(false)
    expect(agrees("a, ab", "a")).toBe(false)
    expect(agrees("a a", "a")).toBe(false)
    expect(agrees("", "")).toBe(true)
    // Written as it is, this would be decoded by everybody on the way.
    expect(agrees("=?base64?literal?=", "=?base64?literal?=")).toBe(false)
    expect(agrees("=?base64?!!!?=", "!!!")).toBe(false)
    // Node hands bytes over 0x7E on as Latin-1: a value that needs them had to be encoded.
    expect(agrees("gr\u00f6\u00dfe", "größe")).toBe(false)
    expect(agrees("a\u0001", "a\u0001")).toBe(false)
  })

  it("takes copies for one value, whether each is written plainly or in the sentinel", () => {
    const encoded = "=?base64?YQ==?="
    for (const raw of [`a, ${encoded}`, `${encoded}, a`, `${encoded},${encoded}`]) {
      expect([raw, agrees(raw, "a")]).toEqual([raw, true])
      expect([raw, agrees(raw, "b")]).toEqual([raw, false])
    }
    expect(agrees("aa", "a")).toBe(false)
    expect(agrees(", ,", "")).toBe(true)
    expect(agrees(", a", "")).toBe(false)
  })

  it("finds copies of a text with a comma of its own by the blanks between them", () => {
    for (const raw of ["a,b", "a,b,a,b", "a,b, a,b", "a,b\t,  a,b , a,b"]) {
      expect([raw, agrees(raw, "a,b")]).toEqual([raw, true])
    }
    for (const raw of ["a,bxa,b", "a,b a,b", "a,b,", "a,b, a", "a,b,, a,b", "xa,b,a,b"]) {
      expect([raw, agrees(raw, "a,b")]).toEqual([raw, false])
    }
  })

  it("compares integers as numbers, and nothing that is no number", () => {
    for (const value of ["42", "42.0", "+42", "4.2e1", "42, 42", "42, 42.0", "42.0, +42", "=?base64?NDI=?="]) {
      expect([value, agreesWithParameter(value, 42, "integer")]).toEqual([value, true])
    }
    for (const value of ["43", "", " ", "0x2a", "42abc", "4 2", "NaN", "42, 43"]) {
      expect([value, agreesWithParameter(value, 42, "integer")]).toEqual([value, false])
    }
    expect(agreesWithParameter("1e10", 1e10, "integer")).toBe(true)
    expect(agreesWithParameter("0x42", 0x42, "integer")).toBe(false)
    expect(agreesWithParameter("", 0, "integer")).toBe(false)
    expect(agreesWithParameter("-0", 0, "integer")).toBe(true)
    expect(agreesWithParameter(undefined, 0, "integer")).toBe(false)
    expect(agreesWithParameter(["7", "7.0"], 7, "integer")).toBe(true)
  })

  it("compares a value to the letter where its schema promises an integer and it is none", () => {
    expect(agreesWithParameter("many", "many", "integer")).toBe(true)
    expect(agreesWithParameter("42", "42", "integer")).toBe(true)
    expect(agreesWithParameter("42.0", "42", "integer")).toBe(false)
    expect(agreesWithParameter("true", true, "integer")).toBe(true)
    expect(agreesWithParameter(encodeHeaderValue("größe"), "größe", "integer")).toBe(true)
  })

  it("compares booleans and texts to the letter", () => {
    expect(agreesWithParameter("true", true, "boolean")).toBe(true)
    expect(agreesWithParameter("TRUE", true, "boolean")).toBe(false)
    expect(agreesWithParameter("42.0", "42", "string")).toBe(false)
    expect(agreesWithParameter("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界", "string")).toBe(true)
  })
})
