// The pure entry for HTTP: from a request to the machine's commands, in two phases around the lookup of a session, which
// may take time. It reads no body, writes nothing and knows no store.
//
//   head(compiled, head)            before the body is read: a refusal, or nothing
//   judge(compiled, head, parsed)   once it is parsed: Done, or NeedsSession
//   resume(compiled, needs, state)  once the session was looked up: Done
import { HeaderName } from "../Envelope.ts"
import type { Id, Parsed } from "../Message.ts"
import { isRequest, Method } from "../Message.ts"
import { assumedWithoutHeader } from "../Version.ts"
import type { One, Sent } from "./BodyRungs.ts"
import { climbBody } from "./BodyRungs.ts"
import type { Command } from "./Command.ts"
import type { Compiled } from "./Compiled.ts"
import type { Evidence } from "./Evidence.ts"
import { unknownMethod } from "./Grounds.ts"
import type { Head } from "./HeadRungs.ts"
import { headRungs, size, tooLarge } from "./HeadRungs.ts"
import type { RequestHeaders } from "./HeaderValue.ts"
import { single } from "./HeaderValue.ts"
import { climbLegacy } from "./LegacyRungs.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import { take } from "./Server.ts"
import type { Open, State } from "./State.ts"
import { awaiting } from "./State.ts"
import { isModern, isStamped, weigh, weighMessage, weighModern } from "./Weigh.ts"

/** What a request comes to: it is decided, or its session must be looked up first. */
export type Judged = Done | NeedsSession

/** The commands are known. Those that answer, answer this request; without one it is a 202 with no body. */
export interface Done {
  readonly _tag: "Done"
  /** Where the conversation stands now: the next state of the session, where there is one. */
  readonly state: State
  readonly commands: ReadonlyArray<Command>
  /** Whether a batch was sent: its answers go out in one array. */
  readonly batched: boolean
}

/** A session must be looked up before what was sent can be weighed. */
export interface NeedsSession {
  readonly _tag: "NeedsSession"
  readonly sessionId: string
  readonly use: "Send" | "Listen" | "Delete"
  readonly headers: RequestHeaders
  /** Undefined for GET (Listen) and DELETE. */
  readonly sent: Sent | undefined
}

/** Returns the refusal of a request by its method and headers, before its body is read; undefined lets it pass. */
export const head = (compiled: Compiled, head: Head): Refusal | undefined => {
  for (const rung of headRungs) {
    const problem = rung.check(compiled, head)
    if (problem !== undefined) return refusal(rung, problem)
  }
  return undefined
}

/** Returns the refusal of a body that turned out larger than the profile's limit while it was read. */
export const overflow = (compiled: Compiled): Refusal => refusal(size, tooLarge(compiled))

/** Returns what a request comes to whose head has passed. `parsed` is its body: undefined for GET and DELETE. */
export const judge = (compiled: Compiled, { method, headers }: Head, parsed: Parsed | undefined): Judged => {
  if (parsed === undefined) return inSession(compiled, headers, method === "DELETE" ? "Delete" : "Listen", undefined)
  const sent = climbBody(compiled, parsed)
  if (!("_tag" in sent)) return refused(sent)
  if (sent._tag === "Many") return inSession(compiled, headers, "Send", sent)
  const { message, kind } = sent
  if (isRequest(message)) {
    if (isModern(compiled, message, headers)) return done(compiled, awaiting, weighModern(compiled, message, headers))
    // A probe at a handshake-only server must hear that the method is missing, whatever session it names.
    if (message.method === Method.Discover && !compiled.servesModern) {
      return refused(unknownMethod(message.method, message.id))
    }
  } else if (!compiled.servesLegacy || (compiled.servesModern && isStamped(message))) {
    return done(compiled, awaiting, weighMessage(compiled, awaiting, message, kind, headers))
  }
  return inSession(compiled, headers, "Send", sent)
}

/**
 * Returns what a request comes to in its session. `state` is where that stands: undefined when the session is not known
 * or belongs to another principal. The state returned is the session's next one.
 */
