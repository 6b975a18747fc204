// What a modern server asks of the client inside a result.
import { describe, expect, it } from "@effect/vitest"
import type { JsonObject, Request } from "@parley/core/Message"
import { Effect } from "effect"
import type * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

/** Asks for these inputs in turn, then answers with what it was given. */
const rounds =
  (...asked: ReadonlyArray<JsonObject>) =>
  () => {
    let round = 0
    return (turn: Peer.Turn) => {
      const { _meta: _, ...given } = turn.params
      const next = asked[round++]
      return turn.result(next === undefined ? { given } : { resultType: "input_required", ...next })
    }
  }

const roots = { one: { method: "roots/list" }, two: { method: "elicitation/create", params: { message: "?" } } }

describe("a result that asks for input", () => {
  const answering = (of: (one: Request) => JsonObject = (one) => ({ to: one.method })) => ({
    onRequest: (one: Request) => Effect.sync(() => of(one))
  })
  const modern = [Served.modernStdio, Served.modernHttp].map((place) => [place.title, place] as const)

  it.effect.each(modern)("is answered by the owner, and the same request goes out anew in %s", ([, place]) =>
    Effect.gen(function* () {
      const seen: Array<Request> = []
      const { connection, peer } = yield* Served.connected(
        place,
        { "tools/call": rounds({ inputRequests: roots, requestState: "opaque \u00e9" })() },
        answering((one) => {
          seen.push(one)
          return { to: one.method }
        })
      )
      const result = yield* connection.request("tools/call", { name: "t", arguments: { x: 1 } })
      expect(seen).toEqual([
        { jsonrpc: "2.0", id: "one", method: "roots/list" },
        { jsonrpc: "2.0", id: "two", method: "elicitation/create", params: { message: "?" } }
      ])
      expect(result).toEqual({
        given: {
          name: "t",
          arguments: { x: 1 },
          inputResponses: { one: { to: "roots/list" }, two: { to: "elicitation/create" } },
          requestState: "opaque \u00e9"
        }
      })
      const ids = peer.posts("tools/call").map((one) => "id" in one.message && one.message.id)
      expect(new Set(ids).size).toBe(2)
    })
  )

  it.effect("may ask again: each round tells its own answers and its own state", () =>
    Effect.gen(function* () {
      const first = { inputRequests: { a: { method: "roots/list" } }, requestState: "1" }
      const second = { inputRequests: { b: { method: "roots/list" } } }
      const { connection } = yield* Served.connected(
        Served.modernStdio,
        { "prompts/get": rounds(first, second)() },
        answering()
      )
      expect(yield* connection.request("prompts/get", { name: "p" })).toEqual({
        given: { name: "p", inputResponses: { b: { to: "roots/list" } } }
      })
    })
  )

  it.effect("with a state alone is repeated with it alone", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(
        Served.modernHttp,
        { "resources/read": rounds({ requestState: "wait" })() },
        answering()
      )
      expect(yield* connection.request("resources/read", { uri: "x:/" })).toEqual({
        given: { uri: "x:/", requestState: "wait" }
      })
    })
  )

  it.effect("for ever is repeated ten times, and then handed over", () =>
    Effect.gen(function* () {
      const always = { resultType: "input_required", inputRequests: { a: { method: "roots/list" } } }
      const { connection, peer } = yield* Served.connected(
        Served.modernStdio,
        { "tools/call": (turn) => turn.result(always) },
        answering()
      )
      expect(yield* connection.request("tools/call", { name: "t" })).toEqual(always)
      expect(peer.posts("tools/call").length).toBe(11)
    })
  )

  it.effect(
    "is handed to the caller as it is where nobody answers, or the answer is refused, or too much is asked",
    () =>
      Effect.gen(function* () {
        const many = Object.fromEntries(
          Array.from({ length: 33 }, (_, index) => [`k${index}`, { method: "roots/list" }])
        )
        for (const [inputRequests, options] of [
          [roots, {}],
          [roots, { onRequest: () => Effect.fail({ code: -1, message: "no" }) }],
          [many, answering()],
          [{ a: { method: 7 } }, answering()],
          [{ a: null }, answering()]
        ] as const) {
          const { connection, peer } = yield* Served.connected(
            Served.modernStdio,
            { "tools/call": rounds({ inputRequests })() },
            options
          )
          expect(yield* connection.request("tools/call", { name: "t" })).toEqual({
            resultType: "input_required",
            inputRequests
          })
          expect(peer.posts("tools/call").length).toBe(1)
        }
      })
  )

  it.effect("and for nothing at all is malformed", () =>
    Effect.gen(function* () {
      for (const asked of [{}, { inputRequests: [] }, { inputRequests: "x", requestState: "y" }]) {
        const { connection } = yield* Served.connected(
          Served.modernStdio,
          { "tools/call": rounds(asked)() },
          answering()
        )
        const error = yield* Effect.flip(connection.request("tools/call", { name: "t" }))
        expect(error.reason).toMatchObject({ _tag: "MalformedResult", path: "result.inputRequests" })
      }
    })
  )

  it.effect("means nothing in the legacy era", () =>
    Effect.gen(function* () {
      const { connection } = yield* Served.connected(
        Served.legacyStdio,
        { "tools/call": rounds({ inputRequests: roots })() },
        answering()
      )
      expect(yield* connection.request("tools/call", { name: "t" })).toMatchObject({ resultType: "input_required" })
    })
  )
})
