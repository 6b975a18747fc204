// What a server's owner serves, as data: revisions, methods, limits, whom it lets in. Sets and tables that are made of
// it for speed are in Compiled; nothing is decided here.
import type { Implementation } from "../Envelope.ts"
import type { JsonObject } from "../Message.ts"
import { isObject, Method } from "../Message.ts"
import type { ToolHeader } from "../ToolHeaders.ts"
import { fromSchema } from "../ToolHeaders.ts"
import { allVersions, isRevision, legacyVersions, modernVersions } from "../Version.ts"

/** What a server serves. Make one with {@link make}, {@link dual}, {@link modernOnly} or {@link handshakeOnly}. */
export interface Profile {
  /** The revisions served, of either or both eras. What is no revision date is ignored. */
  readonly versions: ReadonlyArray<string>
  /** Who the server says it is. */
  readonly serverInfo: Implementation
  /** What it can do, as both `initialize` and `server/discover` declare it. */
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
  /** The request methods served in each era, without those that Parley answers itself. */
  readonly methods: Methods
  /** Client capabilities without which a modern request is refused (-32021) before it reaches the handler. */
  readonly requires: ReadonlyArray<Requirement>
  /** How long results may be cached, where the specification demands a hint and the handler gave none. */
  readonly caching: Caching
  /** The parameters of tools that travel as headers too. A Map that changes later is seen at once. */
  readonly toolHeaders: ToolHeaderSource
  /** Allowed values of `Origin`: `"loopback"`, `"*"`, or origins such as `"https://app.example"`. */
  readonly origins: ReadonlyArray<string>
  /** Allowed values of `Host`: `"loopback"`, `"*"`, or hosts, with a port (that one) or without (any). */
  readonly hosts: ReadonlyArray<string>
  /** Whether a legacy HTTP client gets a session, which it then must name, or each POST is served alone. */
  readonly sessions: "issued" | "none"
  /** Whether a legacy session may open a stream by GET, for what the server says by itself. */
  readonly streams: "offered" | "none"
  /** What to do with a modern request on a pipe that was opened with `initialize`. */
  readonly interleave: "admit" | "refuse"
  readonly limits: Limits
  readonly deadlines: Deadlines
}

/** Request methods by era. */
export interface Methods {
  readonly legacy: ReadonlyArray<string>
  readonly modern: ReadonlyArray<string>
}

/** A method, and where `name` is given only that tool, prompt or resource of it, needs these client capabilities. */
export interface Requirement {
  readonly method: string
  readonly name?: string
  readonly capabilities: JsonObject
}

/** How long a result may be cached, and by whom. */
export interface CacheHints {
  /** In milliseconds, at least 0. */
  readonly ttlMs: number
  readonly cacheScope: "public" | "private"
}

/** The hints of results, where the handler gives none. */
export interface Caching {
  readonly default: CacheHints
  /** By method, where it differs from the default. */
  readonly methods: { readonly [method: string]: CacheHints }
}

/** Where the header parameters of a tool are found. A `ReadonlyMap` is one. */
export interface ToolHeaderSource {
  readonly get: (tool: string) => ReadonlyArray<ToolHeader> | undefined
}

/** What a client may send and pile up. */
export interface Limits {
  /** The size of an HTTP body, in bytes. Default 4 MiB. */
  readonly bodyBytes: number
  /** The length of a line on a pipe, in bytes. Default 4 MiB. */
  readonly lineBytes: number
  /** Members of a batch. Default 100. */
  readonly batch: number
  /** The size of client info and of client capabilities that a session keeps, each, in characters. Default 8,192. */
  readonly identityCharacters: number
  /** Requests of one pipe that are not yet answered. Default 1,000; one more is refused as busy. */
  readonly unanswered: number
}

/** How long a client may take, in milliseconds. */
export interface Deadlines {
  /** How long a connection may take to be admitted, and then to say `notifications/initialized`. Default 30 s. */
  readonly openingMillis: number
  /** How long a legacy HTTP session may be idle. Default 30 minutes. A pipe may be idle for ever. */
  readonly idleMillis: number
  /** How long a client may take to answer a request of the server. Default 5 minutes. */
  readonly askMillis: number
}

/** What {@link make} needs at least, and what it takes besides. */
export interface Options extends Partial<Omit<Profile, "methods" | "limits" | "deadlines" | "caching" | "serverInfo">> {
  readonly serverInfo: Implementation
  readonly methods?: Partial<Methods>
  readonly limits?: Partial<Limits>
  readonly deadlines?: Partial<Deadlines>
  readonly caching?: Partial<Caching>
}

/** Returns a profile of every published revision, with what the options say otherwise. */
export const make = (options: Options): Profile => {
  const capabilities = options.capabilities ?? {}
  return {
    versions: options.versions ?? allVersions,
    serverInfo: options.serverInfo,
    capabilities,
    instructions: options.instructions,
    methods: { ...methodsOf(capabilities), ...options.methods },
    requires: options.requires ?? [],
    caching: { ...defaultCaching, ...options.caching },
    toolHeaders: options.toolHeaders ?? noToolHeaders,
    origins: options.origins ?? loopback,
    hosts: options.hosts ?? loopback,
    sessions: options.sessions ?? "issued",
    streams: options.streams ?? "offered",
    interleave: options.interleave ?? "admit",
    limits: { ...defaultLimits, ...options.limits },
    deadlines: { ...defaultDeadlines, ...options.deadlines }
  }
}

