// Requirements of the modern revision on versioning, discovery and stdio.
import { modernVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const versioning = of(modernVersions, "basic/versioning")
const stdio = of(modernVersions, "basic/transports/stdio")
const discover = of(modernVersions, "server/discover")
const transports = of(modernVersions, "basic/transports")
const caching = of(modernVersions, "server/utilities/caching")
const cancellation = of(modernVersions, "basic/patterns/cancellation")

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
    law("one-correction"),
    law("asks-what-is-listed")
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
  ),
  caching(
    "cacheable-results",
    "server",
    "MUST",
    "a DiscoverResult says how long it holds, for no less than 0 ms, and for whom",
    test("core/test/server/Profile.test.ts", "answers both openings with the instructions"),
    test("core/test/server/Profile.test.ts", "tells the owner what is wrong with it, and serves the rest"),
    kase("2-discover-http")
  ),
  caching(
    "time-to-live-ttl-field",
    "client",
    "SHOULD",
    "a DiscoverResult is fresh for the time that it says, and without a good one not at all",
    test("core/test/Agreement.test.ts", "a ttlMs of %s is fresh for %d"),
    test("runtime/test/EraMemory.test.ts", "is stale when its ttlMs has passed")
  ),
  caching(
    "cache-scope-field",
    "client",
    "MUST NOT",
    "a private DiscoverResult is used for another principal",
    test("runtime/test/EraMemory.test.ts", "is never another principal's, public or not")
  )
]

export const modernStdio: ReadonlyArray<Requirement> = [
  transports(
    "messages",
    "both",
    "MUST",
    "messages are UTF-8",
    kase("2-utf8-stdio"),
    test("core/test/Lines.test.ts", "marks a line whose bytes are no UTF-8, and reads on"),
    test("testing/src/TransportChecks.ts", "text beyond ASCII survives both ways")
  ),
  transports(
    "messages",
    "both",
    "MUST",
    "requests and notifications reach the server, responses and notifications the client",
    test("testing/src/TransportChecks.ts", "a request reaches the peer as it was sent, and its answer comes back"),
    test("testing/src/TransportChecks.ts", "a notification reaches the peer"),
    test("testing/src/TransportChecks.ts", "messages of one stream arrive in the order in which they were written")
  ),
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
    law("closes-for-a-reason"),
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
    law("modern-errors-are-believed"),
    law("no-initialize-against-a-list"),
    law("dual-pairs-agree")
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
  stdio(
    "backward-compatibility",
    "client",
    "SHOULD",
    "a client of the modern era alone probes as well",
    law("opens-as-the-policy-says"),
    cell("pinnedModern.Discovering.Agreed"),
    cell("pinnedModern.Discovering.Silence")
  ),
  cancellation(
    "timeouts",
    "client",
    "SHOULD",
    "a request that is given up is cancelled, and its time limit can be set for it alone",
    test("runtime/test/Connection.test.ts", "is bounded in time, by the connection or by itself"),
    test(
      "node/test/Connection.test.ts",
      "a request that is interrupted is cancelled on the pipe, and the next is answered"
    )
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
