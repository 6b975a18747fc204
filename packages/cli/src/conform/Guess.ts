// Which policy a client comes nearest to, by what it does with a server of the handshake alone and with a modern one.
import { Code, Method } from "@parley/core/Message"
import { newestLegacy, newestModern } from "@parley/core/Version"
import type { Row } from "@parley/testing/Script"
import * as ScriptedPeer from "@parley/testing/ScriptedPeer"
import * as Effect from "effect/Effect"
import type { Client } from "./Client.ts"
import { NeverEnds } from "./Client.ts"
import { stepOf } from "./Script.ts"

/** Returns the name of the policy, or undefined where the client opened neither way. Fails where it does not end. */
export const policyOf = (
  client: Client,
  medium: "http" | "stdio",
  timeoutMillis: number
): Effect.Effect<string | undefined, NeverEnds> =>
  Effect.gen(function* () {
    const toLegacy = yield* meet(client, medium, timeoutMillis, legacyOnly)
    const [opening] = toLegacy
    if (opening === undefined) return undefined
    if (opening === Method.Discover)
      return toLegacy.includes(Method.Initialize) ? "discoverFirst" : `pinned:${newestModern}`
    const toModern = yield* meet(client, medium, timeoutMillis, modernOnly)
    return toModern.includes(Method.Discover) ? "auto" : "handshakeOnly"
  })

const meet = (
  client: Client,
  medium: "http" | "stdio",
  timeoutMillis: number,
  rows: ReadonlyArray<Row>
): Effect.Effect<ReadonlyArray<string>, NeverEnds> =>
  Effect.scoped(
    Effect.gen(function* () {
      const peer = yield* ScriptedPeer.open(medium, rows)
      const end = yield* client.meet(peer.target, { timeoutMillis, probeMillis: timeoutMillis })
      if (end.outcome === "failed" && end.hung === true) return yield* new NeverEnds({ conversations: 1 })
      const { received } = yield* peer.record
      return received.flatMap(({ body }) => stepOf(body)?.method ?? [])
    })
  )

const answer = (body: object): Row["reply"] => ({ body: { jsonrpc: "2.0", id: "{{request.id}}", ...body } })
const capable = { capabilities: {}, serverInfo: { name: "parley-conform", version: "0.0.0" } }

const legacyOnly: ReadonlyArray<Row> = [
  {
    on: { method: Method.Discover },
    reply: answer({ error: { code: Code.MethodNotFound, message: "Method not found" } })
  },
  { on: { method: Method.Initialize }, reply: answer({ result: { protocolVersion: newestLegacy, ...capable } }) },
  { on: { method: Method.Initialized }, reply: { status: 202 } },
  { on: { method: "tools/list" }, reply: answer({ result: { tools: [] } }) },
  { on: { httpMethod: "GET" }, reply: { status: 405 } },
  { on: { httpMethod: "DELETE" }, reply: { status: 200 } }
]

const refusal = {
  error: {
    code: Code.UnsupportedProtocolVersion,
    message: "Unsupported protocol version",
    data: { supported: [newestModern], requested: newestLegacy }
  }
}
const discovered = { supportedVersions: [newestModern], resultType: "complete", ttlMs: 0, cacheScope: "private" }
const modernOnly: ReadonlyArray<Row> = [
  { on: { method: Method.Initialize }, reply: { status: 400, ...answer(refusal) } },
  { on: { method: Method.Discover }, reply: answer({ result: { ...discovered, ...capable } }) },
  { on: { method: "tools/list" }, reply: answer({ result: { tools: [], ...discovered } }) }
]
