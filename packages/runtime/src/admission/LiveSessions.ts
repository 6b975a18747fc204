// The legacy HTTP sessions of a server: looked up, judged by their deadlines, bound to their principal, and what is under
// way in those that are in use.
import type { LogLevel } from "@parley/core/server/LogLevel"
import { timedOut } from "@parley/core/server/Grounds"
import * as Server from "@parley/core/server/Server"
import type { Opening, State } from "@parley/core/server/State"
import type { Conversation } from "./Conversation.ts"
import * as Conversations from "./Conversation.ts"
import type { Host } from "./Host.ts"
import type { Running } from "./Running.ts"
import type { Found, SessionRecord } from "./Session.ts"
import { standing, stateOf } from "./Session.ts"
import type { Failed, SessionAccess } from "./SessionAccess.ts"
import * as SessionId from "./SessionId.ts"

/** A session as it was found. */
export interface Session {
  readonly id: string
  readonly record: SessionRecord
  readonly state: State
}

/** What is under way in a session. */
export interface Live {
  readonly conversation: Conversation
  /** What speaks on the stream that a GET opened: the latest one. */
  stream: Running | undefined
  /** How many things are under way. */
  holds: number
}

export interface LiveSessions {
  /** Finds a session of a principal. Undefined: not known, ended by its deadline just now, or somebody else's. */
  readonly find: (
    id: string,
    principal: string | undefined,
    then: (session: Session | undefined) => void,
    failed: Failed
  ) => void
  /** Keeps a new session, and gives its id. */
  readonly open: (
    opening: Opening,
    principal: string | undefined,
    then: (sessionId: string) => void,
    failed: Failed
  ) => void
  /** Keeps where a session stands now, if that differs from before. */
  readonly move: (session: Session, state: State, then: () => void, failed: Failed) => void
  /** Keeps the log level that the client asked for. */
  readonly setLogLevel: (session: Session, level: LogLevel, then: () => void, failed: Failed) => void
  /** Ends a session: its stream and the questions in it end; what is being served in it is still answered. */
  readonly remove: (sessionId: string, then: () => void, failed: Failed) => void
  /** What is under way in a session, or undefined where nothing is. */
  readonly live: (sessionId: string) => Live | undefined
  /** Something begins in a session; {@link LiveSessions.release} ends it. */
  readonly hold: (session: Session) => Live
  readonly release: (sessionId: string) => void
}

export const make = (host: Host, access: SessionAccess): LiveSessions => {
  const { openingMillis, idleMillis } = host.compiled.profile.deadlines
  const lives = new Map<string, Live>()

  /** Returns whether a session that was found has ended by a deadline: the machine says so. */
  const ended = (id: string, { record, idleMillis: waitedMillis }: Found): boolean => {
    const opening = !record.initialized && !record.admitted
    if (waitedMillis < (opening ? openingMillis : idleMillis)) return false
    const live = lives.get(id)
    const unanswered = live === undefined ? 0 : live.holds
    const step = Server.step(host.compiled, stateOf(record), {
      _tag: "DeadlinePassed",
      of: opening ? "opening" : "idle",
      waitedMillis,
      unanswered
    })
    for (const command of step.commands) {
      if (command._tag === "Close" && command.refusal !== undefined) host.refused(command.refusal)
    }
    return step.state._tag === "Closed"
  }

  const sweep = (): void => {
    const { opening, idle } = access.expire(openingMillis, idleMillis)
    for (let count = 0; count < opening; count++) host.refused(timedOut("initialized", openingMillis))
    for (let count = 0; count < idle; count++) host.refused(timedOut("idle", idleMillis))
  }

  const close = (id: string): void => {
    const live = lives.get(id)
    live?.conversation.close()
    live?.stream?.cancel()
  }

  return {
    find: (id, principal, then, failed) =>
      access.use(
        id,
        (found) => {
          if (found === undefined || found.record.principal !== principal) return then(undefined)
          if (ended(id, found)) {
            close(id)
            return access.remove(id, () => then(undefined), failed)
          }
          return then({ id, record: found.record, state: stateOf(found.record) })
        },
        failed
      ),
    open: ({ version, client }, principal, then, failed) => {
      sweep()
      const id = SessionId.make()
      const createdAt = host.clock.currentTimeMillisUnsafe()
      const record = { version, client, initialized: false, admitted: false, logLevel: undefined, principal, createdAt }
      access.create(id, record, () => then(id), failed)
    },
    move: ({ id, record }, state, then, failed) => {
      const next = standing(record, state)
      if (next === record) then()
      else access.update(id, next, then, failed)
    },
    setLogLevel: ({ id, record, state }, logLevel, then, failed) => {
      const live = lives.get(id)
      if (live !== undefined) live.conversation.logLevel = logLevel
      access.update(id, { ...standing(record, state), logLevel }, then, failed)
    },
    remove: (id, then, failed) => {
      close(id)
      access.remove(id, then, failed)
    },
    live: (id) => lives.get(id),
    hold: ({ id, record }) => {
      let live = lives.get(id)
      if (live === undefined) {
        live = { conversation: Conversations.make(record.logLevel), stream: undefined, holds: 0 }
        lives.set(id, live)
        access.hold(id)
      }
      live.holds += 1
      return live
    },
    release: (id) => {
      const live = lives.get(id)
      if (live === undefined) return
      live.holds -= 1
      if (live.holds > 0) return
      lives.delete(id)
      access.release(id)
    }
  }
}
