// Which parameters of a tool travel as headers. Source: 2026-07-28 streamable-http, Custom Headers from Tool Parameters;
// the titles name the constraint that they are about.
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ToolHeaders from "@parley/core/ToolHeaders"

const marked = (header: unknown, more: object = { type: "string" }): object => ({ ...more, "x-mcp-header": header })
const object = (properties: object): object => ({ type: "object", properties })

const headersOf = (schema: unknown): ReadonlyArray<ToolHeaders.ToolHeader> => {
  const found = ToolHeaders.fromSchema(schema)
  if (found._tag === "Invalid") throw new Error(found.problem)
  return found.headers
}
const problemOf = (schema: unknown): string | undefined => {
  const found = ToolHeaders.fromSchema(schema)
  return found._tag === "Invalid" ? found.problem : undefined
}

describe("ToolHeaders.fromSchema", () => {
  it("finds the annotated property of the specification's example", () => {
    const schema = {
      type: "object",
      properties: {
        region: { type: "string", description: "The region to execute the query in", "x-mcp-header": "Region" },
        query: { type: "string", description: "The SQL query to execute" }
      },
      required: ["region", "query"]
    }
    expect(headersOf(schema)).toEqual([{ header: "Region", path: ["region"], type: "string" }])
  })

  it.each([undefined, null, true, 7, "x", [], {}, { type: "object" }, object({})])("finds none in %j", (schema) => {
    expect(headersOf(schema)).toEqual([])
  })

  it("finds all in their order, at every depth of properties", () => {
    const schema = object({
      a: marked("A"),
      b: object({ c: marked("C", { type: "integer" }), d: object({ e: marked("E", { type: "boolean" }) }) })
    })
    expect(headersOf(schema)).toEqual([
      { header: "A", path: ["a"], type: "string" },
      { header: "C", path: ["b", "c"], type: "integer" },
      { header: "E", path: ["b", "d", "e"], type: "boolean" }
    ])
  })

  it.each([
    ["MUST NOT be empty", ""],
    ["MUST match token syntax: a blank", "My Header"],
    ["MUST match token syntax: a colon", "a:b"],
    ["MUST match token syntax: a slash", "a/b"],
    ["MUST match token syntax: parentheses", "(a)"],
    ["MUST match token syntax: not ASCII", "Größe"],
    ["MUST NOT contain control characters: CR and LF", "a\r\nb"],
    ["MUST NOT contain control characters: a trailing LF", "a\n"],
    ["MUST NOT contain control characters: NUL", "a\u0000"],
    ["is a text", 7],
    ["is a text, not null", null],
    ["is a text, not a list", ["A"]]
  ])("a name %s", (_, header) => {
    expect(problemOf(object({ a: marked(header) }))).toContain("no header name")
  })

  it.each(["a", "A-B", "x_y", "!#$%&'*+-.^_`|~", "0"])("takes the token %s", (header) => {
    expect(headersOf(object({ a: marked(header) }))).toHaveLength(1)
  })

  it("names MUST be case-insensitively unique", () => {
    expect(problemOf(object({ a: marked("Region"), b: marked("REGION") }))).toContain("used twice")
    expect(problemOf(object({ a: marked("x"), b: object({ c: marked("x") }) }))).toContain("used twice")
    expect(headersOf(object({ a: marked("x"), b: marked("y") }))).toHaveLength(2)
  })

  it.each([
    ["number", "number"],
    ["object", "object"],
    ["array", "array"],
    ["null", "null"],
    ["a list of types", ["string", "null"]],
    ["absent", undefined]
  ])("MUST only be applied to string, integer and boolean: not to a parameter whose type is %s", (_, type) => {
    expect(problemOf(object({ a: marked("A", type === undefined ? {} : { type }) }))).toContain(
      "no string, integer or boolean"
    )
  })

  it.each<[string, object]>([
    ["on the root", marked("A")],
    ["under items", object({ a: { type: "array", items: marked("A") } })],
    ["under a property of items", object({ a: { type: "array", items: object({ b: marked("A") }) } })],
    ["under prefixItems", object({ a: { type: "array", prefixItems: [marked("A")] } })],
    ["under contains", object({ a: { contains: marked("A") } })],
    ["under oneOf", { oneOf: [object({ a: marked("A") })] }],
    ["under anyOf", { anyOf: [object({ a: marked("A") })] }],
    ["under allOf", { allOf: [object({ a: marked("A") })] }],
    ["under not", { not: object({ a: marked("A") }) }],
    ...["if", "then", "else"].map((keyword): [string, object] => [
      `under ${keyword}`,
      { [keyword]: object({ a: marked("A") }) }
    ]),
    ["under $defs", { $defs: { a: marked("A") } }],
    ["under a definition named properties", { $defs: { properties: marked("A") } }],
    ["under definitions", { definitions: { a: marked("A") } }],
    ["under patternProperties", { patternProperties: { "^a": marked("A") } }],
    ["under additionalProperties", { additionalProperties: marked("A") }],
    ["under dependentSchemas", { dependentSchemas: { a: object({ b: marked("A") }) } }],
    ["under an unknown keyword", { whatever: { deeper: marked("A") } }],
    ["inside a property, under oneOf", object({ a: { oneOf: [marked("A")] } })]
  ])("MUST only be reachable by properties: not %s", (_, schema) => {
    expect(problemOf(schema)).toContain("not reachable by properties alone")
  })

  it.each<[string, object]>([
    ["a property of that name", object({ "x-mcp-header": { type: "string" } })],
    ["a definition of that name", { $defs: { "x-mcp-header": { type: "string" } } }],
    ["a pattern of that name", { patternProperties: { "x-mcp-header": { type: "string" } } }],
    ["default", object({ a: { type: "object", default: { "x-mcp-header": "A" } } })],
    ["const", object({ a: { const: { "x-mcp-header": "A" } } })],
    ["enum", object({ a: { enum: [{ "x-mcp-header": "A" }] } })],
    ["examples", object({ a: { examples: [{ "x-mcp-header": "A" }] } })]
  ])("what is no annotation annotates nothing: %s", (_, schema) => {
    expect(headersOf(schema)).toEqual([])
  })

  it("a property may be named like a keyword", () => {
    const schema = object({
      properties: marked("P"),
      items: marked("I"),
      $defs: marked("D"),
      default: marked("F"),
      "x-mcp-header": marked("H")
    })
    expect(headersOf(schema).map(({ path }) => path)).toEqual([
      ["properties"],
      ["items"],
      ["$defs"],
      ["default"],
      ["x-mcp-header"]
    ])
  })

  it("one bad annotation makes the whole definition invalid", () => {
    expect(problemOf(object({ good: marked("Good"), bad: marked("") }))).toBeDefined()
  })

  it("bounds how deep, how wide and how many", () => {
    let deep: object = marked("A")
    for (let index = 0; index < 10_000; index++) deep = object({ a: deep })
    expect(problemOf(deep)).toContain("too large")
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: "string" }]))
    expect(problemOf(object(wide))).toContain("too large")
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, marked(`H${index}`)]))
    expect(problemOf(object(many))).toContain("more than 100")
    expect(problemOf(object({ a: marked("x".repeat(10_000), { type: "number" }) }))?.length).toBeLessThan(400)
  })

  it.prop("never throws", [Schema.Json], ([json]) => {
    expect(["Valid", "Invalid"]).toContain(ToolHeaders.fromSchema(json)._tag)
    expect(["Valid", "Invalid"]).toContain(ToolHeaders.fromSchema({ properties: json })._tag)
  })
})

