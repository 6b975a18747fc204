// Parley's contenders: its fleet where each connection is closed at once, its connections where they are kept.
import * as Policy from "@parley/core/client/Policy"
import * as Connection from "@parley/runtime/Connection"
import * as Fleet from "@parley/runtime/Fleet"
import type { Transport } from "@parley/runtime/Transport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { client } from "../../servers/Wire.ts"
import type { Meeting } from "./Meeting.ts"

/** Meets every server through a transport. */
export const fleetOf = (
  { closes, deadlineMillis, inFlight, urls }: Meeting,
  connected: () => void,
  transportOf: (url: string) => Transport
): Effect.Effect<void> => {
  const policy = Policy.withBudgets(Policy.discoverFirst, {
    exchangeMillis: deadlineMillis,
    negotiationMillis: deadlineMillis
  })
  const identity = { info: client, capabilities: {} }
  if (closes === "each") {
    const targets = urls.map((url) => ({ transport: transportOf(url) }))
    return Stream.runForEach(
      Fleet.negotiate(targets, { client: identity, policy, concurrency: inFlight }),
      ({ _tag }) => {
        if (_tag === "Agreed") connected()
        return Effect.void
      }
    )
  }
  return Effect.scoped(
    Effect.forEach(
      urls,
      (url) =>
        Connection.connect({ transport: transportOf(url), policy, client: identity }).pipe(
          Effect.map(connected),
          Effect.ignore
        ),
      { concurrency: inFlight, discard: true }
    )
  )
}
