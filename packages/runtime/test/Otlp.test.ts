// Everything that Parley tells reaches an OpenTelemetry collector by Effect's own exporter: one layer, both sides, real HTTP.
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import * as Profile from "@parley/core/server/Profile"
import * as HttpClient from "@parley/node/HttpClient"
import * as HttpServer from "@parley/node/HttpServer"
import * as Admission from "@parley/runtime/Admission"
import * as Connection from "@parley/runtime/Connection"
import { Effect, Layer, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import { createServer } from "node:http"

/** A collector that keeps what it is sent, by path. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly got: Map<string, Array<any>>; readonly close: () => void }>(
    (resume) => {
      const got = new Map<string, Array<any>>()
      const server = createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          const path = request.url ?? ""
          got.set(path, [...(got.get(path) ?? []), JSON.parse(Buffer.concat(parts).toString())])
          response.writeHead(200, { "content-type": "application/json" }).end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, got, close }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

const profile = Profile.modernOnly({ serverInfo: { name: "otlp", version: "1" }, capabilities: { tools: {} } })

const program = Effect.gen(function* () {
  const admission = yield* Admission.make(profile, () => Effect.succeed({ content: [] }))
  const { url } = yield* HttpServer.serve({ admission })
  const connection = yield* Connection.connect({
    transport: HttpClient.make({ url }),
    client: { info: { name: "otlp", version: "1" }, capabilities: {} },
    policy: Policy.discoverFirst
  })
  yield* connection.request("tools/call", { name: "add" })
}).pipe(Effect.scoped, Effect.withSpan("work"))

describe("OTLP export", () => {
  it.live("carries the spans of both sides in one trace, the metrics and the log lines", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector
      const exporting = Layer.provide(
        Otlp.layerJson({ baseUrl: url, resource: { serviceName: "parley-test" } }),
        FetchHttpClient.layer
      )
      // What is not sent yet is sent when the layer ends.
      yield* program.pipe(Effect.provideService(References.MinimumLogLevel, "Debug"), Effect.provide(exporting))
      const spans: ReadonlyArray<any> = (got.get("/v1/traces") ?? []).flatMap((sent) =>
        sent.resourceSpans.flatMap((resource: any) => resource.scopeSpans.flatMap((scope: any) => scope.spans))
      )
      const named = (name: string, kind?: number) =>
        spans.find((span) => span.name === name && (kind === undefined || span.kind === kind))
      const [work, negotiation] = [named("work"), named("parley.negotiate")]
      const [asked, served] = [named("tools/call add", 3), named("tools/call add", 2)]
      expect(new Set([work, negotiation, asked, served].map((span) => span?.traceId)).size).toBe(1)
      expect(negotiation.parentSpanId).toBe(work.spanId)
      expect(asked.parentSpanId).toBe(work.spanId)
      expect(served.parentSpanId).toBe(asked.spanId)
      expect(negotiation.events.map((event: any) => event.name)).toEqual([
        "Idle -> Discovering",
        "Discovering -> Settled"
      ])
      const all = JSON.stringify(got.get("/v1/metrics"))
      for (const name of [
        "parley_negotiations_total",
        "parley_negotiation_duration_millis",
        "parley_admissions_total"
      ]) {
        expect(all).toContain(name)
      }
      expect(JSON.stringify(got.get("/v1/logs"))).toMatch(/speaks? 2026-07-28|2026-07-28/)
    }).pipe(Effect.scoped)
  )
})
