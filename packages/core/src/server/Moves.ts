// What can follow from an evidence: named pure functions from (profile, state, evidence) to the next state and commands.
// Which of them follows is the table's business.
import { MetaKey } from "../Envelope.ts"
import type { Implementation } from "../Envelope.ts"
import { isObject, Method } from "../Message.ts"
import type { Admitted, Command, Deliver } from "./Command.ts"
import type { Compiled } from "./Compiled.ts"
import type { EvidenceOf, EvidenceTag } from "./Evidence.ts"
import { missing, notInterleaved, repeated, timedOut, unknownMethod } from "./Grounds.ts"
import type { Context, Move, Transition } from "./Rules.ts"
import type { Closed, Open, OpenTag, State } from "./State.ts"

/** Evidence that carries the refusal it asks for. */
export type Refusing =
  | "OpenedBadly"
  | "VersionUnserved"
  | "HeadersDisagree"
  | "EnvelopeInvalid"
  | "MethodUnknown"
  | "CapabilityMissing"
  | "Malformed"

const move = <S extends OpenTag, E extends EvidenceTag>(
  name: string,
  run: (context: Context<S, E>) => Transition
): Move<S, E> => ({ name, run })

/** Answer `initialize` with the requested version if it is served, else with the newest legacy one. */
export const open = move<"AwaitingOpening", "Opened">("open", ({ compiled, state, evidence }) => {
  const version = compiled.legacyVersions.has(evidence.requested) ? evidence.requested : compiled.newestLegacy
  // Where no legacy revision is served, an initialize is never weighed as Opened. If it were, it would be answered.
  if (version === undefined) {
    return { state, commands: [{ _tag: "Refuse", refusal: unknownMethod(Method.Initialize, evidence.id) }] }
  }
  const opening = { version, client: evidence.client }
  return {
    state: { _tag: "AwaitingInitialized", admitted: state.admitted, opening },
    commands: [
      { _tag: "Issue", opening },
      ...(state.admitted ? [] : [startOpening(compiled)]),
      { _tag: "Reply", id: evidence.id, result: { protocolVersion: version, ...compiled.initialized } }
    ],
    ...(version === evidence.requested ? undefined : { note: "the version requested is not served by a handshake" })
  }
})

/** Refuse a second `initialize`, and go on. */
export const repeat = move<OpenTag, "Opened">("repeat", ({ state, evidence }) => ({
  state,
  commands: [{ _tag: "Refuse", refusal: repeated(evidence.id) }]
}))

/** The handshake is complete. */
export const begin = move<"AwaitingInitialized", "Initialized">("begin", ({ state }) => ({
  state: { _tag: "Serving", opening: state.opening },
  commands: state.admitted ? [] : [clearOpening]
}))

/** Do nothing. */
export const drop = move<OpenTag, EvidenceTag>("drop", ({ state }) => ({ state, commands: [] }))

/** Answer a ping with an empty result. */
export const pong = move<OpenTag, "Ping">("pong", ({ state, evidence }) => ({
  state,
  commands: [{ _tag: "Reply", id: evidence.id, result: {} }]
}))

/** Refuse a legacy request that came before the handshake. */
export const miss = move<"AwaitingOpening", "LegacyRequest">("miss", ({ compiled, state, evidence }) => ({
  state,
  commands: [{ _tag: "Refuse", refusal: missing(compiled, evidence.request.method, evidence.request.id) }]
}))

/** Admit a legacy request on the terms of the handshake. */
export const admitLegacy = move<"AwaitingInitialized" | "Serving", "LegacyRequest">(
  "admit",
  ({ state, evidence }): Transition => ({
    state: admittedTo(state),
    commands: clearing(state, {
      _tag: "Deliver",
      request: evidence.request,
      admitted: { era: "legacy", version: state.opening.version, client: state.opening.client, meta: undefined }
    })
  })
)

/** Admit a modern request: it stands alone and changes nothing but the opening deadline. */
export const admitModern = move<OpenTag, "ModernRequest">("admit", (context) => admitted(context))

/** Admit a modern request in a conversation that `initialize` opened, or refuse it: as the profile says. */
export const interleave = move<OpenTag, "ModernRequest">("interleave", (context) => {
  const { compiled, state, evidence } = context
  return compiled.profile.interleave === "admit"
    ? admitted(context)
    : { state, commands: [{ _tag: "Refuse", refusal: notInterleaved(compiled, evidence.request.id) }] }
})

