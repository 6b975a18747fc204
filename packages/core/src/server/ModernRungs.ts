// The rungs that judge a request of the modern era by its envelope and, over HTTP, by the headers that mirror it.
import { HeaderName, MetaKey, nameKey, nameOf } from "../Envelope.ts"
import type { JsonObject, Notification, Request } from "../Message.ts"
import { Code, isObject, Method } from "../Message.ts"
import type { ToolHeader } from "../ToolHeaders.ts"
import { valueAt } from "../ToolHeaders.ts"
import { isModern } from "../Version.ts"
import { missingOf } from "./Capabilities.ts"
import type { Compiled } from "./Compiled.ts"
import { isLogLevel } from "./LogLevel.ts"
import type { RequestHeaders } from "./HeaderValue.ts"
import { agrees, agreesWithParameter, type conflict, single, written } from "./HeaderValue.ts"
import type { Ground, Problem } from "./Refusal.ts"

/** A message of the modern era as its rungs see it. */
export interface Modern {
  readonly message: Request | Notification
  /** Its params, and the `_meta` of these. Empty where it has none. */
  readonly params: JsonObject
  readonly meta: JsonObject
  /** The protocol version in `_meta`: any JSON value. */
  readonly version: unknown
  /** Absent on a pipe: the rungs that judge headers then let it pass. */
  readonly headers: RequestHeaders | undefined
}

/** Which evidence a refusal of a rung is. */
export type ModernSign =
  | "VersionUnserved"
  | "HeadersDisagree"
  | "EnvelopeInvalid"
  | "MethodUnknown"
  | "CapabilityMissing"

/** A rung that judges a modern message. Undefined lets it pass. */
export interface ModernRung extends Ground {
  readonly stage: "modern"
  readonly sign: ModernSign
  /** Whether notifications are judged by it too: they mirror less. */
  readonly judges: "requests" | "all"
  readonly check: (compiled: Compiled, modern: Modern) => Problem | undefined
}

const initializeUnserved: ModernRung = {
  stage: "modern",
  sign: "VersionUnserved",
  judges: "requests",
  id: "modern.initialize",
  code: Code.UnsupportedProtocolVersion,
  status: 400,
  remedy: "useSupportedVersion",
  because: "versioning: a modern-only server SHOULD name its versions in any error to initialize",
  check: (compiled, { message, params, version }) =>
    version === undefined && message.method === Method.Initialize
      ? { ...unserved(compiled, params["protocolVersion"]), handshake: true }
      : undefined
}

const envelopeHeader: ModernRung = {
  stage: "modern",
  sign: "HeadersDisagree",
  judges: "requests",
  id: "modern.envelope-header",
  code: Code.HeaderMismatch,
  status: 400,
  remedy: "setHeader",
  because: "streamable-http, Protocol Version Header: a server without older clients MUST reject a request without it",
  check: (compiled, { version, headers }) => {
    if (version !== undefined || headers === undefined) return undefined
    const named = single(headers[HeaderName.ProtocolVersion])
    return typeof named === "string" && isModern(named)
      ? undefined
      : disagree(HeaderName.ProtocolVersion, compiled.supported.join(" or "), named)
  }
}

const versionReadable: ModernRung = {
  stage: "modern",
  sign: "EnvelopeInvalid",
  judges: "all",
  id: "modern.version-readable",
  code: Code.InvalidParams,
  status: 400,
  remedy: "addMetaKey",
  because: "index, _meta: a request that lacks a required field MUST be rejected with -32602",
  check: (_, { version }) =>
    typeof version === "string"
      ? undefined
      : lacking(MetaKey.ProtocolVersion, version === undefined ? "it is absent" : "it is no string")
}

const versionHeader: ModernRung = {
  stage: "modern",
  sign: "HeadersDisagree",
  judges: "all",
  id: "modern.version-header",
  code: Code.HeaderMismatch,
  status: 400,
  remedy: "matchHeader",
  because: "streamable-http, Protocol Version Header: it MUST match _meta, ahead of whether the version is served",
  check: (_, { message, version, headers }) => {
    if (headers === undefined) return undefined
    const raw = headers[HeaderName.ProtocolVersion]
    if (raw === version || (raw === undefined && !("id" in message))) return undefined
    const named = single(raw)
    return named === version ? undefined : disagree(HeaderName.ProtocolVersion, version, named)
  }
}

const versionServed: ModernRung = {
  stage: "modern",
  sign: "VersionUnserved",
  judges: "all",
  id: "modern.version-served",
  code: Code.UnsupportedProtocolVersion,
  status: 400,
  remedy: "useSupportedVersion",
  because: "versioning, Protocol Version Negotiation: MUST respond with the versions that are supported",
  check: (compiled, { version }) =>
    typeof version === "string" && compiled.modernVersions.has(version) ? undefined : unserved(compiled, version)
}

const meta: ModernRung = {
  stage: "modern",
  sign: "EnvelopeInvalid",
  judges: "requests",
  id: "modern.meta",
  code: Code.InvalidParams,
  status: 400,
  remedy: "addMetaKey",
  because: "index, _meta: client capabilities are required, client info and log level are optional",
  check: (_, { meta }) => {
    const capabilities = meta[MetaKey.ClientCapabilities]
    if (!isObject(capabilities)) {
      return lacking(MetaKey.ClientCapabilities, capabilities === undefined ? "it is absent" : "it is no object")
    }
    const info = meta[MetaKey.ClientInfo]
    if (
      info !== undefined &&
      !(isObject(info) && typeof info["name"] === "string" && typeof info["version"] === "string")
    ) {
      return lacking(MetaKey.ClientInfo, "it is no object with a name and a version")
    }
    const level = meta[MetaKey.LogLevel]
    return level === undefined || isLogLevel(level) ? undefined : lacking(MetaKey.LogLevel, "it is no log level")
  }
}

