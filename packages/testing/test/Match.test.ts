import { describe, expect, it } from "vitest"
import { differences, problems } from "@parley/testing/Match"

const matches = (expected: unknown, actual: unknown) => differences(expected, actual, "it").length === 0

describe("differences", () => {
  it.each<[string, unknown, unknown, boolean]>([
    ["a part of an object", { a: 1 }, { a: 1, b: 2 }, true],
    ["an empty object, any object", {}, { a: 1 }, true],
    ["an empty object, no array", {}, [], false],
    ["a part, at depth", { a: { b: { c: 1 } } }, { a: { b: { c: 1, d: 2 } } }, true],
    ["another value at depth", { a: { b: 1 } }, { a: { b: 2 } }, false],
    ["an absent member", { a: 1 }, {}, false],
    ["null is a value", { a: null }, { a: null }, true],
    ["null is not absence", { a: null }, {}, false],
    ["a text is no number", { id: "1" }, { id: 1 }, false],
    ["arrays in their length", [1, 2], [1, 2, 3], false],
    ["arrays of parts", [{ a: 1 }], [{ a: 1, b: 2 }], true],
    ["$any, present", { a: { $any: true } }, { a: null }, true],
    ["$any, absent", { a: { $any: true } }, {}, false],
    ["$absent, absent", { a: { $absent: true } }, {}, true],
    ["$absent, present", { a: { $absent: true } }, { a: 0 }, false],
    ["$not, other", { a: { $not: "x" } }, { a: "y" }, true],
    ["$not, equal", { a: { $not: "x" } }, { a: "x" }, false],
    ["$not, absent", { a: { $not: "x" } }, {}, false],
    ["$matches", { a: { $matches: "^[a-z]+$" } }, { a: "abc" }, true],
    ["$matches, not", { a: { $matches: "^[a-z]+$" } }, { a: "a c" }, false],
    ["$contains in a list", { a: { $contains: "x" } }, { a: ["y", "x"] }, true],
    ["$contains a part in a list", { a: { $contains: { n: 1 } } }, { a: [{ n: 1, m: 2 }] }, true],
    ["$contains in a text", { a: { $contains: "bc" } }, { a: "abcd" }, true],
    ["$contains, not", { a: { $contains: "x" } }, { a: ["y"] }, false],
    ["$notContains", { a: { $notContains: "x" } }, { a: ["y"] }, true],
    ["$notContains, contained", { a: { $notContains: "x" } }, { a: ["x"] }, false],
    ["$notContains, absent", { a: { $notContains: "x" } }, {}, false],
    ["two operators, both", { a: { $contains: "x", $notContains: "y" } }, { a: ["x", "y"] }, false],
    ["a JSON Schema member is no operator", { $schema: "s" }, { $schema: "s", type: "object" }, true]
  ])("%s", (_, expected, actual, holds) => {
    expect(matches(expected, actual)).toBe(holds)
  })

  it("says where, what was expected and what was seen", () => {
    expect(differences({ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, "body")).toEqual(["body.a[0].b: expected 1, saw 2"])
    expect(differences({ a: 1 }, {}, "body")).toEqual(["body.a: expected 1, saw nothing"])
  })
})

describe("problems", () => {
  it("names an unknown operator and a pattern that is none", () => {
    expect(problems({ a: { $containz: 1 } }, "right")).toHaveLength(1)
    expect(problems({ a: { $matches: "(" } }, "right")).toEqual([
      'right.a.$matches: Expected a regular expression, saw "("'
    ])
    expect(problems({ a: { $any: true, b: 1 } }, "right")).not.toEqual([])
    expect(problems({ a: { $any: true }, b: [{ $contains: { c: 1 } }] }, "right")).toEqual([])
  })
})
