// Requirements of the modern revision on the headers that mirror a body, and on their validation.
import { modernVersions } from "@parley/core/Version"
import type { Requirement } from "./Requirement.ts"
import { cell, kase, law, of, rung, test } from "./Requirement.ts"

const http = of(modernVersions, "basic/transports/streamable-http")

export const modernHeaders: ReadonlyArray<Requirement> = [
  http(
    "protocol-version-header",
    "client",
    "MUST",
    "every POST names its revision in MCP-Protocol-Version",
    test("core/test/Envelope.test.ts", "names the revision that is asked for")
  ),
  http(
    "protocol-version-header",
    "server",
    "MUST",
    "a version header that differs from the body is refused with 400 and -32020",
    rung("modern.version-header"),
    cell("server.AwaitingOpening.HeadersDisagree"),
    kase("2-version-disagrees-http")
  ),
  http(
    "protocol-version-header",
    "server",
    "MUST",
    "a revision that is not served is refused with 400, -32022 and the list",
    rung("modern.version-served"),
    law("one-list")
  ),
  http(
    "protocol-version-header",
    "server",
    "MUST",
    "an unknown method is refused with 404 and -32601",
    rung("modern.method"),
    cell("server.AwaitingOpening.MethodUnknown")
  ),
  http(
    "protocol-version-header",
    "server",
    "MUST",
    "a server without older clients refuses a request that lacks the version header",
    rung("modern.envelope-header"),
    law("modern-only-names-its-versions")
  ),
  http(
    "standard-request-headers",
    "both",
    "MUST",
    "Mcp-Method names the method, and Mcp-Name the name or the uri of tools/call, prompts/get and resources/read",
    rung("modern.mcp-method"),
    rung("modern.mcp-name"),
    test("core/test/Envelope.test.ts", "tools/call: the specification's example")
  ),
  http(
    "standard-request-headers",
    "client",
    "MUST",
    "a name that no header can carry is encoded",
    test("core/test/Envelope.test.ts", "a method that no header can carry is encoded, so that it cannot add one"),
    kase("s-mcp-name-base64-is-decoded")
  ),
  http(
    "custom-headers-from-tool-parameters",
    "client",
    "MUST",
    "parameters that a tool marks are sent as headers",
    test("runtime/test/ToolMemory.test.ts", "has its marked parameters sent as headers, once it was listed"),
    test("core/test/Envelope.test.ts", "the specification's example")
  ),
  http(
    "schema-extension",
    "client",
    "MUST",
    "a mark names a token that is unique but for case, on a string, an integer or a boolean, reached by properties alone",
    test("core/test/ToolHeaders.test.ts", "names MUST be case-insensitively unique"),
    test("core/test/ToolHeaders.test.ts", "MUST match token syntax"),
    test("core/test/ToolHeaders.test.ts", "finds all in their order, at every depth of properties")
  ),
  http(
    "schema-extension",
    "client",
    "MUST",
    "a marked integer is one that JavaScript tells from its neighbours: another is sent in the body alone",
    test("core/test/Envelope.test.ts", "an integer beyond the safe range"),
    test("core/test/ToolHeaders.test.ts", "reads integers at a path, and no other number")
  ),
  http(
    "schema-extension",
    "client",
    "MUST",
    "a tool with a mark against these rules is left out of the list",
    test("core/test/ToolHeaders.test.ts", "one bad annotation makes the whole definition invalid"),
    test("runtime/test/ToolMemory.test.ts", "whose annotations are invalid is left out, with a warning that names it")
  ),
  http(
    "schema-extension",
    "client",
    "SHOULD",
    "leaving a tool out is logged with its name and the reason",
    test("runtime/test/ToolMemory.test.ts", "whose annotations are invalid is left out, with a warning that names it")
  ),
  http(
    "value-encoding",
    "client",
    "MUST",
    "a value that is no plain header text, or looks encoded, is sent as Base64 between the exact markers",
    test("core/test/Envelope.test.ts", "a value that needs it is encoded, and none can add a header"),
    test("core/test/Envelope.test.ts", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=")
  ),
  http(
    "value-encoding",
    "server",
    "MUST",
    "an encoded header is decoded before it is compared",
    test("core/test/server/HeaderValue.test.ts", "compares what a value stands for, decoded"),
    kase("s-mcp-name-base64-is-decoded")
  ),
  http(
    "client-behavior",
    "client",
    "MUST",
    "tools/call carries method, name and each marked value that is present",
    test("core/test/Envelope.test.ts", "integers are decimal, booleans lower case, nested properties at their path")
  ),
  http(
    "client-behavior",
    "client",
    "SHOULD",
    "after a refusal for headers the tools are listed again, and the call is sent once more",
    test(
      "runtime/test/ToolMemory.test.ts",
      "refused for its headers is listed again, page by page, and called once more"
    )
  ),
  http(
    "server-behavior-for-custom-headers",
    "server",
    "MUST",
    "each marked value equals its header, decoded; otherwise 400 and -32020",
    rung("modern.mcp-param"),
    test("core/test/server/Weigh.test.ts", "wants each marked value in its header, equal when decoded")
  ),
  http(
    "server-behavior-for-custom-headers",
    "server",
    "MUST",
    "a marked value's header with characters that no header may hold is refused",
    rung("modern.mcp-param"),
    test("core/test/server/HeaderValue.test.ts", "does not take a value for a text that it does not stand for")
  ),
  http(
    "server-behavior-for-custom-headers",
    "server",
    "MUST NOT",
    "a header is expected for a value that is null or absent",
    test(
      "core/test/server/Weigh.test.ts",
      "expects no header where the value is null or absent, and refuses one that is there"
    )
  ),
  http(
    "case-sensitivity",
    "both",
    "MUST",
    "header names are compared without regard to case",
    kase("s-odd-header-case")
  ),
  http(
    "server-validation",
    "server",
    "MUST",
    "headers that contradict the body, or are missing, are refused with 400 and -32020",
    rung("modern.version-header"),
    rung("modern.mcp-method"),
    rung("modern.mcp-name"),
    rung("modern.mcp-param"),
    law("refusals-change-nothing")
  ),
  http(
    "server-validation",
    "server",
    "SHOULD",
    "integers are compared as numbers",
    test("core/test/server/HeaderValue.test.ts", "compares integers as numbers, and nothing that is no number")
  ),
  http(
    "backward-compatibility",
    "client",
    "SHOULD",
    "on a 400 the body is read before falling back, and a modern error there is believed",
    law("http-precedence"),
    law("modern-pairs-stay-modern"),
    law("modern-errors-are-believed"),
    cell("discoverFirst.Discovering.HttpRefused"),
    cell("discoverFirst.Discovering.ModernSign")
  ),
  http(
    "earlier-streamable-http-revisions",
    "server",
    "SHOULD",
    "a server of this revision alone answers GET and DELETE with 405",
    rung("http-method"),
    kase("2-get-modern-only-http"),
    kase("2-delete-modern-only-http")
  ),
  http(
    "earlier-streamable-http-revisions",
    "server",
    "SHOULD",
    "session ids and Last-Event-ID on a modern request are ignored",
    test("core/test/server/Laws.test.ts", "a modern request is judged alone: what a session says changes nothing")
  )
]
