// What can happen to a server: every event of the walk, with a stable id. Requests good and bad of both eras, headers
// that agree and that do not, deadlines and ends. What an event means is core's business.
import { HeaderName, MetaKey, nameOf } from "@parley/core/Envelope"
import type { JsonObject, Params } from "@parley/core/Message"
import { isObject, Method } from "@parley/core/Message"
import { notUtf8 } from "@parley/core/server/BodyRungs"
import type { Event } from "@parley/core/server/Event"
import { overlong } from "@parley/core/server/Grounds"
import type { RequestHeaders } from "@parley/core/server/HeaderValue"
import { newestModern } from "@parley/core/Version"
import { tomorrow } from "../Subjects.ts"
import type { Carrier } from "./Subjects.ts"
import { toolNames } from "./ToolNames.ts"

/** An event that may happen, under a name that does not depend on the order of a walk. */
export interface ServerOccurrence {
  readonly id: string
  readonly event: Event
}

/** Returns everything that may happen to a server on a carrier. */
export const serverOccurrences = (carrier: Carrier): ReadonlyArray<ServerOccurrence> =>
  carrier === "pipe" ? onPipe : overHttp

/** Who the clients of the walk say they are. */
export const client = { info: { name: "client", version: "1.0.0" }, capabilities: { roots: {} } }

interface Sent {
  readonly id: string
  readonly value: unknown
}

const request = (id: string, method: string, params?: Params): Sent => ({
  id,
  value: { jsonrpc: "2.0", id: 7, method, ...(params === undefined ? undefined : { params }) }
})

const notification = (id: string, method: string, params?: Params): Sent => ({
  id,
  value: { jsonrpc: "2.0", method, ...(params === undefined ? undefined : { params }) }
})

const opening = (protocolVersion: unknown, changes: JsonObject = {}): JsonObject => ({
  protocolVersion,
  capabilities: client.capabilities,
  clientInfo: client.info,
  ...changes
})

/** The `_meta` of a modern request; a change of undefined leaves the key out. */
export const envelope = (version: unknown = newestModern, changes: JsonObject = {}): JsonObject => {
  const meta = {
    [MetaKey.ProtocolVersion]: version,
    [MetaKey.ClientInfo]: client.info,
    [MetaKey.ClientCapabilities]: client.capabilities,
    ...changes
  }
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined))
}

const stamped = (params: JsonObject = {}, meta: JsonObject = envelope()): JsonObject => ({ ...params, _meta: meta })

const initializes: ReadonlyArray<Sent> = [
  ...["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", "draft"].map((version) =>
    request(`initialize.${version}`, Method.Initialize, opening(version))
  ),
  request("initialize.noParams", Method.Initialize),
  request("initialize.versionNumber", Method.Initialize, opening(20250618)),
  request("initialize.noCapabilities", Method.Initialize, {
    protocolVersion: "2025-11-25",
    clientInfo: client.info
  }),
  request("initialize.noClientInfo", Method.Initialize, {
    protocolVersion: "2025-11-25",
    capabilities: client.capabilities
  }),
  request("initialize.nameless", Method.Initialize, opening("2025-11-25", { clientInfo: { version: "1.0.0" } })),
  request("initialize.stamped", Method.Initialize, stamped(opening("2025-11-25")))
]

const legacies: ReadonlyArray<Sent> = [
  notification("initialized", Method.Initialized),
  request("ping", Method.Ping),
  request("legacy.tools/list", Method.ToolsList),
  request("legacy.tools/call", Method.ToolsCall, { name: toolNames.plain, arguments: {} }),
  request("legacy.logging/setLevel", Method.SetLogLevel, { level: "info" }),
  request("legacy.server/discover", Method.Discover),
  request("legacy.unknown", "no/such"),
  notification("cancelled", Method.Cancelled, { requestId: 1 }),
  notification("progress", Method.Progress, { progressToken: 1, progress: 1 }),
  notification("notification.unknown", "notifications/no-such"),
  { id: "response.result", value: { jsonrpc: "2.0", id: "server-1", result: {} } },
  { id: "response.error", value: { jsonrpc: "2.0", id: "server-1", error: { code: -32601, message: "no" } } }
]

