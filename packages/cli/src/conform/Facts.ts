// What a server under test is, found out before it is judged: which revisions it serves, what it can do, whether it issues
// sessions; and so which of the profiles it stands for.
import { HeaderName } from "@parley/core/Envelope"
import { isObject } from "@parley/core/Message"
import { legacyVersions, newestLegacy, newestModern } from "@parley/core/Version"
import type { Target } from "@parley/testing/Scripted"
import { oneLine } from "../render/Text.ts"
import * as Messages from "./Messages.ts"
import type { Heard } from "./Wire.ts"
import * as Wire from "./Wire.ts"

/** The profiles that a server can be held to. */
export const profileNames = ["dual", "modernOnly", "handshakeOnly", "separate", "sessionless"] as const
export type ProfileName = (typeof profileNames)[number]

export interface Facts {
  readonly profile: ProfileName
  /** The handshake revisions that it answers with themselves. */
  readonly legacy: ReadonlyArray<string>
  /** What its server/discover lists, all of it; empty where it has none. */
  readonly listed: ReadonlyArray<string>
  /** The capabilities that either opening told. */
  readonly capabilities: ReadonlyArray<string>
  /** The names of its tools, as far as it lists them. */
  readonly tools: ReadonlyArray<string>
}

/** Asks a server what it is. Undefined where it answers neither opening: the older revisions are then not tried. */
export const find = async (target: Target, waitMillis: number, signal: AbortSignal): Promise<Facts | undefined> => {
  const ask = (messages: ReadonlyArray<Messages.Told>) => conversation(target, waitMillis, messages, signal)
  const modern = await ask([Messages.discover(newestModern), Messages.modernTools])
  const legacy: Array<string> = []
  const opened = new Map<string, ReadonlyArray<Heard>>()
  for (const version of legacyVersions.toReversed()) {
    // A pipe that knows modern requests may still refuse them once a handshake was made: that is a profile of its own.
    const heard = await ask([
      Messages.initialize(version),
      Messages.initialized(version),
      ...(version === newestLegacy ? [Messages.legacyTools, Messages.discover(newestModern)] : [])
    ])
    if (!isHeard(modern) && !isHeard(heard)) return undefined
    opened.set(version, heard)
    if (resultOf(heard[0])?.["protocolVersion"] === version) legacy.unshift(version)
  }
  const discovered = resultOf(modern[0])
  const list = discovered?.["supportedVersions"]
  const listed = bounded(Array.isArray(list) ? list.filter((one) => typeof one === "string") : [])
  const [handshake, , legacyTools, interleaved] = opened.get(newestLegacy) ?? []
  const initialized = resultOf(handshake)
  if (legacy.length === 0 && !listed.includes(newestModern)) return undefined
  const issues = handshake?._tag === "Answered" && handshake.answer.headers[HeaderName.SessionId] !== undefined
  const refuses = discovered !== undefined && resultOf(interleaved) === undefined
  return {
    profile: profileOf(listed.includes(newestModern), legacy.length > 0, "url" in target, issues, refuses),
    legacy,
    listed,
    capabilities: bounded([discovered, initialized].flatMap((one) => Object.keys(objectIn(one, "capabilities")))),
    tools: bounded([modern[1], legacyTools].flatMap(toolsIn))
  }
}

// A server may list as much as it likes, and as often.
const bounded = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names)].slice(0, 200).map((name) => oneLine(name, 100))

const profileOf = (
  modern: boolean,
  legacy: boolean,
  http: boolean,
  issuesSessions: boolean,
  refusesInterleaved: boolean
): ProfileName => {
  if (!legacy) return "modernOnly"
  if (!modern) return "handshakeOnly"
  if (http) return issuesSessions ? "dual" : "sessionless"
  return refusesInterleaved ? "separate" : "dual"
}

const conversation = async (
  target: Target,
  waitMillis: number,
  messages: ReadonlyArray<Messages.Told>,
  signal: AbortSignal
): Promise<ReadonlyArray<Heard>> => {
  const wire = Wire.open(target, waitMillis, signal)
  const heard: Array<Heard> = []
  try {
    for (const { due, said } of messages) {
      heard.push(await wire.say(said, due))
      // Who does not answer the opening is not asked what comes after it.
      if (!isHeard(heard)) break
    }
  } finally {
    await wire.close()
  }
  return heard
}

const isHeard = ([opening]: ReadonlyArray<Heard>): boolean => opening?._tag === "Answered"

const resultOf = (heard: Heard | undefined): { readonly [name: string]: unknown } | undefined => {
  const message = heard?._tag === "Answered" ? heard.answer.message : undefined
  return isObject(message) && isObject(message["result"]) ? message["result"] : undefined
}

const objectIn = (value: { readonly [name: string]: unknown } | undefined, name: string): object => {
  const inner = value?.[name]
  return isObject(inner) ? inner : {}
}

const toolsIn = (heard: Heard | undefined): ReadonlyArray<string> => {
  const tools = resultOf(heard)?.["tools"]
  return Array.isArray(tools)
    ? tools.flatMap((tool) => (isObject(tool) && typeof tool["name"] === "string" ? [tool["name"]] : []))
    : []
}
