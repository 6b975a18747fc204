// What every Transport owes its users, as named checks that run under any test runner: how they are run. The checks are
// in TransportChecks; how a peer is made for a carrier is in ContractStdio, ContractHttp and ContractLink.
import * as Effect from "effect/Effect"
import { ContractBroken } from "./ContractPeer.ts"
import type { Check, Factory } from "./ContractPeer.ts"
import { checks } from "./TransportChecks.ts"

export { ContractBroken } from "./ContractPeer.ts"
export type { Check, Factory, Peer, Received } from "./ContractPeer.ts"
export { httpPeer } from "./ContractHttp.ts"
export { linkPeer } from "./ContractLink.ts"
export { stdioPeer } from "./ContractStdio.ts"
export { checks } from "./TransportChecks.ts"

/** Runs one check on a peer of its own, within 15 seconds. Fails with {@link ContractBroken} where it is not kept. */
export const run = (check: Check, factory: Factory): Effect.Effect<void, unknown> =>
  Effect.timeoutOrElse(Effect.scoped(Effect.flatMap(factory, check.run)), {
    duration: "15 seconds",
    orElse: () => Effect.fail(new ContractBroken({ expected: "the check to end", received: "nothing for 15 seconds" }))
  })

/** The two functions of a test runner: vitest's, node:test's, jest's. */
export interface Runner {
  readonly describe: (title: string, body: () => void) => unknown
  readonly it: (title: string, body: () => Promise<void>) => unknown
}

/**
 * Registers each check as a test with the runner that you give it; nothing of a runner is imported here. A runner that
 * limits a test's time should allow 20 seconds.
 */
export const suite = (runner: Runner, name: string, factory: Factory): void => {
  runner.describe(`${name} keeps the transport contract`, () => {
    for (const check of checks) runner.it(check.title, () => Effect.runPromise(run(check, factory)))
  })
}
