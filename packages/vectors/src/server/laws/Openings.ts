// Laws about openings: what a handshake may agree, what a probe may change, what is listed.
import type { JsonObject } from "@parley/core/Message"
import { isObject, Method } from "@parley/core/Message"
import { toError } from "@parley/core/server/Refusal"
import { isLegacy } from "@parley/core/Version"
import type { ServerStep } from "../Walk.ts"
import type { ServerLaw } from "./ServerLaw.ts"
import { Broken, onEveryPath, onEveryStep, only } from "./ServerLaw.ts"

/** Section 6: answer with the requested version if it is served, else the newest legacy one. */
export const answersWhatItServes: ServerLaw = onEveryStep(
  "answers-what-it-serves",
  "A handshake is answered with the revision requested if it is a legacy one that is served, else with the newest legacy one; never with a modern one.",
  ({ commands, evidence }, { subject: { compiled } }) => {
    if (evidence._tag !== "Opened") return undefined
    for (const command of commands) {
      if (command._tag !== "Reply") continue
      const named = command.result["protocolVersion"]
      const served = [...compiled.legacyVersions].toSorted()
      const expected = served.includes(evidence.requested) ? evidence.requested : served.at(-1)
      if (named !== expected) return `${evidence.requested} is answered with ${String(named)}, not ${expected}`
      if (typeof named !== "string" || !isLegacy(named)) return `a handshake names ${String(named)}`
    }
    return undefined
  }
)

/** Section 6: one handshake for a conversation, and no session of a failed one. */
export const oneHandshake: ServerLaw = onEveryPath(
  "one-handshake",
  "A conversation is opened by at most one handshake, a session is issued with it and never otherwise, and what it agreed does not change.",
  {
    start: () => "",
    see: (memory: string, { commands, evidence, state }) => {
      let agreed = memory
      for (const command of commands) {
        if (command._tag !== "Issue") continue
        if (evidence._tag !== "Opened") return new Broken(`a session is issued on ${evidence._tag}`)
        if (agreed !== "") return new Broken("a second session is issued")
        agreed = command.opening.version
      }
      const held = "opening" in state ? state.opening.version : state._tag === "Closed" ? agreed : ""
      return held === agreed
        ? agreed
        : new Broken(`it agreed ${agreed || "nothing"} and stands at ${held || "nothing"}`)
    }
  }
)

/** Section 6: a probe, successful or not, never leaves AwaitingOpening. */
export const probesOpenNothing: ServerLaw = onEveryStep(
  "probes-open-nothing",
  "No request but a good initialize, and no probe, successful or not, leaves AwaitingOpening; a modern request changes nothing but the opening deadline.",
  ({ evidence, from, state }) => {
    if (state._tag === from.state._tag || state._tag === "Closed") return undefined
    if (from.state._tag === "AwaitingOpening") {
      return evidence._tag === "Opened" ? undefined : `${evidence._tag} leads to ${state._tag}`
    }
    return evidence._tag === "Initialized" ? undefined : `${evidence._tag} leads to ${state._tag}`
  }
)

/** Section 6: every list is the same list. */
export const oneList: ServerLaw = onEveryStep(
  "one-list",
  "DiscoverResult.supportedVersions and every supported in a refusal are the same list: all revisions served.",
  ({ commands }, { subject: { compiled } }) => {
    const expected = [...compiled.modernVersions, ...compiled.legacyVersions].toSorted().toReversed().join()
    for (const command of commands) {
      const list =
        command._tag === "Reply"
          ? command.result["supportedVersions"]
          : command._tag === "Refuse" && command.refusal.ground.code === -32022
            ? supportedIn(toError(command.refusal).data)
            : undefined
      if (list !== undefined && String(list) !== expected) return `it lists ${String(list)}, not ${expected}`
    }
    return undefined
  }
)

const supportedIn = (data: unknown): unknown => (isObject(data) ? (data["supported"] ?? "nothing") : "nothing")

