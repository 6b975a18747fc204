// What a client says when its opening is answered in each of the ways that matter, and the row that this makes. Pure: who
// listens is in observe/.
import { MetaKey } from "@parley/core/Envelope"
import type { JsonObject } from "@parley/core/Message"
import { isObject } from "@parley/core/Message"
import type { Era } from "@parley/core/Version"
import { eraOf, isLegacy, newestLegacy, newestModern } from "@parley/core/Version"
import * as Release from "./Release.ts"
import { oneLine } from "./render/Text.ts"

/** The ways to answer an opening, in the order in which they are tried. The *lead* is the method that a client opens with. */
export const ways = {
  "agree-legacy": "a legacy server: agrees to initialize, knows no server/discover",
  "agree-modern": "a modern server: agrees to server/discover, refuses initialize with -32022 and its list",
  unsupported: "-32022 to the lead with a list of the other era, where it agrees",
  "method-missing": "-32601 to the lead; agrees to the other method",
  silence: "no answer to the lead; agrees to the other method",
  "names-modern": "a 200 to initialize that names the modern revision; -32601 to a discover that leads"
} as const
export type Way = keyof typeof ways
// The keys of the record above, in their order.
export const wayNames = Object.keys(ways) as ReadonlyArray<Way>

/** A message that decides: an opening, or what shows that the client goes on. Texts are harmless on a terminal. */
export interface Heard {
  readonly method: string
  /** The revision that it offers or carries. */
  readonly version?: string
  /** What it was answered: a code, the revision named or listed, or nothing. */
  readonly answered: string
}

export interface Observed {
  readonly way: Way
  /** In the order of arrival; at most 50. */
  readonly heard: ReadonlyArray<Heard>
}

/** A client's row. */
export interface Row {
  readonly format: 1
  readonly client: string
  readonly transport: "http" | "stdio"
  /** The eras in which it went on. */
  readonly eras: ReadonlyArray<Era>
  /** The revisions that it offered or carried, oldest first. */
  readonly revisions: ReadonlyArray<string>
  /** The revision that it leads with. */
  readonly preferredProtocolVersion?: string
  readonly ways: ReadonlyArray<Observed & { readonly outcome: string }>
  /** When, as an ISO date and time. */
  readonly verified: string
}

/** What is known while a client is observed. Mutable: the one cell of an observer. */
export interface Notes {
  client: string
  readonly observed: Map<Way, Array<Heard>>
}

/** What is answered: a result, an error with its HTTP status, or nothing at all. */
export type Answer =
  | { readonly _tag: "Result"; readonly result: JsonObject }
  | { readonly _tag: "Error"; readonly code: number; readonly status: number; readonly data?: JsonObject }
  | { readonly _tag: "Nothing" }

/**
 * Takes a message in one of the ways, notes what decides, and returns what is answered. `carried` is the revision of the
 * HTTP header that came with it.
 */
export const hear = (notes: Notes, way: Way, message: JsonObject, carried?: string): Answer => {
  const method = typeof message["method"] === "string" ? oneLine(message["method"], 80) : ""
  const version = versionOf(message) ?? (carried === undefined ? undefined : oneLine(carried, 40))
  const heard = notes.observed.get(way) ?? []
  notes.observed.set(way, heard)
  const lead = heard.find((one) => openings.has(one.method))?.method ?? method
  const answer = answerTo(way, method, lead, version)
  const who = clientOf(message)
  if (who !== "") notes.client = who
  if (heard.length < 50 && (openings.has(method) || method === "notifications/initialized" || goesOn(message))) {
    heard.push({ method, ...(version === undefined ? undefined : { version }), answered: told(answer) })
  }
  return answer
}

/** Returns the row of what is noted so far. */
export const rowOf = (notes: Notes, transport: Row["transport"], now: Date): Row => {
  const observed = wayNames.flatMap((way) => {
    const heard = notes.observed.get(way) ?? []
    return heard.length === 0 ? [] : [{ way, heard, ...endOf(heard) }]
  })
  const said = observed.flatMap(({ heard }) => heard)
  const first = said.find(({ method }) => openings.has(method)) ?? said[0]
  return {
    format: 1,
    client: notes.client,
    transport,
    eras: (["legacy", "modern"] as const).filter((era) => observed.some((one) => one.era === era)),
    revisions: [...new Set(said.flatMap(({ version }) => (version === undefined ? [] : [version])))].toSorted(),
    ...(first?.version === undefined ? undefined : { preferredProtocolVersion: first.version }),
    ways: observed.map(({ heard, outcome, way }) => ({ way, heard, outcome })),
    verified: now.toISOString()
  }
}

/** Reads the notes back from a row. Returns undefined for what is none. */
export const notesOf = (value: unknown): Notes | undefined => {
  if (!isObject(value) || value["format"] !== 1 || !Array.isArray(value["ways"])) return undefined
  const notes: Notes = { client: String(value["client"] ?? ""), observed: new Map() }
  for (const one of value["ways"]) {
    const way = wayNames.find((name) => isObject(one) && one["way"] === name)
    if (way === undefined || !isObject(one) || !Array.isArray(one["heard"])) return undefined
    const heard = one["heard"].filter(isHeard)
    notes.observed.set(way, heard)
  }
  return notes
}

