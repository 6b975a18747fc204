// The texts that stand for a session in a store that is shared: written by one server, read by another that trusts nothing
// of it. Where they are kept is not known here.
import type { JsonObject } from "@parley/core/Message"
import { isObject } from "@parley/core/Message"
import { isLogLevel } from "@parley/core/server/LogLevel"
import type { SessionRecord } from "./Session.ts"

/** What it is, where it stands, when it was used. */
export type Part = "r" | "s" | "t"

/** Returns whether a text can be the id of a session: whatever else a client sends is not even looked up. */
export const isId = (id: string): boolean => /^[\w-]{24}$/.test(id)

/** Returns what never changes of a session. */
export const write = ({ client, createdAt, principal, version }: SessionRecord): string =>
  JSON.stringify({ version, client, principal, createdAt })

/** Returns where a session stands, with what was written before: nothing that has happened is taken back. */
export const writeStanding = (
  { admitted, initialized, logLevel }: SessionRecord,
  before: string | undefined
): string => {
  const known = standingOf(before)
  return JSON.stringify({
    initialized: initialized || known.initialized,
    admitted: admitted || known.admitted,
    logLevel: logLevel ?? known.logLevel
  })
}

/** Returns the record of two texts, or undefined where the first is none. */
export const read = (written: string | undefined, standing: string | undefined): SessionRecord | undefined => {
  const found = parsed(written)
  if (found === undefined) return undefined
  const { client, createdAt, principal, version } = found
  if (typeof version !== "string" || typeof createdAt !== "number" || !Number.isFinite(createdAt)) return undefined
  if (principal !== undefined && typeof principal !== "string") return undefined
  if (!isObject(client) || !isObject(client["capabilities"])) return undefined
  const { capabilities, info } = client
  const shared = { version, principal, createdAt, ...standingOf(standing) }
  if (info === undefined) return { ...shared, client: { info, capabilities } }
  if (!isObject(info) || typeof info["name"] !== "string" || typeof info["version"] !== "string") return undefined
  return { ...shared, client: { info: { ...info, name: info["name"], version: info["version"] }, capabilities } }
}

/** Returns a time in milliseconds since 1970, or undefined for a text that is none. */
export const readTime = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

const standingOf = (text: string | undefined): Pick<SessionRecord, "admitted" | "initialized" | "logLevel"> => {
  const found = parsed(text) ?? {}
  const { admitted, initialized, logLevel } = found
  return {
    admitted: admitted === true,
    initialized: initialized === true,
    logLevel: isLogLevel(logLevel) ? logLevel : undefined
  }
}

const parsed = (text: string | undefined): JsonObject | undefined => {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
