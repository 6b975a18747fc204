// A profile made ready for the hot path: sets instead of lists, results that never change built once. It holds nothing
// that the profile does not say.
import { MetaKey } from "../Envelope.ts"
import type { JsonObject } from "../Message.ts"
import { isObject, Method } from "../Message.ts"
import { eraOf, isRevision, newest } from "../Version.ts"
import type { CacheHints, Profile } from "./Profile.ts"

/** A profile and what follows from it. */
export interface Compiled {
  readonly profile: Profile
  /** All versions served, newest first: the one list that `DiscoverResult` and every refusal names. */
  readonly supported: ReadonlyArray<string>
  readonly modernVersions: ReadonlySet<string>
  readonly legacyVersions: ReadonlySet<string>
  readonly servesModern: boolean
  readonly servesLegacy: boolean
  readonly newestLegacy: string | undefined
  /** The methods served in each era, with those that Parley answers. */
  readonly modernMethods: ReadonlySet<string>
  readonly legacyMethods: ReadonlySet<string>
  /** The result of `server/discover`. */
  readonly discovered: JsonObject
  /** The result of `initialize` without its version. */
  readonly initialized: JsonObject
  /** What a modern result's `_meta` gets. */
  readonly resultMeta: JsonObject
  /** The value of `Allow` where a method is refused. */
  readonly allow: string
  /** Whether legacy clients get sessions over HTTP, and may end them by DELETE. */
  readonly sessions: boolean
  /** Whether GET opens a stream in such a session. */
  readonly streams: boolean
  readonly anyOrigin: boolean
  readonly anyHost: boolean
  readonly origins: ReadonlySet<string>
  readonly hosts: ReadonlySet<string>
  readonly requires: ReadonlyMap<string, ReadonlyArray<Needed>>
}

/** A requirement of a method: for one name, or for every call. */
export interface Needed {
  readonly name: string | undefined
  readonly capabilities: JsonObject
}

/** Returns what follows from a profile. Do it once, when the server starts. */
export const compile = (profile: Profile): Compiled => {
  const supported = [...new Set(profile.versions.filter(isRevision))].toSorted().toReversed()
  const modern = supported.filter((version) => eraOf(version) === "modern")
  const legacy = supported.filter((version) => eraOf(version) === "legacy")
  const sessions = legacy.length > 0 && profile.sessions === "issued"
  const streams = sessions && profile.streams === "offered"
  const resultMeta = { [MetaKey.ServerInfo]: profile.serverInfo }
  const instructions = profile.instructions === undefined ? undefined : { instructions: profile.instructions }
  return {
    profile,
    supported,
    modernVersions: new Set(modern),
    legacyVersions: new Set(legacy),
    servesModern: modern.length > 0,
    servesLegacy: legacy.length > 0,
    newestLegacy: newest(legacy),
    modernMethods: new Set([...profile.methods.modern, Method.Discover]),
    legacyMethods: new Set([...profile.methods.legacy, Method.Ping, Method.Initialize]),
    discovered: {
      resultType: "complete",
      supportedVersions: supported,
      capabilities: profile.capabilities,
      ...instructions,
      ...hintsOf(profile, Method.Discover),
      _meta: resultMeta
    },
    initialized: { capabilities: profile.capabilities, serverInfo: profile.serverInfo, ...instructions },
    resultMeta,
    allow: streams ? "GET, POST, DELETE" : sessions ? "POST, DELETE" : "POST",
    sessions,
    streams,
    anyOrigin: profile.origins.includes("*"),
    anyHost: profile.hosts.includes("*"),
    origins: new Set(profile.origins.map((origin) => origin.toLowerCase())),
    hosts: new Set(profile.hosts.map((host) => host.toLowerCase())),
    requires: requirementsOf(profile)
  }
}

/**
 * Returns a modern result as the wire wants it: `resultType` (a handler's own is kept), the server's name in `_meta`,
 * and a cache hint where the specification demands one and the handler gave none. An `input_required` gets no hint.
 */
export const complete = (compiled: Compiled, method: string, result: JsonObject): JsonObject => {
  const meta = result["_meta"]
  const resultType = result["resultType"] ?? "complete"
  const hints = resultType === "complete" && cacheable.has(method) ? hintsOf(compiled.profile, method) : undefined
  return {
    ...hints,
    ...result,
    resultType,
    _meta: isObject(meta) ? { ...compiled.resultMeta, ...meta } : compiled.resultMeta
  }
}

const hintsOf = (profile: Profile, method: string): CacheHints => {
  const given = Object.hasOwn(profile.caching.methods, method) ? profile.caching.methods[method] : undefined
  const { ttlMs, cacheScope } = given ?? profile.caching.default
  return { ttlMs: Number.isInteger(ttlMs) ? Math.max(0, ttlMs) : 0, cacheScope }
}

const requirementsOf = (profile: Profile): ReadonlyMap<string, ReadonlyArray<Needed>> => {
  const requirements = new Map<string, Array<Needed>>()
  for (const { method, name, capabilities } of profile.requires) {
    const known = requirements.get(method)
    if (known === undefined) requirements.set(method, [{ name, capabilities }])
    else known.push({ name, capabilities })
  }
  return requirements
}

// caching, Cacheable Results.
const cacheable: ReadonlySet<string> = new Set([
  Method.Discover,
  Method.ToolsList,
  Method.PromptsList,
  Method.ResourcesList,
  Method.ResourceTemplatesList,
  Method.ResourcesRead
])