describe("ToolHeaders.valueAt", () => {
  it.each<[unknown, ReadonlyArray<string>, unknown]>([
    [{ a: "x" }, ["a"], "x"],
    [{ a: "" }, ["a"], ""],
    [{ a: 0 }, ["a"], 0],
    [{ a: false }, ["a"], false],
    [{ a: { b: { c: 7 } } }, ["a", "b", "c"], 7],
    [{ a: null }, ["a"], undefined],
    [{ a: 1.5 }, ["a"], undefined],
    [{ a: 2 ** 53 }, ["a"], undefined],
    [{ a: Number.NaN }, ["a"], undefined],
    [{ a: {} }, ["a"], undefined],
    [{ a: ["x"] }, ["a", "0"], undefined],
    [{ a: "x" }, ["a", "length"], undefined],
    [{}, ["toString"], undefined],
    [{}, ["__proto__"], undefined],
    [undefined, ["a"], undefined],
    [null, ["a"], undefined],
    ["x", [], "x"]
  ])("of %j at %j is %j", (root, path, value) => {
    expect(ToolHeaders.valueAt(root, path)).toBe(value)
  })
})

describe("ToolHeaders.fromSchema, to the letter", () => {
  const marked = { type: "string", "x-mcp-header": "Region" }
  const problemOf = (schema: unknown): string => {
    const found = ToolHeaders.fromSchema(schema)
    return found._tag === "Invalid" ? found.problem : "valid"
  }

  it.each(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"])(
    "takes what is under %s for names, even one that is spelled like a keyword of data",
    (keyword) => {
      const schema = { properties: { a: { [keyword]: { default: marked, enum: {} } } } }
      if (keyword === "properties") expect(problemOf(schema)).toBe("valid")
      else expect(problemOf(schema)).toContain("Region is not reachable by properties alone")
    }
  )

  it("tells names apart without regard to case, and keeps the first problem that it finds", () => {
    const schema = { properties: { a: marked, b: { ...marked, "x-mcp-header": "REGION" }, c: { "x-mcp-header": 7 } } }
    expect(problemOf(schema)).toContain("REGION is used twice")
    expect(problemOf({ properties: { a: { "x-mcp-header": 7, properties: { b: marked } } } })).toContain(
      "no header name"
    )
  })

  it("searches 32 levels below the root, whatever leads down, and no deeper", () => {
    const below = (levels: number, deeper: (schema: unknown) => unknown): unknown =>
      levels === 0 ? { title: "the deepest" } : deeper(below(levels - 1, deeper))
    for (const deeper of [
      (schema: unknown) => ({ not: schema }),
      (schema: unknown) => ({ properties: { a: schema } }),
      (schema: unknown) => [schema]
    ]) {
      expect(problemOf(below(32, deeper))).toBe("valid")
      expect(problemOf(below(33, deeper))).toContain("too large")
    }
  })

  it("searches 10,000 objects and lists, and counts nothing else", () => {
    const of = (count: number): unknown => ({ whatever: Array.from({ length: count }, () => ({})) })
    expect(problemOf(of(9_998))).toBe("valid")
    expect(problemOf(of(9_999))).toContain("too large")
    for (const plain of [null, "x", 7, true]) {
      expect(problemOf({ whatever: Array.from({ length: 20_000 }, () => plain) })).toBe("valid")
    }
  })

  it("searches a parameter that is marked itself", () => {
    expect(problemOf({ properties: { a: { ...marked, anyOf: [{ ...marked, "x-mcp-header": "Other" }] } } })).toContain(
      "Other is not reachable by properties alone"
    )
  })

  it("reads integers at a path, and no other number", () => {
    const at = (value: unknown): unknown => ToolHeaders.valueAt({ a: value }, ["a"])
    expect([7, 0, -1, 2 ** 53 - 1, true, "x", ""].map(at)).toEqual([7, 0, -1, 2 ** 53 - 1, true, "x", ""])
    for (const value of [1.5, 2 ** 53, Number.NaN, null, {}, [], undefined]) expect(at(value)).toBeUndefined()
  })
})
