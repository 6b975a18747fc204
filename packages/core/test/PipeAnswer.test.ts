import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type * as Lines from "@parley/core/Lines"
import * as PipeAnswer from "@parley/core/PipeAnswer"

const line = (text: string): Lines.Line => ({ _tag: "Text", text })
const eventsOf = (...texts: ReadonlyArray<string>) => PipeAnswer.events(texts.map(line))

describe("PipeAnswer.events", () => {
  it("gives each message as it came, in order", () => {
    const messages = [
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: "a", method: "ping" },
      { jsonrpc: "2.0", method: "notifications/message", params: { data: "x" } },
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "?" } }
    ]
    expect(eventsOf(...messages.map((message) => JSON.stringify(message)))).toEqual(
      messages.map((message) => ({ _tag: "Arrived", message }))
    )
  })

  it("gives a banner as notJson, with its beginning", () => {
    expect(eventsOf(`Server \u001b[1mready\u001b[0m ${"x".repeat(500)}`)).toEqual([
      { _tag: "Stray", problem: "notJson", head: expect.stringMatching(/^Server {2}\[1mready.{100,}…$/) }
    ])
  })

  for (const text of [
    "42",
    '"hi"',
    "null",
    "true",
    "{}",
    '{"jsonrpc":"1.0","id":1,"result":{}}',
    '{"level":"info"}',
    "[]"
  ]) {
    it(`gives ${text} as notJsonRpc`, () => {
      expect(eventsOf(text)).toEqual([{ _tag: "Stray", problem: "notJsonRpc", head: text }])
    })
  }

  it("gives an overlong line as such", () => {
    expect(PipeAnswer.events([{ _tag: "Overlong", head: "xxx", limitBytes: 3 }])).toEqual([
      { _tag: "Stray", problem: "overlong", head: "xxx" }
    ])
  })

  it("gives each message of a batch, and one stray for what is none", () => {
    const one = { jsonrpc: "2.0", id: 1, result: {} }
    const two = { jsonrpc: "2.0", method: "notifications/progress" }
    expect(eventsOf(JSON.stringify([one, two]))).toEqual([
      { _tag: "Arrived", message: one },
      { _tag: "Arrived", message: two }
    ])
    const mixed = JSON.stringify([1, one, { no: "message" }, [two]])
    expect(eventsOf(mixed)).toEqual([
      { _tag: "Arrived", message: one },
      { _tag: "Stray", problem: "notJsonRpc", head: mixed }
    ])
  })

  it("survives JSON that is nested a million deep", () => {
    const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`
    expect(eventsOf(deep).map((event) => event._tag)).toEqual(["Stray"])
    expect(eventsOf(`{"jsonrpc":"2.0","id":1,"result":{"a":${deep}}}`).length).toBe(1)
  })

  it.prop(
    "never throws, and bounds what it keeps of noise",
    [Schema.String],
    ([text]) => {
      for (const event of eventsOf(text)) if (event._tag === "Stray") expect(event.head.length).toBeLessThanOrEqual(200)
    },
    { arbitrary: { runs: 1000, size: 400 } }
  )

  it.prop("gives at least one event for any JSON", [Arbitrary.schema(Schema.Json)], ([json]) => {
    expect(eventsOf(JSON.stringify(json)).length).toBeGreaterThan(0)
  })
})
