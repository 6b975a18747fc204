// effect/ai 4.1.0, which negotiates nothing: it is told the revision that each server speaks.
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { client } from "../../servers/Wire.ts"
import type { Meet } from "./Meeting.ts"

export const meet: Meet = ({ closes, deadlineMillis, inFlight, urls }, connected) => {
  const connect = (url: string) =>
    McpClient.http({
      url,
      protocol: url.endsWith("/modern") ? McpProtocol.v2026_07_28 : McpProtocol.v2025_11_25
    }).pipe(
      Effect.flatMap((transport) =>
        Effect.provideService(McpClient.make({ ...client, timeout: deadlineMillis }), McpClient.Transport, transport)
      ),
      Effect.map(connected)
    )
  return Effect.forEach(urls, (url) => Effect.ignore(closes === "each" ? Effect.scoped(connect(url)) : connect(url)), {
    concurrency: inFlight,
    discard: true
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer), Effect.runPromise)
}
