import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as CaseFile from "@parley/testing/CaseFile"

const path = fileURLToPath(new URL("../cases/reports.json", import.meta.url))
const text = readFileSync(path, "utf8")
const client = {
  id: "c-one",
  side: "client",
  transport: "stdio",
  policy: "auto",
  server: [{ on: { method: "initialize" }, reply: { body: {} } }],
  right: { outcome: "failed" }
}
const server = {
  id: "s-one",
  side: "server",
  transport: "http",
  serverEras: ["legacy"],
  send: [{ body: {} }],
  right: [{ status: 200 }]
}
const read = (...cases: ReadonlyArray<unknown>) => CaseFile.read("x.json", JSON.stringify(cases))
const problemsOf = (item: unknown) => read(item).broken.flatMap(({ problems }) => problems)

describe("a case file", () => {
  it("decodes all 117 reported cases, with their notes", async () => {
    const file = await CaseFile.load(path)
    expect(file.broken).toEqual([])
    expect(file.ignored).toEqual([])
    expect(file.cases.filter(({ side }) => side === "client")).toHaveLength(66)
    expect(file.cases.filter(({ side }) => side === "server")).toHaveLength(51)
    const noted = file.cases.find(({ id }) => id === "c-init-502-html")
    expect(noted).toMatchObject({ right: { outcome: "failed", errorHas: { status: 502 } } })
  })

  it("may be an object with cases", () => {
    const file = CaseFile.read("x.json", JSON.stringify({ cases: JSON.parse(text) }))
    expect(file.cases).toHaveLength(117)
  })

  it.each([
    ["nothing", ""],
    ["no JSON", "[{"],
    ["a number", "3"],
    ["an object without cases", "{}"]
  ])("that holds %s is one broken entry", (_, content) => {
    const file = CaseFile.read("x.json", content)
    expect(file.cases).toEqual([])
    expect(file.broken).toMatchObject([{ file: "x.json", id: "(file)" }])
  })

  it("that is not there is one broken entry", async () => {
    const file = await CaseFile.load("/nowhere/x.json")
    expect(file.broken).toMatchObject([{ file: "x.json", id: "(file)" }])
  })

  it("keeps the good cases beside a broken one", () => {
    const file = read(client, { ...client, id: "c-two", transport: "pigeon" }, server, null)
    expect(file.cases.map(({ id }) => id)).toEqual(["c-one", "s-one"])
    expect(file.broken.map(({ id }) => id)).toEqual(["c-two", "number 4"])
  })

  it("does not run one id twice unseen", () => {
    expect(read(client, client).broken).toMatchObject([{ id: "c-one" }])
  })
})

describe("a broken case is named by its member", () => {
  it.each<[string, unknown, string]>([
    ["an unknown side", { ...client, side: "both" }, 'side: Expected "client" | "server", saw "both"'],
    ["an unknown transport", { ...client, transport: "pigeon" }, 'transport: Expected "stdio" | "http", saw "pigeon"'],
    [
      "a status that is none",
      { ...client, server: [{ on: {}, reply: { status: "x" } }] },
      'server[0].reply.status: Expected number, saw "x"'
    ],
    ["an absent outcome", { ...client, right: {} }, "right.outcome: Missing key"],
    ["no id", { ...client, id: "" }, "id: "],
    [
      "an unknown operator",
      { ...client, right: { outcome: "failed", errorHas: { a: { $is: 1 } } } },
      "right.errorHas.a.$is: Expected one of"
    ],
    [
      "more sends than right",
      { ...server, send: [{ body: {} }, { body: {} }] },
      "right: Expected one entry per send (2), saw 1"
    ],
    ["a right that checks nothing", { ...server, right: [{}] }, "right[0]: Expected something to check"],
    [
      "a parallel send that is none",
      { ...server, send: [{ body: {}, parallelWith: 4 }] },
      "send[0].parallelWith: Expected the index of another send, saw 4"
    ],
    ["an unknown era", { ...server, serverEras: ["bronze"] }, "serverEras[0]: "]
  ])("%s", (_, item, problem) => {
    expect(problemsOf(item)).toEqual([expect.stringContaining(problem)])
  })

  it("members that the format does not know are told and not looked at", () => {
    const file = read({ ...client, flavour: 1, right: { outcome: "failed", tone: 1, notes: "a word" } })
    expect(file.broken).toEqual([])
    expect(file.ignored).toEqual(["c-one: flavour", "c-one: right.tone"])
  })

  it("a note for a case that is not there, or with an unknown member, is broken", () => {
    const cases = JSON.stringify([client])
    expect(CaseFile.read("x.json", cases, '{"c-two":{}}').broken).toMatchObject([{ file: "x.notes.json", id: "c-two" }])
    expect(CaseFile.read("x.json", cases, '{"c-one":{"errorHaz":1}}').broken).toMatchObject([
      { file: "x.notes.json", id: "(notes)", problems: [expect.stringContaining("c-one.errorHaz")] }
    ])
    expect(CaseFile.read("x.json", cases, "[").broken).toMatchObject([{ id: "(file)" }])
  })
})
