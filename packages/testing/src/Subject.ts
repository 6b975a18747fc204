// What the case runner tests, as two interfaces: a client that can be told to connect, a server that can be started.
// Parley's own stand in ParleyClient and ParleyServer; anybody may write another.
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Era } from "@parley/core/Version"
import type { Target } from "./Scripted.ts"

/** A client under test. */
export interface ClientSubject {
  /**
   * Connects to the target under a policy, then calls each method of `calls`. It never fails: a refusal is an outcome.
   * The connection stays open until the scope closes.
   */
  readonly connect: (options: ClientOptions) => Effect.Effect<ClientOutcome, never, Scope.Scope>
}

export interface ClientOptions {
  readonly target: Target
  /** `auto`, `discover-first`, `handshake-only`, `pinned:<revision>`, or whatever else the subject knows. */
  readonly policy: string
  /** How long the whole negotiation, and each exchange of it, may take, in milliseconds. */
  readonly timeoutMs: number
  /** How long a probe on stdio may be silent, in milliseconds. Absent: as the subject does by itself. */
  readonly probeTimeoutMs?: number | undefined
  /** Methods to call once connected, without parameters. */
  readonly calls: ReadonlyArray<string>
}

export type ClientOutcome = Established | Failed

export interface Established {
  readonly outcome: "established"
  readonly era: Era
  readonly version: string
  /** The agreement as data, for `agreementHas`. */
  readonly agreement?: unknown
  /** How each call ended: without an error, or with what was said. */
  readonly calls: ReadonlyArray<{ readonly method: string; readonly error?: string }>
}

export interface Failed {
  readonly outcome: "failed"
  /** The tag of the error's reason, such as `UnsupportedProtocolVersion`. */
  readonly error: string
  readonly message: string
  /** The fields of the reason as data, for `errorHas`. */
  readonly fields?: object | undefined
}

/** A server under test. */
export interface ServerSubject {
  /** Starts a server that the scope ends: a URL that answers, or a command to start for a pipe. */
  readonly serve: (options: ServeOptions) => Effect.Effect<Target, CannotServe, Scope.Scope>
}

export interface ServeOptions {
  readonly eras: ReadonlyArray<Era>
  readonly transport: "stdio" | "http"
  /** Whether legacy sessions over HTTP are issued and required. */
  readonly sessions: boolean
  /** The names of the tools that it offers; undefined: whatever it likes. */
  readonly tools?: ReadonlyArray<string> | undefined
  /** The Origin allow-list; undefined: its default. */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
}

/** The server under test could not be started. */
export interface CannotServe {
  readonly _tag: "CannotServe"
  readonly message: string
}

export const cannotServe = (message: string): CannotServe => ({ _tag: "CannotServe", message })
