// The door for effect/ai: an McpClient for whatever the server turned out to speak. Parley negotiates and carries; the
// client sees its own opening answered from what was agreed. How its messages are carried is EffectAiTransport's.
import * as Policy from "@parley/core/client/Policy"
import type { ClientIdentity } from "@parley/core/Envelope"
import { NegotiationError, PolicyForbids } from "@parley/core/Errors"
import * as Connection from "@parley/runtime/Connection"
import * as McpClient from "effect/ai/McpClient"
import { ClosedError, McpClientError } from "effect/ai/McpClientError"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as EffectAiTransport from "./EffectAiTransport.ts"
import * as SdkOpening from "./SdkOpening.ts"
import { type Target, transportOf } from "./Target.ts"

export type { Target } from "./Target.ts"

/** What a client is made of: the options of `McpClient.make`, and where its server is. */
export interface Options extends ClientOptions {
  readonly target: Target
  /** Default `Policy.auto`. It is narrowed to the revisions that effect/ai speaks. */
  readonly policy?: Policy.Policy | undefined
}

type ClientOptions = Parameters<typeof McpClient.make>[0]

/** The revisions that a client of effect/ai can be made for, each with its adapter. */
const protocols = new Map<string, McpProtocol.ProtocolAdapter<McpClient.ProtocolVersion>>([
  [McpProtocol.v2025_11_25.protocolVersion, McpProtocol.v2025_11_25],
  [McpProtocol.v2026_07_28.protocolVersion, McpProtocol.v2026_07_28]
])

/** The revisions that a client of effect/ai can be made for. */
export const versions: ReadonlyArray<string> = [...protocols.keys()]

/**
 * Returns a client of effect/ai for whatever the server speaks. The scope closes it and its connection.
 *
 * Fails with a NegotiationError where nothing is agreed: a server that speaks only a revision that effect/ai does not is
 * an UnsupportedProtocolVersion that says which client would do. Fails with effect/ai's own error where its client
 * refuses what was agreed.
 */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<McpClient.McpClient, NegotiationError | McpClientError, Scope.Scope> {
  const { target, policy: wanted = Policy.auto, ...own } = options
  const policy = allow(wanted)
  const client = yield* identityOf(own, policy)
  const connection = yield* Connection.connect({
    transport: transportOf(target),
    policy,
    client,
    // The client is bound to one revision and one answer to its opening: a lost session ends it, as its own transport would.
    onLostSession: "fail"
  })
  const protocol = protocols.get(connection.agreement.version)
  if (protocol === undefined) return yield* Effect.die("a revision was agreed that effect/ai has no adapter for")
  return yield* Effect.provideService(
    McpClient.make(own),
    McpClient.Transport,
    EffectAiTransport.make(connection, protocol)
  )
})

/** Provides a client of effect/ai for whatever the server speaks. Options and failures are those of {@link make}. */
export const layer = (options: Options): Layer.Layer<McpClient.McpClient, NegotiationError | McpClientError> =>
  Layer.effect(McpClient.McpClient)(make(options))

// Who the client is, it says itself: it is made once over a transport that takes its opening and gives no answer.
const identityOf = Effect.fnUntraced(function* (
  own: ClientOptions,
  policy: Policy.Policy
): Effect.fn.Return<ClientIdentity, NegotiationError> {
  let opening: SdkOpening.Opening | undefined
  const silent: McpClient.Transport = {
    "~effect/ai/McpClient/Transport": "~effect/ai/McpClient/Transport",
    protocol: McpProtocol.v2025_11_25,
    isCallable: () => false,
    notify: () => Effect.void,
    request: (message) => {
      opening = SdkOpening.read(message)
      return Effect.fail(new McpClientError({ reason: new ClosedError({ description: "its opening was taken" }) }))
    }
  }
  const problem = yield* McpClient.make(own).pipe(
    Effect.provideService(McpClient.Transport, silent),
    Effect.scoped,
    Effect.as(""),
    Effect.catch((error) => Effect.succeed(error.message))
  )
  if (opening !== undefined) return opening.identity
  const what = `the client of effect/ai wrote no opening: ${problem}`
  return yield* new NegotiationError({ reason: new PolicyForbids({ policy: policy.name, what }), trace: [] })
})

const allow = (policy: Policy.Policy): Policy.Policy => {
  const kept = policy.versions.filter((version) => protocols.has(version))
  return kept.length === policy.versions.length ? policy : { ...Policy.withVersions(policy, kept), lacking }
}

const lacking = `The client is effect/ai's McpClient, which speaks ${versions.join(" and ")} alone. For another revision use the official SDK (@modelcontextprotocol/sdk or @modelcontextprotocol/client), or Parley's own Connection.`