export const resume = (compiled: Compiled, needs: NeedsSession, state: State | undefined): Done => {
  const { headers, sent, use } = needs
  const at = state === undefined || state._tag === "Closed" ? awaiting : state
  // An unknown session on `initialize` is ignored; at a known one it is a repetition.
  if (opens(sent)) return send(compiled, at, headers, sent)
  const legacy = { headers, sessionId: needs.sessionId, state, batched: sent?._tag === "Many" }
  const problem = climbLegacy(compiled, legacy, idIn(sent))
  // What is refused leaves the session as it is.
  if (problem !== undefined) return { ...refused(problem), state: at }
  if (sent !== undefined) return send(compiled, at, headers, sent)
  return use === "Delete" ? done(compiled, at, { _tag: "Deleted" }) : nothing(at)
}

/**
 * Returns the refusal of a request that somebody else's handler would serve, or undefined where it may have it: the ladder
 * alone, in front of a server that answers openings and keeps its sessions itself.
 */
export const gate = (compiled: Compiled, request: Head, parsed: Parsed | undefined): Refusal | undefined => {
  const early = head(compiled, request)
  if (early !== undefined || parsed === undefined) return early
  const judged = judge(compiled, request, parsed)
  const command = judged._tag === "Done" ? judged.commands[0] : undefined
  return command?._tag === "Refuse" ? command.refusal : undefined
}

const inSession = (
  compiled: Compiled,
  headers: RequestHeaders,
  use: NeedsSession["use"],
  sent: Sent | undefined
): Judged => {
  const sessionId = compiled.sessions ? sessionIn(headers) : undefined
  if (sessionId !== undefined) return { _tag: "NeedsSession", sessionId, use, headers, sent }
  if (opens(sent)) return send(compiled, awaiting, headers, sent)
  const legacy = { headers, sessionId, state: undefined, batched: sent?._tag === "Many" }
  const problem = climbLegacy(compiled, legacy, idIn(sent))
  if (problem !== undefined) return refused(problem)
  const state = sessionless(compiled, headers)
  return sent === undefined ? nothing(state) : send(compiled, state, headers, sent)
}

const send = (compiled: Compiled, state: Open, headers: RequestHeaders, sent: Sent): Done => {
  if (sent._tag === "One") {
    return done(compiled, state, weighMessage(compiled, state, sent.message, sent.kind, headers))
  }
  let at: State = state
  const commands: Array<Command> = []
  for (const value of sent.members) {
    if (at._tag === "Closed") break
    const next = take(compiled, at, weigh(compiled, at, { _tag: "Received", value, headers, batched: true }))
    at = next.state
    commands.push(...next.commands)
  }
  return { _tag: "Done", state: at, commands, batched: true }
}

const done = (compiled: Compiled, state: Open, evidence: Evidence): Done => {
  const next = take(compiled, state, evidence)
  return { _tag: "Done", state: next.state, commands: next.commands, batched: false }
}

const nothing = (state: Open): Done => ({ _tag: "Done", state, commands: [], batched: false })

const refused = (refusal: Refusal): Done => ({
  _tag: "Done",
  state: awaiting,
  commands: [{ _tag: "Refuse", refusal }],
  batched: false
})

// Without sessions each POST meets a machine of its own, which takes the handshake for done.
const sessionless = (compiled: Compiled, headers: RequestHeaders): Open => {
  const named = single(headers[HeaderName.ProtocolVersion])
  const assumed = compiled.legacyVersions.has(assumedWithoutHeader) ? assumedWithoutHeader : compiled.newestLegacy
  const version = typeof named === "string" ? named : (assumed ?? assumedWithoutHeader)
  return { _tag: "Serving", opening: { version, client: stranger } }
}

const sessionIn = (headers: RequestHeaders): string | undefined => {
  const named = single(headers[HeaderName.SessionId])
  return typeof named === "string" ? named : undefined
}

const opens = (sent: Sent | undefined): sent is One =>
  sent?._tag === "One" && isRequest(sent.message) && sent.message.method === Method.Initialize

const idIn = (sent: Sent | undefined): Id | undefined =>
  sent?._tag === "One" && isRequest(sent.message) ? sent.message.id : undefined

const stranger = { info: undefined, capabilities: {} }