/** Section 6: a modern-only profile answers initialize with -32022. */
export const modernOnlyNamesItsVersions: ServerLaw = only(
  ({ subject }) => !subject.compiled.servesLegacy,
  onEveryStep(
    "modern-only-names-its-versions",
    "A modern-only server opens no session; it answers an initialize without envelope with -32022, and any other request without one with -32602 or, over HTTP without a modern version header, -32020.",
    ({ commands, occurrence, state }, { subject: { carrier } }) => {
      if ("opening" in state) return `it stands at ${state._tag}`
      const sent = sentIn(occurrence.event)
      if (sent === undefined || sent.batched || sent.version !== undefined) return undefined
      const codes = codesIn(commands)
      const expected =
        sent.method === Method.Initialize ? -32022 : carrier === "pipe" || sent.modernHeader ? -32602 : -32020
      return codes.length === 1 && codes[0] === expected ? undefined : `it answers ${codes.join()}, not ${expected}`
    }
  )
)

/** Section 6: a handshake-only profile knows no modern evidence. */
export const handshakeOnlyKnowsNoEnvelope: ServerLaw = only(
  ({ subject }) => !subject.compiled.servesModern,
  onEveryStep(
    "handshake-only-knows-no-envelope",
    "A handshake-only server ignores envelopes, answers server/discover with -32601 in every state, and lives on.",
    ({ commands, evidence, from, occurrence, state }, { subject: { carrier } }) => {
      if (modernEvidence.has(evidence._tag)) return `it weighs ${evidence._tag}`
      const sent = sentIn(occurrence.event)
      // Over HTTP the ladder answers a probe before a session is looked up; the machine is not asked.
      if (sent?.method !== Method.Discover || sent.batched || (carrier === "http" && from.state._tag === "Closed")) {
        return undefined
      }
      if (state._tag !== from.state._tag) return `a probe leads to ${state._tag}`
      const codes = codesIn(commands)
      return codes.length === 1 && codes[0] === -32601 ? undefined : `a probe is answered with ${codes.join()}`
    }
  )
)

const modernEvidence: ReadonlySet<string> = new Set([
  "ModernRequest",
  "VersionUnserved",
  "HeadersDisagree",
  "EnvelopeInvalid",
  "CapabilityMissing"
])

/** Section 6: MissingInit before the handshake, ahead of whether the method exists. */
export const nothingBeforeTheHandshake: ServerLaw = only(
  ({ subject }) => subject.compiled.servesLegacy,
  onEveryStep(
    "nothing-before-the-handshake",
    "Before a handshake no legacy request but ping is admitted: it is refused with -32600, whether its method exists or not.",
    ({ commands, evidence, from }) => {
      if (from.state._tag !== "AwaitingOpening") return undefined
      const delivered = commands.some((command) => command._tag === "Deliver" && command.admitted.era === "legacy")
      if (delivered) return "a legacy request is admitted"
      if (evidence._tag !== "LegacyRequest") return undefined
      return codesIn(commands).join() === "-32600" ? undefined : `it is refused with ${codesIn(commands).join()}`
    }
  )
)

interface SentRequest {
  readonly method: string
  readonly version: unknown
  readonly modernHeader: boolean
  readonly batched: boolean
}

const sentIn = (event: ServerStep["occurrence"]["event"]): SentRequest | undefined => {
  if (event._tag !== "Received" || !isObject(event.value)) return undefined
  const { value } = event
  if (value["jsonrpc"] !== "2.0" || typeof value["id"] !== "number" || !Number.isInteger(value["id"])) return undefined
  if (typeof value["method"] !== "string" || Array.isArray(value["params"])) return undefined
  const params = value["params"]
  const meta = isObject(params) && isObject(params["_meta"]) ? params["_meta"] : noMeta
  return {
    method: value["method"],
    version: meta["io.modelcontextprotocol/protocolVersion"],
    modernHeader: event.headers?.["mcp-protocol-version"] === "2026-07-28",
    batched: event.batched === true
  }
}

const noMeta: JsonObject = {}

const codesIn = (commands: ServerStep["commands"]): ReadonlyArray<number> =>
  commands.flatMap((command) => (command._tag === "Refuse" ? [command.refusal.ground.code] : []))
