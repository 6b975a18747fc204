// Requirements of the handshake revisions on lifecycle and stdio. Where all of them say the same they are one.
import { legacyVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const sinceMarch = legacyVersions.filter((version) => version >= "2025-03-26")
const sinceJune = legacyVersions.filter((version) => version >= "2025-06-18")
const lifecycle = of(legacyVersions, "basic/lifecycle")
const lifecycleSinceMarch = of(sinceMarch, "basic/lifecycle")
const lifecycleSinceJune = of(sinceJune, "basic/lifecycle")
const marchLifecycle = of(["2025-03-26"], "basic/lifecycle")
const transports = of(legacyVersions, "basic/transports")
const utf8 = of(sinceMarch, "basic/transports")

export const legacyLifecycle: ReadonlyArray<Requirement> = [
  lifecycle(
    "initialization",
    "both",
    "MUST",
    "the handshake comes before anything else",
    law("nothing-before-the-handshake"),
    law("opens-as-the-policy-says"),
    law("one-handshake"),
    cell("server.AwaitingOpening.LegacyRequest"),
    rung("legacy.init-missing"),
    rung("legacy.init-repeated")
  ),
  lifecycle(
    "initialization",
    "client",
    "MUST",
    "initialize carries the revision, the client's capabilities and who it is",
    test("core/test/Envelope.test.ts", "offers a revision, without a version header and without a session"),
    rung("legacy.init-malformed"),
    cell("server.AwaitingOpening.OpenedBadly")
  ),
  marchLifecycle(
    "initialization",
    "client",
    "MUST NOT",
    "initialize is in a batch",
    rung("batch"),
    kase("s-initialize-inside-a-batch")
  ),
  lifecycle(
    "initialization",
    "server",
    "MUST",
    "the answer tells the server's capabilities and who it is",
    cell("server.AwaitingOpening.Opened"),
    test("core/test/server/Server.test.ts", "declares the same capabilities and versions in both openings")
  ),
  lifecycle(
    "initialization",
    "client",
    "MUST",
    "notifications/initialized follows a good answer",
    law("handshakes-are-completed"),
    cell("server.AwaitingInitialized.Initialized")
  ),
  lifecycle(
    "initialization",
    "client",
    "SHOULD NOT",
    "a request but ping is sent before initialize is answered",
    law("one-at-a-time"),
    cell("server.AwaitingInitialized.LegacyRequest")
  ),
  lifecycle(
    "initialization",
    "server",
    "SHOULD NOT",
    "a request but ping is sent before notifications/initialized",
    test(
      "runtime/test/admission/Listening.test.ts",
      "is where the server speaks by itself, from the completed handshake to the end of input"
    )
  ),
  lifecycle(
    "version-negotiation",
    "client",
    "MUST",
    "the revision offered is one that the client supports",
    law("asks-what-it-speaks")
  ),
  lifecycle(
    "version-negotiation",
    "client",
    "SHOULD",
    "the revision offered is the latest that the client supports",
    law("opens-as-the-policy-says")
  ),
  lifecycle(
    "version-negotiation",
    "server",
    "MUST",
    "the answer names the revision requested if it is supported, else another that is",
    law("answers-what-it-serves"),
    cell("server.AwaitingOpening.Opened")
  ),
  lifecycle(
    "version-negotiation",
    "server",
    "SHOULD",
    "that other revision is the latest that the server supports",
    law("answers-what-it-serves")
  ),
  lifecycle(
    "version-negotiation",
    "client",
    "SHOULD",
    "a client that does not support the answered revision disconnects",
    cell("auto.Initializing.StrangerNamed"),
    law("settles-on-listed"),
    law("failed-is-known")
  ),
  lifecycleSinceJune(
    "version-negotiation",
    "client",
    "MUST",
    "over HTTP every later request names the revision in a header",
    test("core/test/Envelope.test.ts", "carries the negotiated revision, and the session if there is one"),
    kase("c-later-header-is-the-negotiated-version")
  ),
  lifecycle(
    "operation",
    "both",
    "SHOULD",
    "the negotiated revision is kept to, and only negotiated capabilities are used (a MUST since 2025-06-18)",
    law("admitted-on-its-terms"),
    law("agreed-is-agreed"),
    test("core/test/server/Profile.test.ts", "derives the methods of each era from the capabilities")
  ),
  lifecycle(
    "stdio",
    "client",
    "SHOULD",
    "a server is stopped by closing its input, then SIGTERM, then SIGKILL",
    test("node/test/StdioClient.test.ts", "waits 2 s for the exit, 2 s after SIGTERM, on Effect's clock"),
    test("node/test/StdioClient.test.ts", "a program that ignores its input's end and SIGTERM is killed")
  ),
  of(["2024-11-05"], "basic/lifecycle")(
    "error-handling",
    "both",
    "SHOULD",
    "every request has a time limit",
    law("time-is-budgeted"),
    law("deadlines-are-cleared"),
    law("opening-deadline-ends")
  ),
  lifecycleSinceMarch(
    "timeouts",
    "both",
    "SHOULD",
    "every request has a time limit, and a maximum whatever progress is told",
    law("time-is-budgeted"),
    law("deadlines-are-cleared"),
    test("runtime/test/Connection.test.ts", "is bounded in time, by the connection or by itself")
  ),
  lifecycleSinceMarch(
    "timeouts",
    "both",
    "SHOULD",
    "a request that is given up is cancelled, and its time limit can be set for it alone",
    test("runtime/test/Connection.test.ts", "is bounded in time, by the connection or by itself"),
    test("node/test/Connection.test.ts", "a legacy request that is interrupted is cancelled, and has its stream closed")
  ),
  lifecycle(
    "error-handling",
    "both",
    "SHOULD",
    "a mismatch of revisions is borne, in either of the forms in which servers tell it",
    cell("auto.Initializing.Countered"),
    cell("auto.Initializing.Disjoint"),
    law("one-counter"),
    kase("c-init-32602-offers-listed-revision")
  ),
  lifecycle(
    "error-handling",
    "both",
    "SHOULD",
    "a timeout is borne",
    cell("auto.Initializing.Silence"),
    law("no-verdict-from-trouble")
  ),
  lifecycle(
    "error-handling",
    "both",
    "SHOULD",
    "a capability that the other side lacks is borne",
    cell("server.Serving.MethodUnknown"),
    test("core/test/server/Profile.test.ts", "derives the methods of each era from the capabilities"),
    test("runtime/test/admission/Speaking.test.ts", "is not done where the client cannot answer")
  )
]

export const legacyStdio: ReadonlyArray<Requirement> = [
  transports(
    "",
    "client",
    "SHOULD",
    "stdio is supported",
    test("node/test/StdioClient.test.ts", "a program that exits when its input closes is gone when close returns"),
    test("vectors/test/Matrix.test.ts", "a dual-era client agrees with a server of any one revision")
  ),
  of(["2025-11-25"], "basic/transports")(
    "stdio",
    "client",
    "SHOULD NOT",
    "what is written to standard error is taken for an error",
    test("node/test/StdioClient.test.ts", "keeps the last 64 KiB of standard error, and always drains it")
  ),
  utf8(
    "",
    "both",
    "MUST",
    "messages are UTF-8",
    kase("2-utf8-stdio"),
    test("core/test/Lines.test.ts", "marks a line whose bytes are no UTF-8, and reads on")
  ),
  transports(
    "stdio",
    "both",
    "MUST NOT",
    "a message holds a line break",
    test("core/test/Lines.test.ts", "writes one line whose only newline is its last character")
  ),
  transports(
    "stdio",
    "server",
    "MUST NOT",
    "anything but messages is written to standard output",
    kase("2-garbage-stdio"),
    test("platform/test/StdioServer.test.ts", "answers line by line, however they are cut, and ends with its input")
  ),
  transports(
    "stdio",
    "client",
    "MUST NOT",
    "anything but messages is written to a server's standard input",
    test("testing/src/TransportChecks.ts", "a request reaches the peer as it was sent, and its answer comes back")
  )
]