/** Returns a profile that serves every published revision of both eras. */
export const dual = (options: Options): Profile => make({ ...options, versions: allVersions })

/** Returns a profile that serves the published revisions without a handshake, and no other. */
export const modernOnly = (options: Options): Profile => make({ ...options, versions: modernVersions })

/** Returns a profile that serves the published revisions with a handshake, and no other. */
export const handshakeOnly = (options: Options): Profile => make({ ...options, versions: legacyVersions })

/**
 * Returns the request methods that capabilities stand for, in each era. Not among them: `initialize`, `ping` and
 * `server/discover`, which Parley answers.
 */
export const methodsOf = (capabilities: JsonObject): Methods => {
  const { tools, prompts, resources, completions, logging, tasks } = sectionsOf(capabilities)
  const shared = [
    ...(tools === undefined ? [] : [Method.ToolsList, Method.ToolsCall]),
    ...(prompts === undefined ? [] : [Method.PromptsList, Method.PromptsGet]),
    ...(resources === undefined ? [] : [Method.ResourcesList, Method.ResourceTemplatesList, Method.ResourcesRead]),
    ...(completions === undefined ? [] : [Method.Complete])
  ]
  const changes = [tools, prompts, resources].some((section) => section?.["listChanged"] === true)
  const subscribes = resources?.["subscribe"] === true
  return {
    legacy: [
      ...shared,
      ...(subscribes ? [Method.ResourcesSubscribe, Method.ResourcesUnsubscribe] : []),
      ...(logging === undefined ? [] : [Method.SetLogLevel]),
      ...(tasks === undefined ? [] : ["tasks/get", "tasks/result"]),
      ...(tasks?.["list"] === undefined ? [] : ["tasks/list"]),
      ...(tasks?.["cancel"] === undefined ? [] : ["tasks/cancel"])
    ],
    modern: [...shared, ...(changes || subscribes ? [Method.SubscriptionsListen] : [])]
  }
}

/**
 * Returns the header parameters of tools, from their input schemas, and one sentence for each tool whose annotations are
 * invalid: its parameters are not expected in headers, and clients leave such a tool out.
 */
export const toolHeadersOf = (
  tools: ReadonlyArray<{ readonly name: string; readonly inputSchema: unknown }>
): { readonly toolHeaders: ToolHeaderSource; readonly problems: ReadonlyArray<string> } => {
  const toolHeaders = new Map<string, ReadonlyArray<ToolHeader>>()
  const problems: Array<string> = []
  for (const { inputSchema, name } of tools) {
    const found = fromSchema(inputSchema)
    if (found._tag === "Invalid") problems.push(`The tool ${name} is invalid for HTTP clients: ${found.problem}.`)
    else if (found.headers.length > 0) toolHeaders.set(name, found.headers)
  }
  return { toolHeaders, problems }
}

/** Returns what is wrong with a profile, one sentence each. Such parts are ignored; the rest is served. */
export const problems = (profile: Profile): ReadonlyArray<string> => [
  ...profile.versions
    .filter((version) => !isRevision(version))
    .map((version) => `The version ${version} is no revision date and is not served.`),
  ...(profile.versions.some(isRevision) ? [] : ["The profile serves no revision: every opening is refused."]),
  ...(profile.methods.modern.includes(Method.Ping) ? ["The method ping does not exist in the modern era."] : []),
  ...Object.entries(profile.limits).flatMap(([name, value]) => notPositive("limit", name, value)),
  ...Object.entries(profile.deadlines).flatMap(([name, value]) => notPositive("deadline", name, value)),
  ...[profile.caching.default, ...Object.values(profile.caching.methods)]
    .filter(({ ttlMs }) => !(Number.isInteger(ttlMs) && ttlMs >= 0))
    .map(({ ttlMs }) => `The cache hint ttlMs ${ttlMs} is no integer from 0; 0 is sent instead.`)
]

const notPositive = (kind: string, name: string, value: number): ReadonlyArray<string> =>
  value > 0 ? [] : [`The ${kind} ${name} is ${value}; it must be more than 0.`]

const sectionsOf = (capabilities: JsonObject): { readonly [name: string]: JsonObject | undefined } => {
  const sections: { [name: string]: JsonObject } = {}
  for (const [name, value] of Object.entries(capabilities)) if (isObject(value)) sections[name] = value
  return sections
}

const loopback: ReadonlyArray<string> = ["loopback"]
const noToolHeaders: ToolHeaderSource = new Map<string, ReadonlyArray<ToolHeader>>()
const defaultCaching: Caching = { default: { ttlMs: 0, cacheScope: "private" }, methods: {} }
const defaultLimits: Limits = {
  bodyBytes: 4 * 1024 * 1024,
  lineBytes: 4 * 1024 * 1024,
  batch: 100,
  identityCharacters: 8_192,
  unanswered: 1_000
}
const defaultDeadlines: Deadlines = { openingMillis: 30_000, idleMillis: 30 * 60_000, askMillis: 5 * 60_000 }
