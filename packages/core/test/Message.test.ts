import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Message from "@parley/core/Message"

describe("Message.kindOf", () => {
  // Those that schemas and guards share are in Schemas.test.
  it.each<[unknown, Message.Kind]>([
    [{ jsonrpc: "2.0", id: 1, method: "ping" }, "Request"],
    [{ jsonrpc: "2.0", id: "", method: "ping" }, "Request"],
    [{ jsonrpc: "2.0", method: "ping" }, "Notification"],
    [{ jsonrpc: "2.0", method: "ping", id: undefined }, "Invalid"],
    [{ jsonrpc: "2.0", method: "ping", id: null }, "Invalid"],
    [{ jsonrpc: "2.0", method: 1 }, "Invalid"],
    [{ jsonrpc: "2.0", id: 1, result: {} }, "Success"],
    [{ jsonrpc: "2.0", id: 1, result: null }, "Invalid"],
    [{ jsonrpc: "2.0", id: null, result: {} }, "Invalid"],
    [{ jsonrpc: "2.0", id: 1, error: { code: -1, message: "" } }, "Failure"],
    [{ jsonrpc: "2.0", id: 1, error: { code: "-1", message: "" } }, "Invalid"],
    [{ jsonrpc: "2.0", id: 1, error: { code: -1, message: 7 } }, "Invalid"],
    [{ jsonrpc: "2.0", id: 1, error: "no" }, "Invalid"],
    [{ jsonrpc: "2.0", id: 1 }, "Invalid"],
    [{ id: 1, result: {} }, "Invalid"],
    [[], "Invalid"],
    [null, "Invalid"],
    ["", "Invalid"],
    [undefined, "Invalid"]
  ])("%j is %s", (value, kind) => {
    expect(Message.kindOf(value)).toBe(kind)
  })

  it("guards tell the kinds apart", () => {
    const request = Message.request(1, "m")
    const notification = Message.notification("m")
    const success = Message.success(1, {})
    const failure = Message.failure(1, { code: 0, message: "" })
    const guards = [Message.isRequest, Message.isNotification, Message.isSuccess, Message.isFailure, Message.isResponse]
    expect([request, notification, success, failure].map((one) => guards.map((guard) => guard(one)))).toEqual([
      [true, false, false, false, false],
      [false, true, false, false, false],
      [false, false, true, false, true],
      [false, false, false, true, true]
    ])
  })
})

describe("Message.read", () => {
  it("gives a frame as it came, the same object", () => {
    const value = { jsonrpc: "2.0", id: 1, result: {} }
    expect(Message.read(value)).toBe(value)
  })

  it.each([undefined, null, 42, {}, []])("gives an error whose message is %j with no words", (message) => {
    const value = {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32601, data: 1, ...(message === undefined ? {} : { message }) }
    }
    expect(Message.read(value)).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32601, data: 1, message: "" } })
  })

  it.each<[unknown, unknown]>([
    [
      { jsonrpc: "2.0", id: 1, result: { a: null }, error: null },
      { jsonrpc: "2.0", id: 1, result: { a: null } }
    ],
    [
      { jsonrpc: "2.0", id: 1, result: null, error: { code: 1, message: "m", data: null } },
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m", data: null } }
    ],
    [
      { jsonrpc: "2.0", id: null, result: null, error: { code: 1, message: null } },
      { jsonrpc: "2.0", id: null, error: { code: 1, message: "" } }
    ],
    [
      { jsonrpc: "2.0", id: "p", method: "ping", params: null },
      { jsonrpc: "2.0", id: "p", method: "ping" }
    ],
    [
      { jsonrpc: "2.0", method: "notifications/x", params: null, error: null },
      { jsonrpc: "2.0", method: "notifications/x" }
    ]
  ])("reads %j as if what is null were absent", (value, frame) => {
    const before = structuredClone(value)
    expect(Message.read(value)).toEqual(frame)
    expect(value).toEqual(before)
  })

  it.each<unknown>([
    { jsonrpc: "2.0", id: 1, result: null },
    { jsonrpc: "2.0", id: 1, error: null },
    { jsonrpc: "2.0", id: null, result: {}, error: null },
    { jsonrpc: "2.0", id: null, method: "ping", params: null },
    { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1 } },
    { jsonrpc: null, id: 1, result: {}, error: null },
    { jsonrpc: "2.0", id: 1, error: { message: 1 } },
    { jsonrpc: "2.0", id: 1, error: { code: 1.5 } },
    { jsonrpc: "2.0", id: {}, error: { code: 1 } },
    { jsonrpc: "1.0", id: 1, error: { code: 1 } },
    { jsonrpc: "2.0", id: 1, error: [] },
    { jsonrpc: "2.0", id: 1, result: [] },
    [],
    null
  ])("gives nothing for %j", (value) => {
    expect(Message.read(value)).toBeUndefined()
  })
})

describe("ids", () => {
  it.each<[unknown, boolean]>([
    ["a", true],
    ["", true],
    [0, true],
    [-1, true],
    [1e300, true],
    [1.5, false],
    [Number.NaN, false],
    [Infinity, false],
    [null, false],
    [undefined, false],
    [true, false],
    [{}, false]
  ])("%s is an id: %s", (value, is) => {
    expect(Message.isId(value)).toBe(is)
  })

  it.each<[Message.Id | null | undefined, boolean]>([
    [undefined, true],
    [null, true],
    ["", true],
    [0, false],
    ["0", false],
    [" ", false]
  ])("an error with the id %j names no request: %s", (id, is) => {
    const error = { code: 0, message: "" }
    expect(Message.isUnaddressed(id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error })).toBe(is)
  })
})

