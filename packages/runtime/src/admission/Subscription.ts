// A modern `subscriptions/listen`: what of the client's filter is honoured, and the messages around it.
import { MetaKey } from "@parley/core/Envelope"
import type { Id, JsonObject, Notification, Request } from "@parley/core/Message"
import { isObject, Method, notification } from "@parley/core/Message"
import type { Compiled } from "@parley/core/server/Compiled"
import type { Filter } from "../Handler.ts"

/** Returns the part of a filter that the server's capabilities honour, or undefined where the request has none. */
export const filterOf = ({ profile }: Compiled, request: Request): Filter | undefined => {
  const asked = request.params?.["notifications"]
  if (!isObject(asked)) return undefined
  const can = (section: string, ability: string): boolean => {
    const declared = profile.capabilities[section]
    return isObject(declared) && declared[ability] === true
  }
  const wanted = (name: string, section: string): boolean => asked[name] === true && can(section, "listChanged")
  const uris = asked["resourceSubscriptions"]
  return {
    toolsListChanged: wanted("toolsListChanged", "tools"),
    promptsListChanged: wanted("promptsListChanged", "prompts"),
    resourcesListChanged: wanted("resourcesListChanged", "resources"),
    resourceSubscriptions: new Set(
      Array.isArray(uris) && can("resources", "subscribe") ? uris.filter((uri) => typeof uri === "string") : []
    )
  }
}

/** Returns the first message of a subscription: its id, and the filter that is honoured. */
export const acknowledgement = (id: Id, filter: Filter): Notification =>
  notification(Method.SubscriptionsAcknowledged, {
    _meta: { [MetaKey.SubscriptionId]: id },
    notifications: {
      ...(filter.toolsListChanged ? { toolsListChanged: true } : undefined),
      ...(filter.promptsListChanged ? { promptsListChanged: true } : undefined),
      ...(filter.resourcesListChanged ? { resourcesListChanged: true } : undefined),
      ...(filter.resourceSubscriptions.size === 0
        ? undefined
        : { resourceSubscriptions: [...filter.resourceSubscriptions] })
    }
  })

/** Returns the result that closes a subscription gracefully. */
export const closure = (compiled: Compiled, id: Id): JsonObject => ({
  resultType: "complete",
  _meta: { ...compiled.resultMeta, [MetaKey.SubscriptionId]: id }
})

/** Returns what is sent ahead of the answer where a subscription ends by a fault. Source: cancellation: MUST be sent. */
export const teardown = (id: Id): Notification =>
  notification(Method.Cancelled, {
    _meta: { [MetaKey.SubscriptionId]: id },
    requestId: id,
    reason: "The server failed."
  })
