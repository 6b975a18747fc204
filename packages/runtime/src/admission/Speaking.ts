// How the server speaks to a client besides its answers: which notification may go out where, with which tag, and how a
// legacy client is asked. What is under way is kept in Conversation.
import { MissingRequiredClientCapability, Timeout } from "@parley/core/Errors"
import { MetaKey } from "@parley/core/Envelope"
import type { Id, JsonObject, Params } from "@parley/core/Message"
import { isObject, Method, notification, request } from "@parley/core/Message"
import type { Admitted } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import type { LogLevel } from "@parley/core/server/LogLevel"
import { isLogLevel, reaches } from "@parley/core/server/LogLevel"
import { missingOf } from "@parley/core/server/Capabilities"
import * as Effect from "effect/Effect"
import type { Conversation } from "./Conversation.ts"
import type { Exchange } from "./Exchange.ts"
import type { AskError, Filter } from "../Handler.ts"
import { CannotAsk } from "../Handler.ts"

/** One way to one client. */
export interface Way {
  readonly compiled: Compiled
  readonly exchange: Exchange
  readonly admitted: Admitted
  /** Absent where requests stand alone: nobody could answer a question. */
  readonly conversation: Conversation | undefined
  /** A modern subscription: what it lets through, and the id that tags it. */
  readonly subscription: { readonly id: Id; readonly filter: Filter } | undefined
}

/** The level that a legacy client gets that never said one. */
export const defaultLogLevel: LogLevel = "info"

/** Returns the least severe level of log notifications that may go this way, or undefined for none. */
export const logLevelOf = ({ compiled, admitted, conversation, subscription }: Way): LogLevel | undefined => {
  if (compiled.profile.capabilities["logging"] === undefined || subscription !== undefined) return undefined
  if (admitted.era === "legacy") return conversation?.logLevel ?? defaultLogLevel
  const level = admitted.meta?.[MetaKey.LogLevel]
  return isLogLevel(level) ? level : undefined
}

/** Sends a notification if it may go this way, and waits while the client is slow to read. */
export const notify = (way: Way, method: string, params: Params | undefined): Effect.Effect<void> =>
  Effect.suspend(() =>
    mayGo(way, method, params) ? push(way.exchange, notification(method, tagged(way, params))) : Effect.void
  )

/** Asks a legacy client, and waits for its answer at most for the profile's `askMillis`. */
export const ask = (way: Way, method: string, params: Params | undefined): Effect.Effect<JsonObject, AskError> =>
  Effect.suspend(() => {
    const { admitted, compiled, conversation, exchange } = way
    if (admitted.era === "modern") return Effect.fail(new CannotAsk({ method, why: "modernEra" }))
    if (conversation === undefined) return Effect.fail(new CannotAsk({ method, why: "noSession" }))
    if (exchange.isOver()) return Effect.fail(new CannotAsk({ method, why: "disconnected" }))
    const undeclared = undeclaredBy(admitted.client.capabilities, method)
    if (undeclared !== undefined) return Effect.fail(undeclared)
    const waitedMillis = compiled.profile.deadlines.askMillis
    return put(conversation, exchange, method, params).pipe(
      Effect.timeoutOrElse({
        duration: waitedMillis,
        orElse: () => Effect.fail(new Timeout({ phase: "request", waitedMillis }))
      })
    )
  })

/** Returns the failure of asking for something that the client did not declare, or undefined where it may be asked. */
export const undeclaredBy = (capabilities: JsonObject, method: string): MissingRequiredClientCapability | undefined => {
  const needed = Object.hasOwn(needs, method) ? needs[method] : undefined
  const missing = needed === undefined ? undefined : missingOf(needed, capabilities)
  return missing === undefined ? undefined : new MissingRequiredClientCapability({ requiredCapabilities: missing })
}

const put = (
  conversation: Conversation,
  exchange: Exchange,
  method: string,
  params: Params | undefined
): Effect.Effect<JsonObject, AskError> =>
  Effect.callback<JsonObject, AskError>((resume) => {
    const id = conversation.question(method, resume)
    if (id === undefined) {
      resume(Effect.fail(new CannotAsk({ method, why: "tooMany" })))
      return undefined
    }
    exchange.push(JSON.stringify(request(id, method, params)))
    return Effect.sync(() => {
      conversation.forget(id)
      exchange.push(JSON.stringify(notification(Method.Cancelled, { requestId: id })))
    })
  })

const push = (exchange: Exchange, message: object): Effect.Effect<void> =>
  exchange.push(JSON.stringify(message))
    ? Effect.void
    : Effect.callback((resume) => exchange.onDrain(() => resume(Effect.void)))

const mayGo = (way: Way, method: string, params: Params | undefined): boolean => {
  if (way.exchange.isOver()) return false
  if (way.subscription !== undefined) return passes(way.subscription.filter, method, params)
  if (method !== Method.LogMessage) return true
  const asked = logLevelOf(way)
  const level = params?.["level"]
  return asked !== undefined && isLogLevel(level) && reaches(level, asked)
}

// subscriptions, Opening a Stream: a type that was not asked for MUST NOT be sent; what belongs to a request never is.
const passes = (filter: Filter, method: string, params: Params | undefined): boolean => {
  switch (method) {
    case "notifications/tools/list_changed":
      return filter.toolsListChanged
    case "notifications/prompts/list_changed":
      return filter.promptsListChanged
    case "notifications/resources/list_changed":
      return filter.resourcesListChanged
    case "notifications/resources/updated": {
      const uri = params?.["uri"]
      return typeof uri === "string" && filter.resourceSubscriptions.has(uri)
    }
    default:
      return false
  }
}

const tagged = ({ subscription }: Way, params: Params | undefined): Params | undefined => {
  if (subscription === undefined) return params
  const meta = params?.["_meta"]
  return { ...params, _meta: { ...(isObject(meta) ? meta : undefined), [MetaKey.SubscriptionId]: subscription.id } }
}

const needs: { readonly [method: string]: JsonObject } = {
  "sampling/createMessage": { sampling: {} },
  "elicitation/create": { elicitation: {} },
  "roots/list": { roots: {} }
}
