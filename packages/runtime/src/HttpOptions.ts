// What an application tells an HTTP client carrier, the same for every one of them: its options, the transport that they
// make, and how its headers and its answer to a 401 are got without ever failing. Nothing is sent from here.
import type { Outgoing } from "@parley/core/client/Outgoing"
import { TransportFailure } from "@parley/core/Errors"
import * as HttpRequest from "@parley/core/HttpRequest"
import { http } from "@parley/core/Medium"
import { head } from "@parley/core/Message"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Channel, Transport } from "./Transport.ts"

/** Header names in any case, and values of printable ASCII. */
export type Headers = { readonly [name: string]: string }

/** The options of every HTTP client carrier. */
export interface HttpOptions {
  /**
   * The address of the MCP endpoint, `http:` or `https:`. Its credentials become a Basic `Authorization` header and are
   * never shown; its query is sent and never shown.
   */
  readonly url: string | URL
  /**
   * Headers for each request. As an Effect it runs anew before each one, so that a token can be fresh; where it fails,
   * the request is not sent and its exchange is `Lost`. An application can add headers and cannot replace the protocol's.
   */
  readonly headers?: Headers | Effect.Effect<Headers, unknown> | undefined
  /**
   * Asked once for a request that was answered with 401. `true` sends it once more, with `headers` made anew; headers
   * send it once more with these on top; `false` and a failure leave it at the 401. Never asked for the second answer.
   */
  readonly onChallenge?: ((challenge: Challenge) => Effect.Effect<boolean | Headers, unknown>) | undefined
  /** The most text that is kept of a body, or of one event of a stream, in UTF-16 code units. Default 16 Mi. */
  readonly limit?: number | undefined
}

/** A refusal that asks for a credential. */
export interface Challenge {
  readonly status: number
  /** The `WWW-Authenticate` header, at most 2,000 characters. */
  readonly challenge?: string
}

/**
 * Returns the transport of an HTTP client carrier from how it opens a channel. Opening fails where the address is none,
 * or where headers that are no Effect cannot be sent; `headers` gives the application's for one request.
 */
export const transportOf = (
  options: HttpOptions,
  open: (to: HttpRequest.Endpoint, headers: Effect.Effect<HttpRequest.Checked>) => Effect.Effect<Channel>
): Transport => {
  const to = HttpRequest.endpoint(options.url)
  const fixed = Effect.isEffect(options.headers) ? undefined : HttpRequest.check(options.headers ?? {})
  const headers = fixed === undefined ? headersOf(options) : Effect.succeed(fixed)
  const problem = !to.ok ? to.problem : fixed?.ok === false ? fixed.problem : undefined
  return {
    medium: http,
    eras: ["legacy", "modern"],
    target: to.ok ? to.target : "(no address)",
    open:
      to.ok && problem === undefined
        ? opening(open(to, headers))
        : Effect.fail(new TransportFailure({ reason: problem ?? "", retryable: false })),
    // It is uninterruptible as well.
    opensAtOnce: true
  }
}

// As Effect.acquireRelease, which looks up the scope and the context once more for each.
const opening = (open: Effect.Effect<Channel>): Effect.Effect<Channel, never, Scope.Scope> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.scope, (scope) =>
      Effect.flatMap(open, (channel) => Effect.as(Scope.addFinalizer(scope, channel.close), channel))
    )
  )

/**
 * Returns how a channel sends, from its headers and from what begins an exchange: at once where the headers are no Effect
 * of the application's.
 */
export const sendingOf = (
  headers: Effect.Effect<HttpRequest.Checked>,
  begin: (outgoing: Outgoing, application: HttpRequest.Checked) => void
): Pick<Channel, "send" | "sendsAtOnce"> => {
  if (!isMade(headers)) {
    return { send: (outgoing) => Effect.map(headers, (application) => begin(outgoing, application)) }
  }
  const { value } = headers
  return { send: (outgoing) => Effect.sync(() => begin(outgoing, value)), sendsAtOnce: true }
}

const isMade = <A>(effect: Effect.Effect<A>): effect is Effect.Effect<A> & Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)

/** Returns the challenge of a response with its status and its `WWW-Authenticate` header. */
export const challengeOf = (status: number, header: string | undefined): Challenge =>
  header === undefined ? { status } : { status, challenge: head(header, 2_000) }

// The application's headers, or why a request cannot have them.
const headersOf = (options: HttpOptions): Effect.Effect<HttpRequest.Checked> => {
  const { headers } = options
  if (!Effect.isEffect(headers)) return Effect.succeed(HttpRequest.check(headers ?? {}))
  return Effect.matchCauseEffect(headers, {
    onFailure: (cause) =>
      Effect.succeed({ ok: false, problem: `The headers of the request could not be made: ${nameOf(cause)}.` }),
    onSuccess: (given) => Effect.succeed(HttpRequest.check(given))
  })
}

/**
 * Returns the headers with which a challenged request is sent once more, or undefined where it is not. The headers of the
 * challenge's answer come on top of the application's, which are made anew.
 */
export const renewed = (options: HttpOptions, challenge: Challenge): Effect.Effect<HttpRequest.Checked | undefined> => {
  const { onChallenge } = options
  if (onChallenge === undefined) return Effect.succeed(undefined)
  return Effect.suspend(() => onChallenge(challenge)).pipe(
    Effect.catchCause(() => Effect.succeed(false)),
    Effect.flatMap((answer) => {
      if (answer === false) return Effect.succeed(undefined)
      const extra = HttpRequest.check(answer === true ? {} : answer)
      if (!extra.ok) return Effect.succeed(extra)
      return Effect.map(headersOf(options), (given) =>
        given.ok ? { ok: true as const, headers: { ...given.headers, ...extra.headers } } : given
      )
    })
  )
}

// The name alone: what else an application's error says may be the credential itself.
const nameOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const name =
    typeof error === "object" && error !== null
      ? "_tag" in error
        ? error._tag
        : "name" in error
          ? error.name
          : ""
      : ""
  return typeof name === "string" && name !== "" ? head(name, 100) : "an error without a name"
}
