import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerCases from "@parley/testing/ServerCases"
import express from "express"
import { mounted, overHttp } from "./support/Carried.ts"

describe("every server case over HTTP", () => {
  it.live("is right on a server of its own", () =>
    Effect.gen(function* () {
      const cases = yield* ServerCases.load("http")
      expect(cases.length).toBeGreaterThan(100)
      expect(yield* ServerCases.wrong(cases, overHttp)).toBe("")
    })
  )

  it.live("is right on a route of Express 5", () =>
    Effect.gen(function* () {
      const cases = yield* ServerCases.load("http")
      const inExpress = mounted((listener) => express().all("/mcp", listener))
      expect(yield* ServerCases.wrong(cases, inExpress)).toBe("")
    })
  )

  it.live("is right behind express.json, but for bodies that it refuses itself", () =>
    Effect.gen(function* () {
      const cases = yield* ServerCases.load("http")
      const parsed = mounted((listener) =>
        express()
          .use(express.json({ limit: "5mb" }))
          .use(refusing)
          .all("/mcp", listener)
      )
      const readable = cases.filter(({ id }) => !refusedByExpress.has(id))
      expect(readable.length).toBeGreaterThan(100)
      expect(yield* ServerCases.wrong(readable, parsed)).toBe("")
    })
  )
})

// What is no JSON, no object, no UTF-8 or too large never reaches the listener, and a bad Origin with it comes too late.
const refusedByExpress = new Set([
  "2-no-json-http",
  "2-no-rpc-http",
  "2-utf8-http",
  "2-too-large-http",
  "2-origin-http"
])
const refusing: express.ErrorRequestHandler = (_error, _request, response, _next) => {
  response.status(400).end()
}
