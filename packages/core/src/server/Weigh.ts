// From an event to the evidence that it is here: the only place where a message's era is told, and where the rungs of
// the modern era are climbed. Total: any JSON value has an evidence.
import { MetaKey } from "../Envelope.ts"
import type { Id, JsonObject, Kind, Message, Notification, Request, Response } from "../Message.ts"
import { isObject, isRequest, kindOf, Method } from "../Message.ts"
import { misshapen, unbatchable } from "./BodyRungs.ts"
import type { Compiled } from "./Compiled.ts"
import type { Event } from "./Event.ts"
import type { Evidence, Opened, OpenedBadly } from "./Evidence.ts"
import { malformed, unknownMethod } from "./Grounds.ts"
import type { RequestHeaders } from "./HeaderValue.ts"
import { bounded, isWithin } from "./Identity.ts"
import { namesModern } from "./LegacyRungs.ts"
import type { Modern } from "./ModernRungs.ts"
import { modernRungs } from "./ModernRungs.ts"
import { refusal } from "./Refusal.ts"
import type { Open } from "./State.ts"

/** Returns the evidence that an event is in a state. */
export const weigh = (compiled: Compiled, state: Open, event: Event): Evidence => {
  switch (event._tag) {
    case "Received": {
      const kind = kindOf(event.value)
      if (kind === "Invalid") return { _tag: "Malformed", refusal: misshapen(event.value) }
      // kindOf has told that the value is a message; TypeScript cannot carry that from a tag to the value.
      const message = event.value as Message
      if (event.batched === true && isRequest(message) && isModern(compiled, message, event.headers)) {
        return { _tag: "Malformed", refusal: unbatchable(message.id) }
      }
      return weighMessage(compiled, state, message, kind, event.headers)
    }
    case "Unreadable":
      return { _tag: "Malformed", refusal: event.refusal }
    case "DeadlinePassed":
    case "EndOfInput":
    case "Deleted":
      return event
  }
}

/** Returns the evidence that a message is that came alone. `kind` is what `kindOf` says of it; headers come over HTTP only. */
export const weighMessage = (
  compiled: Compiled,
  state: Open,
  message: Message,
  kind: Exclude<Kind, "Invalid">,
  headers: RequestHeaders | undefined
): Evidence => {
  switch (kind) {
    case "Request": {
      // kindOf has told that the message is a request.
      const request = message as Request
      return isModern(compiled, request, headers)
        ? weighModern(compiled, request, headers)
        : weighLegacy(compiled, state, request)
    }
    case "Notification":
      // kindOf has told that the message is a notification.
      return weighNotification(compiled, message as Notification, headers)
    case "Success":
    case "Failure":
      // kindOf has told that the message is a response.
      return { _tag: "Response", response: message as Response }
  }
}

/**
 * Returns whether a request belongs to the modern era. The body comes first: an envelope is modern, `initialize` without
 * one is legacy, and so is anything else, but for a request whose version header is modern. A modern-only server holds
 * every request to the modern rungs; a handshake-only server knows none.
 */
export const isModern = (compiled: Compiled, request: Request, headers: RequestHeaders | undefined): boolean => {
  if (!compiled.servesLegacy) return true
  if (!compiled.servesModern) return false
  if (versionIn(request) !== undefined) return true
  return request.method !== Method.Initialize && namesModern(headers)
}

/** Returns the protocol version that the envelope of a message names: any JSON value, undefined without an envelope. */
export const versionIn = (message: Request | Notification): unknown => metaOf(message)?.[MetaKey.ProtocolVersion]

/** Returns the evidence that a request of the modern era is: it needs no state. */
export const weighModern = (compiled: Compiled, request: Request, headers: RequestHeaders | undefined): Evidence => {
  const modern = modernOf(request, headers)
  const refused = climb(compiled, modern, request.id)
  if (refused !== undefined) return refused
  // The rungs have let pass only a version that is a string.
  const version = modern.version as string
  return { _tag: "ModernRequest", request, version, meta: modern.meta }
}

/** Returns whether a message carries the envelope of the modern era. */
export const isStamped = (message: Message): boolean => "method" in message && versionIn(message) !== undefined

const weighNotification = (
  compiled: Compiled,
  notification: Notification,
  headers: RequestHeaders | undefined
): Evidence => {
  const version = compiled.servesModern ? versionIn(notification) : undefined
  if (version !== undefined) {
    // On a pipe a notification is never answered, so there is nobody to refuse it to.
    const refused = headers === undefined ? undefined : climb(compiled, modernOf(notification, headers), undefined)
    return refused ?? { _tag: "Notification", notification, version: typeof version === "string" ? version : undefined }
  }
  return notification.method === Method.Initialized && compiled.servesLegacy
    ? { _tag: "Initialized" }
    : { _tag: "Notification", notification, version: undefined }
}

const climb = (compiled: Compiled, modern: Modern, id: Id | undefined): Evidence | undefined => {
  for (const rung of modernRungs) {
    if (id === undefined && rung.judges === "requests") continue
    const problem = rung.check(compiled, modern)
    if (problem !== undefined) return { _tag: rung.sign, refusal: refusal(rung, problem, id) }
  }
  return undefined
}

const weighLegacy = (compiled: Compiled, state: Open, request: Request): Evidence => {
  const { id, method } = request
  if (method === Method.Initialize) return weighOpening(compiled, id, request.params)
  if (method === Method.Ping) return { _tag: "Ping", id }
  // A probe at a handshake-only server must hear that the method is missing, whatever it has said before.
  const known = compiled.legacyMethods.has(method)
  const probes = method === Method.Discover && !compiled.servesModern
  return known || (state._tag === "AwaitingOpening" && !probes)
    ? { _tag: "LegacyRequest", request }
    : { _tag: "MethodUnknown", refusal: unknownMethod(method, id) }
}

const weighOpening = (compiled: Compiled, id: Id, params: JsonObject | undefined): Opened | OpenedBadly => {
  const bad = (path: string, problem: string): OpenedBadly => ({
    _tag: "OpenedBadly",
    refusal: malformed(path, problem, id)
  })
  if (params === undefined) return bad("params", "it is absent")
  const { protocolVersion: requested, capabilities, clientInfo: info } = params
  if (typeof requested !== "string") return bad("params.protocolVersion", found(requested, "string"))
  if (!isObject(capabilities)) return bad("params.capabilities", found(capabilities, "object"))
  if (!isObject(info)) return bad("params.clientInfo", found(info, "object"))
  const { name, version } = info
  if (typeof name !== "string") return bad("params.clientInfo.name", found(name, "string"))
  if (typeof version !== "string") return bad("params.clientInfo.version", found(version, "string"))
  const most = compiled.profile.limits.identityCharacters
  if (!isWithin(capabilities, most)) return bad("params.capabilities", `it is larger than ${most} characters`)
  return { _tag: "Opened", id, requested, client: { info: bounded(info, name, version, most), capabilities } }
}

const found = (value: unknown, expected: string): string =>
  value === undefined ? "it is absent" : `it is no ${expected}`

const modernOf = (message: Request | Notification, headers: RequestHeaders | undefined): Modern => {
  const meta = metaOf(message) ?? {}
  return { message, params: message.params ?? {}, meta, version: meta[MetaKey.ProtocolVersion], headers }
}

const metaOf = (message: Request | Notification): JsonObject | undefined => {
  const meta = message.params?.["_meta"]
  return isObject(meta) ? meta : undefined
}