const answerTo = (way: Way, method: string, lead: string, version: string | undefined): Answer => {
  if (!openings.has(method)) return { _tag: "Result", result: empty[method] ?? {} }
  const leads = method === lead
  switch (way) {
    case "agree-legacy":
      return method === "initialize" ? initialized(version) : missing
    case "agree-modern":
      return method === "initialize" ? unsupported(newestModern, version) : discovered
    case "unsupported":
      if (leads) return unsupported(method === "initialize" ? newestModern : newestLegacy, version)
      break
    case "method-missing":
      if (leads) return missing
      break
    case "silence":
      if (leads) return { _tag: "Nothing" }
      break
    case "names-modern":
      if (method === "initialize") return naming(newestModern)
      if (leads) return missing
  }
  return method === "initialize" ? initialized(version) : discovered
}

// How it ended, from what was heard last: what follows an answer shows that the client took it.
const endOf = (heard: ReadonlyArray<Heard>): { readonly outcome: string; readonly era?: Era } => {
  const at = heard.findLastIndex(({ method }) => openings.has(method))
  const after = heard.slice(at + 1)
  const carried = after.findLast(({ version }) => version !== undefined)?.version
  const opening = heard[at]
  if (opening === undefined) return { outcome: `asks nothing first${goingOn(carried)}`, ...inEra(carried) }
  const named = opening.answered.replace(/^(?:names|lists) /, "")
  if (opening.method === "server/discover" && opening.answered.startsWith("lists ")) {
    return { outcome: `modern, at ${named}`, era: "modern" }
  }
  if (after.length > 0 && opening.answered.startsWith("names ")) {
    if (isLegacy(named)) return { outcome: `legacy, at ${named}`, era: "legacy" }
    return carried !== undefined && isLegacy(carried)
      ? { outcome: `legacy, held at ${carried} where ${named} was named`, era: "legacy" }
      : { outcome: `takes ${named} out of a handshake${goingOn(carried)}` }
  }
  // What was asked after a refusal, or after silence, was asked of nobody.
  if (after.length > 0) return { outcome: `goes on after ${opening.method}, whatever it was answered` }
  return { outcome: `stops after ${opening.method}` }
}

// A pipe carries no revision in the legacy era.
const goingOn = (carried: string | undefined): string =>
  carried === undefined ? ", and goes on" : `, and goes on at ${carried}`

const inEra = (version: string | undefined): { readonly era?: Era } => {
  const era = version === undefined ? undefined : eraOf(version)
  return era === undefined ? {} : { era }
}

const openings: ReadonlySet<string> = new Set(["initialize", "server/discover"])
const serverInfo = { name: "parley-observe", version: Release.version }
const initialized = (version: string | undefined): Answer => naming(isLegacy(version ?? "") ? version : undefined)
const naming = (version: string = newestLegacy): Answer => ({
  _tag: "Result",
  result: {
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo
  }
})
const discovered: Answer = {
  _tag: "Result",
  result: {
    resultType: "complete",
    supportedVersions: [newestModern],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "private",
    _meta: { [MetaKey.ServerInfo]: serverInfo }
  }
}
const missing: Answer = { _tag: "Error", code: -32601, status: 200 }
const unsupported = (supported: string, requested: string | undefined): Answer => ({
  _tag: "Error",
  code: -32022,
  status: 400,
  data: { supported: [supported], requested: requested ?? "" }
})
const empty: { readonly [method: string]: JsonObject } = {
  "tools/list": { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" }
}

const told = (answer: Answer): string => {
  if (answer._tag === "Nothing") return "nothing"
  if (answer._tag === "Error") {
    const listed = answer.data?.["supported"]
    return Array.isArray(listed) ? `${answer.code}, lists ${listed.join(", ")}` : String(answer.code)
  }
  const { protocolVersion, supportedVersions } = answer.result
  if (typeof protocolVersion === "string") return `names ${protocolVersion}`
  return Array.isArray(supportedVersions) ? `lists ${supportedVersions.join(", ")}` : "a result"
}

const versionOf = (message: JsonObject): string | undefined => {
  const params = isObject(message["params"]) ? message["params"] : {}
  const meta = isObject(params["_meta"]) ? params["_meta"] : {}
  const version = message["method"] === "initialize" ? params["protocolVersion"] : meta[MetaKey.ProtocolVersion]
  return typeof version === "string" ? oneLine(version, 40) : undefined
}

const clientOf = (message: JsonObject): string => {
  const params = isObject(message["params"]) ? message["params"] : {}
  const meta = isObject(params["_meta"]) ? params["_meta"] : {}
  const info = message["method"] === "initialize" ? params["clientInfo"] : meta[MetaKey.ClientInfo]
  return isObject(info) ? oneLine(`${String(info["name"])} ${String(info["version"])}`, 100) : ""
}

const goesOn = (message: JsonObject): boolean => message["id"] !== undefined && message["method"] !== undefined
const isHeard = (value: unknown): value is Heard =>
  isObject(value) && typeof value["method"] === "string" && typeof value["answered"] === "string"
