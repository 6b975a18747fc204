// The format of a case: what a scripted peer does and what is right. Reading files is CaseFile's business, running a
// case CaseRunner's.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Match from "./Match.ts"

const key = Schema.optionalKey
const Texts = Schema.Array(Schema.String)
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const Millis = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Status = Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))
const Era = Schema.Literals(["legacy", "modern"])
const Transport = Schema.Literals(["stdio", "http"])
const mapOf = <S extends Schema.Constraint>(value: S) => Schema.Record(Schema.String, value)

const Row = Schema.Struct({
  on: Schema.Struct({
    method: key(Schema.String),
    httpMethod: key(Schema.String),
    headers: key(mapOf(Schema.NullOr(Schema.String))),
    headersContain: key(mapOf(Schema.Union([Schema.String, Texts]))),
    nth: key(Count)
  }),
  reply: Schema.Struct({
    status: key(Status),
    headers: key(mapOf(Schema.Union([Schema.String, Schema.Finite, Texts]))),
    body: key(Schema.Unknown),
    raw: key(Schema.String),
    delayMs: key(Millis),
    close: key(Schema.Boolean),
    exit: key(Schema.Union([Schema.Boolean, Schema.Int])),
    stderr: key(Schema.String),
    chunkBytes: key(Count),
    hold: key(Schema.Boolean)
  })
})

/**
 * What a client must have done. `sent` to `errorAnyOf` are the format's own; the rest are additions of Parley, so that
 * what the format says in prose (`notes`) is checked too.
 */
const clientRight = {
  outcome: Schema.Literals(["established", "failed"]),
  era: key(Era),
  version: key(Schema.String),
  sent: key(Texts),
  mayAlsoSend: key(Texts),
  mustNotSend: key(Texts),
  error: key(Schema.String),
  errorAnyOf: key(Texts),
  notes: key(Schema.Unknown)
}

const additions = {
  /** A deep partial match on the error's tag, message and fields. */
  errorHas: key(Schema.Unknown),
  /** A deep partial match on the agreement. */
  agreementHas: key(Schema.Unknown),
  /** The outcome must be there within so many milliseconds. */
  withinMs: key(Millis),
  /** stdio: how many processes may be started, at most. */
  processes: key(Count),
  /** Messages that must be among those received, by method; a response by its HTTP method, on stdio by the empty text. */
  requests: key(
    Schema.Array(
      Schema.Struct({
        method: Schema.String,
        nth: key(Count),
        headers: key(mapOf(Schema.NullOr(Schema.String))),
        bodyHas: key(Schema.Unknown)
      })
    )
  )
}

/** What a notes file adds to the `right` of a client case. */
export const Notes = Schema.Struct(additions)
export type Notes = typeof Notes.Type

const ClientRight = Schema.Struct({ ...clientRight, ...additions })
export type ClientRight = typeof ClientRight.Type

const common = {
  id: Schema.NonEmptyString,
  title: key(Schema.String),
  kind: key(Schema.Unknown),
  basis: key(Schema.Unknown),
  notes: key(Schema.Unknown),
  transport: Transport
}

/** A case that scripts a server; the client under test negotiates with it. */
const ClientCase = Schema.Struct({
  ...common,
  side: Schema.Literal("client"),
  policy: Schema.NonEmptyString,
  client: key(Schema.Struct({ timeoutMs: key(Millis), probeTimeoutMs: key(Millis) })),
  server: Schema.Array(Row),
  // A list is no function, so no promise can take the case for one of its own.
  // oxlint-disable-next-line unicorn/no-thenable
  then: key(Texts),
  right: ClientRight
})
/** A client under test against a script. */
export type ClientCase = typeof ClientCase.Type

