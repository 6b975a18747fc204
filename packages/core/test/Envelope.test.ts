// The wire form of what a client sends, in either era.
// Source: 2026-07-28 basic/index, _meta; basic/transports/streamable-http, Request Metadata and Value Encoding.
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Stamp } from "@parley/core/Envelope"
import * as Envelope from "@parley/core/Envelope"
import { notification, request } from "@parley/core/Message"
import * as ToolHeaders from "@parley/core/ToolHeaders"

const wellFormed = (text: string): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text))

const client = { info: { name: "ExampleClient", version: "1.0.0" }, capabilities: { roots: {} } }
const modern: Stamp = { version: "2026-07-28", client }
const legacy: Stamp = { version: "2025-06-18", client, sessionId: "s1" }

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "ExampleClient", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { roots: {} }
}

describe("Envelope.initialize", () => {
  it("offers a revision, without a version header and without a session", () => {
    expect(Envelope.initialize(1, "2025-11-25", client)).toEqual({
      message: {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: { roots: {} }, clientInfo: client.info }
      },
      headers: {}
    })
  })
})

describe("Envelope.discover", () => {
  it("carries the envelope, and its headers mirror it", () => {
    expect(Envelope.discover("parley-2", "2026-07-28", client)).toEqual({
      message: { jsonrpc: "2.0", id: "parley-2", method: "server/discover", params: { _meta: meta } },
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" }
    })
  })

  it("names the revision that is asked for", () => {
    const { headers, message } = Envelope.discover(1, "2027-01-01", client)
    expect(headers["mcp-protocol-version"]).toBe("2027-01-01")
    expect(message.params).toMatchObject({ _meta: { "io.modelcontextprotocol/protocolVersion": "2027-01-01" } })
  })
})

describe("Envelope.initialized", () => {
  it("carries the negotiated revision, and the session if there is one", () => {
    expect(Envelope.initialized(legacy)).toEqual({
      message: { jsonrpc: "2.0", method: "notifications/initialized" },
      headers: { "mcp-protocol-version": "2025-06-18", "mcp-session-id": "s1" }
    })
    expect(Envelope.initialized({ version: "2025-06-18", client }).headers).toEqual({
      "mcp-protocol-version": "2025-06-18"
    })
  })
})

describe("Envelope.stamp, legacy", () => {
  it("leaves the message untouched and names revision and session in headers", () => {
    const message = request(7, "tools/call", { name: "get_weather", arguments: { location: "Seattle" } })
    const stamped = Envelope.stamp(legacy, message, [{ header: "Location", path: ["location"], type: "string" }])
    expect(stamped.message).toBe(message)
    expect(stamped.headers).toEqual({ "mcp-protocol-version": "2025-06-18", "mcp-session-id": "s1" })
  })
})

