// What a client of another SDK can do, found by looking at what the object offers: never by its class, never by the text
// of a version. What follows from that for an opening is the machine's business.
import type { Era } from "@parley/core/Version"
import { allVersions, eraOf, legacyVersions, newestLegacy, newestModern } from "@parley/core/Version"

/** The generations of clients that Parley knows. `unknown` has a `connect` and nothing else that is known. */
export type Generation = "sdk1" | "sdk2" | "effectAi" | "unknown"

/** What a client can do. A value that prints itself: `String(capabilities)` is one line for a person. */
export class SdkCapabilities {
  readonly _tag = "SdkCapabilities"
  readonly generation: Generation
  /** The eras that the client can live in. */
  readonly eras: ReadonlyArray<Era>
  /** The revisions that its generation knows, oldest first. An older release of it may know fewer, and says so itself. */
  readonly versions: ReadonlyArray<string>
  /** Whether it can send `server/discover` by itself. */
  readonly discovers: boolean
  /** Whether it adopts what another has found, without a round trip: `connect(transport, { prior })`. */
  readonly adopts: boolean
  /** Whether it can be told to speak one revision alone. */
  readonly pins: boolean

  constructor(fields: Fields) {
    this.generation = fields.generation
    this.versions = fields.versions
    this.eras = (["legacy", "modern"] as const).filter((era) => fields.versions.some((one) => eraOf(one) === era))
    this.discovers = fields.discovers
    this.adopts = fields.adopts
    this.pins = fields.pins
  }

  /** What the client is, for a sentence. */
  get name(): string {
    return names[this.generation]
  }

  /** Why an era is missing, and what to install: for the trace and the errors. Undefined where none is. */
  get lacking(): string | undefined {
    if (this.eras.length === 2) return undefined
    switch (this.generation) {
      case "sdk1":
        return `The client is built on ${this.name}, which knows the handshake only (up to ${newestLegacy}). For ${newestModern} install @modelcontextprotocol/client 2, or use Parley's own Connection.`
      case "effectAi":
        return `The client is ${this.name}, bound to ${this.versions.join(", ")}. Make it with EffectAi.layer of @parley/adapters, which finds the revision first.`
      case "sdk2":
        return `The client is built on ${this.name} and opened with the handshake. For ${newestModern} connect it with Sdk.connect of @parley/adapters, or give it versionNegotiation: { mode: "auto" }.`
      case "unknown":
        return `The client opened with the handshake, and nothing else is known of it. For ${newestModern} use @modelcontextprotocol/client 2, or Parley's own Connection.`
    }
  }

  toString(): string {
    const can = [
      this.discovers ? "discovers" : "cannot discover",
      ...(this.adopts ? ["adopts a prior result"] : []),
      ...(this.pins ? ["pins"] : [])
    ]
    const where = this.eras.length === 2 ? "both eras" : this.eras.length === 1 ? `the ${this.eras[0]} era` : "no era"
    return `${this.name}: lives in ${where} (${can.join(", ")})`
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString()
  }
}

/** The official SDK 1.x: the handshake only. */
export const sdk1: SdkCapabilities = new SdkCapabilities({
  generation: "sdk1",
  versions: legacyVersions,
  discovers: false,
  adopts: false,
  pins: false
})

/** The official SDK 2.x: both eras. */
export const sdk2: SdkCapabilities = new SdkCapabilities({
  generation: "sdk2",
  versions: allVersions,
  discovers: true,
  adopts: true,
  pins: true
})

/** The official SDK 2.x where it is given an answer to its `initialize`, which can name no modern revision. */
export const sdk2Handshake: SdkCapabilities = new SdkCapabilities({
  generation: "sdk2",
  versions: legacyVersions,
  discovers: false,
  adopts: false,
  pins: false
})

/** What a client can be that only shows a `connect`. */
export const unknown: SdkCapabilities = new SdkCapabilities({
  generation: "unknown",
  versions: legacyVersions,
  discovers: false,
  adopts: false,
  pins: false
})

/** A client of effect/ai, which speaks the one revision that it was made for. */
export const effectAi = (version: string): SdkCapabilities =>
  new SdkCapabilities({
    generation: "effectAi",
    versions: [version],
    discovers: eraOf(version) === "modern",
    adopts: false,
    pins: true
  })

/**
 * Returns what a client can do, or undefined for a value that is no client. A client of effect/ai is bound to the one
 * revision of its transport; its transport tells the same.
 */
export const detect = (client: unknown): SdkCapabilities | undefined => {
  const version = member(client, "protocolVersion") ?? member(member(client, "protocol"), "protocolVersion")
  if (typeof version === "string" && (has(client, "callTool", "listTools") || has(client, "request", "isCallable"))) {
    return effectAi(version)
  }
  if (!has(client, "connect", "close")) return undefined
  if (!has(client, "request", "notification", "getServerCapabilities", "getServerVersion")) return unknown
  return has(client, "discover", "getDiscoverResult", "setVersionNegotiation") ? sdk2 : sdk1
}

interface Fields {
  readonly generation: Generation
  readonly versions: ReadonlyArray<string>
  readonly discovers: boolean
  readonly adopts: boolean
  readonly pins: boolean
}

const names: { readonly [G in Generation]: string } = {
  sdk1: "the official SDK 1.x",
  sdk2: "the official SDK 2.x",
  effectAi: "effect/ai's McpClient",
  unknown: "a client that Parley does not know"
}

const has = (value: unknown, ...methods: ReadonlyArray<string>): boolean =>
  methods.every((name) => typeof member(value, name) === "function")

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
