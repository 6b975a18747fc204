// What a peer writes reaches the terminal harmless, and lines fit.
import { describe, expect, it } from "vitest"
import { column, counted, duration, hang, json, lastLines, oneLine, wrap } from "@parley/cli/render/Text"

// Everything that a terminal acts on, and everything that hides or reorders text.
// oxlint-disable-next-line no-control-regex
const dangerous = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

describe("oneLine", () => {
  it.each([
    ["a colour", "\u001b[31mred\u001b[0m server", "red server"],
    ["a window title", "\u001b]0;owned\u0007name", "name"],
    ["a window title that never ends", "name\u001b]0;owned", "name"],
    ["a hyperlink", "\u001b]8;;http://evil\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["an 8-bit colour", "\u009b31mred", "red"],
    ["a cleared screen", "\u001bcgone", "gone"],
    ["a lone escape", "a\u001b", "a"],
    ["line breaks", "one\r\ntwo\nthree", "one two three"],
    ["a backspace", "abc\b\b\bxyz", "abc xyz"],
    ["a right-to-left override", "invoice\u202efdp.exe", "invoice\ufffdfdp.exe"],
    ["a zero-width space", "pass\u200bword", "pass\ufffdword"],
    ["half a surrogate pair", "a\ud800b", "a\ufffdb"],
    ["what is harmless", "Größe: 日本語 🙂 – ok", "Größe: 日本語 🙂 – ok"]
  ])("makes %s harmless", (_, text, expected) => {
    expect(oneLine(text)).toBe(expected)
  })

  it("leaves no dangerous character, whatever code unit comes", () => {
    for (let code = 0; code <= 0xffff; code += 1) {
      const line = oneLine(`a${String.fromCharCode(code)}b`)
      expect(dangerous.test(line), `code unit ${code.toString(16)}`).toBe(false)
    }
  })

  it("is bounded", () => {
    expect(oneLine("x".repeat(1_000_000), 10)).toBe("xxxxxxxxx…")
    expect(oneLine("\u001b[".repeat(100_000), 10).length).toBeLessThanOrEqual(10)
  })
})

describe("lastLines", () => {
  it("keeps the end, each line harmless", () => {
    expect(lastLines("one\n\u001b[2Jtwo\r\n\nthree", 2)).toEqual(["two", "three"])
  })
})

describe("json", () => {
  it("escapes what a terminal acts on, and stays the same JSON", () => {
    const value = { text: "\u009b31m \u202e \u007f \u2028 \u001b[0m é" }
    expect(dangerous.test(json(value))).toBe(false)
    expect(JSON.parse(json(value))).toEqual(value)
  })
})

describe("wrap", () => {
  it("breaks at blanks and cuts what is longer than a line", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(wrap("abcdefghij kl", 4)).toEqual(["abcd", "efgh", "ij", "kl"])
    expect(wrap("", 4)).toEqual([])
  })
})

describe("column", () => {
  it("fills or cuts to the width on the screen", () => {
    expect(column("ab", 4)).toBe("ab  ")
    expect(column("ab", 4, "right")).toBe("  ab")
    expect(column("abcdef", 4)).toBe("abc…")
    expect(column("日本語", 5)).toBe("日本…")
  })
})

describe("duration and counted", () => {
  it("speak as people do", () => {
    expect([84.2, 999, 2345, 5000, 70_000, 120_000].map(duration)).toEqual([
      "84 ms",
      "999 ms",
      "2.3 s",
      "5 s",
      "1 min 10 s",
      "2 min"
    ])
    expect(counted(1, "round trip")).toBe("1 round trip")
    expect(counted(2, "round trip")).toBe("2 round trips")
  })
})

describe("hang", () => {
  it("breaks at blanks, and indents what follows", () => {
    expect(hang("one two three four", 9, 2)).toEqual(["one two", "  three", "  four"])
    expect(hang("one two", 9, 2)).toEqual(["one two"])
  })

  it("leaves a word whole that is longer than a line", () => {
    expect(hang("see http://example.com/mcp now", 10, 2)).toEqual(["see", "  http://example.com/mcp", "  now"])
  })

  it("keeps the blanks of a table, and drops those at a break", () => {
    expect(hang("  --a    one   two", 14, 9)).toEqual(["  --a    one", "         two"])
  })

  it("counts no emphasis, and parts no number from its unit", () => {
    expect(hang("\u001b[1mone\u001b[22m two", 7, 0)).toEqual(["\u001b[1mone\u001b[22m two"])
    expect(hang("took 336 ms.", 9, 0)).toEqual(["took", "336 ms."])
  })
})
