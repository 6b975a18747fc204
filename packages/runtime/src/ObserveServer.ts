// What an admission tells the outside: a counter by outcome, a span around each request that is served, and log lines. Names
// are part of the public surface: docs/operating.md lists them.
import type { AdmissionError } from "@parley/core/Errors"
import { nameOf } from "@parley/core/Envelope"
import type { Request } from "@parley/core/Message"
import { head, isObject } from "@parley/core/Message"
import type { Admitted } from "@parley/core/server/Command"
import type { Era } from "@parley/core/Version"
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import * as Series from "./Series.ts"

const admissionsWith = (attributes?: Series.Attributes): Metric.Counter<number> =>
  Metric.counter("parley_admissions_total", {
    description: "Requests admitted and refused, by outcome and era",
    incremental: true,
    ...(attributes === undefined ? undefined : { attributes })
  })

/** Requests by outcome ("admitted", or the tag of the error's reason) and era ("none" for what was refused). */
export const admissions: Metric.Counter<number> = admissionsWith()

/** Returns a function that counts outcomes in the registry of a context. */
export const counting = (context: Context.Context<never>): ((outcome: string, era: Era | "none") => void) => {
  const count = Series.of(["outcome", "era"], admissionsWith)
  return (outcome, era) => count([outcome, era], 1, context)
}

/**
 * Returns what puts a span around the serving of a request, child of the trace that the client sent in `_meta`. Without a
 * tracer in the context there is nobody to tell, and the program is left as it is.
 */
export const tracing = (
  context: Context.Context<never>
): (<A, E>(request: Request, admitted: Admitted, program: Effect.Effect<A, E>) => Effect.Effect<A, E>) => {
  if (!context.mapUnsafe.has(Tracer.TracerKey)) return (_request, _admitted, program) => program
  return (request, admitted, program) => {
    const name = nameOf(request.method, request.params)
    const parent = parentOf(request)
    return Effect.withSpan(program, name === undefined ? request.method : `${request.method} ${head(name, 100)}`, {
      kind: "server",
      attributes: {
        "mcp.method.name": request.method,
        "mcp.protocol.version": admitted.version,
        "parley.era": admitted.era,
        "jsonrpc.request.id": String(request.id).slice(0, 100)
      },
      // Whatever span the server was started in is over by now.
      ...(parent === undefined ? { root: true } : { parent })
    })
  }
}

/** Logs a refusal at the level Debug: what clients do wrong is not what an operator must be woken for. */
export const logRefusal = (error: AdmissionError): Effect.Effect<void> =>
  Effect.logDebug(error.message).pipe(
    Effect.annotateLogs({ "parley.refused": error.reason._tag, "parley.fault": error.fault })
  )

/** Logs a failure of the owner's program that the client is told nothing of. */
export const logFailure = (method: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logError("A request could not be served.", cause).pipe(
    Effect.annotateLogs({ "mcp.method.name": head(method, 100) })
  )

// W3C Trace Context, traceparent: version, trace id, parent id, flags.
const parentOf = (request: Request): Tracer.ExternalSpan | undefined => {
  const meta = request.params?.["_meta"]
  const traceparent = isObject(meta) ? meta["traceparent"] : undefined
  const found = typeof traceparent === "string" ? form.exec(traceparent) : null
  const [, traceId, spanId, flags] = found ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

const form = /^[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})$/
