// What a negotiation over somebody else's transport leaves to hand over: the agreement, the answer that the client
// expects to its own opening, and the open transport. Who waits for it is not known here.
import type { Agreement } from "@parley/core/Agreement"
import type { Event } from "@parley/core/client/Event"
import type { Policy } from "@parley/core/client/Policy"
import type { ClientIdentity } from "@parley/core/Envelope"
import {
  MalformedInit,
  NegotiationError,
  type NegotiationReason,
  UnsupportedProtocolVersion
} from "@parley/core/Errors"
import { Code, type JsonObject, Method } from "@parley/core/Message"
import { isModern, newestOf } from "@parley/core/Version"
import type { Era } from "@parley/core/Version"
import * as Negotiation from "@parley/runtime/Negotiation"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Opened, Port } from "./SdkPort.ts"

export interface Handed {
  readonly agreement: Agreement
  /** The InitializeResult or the DiscoverResult that the client is to see. */
  readonly answer: JsonObject
  readonly opened: Opened
  readonly backlog: ReadonlyArray<Event>
}

/** Negotiates over a port. Fails as any negotiation, and with the client's lack as the reason where that is what failed. */
export const negotiate = (
  port: Port,
  policy: Policy,
  eras: ReadonlyArray<Era>,
  client: ClientIdentity
): Effect.Effect<Handed, NegotiationError, Scope.Scope> =>
  Negotiation.negotiate({ transport: port.transport(eras), policy, client }).pipe(
    Effect.mapError((error) => explained(error, policy)),
    Effect.flatMap(({ agreement, backlog }) => {
      const opened = port.opened()
      const answer = opened === undefined ? undefined : answerOf(agreement, opened.initialized())
      return opened === undefined || answer === undefined
        ? Effect.die("a negotiation settled without an answer on its transport")
        : Effect.succeed({ agreement, answer, opened, backlog })
    })
  )

/**
 * Returns what a client is to see as the answer to its opening, from the agreement and the result that came. A held
 * handshake names the revision that is held. A DiscoverResult names no modern revision but the agreed one, so that the
 * client picks that, and says what absence means where an SDK demands the words.
 */
export const answerOf = (agreement: Agreement, initialized: JsonObject | undefined): JsonObject | undefined => {
  const { discovered, version } = agreement
  if (agreement.era === "legacy") return initialized && { ...initialized, protocolVersion: version }
  if (discovered === undefined) return undefined
  return {
    resultType: "complete",
    ...discovered.result,
    supportedVersions: discovered.supportedVersions.filter((one) => !isModern(one) || one === version),
    ttlMs: discovered.ttlMs,
    cacheScope: discovered.cacheScope
  }
}

/** Returns the error of a client that does not take the DiscoverResult that it asked for. */
export const refusedDiscover = ({ trace }: Agreement): NegotiationError =>
  new NegotiationError({
    reason: new MalformedInit({
      method: Method.Discover,
      path: "result",
      problem: "the client's SDK does not accept what the server answered"
    }),
    trace
  })

/** Returns the error of a client that probes and does not go on with a handshake: one that is pinned. */
export const refusedHandshake = ({ trace, version }: Agreement, offered: string): NegotiationError =>
  new NegotiationError({
    reason: new UnsupportedProtocolVersion({
      requested: offered,
      supported: [version],
      detail: "The client takes no handshake: unpin it, or connect it with a policy that is pinned as well."
    }),
    trace
  })

// What only a modern server answers to a handshake, or what one may answer that knows no handshake, is a question of the
// revision where the client lacks that era: the lack is the reason then, and the server's answer its cause.
const explained = (error: NegotiationError, policy: Policy): NegotiationError => {
  const { reason, trace } = error
  const isLack = policy.lacking !== undefined && policy.requires === undefined && !policy.versions.some(isModern)
  if (!isLack || !isModernAnswer(reason)) return error
  const unsupported = new UnsupportedProtocolVersion({
    requested: newestOf("legacy", policy.versions) ?? "",
    supported: [],
    detail: policy.lacking,
    cause: reason
  })
  return new NegotiationError({ reason: unsupported, trace })
}

const isModernAnswer = (reason: NegotiationReason): boolean => {
  switch (reason._tag) {
    case "HeaderMismatch":
    case "MissingRequiredClientCapability":
    case "MethodNotFound":
      return true
    case "InitializeRejected":
      return reason.code === Code.InvalidParams
    default:
      return false
  }
}
