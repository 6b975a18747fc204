// Codecs of every error: they decode to real instances of the classes of Errors. `cause` is kept where it is one of ours;
// any other is left out, since nothing is known of it that could be sent.
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Errors from "../Errors.ts"
import type { Same } from "./Exact.ts"
import { exactly } from "./Exact.ts"
import { Json, JsonObject } from "./Message.ts"
import { TraceEntry } from "./Trace.ts"

/** Any error of ours: what is kept as a cause. */
export type AnyError =
  | Errors.NegotiationReason
  | Errors.AdmissionReason
  | Errors.RequestReason
  | Errors.NegotiationError
  | Errors.AdmissionError
  | Errors.RequestError

type Fields = Schema.Struct.Fields
type Drift<Found, Wanted> =
  Same<Found, Wanted> extends true ? unknown : { readonly "the fields are not those of the class": [Found, Wanted] }
type Encoded<Tag extends string, F extends Fields> = Schema.Struct.Encoded<F> & { readonly _tag: Tag }
interface Tagged {
  readonly _tag: string
}

/** Returns the codec of a class, from its fields. It compiles only where they are the ones that the class is made of. */
const of = <E extends Tagged, P, const F extends Fields>(
  Class: new (fields: P) => E,
  tag: E["_tag"],
  fields: F & Drift<Schema.Struct.Type<F>, P>
): Schema.Codec<E, Encoded<E["_tag"], F>> => codecOf(Class, tag, fields)

/** As {@link of}, for a class that also keeps a cause. */
const caused = <E extends Tagged, P, const F extends Fields>(
  Class: new (fields: P) => E,
  tag: E["_tag"],
  fields: F & Drift<Schema.Struct.Type<F> & { readonly cause?: unknown }, P>
): Schema.Codec<E, Encoded<E["_tag"], F> & { readonly cause?: unknown }> =>
  codecOf(Class, tag, { ...fields, cause: Schema.optionalKey(Cause) })

const codecOf = <E extends Tagged, P, Wire>(
  Class: new (fields: P) => E,
  tag: string,
  fields: Fields
): Schema.Codec<E, Wire> => {
  const keys = Object.keys(fields)
  const wire = Schema.Struct({ _tag: Schema.tag(tag), ...fields })
  const transformation = {
    // `of` and `caused` have proven that the fields are those of the class.
    decode: SchemaGetter.transform(({ _tag, ...rest }: typeof wire.Type) => new Class(rest as P)),
    encode: SchemaGetter.transform((error: E) => pick(error, tag, keys) as typeof wire.Type)
  }
  const instance = Schema.instanceOf(Class, {
    expected: tag,
    toCodecJson: () => Schema.link<E>()(wire, transformation)
  })
  // As above: what is on the wire is what the fields say.
  return wire.pipe(Schema.decodeTo(instance, transformation)) as unknown as Schema.Codec<E, Wire>
}

const pick = (error: object, tag: string, keys: ReadonlyArray<string>): { readonly [key: string]: unknown } => {
  const picked: { [key: string]: unknown } = { _tag: tag }
  // An error's cause is not enumerable.
  for (const key of keys) {
    const value: unknown = Reflect.get(error, key)
    if (value !== undefined && (key !== "cause" || isOurs(value))) picked[key] = value
  }
  return picked
}

const isOurs = (value: unknown): boolean => Schema.is(AnyError)(value)
const Cause: Schema.Codec<AnyError, unknown> = Schema.suspend((): Schema.Codec<AnyError, unknown> => AnyError)

const optional = Schema.optionalKey
const text = Schema.String
const number = Schema.Finite
const Phase = exactly<Errors.Phase>()(
  Schema.Literals(["initialize", "server/discover", "negotiation", "opening", "initialized", "idle", "request"])
)

