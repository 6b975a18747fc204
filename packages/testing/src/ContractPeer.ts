// The far end that the transport contract needs: what a peer must let a check see and do. The checks do not live here,
// and no carrier.
import type { Message } from "@parley/core/Message"
import type { Transport } from "@parley/runtime/Transport"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

/** A transport under test and the peer that it reaches, in the hand of the check. */
export interface Peer {
  readonly transport: Transport
  /** What the peer receives, in order. */
  readonly received: Queue.Dequeue<Received>
  /** Completes when nothing that the transport opened is left at the peer: no process, no unfinished exchange. */
  readonly idle: Effect.Effect<void>
}

/** A message that the peer received, with the way back. */
export interface Received {
  readonly message: Message
  /** HTTP: its headers, names in lower case. Empty on a pipe. */
  readonly headers: { readonly [name: string]: string }
  /** Writes a message where this one came from: a line on the pipe; over HTTP into the response, which an answer ends. */
  readonly say: (message: Message) => Effect.Effect<void>
  /** Writes there what a carrier must not stumble over: a banner on a pipe, comments in a stream. */
  readonly noise: Effect.Effect<void>
  /**
   * Writes notifications (see {@link flooding}) until so many bytes are taken or nothing is taken for half a second.
   */
  readonly flood: (limitBytes: number) => Effect.Effect<Flood>
  /** Ends without an answer: the process exits, the connection breaks. */
  readonly end: Effect.Effect<void>
  /** Completes when the way of this message was closed from the transport's side. Never on a pipe that stays open. */
  readonly gone: Effect.Effect<void>
}

/** How a flood went. */
export interface Flood {
  /** How many notifications were written. Some may still wait at the peer's end. */
  readonly messages: number
  /** Whether it ended because nothing was taken any more, not because all was. */
  readonly isDammed: boolean
}

/** A carrier does not do what a check expects. */
export class ContractBroken extends Data.TaggedError("ContractBroken")<{
  readonly expected: string
  readonly received: unknown
}> {
  override get message(): string {
    const text = JSON.stringify(this.received) ?? String(this.received)
    return `Expected ${this.expected}. Received ${text.length > 500 ? `${text.slice(0, 499)}…` : text}.`
  }
}

/** Makes a peer and a transport to it. The scope is a check's own. */
export type Factory = Effect.Effect<Peer, unknown, Scope.Scope>

/** One thing that a transport owes. The title is a sentence about the transport. */
export interface Check {
  readonly title: string
  readonly run: (peer: Peer) => Effect.Effect<void, unknown, Scope.Scope>
}

/** Returns the nth notification of a flood, counted from 0: about 4 KiB. */
export const flooding = (n: number): Message => ({ jsonrpc: "2.0", method: "flood", params: { n, pad } })

/** How long a peer waits for room before it calls its flood dammed, in milliseconds. */
export const dammedMillis = 500

/** Counts what is open. */
export interface Count {
  readonly add: (change: 1 | -1) => void
  /** Completes when the count is zero, at once if it is. */
  readonly isZero: Effect.Effect<void>
}

/** Makes a count of zero. */
export const makeCount = (): Count => {
  let count = 0
  const waiting = new Set<() => void>()
  return {
    add: (change) => {
      count += change
      if (count !== 0) return
      for (const resume of waiting) resume()
      waiting.clear()
    },
    isZero: Effect.callback<void>((resume) => {
      const done = (): void => resume(Effect.void)
      if (count === 0) done()
      else waiting.add(done)
      return Effect.sync(() => waiting.delete(done))
    })
  }
}

const pad = "x".repeat(4000)
