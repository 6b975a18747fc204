// Requirements of the handshake revisions on messages, ping and cancellation. Where all of them say the same they are one.
import { legacyVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const sinceMarch = legacyVersions.filter((version) => version >= "2025-03-26")
const messages2024 = of(["2024-11-05"], "basic/messages")
const index = of(sinceMarch, "basic/index")
const march = of(["2025-03-26"], "basic/index")
const ping = of(legacyVersions, "basic/utilities/ping")
const cancellation = of(legacyVersions, "basic/utilities/cancellation")

const messages = (page: typeof index, requests: string, responses: string): ReadonlyArray<Requirement> => [
  page(
    requests,
    "both",
    "MUST",
    "a message is JSON-RPC 2.0, and the id of a request a string or an integer, never null",
    rung("shape"),
    kase("s-id-null-is-refused"),
    test("core/test/Message.test.ts", "guards tell the kinds apart")
  ),
  page(
    requests,
    "client",
    "MUST NOT",
    "an id is used twice in a session",
    law("time-is-budgeted"),
    law("one-at-a-time"),
    test("runtime/test/Calls.test.ts", "does not harm the others, and its late answer is nobody's")
  ),
  page(
    responses,
    "both",
    "MUST",
    "a response bears the id of its request, and a result or an error with an integer code, never both",
    law("every-request-one-answer"),
    law("answered-once"),
    law("only-the-exact-id-answers")
  ),
  page(
    "notifications",
    "both",
    "MUST NOT",
    "a notification has an id",
    rung("shape"),
    test("core/test/Message.test.ts", "guards tell the kinds apart"),
    test("core/test/Envelope.test.ts", "carries the negotiated revision, and the session if there is one")
  )
]

export const legacyMessages: ReadonlyArray<Requirement> = [
  of(legacyVersions, "basic/index")(
    "",
    "both",
    "MUST",
    "the base protocol and the lifecycle are supported",
    test("vectors/test/Matrix.test.ts", "a dual-era client agrees with a server of any one revision"),
    law("nothing-before-the-handshake"),
    law("handshake-only-knows-no-envelope")
  ),
  ...messages(messages2024, "requests", "responses"),
  ...messages(index, "requests", "responses"),
  index(
    "notifications",
    "both",
    "MUST NOT",
    "a notification is answered",
    law("every-request-one-answer"),
    law("answered-once")
  ),
  march(
    "batching",
    "server",
    "MUST",
    "batches are received",
    rung("legacy.batch"),
    test("core/test/server/Pipe.test.ts", "reads a batch at 2025-03-26, member by member, to be answered in one array"),
    kase("2-batch-http")
  ),
  march(
    "batching",
    "client",
    "MUST",
    "batches are received",
    test("core/test/PipeAnswer.test.ts", "gives each message of a batch, and one stray for what is none"),
    kase("1a-body-batch")
  ),
  ping(
    "behavior-requirements",
    "both",
    "MUST",
    "a ping is answered promptly with an empty result",
    cell("server.AwaitingOpening.Ping"),
    cell("server.Serving.Ping"),
    law("answered-once"),
    kase("s-ping-before-initialize")
  ),
  cancellation(
    "behavior-requirements",
    "client",
    "MUST NOT",
    "initialize is cancelled",
    test("runtime/test/Calls.test.ts", "is never cancelled where it is initialize"),
    test("testing/test/ClientCheck.test.ts", "initialize is never cancelled")
  ),
  cancellation(
    "behavior-requirements",
    "client",
    "SHOULD",
    "the answer to a cancelled request is ignored",
    test("runtime/test/Calls.test.ts", "does not harm the others, and its late answer is nobody's")
  )
]
