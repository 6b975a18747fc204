// Dates of HTTP, to the letter: three formats, twelve months, and what is none.
import { describe, expect, it } from "@effect/vitest"
import { isEventStream, responseHead, retryAfterMillis } from "@parley/core/HttpHead"

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

describe("HttpHead.retryAfterMillis", () => {
  it.each(months.map((month, index) => [month, index] as const))("knows %s in all three formats", (month, index) => {
    const now = Date.UTC(2026, index, 15, 12, 0, 0)
    for (const date of [
      `Mon, 15 ${month} 2026 12:00:07 GMT`,
      `Mon ${month} 15 12:00:07 2026`,
      `Monday, 15-${month}-26 12:00:07 GMT`
    ]) {
      expect([date, retryAfterMillis(date, now)]).toEqual([date, 7000])
      for (const wrong of [`1 ${date}`, `${date}x`]) {
        expect([wrong, retryAfterMillis(wrong, now)]).toEqual([wrong, undefined])
      }
    }
  })

  it("knows no thirteenth month", () => {
    expect(retryAfterMillis("Mon, 15 Foo 2026 12:00:07 GMT", 0)).toBeUndefined()
  })

  it("reads a year of two digits within 50 years from now", () => {
    const now = Date.UTC(2026, 0, 1)
    const day = 24 * 60 * 60 * 1000
    // 2076 is 50 years ahead, and the wait is cut at a day; 77 is 1977.
    expect(retryAfterMillis("Monday, 01-Jan-76 00:00:00 GMT", now)).toBe(day)
    expect(retryAfterMillis("Monday, 01-Jan-77 00:00:00 GMT", now)).toBe(0)
  })

  it("reads seconds, whole or not, and counts a date from the response's own", () => {
    expect(["7", "+7", "-7", "1.25", " 7 ", "7, 7"].map((text) => retryAfterMillis(text, 0))).toEqual([
      7000, 7000, 0, 1250, 7000, 7000
    ])
    for (const text of ["", "x", "1.", ".5", "1e3", "0x5", "7, 8"]) expect(retryAfterMillis(text, 0)).toBeUndefined()
    const own = " Mon, 15 Jun 2026 12:00:00 GMT "
    expect(retryAfterMillis("Mon, 15 Jun 2026 12:00:09 GMT", 0, own)).toBe(9000)
  })
})

describe("HttpHead.responseHead", () => {
  it("asks for the headers by their names, and has no member for what did not come", () => {
    const headers: { readonly [name: string]: string } = {
      "retry-after": "Mon, 15 Jun 2026 12:00:09 GMT",
      date: "Mon, 15 Jun 2026 12:00:00 GMT"
    }
    expect(
      responseHead(
        503,
        (name) => headers[name],
        () => 0
      )
    ).toStrictEqual({ status: 503, retryAfterMillis: 9000 })
    expect(
      responseHead(
        200,
        () => undefined,
        () => 0
      )
    ).toStrictEqual({ status: 200 })
    expect(
      responseHead(
        200,
        (name) => (name === "retry-after" ? "soon" : undefined),
        () => 0
      )
    ).toStrictEqual({ status: 200 })
  })

  it("takes copies of one content type for a stream, with parameters and blanks of any number", () => {
    const stream = "text/event-stream"
    for (const type of [
      `${stream}`,
      ` \t${stream} \t; charset=utf-8`,
      `${stream}, \t${stream}`,
      `${stream};a=b,${stream} ;c=d,${stream}`,
      "TEXT/Event-Stream"
    ]) {
      expect([type, isEventStream(type)]).toEqual([type, true])
    }
    for (const type of [
      undefined,
      "",
      `x${stream}`,
      `${stream}x`,
      `${stream}, application/json`,
      `${stream},${stream}x`
    ]) {
      expect([type, isEventStream(type)]).toEqual([type, false])
    }
  })
})
