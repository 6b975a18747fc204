// Tools in the modern era over HTTP: which of their parameters travel as headers, and what is remembered of them.
import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "@parley/core/Message"
import * as ToolMemory from "@parley/runtime/ToolMemory"
import { Effect, Logger } from "effect"
import * as Served from "./support/Served.ts"

const tool = (name: string, properties: JsonObject) => ({ name, inputSchema: { type: "object", properties } })
const query = tool("query", { region: { type: "string", "x-mcp-header": "Region" }, text: { type: "string" } })
const broken = tool("broken", { list: { type: "array", "x-mcp-header": "List" } })
const plain = tool("plain", { text: { type: "string" } })

const logging = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
  return { lines, layer: Logger.layer([logger]) }
}

describe("a tool of the modern era over HTTP", () => {
  it.effect("has its marked parameters sent as headers, once it was listed", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.modernHttp, {
        "tools/list": (turn) => turn.result({ tools: [query, plain] }),
        "tools/call": (turn) => turn.result({})
      })
      const call = (args: JsonObject) => connection.request("tools/call", { name: "query", arguments: args })
      yield* call({ region: "eu" })
      yield* connection.request("tools/list")
      yield* call({ region: "eu", text: "x" })
      yield* call({ region: null })
      yield* connection.request("tools/call", { name: "plain", arguments: { region: "eu" } })
      expect(peer.posts("tools/call").map((one) => one.headers["mcp-param-region"])).toEqual([
        undefined,
        "eu",
        undefined,
        undefined
      ])
      expect(peer.posts("tools/call")[1]?.headers["mcp-name"]).toBe("query")
    })
  )

  it.effect("whose annotations are invalid is left out, with a warning that names it", () =>
    Effect.gen(function* () {
      const { layer, lines } = logging()
      const { connection } = yield* Served.connected(Served.modernHttp, {
        "tools/list": (turn) => turn.result({ tools: [query, broken, plain], nextCursor: "2", other: 1 })
      })
      const listed = yield* Effect.provide(connection.request("tools/list"), layer)
      expect(listed).toEqual({ tools: [query, plain], nextCursor: "2", other: 1 })
      expect(lines).toEqual([expect.stringMatching(/^Warn The tool "broken" is left out: /)])
    })
  )

  it.effect("elsewhere is taken as it is", () =>
    Effect.gen(function* () {
      for (const place of [Served.modernStdio, Served.legacyHttp, Served.legacyStdio]) {
        const { connection, peer } = yield* Served.connected(place, {
          "tools/list": (turn) => turn.result({ tools: [query, broken] }),
          "tools/call": (turn) => turn.result({})
        })
        expect((yield* connection.request("tools/list"))["tools"]).toEqual([query, broken])
        yield* connection.request("tools/call", { name: "query", arguments: { region: "eu" } })
        expect(peer.posts("tools/call")[0]?.headers).not.toHaveProperty("mcp-param-region")
      }
    })
  )

  it.effect("refused for its headers is listed again, page by page, and called once more", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.modernHttp, {
        "tools/list": (turn) =>
          turn.params["cursor"] === "2"
            ? turn.result({ tools: [query], nextCursor: "3" })
            : turn.result({ tools: [plain], nextCursor: "2" }),
        "tools/call": (turn) =>
          turn.outgoing.headers["mcp-param-region"] === "eu"
            ? turn.result({ done: true })
            : turn.error(-32020, undefined, { status: 400 })
      })
      const call = connection.request("tools/call", { name: "query", arguments: { region: "eu" } })
      expect(yield* call).toEqual({ done: true })
      expect(peer.words()).toEqual(["server/discover", "tools/call", "tools/list", "tools/list", "tools/call"])
      expect(new Set(peer.seen.sent.map((one) => one.exchange)).size).toBe(5)
    })
  )

  it.effect("is not called a third time", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.modernHttp, {
        "tools/list": (turn) => turn.result({ tools: [query] }),
        "tools/call": (turn) => turn.error(-32020, undefined, { status: 400 })
      })
      const error = yield* Effect.flip(connection.request("tools/call", { name: "query", arguments: {} }))
      expect(error.reason._tag).toBe("HeaderMismatch")
      expect(peer.posts("tools/call").length).toBe(2)
    })
  )

  it.effect("is looked for on twenty pages, and not on more", () =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.modernHttp, {
        "tools/list": (turn) => turn.result({ tools: [], nextCursor: "more" }),
        "tools/call": (turn) => turn.error(-32020, undefined, { status: 400 })
      })
      yield* Effect.flip(connection.request("tools/call", { name: "query", arguments: {} }))
      expect(peer.posts("tools/list").length).toBe(20)
    })
  )

  it.effect("elsewhere a -32020 is an error like others: the call may have been executed", () =>
    Effect.gen(function* () {
      for (const place of [Served.modernStdio, Served.legacyHttp, Served.legacyStdio]) {
        const { connection, peer } = yield* Served.connected(place, { "tools/call": (turn) => turn.error(-32020) })
        yield* Effect.flip(connection.request("tools/call", { name: "query", arguments: {} }))
        expect(peer.posts("tools/call").length).toBe(1)
        expect(peer.posts("tools/list").length).toBe(0)
      }
    })
  )
})

describe("the memory of tools", () => {
  const header = (name: string, of: string, length = 1) =>
    tool(name, { ["p".repeat(length)]: { type: "string", "x-mcp-header": of } })

  it("forgets the tools that were listed longest ago, and counts only those with headers", () => {
    const memory = ToolMemory.make(2)
    memory.remember({ tools: [header("a", "A"), plain, header("b", "B"), header("a", "A2"), header("c", "C")] })
    expect(memory.headersOf("b")).toBeUndefined()
    expect(memory.headersOf("plain")).toBeUndefined()
    expect(memory.headersOf("a")).toEqual([{ header: "A2", path: ["p"], type: "string" }])
    expect(memory.headersOf("c")?.length).toBe(1)
  })

  it("forgets what a tool no longer has", () => {
    const memory = ToolMemory.make()
    memory.remember({ tools: [header("a", "A"), header("b", "B")] })
    memory.remember({ tools: [tool("a", {}), { ...broken, name: "b" }] })
    expect(memory.headersOf("a")).toBeUndefined()
    expect(memory.headersOf("b")).toBeUndefined()
  })

  it("leaves out a tool whose annotations are too long to be remembered", () => {
    const memory = ToolMemory.make()
    const { result, warnings } = memory.remember({ tools: [header("a", "A", 20_000), plain] })
    expect(result["tools"]).toEqual([plain])
    expect(warnings).toEqual([expect.stringContaining("too long")])
    expect(memory.headersOf("a")).toBeUndefined()
  })

  it("takes a result that is no list as it is", () => {
    const memory = ToolMemory.make()
    for (const tools of [undefined, null, {}, "x"]) expect(memory.remember({ tools }).result).toEqual({ tools })
    expect(memory.remember({ tools: [null, 7, { name: 8 }] }).result).toEqual({ tools: [null, 7, { name: 8 }] })
  })
})