describe("Envelope.stamp, modern", () => {
  it("tools/call: the specification's example", () => {
    const message = request(1, "tools/call", { name: "get_weather", arguments: { location: "Seattle, WA" } })
    expect(Envelope.stamp(modern, message)).toEqual({
      message: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_weather", arguments: { location: "Seattle, WA" }, _meta: meta }
      },
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get_weather" }
    })
  })

  it.each([
    ["resources/read", { uri: "file:///projects/myapp/config.json" }, "file:///projects/myapp/config.json"],
    ["prompts/get", { name: "greet" }, "greet"],
    ["tools/call", { name: "日本" }, "=?base64?5pel5pys?="],
    ["tools/call", { name: " padded " }, "=?base64?IHBhZGRlZCA=?="],
    ["tools/list", { name: "no" }, undefined],
    ["resources/subscribe", { uri: "file:///x" }, undefined],
    ["completion/complete", { name: "x", uri: "y" }, undefined],
    ["resources/read", { name: "x" }, undefined],
    ["tools/call", { name: 7 }, undefined],
    ["tools/call", undefined, undefined]
  ])("%s of %j: Mcp-Name is %s", (method, params, name) => {
    const { headers } = Envelope.stamp(modern, request(1, method, params))
    expect(headers["mcp-name"]).toBe(name)
    expect("mcp-name" in headers).toBe(name !== undefined)
    expect(headers["mcp-method"]).toBe(method)
  })

  it("keeps the caller's other keys of _meta, and overrules those that are the envelope's", () => {
    const message = request(1, "tools/list", {
      cursor: "c",
      _meta: {
        progressToken: 5,
        "com.example/trace": "t",
        "io.modelcontextprotocol/protocolVersion": "1999-01-01",
        "io.modelcontextprotocol/logLevel": "debug"
      }
    })
    expect(Envelope.stamp(modern, message).message.params).toEqual({
      cursor: "c",
      _meta: {
        progressToken: 5,
        "com.example/trace": "t",
        "io.modelcontextprotocol/logLevel": "debug",
        ...meta
      }
    })
    expect(message.params?.["_meta"]).toMatchObject({ "io.modelcontextprotocol/protocolVersion": "1999-01-01" })
  })

  it.each([null, [], "x", 7])("a _meta that is %j is replaced", (odd) => {
    expect(Envelope.stamp(modern, request(1, "tools/list", { _meta: odd })).message.params).toEqual({ _meta: meta })
  })

  it("stamps a notification, but for a cancellation, which belongs to a request that was stamped", () => {
    const progress = Envelope.stamp(modern, notification("notifications/progress", { progress: 1 }))
    expect(progress.message.params).toEqual({ progress: 1, _meta: meta })
    const cancelled = notification("notifications/cancelled", { requestId: 1 })
    expect(Envelope.stamp(modern, cancelled).message).toBe(cancelled)
  })

  it("a method that no header can carry is encoded, so that it cannot add one", () => {
    const { headers } = Envelope.stamp(modern, request(1, "x\r\nevil: 1"))
    expect(headers["mcp-method"]).toBe("=?base64?eA0KZXZpbDogMQ==?=")
  })
})

describe("parameters of a tool in headers", () => {
  const found = ToolHeaders.fromSchema({
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      limit: { type: "integer", "x-mcp-header": "Limit" },
      dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
      deep: { type: "object", properties: { id: { type: "string", "x-mcp-header": "Deep.Id" } } },
      query: { type: "string" }
    }
  })
  const headers = found._tag === "Valid" ? found.headers : []
  const stamped = (args: unknown): { readonly [name: string]: string } => {
    const all = Envelope.stamp(
      modern,
      request(1, "tools/call", { name: "execute_sql", arguments: args }),
      headers
    ).headers
    return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith("mcp-param-")))
  }

  it("the specification's example", () => {
    expect(stamped({ region: "us-west1", query: "SELECT * FROM users" })).toEqual({ "mcp-param-region": "us-west1" })
  })

  it("integers are decimal, booleans lower case, nested properties at their path", () => {
    expect(stamped({ limit: 42, dry: true, deep: { id: "a" } })).toEqual({
      "mcp-param-limit": "42",
      "mcp-param-dry-run": "true",
      "mcp-param-deep.id": "a"
    })
    expect(stamped({ limit: -7, dry: false })).toEqual({ "mcp-param-limit": "-7", "mcp-param-dry-run": "false" })
    expect(stamped({ limit: Number.MAX_SAFE_INTEGER })).toEqual({ "mcp-param-limit": "9007199254740991" })
  })

  it.each<[string, unknown]>([
    ["null", { region: null }],
    ["absent", {}],
    ["an object", { region: {} }],
    ["a list", { region: ["a"] }],
    ["an integer beyond the safe range", { limit: 2 ** 53 }],
    ["a fraction", { limit: 1.5 }],
    ["below something that is no object", { deep: "a" }],
    ["inherited", { deep: Object.create({ id: "a" }) }],
    ["no arguments at all", undefined],
    ["arguments that are a list", ["us-west1"]]
  ])("a value that is %s is omitted", (_, args) => {
    expect(stamped(args)).toEqual({})
  })

  it("a call without params has none", () => {
    expect(Envelope.stamp(modern, request(1, "tools/call"), headers).headers).toEqual({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call"
    })
  })

  it("a value that needs it is encoded, and none can add a header", () => {
    expect(stamped({ region: "line1\nline2" })).toEqual({ "mcp-param-region": "=?base64?bGluZTEKbGluZTI=?=" })
    expect(stamped({ region: "" })).toEqual({ "mcp-param-region": "=?base64??=" })
  })
})

