// The door for clients of the official SDK, 1.x and 2.x: find out what a client can do, and connect it to whatever its
// server speaks, without a second handshake. Imports no SDK. How the client is answered is HandOver's.
import type { Agreement } from "@parley/core/Agreement"
import * as Policy from "@parley/core/client/Policy"
import {
  MalformedInit,
  NegotiationError,
  type NegotiationReason,
  PolicyForbids,
  TransportFailure
} from "@parley/core/Errors"
import { head } from "@parley/core/Message"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Handed from "./Handed.ts"
import * as HandOver from "./HandOver.ts"
import * as SdkCapabilities from "./SdkCapabilities.ts"
import * as SdkOpening from "./SdkOpening.ts"
import * as SdkPort from "./SdkPort.ts"
import type { SdkClient, SdkTransport, Source } from "./SdkTransport.ts"

export { detect } from "./SdkCapabilities.ts"
export type { HandOver } from "./HandOver.ts"
export type { SdkCapabilities } from "./SdkCapabilities.ts"
export type { Carrier, SdkClient, SdkTransport, Source } from "./SdkTransport.ts"

/** What a hand-over may be told. */
export interface Options extends SdkPort.Options {
  /** Default `Policy.auto`. It is narrowed to what the client can speak. */
  readonly policy?: Policy.Policy | undefined
}

/** What `connect` may be told. */
export interface ConnectOptions extends Options {
  /** Handed to the client's own `connect`: a `signal`, a `timeout` in milliseconds. Default: more time than the policy needs. */
  readonly request?: { readonly [option: string]: unknown } | undefined
}

/** A client that is connected. */
export interface Connected {
  readonly agreement: Agreement
  /** The client's own transport, as it is in use: for `terminateSession`, `stderr` and the like. */
  readonly transport: SdkTransport
}

/**
 * Connects a client of the official SDK over its own transport to whatever the server turns out to speak. Parley
 * negotiates once the client has written its opening, and answers that: no second handshake. The scope closes the client.
 *
 * A client of 2.x adopts a modern revision even where it was made for the handshake; one of 1.x is kept to the handshake,
 * and a modern-only server fails with an UnsupportedProtocolVersion that says so. Give a function that makes the
 * transport where the opening is to be repeated, by a retry or because a probe ended the process. A client that adopts
 * without having probed opens no subscription for its `listChanged` handlers, as with any prior result: it calls `listen`
 * itself, or is made with `versionNegotiation: { mode: "auto" }`.
 *
 * Fails with a NegotiationError, and the client is closed. Where the client cannot be connected at all, its reason is
 * PolicyForbids; where the client refuses what was agreed, MalformedInit; where it gave up first, TransportFailure.
 */
export const connect = Effect.fnUntraced(function* (
  client: SdkClient,
  transport: Source,
  options: ConnectOptions = {}
): Effect.fn.Return<Connected, NegotiationError, Scope.Scope> {
  const capabilities = SdkCapabilities.detect(client)
  const policy = withinRequest(options.policy ?? Policy.auto, client)
  const forbid = (what: string) => failed(new PolicyForbids({ policy: policy.name, what }))
  if (capabilities === undefined) return yield* forbid("this is no client: it has no connect() and close()")
  if (client.transport !== undefined) return yield* forbid("the client is connected already")
  const port = yield* Effect.try({
    try: () => SdkPort.make(transport, options),
    catch: (error) => failed(new PolicyForbids({ policy: policy.name, what: `the transport: ${wordsOf(error)}` }))
  })
  if (port.first.sessionId !== undefined) {
    return yield* forbid(
      "the transport resumes a session, which has been opened before: connect the client to it itself"
    )
  }
  const context = yield* Effect.context<never>()
  const adoption = capabilities.adopts ? adopting(client) : undefined
  const parts = partsOf(port, policy, capabilities, context)
  const handOver = HandOver.make({ ...parts, adopt: adoption?.adopt })
  const request = { timeout: policy.budgets.negotiationMillis + graceMillis, ...options.request }
  yield* Effect.addFinalizer(() => closing(client, handOver))
  yield* Effect.addFinalizer(() => leave(adoption?.adopted()))

  const refusal = yield* attempt(client, handOver, request)
  adoption?.restore()
  const adopted = adoption?.adopted()
  if (adopted === undefined) {
    return refusal === undefined && handOver.agreement !== undefined
      ? { agreement: handOver.agreement, transport: handOver.inner }
      : yield* handOver.failure ?? refused(refusal, handOver, policy)
  }
  const second = HandOver.ready(parts, adopted.handed, adopted.scope)
  yield* Effect.addFinalizer(() => closing(client, second))
  // The first `connect` closed the client, which ends a few turns after it failed. This one ends later still.
  yield* Effect.promise(() => client.close())
  const { agreement, answer } = adopted.handed
  const prior = { kind: "modern", discover: answer }
  const problem = yield* attempt(client, second, { ...request, prior })
  return problem === undefined
    ? { agreement, transport: second.inner }
    : yield* refused(problem, { agreement, hasOpened: true }, policy)
})

