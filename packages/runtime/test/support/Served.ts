// Connections to peers that serve one method as a test says, in either era, over either medium.
import * as Medium from "@parley/core/Medium"
import * as Policy from "@parley/core/client/Policy"
import type { Era } from "@parley/core/Version"
import * as Connection from "@parley/runtime/Connection"
import { Effect } from "effect"
import * as Peer from "./Peer.ts"

/** An era over a medium. */
export interface Place {
  readonly era: Era
  readonly medium: Medium.Medium
  readonly title: string
}

/** All four. */
export const places: ReadonlyArray<Place> = (["legacy", "modern"] as const).flatMap((era) =>
  [Medium.stdio, Medium.http].map((medium) => ({ era, medium, title: `${era} over ${medium.name}` }))
)

const place = (title: string): Place => {
  const found = places.find((one) => one.title === title)
  if (found === undefined) throw new Error(`no place ${title}`)
  return found
}

export const legacyStdio = place("legacy over stdio")
export const legacyHttp = place("legacy over http")
export const modernStdio = place("modern over stdio")
export const modernHttp = place("modern over http")

export type Answers = Parameters<typeof Peer.table>[0]

/** What opens a conversation in an era, and what stands around it. Legacy HTTP issues the session `s1`, then `s2`, … */
export const opening = (era: Era): Answers => {
  let sessions = 0
  return era === "modern"
    ? { "server/discover": Peer.discover() }
    : {
        initialize: (turn) => Peer.initialize(undefined, { sessionId: `s${(sessions += 1)}` })(turn),
        "notifications/initialized": Peer.accept,
        "notifications/cancelled": Peer.accept,
        result: Peer.accept,
        error: Peer.accept,
        DELETE: Peer.accept,
        GET: (turn) => turn.status(405)
      }
}

/** Returns a peer of a place that serves also this. */
export const peer = ({ era, medium }: Place, answers: Answers, options?: Peer.Options): Peer.Peer =>
  Peer.make(medium, Peer.table({ ...opening(era), ...answers }), options)

/** Connects to a peer of a place. */
export const connect = (to: Peer.Peer, { era }: Place, options: Partial<Connection.Options> = {}) =>
  Connection.connect({
    transport: to.transport,
    client: Peer.client,
    policy: era === "modern" ? Policy.discoverFirst : Policy.auto,
    ...options
  })

/** Connects to a fresh peer of a place that serves also this. */
export const connected = (at: Place, answers: Answers, options: Partial<Connection.Options> = {}) =>
  Effect.gen(function* () {
    const to = peer(at, answers)
    return { peer: to, connection: yield* connect(to, at, options) }
  })
