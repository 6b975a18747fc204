// Codecs of the server's alphabets: events, evidence, states, commands, refusals, answers, and what a profile says besides
// where the headers of its tools are found.
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type { Phase as AnyPhase } from "../Errors.ts"
import type * as Answers from "../server/Answer.ts"
import type * as Commands from "../server/Command.ts"
import type * as Events from "../server/Event.ts"
import type * as Evidences from "../server/Evidence.ts"
import type * as HeaderValues from "../server/HeaderValue.ts"
import type * as Profiles from "../server/Profile.ts"
import type * as Refusals from "../server/Refusal.ts"
import type * as States from "../server/State.ts"
import { Era, Implementation } from "./Agreement.ts"
import { exactly, orAbsent, orMissing } from "./Exact.ts"
import * as Frames from "./Message.ts"

const { Id, JsonObject } = Frames
const text = Schema.String
const texts = Schema.Array(text)
const number = Schema.Finite
const optional = Schema.optionalKey
const tagged = Schema.TaggedStruct

// ---- refusals

const Phase = exactly<AnyPhase>()(
  Schema.Literals(["initialize", "server/discover", "negotiation", "opening", "initialized", "idle", "request"])
)

/** What a program can do about a refusal. */
export const Remedy = exactly<Refusals.Remedy>()(
  Schema.Literals([
    "allowOrigin",
    "usePost",
    "setHeader",
    "sendLess",
    "sendOneMessage",
    "useSupportedVersion",
    "addMetaKey",
    "matchHeader",
    "useKnownMethod",
    "declareCapability",
    "initialize",
    "initializeAgain",
    "doNotInitializeAgain",
    "mendInitialize",
    "waitAndRetry",
    "reopen"
  ])
)

/** What refuses: a rung of the ladder or a move of the machine. */
export const Ground = exactly<Refusals.Ground>()(
  Schema.Struct({ id: text, code: number, status: number, remedy: Remedy, because: text })
)

/** The facts of a refusal. */
export const Problem = exactly<Refusals.Problem>()(
  Schema.Union([
    tagged("UnsupportedProtocolVersion", { requested: text, supported: texts, handshake: optional(Schema.Boolean) }),
    tagged("MethodNotFound", { method: text }),
    tagged("Timeout", { phase: Phase, waitedMillis: number }),
    tagged("MalformedInit", { method: text, path: text, problem: text }),
    tagged("MissingInit", { method: text, modern: Schema.Boolean }),
    tagged("HeaderMismatch", { header: text, expected: text, received: text }),
    tagged("MissingRequiredClientCapability", { requiredCapabilities: JsonObject }),
    tagged("InvalidEnvelope", { key: text, problem: text }),
    tagged("InvalidMessage", { code: number, problem: text }),
    tagged("SessionUnknown", { problem: Schema.Literals(["missing", "unknown"]) }),
    tagged("OriginRefused", { header: Schema.Literals(["Origin", "Host"]), received: text }),
    tagged("PayloadTooLarge", { limitBytes: number }),
    tagged("TransportFailure", { reason: text, retryable: Schema.Boolean })
  ])
)

/** What refuses, why, and whom it answers. */
export const Refusal = exactly<Refusals.Refusal>()(
  Schema.Struct({ ground: Ground, problem: Problem, id: orAbsent(Id) })
)

// ---- events

const HeaderLines = Schema.Union([text, texts])

/** The headers of a request: a header without a value is left out of JSON. */
export const RequestHeaders = exactly<HeaderValues.RequestHeaders>()(
  Schema.Record(text, HeaderLines).pipe(
    Schema.decodeTo(Schema.Record(text, Schema.UndefinedOr(HeaderLines)), {
      decode: SchemaGetter.transform((headers) => headers),
      encode: SchemaGetter.transform((headers) => withValues(headers))
    })
  )
)

/** Something that happened. */
export const Event = exactly<Events.Event>()(
  Schema.Union([
    tagged("Received", {
      value: Frames.Json,
      headers: orMissing(RequestHeaders),
      batched: optional(Schema.Boolean)
    }),
    tagged("Unreadable", { refusal: Refusal }),
    tagged("DeadlinePassed", { of: Schema.Literals(["opening", "idle"]), waitedMillis: number, unanswered: number }),
    tagged("EndOfInput", {}),
    tagged("Deleted", {})
  ])
)

// ---- evidence

