// The trace that a request belongs to, handed to the server in `_meta` as the specification says (basic, `_meta`): the one
// span of a request, and its traceparent. What a server does with it is ObserveServer's.
import { nameOf } from "@parley/core/Envelope"
import type { Params } from "@parley/core/Message"
import { head, isObject } from "@parley/core/Message"
import * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"

/**
 * Sends a request with the trace that it is sent in. Inside a span, and with a tracer in the context, the request is a
 * client span of its own and the server is told that one; without a tracer the server is told the span around it; outside
 * of any span nothing is added. A `traceparent` that the caller gave stays.
 */
export const traced = <A, E, R>(
  method: string,
  params: Params | undefined,
  send: (params: Params | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ cache }) => {
    const around = cache.span
    if (around === undefined) return send(params)
    if (cache.tracer === undefined) return send(told(params, around))
    const name = nameOf(method, params)
    const options: Tracer.SpanOptionsNoTrace = { kind: "client", attributes: { "mcp.method.name": method } }
    return Effect.useSpan(name === undefined ? method : `${method} ${head(name, 100)}`, options, (span) =>
      Effect.withParentSpan(send(told(params, span)), span)
    )
  })

const told = (params: Params | undefined, span: Tracer.AnySpan): Params | undefined => {
  const meta = params?.["_meta"]
  const known = isObject(meta) ? meta : undefined
  // A tracer may have ids of another kind: those are no trace context.
  if (known?.["traceparent"] !== undefined || !isTraceId(span.traceId) || !isSpanId(span.spanId)) return params
  const traceparent = `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
  return { ...params, _meta: { ...known, traceparent } }
}

const isTraceId = (id: string): boolean => /^(?!0{32})[0-9a-f]{32}$/.test(id)
const isSpanId = (id: string): boolean => /^(?!0{16})[0-9a-f]{16}$/.test(id)