const mcpMethod: ModernRung = {
  stage: "modern",
  sign: "HeadersDisagree",
  judges: "requests",
  id: "modern.mcp-method",
  code: Code.HeaderMismatch,
  status: 400,
  remedy: "matchHeader",
  because: "streamable-http, Standard Request Headers: Mcp-Method is required and equals the method",
  check: (_, { message, headers }) => {
    if (headers === undefined) return undefined
    const raw = headers[HeaderName.Method]
    return raw === message.method || single(raw) === message.method
      ? undefined
      : disagree(HeaderName.Method, message.method, raw)
  }
}

const mcpName: ModernRung = {
  stage: "modern",
  sign: "HeadersDisagree",
  judges: "requests",
  id: "modern.mcp-name",
  code: Code.HeaderMismatch,
  status: 400,
  remedy: "matchHeader",
  because: "streamable-http, Server Validation: Mcp-Name is required where a name or uri is, decoded before comparing",
  check: (_, { message, params, headers }) => {
    if (headers === undefined) return undefined
    const key = nameKey(message.method)
    if (key === undefined) return undefined
    const name = params[key]
    const raw = headers[HeaderName.Name]
    // A request without its name is the handler's to refuse; a header that names something all the same disagrees.
    if (typeof name !== "string") return raw === undefined ? undefined : disagree(HeaderName.Name, "absent", raw)
    return agrees(raw, name) ? undefined : disagree(HeaderName.Name, name, raw)
  }
}

const mcpParam: ModernRung = {
  stage: "modern",
  sign: "HeadersDisagree",
  judges: "requests",
  id: "modern.mcp-param",
  code: Code.HeaderMismatch,
  status: 400,
  remedy: "matchHeader",
  because:
    "streamable-http, Server Behavior for Custom Headers: a marked parameter travels in its header, equal when decoded",
  check: (compiled, { message, params, headers }) => {
    if (headers === undefined || message.method !== Method.ToolsCall) return undefined
    const tool = params["name"]
    const marked = typeof tool === "string" ? compiled.profile.toolHeaders.get(tool) : undefined
    if (marked === undefined) return undefined
    for (const parameter of marked) {
      const problem = checkParameter(parameter, params["arguments"], headers)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

const method: ModernRung = {
  stage: "modern",
  sign: "MethodUnknown",
  judges: "requests",
  id: "modern.method",
  code: Code.MethodNotFound,
  status: 404,
  remedy: "useKnownMethod",
  because: "streamable-http, Protocol Version Header: a method that is not implemented is 404 with -32601",
  check: (compiled, { message }) =>
    compiled.modernMethods.has(message.method) ? undefined : { _tag: "MethodNotFound", method: message.method }
}

const capability: ModernRung = {
  stage: "modern",
  sign: "CapabilityMissing",
  judges: "requests",
  id: "modern.capability",
  code: Code.MissingRequiredClientCapability,
  status: 400,
  remedy: "declareCapability",
  because: "index, _meta: a server MUST NOT rely on capabilities that the client has not declared",
  check: (compiled, { message, params, meta }) => {
    const requirements = compiled.requires.get(message.method)
    if (requirements === undefined) return undefined
    const name = nameOf(message.method, params)
    for (const needed of requirements) {
      if (needed.name !== undefined && needed.name !== name) continue
      const missing = missingOf(needed.capabilities, meta[MetaKey.ClientCapabilities])
      if (missing !== undefined) return { _tag: "MissingRequiredClientCapability", requiredCapabilities: missing }
    }
    return undefined
  }
}

/** The rungs of the modern era in the order of their evaluation. */
export const modernRungs: ReadonlyArray<ModernRung> = [
  initializeUnserved,
  envelopeHeader,
  versionReadable,
  versionHeader,
  versionServed,
  meta,
  mcpMethod,
  mcpName,
  mcpParam,
  method,
  capability
]

const checkParameter = (
  { header, path, type }: ToolHeader,
  given: unknown,
  headers: RequestHeaders
): Problem | undefined => {
  const name = `${HeaderName.ParamPrefix}${header.toLowerCase()}`
  const raw = headers[name]
  const value = valueAt(given, path)
  if (value === undefined) return raw === undefined ? undefined : disagree(name, "absent", raw)
  return agreesWithParameter(raw, value, type) ? undefined : disagree(name, value, raw)
}

const unserved = (compiled: Compiled, requested: unknown) =>
  ({
    _tag: "UnsupportedProtocolVersion",
    requested: typeof requested === "string" ? requested : "",
    supported: compiled.supported
  }) as const

const lacking = (key: string, problem: string): Problem => ({ _tag: "InvalidEnvelope", key, problem })

const disagree = (
  header: string,
  expected: unknown,
  received: string | ReadonlyArray<string> | undefined | typeof conflict
): Problem => ({
  _tag: "HeaderMismatch",
  header,
  expected: typeof expected === "string" ? expected : String(expected),
  received: written(received)
})