describe("Envelope.encodeHeaderValue", () => {
  // Source: streamable-http, Encoding examples.
  it.each([
    ["us-west1", "us-west1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["a b\tc", "a b\tc"],
    ["a ", "=?base64?YSA=?="],
    ["\ta", "=?base64?CWE=?="],
    ["", "=?base64??="],
    ["=?BASE64?x?=", "=?BASE64?x?="],
    ["=?base64?x", "=?base64?x"],
    ["x?=", "x?="],
    // It begins and ends as the sentinel does, though the two overlap: a peer might take it for one.
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
    ["\u007f", "=?base64?fw==?="],
    ["é", "=?base64?w6k=?="]
  ])("of %j is %j", (value, header) => {
    expect(Envelope.encodeHeaderValue(value)).toBe(header)
    expect(Envelope.decodeHeaderValue(header)).toBe(value)
  })

  it.prop(
    "is printable ASCII without outer blanks, and comes back",
    [Schema.String],
    ([value]) => {
      const header = Envelope.encodeHeaderValue(value)
      expect(header).toMatch(/^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/)
      // A surrogate that stands alone has no UTF-8: it is written as the replacement character.
      expect(Envelope.decodeHeaderValue(header)).toBe(wellFormed(value))
    },
    { arbitrary: { runs: 2000 } }
  )

  it("takes time that grows with the length alone", () => {
    const blanks = `a${" ".repeat(200_000)}`
    expect(Envelope.encodeHeaderValue(blanks)).toMatch(/^=\?base64\?/)
    expect(Envelope.encodeHeaderValue(`${blanks}b`)).toBe(`${blanks}b`)
  })
})

describe("Envelope.decodeHeaderValue", () => {
  it.each([
    "=?base64?***?=",
    "=?base64?YQ?=",
    "=?base64?YQ=?=",
    "=?base64?Y===?=",
    "=?base64?YQ==YQ==?=",
    "=?base64?/w==?=",
    "=?base64? YQ==?=",
    "=?base64?YS\n==?="
  ])("%j holds no Base64 of UTF-8", (value) => {
    expect(Envelope.decodeHeaderValue(value)).toBeUndefined()
  })

  it.each(["plain", "=?base64?", "?=", "=?base64?=", "=?Base64?YQ==?=", ""])("%j stands for itself", (value) => {
    expect(Envelope.decodeHeaderValue(value)).toBe(value)
  })

  it("keeps a byte order mark, which is part of the value", () => {
    expect(Envelope.decodeHeaderValue("=?base64?77u/YQ==?=")).toBe("\ufeffa")
  })

  it.prop("never throws", [Schema.String], ([text]) => {
    const decoded = Envelope.decodeHeaderValue(`=?base64?${text}?=`)
    expect(decoded === undefined || typeof decoded === "string").toBe(true)
  })
})

describe("Envelope, to the letter", () => {
  it("reads no Base64 with blanks or with anything around it", () => {
    expect(Envelope.decodeHeaderValue("=?base64?YWJj?=")).toBe("abc")
    for (const text of ["YWJj    ", "    YWJj", "YW\tJj   ", "YWJj====", "YWJ*", "YWJ"]) {
      expect([text, Envelope.decodeHeaderValue(`=?base64?${text}?=`)]).toEqual([text, undefined])
    }
  })

  it.each(["tools/list", "resources/list", "completion/complete", "name", ""])(
    "mirrors no member of the params of %j",
    (method) => {
      expect(Envelope.nameOf(method, { name: "a", uri: "b", undefined: "c" })).toBeUndefined()
    }
  )

  it("has no session header where there is no session", () => {
    expect(Envelope.legacyHeaders({ version: "2025-06-18", client })).toStrictEqual({
      "mcp-protocol-version": "2025-06-18"
    })
  })
})
