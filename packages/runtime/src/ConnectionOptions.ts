// What a connection is given.
import type { ErrorObject, JsonObject, Request } from "@parley/core/Message"
import type * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import type { Shape as Memory } from "./memory/Memory.ts"
import type * as Negotiation from "./Negotiation.ts"
import type { Changing } from "./Readiness.ts"
import type { Retryable } from "./Retry.ts"

/** What a connection is given. */
export interface Options extends Negotiation.Options {
  /**
   * Answers what the server asks of the client (sampling, elicitation, roots): a request of a legacy server, or an entry
   * of `inputRequests` in the modern era, after which the call is repeated with the answers. Without it, legacy requests
   * are refused with -32601 and a modern `input_required` result is handed to the caller. Pings are always answered.
   */
  readonly onRequest?: ((request: Request) => Effect.Effect<JsonObject, ErrorObject>) | undefined
  /** How long a request may take where it says nothing else, in milliseconds. Default 60,000; Infinity waits for ever. */
  readonly requestMillis?: number | undefined
  /** What a 404 to a request of a session leads to. Default `renegotiate`: one new session, and the request once more. */
  readonly onLostSession?: "renegotiate" | "fail" | undefined
  /** Kinds of result beyond `complete` and `input_required`, from extensions that both sides declared. */
  readonly resultTypes?: ReadonlyArray<string> | undefined
  /**
   * What servers spoke before, as from the EraMemory service: a fresh verdict connects without an exchange. If the first
   * request shows that it was wrong, it is dropped and the connection negotiates; the request is sent once more only
   * where it was certainly not executed and another revision was agreed on. Default: nothing is remembered.
   */
  readonly memory?: Memory | undefined
  /** On whose behalf it is remembered; see `EraMemory.Key`. Default "". */
  readonly principal?: string | undefined
  /**
   * When a channel that was lost as a whole, such as a process that exited, is opened again: negotiated anew at once, and
   * after a failure by this schedule (one of `Retry`, for example). A channel that is lost within 10 s counts as a failure.
   * What was under way fails with a retryable error; later requests wait, within their own time; notifications that were
   * lost are not sent again. Default: never, and every later request fails.
   */
  readonly reopen?: Schedule.Schedule<unknown, Retryable> | undefined
  /** Shows how the connection stands, from the opening on: made by `Readiness.make`. Default: one of its own. */
  readonly readiness?: Changing | undefined
}
