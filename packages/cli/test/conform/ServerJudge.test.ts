import type { Facts } from "@parley/cli/conform/Facts"
import { judge, judgeEnd } from "@parley/cli/conform/ServerJudge"
import { select } from "@parley/cli/conform/ServerRun"
import { conversations } from "@parley/cli/conform/Data"
import type { Heard } from "@parley/cli/conform/Wire"
import type { Said } from "@parley/vectors/data/ServerConversations"
import { describe, expect, it } from "vitest"

const facts: Facts = {
  profile: "dual",
  legacy: ["2025-06-18", "2025-11-25"],
  listed: ["2026-07-28", "2025-11-25", "2025-06-18"],
  capabilities: ["tools"],
  tools: ["echo"]
}

const last = (id: string) => {
  const turn = conversations()
    .server.find((one) => one.id === id)
    ?.turns.at(-1)
  if (turn === undefined) throw new Error(`no conversation ${id}`)
  const said: Said = "line" in turn.in ? { method: "POST", headers: {}, text: turn.in.line } : turn.in
  return { said, out: turn.out }
}
const http = (status: number, message?: object, headers: { readonly [name: string]: string } = {}): Heard => ({
  _tag: "Answered",
  answer: { status, headers, text: JSON.stringify(message) ?? "", ...(message === undefined ? {} : { message }) }
})
const line = (message: object): Heard => ({
  _tag: "Answered",
  answer: { headers: {}, text: JSON.stringify(message), message }
})
const error = (code: number, more: object = {}, id: unknown = 7) => ({ jsonrpc: "2.0", id, error: { code, ...more } })
const found = (id: string, heard: Heard) => {
  const { out, said } = last(id)
  return judge(said, out, heard, facts).map(({ came, expected }) => `${expected} <- ${came}`)
}

