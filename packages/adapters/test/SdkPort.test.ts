import * as Policy from "@parley/core/client/Policy"
import * as Sdk from "@parley/adapters/sdk"
import { carrierOf, mediumOf } from "@parley/adapters/SdkTransport"
import type { Reply } from "@parley/testing/Script"
import * as ScriptedHttp from "@parley/testing/ScriptedHttp"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import * as Clients from "./support/Clients.ts"
import * as Rows from "./support/Rows.ts"
import { freePort } from "./support/Servers.ts"

const stream = { "content-type": "text/event-stream" }
const command = { command: "unused", args: [] }

const connecting = (release: Clients.Release, url: string, policy = Policy.auto) => {
  const http = release.http
  return http === undefined ? Effect.die("no Streamable HTTP") : Sdk.connect(release.make(), http(url), { policy })
}

const failing = (release: Clients.Release, reply: Reply) =>
  Effect.gen(function* () {
    const { target } = yield* ScriptedHttp.open([{ on: { method: "initialize" }, reply }, ...Rows.rest])
    const policy = Policy.withBudgets(Policy.auto, { exchangeMillis: 400 })
    return (yield* Effect.flip(connecting(release, target.url, policy))).reason
  })

describe("what carries a transport's messages", () => {
  it("is seen from what the object can do", () => {
    for (const release of Clients.releases) {
      expect(carrierOf(release.stdio(command))).toBe("stdio")
      if (release.http !== undefined) expect(carrierOf(release.http("http://127.0.0.1/mcp"))).toBe("http")
    }
    expect(carrierOf(new SSEClientTransport(new URL("http://127.0.0.1/sse")))).toBe("sse")
    expect(carrierOf(InMemoryTransport.createLinkedPair()[0])).toBe("pipe")
  })

  it("decides what silence means and whether it can be opened anew, and ids are always text", () => {
    const shape = (carrier: Sdk.Carrier, fresh: "available" | "unavailable") => {
      const { ids, reopens, silence, streams } = mediumOf(carrier, fresh)
      expect(ids).toBe("text")
      return [silence, reopens, streams]
    }
    expect(shape("http", "available")).toEqual(["nothing", "never", "perRequest"])
    expect(shape("sse", "available")).toEqual(["nothing", "never", "shared"])
    expect(shape("stdio", "available")).toEqual(["maybeLegacy", "once", "shared"])
    expect(shape("stdio", "unavailable")).toEqual(["maybeLegacy", "never", "shared"])
    expect(shape("pipe", "available")).toEqual(["maybeLegacy", "never", "shared"])
  })
})

describe.each([Clients.sdk112, Clients.sdk132, Clients.client200, Clients.client240])(
  "a stream as the transport of $name tells of it",
  (release) => {
    it.live("answers", () =>
      Effect.gen(function* () {
        const result = { jsonrpc: "2.0", id: "parley-1", result: Rows.initializeResult("2025-03-26") }
        const { target } = yield* ScriptedHttp.open([
          {
            on: { method: "initialize" },
            reply: {
              headers: stream,
              raw: `: hello\n\nevent: message\ndata: ${JSON.stringify(result)}\n\n`,
              hold: true
            }
          },
          ...Rows.rest
        ])
        expect((yield* connecting(release, target.url)).agreement.version).toBe("2025-03-26")
      })
    )

    it.live("is cut before the answer: a failure of the transport, and no timeout", () =>
      Effect.gen(function* () {
        const reason = yield* failing(release, { headers: stream, raw: ": nothing\n\n", close: true })
        expect(reason._tag).toBe("TransportFailure")
        expect(reason.message).toContain("cut")
      })
    )

    it.live("ends before the answer: 2.x says so, 1.x does not, and there the deadline does", () =>
      Effect.gen(function* () {
        const reason = yield* failing(release, { headers: stream, raw: ": nothing\n\n" })
        expect(reason._tag).toBe(release.generation === "sdk2" ? "MalformedInit" : "Timeout")
      })
    )

    it.live("is resumed by the transport itself where it can be, and its answer is still the answer", () =>
      Effect.gen(function* () {
        const result = { jsonrpc: "2.0", id: "parley-1", result: Rows.initializeResult("2025-03-26") }
        const { target } = yield* ScriptedHttp.open([
          {
            on: { method: "initialize" },
            reply: { headers: stream, raw: "id: 1\nretry: 20\ndata:\n\n", close: release === Clients.sdk112 }
          },
          {
            on: { httpMethod: "GET", headers: { "last-event-id": "1" } },
            reply: { headers: stream, raw: `id: 2\ndata: ${JSON.stringify(result)}\n\n`, hold: true }
          },
          ...Rows.rest
        ])
        expect((yield* connecting(release, target.url)).agreement.version).toBe("2025-03-26")
      })
    )
  }
)

