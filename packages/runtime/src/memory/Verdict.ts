// What is remembered of one server: a dated verdict on its era. How it is made of an agreement, read back from a store that
// may hold anything, and what a client may do with it now. Where it is kept is not known here.
import type { Agreement } from "@parley/core/Agreement"
import { discoveredOf } from "@parley/core/Agreement"
import { handshakeOnly, pinnedModern } from "@parley/core/client/SingleEra"
import type { Policy } from "@parley/core/client/Policy"
import type { JsonObject } from "@parley/core/Message"
import { isObject } from "@parley/core/Message"
import { eraOf, newestOf } from "@parley/core/Version"

/** What a server spoke, and when. Plain data, JSON through and through. */
export type Verdict = LegacyVerdict | ModernVerdict

/** The server lives in the legacy era. */
export interface LegacyVerdict {
  readonly era: "legacy"
  readonly version: string
  /** When it was reached, in milliseconds since 1970. */
  readonly at: number
  /** Whether `server/discover` was tried before: only then does it say that there is no modern era to be had. */
  readonly probed: boolean
}

/** The server lives in the modern era. */
export interface ModernVerdict {
  readonly era: "modern"
  readonly version: string
  /** When it was reached, in milliseconds since 1970. */
  readonly at: number
  /** The DiscoverResult, where its `ttlMs` is above 0 and its JSON text at most 65,536 characters long. */
  readonly result?: JsonObject
}

/** What a verdict is good for, under one policy and at one time. */
export type Use =
  /** Nothing: negotiate in full. There is none, it is too old, or it shortens nothing under this policy. */
  | { readonly _tag: "None"; readonly why: "miss" | "reprobed" | "unused" }
  /** The server's own word is still fresh: nothing is asked at all. */
  | { readonly _tag: "Fresh"; readonly version: string; readonly result: JsonObject; readonly leftMillis: number }
  /** One opening of the era that is known, by this policy. */
  | { readonly _tag: "Shortcut"; readonly policy: Policy }

/** The longest JSON text of a DiscoverResult that is remembered, in characters. */
export const mostLength = 65_536

/** The longest time for which a server is believed that it stays as it is, in milliseconds: a day. */
export const mostFreshMillis = 86_400_000

/** Returns the verdict that an agreement allows, or undefined where nothing of it should be remembered. */
export const fromAgreement = (agreement: Agreement, at: number): Verdict | undefined => {
  const { discovered, era, trace, version } = agreement
  // A handshake that is held had to be found out step by step, and has to be again.
  if (agreement.named !== version) return undefined
  if (era === "legacy") {
    return { era, version, at, probed: trace.some(({ state }) => state.startsWith("Discovering")) }
  }
  const keeps =
    discovered !== undefined && discovered.ttlMs > 0 && JSON.stringify(discovered.result).length <= mostLength
  return keeps ? { era, version, at, result: discovered.result } : { era, version, at }
}

/** Returns what a store held as a verdict; undefined for anything that is none. */
export const read = (held: unknown): Verdict | undefined => {
  if (!isObject(held)) return undefined
  const { at, era, probed, result, version } = held
  if (typeof version !== "string" || typeof at !== "number" || !Number.isFinite(at)) return undefined
  if (eraOf(version) !== era) return undefined
  if (era === "legacy") return typeof probed === "boolean" ? { era, version, at, probed } : undefined
  if (era !== "modern") return undefined
  if (result === undefined) return { era, version, at }
  return isObject(result) && isDiscoverResult(result) ? { era, version, at, result } : undefined
}

/** Returns what a verdict is good for now. Legacy verdicts age out after `legacyMillis`. */
export const use = (verdict: Verdict | undefined, policy: Policy, now: number, legacyMillis: number): Use => {
  if (verdict === undefined) return { _tag: "None", why: "miss" }
  if (newestOf(verdict.era, policy.versions) === undefined) return { _tag: "None", why: "unused" }
  if (verdict.at > now + mostSkewMillis) return { _tag: "None", why: "reprobed" }
  const { at } = verdict
  if (verdict.era === "legacy") {
    // Where the handshake opens anyway there is nothing to skip.
    if (!verdict.probed || policy.open !== "discover") return { _tag: "None", why: "unused" }
    const isBelieved = now - at < legacyMillis
    return isBelieved ? { _tag: "Shortcut", policy: inEra("legacy", policy) } : { _tag: "None", why: "reprobed" }
  }
  const { result } = verdict
  if (result !== undefined) {
    const { supportedVersions, ttlMs } = discoveredOf(result)
    const leftMillis = at + Math.min(ttlMs, mostFreshMillis) - now
    const version = newestOf(
      "modern",
      supportedVersions.filter((one) => policy.versions.includes(one))
    )
    if (version !== undefined && leftMillis > 0) return { _tag: "Fresh", version, result, leftMillis }
  }
  return { _tag: "Shortcut", policy: inEra("modern", policy) }
}

/**
 * Returns whether what is known says more than a new verdict: a handshake that nobody probed before tells nothing of the
 * modern era, and does not make what is known of it younger.
 */
export const saysMore = (known: Verdict | undefined, fresh: Verdict, now: number, legacyMillis: number): boolean => {
  if (known === undefined || fresh.era === "modern" || fresh.probed) return false
  return known.era === "modern" || (known.probed && now - known.at < legacyMillis && known.version === fresh.version)
}

// The one opening of an era, within the caller's own revisions and budgets.
const inEra = (era: Verdict["era"], policy: Policy): Policy => ({
  name: policy.name,
  open: era === "modern" ? "discover" : "initialize",
  fallback: era === "modern" ? pinnedModern : handshakeOnly,
  versions: policy.versions.filter((version) => eraOf(version) === era),
  requires: era,
  budgets: policy.budgets,
  ...(policy.lacking === undefined ? undefined : { lacking: policy.lacking })
})

const isDiscoverResult = (result: JsonObject): boolean => {
  const { capabilities, resultType, supportedVersions } = result
  return (
    (resultType === undefined || resultType === "complete") &&
    isObject(capabilities) &&
    Array.isArray(supportedVersions) &&
    supportedVersions.every((one) => typeof one === "string")
  )
}

// How far the clocks of two machines that share a store may be apart.
const mostSkewMillis = 60_000
