import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as HttpRequest from "@parley/core/HttpRequest"
import type { Outgoing } from "@parley/core/client/Outgoing"

const to = (address: string): HttpRequest.Endpoint => {
  const found = HttpRequest.endpoint(address)
  if (!found.ok) throw new Error(found.problem)
  return found
}

const post: Outgoing = {
  _tag: "Post",
  exchange: 1,
  message: { jsonrpc: "2.0", id: 1, method: "ping" },
  headers: { "mcp-protocol-version": "2025-06-18" }
}

describe("HttpRequest.endpoint", () => {
  it("names a target by origin and path, without credentials, query and fragment", () => {
    const found = to("https://ann:s%20cret@example.com:8443/a/mcp?key=k#f")
    expect(found.target).toBe("https://example.com:8443/a/mcp")
    expect(found.url.href).toBe("https://example.com:8443/a/mcp?key=k")
    expect(found.authorization).toBe(`Basic ${Buffer.from("ann:s cret").toString("base64")}`)
  })

  it("takes credentials beyond ASCII, broken escapes, and a user without a password", () => {
    expect(to("http://%C5%BE:%zz@a/").authorization).toBe(`Basic ${Buffer.from("ž:%zz").toString("base64")}`)
    expect(to("http://ann@a/").authorization).toBe(`Basic ${Buffer.from("ann:").toString("base64")}`)
    expect(to("http://a/").authorization).toBeUndefined()
  })

  it("does not change the URL that it is given", () => {
    const given = new URL("http://ann:secret@a/mcp#f")
    expect(HttpRequest.endpoint(given).ok).toBe(true)
    expect(given.href).toBe("http://ann:secret@a/mcp#f")
  })

  it.each(["", "/mcp", "example.com/mcp", "http://", "ftp://a/", "file:///etc/passwd", "javascript:alert(1)"])(
    "refuses %j",
    (address) => {
      expect(HttpRequest.endpoint(address)).toEqual({ ok: false, problem: expect.stringMatching(/^The address /) })
    }
  )

  it("does not repeat an address that it refuses", () => {
    const found = HttpRequest.endpoint("http//ann:secret@a")
    expect(JSON.stringify(found)).not.toContain("secret")
  })
})

describe("HttpRequest.check", () => {
  it("gives headers in lower case", () => {
    expect(HttpRequest.check({ Authorization: "Bearer x", "X-Key": "" })).toEqual({
      ok: true,
      headers: { authorization: "Bearer x", "x-key": "" }
    })
  })

  it.each([
    [{ "": "x" }, /is no header name/],
    [{ "a b": "x" }, /is no header name/],
    [{ "a:b": "x" }, /is no header name/],
    [{ "a\r\nb": "x" }, /is no header name/],
    [{ "x-key": "secret\r\nx: y" }, /x-key is not printable ASCII/],
    [{ "x-key": "secret\0" }, /x-key is not printable ASCII/],
    [{ "x-key": "secret ž" }, /x-key is not printable ASCII/],
    [{ "x-key": 1 }, /x-key is not printable ASCII/],
    [{ "x-key": undefined }, /x-key is not printable ASCII/],
    [{ "Content-Length": "1" }, /content-length belongs to the carrier/],
    [{ "Transfer-Encoding": "chunked" }, /transfer-encoding belongs to the carrier/]
  ])("refuses %j and never repeats a value", (given, problem) => {
    const found = HttpRequest.check(given)
    expect(found).toEqual({ ok: false, problem: expect.stringMatching(problem) })
    expect(JSON.stringify(found)).not.toContain("secret")
  })
})

describe("HttpRequest.headers", () => {
  it("asks for both types and sends JSON in a POST", () => {
    expect(HttpRequest.headers(post, to("http://a/"), {})).toEqual({
      accept: "application/json, text/event-stream",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "mcp-protocol-version": "2025-06-18"
    })
  })

  it("asks for a stream in a GET, and for nothing in a DELETE", () => {
    expect(HttpRequest.headers({ _tag: "Listen", exchange: 1, headers: {} }, to("http://a/"), {})).toEqual({
      accept: "text/event-stream",
      "accept-encoding": "identity"
    })
    expect(HttpRequest.headers({ _tag: "Delete", exchange: 1, headers: {} }, to("http://a/"), {})).toEqual({
      "accept-encoding": "identity"
    })
  })

  it("wants no encoding, unless the application's client can undo one", () => {
    expect(HttpRequest.headers(post, to("http://a/"), { "accept-encoding": "gzip" })).toMatchObject({
      "accept-encoding": "gzip"
    })
  })

  it("lets the application replace the address's credentials and nothing of the protocol's", () => {
    const application = {
      authorization: "Bearer y",
      accept: "*/*",
      "content-type": "text/plain",
      "mcp-protocol-version": "x"
    }
    expect(HttpRequest.headers(post, to("http://ann:b@a/"), { ...application, "x-key": "k" })).toEqual({
      accept: "application/json, text/event-stream",
      "accept-encoding": "identity",
      authorization: "Bearer y",
      "content-type": "application/json",
      "mcp-protocol-version": "2025-06-18",
      "x-key": "k"
    })
  })
})

