// A session store in memory: bounded, and small for each session. Sessions in which nothing was admitted yet are kept
// apart, so that a flood of openings pushes out openings, not sessions that somebody works in.
import type { Client } from "@parley/core/server/Evidence"
import type { LogLevel } from "@parley/core/server/LogLevel"
import type { Found, Immediate, SessionRecord } from "./Session.ts"

export interface Options {
  /** How many sessions are kept. Default 10,000. */
  readonly capacity?: number | undefined
}

/** How many different clients are remembered, so that their sessions share one copy. */
export const mostClients = 256

/**
 * Returns an empty store. When it is full, a new session takes the place of the one that was not used for the longest
 * time: of those in which nothing was admitted yet if there are any, and never of one that is held. Its client is told
 * 404, and opens again. Only where every session is held there is no room.
 */
export const make = (options?: Options): Immediate => {
  const capacity = Math.max(1, Math.floor(options?.capacity ?? 10_000))
  // The first two in the order of their last use, the oldest first; what is held waits outside of that order.
  const opening: Kept = new Map()
  const serving: Kept = new Map()
  const held: Kept = new Map()
  const clients = new Map<string, Client>()

  const keptIn = (id: string): Kept => (serving.has(id) ? serving : held.has(id) ? held : opening)
  const restingPlace = (session: Session): Kept => (session.initialized || session.admitted ? serving : opening)
  const size = (): number => opening.size + serving.size + held.size

  // Under the id of its own: what a request brought along would keep that request's memory.
  const move = (session: Session, from: Kept, to: Kept): void => {
    from.delete(session.id)
    to.set(session.id, session)
  }

  // Most clients of a server are of a few kinds, and a session should not pay for a copy of its client's own.
  const shared = (client: Client): Client => {
    const key = JSON.stringify([client.info ?? null, client.capabilities])
    const known = clients.get(key)
    if (known !== undefined) return known
    if (clients.size >= mostClients) clients.clear()
    clients.set(key, client)
    return client
  }

  const evict = (): boolean => {
    for (const kept of [opening, serving]) for (const id of kept.keys()) return kept.delete(id)
    return false
  }

  return {
    create: (id, record, now) => {
      if (size() >= capacity && !evict()) return false
      const session = new Session(id, record, shared(record.client), now)
      restingPlace(session).set(id, session)
      return true
    },
    use: (id, now) => {
      const kept = keptIn(id)
      const session = kept.get(id)
      if (session === undefined) return undefined
      const found = session.found(now)
      session.usedAt = now
      if (kept !== held) move(session, kept, kept)
      return found
    },
    update: (id, record) => {
      const kept = keptIn(id)
      const session = kept.get(id)
      if (session === undefined) return
      session.initialized = record.initialized
      session.admitted = record.admitted
      session.logLevel = record.logLevel
      if (kept === opening) move(session, opening, restingPlace(session))
    },
    remove: (id) => {
      keptIn(id).delete(id)
    },
    hold: (id) => {
      const kept = keptIn(id)
      const session = kept.get(id)
      if (session === undefined) return
      session.holds += 1
      if (kept !== held) move(session, kept, held)
    },
    release: (id, now) => {
      const session = held.get(id)
      if (session === undefined) return
      session.holds -= 1
      session.usedAt = now
      if (session.holds === 0) move(session, held, restingPlace(session))
    },
    expire: (now, openingMillis, idleMillis) => ({
      opening: forget(opening, now - openingMillis),
      idle: forget(serving, now - idleMillis)
    }),
    size
  }
}

type Kept = Map<string, Session>

const forget = (kept: Kept, before: number): number => {
  let count = 0
  for (const [id, session] of kept) {
    if (session.usedAt > before) break
    kept.delete(id)
    count += 1
  }
  return count
}

// One small object for each session.
class Session {
  readonly id: string
  readonly version: string
  readonly client: Client
  readonly principal: string | undefined
  readonly createdAt: number
  initialized: boolean
  admitted: boolean
  logLevel: LogLevel | undefined
  usedAt: number
  holds: number

  constructor(id: string, record: SessionRecord, client: Client, now: number) {
    this.id = id
    this.version = record.version
    this.client = client
    this.principal = record.principal
    this.createdAt = record.createdAt
    this.initialized = record.initialized
    this.admitted = record.admitted
    this.logLevel = record.logLevel
    this.usedAt = now
    this.holds = 0
  }

  found(now: number): Found {
    const { admitted, client, createdAt, initialized, logLevel, principal, version } = this
    return {
      record: { version, client, initialized, admitted, logLevel, principal, createdAt },
      idleMillis: now - this.usedAt
    }
  }
}
