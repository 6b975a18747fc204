import { describe, expect, it } from "@effect/vitest"
import { compile } from "@parley/core/server/Compiled"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import * as Http from "@parley/core/server/Http"
import * as Profile from "@parley/core/server/Profile"
import * as Sample from "./support/Samples.ts"

const listed = compile(
  Profile.dual({
    ...Sample.options,
    origins: ["https://App.example", "http://localhost:6200"],
    hosts: ["mcp.example", "gate.example:8443", "loopback"]
  })
)
const open = compile(Profile.dual({ ...Sample.options, origins: ["*"], hosts: ["*"] }))

const rungOf = (headers: RequestHeaders, compiled = Sample.dual, method = "POST"): string | undefined =>
  Http.head(compiled, { method, headers: { ...Sample.base, ...headers } })?.ground.id

describe("the rungs of the head", () => {
  it("let loopback origins and hosts in by default, and nobody else", () => {
    for (const origin of ["http://localhost", "http://LOCALHOST:6200", "https://127.0.0.1:1", "http://[::1]:8080"]) {
      expect(rungOf({ origin })).toBeUndefined()
    }
    for (const origin of [
      "null",
      "",
      "http://localhost.evil.example",
      "http://localhost:80.evil.example",
      "file://localhost",
      "xhttp://localhost",
      "wss://localhost",
      "httplocalhost",
      "http://xlocalhost",
      "localhost/http://",
      "http://localhost@evil.example",
      "loopback",
      "localhost",
      "http://127.0.0.1.nip.io"
    ]) {
      expect([origin, rungOf({ origin })]).toEqual([origin, "origin"])
    }
    for (const host of ["localhost", "LocalHost:80", "127.0.0.1:65535", "[::1]", "[::1]:3000"]) {
      expect([host, rungOf({ host })]).toEqual([host, undefined])
    }
    for (const host of [
      "",
      "evil.example",
      "localhost.",
      "localhost:",
      "localhost:abc",
      "localhost:123456",
      "127.0.0.1.evil.example",
      "loopback",
      "[::1"
    ]) {
      expect([host, rungOf({ host })]).toEqual([host, "host"])
    }
  })

  it("let listed origins and hosts in: a host with its port, or without one any", () => {
    for (const origin of ["https://app.example", "HTTPS://APP.EXAMPLE", "http://localhost:6200"]) {
      expect(rungOf({ origin }, listed)).toBeUndefined()
    }
    for (const origin of ["http://app.example", "https://app.example:8443", "http://localhost:6201"]) {
      expect(rungOf({ origin }, listed)).toBe("origin")
    }
    for (const host of ["mcp.example", "mcp.example:9000", "gate.example:8443", "localhost:3000"]) {
      expect(rungOf({ host }, listed)).toBeUndefined()
    }
    for (const host of ["gate.example", "gate.example:443", "other.example", "mcp.example:", "mcp.example:x"])
      expect(rungOf({ host }, listed)).toBe("host")
  })

  it("let a listed address of IPv6 in, with its port or without one", () => {
    const six = compile(Profile.dual({ ...Sample.options, hosts: ["[fd00::7]"] }))
    for (const host of ["[fd00::7]", "[FD00::7]:8080"]) expect([host, rungOf({ host }, six)]).toEqual([host, undefined])
    for (const host of ["[fd00::8]", "[fd00:", "[fd00::7", "[fd00::7]x", "fd00::7"]) {
      expect([host, rungOf({ host }, six)]).toEqual([host, "host"])
    }
  })

  it("let everybody in where the owner says so, and a request without Origin always", () => {
    expect(rungOf({ origin: "http://anywhere.example", host: "any.example" }, open)).toBeUndefined()
    expect(rungOf({})).toBeUndefined()
    expect(rungOf({ host: undefined })).toBeUndefined()
  })

  it("take several Origin lines for none that is allowed", () => {
    expect(rungOf({ origin: ["http://localhost", "http://localhost"] })).toBe("origin")
  })

  it("want JSON, with any parameters", () => {
    for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
      expect(rungOf({ "content-type": type })).toBeUndefined()
    }
    for (const type of [undefined, "", "text/plain", "application/jsonp", "application/json, text/plain"]) {
      expect(rungOf({ "content-type": type })).toBe("content-type")
    }
  })

  it("want both types accepted, in any order, and take wildcards and absence kindly", () => {
    for (const accept of [
      undefined,
      "",
      "*/*",
      "application/*, text/*",
      "text/event-stream;q=0.9, application/json;q=0.8",
      "TEXT/EVENT-STREAM,APPLICATION/JSON"
    ]) {
      expect([accept, rungOf({ accept })]).toEqual([accept, undefined])
    }
    for (const accept of [
      "application/json",
      "text/event-stream",
      "text/html",
      "application/json, text/event-stream;q=0",
      "application/json;q=0.000, text/event-stream"
    ]) {
      expect([accept, rungOf({ accept })]).toEqual([accept, "accept"])
    }
    expect(rungOf({ accept: "text/event-stream" }, Sample.dual, "GET")).toBeUndefined()
    expect(rungOf({ accept: "application/json" }, Sample.dual, "GET")).toBe("accept")
    expect(rungOf({ accept: "text/html" }, Sample.dual, "DELETE")).toBeUndefined()
  })

  it("refuse a declared size over the limit, and let one at the limit pass", () => {
    expect(rungOf({ "content-length": String(4 * 1024 * 1024) })).toBeUndefined()
    expect(rungOf({ "content-length": String(4 * 1024 * 1024 + 1) })).toBe("size")
    expect(rungOf({ "content-length": "nonsense" })).toBeUndefined()
  })
})
