// Parley's own client as a subject of the case runner: any carriers, any policy that a setting can name.
import type { ClientIdentity } from "@parley/core/Envelope"
import * as Policy from "@parley/core/client/Policy"
import * as Connection from "@parley/runtime/Connection"
import type { Transport } from "@parley/runtime/Transport"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import type { Target } from "./Scripted.ts"
import type { ClientOptions, ClientOutcome, ClientSubject } from "./Subject.ts"

const client: ClientIdentity = {
  info: { name: "parley-cases", version: "0.1.0" },
  capabilities: {}
}

/** Returns the subject that reaches each target by the transport that `transportTo` gives. */
export const subject = (transportTo: (target: Target) => Transport): ClientSubject => ({
  connect: (options) => Effect.provide(connect(transportTo, options), Logger.layer([]))
})

const connect = Effect.fnUntraced(function* (
  transportTo: (target: Target) => Transport,
  options: ClientOptions
): Effect.fn.Return<ClientOutcome, never, Scope.Scope> {
  const { policy, warning } = Policy.fromSetting(options.policy)
  if (warning !== undefined) return { outcome: "failed", error: "UnknownPolicy", message: warning }
  const probeMillis = options.probeTimeoutMs ?? Math.min(policy.budgets.probeMillis, options.timeoutMs)
  const budgets = {
    probeMillis,
    exchangeMillis: options.timeoutMs,
    negotiationMillis: 2 * options.timeoutMs + probeMillis
  }
  const opened = yield* Effect.result(
    Connection.connect({
      transport: transportTo(options.target),
      policy: Policy.withBudgets(policy, budgets),
      client,
      requestMillis: options.timeoutMs
    })
  )
  if (opened._tag === "Failure") {
    const { reason } = opened.failure
    // The cause of an error is not enumerable.
    const fields = { ...reason, cause: reason.cause }
    return { outcome: "failed", error: reason._tag, message: reason.message, fields }
  }
  const connection = opened.success
  const calls = yield* Effect.forEach(options.calls, (method) =>
    Effect.match(connection.request(method), {
      onFailure: (error) => ({ method, error: error.message }),
      onSuccess: () => ({ method })
    })
  )
  const { agreement } = connection
  return { outcome: "established", era: agreement.era, version: agreement.version, agreement, calls }
})