describe("HttpRequest.body", () => {
  it("says why a message has no JSON instead of throwing", () => {
    const loop: { self?: unknown } = {}
    loop.self = loop
    for (const params of [loop, { big: 1n }]) {
      expect(HttpRequest.body({ jsonrpc: "2.0", method: "x", params: { ...params } })).toEqual({
        ok: false,
        problem: expect.stringMatching(/^The message cannot be written as JSON: /)
      })
    }
  })
})

describe("HttpRequest.redirect", () => {
  const from = new URL("http://a:81/mcp?x=1")
  const cases: ReadonlyArray<readonly [number, string | undefined, number, string | undefined]> = [
    [307, "/other", 0, "http://a:81/other"],
    [308, "next?y=2#f", 0, "http://a:81/next?y=2"],
    [307, "http://a:81/abs", 4, "http://a:81/abs"],
    [307, "/other", 5, undefined],
    [301, "/other", 0, undefined],
    [302, "/other", 0, undefined],
    [303, "/other", 0, undefined],
    [300, "/other", 0, undefined],
    [200, "/other", 0, undefined],
    [307, undefined, 0, undefined],
    [307, "http://b:81/mcp", 0, undefined],
    [307, "http://a:82/mcp", 0, undefined],
    [307, "https://a:81/mcp", 0, undefined],
    [307, "//b/mcp", 0, undefined],
    [307, "http://ann:x@a:81/mcp", 0, undefined],
    [307, "http://[", 0, undefined],
    [307, "file:///etc/passwd", 0, undefined],
    [307, "http://a:81@b/mcp", 0, undefined]
  ]
  it.each(cases)("status %j to %j after %j redirects leads to %j", (status, location, followed, expected) => {
    expect(HttpRequest.redirect(from, status, location, followed)?.href).toBe(expected)
  })

  it.prop(
    "never leaves the origin, whatever the location",
    [Schema.String],
    ([location]) => {
      const found = HttpRequest.redirect(from, 307, location, 0)
      if (found !== undefined) expect(found.origin).toBe(from.origin)
    },
    { arbitrary: { runs: 1000, size: 40 } }
  )
})