/**
 * Returns a transport to give to a client's own `connect`, where Parley is not to call that. The client's opening decides:
 * one that writes `initialize` is kept to the handshake; one of 2.x that probes (`versionNegotiation`) is answered in
 * whichever era the server speaks. The client's `connect` fails with the NegotiationError, or 2.x with an error that has
 * it as its cause; an authorization that the application must finish keeps the SDK's own error.
 */
export const wrap = (transport: Source, options: Options & { readonly client?: unknown } = {}): HandOver.HandOver => {
  const port = SdkPort.make(transport, options)
  const policy = options.policy ?? Policy.auto
  const known = SdkCapabilities.detect(options.client) ?? SdkCapabilities.unknown
  const opener = known.adopts ? SdkCapabilities.sdk2Handshake : known
  return HandOver.make({
    port,
    run: Effect.runPromiseExit,
    negotiate: (opening, supported) => {
      const client = opening.method === "server/discover" ? SdkCapabilities.sdk2 : opener
      const allowed = SdkOpening.allow(policy, client, opening, supported)
      return Handed.negotiate(port, allowed, client.eras, opening.identity)
    }
  })
}

const partsOf = (
  port: SdkPort.Port,
  policy: Policy.Policy,
  client: SdkCapabilities.SdkCapabilities,
  context: Context.Context<never>
): HandOver.Options => ({
  port,
  run: Effect.runPromiseExitWith(context),
  negotiate: (opening, supported) =>
    Handed.negotiate(port, SdkOpening.allow(policy, client, opening, supported), client.eras, opening.identity)
})

interface Adopted {
  readonly handed: Handed.Handed
  readonly scope: Scope.Closeable
}

const leave = (adopted: Adopted | undefined): Effect.Effect<void> =>
  adopted === undefined ? Effect.void : Scope.close(adopted.scope, Exit.void)

// A `connect` that is given up for a second one is nobody's business: the client's `onclose` does not hear of it.
const adopting = (client: SdkClient) => {
  let adopted: Adopted | undefined
  let onclose: SdkClient["onclose"]
  return {
    adopt: (handed: Handed.Handed, scope: Scope.Closeable): void => {
      adopted = { handed, scope }
      onclose = client.onclose
      Object.assign(client, { onclose: undefined })
    },
    adopted: () => adopted,
    restore: (): void => {
      if (adopted !== undefined) Object.assign(client, { onclose })
    }
  }
}

// Returns what the client's own `connect` failed with, if it did. Interrupting it closes the hand-over first.
const attempt = (
  client: SdkClient,
  handOver: HandOver.HandOver,
  request: { readonly [option: string]: unknown }
): Effect.Effect<{ readonly error: unknown } | undefined> =>
  Effect.promise(async () => {
    try {
      await client.connect(handOver, request)
      return undefined
    } catch (error) {
      await handOver.close()
      return { error }
    }
  }).pipe(Effect.onInterrupt(() => Effect.promise(() => handOver.close())))

const refused = (
  refusal: { readonly error: unknown } | undefined,
  { agreement, hasOpened }: Pick<HandOver.HandOver, "agreement" | "hasOpened">,
  policy: Policy.Policy
): NegotiationError => {
  const words = refusal === undefined ? "it connected without one" : wordsOf(refusal.error)
  if (agreement === undefined) {
    return failed(
      hasOpened
        ? new TransportFailure({ reason: `The client gave up while it was negotiated: ${words}`, retryable: true })
        : new PolicyForbids({ policy: policy.name, what: `the client wrote no opening: ${words}` })
    )
  }
  const method = agreement.era === "modern" ? "server/discover" : "initialize"
  const problem = `the client refuses it: ${words}`
  return failed(new MalformedInit({ method, path: "result", problem }), agreement.trace)
}

const failed = (reason: NegotiationReason, trace: NegotiationError["trace"] = []): NegotiationError =>
  new NegotiationError({ reason, trace })

const closing = (client: SdkClient, handOver: HandOver.HandOver): Effect.Effect<void> =>
  Effect.promise(async () => {
    try {
      if (client.transport === undefined || client.transport === handOver) await client.close()
    } finally {
      await handOver.close()
    }
  }).pipe(Effect.ignoreCause)

// A client whose `connect` takes no options waits 60 s for the answer to its opening, whatever the policy allows.
const withinRequest = (policy: Policy.Policy, client: SdkClient): Policy.Policy =>
  typeof client.connect === "function" && client.connect.length === 1
    ? Policy.withBudgets(policy, {
        negotiationMillis: Math.min(policy.budgets.negotiationMillis, fixedRequestMillis - graceMillis / 2)
      })
    : policy

const wordsOf = (error: unknown): string => head(error instanceof Error ? error.message : String(error), 200)

const fixedRequestMillis = 60_000
const graceMillis = 10_000