/** Answer with the refusal that the evidence carries, and go on. */
export const refuse = move<OpenTag, Refusing>("refuse", ({ state, evidence }) => ({
  state,
  commands: [{ _tag: "Refuse", refusal: evidence.refusal }]
}))

/** Hand a notification on. */
export const hear = move<OpenTag, "Notification">("hear", ({ state, evidence }) => ({
  state,
  commands: [{ _tag: "Hear", notification: evidence.notification, version: evidence.version }]
}))

/** Hand on what belongs to a modern request, as every cancellation does here; nothing else can mean anything yet. */
export const hearEarly = move<"AwaitingOpening", "Notification">("hearEarly", ({ state, evidence }) => {
  const { notification, version } = evidence
  return version !== undefined || notification.method === Method.Cancelled
    ? { state, commands: [{ _tag: "Hear", notification, version }] }
    : { state, commands: [], note: "it came before the handshake" }
})

/** Hand the client's answer to the request of the server that waits for it. */
export const resolve = move<OpenTag, "Response">("resolve", ({ state, evidence }) => ({
  state,
  commands: [{ _tag: "Resolve", response: evidence.response }]
}))

/** The opening took too long: close, unless something was admitted meanwhile. */
export const expire = move<"AwaitingOpening" | "AwaitingInitialized", "DeadlinePassed">("expire", (context) => {
  const { state, evidence } = context
  if (state.admitted) return idle(context)
  const phase = state._tag === "AwaitingOpening" ? "opening" : "initialized"
  return {
    state: { _tag: "Closed", why: "timeout" },
    commands: [{ _tag: "Close", why: "timeout", refusal: timedOut(phase, evidence.waitedMillis) }]
  }
})

/** A session that was idle too long ends, once no answer is outstanding. */
export const expireIdle = move<"Serving", "DeadlinePassed">("expireIdle", (context) => idle(context))

/** Read nothing more, and close when the last answer is out. */
export const end = move<OpenTag, "EndOfInput">("end", () => closed("ended"))

/** The client ended the session. */
export const remove = move<OpenTag, "Deleted">("remove", () => closed("deleted"))

const closed = (why: Closed["why"]): Transition => ({
  state: { _tag: "Closed", why },
  commands: [{ _tag: "Close", why }]
})

const idle = ({
  state,
  evidence
}: {
  readonly state: Open
  readonly evidence: EvidenceOf<"DeadlinePassed">
}): Transition =>
  evidence.of === "idle" && evidence.unanswered === 0
    ? {
        state: { _tag: "Closed", why: "idle" },
        commands: [{ _tag: "Close", why: "idle", refusal: timedOut("idle", evidence.waitedMillis) }]
      }
    : { state, commands: [], note: evidence.of === "idle" ? "an answer is outstanding" : "something was admitted" }

const admitted = ({ compiled, state, evidence }: Context<OpenTag, "ModernRequest">): Transition => ({
  state: admittedTo(state),
  commands: clearing(
    state,
    evidence.request.method === Method.Discover
      ? { _tag: "Reply", id: evidence.request.id, result: compiled.discovered }
      : modernDelivery(evidence)
  )
})

const modernDelivery = ({ request, version, meta }: EvidenceOf<"ModernRequest">): Deliver => {
  const capabilities = meta[MetaKey.ClientCapabilities]
  const admitted: Admitted = {
    era: "modern",
    version,
    client: { info: infoOf(meta[MetaKey.ClientInfo]), capabilities: isObject(capabilities) ? capabilities : {} },
    meta
  }
  return { _tag: "Deliver", request, admitted }
}

const infoOf = (value: unknown): Implementation | undefined =>
  isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string"
    ? // The two members that an Implementation must have were just seen; TypeScript does not narrow by index.
      (value as Implementation)
    : undefined

// The first admitted request of either era clears the opening deadline.
const admittedTo = (state: Open): State =>
  state._tag === "Serving" || state.admitted ? state : { ...state, admitted: true }

const clearing = (state: Open, command: Command): ReadonlyArray<Command> =>
  state._tag === "Serving" || state.admitted ? [command] : [clearOpening, command]

const startOpening = (compiled: Compiled): Command => ({
  _tag: "StartDeadline",
  of: "opening",
  millis: compiled.profile.deadlines.openingMillis
})

const clearOpening: Command = { _tag: "ClearDeadline", of: "opening" }
