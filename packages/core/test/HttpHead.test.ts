import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as HttpHead from "@parley/core/HttpHead"

const now = Date.UTC(2026, 10, 30, 12, 0, 0)
const never = (): number => {
  throw new Error("the clock was asked")
}
const head = (headers: { readonly [name: string]: string }, clock = never) =>
  HttpHead.responseHead(200, (name) => headers[name], clock)

describe("HttpHead.responseHead", () => {
  it("gives the status alone where there are no headers, and asks no clock", () => {
    expect(head({})).toEqual({ status: 200 })
  })

  it.each([
    ["/new", "/new"],
    ["https://login.example/authorize?state=secret&client_id=7#top", "https://login.example/authorize"],
    ["https://ann:secret@example.com:8443/mcp", "https://example.com:8443/mcp"],
    ["//ann:secret@example.com/mcp", "//example.com/mcp"],
    ["https:\\\\ann:secret@example.com\\mcp", "https:\\\\example.com\\mcp"],
    ["https:ann:secret@example.com/mcp", "https:example.com/mcp"],
    ["/users/ann@example.com/mcp", "/users/ann@example.com/mcp"],
    [`/${"x".repeat(5_000)}`, `/${"x".repeat(998)}…`]
  ])("tells where a redirect to %s leads, without what may be secret", (location, told) => {
    const header = (name: string) => (name === "location" ? location : undefined)
    expect(HttpHead.responseHead(302, header, never)).toEqual({ status: 302, location: told })
    expect(HttpHead.responseHead(201, header, never)).toEqual({ status: 201 })
  })

  it.each([
    [299, undefined],
    [300, "/new"],
    [399, "/new"],
    [400, undefined]
  ])("reads under status %d where a redirect leads: %s", (status, location) => {
    expect(HttpHead.responseHead(status, (name) => (name === "location" ? "/new" : undefined), never).location).toBe(
      location
    )
  })

  it("gives what the headers say", () => {
    const found = head(
      {
        "content-type": "application/json; charset=utf-8",
        "mcp-session-id": "a-1",
        "www-authenticate": 'Bearer realm="x"',
        "retry-after": "120"
      },
      () => now
    )
    expect(found).toEqual({
      status: 200,
      contentType: "application/json; charset=utf-8",
      sessionId: "a-1",
      challenge: 'Bearer realm="x"',
      retryAfterMillis: 120_000
    })
  })

  it("takes equal copies of the session id as one", () => {
    expect(head({ "mcp-session-id": "a-1, a-1, a-1" })).toEqual({ status: 200, sessionId: "a-1" })
  })

  it("takes a comma as part of a session id", () => {
    expect(head({ "mcp-session-id": "a,b" })).toEqual({ status: 200, sessionId: "a,b" })
  })

  it("keeps no session id of different copies, and says so", () => {
    const found = head({ "mcp-session-id": "a-1, a-2" })
    expect(found.sessionId).toBeUndefined()
    expect(found.note).toMatch(/different copies of Mcp-Session-Id/)
  })

  it.each(["", "a b", "a\tb", "é", "x".repeat(1025), "\u007f"])(
    "keeps no session id that is not 1 to 1024 visible ASCII characters: %j",
    (value) => {
      const found = head({ "mcp-session-id": value })
      expect(found.sessionId).toBeUndefined()
      expect(found.note).toMatch(/not 1 to 1024 visible ASCII/)
    }
  )

  it("keeps a session id of 1024 characters", () => {
    expect(head({ "mcp-session-id": "x".repeat(1024) }).sessionId).toHaveLength(1024)
  })

  it("bounds what it keeps of a challenge and a content type, on one line", () => {
    const found = head({ "www-authenticate": `Bearer \u001b[2J${"x".repeat(9000)}`, "content-type": "y".repeat(9000) })
    expect(found.challenge).toHaveLength(2000)
    expect(found.challenge).not.toContain("\u001b")
    expect(found.contentType).toHaveLength(200)
  })
})

describe("HttpHead.isEventStream", () => {
  it.each([
    "text/event-stream",
    "text/event-stream; charset=utf-8",
    "Text/Event-Stream;charset=UTF-8",
    " text/event-stream ",
    "text/event-stream, text/event-stream;x=1"
  ])("takes %j", (value) => {
    expect(HttpHead.isEventStream(value)).toBe(true)
  })

  it.each([
    undefined,
    "",
    "application/json",
    "text/event-streams",
    "x-text/event-stream",
    "text/event-stream, application/json",
    "application/json, text/event-stream"
  ])("does not take %j", (value) => {
    expect(HttpHead.isEventStream(value)).toBe(false)
  })
})

describe("HttpHead.retryAfterMillis", () => {
  const cases: ReadonlyArray<readonly [value: string, date: string | undefined, wait: number | undefined]> = [
    ["120", undefined, 120_000],
    [" 5 ", undefined, 5_000],
    ["0", undefined, 0],
    ["-3", undefined, 0],
    ["1.5", undefined, 1_500],
    ["5, 5", undefined, 5_000],
    ["5, 6", undefined, undefined],
    ["99999999", undefined, 86_400_000],
    ["9".repeat(400), undefined, 86_400_000],
    ["Mon, 30 Nov 2026 12:00:07 GMT", undefined, 7_000],
    ["Mon, 30 Nov 2026 12:00:07 GMT, Mon, 30 Nov 2026 12:00:07 GMT", undefined, 7_000],
    ["Mon, 30 Nov 2026 12:00:07 GMT", "Mon, 30 Nov 2026 12:00:00 GMT", 7_000],
    ["Thu, 01 Jan 1970 01:00:10 GMT", "Thu, 01 Jan 1970 01:00:00 GMT", 10_000],
    ["Mon, 30 Nov 2026 12:00:07 GMT", "yesterday", 7_000],
    ["Mon, 30 Nov 2026 11:00:00 GMT", undefined, 0],
    ["Wed, 30 Nov 2033 12:00:00 GMT", undefined, 86_400_000],
    ["Monday, 30-Nov-26 12:00:07 GMT", undefined, 7_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", undefined, 0],
    ["Mon Nov 30 12:00:07 2026", undefined, 7_000],
    ["Sun Nov  6 08:49:37 1994", undefined, 0],
    ["", undefined, undefined],
    ["soon", undefined, undefined],
    ["5s", undefined, undefined],
    ["1e3", undefined, undefined],
    ["Infinity", undefined, undefined],
    ["2026-11-30T12:00:07Z", undefined, undefined],
    ["Mon, 30 Foo 2026 12:00:07 GMT", undefined, undefined],
    ["Mon, 30 Nov 2026 12:00:07 CET", undefined, undefined]
  ]
  it.each(cases)("reads %j with the date %j as %j", (value, date, wait) => {
    expect(HttpHead.retryAfterMillis(value, now, date)).toBe(wait)
  })

  it.prop(
    "gives undefined or a whole number of milliseconds up to a day, for any text",
    [Schema.String, Schema.String],
    ([value, date]) => {
      const wait = HttpHead.retryAfterMillis(value, now, date)
      if (wait === undefined) return
      expect(Number.isInteger(wait) && wait >= 0 && wait <= HttpHead.longestRetryAfterMillis).toBe(true)
    },
    { arbitrary: { runs: 1000, size: 40 } }
  )

  it("reads a header of commas without much work", () => {
    const started = performance.now()
    HttpHead.retryAfterMillis(Array.from({ length: 20_000 }, (_, index) => index).join(", "), now)
    expect(performance.now() - started).toBeLessThan(500)
  })
})