describe("judge", () => {
  it.each<[string, string, Heard, ReadonlyArray<string>]>([
    ["the code that the specification names", "fresh/discover.noCapabilities", http(400, error(-32602)), []],
    ["another code there", "fresh/discover.noCapabilities", http(400, error(-32603)), ["400 -32602 <- 400 -32603"]],
    ["another status there", "fresh/discover.noCapabilities", http(200, error(-32602)), ["400 -32602 <- 200 -32602"]],
    [
      "a result there",
      "fresh/discover.noCapabilities",
      http(200, { id: 7, result: {} }),
      ["400 -32602 <- 200 a result"]
    ],
    ["no answer", "fresh/discover.noCapabilities", { _tag: "Nothing" }, ["400 -32602 <- no answer"]],
    [
      "a broken connection",
      "fresh/discover.noCapabilities",
      { _tag: "Broken", problem: "it broke" },
      ["400 -32602 <- it broke"]
    ],
    ["the id of another", "fresh/discover.noCapabilities", http(400, error(-32602, {}, null)), ["id 7 <- id null"]],
    ["any code where none is named", "fresh/head.originElsewhere", http(403, error(-32000, {}, null)), []],
    ["no message where no code is named", "fresh/head.originElsewhere", http(403), []],
    ["another status where one is named", "fresh/head.originElsewhere", http(400), ["403 <- 400 without a body"]],
    ["any 4xx where none is named", "fresh/head.acceptHtml", http(400), []],
    ["acceptance where it is refused", "fresh/head.acceptHtml", http(200, { result: {} }), ["4xx <- 200 a result"]],
    ["an answer under 200 to what the machine refuses", "opened/initialize.2025-11-25", http(200, error(-32600)), []],
    [
      "the list of what is served",
      "fresh/discover.2099-01-01",
      http(400, error(-32022, { data: { supported: facts.listed } })),
      []
    ],
    [
      "another list",
      "fresh/discover.2099-01-01",
      http(400, error(-32022, { data: { supported: ["2026-07-28"] } })),
      ["supported: 2026-07-28, 2025-11-25, 2025-06-18 <- supported: 2026-07-28"]
    ],
    [
      "no list",
      "fresh/discover.2099-01-01",
      http(400, error(-32022)),
      ["supported: 2026-07-28, 2025-11-25, 2025-06-18 <- supported: none"]
    ],
    ["202 to a notification", "opened/initialized", http(202), []],
    ["200 to a notification", "opened/initialized", http(200), ["202 <- 200 without a body"]],
    ["a message to a notification", "opened/initialized", http(200, error(-32601)), ["no message <- 200 -32601"]],
    ["an event stream to a GET", "opened/get", http(200, undefined, { "content-type": "text/event-stream" }), []],
    ["a page to a GET", "opened/get", http(200), ["an event stream or 405 <- 200 without a body"]],
    ["405 to a DELETE", "opened/delete", http(405), []],
    ["405 to a DELETE of no session", "fresh/delete.unknown", http(405), []],
    ["a refusal of a notification", "opened/initialized", http(400, error(-32600)), ["202 <- 400 -32600"]],
    ["a result of the application", "opened/legacy.tools/call", http(200, { id: 7, result: { isError: true } }), []],
    ["an error of the application", "opened/legacy.tools/call", http(200, error(-32602)), []],
    [
      "a method that is unknown after all",
      "opened/legacy.tools/call",
      http(200, error(-32601)),
      ["it is handled <- 200 -32601"]
    ]
  ])("%s", (_, id, heard, wanted) => {
    expect(found(`server/dual@http/${id}`, heard)).toEqual(wanted)
  })

  it("blames nobody for what Parley takes kindly", () => {
    for (const id of [
      "fresh/head.acceptAny",
      "fresh/head.noAccept",
      "fresh/head.originLoopback",
      "fresh/discover+sameVersionTwice"
    ]) {
      const { out, said } = last(`server/dual@http/${id}`)
      expect([id, judge(said, out, http(406), facts)[0]?.clause.level]).toEqual([id, "choice"])
    }
    const { out, said } = last("server/dual@http/fresh/discover")
    expect(judge(said, out, http(406), facts)[0]?.clause.level).toBe("MUST")
  })

  const handshake = (version: string, more: object = {}) =>
    line({ jsonrpc: "2.0", id: 7, result: { protocolVersion: version, capabilities: {}, serverInfo: {}, ...more } })

  it("wants the revision that was offered where it is served, and any that is served where it is not", () => {
    expect(found("server/dual@stdio/fresh/initialize.2025-06-18", handshake("2025-06-18"))).toEqual([])
    expect(found("server/dual@stdio/fresh/initialize.2025-06-18", handshake("2025-11-25"))).toEqual([
      "2025-06-18 <- 2025-11-25"
    ])
    expect(found("server/dual@stdio/fresh/initialize.1999-01-01", handshake("2025-06-18"))).toEqual([])
    expect(found("server/dual@stdio/fresh/initialize.1999-01-01", handshake("1999-01-01"))).toHaveLength(1)
    expect(
      found("server/dual@stdio/fresh/initialize.2025-06-18", handshake("2025-06-18", { capabilities: 1 }))
    ).toEqual(["capabilities, an object <- 1"])
  })

  it("wants of a DiscoverResult its lists, its type, and who serves", () => {
    const result = { supportedVersions: ["2026-07-28"], capabilities: {}, resultType: "complete" }
    const good = { ...result, _meta: { "io.modelcontextprotocol/serverInfo": {} } }
    const id = "server/dual@stdio/fresh/discover"
    expect(found(id, line({ id: 7, result: good }))).toEqual([])
    expect(found(id, line({ id: 7, result }))).toEqual(["serverInfo in _meta <- none"])
    expect(found(id, line({ id: 7, result: { ...good, resultType: undefined } }))).toHaveLength(1)
    expect(found(id, line({ id: 8, result: good }))).toEqual(["id 7 <- id 8"])
  })

  it("tells what came for nothing, and an end that nobody asked for", () => {
    const said: Said = { method: "POST", headers: {}, text: '{"method":"notifications/initialized"}' }
    expect(judgeEnd([], undefined, said)).toEqual([])
    expect(judgeEnd(['{"error":{"code":-32601}}'], "ended with code 1", said)).toMatchObject([
      { about: "notifications/initialized", expected: "no message", came: "-32601" },
      { expected: "the process lives on", came: "it ended with code 1" }
    ])
  })
})

describe("select", () => {
  const all = conversations().server

  it("takes of a profile what comes out otherwise, and the rest from dual", () => {
    const { held } = select(
      all,
      { ...facts, profile: "handshakeOnly", legacy: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] },
      "stdio"
    )
    const profiles = new Set(held.map(({ profile }) => profile))
    expect(profiles).toEqual(new Set(["dual", "handshakeOnly"]))
    const places = held.map(({ id }) => id.replace(/^server\/\w+/, ""))
    expect(new Set(places).size).toBe(places.length)
  })

  it("leaves out what the server cannot be put in, and says why", () => {
    const { held, leftOut } = select(all, facts, "http")
    const whys = new Set(leftOut.map(({ why }) => why))
    for (const why of [
      "it does not serve 2024-11-05",
      "it has no tool ask",
      "it has no logging",
      "how much it takes is its own"
    ])
      expect(whys).toContain(why)
    expect(held.length + leftOut.length).toBe(
      all.filter((one) => one.profile === "dual" && one.medium === "http").length
    )
    expect(select(all, { ...facts, profile: "modernOnly" }, "http").held.every(({ turns }) => turns.length === 1)).toBe(
      true
    )
  })
})