describe("HttpRequest.failure", () => {
  it.each([
    [{ code: "ECONNREFUSED" }, "http://a/ could not be asked: nothing listens there (ECONNREFUSED)."],
    [{ cause: { code: "ENOTFOUND" } }, "http://a/ could not be asked: its name has no address (ENOTFOUND)."],
    [
      { reason: { cause: { cause: { code: "ECONNRESET" } } } },
      "http://a/ could not be asked: the connection was reset (ECONNRESET)."
    ],
    [{ errors: [{ code: "EHOSTUNREACH" }] }, "http://a/ could not be asked: no route leads there (EHOSTUNREACH)."],
    [
      { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      "http://a/ could not be asked: the TLS handshake failed (DEPTH_ZERO_SELF_SIGNED_CERT)."
    ],
    [
      { code: "HPE_INVALID_CONSTANT" },
      "http://a/ could not be asked: what came is no valid HTTP (HPE_INVALID_CONSTANT)."
    ],
    [{ code: "ERR_INVALID_CHAR" }, "http://a/ could not be asked: the request cannot be written (ERR_INVALID_CHAR)."],
    [{ code: "EWHATEVER" }, "http://a/ could not be asked: the connection failed (EWHATEVER)."],
    [new Error("secret"), "http://a/ could not be asked: the connection failed."],
    [{ code: "not a code: secret" }, "http://a/ could not be asked: the connection failed."],
    ["secret", "http://a/ could not be asked: the connection failed."],
    [undefined, "http://a/ could not be asked: the connection failed."]
  ])("tells %o by its code", (error, sentence) => {
    expect(HttpRequest.failure("http://a/", error)).toBe(sentence)
  })

  it("tells a cut answer, and ends on an error that is its own cause", () => {
    const loop: { cause?: unknown } = {}
    loop.cause = loop
    expect(HttpRequest.failure("http://a/", loop, "answering")).toBe(
      "The answer of http://a/ was cut: the connection failed."
    )
  })
})

describe("HttpRequest, to the letter", () => {
  const listen: Outgoing = { _tag: "Listen", exchange: 1, headers: {} }
  const remove: Outgoing = { _tag: "Delete", exchange: 1, headers: {} }

  it("posts messages, listens with GET and ends a session with DELETE", () => {
    expect([post, listen, remove].map(HttpRequest.method)).toEqual(["POST", "GET", "DELETE"])
  })

  it("asks with the credentials of the address, or with none", () => {
    expect(HttpRequest.headers(remove, to("http://ann:pw@a/"), {})).toEqual({
      "accept-encoding": "identity",
      authorization: `Basic ${Buffer.from("ann:pw").toString("base64")}`
    })
    expect(Object.keys(HttpRequest.headers(remove, to("http://a/"), {}))).toEqual(["accept-encoding"])
    expect(to("http://:pw@a/").authorization).toBe(`Basic ${Buffer.from(":pw").toString("base64")}`)
  })

  it.each([
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade"
  ])("leaves %s to the carrier", (name) => {
    const checked = HttpRequest.check({ [name.toUpperCase()]: "x" })
    expect(checked).toEqual({ ok: false, problem: expect.stringContaining(`${name} belongs to the carrier`) })
  })

  it("writes a body", () => {
    expect(HttpRequest.body({ jsonrpc: "2.0", id: 1, method: "ping" })).toEqual({
      ok: true,
      text: '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    })
  })

  it("follows no redirect to an address with credentials", () => {
    const from = new URL("http://a/mcp")
    expect(HttpRequest.redirect(from, 307, "http://ann@a/x", 0)).toBeUndefined()
    expect(HttpRequest.redirect(from, 307, "http://:pw@a/x", 0)).toBeUndefined()
    expect(HttpRequest.redirect(from, 307, "http://a/x#f", 0)?.href).toBe("http://a/x")
  })

  it.each([
    ["ECONNREFUSED", "nothing listens there"],
    ["ECONNRESET", "the connection was reset"],
    ["ECONNABORTED", "the connection was closed"],
    ["EPIPE", "the connection was closed"],
    ["UND_ERR_SOCKET", "the connection was closed"],
    ["ENOTFOUND", "its name has no address"],
    ["EAI_AGAIN", "its name cannot be looked up"],
    ["EHOSTUNREACH", "no route leads there"],
    ["ENETUNREACH", "no network leads there"],
    ["ETIMEDOUT", "it cannot be reached"],
    ["UND_ERR_CONNECT_TIMEOUT", "it cannot be reached"],
    ["HPE_INVALID_CONSTANT", "what came is no valid HTTP"],
    ["X_HPE_OTHER", "the connection failed"],
    ["UND_ERR_HEADERS_OVERFLOW", "what came is no valid HTTP"],
    ["X_UND_ERR_HEADERS_OVERFLOW", "the connection failed"],
    ["ERR_INVALID_URL", "the request cannot be written"],
    ["X_ERR_INVALID_URL", "the connection failed"],
    ["UND_ERR_INVALID_ARG", "the request cannot be written"],
    ["X_UND_ERR_INVALID_ARG", "the connection failed"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "the TLS handshake failed"]
  ])("tells %s as: %s", (code, words) => {
    expect(HttpRequest.failure("http://a/", { code })).toBe(`http://a/ could not be asked: ${words} (${code}).`)
  })

  it("repeats a code only where it is one, and looks for it five levels deep", () => {
    const failed = (error: unknown): string => HttpRequest.failure("http://a/", error)
    const none = "http://a/ could not be asked: the connection failed."
    for (const code of ["epipe", "xEPIPE", "EPIPE x", "E", 7, { a: 1 }, null, ["EPIPE"]])
      expect(failed({ code })).toBe(none)
    for (const error of [null, undefined, "EPIPE", { cause: null }, {}]) expect(failed(error)).toBe(none)
    const within = (depth: number): unknown => (depth === 0 ? { code: "EPIPE" } : { cause: within(depth - 1) })
    expect(failed(within(5))).toContain("(EPIPE)")
    expect(failed(within(6))).toBe(none)
    expect(failed({ reason: { errors: [{ code: "EPIPE" }] } })).toContain("(EPIPE)")
    expect(HttpRequest.failure("http://a/", { code: "EPIPE" }, "answering")).toContain(
      "The answer of http://a/ was cut"
    )
  })
})
