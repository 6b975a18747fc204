// Codecs of the client's alphabets: events, evidence, states, commands, and what a policy says besides its table.
import * as Schema from "effect/Schema"
import type * as Commands from "../client/Command.ts"
import type * as Events from "../client/Event.ts"
import type * as Evidences from "../client/Evidence.ts"
import type * as Outgoings from "../client/Outgoing.ts"
import type * as Rules from "../client/Rules.ts"
import type * as States from "../client/State.ts"
import type { Era } from "../Version.ts"
import { NegotiationReason } from "./Errors.ts"
import { exactly, orAbsent, orMissing } from "./Exact.ts"
import { Json, JsonObject, Message, Notification, Request, Response } from "./Message.ts"

const text = Schema.String
const texts = Schema.Array(text)
const number = Schema.Finite
const optional = Schema.optionalKey
const tagged = Schema.TaggedStruct

// ---- events

/** What an HTTP response says of itself. */
export const ResponseHead = exactly<Events.ResponseHead>()(
  Schema.Struct({
    status: number,
    contentType: optional(text),
    sessionId: optional(text),
    challenge: optional(text),
    retryAfterMillis: optional(number),
    location: optional(text),
    note: optional(text)
  })
)

const Deadline = Schema.Union([number, Schema.Literal("negotiation")])

/** Something that happened. */
export const Event = exactly<Events.Event>()(
  Schema.Union([
    tagged("Arrived", { message: Message, exchange: optional(number), head: optional(ResponseHead) }),
    tagged("Stray", { head: text, problem: Schema.Literals(["notJson", "notJsonRpc", "overlong"]) }),
    tagged("Unanswered", { exchange: number, head: ResponseHead, body: text, problem: text }),
    tagged("Lost", {
      exchange: optional(number),
      cause: text,
      retryable: optional(Schema.Literal(false)),
      resume: optional(Schema.Struct({ lastEventId: text, retryMillis: number }))
    }),
    tagged("Closed", { exitCode: optional(number), signal: optional(text), stderr: text }),
    tagged("DeadlinePassed", { of: Deadline, waitedMillis: number })
  ])
)

// ---- evidence

const refusal = { code: number, message: text, data: optional(Json) } as const

const Agreed = exactly<Evidences.Agreed>()(
  tagged("Agreed", { version: text, result: JsonObject, sessionId: orMissing(text) })
)

/** What an event means. */
export const Evidence = exactly<Evidences.Evidence>()(
  Schema.Union([
    Agreed,
    tagged("ModernNamed", { version: text, result: JsonObject, sessionId: orMissing(text) }),
    tagged("StrangerNamed", { version: text, sessionId: orMissing(text) }),
    tagged("Corrected", { version: text, theirs: texts, code: number }),
    tagged("Countered", { version: text, theirs: texts, code: optional(number) }),
    tagged("Disjoint", { theirs: texts, code: optional(number) }),
    tagged("VersionRefused", {}),
    tagged("ModernSign", refusal),
    tagged("MethodMissing", {}),
    tagged("ParamsRefused", refusal),
    tagged("Refused", refusal),
    tagged("HttpRefused", { status: number, head: text, location: optional(text) }),
    tagged("AccessRefused", { status: number, challenge: optional(text) }),
    tagged("Busy", { status: number, retryAfterMillis: optional(number) }),
    tagged("Outage", {
      cause: text,
      retryable: optional(Schema.Literal(false)),
      status: optional(number),
      head: optional(text)
    }),
    tagged("Silence", { waitedMillis: number }),
    tagged("OutOfTime", { waitedMillis: number }),
    tagged("Ended", { exitCode: optional(number), signal: optional(text), stderr: text }),
    tagged("Garbled", {
      path: text,
      problem: text,
      foreign: Schema.Boolean,
      status: optional(number),
      head: optional(text)
    }),
    tagged("LateAgreed", { version: text, result: JsonObject }),
    tagged("OutOfTurn", {
      kind: Schema.Literals(["message", "noise"]),
      what: text,
      message: optional(Schema.Union([Request, Notification])),
      sessionId: orMissing(text),
      probeAnswered: optional(Schema.Literal(true))
    })
  ])
)

// ---- states

const AskedMethod = exactly<States.AskedMethod>()(Schema.Literals(["initialize", "server/discover"]))

/** What a conversation has spent and must remember. */
export const Ledger = exactly<States.Ledger>()(
  Schema.Struct({
    exchanges: number,
    initializes: number,
    discovers: number,
    corrected: Schema.Boolean,
    countered: Schema.Boolean,
    held: Schema.Boolean,
    reopened: Schema.Boolean,
    outOfTurn: number,
    noise: number,
    strays: texts,
    opening: orAbsent(Schema.Struct({ method: AskedMethod, asked: text, evidence: Evidence })),
    holdable: orAbsent(text),
    session: orAbsent(Schema.Struct({ id: text, version: text })),
    probe: orAbsent(number)
  })
)

const asking = { asked: text, ledger: Ledger } as const

/** Where a conversation stands. A failure keeps its reason as an instance of its class. */
export const State = exactly<States.State>()(
  Schema.Union([
    tagged("Initializing", asking),
    tagged("Discovering", asking),
    tagged("DiscoveringAgain", asking),
    tagged("Holding", asking),
    tagged("Countering", asking),
    tagged("Keeping", { ...asking, late: Agreed }),
    tagged("Settled", {
      version: text,
      named: text,
      offered: text,
      method: AskedMethod,
      result: JsonObject,
      sessionId: orAbsent(text),
      strays: texts
    }),
    tagged("Failed", { reason: NegotiationReason })
  ])
)

// ---- commands

/** What the machine asks of the runtime. */
export const Command = exactly<Commands.Command>()(
  Schema.Union([
    tagged("Open", {}),
    tagged("Reopen", {}),
    tagged("StartDeadline", { of: Deadline, millis: number }),
    tagged("ClearDeadline", { of: Deadline }),
    tagged("SendInitialize", { exchange: number, version: text }),
    tagged("SendDiscover", { exchange: number, version: text }),
    tagged("SendInitialized", { version: text, sessionId: orAbsent(text) }),
    tagged("DeleteSession", { sessionId: text, version: text }),
    tagged("Reply", { message: Response, sessionId: orAbsent(text) }),
    tagged("Keep", { message: Notification })
  ])
)

const Headers = exactly<Outgoings.Headers>()(Schema.Record(text, text))

/** What a channel is asked to carry. */
export const Outgoing = exactly<Outgoings.Outgoing>()(
  Schema.Union([
    tagged("Post", { exchange: number, message: Message, headers: Headers }),
    tagged("Listen", { exchange: number, headers: Headers }),
    tagged("Delete", { exchange: number, headers: Headers })
  ])
)

// ---- policy

/** What a negotiation may spend. */
export const Budgets = exactly<Rules.Budgets>()(
  Schema.Struct({
    probeMillis: number,
    exchangeMillis: number,
    negotiationMillis: number,
    outOfTurn: number,
    noise: number
  })
)

/** A policy without its table: moves are functions, and a preset's name tells them. */
export const PolicyData = exactly<Omit<Rules.Policy, "fallback">>()(
  Schema.Struct({
    name: text,
    open: Schema.Literals(["initialize", "discover"]),
    versions: texts,
    requires: optional(exactly<Era>()(Schema.Literals(["legacy", "modern"]))),
    budgets: Budgets,
    lacking: optional(text)
  })
)
