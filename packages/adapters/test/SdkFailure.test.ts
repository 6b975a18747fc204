import * as SdkFailure from "@parley/adapters/SdkFailure"
import type { Reply } from "@parley/testing/Script"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Clients from "./support/Clients.ts"
import { freePort } from "./support/Servers.ts"

const message = { jsonrpc: "2.0", id: "parley-1", method: "initialize", params: {} }
const refusal = {
  jsonrpc: "2.0",
  id: "parley-1",
  error: { code: -32022, message: "no", data: { supported: ["2026-07-28"], requested: "2025-11-25" } }
}

// What the transport of a release says about an answer.
const failing = (release: Clients.Release, url: string) =>
  Effect.gen(function* () {
    const transport = release.http?.(url)
    if (transport === undefined) return yield* Effect.die("the release has no Streamable HTTP")
    yield* Effect.promise(() => transport.start())
    const outcome = yield* Effect.promise(() => transport.send(message).then(() => undefined, SdkFailure.read))
    yield* Effect.promise(() => transport.close())
    return outcome
  })

const answered = (release: Clients.Release, reply: Reply) =>
  Effect.flatMap(ScriptedHttp.open([{ on: {}, reply }]), ({ target }) => failing(release, target.url))

for (const release of Clients.releases.filter((one) => one.http !== undefined)) {
  describe(`what an error of the HTTP transport of ${release.name} says`, () => {
    for (const status of [400, 401, 403, 404, 405, 408, 429, 500, 503]) {
      it.live(`${status} is its status, with the body`, () =>
        Effect.gen(function* () {
          const failure = yield* answered(release, { status, raw: "go away" })
          expect(failure).toEqual({ _tag: "Refused", status, body: "go away" })
        })
      )
    }

    it.live("a JSON-RPC error under a 400 arrives as the answer to its exchange", () =>
      Effect.gen(function* () {
        const failure = yield* answered(release, { status: 400, body: refusal })
        if (failure === undefined) return expect.fail("the transport took a 400")
        expect(SdkFailure.eventOf(3, "it", failure)).toEqual({
          _tag: "Arrived",
          exchange: 3,
          head: { status: 400 },
          message: refusal
        })
      })
    )

    it.live("a web page under a 200 is unusable", () =>
      Effect.gen(function* () {
        const failure = yield* answered(release, { headers: { "content-type": "text/html" }, raw: "<html>" })
        expect(failure).toMatchObject({ _tag: "Unusable", problem: "the response is neither JSON nor an event stream" })
      })
    )

    it.live("a 200 with broken JSON is unusable", () =>
      Effect.gen(function* () {
        const failure = yield* answered(release, { headers: { "content-type": "application/json" }, raw: "{" })
        expect(failure).toEqual({
          _tag: "Unusable",
          problem: "the body is no JSON",
          contentType: "application/json"
        })
      })
    )

    it.live("a 200 with JSON that is no message is unusable", () =>
      Effect.gen(function* () {
        const failure = yield* answered(release, { body: { hello: "world" } })
        expect(failure).toEqual({
          _tag: "Unusable",
          problem: "the body is no JSON-RPC message",
          contentType: "application/json"
        })
      })
    )

    it.live("a refused connection is broken, and told by its code alone", () =>
      Effect.gen(function* () {
        const port = yield* freePort
        const failure = yield* failing(release, `http://127.0.0.1:${port}/mcp?key=secret`)
        if (failure === undefined) return expect.fail("something answered")
        const event = SdkFailure.eventOf(1, "the server", failure)
        expect(event).toMatchObject({ _tag: "Lost", exchange: 1 })
        expect(JSON.stringify(event)).toContain("ECONNREFUSED")
        expect(JSON.stringify(event)).not.toContain("secret")
      })
    )
  })
}

describe("an error of anything else", () => {
  it("that 2.x stamped as its authorization's is one, whatever its class", () => {
    const error = Object.assign(new Error("token endpoint"), { [Symbol.for("mcp.authSeamEscape")]: true })
    expect(SdkFailure.read(error)).toEqual({ _tag: "Unauthorized", status: 401 })
    expect(SdkFailure.read(Object.assign(error, { status: 403 }))).toEqual({ _tag: "Unauthorized", status: 403 })
  })

  it("is broken where it is no error at all, or one that throws when it is read", () => {
    const hostile = new Proxy(new Error(), {
      get: () => {
        throw new Error("no")
      }
    })
    for (const error of [undefined, null, "text", 7, {}, new Error("x"), hostile]) {
      expect(SdkFailure.read(error)._tag).toBe("Broken")
      expect(SdkFailure.eventOf(1, "it", { _tag: "Broken", error: "x" })).toMatchObject({ _tag: "Lost" })
    }
  })

  it("is not taken for a status where the code is a JSON-RPC one or a word", () => {
    expect(SdkFailure.read({ code: -32001 })._tag).toBe("Broken")
    expect(SdkFailure.read({ code: "ECONNRESET" })._tag).toBe("Broken")
    expect(SdkFailure.read({ code: 404 })).toEqual({ _tag: "Refused", status: 404, body: "" })
  })

  it("takes a status from the SDK's own words only where they stand first", () => {
    expect(
      SdkFailure.read(new Error("Error POSTing to endpoint (HTTP 418): Error POSTing to endpoint (HTTP 401): x"))
    ).toEqual({ _tag: "Refused", status: 418, body: "Error POSTing to endpoint (HTTP 401): x" })
    expect(SdkFailure.read(new Error("it said: Error POSTing to endpoint (HTTP 401): x"))._tag).toBe("Broken")
  })
})
