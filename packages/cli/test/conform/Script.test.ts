import { conversations, type ClientConversation } from "@parley/cli/conform/Data"
import { dueIn, rowsOf, show, stepOf, waits } from "@parley/cli/conform/Script"
import { choose, textOf } from "@parley/testing/Script"
import { describe, expect, it } from "vitest"

const conversation = (id: string): ClientConversation => {
  const found = conversations().client.find((one) => one.id === id)
  if (found === undefined) throw new Error(`no conversation ${id}`)
  return found
}

const hear = (method: string) => ({ headers: {}, httpMethod: "POST", body: { jsonrpc: "2.0", id: 0, method } })

describe("Script", () => {
  it("tells what a client must send, and what it had heard by then", () => {
    const due = dueIn(conversation("client/discoverFirst@http/result.lists.legacy/result.names.2025-11-25"))
    expect(due.map((one) => `${one.heard} ${show(one)}`)).toEqual([
      "0 server/discover at 2026-07-28",
      "1 initialize at 2025-11-25",
      "2 notifications/initialized"
    ])
  })

  it("takes nothing else for a step: a list of tools, a ping, a response, what is no message", () => {
    for (const body of [
      { method: "tools/list" },
      { method: "ping" },
      { id: 1, result: {} },
      [],
      "initialize",
      undefined
    ])
      expect(stepOf(body)).toBeUndefined()
    expect(stepOf({ method: "initialize" })).toEqual({ method: "initialize", version: "no revision" })
  })

  it("answers the nth request of a method with the id that the client gave it", () => {
    const rows = rowsOf(conversation("client/discoverFirst@http/result.lists.legacy/result.names.2025-11-25"))
    const discover = choose(rows, hear("server/discover"), 1)
    expect(JSON.parse(textOf(discover?.reply ?? {}, "mine", ""))).toMatchObject({
      id: "mine",
      result: { resultType: "complete" }
    })
    const initialize = choose(rows, hear("initialize"), 1)
    expect(JSON.parse(textOf(initialize?.reply ?? {}, 0, ""))).toMatchObject({
      id: 0,
      result: { protocolVersion: "2025-11-25" }
    })
  })

  it("refuses what is not in the conversation at once, so that a client that goes another way ends", () => {
    const rows = rowsOf(conversation("client/discoverFirst@http/result.lists.legacy/result.names.2025-11-25"))
    expect(choose(rows, hear("initialize"), 2)?.reply).toMatchObject({ status: 400, body: { error: { code: -32603 } } })
    expect(choose(rows, hear("notifications/initialized"), 1)?.reply).toEqual({ status: 202 })
  })

  it("gives a late answer the id of the request that it answers", () => {
    const late = conversation("client/discoverFirst@stdio/deadline/late.result.2026-07-28/result.names.2025-11-25")
    expect(waits(late)).toBe(true)
    const rows = rowsOf(late)
    expect(choose(rows, hear("server/discover"), 1)?.reply).toEqual({})
    const reply = choose(rows, hear("initialize"), 1)?.reply ?? {}
    const lines = textOf(reply, "second", "\n", (method, nth) => `${method} ${nth}`)
      .trim()
      .split("\n")
    expect(lines.map((line) => Reflect.get(JSON.parse(line), "id"))).toEqual(["server/discover 1", "second"])
  })

  it("can be played for every conversation: each request has its row, and each row is reached first", () => {
    for (const one of conversations().client) {
      const rows = rowsOf(one)
      const counts = new Map<string, number>()
      for (const { method } of dueIn(one)) {
        const nth = (counts.get(method) ?? 0) + 1
        counts.set(method, nth)
        const row = choose(rows, hear(method), nth)
        if (method === "notifications/initialized") continue
        expect([one.id, row?.on.nth]).toEqual([one.id, nth])
      }
    }
  })
})
