// The port: what a carrier must offer. It carries messages and knows no policy.
import type { Era } from "@parley/core/Version"
import type { Medium } from "@parley/core/Medium"
import type { TransportFailure } from "@parley/core/Errors"
import type { Event } from "@parley/core/client/Event"
import type { Outgoing } from "@parley/core/client/Outgoing"
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

/** A way to reach one server. Opening it may be repeated: every retry, and the one reopen of a pipe, opens again. */
export interface Transport {
  readonly medium: Medium
  /** The eras that a client on this transport can live in. A carrier of Parley's own says both. */
  readonly eras: ReadonlyArray<Era>
  /** Who is meant, for spans, logs and memory: an origin and path without credentials and query, or a command. */
  readonly target: string
  /** Opens a channel that the scope closes. Closing leaves no process, socket or timer. */
  readonly open: Effect.Effect<Channel, TransportFailure, Scope.Scope>
  /**
   * Says that `open` never waits, so that no time limit is kept while it runs. Default: it may wait. Whoever wraps `open` in
   * something that waits says false.
   */
  readonly opensAtOnce?: boolean | undefined
}

/** An open way to one server. */
export interface Channel {
  /**
   * Hands a message to the carrier and returns when it took it: a line is written, a request is under way. It never
   * waits for an answer and never fails; what goes wrong arrives as an event (`Lost`, `Closed`).
   */
  readonly send: (outgoing: Outgoing) => Effect.Effect<void>
  /** Says that `send` never waits, so that no time limit is kept while it runs. Default: it may wait. */
  readonly sendsAtOnce?: boolean | undefined
  /** What happens, in order. The queue ends when the channel is closed from this side. */
  readonly events: Queue.Dequeue<Event, Cause.Done>
  /** Stops listening for what belongs to an exchange: over HTTP its stream is closed, on a pipe nothing is done. */
  readonly abandon: (exchange: number) => Effect.Effect<void>
  /** Closes the channel before its scope does. Safe to call twice. */
  readonly close: Effect.Effect<void>
}
