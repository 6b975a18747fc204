// Requirements of the modern revision on messages and on the envelope.
import { modernVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const index = of(modernVersions, "basic/index")

export const modernMessages: ReadonlyArray<Requirement> = [
  index(
    "",
    "both",
    "MUST",
    "the base protocol and versioning are supported",
    test("vectors/test/Matrix.test.ts", "has a row for every pair of eras, and no pair deviates")
  ),
  index(
    "messages",
    "both",
    "MUST",
    "every message is a JSON-RPC 2.0 message",
    rung("shape"),
    test("core/test/Message.test.ts", "guards tell the kinds apart")
  ),
  index(
    "requests",
    "both",
    "MUST",
    "a request has an id that is a string or an integer",
    rung("shape"),
    kase("2-fraction-http")
  ),
  index("requests", "both", "MUST NOT", "the id of a request is null", rung("shape"), kase("s-id-null-is-refused")),
  index(
    "requests",
    "client",
    "MUST NOT",
    "an id is used again while its request waits for an answer",
    law("time-is-budgeted"),
    law("one-at-a-time")
  ),
  index(
    "result-responses",
    "server",
    "MUST",
    "a result bears the id of its request",
    law("every-request-one-answer"),
    law("only-the-exact-id-answers")
  ),
  index(
    "result-responses",
    "both",
    "MUST",
    "a result has a member result, and nothing that has an error is one",
    test("core/test/Message.test.ts", "guards tell the kinds apart"),
    kase("1a-shape-list-result")
  ),
  index(
    "result-responses",
    "server",
    "MUST",
    "a result says of what type it is",
    test("core/test/server/Profile.test.ts", "completes a modern result: its type, who serves")
  ),
  index(
    "resulttype",
    "client",
    "MUST",
    "a result of an unknown type is invalid",
    cell("auto.Discovering.Garbled"),
    test("runtime/test/Connection.test.ts", "of an unknown kind is an error in the modern era")
  ),
  index(
    "resulttype",
    "both",
    "MUST",
    "the types known are those of the core, and of extensions that were advertised: here there are none",
    test("runtime/test/Connection.test.ts", "of an unknown kind is an error in the modern era"),
    test("core/test/server/Profile.test.ts", "keeps what the handler says itself")
  ),
  index(
    "resulttype",
    "client",
    "MUST",
    "a result without a type is taken as complete",
    kase("c-discover-without-resulttype"),
    test("runtime/test/Connection.test.ts", "and no kind at all is complete")
  ),
  index(
    "error-responses",
    "server",
    "MUST",
    "an error bears the id of its request, unless the id could not be read",
    law("every-request-one-answer"),
    test("core/test/server/Refusal.test.ts", "has no member id where there is none to repeat")
  ),
  index(
    "error-responses",
    "server",
    "MUST",
    "an error has an integer code and a message",
    test("core/test/server/Laws.test.ts", "every answer of a refusal is JSON of one JSON-RPC error")
  ),
  index(
    "error-codes",
    "client",
    "MUST NOT",
    "a code from -32000 to -32019 is given a meaning of its own",
    cell("auto.Initializing.Refused"),
    cell("discoverFirst.Discovering.Refused"),
    kase("c-discover-32000-not-initialized-stdio")
  ),
  index(
    "error-codes",
    "both",
    "MUST NOT",
    "a code is sent that the specification reserves and does not define, that it has withdrawn, or that it leaves to the past",
    test("vectors/test/Requirements.test.ts", "a refusal uses no code that is reserved, withdrawn or of the past")
  ),
  index(
    "error-codes",
    "both",
    "SHOULD",
    "a code of one's own lies outside the range of JSON-RPC; Parley has none of its own",
    test("vectors/test/Requirements.test.ts", "a refusal uses no code that is reserved, withdrawn or of the past")
  ),
  index(
    "notifications",
    "both",
    "MUST NOT",
    "a notification has an id",
    rung("shape"),
    test("core/test/Message.test.ts", "guards tell the kinds apart"),
    test("core/test/Envelope.test.ts", "stamps a notification, but for a cancellation")
  ),
  index(
    "notifications",
    "server",
    "MUST NOT",
    "a notification is answered",
    law("every-request-one-answer"),
    law("answered-once")
  ),
  index(
    "statelessness",
    "server",
    "MUST NOT",
    "an earlier request on the same connection decides about a later one",
    law("probes-open-nothing"),
    test("core/test/server/Laws.test.ts", "a modern request is judged alone: what a session says changes nothing")
  ),
  index(
    "statelessness",
    "server",
    "SHOULD NOT",
    "a client must keep to one connection or process",
    law("admitted-on-its-terms"),
    test("core/test/server/Laws.test.ts", "a modern request is judged alone: what a session says changes nothing")
  )
]

export const modernEnvelope: ReadonlyArray<Requirement> = [
  index(
    "meta",
    "client",
    "MUST",
    "every request carries its revision and the client's capabilities in _meta",
    test("core/test/Envelope.test.ts", "carries the envelope, and its headers mirror it"),
    test("core/test/Envelope.test.ts", "tools/call: the specification's example")
  ),
  index(
    "meta",
    "server",
    "MUST",
    "a request that lacks a required key is refused with -32602, over HTTP with 400",
    rung("modern.version-readable"),
    rung("modern.meta"),
    cell("server.AwaitingOpening.EnvelopeInvalid")
  ),
  index(
    "meta",
    "client",
    "SHOULD",
    "every request says who the client is",
    test("core/test/Envelope.test.ts", "carries the envelope, and its headers mirror it")
  ),
  index(
    "meta",
    "server",
    "MUST NOT",
    "a capability is relied on that the client has not declared",
    rung("modern.capability"),
    test("core/test/server/Weigh.test.ts", "tells what was not declared, and asks only for what the call needs")
  ),
  index(
    "meta",
    "server",
    "MUST",
    "what needs an undeclared capability is refused with -32021, listing it, over HTTP with 400",
    rung("modern.capability"),
    test("core/test/server/Refusal.test.ts", "puts into data what the specification puts there")
  ),
  index(
    "meta",
    "server",
    "SHOULD",
    "every result says in its _meta who the server is",
    test("core/test/server/Profile.test.ts", "completes a modern result: its type, who serves")
  ),
  index(
    "meta",
    "server",
    "MUST",
    "a notification of a subscription bears the id of the request that asked for it",
    test(
      "runtime/test/admission/Listening.test.ts",
      "is acknowledged first with what is honoured, tagged with its id, and kept open"
    )
  ),
  index(
    "meta",
    "both",
    "SHOULD NOT",
    "who the other side says it is changes what is done",
    test("vectors/test/Requirements.test.ts", "who a server says it is changes no decision of a client"),
    test("vectors/test/Requirements.test.ts", "who a client says it is changes no decision of a server")
  )
]
