import { judge } from "@parley/cli/conform/ClientJudge"
import { conversations, type ClientConversation } from "@parley/cli/conform/Data"
import type { End } from "@parley/cli/conform/Client"
import type { Received } from "@parley/testing/Script"
import { isObject } from "@parley/core/Message"
import { describe, expect, it } from "vitest"

const id = "client/discoverFirst@http/result.lists.legacy/result.names.2025-11-25"
const conversation = (name = id): ClientConversation => {
  const found = conversations().client.find((one) => one.id === name)
  if (found === undefined) throw new Error(`no conversation ${name}`)
  return found
}

/** What Parley sends in a conversation, as a peer receives it. */
const received = (one: ClientConversation): Array<Received> =>
  one.turns.flatMap((turn) =>
    "out" in turn && "text" in turn.out
      ? [{ httpMethod: "POST", headers: turn.out.headers, body: JSON.parse(turn.out.text ?? ""), nth: 1, at: 0 }]
      : []
  )
const agreed: End = { outcome: "established", version: "2025-11-25" }
const failed: End = { outcome: "failed", error: "Refused" }

const changed = (
  message: Received | undefined,
  change: { headers?: object; params?: object; top?: object }
): Received => {
  const body = isObject(message?.body) ? message.body : {}
  const params = isObject(body["params"]) ? body["params"] : {}
  return {
    httpMethod: "POST",
    nth: 1,
    at: 0,
    headers: { ...message?.headers, ...change.headers },
    body: { ...body, ...change.top, params: { ...params, ...change.params } }
  }
}

const lineOf = ({ turns: [first] }: ClientConversation): string =>
  first !== undefined && "out" in first && "line" in first.out ? first.out.line : ""

describe("judge", () => {
  const one = conversation()
  const [discover, initialize, initialized] = received(one)
  const all = (...messages: ReadonlyArray<Received | undefined>) => messages.filter((message) => message !== undefined)

  it("finds nothing where all is as told, whatever the ids, and whatever is sent besides", () => {
    const pinged = { ...changed(discover, {}), body: { jsonrpc: "2.0", id: 4, method: "tools/list" } }
    const other = changed(initialize, { top: { id: "an id of its own" } })
    expect(judge(one, "discoverFirst", all(discover, other, initialized, pinged), agreed)).toEqual([])
    // A client that cannot tell its revision has shown its era.
    expect(judge(one, "discoverFirst", received(one), { outcome: "established" })).toEqual([])
  })

  it("tells where a client stops, with the cell that it met and its clause", () => {
    expect(judge(one, "discoverFirst", all(discover), failed)).toEqual([
      {
        about: "Discovering.Countered",
        expected: "initialize at 2025-11-25",
        came: "nothing more; it fails (Refused)",
        clause: expect.objectContaining({ says: expect.stringMatching(/./) })
      }
    ])
  })

  it("tells where a client goes on, or another way, and of the first parting alone", () => {
    const again = changed(initialize, { params: { protocolVersion: "2024-11-05" } })
    expect(judge(one, "discoverFirst", all(discover, again, initialized), failed)).toMatchObject([
      { about: "Discovering.Countered", came: "initialize at 2024-11-05" }
    ])
    expect(judge(one, "discoverFirst", all(...received(one), again), agreed)).toMatchObject([
      { about: "Initializing.Agreed", expected: "nothing more", came: "initialize at 2024-11-05" }
    ])
  })

  it("lays it on noise that came before the answer, where a client stops there", () => {
    const noisy = conversation("client/discoverFirst@stdio/noise/result.lists.modern")
    const body: unknown = JSON.parse(lineOf(noisy))
    const sent: ReadonlyArray<Received> = [{ headers: {}, body, nth: 1, at: 0 }]
    expect(judge(noisy, "discoverFirst", sent, { outcome: "established", version: "2026-07-28" })).toEqual([])
    expect(judge(noisy, "discoverFirst", sent, failed)).toMatchObject([
      { about: "Discovering.OutOfTurn", expected: "it agrees on 2026-07-28" }
    ])
  })

  it("tells an opening that is another as the policy's, which is nobody's fault", () => {
    expect(judge(one, "discoverFirst", all(initialize, initialized), agreed)).toMatchObject([
      { about: "opening", expected: "server/discover at 2026-07-28", clause: { level: "choice" } }
    ])
  })

  it("believes nobody who says that it is connected and never said a word", () => {
    const legacy = conversation("client/auto@stdio/result.names.2025-11-25")
    expect(judge(legacy, "auto", [], { outcome: "established" })).toEqual([
      {
        about: "opening",
        expected: "initialize at 2025-11-25",
        came: "nothing at all, and it says that it is connected",
        clause: expect.objectContaining({ level: "MUST", place: "basic/lifecycle#initialization" })
      }
    ])
  })

  it("tells an outcome that is another", () => {
    expect(judge(one, "discoverFirst", received(one), failed)).toMatchObject([
      { expected: "it agrees on 2025-11-25", came: "it fails (Refused)" }
    ])
    expect(judge(one, "discoverFirst", received(one), { outcome: "established", version: "2024-11-05" })).toMatchObject(
      [{ came: "it agrees on 2024-11-05" }]
    )
    const refusal = conversation("client/discoverFirst@http/error.-32020")
    expect(judge(refusal, "discoverFirst", received(refusal), agreed)).toMatchObject([
      { about: "Discovering.ModernSign", expected: "it fails (HeaderMismatch)", clause: { level: "SHOULD" } }
    ])
  })

  it.each<[string, 0 | 1 | 2, Parameters<typeof changed>[1], string, string]>([
    [
      "no envelope",
      0,
      { params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } },
      "MUST",
      "client capabilities"
    ],
    [
      "another version header",
      0,
      { headers: { "mcp-protocol-version": "2025-11-25" } },
      "MUST",
      "mcp-protocol-version: 2026"
    ],
    ["no method header", 0, { headers: { "mcp-method": undefined } }, "MUST", "mcp-method: server/discover"],
    ["one type accepted", 0, { headers: { accept: "application/json" } }, "MUST", "accept:"],
    ["a fraction as id", 1, { top: { id: 1.5 } }, "MUST", "an id that is a string or an integer"],
    ["no client info", 1, { params: { clientInfo: undefined } }, "MUST", "clientInfo with name and version"],
    ["no jsonrpc", 1, { top: { jsonrpc: undefined } }, "MUST", 'jsonrpc "2.0"'],
    [
      "no version header afterwards",
      2,
      { headers: { "mcp-protocol-version": undefined } },
      "MUST",
      "mcp-protocol-version: 2025"
    ]
  ])("tells a message without its form: %s", (_, index, change, level, expected) => {
    const messages = received(one)
    messages[index] = changed(messages[index], change)
    const found = judge(one, "discoverFirst", messages, agreed)
    expect(found.map(({ clause }) => clause.level)).toContain(level)
    expect(found[0]?.expected).toContain(expected)
  })
})