/** Who the client says it is and what it can do. */
export const Client = exactly<Evidences.Client>()(
  Schema.Struct({ info: orAbsent(Implementation), capabilities: JsonObject })
)

const refusing = { refusal: Refusal } as const

/** What an event means. */
export const Evidence = exactly<Evidences.Evidence>()(
  Schema.Union([
    tagged("Opened", { id: Id, requested: text, client: Client }),
    tagged("OpenedBadly", refusing),
    tagged("Initialized", {}),
    tagged("Ping", { id: Id }),
    tagged("LegacyRequest", { request: Frames.Request }),
    tagged("ModernRequest", { request: Frames.Request, version: text, meta: JsonObject }),
    tagged("VersionUnserved", refusing),
    tagged("HeadersDisagree", refusing),
    tagged("EnvelopeInvalid", refusing),
    tagged("MethodUnknown", refusing),
    tagged("CapabilityMissing", refusing),
    tagged("Notification", { notification: Frames.Notification, version: orAbsent(text) }),
    tagged("Response", { response: Frames.Response }),
    tagged("Malformed", refusing),
    tagged("DeadlinePassed", { of: Schema.Literals(["opening", "idle"]), waitedMillis: number, unanswered: number }),
    tagged("EndOfInput", {}),
    tagged("Deleted", {})
  ])
)

// ---- states

/** What a handshake agreed on. */
export const Opening = exactly<States.Opening>()(Schema.Struct({ version: text, client: Client }))

const why = Schema.Literals(["ended", "deleted", "timeout", "idle"])

/** Where a conversation stands. */
export const State = exactly<States.State>()(
  Schema.Union([
    tagged("AwaitingOpening", { admitted: Schema.Boolean }),
    tagged("AwaitingInitialized", { admitted: Schema.Boolean, opening: Opening }),
    tagged("Serving", { opening: Opening }),
    tagged("Closed", { why })
  ])
)

// ---- commands

/** On what terms a request was admitted. */
export const Admitted = exactly<Commands.Admitted>()(
  Schema.Struct({ era: Era, version: text, client: Client, meta: orAbsent(JsonObject) })
)

/** What the machine asks of the runtime. */
export const Command = exactly<Commands.Command>()(
  Schema.Union([
    tagged("Reply", { id: Id, result: JsonObject }),
    tagged("Refuse", refusing),
    tagged("Deliver", { request: Frames.Request, admitted: Admitted }),
    tagged("Hear", { notification: Frames.Notification, version: orAbsent(text) }),
    tagged("Resolve", { response: Frames.Response }),
    tagged("Issue", { opening: Opening }),
    tagged("StartDeadline", { of: Schema.Literal("opening"), millis: number }),
    tagged("ClearDeadline", { of: Schema.Literal("opening") }),
    tagged("Close", { why, refusal: optional(Refusal) })
  ])
)

/** A whole HTTP answer. */
export const Answer = exactly<Answers.Answer>()(
  Schema.Struct({ status: number, headers: Schema.Record(text, text), body: orAbsent(text) })
)

// ---- profile

const CacheHints = exactly<Profiles.CacheHints>()(
  Schema.Struct({ ttlMs: number, cacheScope: Schema.Literals(["public", "private"]) })
)

/** A profile without where the headers of its tools are found: that is a function of the tools. */
export const ProfileData = exactly<Omit<Profiles.Profile, "toolHeaders">>()(
  Schema.Struct({
    versions: texts,
    serverInfo: Implementation,
    capabilities: JsonObject,
    instructions: orAbsent(text),
    methods: Schema.Struct({ legacy: texts, modern: texts }),
    requires: Schema.Array(Schema.Struct({ method: text, name: optional(text), capabilities: JsonObject })),
    caching: Schema.Struct({ default: CacheHints, methods: Schema.Record(text, CacheHints) }),
    origins: texts,
    hosts: texts,
    sessions: Schema.Literals(["issued", "none"]),
    streams: Schema.Literals(["offered", "none"]),
    interleave: Schema.Literals(["admit", "refuse"]),
    limits: Schema.Struct({
      bodyBytes: number,
      lineBytes: number,
      batch: number,
      identityCharacters: number,
      unanswered: number
    }),
    deadlines: Schema.Struct({ openingMillis: number, idleMillis: number, askMillis: number })
  })
)

const withValues = (
  headers: HeaderValues.RequestHeaders
): { readonly [name: string]: string | ReadonlyArray<string> } => {
  const found: { [name: string]: string | ReadonlyArray<string> } = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) found[name] = value
  return found
}
