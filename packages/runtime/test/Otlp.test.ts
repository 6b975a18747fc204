// Everything that Parley tells reaches an OpenTelemetry collector by Effect's own exporter: one layer, both sides, real HTTP.
import { describe, expect, it } from "@effect/vitest"
import * as Policy from "@parley/core/client/Policy"
import * as Profile from "@parley/core/server/Profile"
import * as HttpClient from "@parley/node/HttpClient"
import * as HttpServer from "@parley/node/HttpServer"
import * as Admission from "@parley/runtime/Admission"
import * as Connection from "@parley/runtime/Connection"
import * as EraMemory from "@parley/runtime/EraMemory"
import type { Transport } from "@parley/runtime/Transport"
import * as StdioClient from "@parley/node/StdioClient"
import { Effect, Layer, Metric, References, Schedule } from "effect"
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

/** The points of a counter that was sent last, by their labels. */
const pointsOf = (sent: ReadonlyArray<any>, name: string): { readonly [labels: string]: number } =>
  Object.fromEntries(
    sent
      .slice(-1)
      .flatMap(({ resourceMetrics }) => resourceMetrics)
      .flatMap(({ scopeMetrics }: any) => scopeMetrics)
      .flatMap(({ metrics }: any) => metrics)
      .filter((metric: any) => metric.name === name)
      .flatMap((metric: any) => metric.sum.dataPoints)
      .map((point: any) => [
        point.attributes
          .filter(({ key }: any) => !["unit", "time_unit"].includes(key))
          .map(({ value }: any) => value.stringValue)
          .join(" "),
        Number(point.asInt ?? point.asDouble)
      ])
  )

const cached = { methods: { "server/discover": { ttlMs: 60_000, cacheScope: "private" } } } as const
const client = { info: { name: "otlp", version: "1" }, capabilities: {} }
const serve = (made: Profile.Profile, port: number) =>
  Effect.flatMap(
    Admission.make(made, () => Effect.succeed({ content: [] })),
    (admission) => HttpServer.serve({ admission, port, stopMillis: 100 })
  )

// One server that is met anew, that became legacy, and whose session is deleted behind the connection's back.
const remembering = Effect.gen(function* () {
  const memory = EraMemory.memory()
  const { serverInfo, capabilities } = profile
  const connect = (url: string, legacyMillis?: number) =>
    Connection.connect({
      transport: HttpClient.make({ url }),
      client,
      policy: Policy.discoverFirst,
      memory: legacyMillis === undefined ? memory : { ...memory, legacyMillis }
    })
  const port = yield* Effect.scoped(
    Effect.gen(function* () {
      const modern = yield* serve(Profile.modernOnly({ serverInfo, capabilities, caching: cached }), 0)
      yield* Effect.scoped(connect(modern.url))
      yield* Effect.scoped(connect(modern.url))
      return modern.port
    })
  )
  const { url } = yield* serve(Profile.handshakeOnly({ serverInfo, capabilities }), port)
  const connection = yield* connect(url)
  yield* connection.request("tools/list")
  const { sessionId = "" } = connection.agreement
  yield* Effect.promise(() => fetch(url, { method: "DELETE", headers: { "mcp-session-id": sessionId } }))
  yield* connection.request("tools/list")
  yield* Effect.scoped(connect(url))
  yield* Effect.scoped(connect(url, 0))
}).pipe(Effect.scoped)

const run = (...code: ReadonlyArray<string>) => ({
  ...StdioClient.make({ command: process.execPath, args: ["--import", register, ...code] }),
  target: "one command"
})
const register = new URL("../../../scripts/register.mjs", import.meta.url).pathname
const soakServer = new URL("../../testing/src/soak-stdio-bin.ts", import.meta.url).pathname

// A process that dies once and is started again, and one that dies for good.
const reopening = Effect.gen(function* () {
  const connect = (transport: Transport) =>
    Connection.connect({
      transport,
      client,
      policy: Policy.handshakeOnly,
      reopen: Schedule.upTo(Schedule.spaced("10 millis"), { times: 1 })
    })
  const connection = yield* connect(run(soakServer, "legacy"))
  yield* Effect.flip(connection.request("tools/call", { name: "die" }))
  yield* connection.request("tools/call", { name: "echo" })
  let opened = 0
  const mortal: Transport = {
    ...run(soakServer, "legacy"),
    open: Effect.suspend(() => ((opened += 1) === 1 ? run(soakServer, "legacy") : run("-e", "")).open)
  }
  const doomed = yield* connect(mortal)
  yield* Effect.flip(doomed.request("tools/call", { name: "die" }))
  yield* Effect.flip(doomed.request("tools/call", { name: "echo" }))
}).pipe(Effect.scoped)

describe("OTLP export", () => {
  it.live("carries what memory was good for, and what was opened again and why", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector
      const exporting = Layer.provide(
        Otlp.layerJson({ baseUrl: url, resource: { serviceName: "parley-test" } }),
        FetchHttpClient.layer
      )
      yield* Effect.andThen(remembering, reopening).pipe(
        Effect.provide(exporting),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
      const sent = got.get("/v1/metrics") ?? []
      expect(pointsOf(sent, "parley_era_memory_total")).toEqual({
        // The first time; and after the memory was dropped.
        "miss none": 2,
        // The second time, and when the server had become legacy.
        "hit modern": 2,
        "dropped modern": 1,
        // In the session that was deleted, and in the connection after it.
        "shortened legacy": 2,
        "reprobed legacy": 1
      })
      expect(pointsOf(sent, "parley_reopenings_total")).toEqual({
        "memory opened": 1,
        "session opened": 1,
        "process opened": 1,
        "process TransportFailure": 2
      })
      expect(pointsOf(sent, "parley_reopenings_abandoned_total")).toEqual({ TransportFailure: 1 })
    }).pipe(Effect.scoped)
  )

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
