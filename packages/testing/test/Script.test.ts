import { describe, expect, it } from "vitest"
import { choose, fill, fillText, type Heard, type On, textOf } from "@parley/testing/Script"

const heard = (method: string, headers: Heard["headers"] = {}): Heard => ({
  httpMethod: "POST",
  headers,
  body: { jsonrpc: "2.0", id: 1, method }
})
const answers = (on: On, request: Heard, nth = 1) => choose([{ on, reply: {} }], request, nth) !== undefined

describe("choose", () => {
  it.each<[string, On, Heard, number, boolean]>([
    ["the method", { method: "initialize" }, heard("initialize"), 1, true],
    ["another method", { method: "initialize" }, heard("ping"), 1, false],
    ["the nth of its method", { method: "ping", nth: 2 }, heard("ping"), 2, true],
    ["another than the nth", { method: "ping", nth: 2 }, heard("ping"), 1, false],
    [
      "a header by a name in any case",
      { headers: { "MCP-Session-Id": "a" } },
      heard("ping", { "mcp-session-id": "a" }),
      1,
      true
    ],
    [
      "a header with another value",
      { headers: { "mcp-session-id": "a" } },
      heard("ping", { "mcp-session-id": "A" }),
      1,
      false
    ],
    ["an absent header that must be absent", { headers: { "mcp-session-id": null } }, heard("ping"), 1, true],
    [
      "a present header that must be absent",
      { headers: { "mcp-session-id": null } },
      heard("ping", { "mcp-session-id": "" }),
      1,
      false
    ],
    ["all tokens", { headersContain: { Accept: ["a/b", "c/d"] } }, heard("ping", { accept: "c/d;q=1, A/B" }), 1, true],
    ["one token of two", { headersContain: { accept: ["a/b", "c/d"] } }, heard("ping", { accept: "a/b" }), 1, false],
    ["one token alone", { headersContain: { accept: "a/b" } }, heard("ping", { accept: "a/b" }), 1, true],
    ["GET by its HTTP method", { httpMethod: "get" }, { httpMethod: "GET", headers: {} }, 1, true],
    ["no JSON-RPC request by its HTTP method", { httpMethod: "POST" }, heard("ping"), 1, false]
  ])("matches %s", (_, on, request, nth, expected) => {
    expect(answers(on, request, nth)).toBe(expected)
  })

  it("takes the first row that answers", () => {
    const rows = [
      { on: { method: "ping", nth: 2 }, reply: { status: 200 } },
      { on: { method: "ping" }, reply: { status: 201 } },
      { on: { method: "ping" }, reply: { status: 202 } }
    ]
    expect(choose(rows, heard("ping"), 1)?.reply.status).toBe(201)
    expect(choose(rows, heard("ping"), 2)?.reply.status).toBe(200)
    expect(choose(rows, heard("pong"), 1)).toBeUndefined()
  })
})

describe("the id of the request", () => {
  it.each([[7], [0], ["seven"], ["7"], ['a"b']])("keeps its JSON type: %j", (id) => {
    expect(fill({ id: "{{request.id}}", list: ["{{request.id}}"] }, id)).toEqual({ id, list: [id] })
    expect(JSON.parse(fillText('{"id":{{request.id}}}', id))).toEqual({ id })
  })

  it("is null where the request had none", () => {
    expect(fill({ id: "{{request.id}}" }, undefined)).toEqual({ id: null })
    expect(fillText("{{request.id}}", undefined)).toBe("null")
  })

  it("is put in place as it is, whatever characters it holds", () => {
    expect(fillText("x{{request.id}}", "$&$1")).toBe('x"$&$1"')
  })
})

describe("textOf", () => {
  it("writes raw before the body", () => {
    expect(textOf({ raw: "noise\n", body: { id: "{{request.id}}" } }, 3, "\n")).toBe('noise\n{"id":3}\n')
  })
  it("writes raw instead of a body", () => {
    expect(textOf({ raw: '{"id":{{request.id}}}\r\n' }, "a", "\n")).toBe('{"id":"a"}\r\n')
  })
  it("puts in the id of an earlier request, null where there was none", () => {
    const earlier = (method: string, nth: number) => (nth === 1 ? `${method} first` : undefined)
    const reply = { raw: '{"id":{{server/discover.1.id}}}\n{"id":{{ping.2.id}}}\n' }
    expect(textOf(reply, 3, "\n", earlier)).toBe('{"id":"server/discover first"}\n{"id":null}\n')
  })
  it("writes nothing for an empty reply", () => {
    expect(textOf({ status: 202 }, 3, "\n")).toBe("")
  })
})