const moderns: ReadonlyArray<Sent> = [
  request("discover", Method.Discover, stamped()),
  request(`discover.${tomorrow}`, Method.Discover, stamped({}, envelope(tomorrow))),
  request("discover.2099-01-01", Method.Discover, stamped({}, envelope("2099-01-01"))),
  request("discover.2025-11-25", Method.Discover, stamped({}, envelope("2025-11-25"))),
  request("discover.versionNumber", Method.Discover, stamped({}, envelope(20260728))),
  request("discover.noCapabilities", Method.Discover, stamped({}, envelope(newestModern, noCapabilities(undefined)))),
  request("discover.capabilitiesNull", Method.Discover, stamped({}, envelope(newestModern, noCapabilities(null)))),
  request(
    "discover.anonymous",
    Method.Discover,
    stamped({}, envelope(newestModern, { [MetaKey.ClientInfo]: undefined }))
  ),
  request("discover.nameless", Method.Discover, stamped({}, envelope(newestModern, { [MetaKey.ClientInfo]: {} }))),
  request("discover.badLogLevel", Method.Discover, stamped({}, envelope(newestModern, { [MetaKey.LogLevel]: "loud" }))),
  request("modern.tools/list", Method.ToolsList, stamped()),
  request("modern.tools/call", Method.ToolsCall, stamped({ name: toolNames.plain, arguments: {} })),
  request("modern.tools/call.asking", Method.ToolsCall, stamped({ name: toolNames.asking, arguments: {} })),
  request(
    "modern.tools/call.able",
    Method.ToolsCall,
    stamped(
      { name: toolNames.asking, arguments: {} },
      envelope(newestModern, { [MetaKey.ClientCapabilities]: { sampling: {} } })
    )
  ),
  request(
    "modern.tools/call.placed",
    Method.ToolsCall,
    stamped({ name: toolNames.placed, arguments: { region: "eu" } })
  ),
  request("modern.ping", Method.Ping, stamped()),
  request("modern.unknown", "no/such", stamped()),
  notification("modern.cancelled", Method.Cancelled, stamped({ requestId: 1 })),
  notification("modern.notification.2099-01-01", Method.Progress, stamped({}, envelope("2099-01-01")))
]

function noCapabilities(value: unknown): JsonObject {
  return { [MetaKey.ClientCapabilities]: value }
}

const invalids: ReadonlyArray<Sent> = [
  { id: "invalid.null", value: null },
  { id: "invalid.text", value: "initialize" },
  { id: "invalid.object", value: {} },
  { id: "invalid.jsonrpc1", value: { jsonrpc: "1.0", id: 7, method: Method.Ping } },
  { id: "invalid.idNull", value: { jsonrpc: "2.0", id: null, method: Method.Ping } },
  { id: "invalid.idFraction", value: { jsonrpc: "2.0", id: 1.5, method: Method.Ping } },
  { id: "invalid.method", value: { jsonrpc: "2.0", id: 7, method: 5 } },
  { id: "invalid.params", value: { jsonrpc: "2.0", id: 7, method: Method.Ping, params: [] } }
]

const bodies: ReadonlyArray<Sent> = [...initializes, ...legacies, ...moderns, ...invalids]

const anywhere: ReadonlyArray<ServerOccurrence> = [
  { id: "unreadable.bytes", event: { _tag: "Unreadable", refusal: notUtf8 } },
  { id: "unreadable.overlong", event: { _tag: "Unreadable", refusal: overlong(4_194_304) } },
  ...([0, 1] as const).map((unanswered) => ({
    id: `deadline.opening.${unanswered}`,
    event: { _tag: "DeadlinePassed", of: "opening", waitedMillis: 30_000, unanswered } as const
  })),
  ...([0, 1] as const).map((unanswered) => ({
    id: `deadline.idle.${unanswered}`,
    event: { _tag: "DeadlinePassed", of: "idle", waitedMillis: 1_800_000, unanswered } as const
  }))
]

