// The door for those who do not use Effect: the same functions as plain promises, with an AbortSignal, and errors that are
// instanceof Error and carry `_tag`. Nothing is decided here.
import type { Agreement } from "@parley/core/Agreement"
import * as Policy from "@parley/core/client/Policy"
import type { Implementation } from "@parley/core/Envelope"
import type { ErrorObject, JsonObject, Notification, Params, Request } from "@parley/core/Message"
import { Code, head } from "@parley/core/Message"
import * as RuntimeConnection from "@parley/runtime/Connection"
import type * as Negotiation from "@parley/runtime/Negotiation"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Sdk from "./sdk.ts"
import { type Target, transportOf } from "./Target.ts"

export { detect, wrap } from "./sdk.ts"
export type { Target } from "./Target.ts"
export type { SdkClient, SdkTransport, Source } from "./SdkTransport.ts"

/** The signal was aborted. `cause` is its reason. */
export class AbortError extends Data.TaggedError("AbortError")<{ readonly cause: unknown }> {
  override get message(): string {
    return "It was aborted by its signal."
  }
}

/** What every function here may be told. */
export interface Common {
  /**
   * A policy, or a configuration value that `Policy.fromSetting` reads; one that it does not understand means `auto` and
   * is told by `process.emitWarning`. Default `auto`.
   */
  readonly policy?: Policy.Policy | string | undefined
  /** Gives up what is under way: no process, socket or timer is left. */
  readonly signal?: AbortSignal | undefined
}

/** What a negotiation is given. */
export interface NegotiateOptions extends Common {
  readonly target: Target
  readonly client: Implementation & { readonly capabilities?: JsonObject }
}

/** What a connection is given. */
export interface ConnectOptions extends NegotiateOptions {
  /**
   * Answers what the server asks of the client. Without it such requests are refused. What it throws is a refusal: a
   * numeric `code` and a `message` are told to the server.
   */
  readonly onRequest?: ((request: Request) => Promise<JsonObject> | JsonObject) | undefined
  /** How long a request may take, in milliseconds. Default 60,000. */
  readonly requestMillis?: number | undefined
}

/** An open connection, the same in both eras. Ends with `close`, or with `await using`. */
export interface Connection extends AsyncDisposable {
  /** What was agreed. Read it each time: a lost session that is opened anew is a new agreement. */
  readonly agreement: Agreement
  /** Calls a method. Rejects with a RequestError, or with an AbortError once the server was told. */
  readonly request: (method: string, params?: Params, options?: RequestOptions) => Promise<JsonObject>
  readonly notify: (method: string, params?: Params) => Promise<void>
  /** What the server says by itself, until the connection ends. At most 1,024 are kept, the newest. */
  readonly incoming: () => AsyncIterable<Notification>
  readonly close: () => Promise<void>
}

/** What a single request may say. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly millis?: number
  readonly onProgress?: (progress: Params) => void
}

/**
 * Finds out what a server speaks, and leaves nothing open. Resolves with the agreement, or rejects with a NegotiationError
 * (`_tag`, `reason._tag`, `trace`) or an AbortError.
 */
export const negotiate = (options: NegotiateOptions): Promise<Agreement> =>
  run(
    Effect.scoped(Effect.map(RuntimeConnection.connect(negotiationOf(options)), ({ agreement }) => agreement)),
    options.signal
  )

/** Negotiates, and resolves with a connection. Rejects as {@link negotiate} does. */
export const connect = async (options: ConnectOptions): Promise<Connection> => {
  const { onRequest, requestMillis } = options
  const connecting = RuntimeConnection.connect({
    ...negotiationOf(options),
    requestMillis,
    onRequest: onRequest === undefined ? undefined : (request) => asked(onRequest, request)
  })
  const { close, value } = await held(connecting, options.signal)
  return {
    get agreement() {
      return value.agreement
    },
    request: (method, params, { signal, ...rest } = {}) => run(value.request(method, params, rest), signal),
    notify: (method, params) => run(value.notify(method, params)),
    incoming: () => notificationsOf(value),
    close,
    [Symbol.asyncDispose]: close
  }
}

/**
 * Connects a client of the official SDK over its own transport, as `Sdk.connect` does. The client is closed by its own
 * `close`. Rejects with a NegotiationError or an AbortError; the client is closed then.
 */
export const connectSdk = async (
  client: Sdk.SdkClient,
  transport: Sdk.Source,
  options: Omit<Sdk.ConnectOptions, "policy"> & Common = {}
): Promise<Sdk.Connected> => {
  const { policy, signal, ...rest } = options
  const { value } = await held(Sdk.connect(client, transport, { ...rest, policy: policyOf(policy) }), signal)
  return value
}

const negotiationOf = ({ client, policy, target }: NegotiateOptions): Negotiation.Options => {
  const { capabilities = {}, ...info } = client
  return {
    transport: transportOf(target),
    policy: policyOf(policy),
    client: { info: { ...info, name: client.name, version: client.version }, capabilities }
  }
}

const policyOf = (given: Policy.Policy | string | undefined): Policy.Policy | undefined => {
  if (typeof given !== "string") return given
  const { policy, warning } = Policy.fromSetting(given)
  if (warning !== undefined) process.emitWarning(warning, "ParleyWarning")
  return policy
}

// What is opened lives in a scope of its own until it is closed.
const held = async <A, E>(
  effect: Effect.Effect<A, E, Scope.Scope>,
  signal: AbortSignal | undefined
): Promise<{ readonly value: A; readonly close: () => Promise<void> }> => {
  const scope = Scope.makeUnsafe()
  const close = (): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    return { value: await run(Scope.provide(effect, scope), signal), close }
  } catch (error) {
    await close()
    throw error
  }
}

// Effect logs to standard output, which is not ours here. What it would warn of is in `agreement.warnings`.
const run = async <A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
  const quiet = Effect.provideService(effect, References.MinimumLogLevel, "Error")
  const exit = await Effect.runPromiseExit(quiet, signal === undefined ? undefined : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause)) throw new AbortError({ cause: signal.reason })
  throw Cause.squash(exit.cause)
}

const asked = (
  onRequest: (request: Request) => Promise<JsonObject> | JsonObject,
  request: Request
): Effect.Effect<JsonObject, ErrorObject> =>
  Effect.tryPromise({ try: async () => onRequest(request), catch: refusalOf })

const refusalOf = (error: unknown): ErrorObject => {
  const message = error instanceof Error ? head(error.message, 500) : "The client cannot answer this."
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return { code: typeof code === "number" && Number.isInteger(code) ? code : Code.InternalError, message }
}

async function* notificationsOf(connection: RuntimeConnection.Shape): AsyncGenerator<Notification> {
  const queue = await Effect.runPromise(connection.incoming)
  for (;;) {
    const exit = await Effect.runPromiseExit(Queue.take(queue))
    if (Exit.isFailure(exit)) return
    yield exit.value
  }
}
