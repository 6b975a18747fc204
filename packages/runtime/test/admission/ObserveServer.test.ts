import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Metric, References, Tracer } from "effect"
import * as Admission from "@parley/runtime/Admission"
import * as ObserveServer from "@parley/runtime/ObserveServer"
import * as Fake from "./Fake.ts"

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

describe("ObserveServer", () => {
  it.effect("puts a span around the handler, child of the client's, where there is a tracer", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const admission = yield* Admission.make(Fake.dual, () =>
        Effect.as(Effect.annotateCurrentSpan("mine", 1), {})
      ).pipe(Effect.provideService(Tracer.Tracer, tracer))
      Fake.send(admission, Fake.stamped(1, "tools/call", { name: "greet" }, { traceparent }))
      Fake.send(admission, Fake.stamped("b", "tools/list", {}, { traceparent: "nonsense" }))
      expect(spans.map(({ name, kind, attributes }) => [name, kind, Object.fromEntries(attributes)])).toEqual([
        [
          "tools/call greet",
          "server",
          {
            "mcp.method.name": "tools/call",
            "mcp.protocol.version": Fake.modern,
            "parley.era": "modern",
            "jsonrpc.request.id": "1",
            mine: 1
          }
        ],
        [
          "tools/list",
          "server",
          {
            "mcp.method.name": "tools/list",
            "mcp.protocol.version": Fake.modern,
            "parley.era": "modern",
            "jsonrpc.request.id": "b",
            mine: 1
          }
        ]
      ])
      expect(spans[0]?.parent).toMatchObject({
        _tag: "Some",
        value: { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", sampled: true }
      })
      expect(spans[1]?.parent._tag).toBe("None")
    })
  )

  it.effect("counts what is admitted and refused, by era and reason", () =>
    Effect.gen(function* () {
      const admission = yield* Admission.make(Fake.dual, () => Effect.succeed({}))
      const session = Fake.openSession(admission)
      const counts = Effect.map(
        Effect.all(
          [
            { outcome: "admitted", era: "modern" },
            { outcome: "admitted", era: "legacy" },
            { outcome: "SessionUnknown", era: "none" }
          ].map((attributes) => Metric.value(Metric.withAttributes(ObserveServer.admissions, attributes)))
        ),
        (states) => states.map(({ count }) => count)
      )
      const before = yield* counts
      Fake.send(admission, Fake.stamped(1))
      Fake.send(admission, Fake.legacy(2), { session })
      Fake.send(admission, Fake.legacy(3), { session: "x" })
      Fake.send(admission, Fake.legacy(4), { session: "y" })
      const after = yield* counts
      expect(after.map((count, at) => Number(count) - Number(before[at]))).toEqual([1, 1, 2])
    })
  )

  it.effect("logs refusals at Debug and failures at Error, each a line that a person can read", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      const admission = yield* Admission.make(Fake.dual, () => Effect.die("secret"), {
        onRefused: ObserveServer.logRefusal
      }).pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Debug"))
      Fake.send(admission, Fake.stamped(1))
      Fake.send(admission, "{")
      expect(lines).toHaveLength(2)
      expect(lines[0]).toContain("Error A request could not be served.")
      expect(lines[1]).toMatch(/^Debug The message is not usable: it is no JSON/)
    })
  )
})
