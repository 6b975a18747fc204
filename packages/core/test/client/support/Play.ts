// Plays a conversation against the client machine from `Client.begin`: what a server does, as words, and what a step
// shows, as text. Expectations are written in the tests, not here.
import type { Message } from "@parley/core/Message"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event, ResponseHead } from "@parley/core/client/Event"
import { arrived } from "@parley/core/client/Event"
import type { Policy } from "@parley/core/client/Policy"
import type { Awaiting, State } from "@parley/core/client/State"
import type { NegotiationReason } from "@parley/core/Errors"
import type { Step } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import { idOf } from "@parley/core/Medium"
import { Code, failure, isObject, success } from "@parley/core/Message"

/** What a server does, in the state where it does it. */
export type Happening = (medium: Medium, state: Awaiting) => Event

/** What an HTTP answer brings besides its body. */
export interface Head {
  readonly status?: number
  readonly session?: string
  readonly challenge?: string
  readonly retryAfterMillis?: number
  readonly contentType?: string
  readonly location?: string
}

/** Returns the step that the last of the happenings makes; the others lead there. Fails where they end too early. */
export const play = (policy: Policy, medium: Medium, ...path: ReadonlyArray<Happening>): Step<State, Command> => {
  let step = Client.begin(policy, medium)
  for (const happening of path) {
    step = Client.step(policy, medium, step.state, happening(medium, awaiting(step.state)))
  }
  return step
}

/** Returns the state, which must await something. */
export const awaiting = (state: State): Awaiting => {
  if (state._tag === "Settled" || state._tag === "Failed") throw new Error(`it ended before: ${stateText(state)}`)
  return state
}

// ---- what a server does

const over = (medium: Medium, state: Awaiting, message: Message, head: Head, usual: number): Event => {
  if (medium.streams === "shared") return arrived(message)
  return arrived(message, state.ledger.exchanges, responseHead(head, usual))
}

const responseHead = (head: Head, usual: number): ResponseHead => ({
  status: head.status ?? usual,
  ...(head.contentType === undefined ? undefined : { contentType: head.contentType }),
  ...(head.session === undefined ? undefined : { sessionId: head.session }),
  ...(head.challenge === undefined ? undefined : { challenge: head.challenge }),
  ...(head.retryAfterMillis === undefined ? undefined : { retryAfterMillis: head.retryAfterMillis }),
  ...(head.location === undefined ? undefined : { location: head.location })
})

/** It answers with a result. */
export const result =
  (value: Record<string, unknown>, head: Head = {}): Happening =>
  (medium, state) =>
    over(medium, state, success(idOf(medium, state.ledger.exchanges), value), head, 200)

/** It answers `initialize` and names a revision. */
export const names = (version: unknown, head: Head = {}): Happening =>
  result({ protocolVersion: version, capabilities: {}, serverInfo: { name: "server", version: "1" } }, head)

/** It answers `server/discover` and lists revisions. */
export const lists = (...versions: ReadonlyArray<string>): Happening =>
  result({ resultType: "complete", supportedVersions: versions, capabilities: { tools: {} } })

/** It refuses with a code, and may list what it supports. */
export const refuses =
  (code: number, supported?: unknown, head: Head = {}): Happening =>
  (medium, state) => {
    const data = supported === undefined ? undefined : { data: { supported } }
    const error = { code, message: `refused with ${code}`, ...data }
    return over(medium, state, failure(idOf(medium, state.ledger.exchanges), error), head, 400)
  }

/** It refuses the revision: -32022, with a list or without. */
export const unsupported = (...supported: ReadonlyArray<string>): Happening =>
  refuses(Code.UnsupportedProtocolVersion, supported.length === 0 ? undefined : supported)

/** It refuses the parameters: -32602, with a list or without. */
export const badParams = (...supported: ReadonlyArray<string>): Happening =>
  refuses(Code.InvalidParams, supported.length === 0 ? undefined : supported)

export const headerMismatch: Happening = refuses(Code.HeaderMismatch)
export const capabilityMissing: Happening = refuses(Code.MissingRequiredClientCapability)
export const methodMissing: Happening = refuses(Code.MethodNotFound)
export const refused: Happening = refuses(-32000)

/** It answers with a result that is none. */
export const garbled: Happening = result({ hello: "world" })

/** HTTP: the response ends with a status and without an answer. */
export const status =
  (code: number, head: Head = {}, body = ""): Happening =>
  (_, state) => ({
    _tag: "Unanswered",
    exchange: state.ledger.exchanges,
    head: responseHead({ ...head, status: code }, code),
    body,
    problem: "there is no answer in it"
  })

