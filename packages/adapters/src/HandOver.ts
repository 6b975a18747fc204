// The transport that a client of the official SDK is connected to. It lets the client write its opening, has Parley
// negotiate on the client's own transport instead, answers the opening from what was agreed, and is then out of the way.
// How to negotiate is the caller's; what an error of the transport means is SdkFailure's.
import type { Agreement } from "@parley/core/Agreement"
import { NegotiationError } from "@parley/core/Errors"
import { Code, failure as errorResponse, isObject, Method, success } from "@parley/core/Message"
import type * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Handed, refusedDiscover, refusedHandshake } from "./Handed.ts"
import type { Opening } from "./SdkOpening.ts"
import * as SdkOpening from "./SdkOpening.ts"
import type { Port, Receiver } from "./SdkPort.ts"
import type { SdkTransport } from "./SdkTransport.ts"

/** A transport of the SDK, with what was agreed on it. */
export interface HandOver extends SdkTransport {
  /** What was agreed, once it was. Undefined before, and for a session that was resumed. */
  readonly agreement: Agreement | undefined
  /** Why there is no agreement, or the client does not take it, once that is so. */
  readonly failure: NegotiationError | undefined
  /** Whether the client has written its opening. */
  readonly hasOpened: boolean
  /** The client's own transport, as it is in use. */
  readonly inner: SdkTransport
  readonly hasPerRequestStream: boolean
  readonly setProtocolVersion: (version: string) => void
  readonly terminateSession: () => Promise<void>
}

/** What a hand-over is given. */
export interface Options {
  readonly port: Port
  /** Negotiates for an opening; `supported` is the list that 2.x hands to its transport. */
  readonly negotiate: (
    opening: Opening,
    supported: ReadonlyArray<string> | undefined
  ) => Effect.Effect<Handed, NegotiationError, Scope.Scope>
  readonly run: Run
  /**
   * Takes an agreement of the modern era that a handshake cannot be answered with, and the scope that keeps it open. The
   * client's `connect` fails then, and is to be called once more with what was handed over.
   */
  readonly adopt?: ((handed: Handed, scope: Scope.Closeable) => void) | undefined
}

/** Runs an effect; the signal interrupts it. */
export type Run = <A, E>(
  effect: Effect.Effect<A, E>,
  options?: { readonly signal?: AbortSignal }
) => Promise<Exit.Exit<A, E>>

/** Returns a hand-over that awaits the client's opening. */
export const make = (options: Options): HandOver => build(options, Scope.makeUnsafe(), undefined)

/** Returns a hand-over of what was agreed before, for a client that adopts it and writes no opening. */
export const ready = (options: Options, handed: Handed, scope: Scope.Closeable): HandOver =>
  build(options, scope, handed)

type Phase = Waiting | Negotiating | Replaying | Open | Adopted | Ended

interface Waiting {
  readonly _tag: "Waiting"
}
interface Negotiating {
  readonly _tag: "Negotiating"
  readonly abort: AbortController
  readonly done: Promise<Exit.Exit<Handed, NegotiationError>>
}
/** The answer is the client's; what comes meanwhile is held until the client is through its own opening. */
interface Replaying {
  readonly _tag: "Replaying"
  readonly handed: Handed
  readonly awaits: "initialize" | "initialized" | "version"
  readonly held: Array<readonly [message: unknown, extra: unknown]>
}
interface Open {
  readonly _tag: "Open"
  readonly inner: SdkTransport
}
/** Another hand-over has it. */
interface Adopted {
  readonly _tag: "Adopted"
}
interface Ended {
  readonly _tag: "Ended"
}

