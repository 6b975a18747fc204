// Requirements of the modern revision on messages, envelope, versioning, discovery and stdio.
import { modernVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const index = of(modernVersions, "basic/index")
const versioning = of(modernVersions, "basic/versioning")
const stdio = of(modernVersions, "basic/transports/stdio")
const discover = of(modernVersions, "server/discover")
const cancellation = of(modernVersions, "basic/patterns/cancellation")

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

export const modernVersioning: ReadonlyArray<Requirement> = [
  versioning(
    "protocol-version-negotiation",
    "server",
    "MUST",
    "a request at a revision that is not served is refused with -32022 and the list of those that are",
    rung("modern.version-served"),
    law("one-list"),
    cell("server.AwaitingOpening.VersionUnserved")
  ),
  versioning(
    "protocol-version-negotiation",
    "client",
    "SHOULD",
    "a client picks a revision from that list and asks again, or tells its user that there is none",
    cell("discoverFirst.Discovering.Corrected"),
    cell("auto.Initializing.Corrected"),
    cell("discoverFirst.Discovering.Disjoint"),
    law("one-correction")
  ),
  versioning(
    "protocol-version-negotiation",
    "server",
    "MUST",
    "server/discover is implemented",
    cell("server.AwaitingOpening.ModernRequest"),
    kase("2-discover-http"),
    kase("2-discover-stdio")
  ),
  versioning(
    "backward-compatibility-with-initialization-based-versions",
    "client",
    "SHOULD",
    "the era of a server is remembered while its process or origin lasts",
    test("runtime/test/EraMemory.test.ts", "is stale when its ttlMs has passed"),
    test("runtime/test/EraMemory.test.ts", "skips the probe for a day; then the server is probed again")
  ),
  versioning(
    "backward-compatibility-with-initialization-based-versions",
    "server",
    "SHOULD",
    "a server of the modern era alone names its revisions in whatever error it gives to initialize",
    rung("modern.initialize"),
    law("modern-only-names-its-versions"),
    kase("2-init-refused-http")
  ),
  versioning(
    "compatibility-matrix",
    "client",
    "SHOULD",
    "a modern client on a pipe sends server/discover first, so that a legacy server fails it in one way",
    law("opens-as-the-policy-says"),
    cell("pinnedModern.Discovering.MethodMissing"),
    test("vectors/test/Matrix.test.ts", "has a row for every pair of eras, and no pair deviates")
  ),
  discover(
    "",
    "server",
    "MUST",
    "server/discover is implemented",
    law("probes-open-nothing"),
    kase("2-discover-modern-only-http")
  ),
  discover(
    "when-to-call",
    "client",
    "SHOULD",
    "a client of both eras sends server/discover first on a pipe",
    law("opens-as-the-policy-says"),
    cell("discoverFirst.Discovering.Agreed")
  ),
  discover(
    "discoverresult",
    "server",
    "SHOULD",
    "a DiscoverResult says in its _meta who the server is",
    test("core/test/server/Profile.test.ts", "answers both openings with the instructions"),
    kase("2-discover-http")
  ),
  discover(
    "discoverresult",
    "client",
    "SHOULD NOT",
    "who the server says it is changes what the client does",
    test("vectors/test/Requirements.test.ts", "who a server says it is changes no decision of a client")
  )
]

export const modernStdio: ReadonlyArray<Requirement> = [
  stdio(
    "",
    "both",
    "MUST NOT",
    "a message holds a line break",
    test("core/test/Lines.test.ts", "writes one line whose only newline is its last character")
  ),
  stdio(
    "",
    "client",
    "SHOULD NOT",
    "what is written to standard error is taken for an error",
    test("node/test/StdioClient.test.ts", "keeps the last 64 KiB of standard error, and always drains it")
  ),
  stdio(
    "",
    "server",
    "MUST NOT",
    "anything but messages is written to standard output",
    test("platform/test/StdioServer.test.ts", "answers line by line, however they are cut, and ends with its input"),
    kase("2-garbage-stdio")
  ),
  stdio(
    "",
    "client",
    "MUST NOT",
    "anything but messages is written to a server's standard input",
    test("testing/src/TransportChecks.ts", "a request reaches the peer as it was sent, and its answer comes back"),
    test("core/test/Lines.test.ts", "says why a message has no JSON instead of throwing")
  ),
  stdio(
    "sending-messages",
    "client",
    "MUST NOT",
    "a response is written to a modern server",
    test("runtime/test/Answers.test.ts", "no response is ever written")
  ),
  stdio(
    "receiving-messages",
    "server",
    "MUST NOT",
    "a request is written to a modern client",
    test(
      "runtime/test/admission/Speaking.test.ts",
      "asks a modern client by input_required, and keeps what was answered before with the client"
    )
  ),
  stdio(
    "receiving-messages",
    "client",
    "MUST",
    "notifications of a subscription are told apart by the subscription's id",
    test("runtime/test/Calls.test.ts", "is ended by the server's cancellation, which is also told")
  ),
  stdio(
    "cancellation",
    "client",
    "MUST",
    "a request is cancelled by notifications/cancelled with its id",
    test(
      "node/test/Connection.test.ts",
      "a request that is interrupted is cancelled on the pipe, and the next is answered"
    )
  ),
  stdio(
    "cancellation",
    "server",
    "SHOULD",
    "work on a cancelled request stops soon",
    test("runtime/test/admission/Pipe.test.ts", "cancels a request by its id, in either era, and writes nothing for it")
  ),
  stdio(
    "cancellation",
    "server",
    "MUST NOT",
    "anything more is sent for a cancelled request",
    test("runtime/test/admission/Pipe.test.ts", "cancels a request by its id, in either era, and writes nothing for it")
  ),
  stdio(
    "shutdown",
    "client",
    "SHOULD",
    "a server is stopped by closing its input, waiting, and then by force",
    test("node/test/StdioClient.test.ts", "waits 2 s for the exit, 2 s after SIGTERM, on Effect's clock"),
    test("node/test/StdioClient.test.ts", "a program that exits when its input closes is gone when close returns")
  ),
  stdio(
    "shutdown",
    "server",
    "SHOULD",
    "a server exits promptly when its input is closed",
    cell("server.Serving.EndOfInput"),
    test("platform/test/StdioServer.test.ts", "answers, and ends by itself with its input")
  ),
  stdio(
    "unexpected-termination",
    "client",
    "SHOULD",
    "a process that ends unexpectedly is started again",
    cell("discoverFirst.Discovering.Ended"),
    law("one-reopen"),
    test("runtime/test/Reopening.test.ts", "follows the schedule until it succeeds")
  ),
  stdio(
    "backward-compatibility",
    "client",
    "SHOULD",
    "a client of both eras probes with server/discover at its preferred modern revision before anything else",
    law("opens-as-the-policy-says"),
    cell("discoverFirst.Discovering.Agreed"),
    law("modern-errors-are-believed")
  ),
  stdio(
    "backward-compatibility",
    "client",
    "MUST NOT",
    "falling back hangs on one error code",
    cell("discoverFirst.Discovering.MethodMissing"),
    cell("discoverFirst.Discovering.Refused"),
    cell("discoverFirst.Discovering.Silence"),
    cell("discoverFirst.Discovering.Garbled")
  ),
  cancellation(
    "timeouts",
    "both",
    "SHOULD",
    "every request has a time limit, whatever progress is told",
    law("time-is-budgeted"),
    test("runtime/test/Connection.test.ts", "is bounded in time, by the connection or by itself")
  )
]
