// Requirements of the modern revision on Streamable HTTP: endpoint, messages, answers, cancellation.
import { modernVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const http = of(modernVersions, "basic/transports/streamable-http")

export const modernHttp: ReadonlyArray<Requirement> = [
  http(
    "",
    "server",
    "MUST",
    "there is one endpoint, and it takes POST",
    rung("http-method"),
    test("platform/test/HttpServer.test.ts", "stands beside other routes, at its path alone")
  ),
  http(
    "security-endpoint",
    "server",
    "MUST",
    "the Origin of every request is checked, and a foreign one is answered 403",
    rung("origin"),
    rung("host"),
    test("core/test/server/HeadRungs.test.ts", "let loopback origins and hosts in by default, and nobody else")
  ),
  http(
    "sending-messages",
    "client",
    "MUST",
    "every message is a POST of its own",
    test(
      "node/test/HttpClient.test.ts",
      "posts JSON that asks for both types, in one piece, with the headers of the message"
    )
  ),
  http(
    "sending-messages",
    "client",
    "MUST",
    "a POST accepts JSON and event streams",
    test(
      "node/test/HttpClient.test.ts",
      "posts JSON that asks for both types, in one piece, with the headers of the message"
    ),
    kase("c-accept-lists-both-types"),
    rung("accept")
  ),
  http(
    "sending-messages",
    "client",
    "MUST",
    "a POST carries the headers that mirror its body",
    kase("c-discover-carries-routing-headers"),
    test("core/test/Envelope.test.ts", "carries the envelope, and its headers mirror it")
  ),
  http(
    "sending-messages",
    "client",
    "MUST",
    "a body is one request or one notification",
    rung("batch"),
    kase("2-batch-modern-only-http")
  ),
  http(
    "sending-messages",
    "client",
    "MUST NOT",
    "a response is sent to a modern server",
    test("runtime/test/Answers.test.ts", "no response is ever written")
  ),
  http(
    "sending-messages",
    "server",
    "MUST",
    "a notification that is taken is answered 202 without a body",
    cell("server.AwaitingOpening.Notification"),
    kase("2-note-modern-only-http")
  ),
  http(
    "sending-messages",
    "server",
    "MUST",
    "a notification that is not taken is answered with an error status",
    law("every-request-one-answer"),
    kase("2-note-refused-http")
  ),
  http(
    "sending-messages",
    "server",
    "MUST",
    "a request is answered with JSON or with an event stream",
    test("platform/test/HttpServer.test.ts", "answers with plain JSON and its length where nothing was said before"),
    test("platform/test/HttpServer.test.ts", "streams what a handler says before its answer, unbuffered, and ends")
  ),
  http(
    "sending-messages",
    "client",
    "MUST",
    "JSON and event streams are both understood",
    test("core/test/HttpAnswer.test.ts", "arrives with its exchange and the head of its response"),
    test("core/test/HttpAnswer.test.ts", "is answered before it ends, and then its end and its cut tell nothing")
  ),
  http(
    "receiving-messages",
    "server",
    "MUST",
    "what comes on a stream before the answer belongs to its request",
    test("runtime/test/admission/Speaking.test.ts", "turns the response into a stream that the answer ends")
  ),
  http(
    "receiving-messages",
    "server",
    "MUST NOT",
    "a request of the server comes on a stream",
    test(
      "runtime/test/admission/Speaking.test.ts",
      "asks a modern client by input_required, and keeps what was answered before with the client"
    )
  ),
  http(
    "receiving-messages",
    "server",
    "SHOULD",
    "the answer ends its stream",
    test("runtime/test/admission/Speaking.test.ts", "turns the response into a stream that the answer ends")
  ),
  http(
    "receiving-messages",
    "server",
    "SHOULD",
    "a stream tells proxies not to hold it back",
    test("platform/test/HttpServer.test.ts", "streams what a handler says before its answer, unbuffered, and ends")
  ),
  http(
    "cancellation",
    "server",
    "MUST",
    "a closed stream cancels its request",
    test("platform/test/HttpServer.test.ts", "interrupts a modern request whose client has gone"),
    test(
      "node/test/Connection.test.ts",
      "a modern request that is interrupted has its stream closed, and nothing else is sent"
    )
  ),
  http(
    "cancellation",
    "server",
    "MUST NOT",
    "anything more is sent for a request whose stream was closed, and work on it stops soon (a SHOULD)",
    test("platform/test/HttpServer.test.ts", "interrupts a modern request whose client has gone"),
    test(
      "runtime/test/admission/Speaking.test.ts",
      "of a modern HTTP request is the closed response, before or during its stream"
    )
  )
]