describe("a transport of another kind", () => {
  it.live("may be the two-endpoint HTTP+SSE of the SDK", () =>
    Effect.gen(function* () {
      const url = yield* sseServer
      const client = Clients.sdk132.make()
      const { agreement } = yield* Sdk.connect(client, new SSEClientTransport(new URL(url)))
      expect(agreement.version).toBe("2025-11-25")
      expect((yield* Effect.promise(() => client.listTools())).tools).toEqual([])
    })
  )

  it.live("may flood its reader: what is kept is bounded, and so is what is borne", () =>
    Effect.gen(function* () {
      const own: Sdk.SdkTransport = {
        start: () => Promise.resolve(),
        close: () => Promise.resolve(),
        send: () => {
          for (let count = 0; count < 100_000; count++) {
            own.onmessage?.({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: count } })
          }
          return Promise.resolve()
        }
      }
      const { reason } = yield* Effect.flip(Sdk.connect(Clients.sdk132.make(), own))
      expect(reason._tag).toBe("MalformedInit")
      expect(reason.message).toContain("out of turn")
    })
  )

  it.live("may throw where it should reject, and refuse to start or to close", () =>
    Effect.gen(function* () {
      const refuse = (): never => {
        throw new Error("not today")
      }
      const usual: Sdk.SdkTransport = {
        start: () => Promise.resolve(),
        close: () => Promise.resolve(),
        send: () => Promise.resolve()
      }
      for (const broken of [{ send: refuse }, { start: refuse }, { send: refuse, close: refuse }]) {
        const client = Clients.sdk132.make()
        const { reason } = yield* Effect.flip(Sdk.connect(client, { ...usual, ...broken }))
        expect(reason._tag).toBe("TransportFailure")
        expect(client.transport).toBeUndefined()
      }
    })
  )

  it.live("is named in a failure by what its owner calls it", () =>
    Effect.gen(function* () {
      const transport = Clients.sdk132.http?.(`http://127.0.0.1:${yield* freePort}/mcp`)
      if (transport === undefined) return expect.fail("no Streamable HTTP")
      const { message } = yield* Effect.flip(Sdk.connect(Clients.sdk132.make(), transport, { target: "my server" }))
      expect(message).toMatch(/^my server could not be asked: .*ECONNREFUSED/)
    })
  )
})

const sseServer = Effect.map(
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly url: string; readonly close: () => Promise<void> }>((resolve) => {
          const transports = new Map<string, SSEServerTransport>()
          const http = createServer((request, response) => {
            const url = new URL(request.url ?? "", "http://127.0.0.1")
            if (request.method === "GET") {
              const server = new Server({ name: "sse", version: "1" }, { capabilities: { tools: {} } })
              server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))
              const transport = new SSEServerTransport("/messages", response)
              transports.set(transport.sessionId, transport)
              return void server.connect(transport)
            }
            void transports.get(url.searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response)
          })
          http.listen(0, "127.0.0.1", () => {
            const address = http.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            const close = () =>
              new Promise<void>((done) => {
                http.close(() => done())
                http.closeAllConnections()
              })
            resolve({ url: `http://127.0.0.1:${port}/sse`, close })
          })
        })
    ),
    ({ close }) => Effect.promise(close)
  ),
  ({ url }) => url
)
