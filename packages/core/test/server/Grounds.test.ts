import { describe, expect, it } from "@effect/vitest"
import type { Refusal } from "@parley/core/server/Refusal"
import { toMessage, toReason } from "@parley/core/server/Refusal"
import * as Grounds from "@parley/core/server/Grounds"
import * as Sample from "./support/Samples.ts"

// What a program acts upon, and what a person reads: both are promises to clients.
const rows: ReadonlyArray<
  readonly [what: string, refusal: Refusal, id: string, status: number, code: number, remedy: string, says: string]
> = [
  ["a line that is too long", Grounds.overlong(5), "line", 413, -32600, "sendLess", "larger than 5 bytes"],
  ["no room", Grounds.noRoom(3, 1), "unanswered", 503, -32603, "waitAndRetry", "3 requests on this connection"],
  ["silence before an opening", Grounds.timedOut("opening", 9), "deadline", 404, -32600, "reopen", "opening for 9 ms"],
  [
    "a store that is down",
    Grounds.storeUnavailable(1),
    "store",
    503,
    -32603,
    "waitAndRetry",
    "cannot be looked up now"
  ],
  ["a server that closes", Grounds.nowClosing(1), "closing", 503, -32603, "waitAndRetry", "The server is closing"],
  ["a body that is slow", Grounds.tooSlow(9), "body-time", 408, -32600, "waitAndRetry", "request for 9 ms"],
  [
    "a second opening",
    Grounds.repeated(1),
    "legacy.init-repeated",
    400,
    -32600,
    "doNotInitializeAgain",
    "initialized already"
  ],
  [
    "a request too early",
    Grounds.missing(Sample.dual, "a/b", 1),
    "legacy.init-missing",
    400,
    -32600,
    "initialize",
    "a/b came before"
  ],
  [
    "a method that is not served",
    Grounds.unknownMethod("a/b", 1),
    "legacy.method",
    200,
    -32601,
    "useKnownMethod",
    "the method a/b"
  ],
  [
    "a malformed opening",
    Grounds.malformed("params.x", "it is absent", 1),
    "legacy.init-malformed",
    200,
    -32602,
    "mendInitialize",
    "at params.x: it is absent"
  ],
  [
    "another era on one pipe",
    Grounds.notInterleaved(Sample.separate, 1),
    "modern.interleaved",
    400,
    -32600,
    "reopen",
    "sample does not mix eras on one connection"
  ]
]

describe("The grounds beyond the ladder", () => {
  it.each(rows)("answer %s with a code, a status, a remedy and a sentence", (...row) => {
    const [, refusal, id, status, code, remedy, says] = row
    const { error } = toMessage(refusal)
    expect(error.message).toContain(says)
    expect([refusal.ground.status, error.code]).toEqual([status, code])
    expect(error.data).toMatchObject({ parley: { rung: id, remedy } })
  })

  it("that pass may be tried again, and say so to a program", () => {
    for (const refusal of [Grounds.noRoom(3, 1), Grounds.storeUnavailable(1), Grounds.nowClosing(1)]) {
      expect(toReason(refusal.problem)).toMatchObject({ _tag: "TransportFailure", retryable: true })
    }
    expect(toReason(Grounds.tooSlow(7).problem)).toMatchObject({ _tag: "Timeout", phase: "request", waitedMillis: 7 })
    expect(toReason(Grounds.timedOut("opening", 7).problem)).toMatchObject({ _tag: "Timeout", phase: "opening" })
  })

  it("repeat the id of their request", () => {
    for (const refusal of [Grounds.storeUnavailable("q"), Grounds.nowClosing("q"), Grounds.noRoom(1, "q")]) {
      expect(toMessage(refusal).id).toBe("q")
    }
  })

  it("are listed, each with an id of its own and a reason", () => {
    const ids = Grounds.grounds.map(({ id }) => id)
    expect(ids).toContain("legacy.capability")
    expect(Grounds.legacyCapability).toMatchObject({ status: 200, code: -32600, remedy: "declareCapability" })
    expect(ids.length).toBe(12)
    expect(new Set(ids).size).toBe(12)
    for (const { because } of Grounds.grounds) expect(because.length).toBeGreaterThan(20)
  })
})