const batched: ReadonlyArray<ServerOccurrence> = [...legacies, ...moderns]
  .filter(({ id }) => id === "legacy.tools/list" || id === "modern.tools/list" || id === "initialized")
  .map(({ id, value }) => ({ id: `${id}#batched`, event: { _tag: "Received", value, batched: true } }))

const onPipe: ReadonlyArray<ServerOccurrence> = [
  ...bodies.map(({ id, value }): ServerOccurrence => ({ id, event: { _tag: "Received", value } })),
  ...batched,
  ...anywhere,
  { id: "endOfInput", event: { _tag: "EndOfInput" } }
]

// ---- over HTTP: the same, under headers that agree, and some under headers that do not

/** The headers that a message needs over HTTP. A legacy one here names no version: that is fine in every state. */
export const headersFor = (value: unknown): RequestHeaders => {
  const plain = {
    host: "localhost:3000",
    "content-type": "application/json",
    accept: "application/json, text/event-stream"
  }
  const params = isObject(value) ? value["params"] : undefined
  const meta = isObject(params) ? params["_meta"] : undefined
  const version = isObject(meta) ? meta[MetaKey.ProtocolVersion] : undefined
  const method = isObject(value) ? value["method"] : undefined
  if (version === undefined || typeof method !== "string" || !isObject(params)) return plain
  const name = nameOf(method, params)
  const args = params["arguments"]
  const region = isObject(args) ? args["region"] : undefined
  return {
    ...plain,
    [HeaderName.ProtocolVersion]: String(version),
    [HeaderName.Method]: method,
    ...(name === undefined ? undefined : { [HeaderName.Name]: name }),
    ...(typeof region === "string" ? { [`${HeaderName.ParamPrefix}region`]: region } : undefined)
  }
}

const wrongHeaders: ReadonlyArray<readonly [string, string, RequestHeaders]> = [
  ["discover", "noVersionHeader", { [HeaderName.ProtocolVersion]: undefined }],
  ["discover", "otherVersionHeader", { [HeaderName.ProtocolVersion]: "2025-11-25" }],
  ["discover", "twoVersionHeaders", { [HeaderName.ProtocolVersion]: ["2026-07-28", "2025-11-25"] }],
  ["discover", "sameVersionTwice", { [HeaderName.ProtocolVersion]: ["2026-07-28", "2026-07-28"] }],
  ["discover", "noMethodHeader", { [HeaderName.Method]: undefined }],
  ["discover", "otherMethodHeader", { [HeaderName.Method]: "tools/list" }],
  ["modern.tools/call", "noNameHeader", { [HeaderName.Name]: undefined }],
  ["modern.tools/call", "otherNameHeader", { [HeaderName.Name]: "other" }],
  ["modern.tools/call.placed", "noParamHeader", { [`${HeaderName.ParamPrefix}region`]: undefined }],
  ["modern.tools/call.placed", "otherParamHeader", { [`${HeaderName.ParamPrefix}region`]: "us" }],
  ["legacy.tools/list", "modernVersionHeader", { [HeaderName.ProtocolVersion]: "2026-07-28" }],
  ["legacy.tools/list", "legacyVersionHeader", { [HeaderName.ProtocolVersion]: "2025-11-25" }],
  ["modern.cancelled", "otherVersionHeader", { [HeaderName.ProtocolVersion]: "2025-11-25" }],
  ["modern.cancelled", "noVersionHeader", { [HeaderName.ProtocolVersion]: undefined }]
]

const overHttp: ReadonlyArray<ServerOccurrence> = [
  ...bodies.map(({ id, value }): ServerOccurrence => ({
    id,
    event: { _tag: "Received", value, headers: headersFor(value) }
  })),
  ...wrongHeaders.flatMap(([of, name, changes]) =>
    bodies
      .filter(({ id }) => id === of)
      .map(({ id, value }): ServerOccurrence => ({
        id: `${id}+${name}`,
        event: { _tag: "Received", value, headers: { ...headersFor(value), ...changes } }
      }))
  ),
  ...batched.map(({ event, id }): ServerOccurrence => ({
    id,
    event: event._tag === "Received" ? { ...event, headers: headersFor(event.value) } : event
  })),
  ...anywhere,
  { id: "deleted", event: { _tag: "Deleted" } }
]
