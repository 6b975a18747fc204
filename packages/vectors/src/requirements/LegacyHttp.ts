// Requirements of the handshake revisions on Streamable HTTP: endpoint, answers, sessions, version header.
import { legacyVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const http = of(
  legacyVersions.filter((version) => version >= "2025-03-26"),
  "basic/transports"
)
const httpSinceJune = of(
  legacyVersions.filter((version) => version >= "2025-06-18"),
  "basic/transports"
)
const november = of(["2025-11-25"], "basic/transports")
const march = of(["2025-03-26"], "basic/transports")

const sending = "sending-messages-to-the-server"

export const legacyHttp: ReadonlyArray<Requirement> = [
  http(
    "streamable-http",
    "server",
    "MUST",
    "there is one endpoint, for POST and GET",
    rung("http-method"),
    kase("2-get-http")
  ),
  of(legacyVersions, "basic/transports")(
    "security-warning",
    "server",
    "MUST",
    "the Origin of every request is checked",
    rung("origin"),
    rung("host"),
    kase("s-bad-origin-403")
  ),
  november(
    "security-warning",
    "server",
    "MUST",
    "a foreign Origin is answered 403",
    rung("origin"),
    kase("s-bad-origin-403"),
    test("core/test/server/HeadRungs.test.ts", "let loopback origins and hosts in by default, and nobody else")
  ),
  http(
    sending,
    "client",
    "MUST",
    "every message is a POST of its own that accepts JSON and event streams",
    test(
      "node/test/HttpClient.test.ts",
      "posts JSON that asks for both types, in one piece, with the headers of the message"
    ),
    rung("accept"),
    rung("content-type")
  ),
  httpSinceJune(sending, "client", "MUST", "a body is one message", rung("legacy.batch"), kase("2-batch-refused-http")),
  march(sending, "both", "MUST", "a body is one message or a batch", rung("legacy.batch"), kase("2-batch-http")),
  http(
    sending,
    "server",
    "MUST",
    "a notification or a response that is taken is answered 202 without a body, and an error status otherwise",
    cell("server.Serving.Notification"),
    cell("server.Serving.Response"),
    kase("2-note-http"),
    kase("2-response-http")
  ),
  http(
    sending,
    "both",
    "MUST",
    "a request is answered with JSON or an event stream, and the client understands both",
    test("platform/test/HttpServer.test.ts", "answers with plain JSON and its length where nothing was said before"),
    test("core/test/HttpAnswer.test.ts", "arrives with its exchange and the head of its response"),
    kase("c-init-as-sse")
  ),
  november(
    sending,
    "client",
    "SHOULD",
    "a stream that ends after an event id is asked for again",
    test("runtime/test/Calls.test.ts", "is resumed again and again, each time from where it ended"),
    kase("c-init-sse-priming-event")
  ),
  november(
    sending,
    "client",
    "MUST",
    "the wait that a stream asks for is kept",
    test(
      "runtime/test/Calls.test.ts",
      "goes on by GET from the last event, when the time has come that the server asked for"
    )
  ),
  http(
    sending,
    "server",
    "SHOULD",
    "a stream brings the answer and then ends",
    test("runtime/test/admission/Speaking.test.ts", "turns the response into a stream that the answer ends")
  ),
  of(["2025-03-26", "2025-06-18"], "basic/transports")(
    sending,
    "server",
    "SHOULD NOT",
    "a stream ends before it has brought the answer, unless its session does",
    test("runtime/test/admission/Speaking.test.ts", "turns the response into a stream that the answer ends"),
    test("runtime/test/admission/Speaking.test.ts", "ends when the session does")
  ),
  http(
    sending,
    "server",
    "SHOULD",
    "what comes on a stream before the answer belongs to its request",
    test(
      "runtime/test/admission/Speaking.test.ts",
      "is a request on the stream of the legacy request, answered by a POST in its session"
    ),
    test("runtime/test/admission/Speaking.test.ts", "is nothing once the answer is out or the client has gone")
  ),
  http(
    sending,
    "server",
    "SHOULD NOT",
    "a broken connection is taken for a cancellation",
    test(
      "platform/test/HttpServer.test.ts",
      "serves a legacy request on whose client has gone, until a message cancels it"
    )
  ),
  http(
    sending,
    "client",
    "SHOULD",
    "a request is cancelled by a message",
    test("node/test/Connection.test.ts", "a legacy request that is interrupted is cancelled, and has its stream closed")
  ),
  http(
    "listening-for-messages-from-the-server",
    "client",
    "MUST",
    "a GET accepts event streams",
    test("node/test/HttpClient.test.ts", "gets a stream and deletes a session without a body"),
    rung("accept")
  ),
  http(
    "listening-for-messages-from-the-server",
    "server",
    "MUST",
    "a GET is answered with an event stream or 405",
    rung("http-method"),
    test("runtime/test/admission/Listening.test.ts", "is 405 where the owner has no listener")
  ),
  http(
    "listening-for-messages-from-the-server",
    "server",
    "MUST NOT",
    "an answer comes on the stream of a GET that resumes nothing",
    test(
      "runtime/test/admission/Listening.test.ts",
      "opens by GET, carries notifications and questions, and ends with its listener"
    )
  ),
  http(
    "listening-for-messages-from-the-server",
    "server",
    "SHOULD",
    "what comes on the stream of a GET belongs to no request that is under way",
    test(
      "runtime/test/admission/Listening.test.ts",
      "opens by GET, carries notifications and questions, and ends with its listener"
    )
  ),
  http(
    "multiple-connections",
    "server",
    "MUST",
    "a message goes out on one stream only",
    test("runtime/test/admission/Listening.test.ts", "is one at a time: the latest takes the place of the one before")
  ),
  http(
    "resumability-and-redelivery",
    "client",
    "SHOULD",
    "a stream is resumed by GET with the last event id",
    test("node/test/Connection.test.ts", "a legacy stream that is cut goes on by GET from its last event"),
    test("runtime/test/Listening.test.ts", "that was cut after an event goes on from it, when the server wants it to")
  )
]

export const legacySessions: ReadonlyArray<Requirement> = [
  http(
    "session-management",
    "server",
    "SHOULD",
    "a session id cannot be guessed",
    test("runtime/test/admission/Sessions.test.ts", "begin with each initialize, under an id that nobody can guess"),
    law("one-handshake")
  ),
  http(
    "session-management",
    "server",
    "MUST",
    "a session id is visible ASCII",
    kase("s-session-id-visible-ascii"),
    test("core/test/HttpHead.test.ts", "keeps a session id of 1024 characters")
  ),
  http(
    "session-management",
    "client",
    "MUST",
    "a session id that was given is sent with every later request",
    test("core/test/Envelope.test.ts", "leaves the message untouched and names revision and session in headers"),
    law("handshakes-are-completed"),
    kase("c-session-id-is-carried")
  ),
  http(
    "session-management",
    "server",
    "SHOULD",
    "a request without the session id that it needs is answered 400",
    rung("legacy.session-missing"),
    kase("s-missing-session-is-400")
  ),
  http(
    "session-management",
    "server",
    "MUST",
    "a session that has ended is answered 404",
    rung("legacy.session-unknown"),
    law("closed-is-final"),
    test("runtime/test/admission/Sessions.test.ts", "end by DELETE, and are answered 404 from then on")
  ),
  http(
    "session-management",
    "client",
    "MUST",
    "on a 404 in a session a new one is opened, without its id",
    test("runtime/test/Sessions.test.ts", "opens one new session without the old id, and is sent once more in it"),
    kase("c-404-on-session-starts-a-new-one")
  ),
  http(
    "session-management",
    "client",
    "SHOULD",
    "a session that is no longer needed is deleted",
    law("sessions-are-tidy"),
    law("failed-is-known"),
    test("runtime/test/Sessions.test.ts", "deletes the session, in the legacy era over HTTP alone")
  ),
  httpSinceJune(
    "protocol-version-header",
    "client",
    "MUST",
    "every later request names the revision in MCP-Protocol-Version",
    test("core/test/Envelope.test.ts", "leaves the message untouched and names revision and session in headers"),
    kase("c-initialize-itself-carries-no-version-header")
  ),
  httpSinceJune(
    "protocol-version-header",
    "client",
    "SHOULD",
    "that revision is the one negotiated",
    law("handshakes-are-completed"),
    law("held-twice-the-same"),
    kase("c-later-header-is-the-negotiated-version")
  ),
  httpSinceJune(
    "protocol-version-header",
    "server",
    "SHOULD",
    "without the header the session's revision holds, or else 2025-03-26",
    kase("s-version-header-absent-is-served"),
    test(
      "runtime/test/admission/Admission.test.ts",
      "serves each legacy request alone where the profile has no sessions"
    )
  ),
  httpSinceJune(
    "protocol-version-header",
    "server",
    "MUST",
    "an invalid or unsupported version header is answered 400",
    rung("legacy.version-header"),
    kase("s-unsupported-version-header-400")
  )
]
