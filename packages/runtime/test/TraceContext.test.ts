// The trace that a request is sent in: told to the server in `_meta`, one span for each request, and never in the way.
import { describe, expect, it } from "@effect/vitest"
import type * as Connection from "@parley/runtime/Connection"
import { Effect, Tracer } from "effect"
import type * as Peer from "./support/Peer.ts"
import * as Served from "./support/Served.ts"

const answers = { "tools/call": (turn: Peer.Turn) => turn.result({ content: [] }) }
const traceparentOf = (peer: Peer.Peer, at = 0): unknown => {
  const message = peer.posts("tools/call")[at]?.message
  const meta = message !== undefined && "params" in message ? message.params?.["_meta"] : undefined
  return typeof meta === "object" && meta !== null && "traceparent" in meta ? meta.traceparent : undefined
}
const call = (connection: Connection.Shape, meta?: object) =>
  connection.request("tools/call", { name: "add", ...(meta === undefined ? undefined : { _meta: meta }) })

/** Spans that are kept. */
const keeping = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

describe.each(Served.places)("a request, $title", (place) => {
  it.effect("inside a span is a client span of its own, and the server is told that one", () =>
    Effect.gen(function* () {
      const { spans, tracer } = keeping()
      const { connection, peer } = yield* Served.connected(place, answers)
      yield* call(connection).pipe(Effect.withSpan("work"), Effect.withTracer(tracer))
      const work = spans.find(({ name }) => name === "work")
      const own = spans.find(({ name }) => name === "tools/call add")
      expect(own?.kind).toBe("client")
      expect(own?.parent).toMatchObject({ _tag: "Some", value: { spanId: work?.spanId } })
      expect(own?.attributes.get("mcp.method.name")).toBe("tools/call")
      expect(traceparentOf(peer)).toBe(`00-${work?.traceId}-${own?.spanId}-01`)
    })
  )

  it.effect("outside of any span says nothing, and a traceparent of the caller's stays", () =>
    Effect.gen(function* () {
      const { spans, tracer } = keeping()
      const { connection, peer } = yield* Served.connected(place, answers)
      yield* call(connection).pipe(Effect.withTracer(tracer))
      expect(traceparentOf(peer)).toBeUndefined()
      expect(spans).toEqual([])
      const mine = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
      yield* call(connection, { traceparent: mine }).pipe(Effect.withSpan("work"), Effect.withTracer(tracer))
      expect(traceparentOf(peer, 1)).toBe(mine)
    })
  )
})

describe("without a tracer", () => {
  const under = (traceId: string, spanId: string, sampled: boolean) =>
    Effect.gen(function* () {
      const { connection, peer } = yield* Served.connected(Served.modernHttp, answers)
      yield* Effect.withParentSpan(call(connection), Tracer.externalSpan({ traceId, spanId, sampled }))
      return traceparentOf(peer)
    })

  it.effect("a request hands on the span around it, sampled or not", () =>
    Effect.gen(function* () {
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const spanId = "00f067aa0ba902b7"
      expect(yield* under(traceId, spanId, false)).toBe(`00-${traceId}-${spanId}-00`)
      expect(yield* under(traceId, spanId, true)).toBe(`00-${traceId}-${spanId}-01`)
    })
  )

  it.effect("ids that are no trace context are not told", () =>
    Effect.gen(function* () {
      expect(yield* under("0".repeat(32), "00f067aa0ba902b7", true)).toBeUndefined()
      expect(yield* under("0af7651916cd43dd8448eb211c80319c", "7", true)).toBeUndefined()
    })
  )
})