const build = (options: Options, scope: Scope.Closeable, given: Handed | undefined): HandOver => {
  const { port, run } = options
  let phase: Phase = { _tag: "Waiting" }
  let latest: Opening | undefined
  let supported: ReadonlyArray<string> | undefined
  let agreement: Agreement | undefined
  let failure: NegotiationError | undefined
  let version: string | undefined
  let isStarted = false
  let isClosed = false
  let ownsScope = true

  const inner = (): SdkTransport => (phase._tag === "Open" ? phase.inner : (port.opened()?.inner ?? port.first))

  const receiver: Receiver = {
    onMessage: (message, extra) => {
      if (phase._tag !== "Replaying") return handOver.onmessage?.(message, extra)
      phase.held.push([message, extra])
      if (phase.held.length >= mostHeld) release(phase)
    },
    onError: (error) => handOver.onerror?.(error),
    onClose: () => closed()
  }

  const replay = (handed: Handed, awaits: Replaying["awaits"]): Replaying => {
    const replaying: Replaying = { _tag: "Replaying", handed, awaits, held: [] }
    phase = replaying
    agreement = handed.agreement
    handed.opened.handOver(receiver, handed.backlog)
    return replaying
  }

  const release = ({ handed, held }: Replaying): void => {
    phase = { _tag: "Open", inner: handed.opened.inner }
    for (const [message, extra] of held) handOver.onmessage?.(message, extra)
  }

  const begin = (opening: Opening): Negotiating => {
    const abort = new AbortController()
    const negotiating = Scope.provide(options.negotiate(opening, supported), scope)
    return { _tag: "Negotiating", abort, done: run(negotiating, { signal: abort.signal }) }
  }

  // A probe of 2.x may give up before Parley does and write `initialize` instead: the latest opening is answered.
  const open = async (opening: Opening, negotiating: Negotiating): Promise<void> => {
    latest = opening
    phase = negotiating
    const exit = await negotiating.done
    if (latest !== opening) return
    if (Exit.isFailure(exit)) throw refusal(exit.cause)
    answer(opening, exit.value)
  }

  const refusal = (cause: Cause.Cause<NegotiationError>): unknown => {
    phase = { _tag: "Ended" }
    if (Cause.hasInterruptsOnly(cause)) return new Error(closedWords)
    const error = Cause.squash(cause)
    if (!(error instanceof NegotiationError)) return error
    failure = error
    // Applications finish an authorization where their SDK's own error tells them to.
    return error.reason._tag === "Unauthorized" ? (port.opened()?.authorization() ?? error) : error
  }

  const answer = (opening: Opening, handed: Handed): void => {
    const { era } = handed.agreement
    if (opening.method === Method.Discover) {
      replay(handed, era === "modern" ? "version" : "initialize")
      return handOver.onmessage?.(
        era === "modern" ? success(opening.id, handed.answer) : errorResponse(opening.id, notDiscovered)
      )
    }
    if (era === "legacy") {
      replay(handed, "initialized")
      return handOver.onmessage?.(success(opening.id, handed.answer))
    }
    ownsScope = false
    phase = { _tag: "Adopted" }
    options.adopt?.(handed, scope)
    throw new Error("The server speaks the modern era, which no answer to initialize can say.")
  }

  const replaying = async (current: Replaying, message: unknown, sendOptions: unknown): Promise<void> => {
    const opening = SdkOpening.read(message)
    if (opening?.method === Method.Initialize) {
      if (current.awaits === "version") {
        failure = refusedDiscover(current.handed.agreement)
        throw failure
      }
      phase = { ...current, awaits: "initialized" }
      return handOver.onmessage?.(success(opening.id, current.handed.answer))
    }
    // Parley has sent it already.
    const initialized = isObject(message) && message["method"] === Method.Initialized
    if (initialized || current.awaits === "version") release(current)
    return initialized ? undefined : current.handed.opened.inner.send(message, sendOptions)
  }

  const bypass = async (): Promise<SdkTransport> => {
    phase = { _tag: "Open", inner: port.first }
    await port.bypass(receiver)
    if (version !== undefined) port.first.setProtocolVersion?.(version)
    return port.first
  }

  const closed = (): void => {
    if (isClosed) return
    isClosed = true
    if (ownsScope) void run(Scope.close(scope, Exit.void))
    if (phase._tag === "Replaying" && phase.awaits === "initialize")
      failure = refusedHandshake(phase.handed.agreement, latest?.offered ?? "")
    phase = { _tag: "Ended" }
    handOver.onclose?.()
  }

  const handOver: HandOver = {
    async start() {
      if (isStarted) throw new Error("The transport was started before: connect() starts it.")
      isStarted = true
      if (given !== undefined) replay(given, "version")
      // A session that is resumed has been opened before: there is nothing to negotiate.
      else if (port.first.sessionId !== undefined) await bypass()
    },
    async send(message, sendOptions) {
      switch (phase._tag) {
        case "Open":
          return phase.inner.send(message, sendOptions)
        case "Replaying":
          return replaying(phase, message, sendOptions)
        case "Waiting": {
          const opening = SdkOpening.read(message)
          if (opening !== undefined) return open(opening, begin(opening))
          return (await bypass()).send(message, sendOptions)
        }
        case "Negotiating": {
          const opening = SdkOpening.read(message)
          if (opening !== undefined) return open(opening, phase)
          // Of what an SDK writes meanwhile only the cancellation of its own opening is known: its `close` follows.
          if (isObject(message) && message["method"] === Method.Cancelled) return phase.abort.abort()
          throw new Error("The connection is still being negotiated.")
        }
        default:
          throw new Error(closedWords)
      }
    },
    async close() {
      if (phase._tag === "Negotiating") {
        phase.abort.abort()
        await phase.done
      }
      if (phase._tag === "Open" && port.opened() === undefined) await port.first.close()
      // What was adopted lives on, and this end of it is over before the client's `connect` has failed.
      if (ownsScope) await run(Scope.close(scope, Exit.void))
      closed()
    },
    get sessionId() {
      return phase._tag === "Replaying" || phase._tag === "Open" ? inner().sessionId : undefined
    },
    setProtocolVersion(agreed) {
      version = agreed
      if (phase._tag !== "Replaying" && phase._tag !== "Open") return
      inner().setProtocolVersion?.(agreed)
      if (phase._tag === "Replaying" && phase.awaits === "version") release(phase)
    },
    setSupportedProtocolVersions(versions) {
      supported = versions
    },
    get hasPerRequestStream() {
      return inner().hasPerRequestStream === true
    },
    async terminateSession() {
      await inner().terminateSession?.()
    },
    get agreement() {
      return agreement
    },
    get failure() {
      return failure
    },
    get hasOpened() {
      return latest !== undefined
    },
    get inner() {
      return inner()
    }
  }
  return port.carrier === "stdio" ? asStdio(handOver) : handOver
}

// 2.x knows a child process by these, and applications read them.
const asStdio = (handOver: HandOver): HandOver =>
  Object.defineProperties(handOver, {
    stderr: { get: (): unknown => Reflect.get(handOver.inner, "stderr") },
    pid: { get: (): unknown => Reflect.get(handOver.inner, "pid") }
  })

const notDiscovered = { code: Code.MethodNotFound, message: "The server speaks the handshake." }
const closedWords = "The connection is closed."
const mostHeld = 1024
