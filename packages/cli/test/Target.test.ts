// What a command line means by a server, and the sentence for what means none.
import { describe, expect, it } from "vitest"
import * as Target from "@parley/cli/Target"

describe("read", () => {
  it.each([
    ["a URL", ["http://127.0.0.1:3000/mcp"], undefined, { _tag: "Http", url: "http://127.0.0.1:3000/mcp" }],
    [
      "a URL with a query",
      ["https://a.example/mcp?k=1#x"],
      undefined,
      { _tag: "Http", url: "https://a.example/mcp?k=1" }
    ],
    [
      "a command",
      [],
      ["node", "server.js", "--flag"],
      { _tag: "Stdio", command: "node", args: ["server.js", "--flag"] }
    ]
  ])("takes %s", (_, before, after, value) => {
    expect(Target.read(before, after)).toEqual({ ok: true, value })
  })

  it.each([
    ["nothing", [], undefined, "No server is named"],
    ["nothing after --", [], [], "Nothing stands after --"],
    ["an empty command", [], [""], "Nothing stands after --"],
    ["both", ["http://a.example"], ["node"], "not both"],
    ["two URLs", ["http://a.example", "http://b.example"], undefined, "One URL at a time"],
    ["a command without --", ["node", "server.js"], undefined, "put -- before it: -- node server.js"],
    ["one word", ["node"], undefined, "put -- before it: -- node"],
    ["a host without scheme", ["example.com/mcp"], undefined, "https://example.com/mcp"],
    ["another scheme", ["ftp://a.example"], undefined, "not ftp:"],
    ["a host and port", ["localhost:3000"], undefined, "with its scheme: http://localhost:3000"]
  ])("refuses %s with a sentence", (_, before, after, problem) => {
    const reading = Target.read(before, after)
    expect(reading.ok).toBe(false)
    expect(!reading.ok && reading.problem).toContain(problem)
  })

  it("repeats no control character", () => {
    const hostile = Target.read(["\u001b[31mx"], undefined)
    expect(!hostile.ok && hostile.problem).not.toContain("\u001b")
  })
})

describe("show", () => {
  it("leaves out what looks like a secret: the query of a URL, the value of a token flag", () => {
    expect(Target.show({ _tag: "Http", url: "https://me:secret@a.example/mcp?key=secret" })).toBe(
      "https://a.example/mcp"
    )
    expect(Target.show({ _tag: "Stdio", command: "node", args: ["x.js", "--token", "secret"] })).toBe(
      "node x.js --token ***"
    )
  })
})
