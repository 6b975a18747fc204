import { describe, expect, it } from "@effect/vitest"
import * as Answer from "@parley/core/server/Answer"
import { keepAliveMillis, streamHeaders } from "@parley/core/server/EventStream"
import * as Grounds from "@parley/core/server/Grounds"
import * as Http from "@parley/core/server/Http"
import * as Sample from "./support/Samples.ts"

describe("Answer", () => {
  it("of a message is JSON, with the session that an opening issued", () => {
    const result = { jsonrpc: "2.0", id: 1, result: {} } as const
    expect(Answer.json(result)).toEqual({
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"result":{}}'
    })
    expect(Object.keys(Answer.json(result).headers)).toEqual(["content-type"])
    expect(Answer.json([result], "s1").headers).toEqual({
      "content-type": "application/json",
      "mcp-session-id": "s1"
    })
    expect(Answer.accepted).toEqual({ status: 202, headers: {}, body: undefined })
    expect(Answer.deleted).toEqual({ status: 204, headers: {}, body: undefined })
  })

  it("of a refusal says when to come back with 503, what is allowed with 405, and neither otherwise", () => {
    const down = Answer.refused(Sample.dual, Grounds.storeUnavailable(1))
    expect([down.status, down.headers]).toEqual([503, { "content-type": "application/json", "retry-after": "2" }])
    const put = Http.head(Sample.dual, { method: "PUT", headers: Sample.base })
    if (put === undefined) throw new Error("PUT passed")
    const refused = Answer.refused(Sample.dual, put)
    expect([refused.status, refused.headers]).toEqual([
      405,
      { "content-type": "application/json", allow: Sample.dual.allow }
    ])
    expect(refused.body).toContain(`the HTTP method PUT is not served here, only ${Sample.dual.allow}`)
    const early = Answer.refused(Sample.dual, Grounds.tooSlow(1))
    expect([early.status, early.headers]).toEqual([408, { "content-type": "application/json" }])
  })

  it("that is a stream is never held back or cached, and speaks before proxies cut it", () => {
    expect(streamHeaders).toEqual({
      "content-type": "text/event-stream",
      "cache-control": expect.stringContaining("no-cache"),
      "x-accel-buffering": "no"
    })
    expect(keepAliveMillis).toBe(15_000)
  })
})