const Send = Schema.Struct({
  httpMethod: key(Schema.String),
  headers: key(mapOf(Schema.Union([Schema.String, Texts]))),
  body: key(Schema.Unknown),
  raw: key(Schema.String),
  line: key(Schema.String),
  lineBase64: key(Schema.String),
  parallelWith: key(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
})
export type Send = typeof Send.Type

const ServerRight = Schema.Struct({
  status: key(Status),
  statusIn: key(Schema.Array(Status)),
  statusOnly: key(Schema.Boolean),
  noBody: key(Schema.Boolean),
  anyReply: key(Schema.Boolean),
  optional: key(Schema.Boolean),
  code: key(Schema.Union([Schema.Null, Schema.Int, Schema.Literal("*")])),
  bodyHas: key(Schema.Unknown),
  headersHas: key(mapOf(Schema.Unknown)),
  bodyContains: key(Texts),
  notes: key(Schema.Unknown)
})
export type ServerRight = typeof ServerRight.Type

const ServerOptions = Schema.Struct({
  sessions: key(Schema.Boolean),
  tools: key(Texts),
  allowedOrigins: key(Texts)
})
export type ServerOptions = typeof ServerOptions.Type

/** A case that lists what a client sends to the server under test, and what must come back. */
const ServerCase = Schema.Struct({
  ...common,
  side: Schema.Literal("server"),
  serverEras: Schema.Array(Era).check(Schema.isMinLength(1)),
  serverOptions: key(ServerOptions),
  send: Schema.Array(Send),
  right: Schema.Array(Schema.NullOr(ServerRight))
})
/** A server under test against a sender. */
export type ServerCase = typeof ServerCase.Type

/** Either. */
export type Case = ClientCase | ServerCase

/** A case, or what is wrong with it. `ignored` names members that the format does not know. */
export type Decoded =
  | { readonly _tag: "Good"; readonly value: Case; readonly ignored: ReadonlyArray<string> }
  | { readonly _tag: "Broken"; readonly id: string; readonly problems: ReadonlyArray<string> }

/** Decodes one case. A problem names the member and what was expected there, as in `server[0].reply.status: …`. */
export const decode = (value: unknown): Decoded => {
  const id = idIn(value)
  const side = member(value, "side")
  if (side !== "client" && side !== "server") {
    return { _tag: "Broken", id, problems: [`side: Expected "client" | "server", saw ${show(side)}`] }
  }
  const schema: Schema.Codec<Case, unknown> = side === "client" ? ClientCase : ServerCase
  const lenient = Schema.decodeUnknownResult(schema)(value, { errors: "all" })
  if (Result.isFailure(lenient)) return { _tag: "Broken", id, problems: problemsOf(lenient.failure.issue, value) }
  const decoded = lenient.success
  const problems = decoded.side === "client" ? clientProblems(decoded) : serverProblems(decoded)
  if (problems.length > 0) return { _tag: "Broken", id, problems }
  const strict = Schema.decodeUnknownResult(schema)(value, { errors: "all", onExcessProperty: "error" })
  const ignored = Result.isFailure(strict)
    ? problemsOf(strict.failure.issue, value).map((text) => text.replace(/:.*/s, ""))
    : []
  return { _tag: "Good", value: decoded, ignored }
}

/** Returns the sentences of a schema issue, each with its path and what was seen there. */
export const problemsOf = (issue: SchemaIssue.Issue, value: unknown): ReadonlyArray<string> =>
  format(issue).issues.map(({ path, message }) => {
    const steps = (path ?? []).map((step) => (typeof step === "object" ? step.key : step))
    const place = steps
      .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
      .join("")
      .replace(/^\./, "")
    const seen = steps.reduce<unknown>((inner, step) => member(inner, step), value)
    return `${place || "case"}: ${message}${seen === undefined ? "" : `, saw ${show(seen)}`}`
  })

const format = SchemaIssue.makeFormatterStandardSchemaV1()

// What the shapes alone cannot say.
const clientProblems = ({ right }: ClientCase): ReadonlyArray<string> => [
  ...Match.problems(right.errorHas, "right.errorHas"),
  ...Match.problems(right.agreementHas, "right.agreementHas")
]

const serverProblems = ({ send, right }: ServerCase): ReadonlyArray<string> => [
  ...(send.length === 0 ? ["send: Expected at least one message"] : []),
  ...(send.length === right.length ? [] : [`right: Expected one entry per send (${send.length}), saw ${right.length}`]),
  ...send.flatMap(({ parallelWith }, index) =>
    parallelWith !== undefined && (parallelWith >= send.length || parallelWith === index)
      ? [`send[${index}].parallelWith: Expected the index of another send, saw ${parallelWith}`]
      : []
  ),
  ...right.flatMap((entry, index) =>
    entry === null
      ? []
      : [
          ...Match.problems(entry.bodyHas, `right[${index}].bodyHas`),
          ...Match.problems(entry.headersHas, `right[${index}].headersHas`),
          ...(Object.keys(entry).some((name) => name !== "notes")
            ? []
            : [`right[${index}]: Expected something to check`])
        ]
  )
]

const idIn = (value: unknown): string => {
  const id = member(value, "id")
  return typeof id === "string" && id !== "" ? id : "(no id)"
}

const member = (value: unknown, name: PropertyKey): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
