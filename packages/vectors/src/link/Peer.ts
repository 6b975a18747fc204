// Servers on the wire, as pure reducers: core's server machine with its ladder, and servers of other makes as people
// meet them. No socket, no process, no clock.
import { isObject, Method, parse, success } from "@parley/core/Message"
import * as Answer from "@parley/core/server/Answer"
import type { Command } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import { complete } from "@parley/core/server/Compiled"
import * as Http from "@parley/core/server/Http"
import * as Pipe from "@parley/core/server/Pipe"
import { toMessage } from "@parley/core/server/Refusal"
import * as Server from "@parley/core/server/Server"
import type { State } from "@parley/core/server/State"
import type { Medium } from "@parley/core/Medium"
import type { Came, Sent } from "./Wire.ts"

/** A server on the wire. `S` is plain data: equal JSON is an equal state. */
export interface Peer<S> {
  readonly name: string
  /** A fresh process, or an HTTP endpoint that nobody has used. */
  readonly begin: () => S
  /** What it becomes and answers on something that was sent to it. */
  readonly hear: (state: S, sent: Sent, medium: Medium) => { readonly state: S; readonly came: ReadonlyArray<Came> }
  /** What it becomes when its pipe is closed from the other side. */
  readonly hangUp: (state: S) => S
}

/** Where Parley's server stands: on a pipe one conversation, over HTTP one for each session. */
export interface Standing {
  readonly pipe: State
  readonly sessions: { readonly [id: string]: State }
  readonly issued: number
}

/** Returns Parley's own server for a profile. */
export const parley = (name: string, compiled: Compiled): Peer<Standing> => ({
  name,
  begin: () => ({ pipe: Server.begin(compiled).state, sessions: {}, issued: 0 }),
  hear: (state, sent, medium) =>
    medium.streams === "shared" ? onPipe(compiled, state, sent) : overHttp(compiled, state, sent),
  hangUp: (state) => ({ ...state, pipe: Server.step(compiled, state.pipe, { _tag: "EndOfInput" }).state })
})

const onPipe = (compiled: Compiled, standing: Standing, sent: Sent): ReturnType<Peer<Standing>["hear"]> => {
  const { commands, state } = Pipe.receive(compiled, standing.pipe, { _tag: "Text", text: sent.text ?? "" }, 0)
  return {
    state: { ...standing, pipe: state },
    came: commands.flatMap((command): ReadonlyArray<Came> => {
      const message = messageOf(compiled, command)
      return message === undefined ? [] : [{ _tag: "Line", text: JSON.stringify(message) }]
    })
  }
}

const overHttp = (compiled: Compiled, standing: Standing, sent: Sent): ReturnType<Peer<Standing>["hear"]> => {
  const head = { method: sent.httpMethod, headers: { host: "localhost", ...sent.headers } }
  const reply = (
    { body, headers, status }: Answer.Answer,
    state: Standing = standing
  ): ReturnType<Peer<Standing>["hear"]> => ({
    state,
    came: [{ _tag: "Answer", exchange: sent.exchange, status, headers, text: body }]
  })
  const refusal = Http.head(compiled, head)
  if (refusal !== undefined) return reply(Answer.refused(compiled, refusal))
  const judged = Http.judge(compiled, head, sent.text === undefined ? undefined : parse(sent.text))
  const sessionId = judged._tag === "NeedsSession" ? judged.sessionId : undefined
  const known = sessionId === undefined ? undefined : standing.sessions[sessionId]
  const done = judged._tag === "Done" ? judged : Http.resume(compiled, judged, known)
  return settleHttp(compiled, standing, done, known === undefined ? undefined : sessionId, reply)
}

const settleHttp = (
  compiled: Compiled,
  standing: Standing,
  done: Http.Done,
  sessionId: string | undefined,
  reply: (answer: Answer.Answer, state?: Standing) => ReturnType<Peer<Standing>["hear"]>
): ReturnType<Peer<Standing>["hear"]> => {
  const issues = compiled.sessions && done.commands.some(({ _tag }) => _tag === "Issue")
  const issued = standing.issued + (issues ? 1 : 0)
  const kept = issues ? `session-${issued}` : sessionId
  const next = kept === undefined ? standing : keeping({ ...standing, issued }, kept, done.state)
  for (const command of done.commands) {
    if (command._tag === "Close") return reply(Answer.deleted, next)
    if (command._tag === "Refuse") return reply(Answer.refused(compiled, command.refusal), next)
    const message = messageOf(compiled, command)
    if (message !== undefined) return reply(Answer.json(message, issues ? kept : undefined), next)
  }
  return reply(Answer.accepted, next)
}

// A session that has ended is forgotten: its id is unknown from then on.
const keeping = (standing: Standing, id: string, state: State): Standing => {
  const { [id]: _, ...others } = standing.sessions
  return { ...standing, sessions: state._tag === "Closed" ? others : { ...others, [id]: state } }
}

const messageOf = (compiled: Compiled, command: Command) => {
  switch (command._tag) {
    case "Reply":
      return success(command.id, command.result)
    case "Refuse":
      return toMessage(command.refusal)
    case "Deliver": {
      const { id, method } = command.request
      const result = method === Method.ToolsList ? { tools: [] } : {}
      return success(id, command.admitted.era === "modern" ? complete(compiled, method, result) : result)
    }
    default:
      return undefined
  }
}

// ---- servers of other makes

const methodIn = (sent: Sent): string | undefined => {
  const parsed = sent.text === undefined ? undefined : parse(sent.text)
  const method = parsed?.ok === true && isObject(parsed.value) ? parsed.value["method"] : undefined
  return typeof method === "string" ? method : undefined
}

/** A server that does not answer what it does not know: `server/discover` meets silence. */
export const deaf = <S>(peer: Peer<S>): Peer<S> => ({
  ...peer,
  name: `${peer.name}, silent on server/discover`,
  hear: (state, sent, medium) =>
    methodIn(sent) === Method.Discover ? { state, came: [] } : peer.hear(state, sent, medium)
})

/** A server whose process ends when its first message is not `initialize`. */
export const frail = (peer: Peer<Standing>): Peer<Standing> => ({
  ...peer,
  name: `${peer.name}, ends on server/discover`,
  hear: (state, sent, medium) =>
    methodIn(sent) === Method.Discover
      ? {
          state: peer.hangUp(state),
          came: [{ _tag: "Exited", exitCode: 1, stderr: "Error: unexpected first message: server/discover" }]
        }
      : peer.hear(state, sent, medium)
})

/** A server that names a modern revision in a handshake, and knows no `server/discover`. */
export const misnaming = (peer: Peer<Standing>, version: string): Peer<Standing> => ({
  ...peer,
  name: `${peer.name}, names ${version} in the handshake`,
  hear: (state, sent, medium) => {
    const heard = peer.hear(state, sent, medium)
    return methodIn(sent) === Method.Initialize
      ? { state: heard.state, came: heard.came.map((came) => renamed(came, version)) }
      : heard
  }
})

const renamed = (came: Came, version: string): Came =>
  came._tag === "Exited" || came.text === undefined
    ? came
    : { ...came, text: came.text.replace(/"protocolVersion":"[^"]*"/, `"protocolVersion":"${version}"`) }

/** A server under load: whatever is asked, it is busy. HTTP only. */
export const busy = (peer: Peer<Standing>): Peer<Standing> => ({
  ...peer,
  name: `${peer.name}, busy`,
  hear: (state, sent) => ({
    state,
    came: [{ _tag: "Answer", exchange: sent.exchange, status: 503, headers: { "retry-after": "2" }, text: undefined }]
  })
})
