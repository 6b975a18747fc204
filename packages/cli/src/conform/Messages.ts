// What a server is asked before it is judged. The messages that it is judged by are those of the conversations.
import * as Envelope from "@parley/core/Envelope"
import { request } from "@parley/core/Message"
import type { Era } from "@parley/core/Version"
import { newestLegacy, newestModern } from "@parley/core/Version"
import type { Said } from "@parley/vectors/data/ServerConversations"
import { identity } from "../Release.ts"

/** A message, and what is due for it. */
export interface Told {
  readonly said: Said
  readonly due: "answer" | "nothing"
}

export const discover = (version: string): Told => asked(Envelope.discover(1, version, identity), "modern")
export const initialize = (version: string): Told => asked(Envelope.initialize(1, version, identity), "legacy")
export const initialized = (version: string): Told => ({
  ...asked(Envelope.initialized({ version, client: identity }), "legacy"),
  due: "nothing"
})
export const modernTools: Told = tools(newestModern, "modern")
export const legacyTools: Told = tools(newestLegacy, "legacy")

function tools(version: string, era: Era): Told {
  return asked(Envelope.stamp({ version, client: identity }, request(2, "tools/list")), era)
}

function asked({ headers, message }: Envelope.Stamped, era: Era): Told {
  return {
    due: "answer",
    said: {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        // The name that conversations have for the session; the wire puts in what was issued.
        ...(era === "legacy" ? { [Envelope.HeaderName.SessionId]: "session-1" } : {}),
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
      },
      text: JSON.stringify(message)
    }
  }
}
