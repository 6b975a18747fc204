// The first message that a client of another SDK writes: who it is, what it offers, and what a policy may therefore
// agree on. Taken from the message alone, never from a field of the client.
import type { Policy } from "@parley/core/client/Policy"
import type { ClientIdentity, Implementation } from "@parley/core/Envelope"
import { MetaKey } from "@parley/core/Envelope"
import type { Id } from "@parley/core/Message"
import { isId, isObject, Method } from "@parley/core/Message"
import { eraOf, isLegacy, isModern } from "@parley/core/Version"
import type { SdkCapabilities } from "./SdkCapabilities.ts"

/** An `initialize`, or a probe. */
export interface Opening {
  readonly method: "initialize" | "server/discover"
  readonly id: Id
  readonly offered: string
  readonly identity: ClientIdentity
}

/** Returns the opening that a message is, or undefined for any other message. */
export const read = (message: unknown): Opening | undefined => {
  if (!isObject(message) || !isId(message["id"])) return undefined
  const { id, method } = message
  const params = isObject(message["params"]) ? message["params"] : {}
  const meta = isObject(params["_meta"]) ? params["_meta"] : {}
  if (method === Method.Initialize) {
    return opening(method, id, params["protocolVersion"], params["clientInfo"], params["capabilities"])
  }
  if (method !== Method.Discover) return undefined
  const capabilities = meta[MetaKey.ClientCapabilities]
  return opening(method, id, meta[MetaKey.ProtocolVersion], meta[MetaKey.ClientInfo], capabilities)
}

/**
 * Returns the policy that may agree on nothing that the client would refuse: an era that it cannot live in, a revision
 * newer than its handshake offers, or one that is not on the list that 2.x hands to its transport. What is missing is
 * said in the trace and in the errors.
 */
export const allow = (
  policy: Policy,
  client: SdkCapabilities,
  { method, offered }: Pick<Opening, "method" | "offered">,
  supported: ReadonlyArray<string> | undefined
): Policy => {
  const legacy = supported?.filter(isLegacy)
  const modern = supported?.filter(isModern) ?? []
  const versions = policy.versions.filter((version) => {
    const era = eraOf(version)
    if (era === undefined || !client.eras.includes(era)) return false
    // A client whose list names no modern revision speaks all that its SDK knows: the list is its handshake's.
    if (era === "modern") return modern.length === 0 || modern.includes(version)
    if (legacy !== undefined) return legacy.includes(version)
    return method !== Method.Initialize || version <= offered
  })
  if (versions.length === policy.versions.length) return policy
  const lacksEra = policy.versions.some((version) => eraOf(version) !== undefined && !speaks(client, version))
  const isOlder = policy.versions.some((version) => speaks(client, version) && !versions.includes(version))
  const lacking = [
    ...(lacksEra && client.lacking !== undefined ? [client.lacking] : []),
    ...(isOlder ? [`It offers ${offered} at most: a newer release of its SDK speaks later revisions.`] : [])
  ].join(" ")
  return { ...policy, versions, ...(lacking === "" ? undefined : { lacking }) }
}

const speaks = (client: SdkCapabilities, version: string): boolean => {
  const era = eraOf(version)
  return era !== undefined && client.eras.includes(era)
}

const opening = (
  method: Opening["method"],
  id: Id,
  offered: unknown,
  info: unknown,
  capabilities: unknown
): Opening => ({
  method,
  id,
  offered: typeof offered === "string" ? offered : "",
  identity: { info: implementation(info), capabilities: isObject(capabilities) ? capabilities : {} }
})

// Client info is optional in the modern envelope; a handshake cannot be without.
const implementation = (value: unknown): Implementation => {
  const given = isObject(value) ? value : {}
  const { name, version } = given
  return {
    ...given,
    name: typeof name === "string" ? name : "unknown",
    version: typeof version === "string" ? version : "0"
  }
}