/** The deadline of the exchange in flight passes. */
export const silence: Happening = (_, state) => ({
  _tag: "DeadlinePassed",
  of: state.ledger.exchanges,
  waitedMillis: 30_000
})

/** The deadline of the whole negotiation passes. */
export const outOfTime: Happening = () => ({ _tag: "DeadlinePassed", of: "negotiation", waitedMillis: 60_000 })

/** The process exits with code 3. */
export const exits: Happening = () => ({ _tag: "Closed", exitCode: 3, stderr: "panic: unknown method" })

/** The carrier cannot carry. */
export const lost: Happening = () => ({ _tag: "Lost", cause: "The connection was refused." })

/** The silent probe, the first exchange, is answered after all. */
export const late =
  (...versions: ReadonlyArray<string>): Happening =>
  (medium) =>
    arrived(
      success(idOf(medium, 1), { resultType: "complete", supportedVersions: versions, capabilities: { tools: {} } })
    )

/** A message comes that is no answer. */
export const says =
  (message: Message, head: Head = {}): Happening =>
  (medium, state) =>
    over(medium, state, message, head, 200)

/** It asks us for a ping. */
export const ping: Happening = says({ jsonrpc: "2.0", id: "theirs", method: "ping" })

/** It writes a line that is no message. */
export const noise: Happening = () => ({ _tag: "Stray", head: "Server ready", problem: "notJson" })

// ---- what a step shows

/** A state with what decides in it. */
export const stateText = (state: State): string => {
  switch (state._tag) {
    case "Settled":
      return state.named === state.version ? `Settled ${state.version}` : `Settled ${state.version} for ${state.named}`
    case "Failed":
      return `Failed`
    default:
      return `${state._tag} ${state.asked}`
  }
}

/** A command in a few words: `initialize 2 2025-11-25`, `clear negotiation`. */
export const commandText = (command: Command): string => {
  switch (command._tag) {
    case "Open":
    case "Reopen":
      return command._tag.toLowerCase()
    case "StartDeadline":
      return `deadline ${command.of} ${command.millis}`
    case "ClearDeadline":
      return `clear ${command.of}`
    case "SendInitialize":
      return `initialize ${command.exchange} ${command.version}`
    case "SendDiscover":
      return `discover ${command.exchange} ${command.version}`
    case "SendInitialized":
      return `initialized ${command.version}${command.sessionId === undefined ? "" : ` in ${command.sessionId}`}`
    case "DeleteSession":
      return `delete ${command.sessionId} at ${command.version}`
    case "Reply":
      return `reply ${JSON.stringify(command.message.id)} ${"result" in command.message ? "result" : command.message.error.code}${command.sessionId === undefined ? "" : ` in ${command.sessionId}`}`
    case "Keep":
      return `keep ${command.message.method}`
  }
}

/** An error with the facts that tell it from others, and its cause after an arrow. */
export const reasonText = (reason: unknown): string => {
  if (!isReason(reason)) return `not ours: ${String(reason)}`
  const cause = "cause" in reason && reason.cause !== undefined ? ` <- ${reasonText(reason.cause)}` : ""
  return `${ownText(reason)}${cause}`
}

const isReason = (value: unknown): value is NegotiationReason => isObject(value) && "_tag" in value

const ownText = (reason: NegotiationReason): string => {
  switch (reason._tag) {
    case "UnsupportedProtocolVersion":
      if (reason.named !== undefined) return `Unsupported ${reason.requested} named ${reason.named}`
      return `Unsupported ${reason.requested}${reason.supported.length === 0 ? "" : ` listed ${reason.supported.join(" ")}`}`
    case "MethodNotFound":
      return `NotFound ${reason.method}`
    case "Timeout":
      return `Timeout ${reason.phase} ${reason.waitedMillis}`
    case "MalformedInit":
      return `Malformed ${reason.method} ${reason.path}`
    case "InitializeRejected":
      return `Rejected ${reason.method} ${reason.code}`
    case "HeaderMismatch":
      return "Header"
    case "MissingRequiredClientCapability":
      return "Capability"
    case "SessionUnknown":
      return "Session"
    case "Unauthorized":
      return `Unauthorized ${reason.status}`
    case "Busy":
      return `Busy ${reason.status}`
    case "TransportFailure":
      return `Failure ${reason.status ?? reason.exitCode ?? reason.signal ?? "lost"}`
    case "PolicyForbids":
      return `Forbids ${reason.policy}`
  }
}
