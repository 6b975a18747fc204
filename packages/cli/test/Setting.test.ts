// Durations and headers as people write them.
import { describe, expect, it } from "vitest"
import * as Setting from "@parley/cli/Setting"

describe("duration", () => {
  it.each([
    ["250", 250],
    ["250ms", 250],
    ["5s", 5000],
    ["1.5 s", 1500],
    ["2m", 120_000],
    ["2min", 120_000],
    ["1h", 3_600_000],
    [" 5S ", 5000]
  ])("reads %s", (text, millis) => {
    expect(Setting.duration(text)).toEqual({ ok: true, value: millis })
  })

  it.each(["", "s", "5x", "-5s", "5s5s", "1e3", "0", "0.0001", "25h", "999999999999", "constructor", "5 constructor"])(
    "refuses %j",
    (text) => {
      expect(Setting.duration(text).ok).toBe(false)
    }
  )
})

describe("headers", () => {
  it("reads names in lower case and values without outer blanks", () => {
    expect(Setting.headers(["Authorization: Bearer a:b", "X-Empty:"])).toEqual({
      ok: true,
      value: { authorization: "Bearer a:b", "x-empty": "" }
    })
  })

  it.each([
    ["no colon", ["Bearer secret"]],
    ["no name", [": secret"]],
    ["a name with a blank", ["a b: secret"]],
    ["a line break", ["a: secret\r\nx-injected: 1"]],
    ["a header of the protocol", ["MCP-Protocol-Version: secret"]],
    ["a header of the carrier", ["Content-Type: secret"]],
    ["a name twice", ["a: secret", "A: secret"]]
  ])("refuses %s and does not repeat the value", (_, texts) => {
    const reading = Setting.headers(texts)
    expect(reading.ok).toBe(false)
    expect(!reading.ok && reading.problem).not.toContain("secret")
  })

  it("keeps a name that every object has", () => {
    const reading = Setting.headers(["constructor: 1", "__proto__: 2"])
    expect(reading.ok && Object.entries(reading.value)).toEqual([
      ["constructor", "1"],
      ["__proto__", "2"]
    ])
  })
})