describe("constructors", () => {
  it("leave out what is absent", () => {
    expect(Message.request(1, "m")).toEqual({ jsonrpc: "2.0", id: 1, method: "m" })
    expect(Message.request("a", "m", { b: 1 })).toEqual({ jsonrpc: "2.0", id: "a", method: "m", params: { b: 1 } })
    expect(Message.notification("m")).toEqual({ jsonrpc: "2.0", method: "m" })
    expect(Message.notification("m", {})).toEqual({ jsonrpc: "2.0", method: "m", params: {} })
    expect(Message.success("a", {})).toEqual({ jsonrpc: "2.0", id: "a", result: {} })
    expect(Message.failure(undefined, { code: 1, message: "" })).toEqual({
      jsonrpc: "2.0",
      error: { code: 1, message: "" }
    })
    expect(Object.keys(Message.failure(undefined, { code: 1, message: "" }))).not.toContain("id")
    expect(Message.failure(0, { code: 1, message: "" })).toMatchObject({ id: 0 })
  })
})

describe("codes", () => {
  it("only -32020 to -32022 are of modern servers alone", () => {
    const modern = [-32_700, -32_603, -32_602, -32_601, -32_600, -32_023, -32_022, -32_021, -32_020, -32_019, 0]
    expect(modern.filter(Message.isModernCode)).toEqual([-32_022, -32_021, -32_020])
  })
})

describe("Message.parse", () => {
  it("reads JSON", () => {
    expect(Message.parse('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } })
  })

  const arrays = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
  const objects = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels)

  it.each([
    ["arrays", arrays(Message.deepest), true],
    ["one array more", arrays(Message.deepest + 1), false],
    ["objects", objects(Message.deepest), true],
    ["one object more", objects(Message.deepest + 1), false],
    ["both in turns", '[{"a":'.repeat(300) + "1" + "}]".repeat(300), false],
    ["a million arrays that do not end", "[".repeat(1_000_000), false],
    ["many side by side", `[${Array.from({ length: 5000 }, () => '{"a":[]}').join()}]`, true],
    ["brackets in a string", JSON.stringify("[{".repeat(5000)), true],
    ["brackets after an escaped quote", JSON.stringify(`"\\"${"[".repeat(5000)}`), true],
    ["arrays after strings that end in a backslash", `["\\\\","\\"",${arrays(600)}]`, false]
  ])("reads %s only as deep as recursion can bear", (_title, text, ok) => {
    const parsed = Message.parse(text)
    expect(parsed.ok).toBe(ok)
    if (!parsed.ok) expect(parsed.problem).toBe(Message.tooDeep)
  })

  it.prop("never throws, and says why in one short line", [Schema.String], ([text]) => {
    const parsed = Message.parse(text)
    if (parsed.ok) return
    expect(parsed.problem.length).toBeLessThanOrEqual(200)
    expect(parsed.problem).toBe(Message.head(parsed.problem, 200))
  })
})

describe("Message.head", () => {
  it.each([
    ["", 5, ""],
    ["abc", 5, "abc"],
    ["abcde", 5, "abcde"],
    ["abcdef", 5, "abcd…"],
    ["a\r\n\tb", 5, "a b"],
    ["\u001b[31mred\u001b[0m", 20, " [31mred [0m"],
    ["a\u0085b\u009bc\u007f", 10, "a b c "],
    ["日本語テキスト", 4, "日本語…"]
  ])("of %j in %d is %j", (text, limit, head) => {
    expect(Message.head(text, limit)).toBe(head)
  })

  it.prop(
    "is never longer than its limit, and never holds a control character",
    [Schema.String, Schema.Literals([1, 2, 5, 80])],
    ([text, limit]) => {
      const head = Message.head(text, limit)
      expect(head.length).toBeLessThanOrEqual(limit)
      // oxlint-disable-next-line no-control-regex
      expect(head).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    }
  )
})

describe("Message.parse, at the bound of depth", () => {
  const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`
  it("counts how deep a value is, not how many brackets it has", () => {
    const bound = Message.deepest
    // As deep as may be, with more beside it; and with brackets in a text that open nothing.
    expect(Message.parse(`[${deep(bound - 1)},${deep(bound - 1)},{}]`).ok).toBe(true)
    expect(Message.parse(`[${deep(bound)},${deep(bound - 1)}]`).ok).toBe(false)
    expect(Message.parse(JSON.stringify([deep(2 * bound), '\\"', deep(bound)])).ok).toBe(true)
    expect(Message.parse(`["\\"",${deep(bound)}]`).ok).toBe(false)
  })
})

describe("Message, to the letter", () => {
  it("has no params where none were given", () => {
    expect(Message.request(1, "m")).toStrictEqual({ jsonrpc: "2.0", id: 1, method: "m" })
    expect(Message.notification("m")).toStrictEqual({ jsonrpc: "2.0", method: "m" })
    expect(Message.request(1, "m", {})).toStrictEqual({ jsonrpc: "2.0", id: 1, method: "m", params: {} })
  })

  it("says how deep is too deep, and cuts a head at its limit", () => {
    const found = Message.parse("[".repeat(2 * Message.deepest))
    expect(found).toEqual({ ok: false, problem: `it is nested deeper than ${Message.deepest} levels` })
    expect(Message.head("a\u0000\u001f\u007fb", 10)).toBe("a b")
    expect([Message.head("abcde", 5), Message.head("abcdef", 5)]).toEqual(["abcde", "abcd…"])
    // Control characters beyond the limit do not make room for more.
    expect(Message.head(`ab${"\n".repeat(20)}cd`, 5)).toBe("ab ")
  })
})