/** Codec of the error of this name. */
export const UnsupportedProtocolVersion = caused(Errors.UnsupportedProtocolVersion, "UnsupportedProtocolVersion", {
  requested: text,
  supported: Schema.Array(text),
  named: optional(text),
  detail: optional(text)
})
/** Codec of the error of this name. */
export const MethodNotFound = caused(Errors.MethodNotFound, "MethodNotFound", { method: text })
/** Codec of the error of this name. */
export const Timeout = of(Errors.Timeout, "Timeout", {
  phase: Phase,
  during: optional(Schema.Literals(["initialize", "server/discover"])),
  waitedMillis: number
})
/** Codec of the error of this name. */
export const MalformedInit = of(Errors.MalformedInit, "MalformedInit", { method: text, path: text, problem: text })
/** Codec of the error of this name. */
export const MissingInit = of(Errors.MissingInit, "MissingInit", { method: text })
/** Codec of the error of this name. */
export const InitializeRejected = caused(Errors.InitializeRejected, "InitializeRejected", {
  method: text,
  code: number,
  serverMessage: text,
  data: optional(Json)
})
/** Codec of the error of this name. */
export const HeaderMismatch = caused(Errors.HeaderMismatch, "HeaderMismatch", {
  header: text,
  expected: text,
  received: text
})
/** Codec of the error of this name. */
export const MissingRequiredClientCapability = caused(
  Errors.MissingRequiredClientCapability,
  "MissingRequiredClientCapability",
  { requiredCapabilities: JsonObject }
)
/** Codec of the error of this name. */
export const InvalidEnvelope = of(Errors.InvalidEnvelope, "InvalidEnvelope", { key: text, problem: text })
/** Codec of the error of this name. */
export const InvalidMessage = of(Errors.InvalidMessage, "InvalidMessage", { code: number, problem: text })
/** Codec of the error of this name. */
export const SessionUnknown = of(Errors.SessionUnknown, "SessionUnknown", {
  problem: Schema.Literals(["missing", "unknown"])
})
/** Codec of the error of this name. */
export const OriginRefused = of(Errors.OriginRefused, "OriginRefused", {
  header: Schema.Literals(["Origin", "Host"]),
  received: text
})
/** Codec of the error of this name. */
export const PayloadTooLarge = of(Errors.PayloadTooLarge, "PayloadTooLarge", { limitBytes: number })
/** Codec of the error of this name. */
export const Unauthorized = of(Errors.Unauthorized, "Unauthorized", { status: number, challenge: optional(text) })
/** Codec of the error of this name. */
export const Busy = of(Errors.Busy, "Busy", { status: number, retryAfterMillis: optional(number) })
/** Codec of the error of this name. */
export const TransportFailure = caused(Errors.TransportFailure, "TransportFailure", {
  reason: text,
  status: optional(number),
  head: optional(text),
  exitCode: optional(number),
  signal: optional(text),
  stderr: optional(text),
  retryable: Schema.Boolean
})
/** Codec of the error of this name. */
export const PolicyForbids = of(Errors.PolicyForbids, "PolicyForbids", { policy: text, what: text })
/** Codec of the error of this name. */
export const ErrorResponse = of(Errors.ErrorResponse, "ErrorResponse", {
  method: text,
  code: number,
  serverMessage: text,
  data: optional(Json),
  status: optional(number)
})
/** Codec of the error of this name. */
export const MalformedResult = of(Errors.MalformedResult, "MalformedResult", {
  method: text,
  path: text,
  problem: text
})

/** Why a client's opening failed. */
export const NegotiationReason = exactly<Errors.NegotiationReason>()(
  Schema.Union([
    UnsupportedProtocolVersion,
    MethodNotFound,
    Timeout,
    MalformedInit,
    InitializeRejected,
    HeaderMismatch,
    MissingRequiredClientCapability,
    SessionUnknown,
    Unauthorized,
    Busy,
    TransportFailure,
    PolicyForbids
  ])
)

/** Why a server did not admit a request. */
export const AdmissionReason = exactly<Errors.AdmissionReason>()(
  Schema.Union([
    UnsupportedProtocolVersion,
    MethodNotFound,
    Timeout,
    MalformedInit,
    MissingInit,
    HeaderMismatch,
    MissingRequiredClientCapability,
    InvalidEnvelope,
    InvalidMessage,
    SessionUnknown,
    OriginRefused,
    PayloadTooLarge,
    TransportFailure
  ])
)

/** A client's opening failed: why, and every step that led there. */
export const NegotiationError = of(Errors.NegotiationError, "NegotiationError", {
  reason: NegotiationReason,
  trace: Schema.Array(TraceEntry)
})

/** A server did not admit: why. */
export const AdmissionError = of(Errors.AdmissionError, "AdmissionError", { reason: AdmissionReason })

/** Why a request over a connection failed. */
export const RequestReason = exactly<Errors.RequestReason>()(
  Schema.Union([
    ErrorResponse,
    MalformedResult,
    MethodNotFound,
    Timeout,
    HeaderMismatch,
    MissingRequiredClientCapability,
    UnsupportedProtocolVersion,
    SessionUnknown,
    Unauthorized,
    Busy,
    TransportFailure,
    NegotiationError
  ])
)

/** A request over a connection failed: why. */
export const RequestError = of(Errors.RequestError, "RequestError", { method: text, reason: RequestReason })

/** Any error of ours. */
export const AnyError: Schema.Codec<AnyError, unknown> = exactly<AnyError>()(
  Schema.Union([
    UnsupportedProtocolVersion,
    MethodNotFound,
    Timeout,
    MalformedInit,
    MissingInit,
    InitializeRejected,
    HeaderMismatch,
    MissingRequiredClientCapability,
    InvalidEnvelope,
    InvalidMessage,
    SessionUnknown,
    OriginRefused,
    PayloadTooLarge,
    Unauthorized,
    Busy,
    TransportFailure,
    PolicyForbids,
    ErrorResponse,
    MalformedResult,
    NegotiationError,
    AdmissionError,
    RequestError
  ])
)
