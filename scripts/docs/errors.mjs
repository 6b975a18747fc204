// The page docs/errors.md: for every class of core's Errors.ts what it means and what to do, from here; whose fault it is,
// where it occurs and what it looks like, from the classes. A class without an entry is an error of the build.
import { readFileSync } from "node:fs"
import "../register.mjs"

const Errors = await import("@parley/core/Errors")

const entries = {
  UnsupportedProtocolVersion: {
    make: { requested: "2025-11-25", supported: ["2026-07-28"] },
    means:
      "The two sides share no revision, or one named a revision that the other does not speak. `requested` is what was asked for, `supported` what the refusing side listed, `named` what a server answered instead. With a pinned policy `cause` is the refusal that is no question of versions by itself.",
    todo: "Allow one of `supported` in the policy (`Policy.withVersions`, or another preset), or upgrade the older side. `detail`, where it is there, names the remedy."
  },
  MethodNotFound: {
    make: { method: "server/discover" },
    means:
      "The other side does not know the method (-32601). In an opening both methods were asked for, or the policy allows only one; `cause` is the second refusal. A handler may fail with it too, and the client gets the code and status of its era.",
    todo: "Check that the address is an MCP endpoint. With `pinned(version)` or `handshakeOnly`, allow the other era."
  },
  Timeout: {
    make: { phase: "initialize", waitedMillis: 30000 },
    means:
      "Nothing came in time. `phase` says in which wait: `initialize`, `server/discover`, `negotiation` (the whole), `request`; on a server `opening`, `initialized`, `idle`, `request`. Under `auto` it never leads to the other era.",
    todo: "Give more time (`Policy.withBudgets`, `requestMillis`), retry (`Retry.transient`, `Retry.coldStart` for slow starts), or look at the server's log."
  },
  MalformedInit: {
    make: { method: "initialize", path: "result.protocolVersion", problem: "it is no string" },
    means:
      "The opening message, or its answer, lacks what its revision demands; `path` names the member. On a client the server's answer is meant, on a server the client's request.",
    todo: "The side that wrote it must be mended. `parley probe --trace` shows the step that saw it."
  },
  MissingInit: {
    make: { method: "tools/list" },
    means: "A server got a legacy request before `initialize`. It answers -32600 and goes on.",
    todo: "In the client: send `initialize` first, or the request envelope of 2026-07-28. Behind a load balancer: see that sessions reach a node that knows them."
  },
  InitializeRejected: {
    make: { method: "initialize", code: -32603, serverMessage: "license expired" },
    means:
      "The server answered the opening with an error that says nothing about versions. `code`, `serverMessage` (bounded, on one line) and `data` are the server's own.",
    todo: "Read the server's words and its log. Another revision would not help, so that nothing else is tried."
  },
  HeaderMismatch: {
    make: { header: "Mcp-Method", expected: "tools/list", received: "(nothing)" },
    means:
      "A header is missing, or says something else than the body (-32020). Parley writes both from one value, so that on a client something between the two has usually changed a header. A connection lists the tools again and tries once more before it tells.",
    todo: "Look at proxies and gateways that strip or rewrite `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*`."
  },
  MissingRequiredClientCapability: {
    make: { requiredCapabilities: { sampling: {} } },
    means:
      "The request needs a capability that the client did not declare (-32021). A server's profile (`requires`) or its handler says so.",
    todo: "Declare it in `client.capabilities` and answer it with `onRequest`, or do not call this."
  },
  InvalidEnvelope: {
    make: { key: "io.modelcontextprotocol/clientCapabilities", problem: "it is missing" },
    means:
      "A server got a request of a modern revision whose `_meta` lacks a key or holds a wrong one (-32602). The answer names the key.",
    todo: "Mend the client. Parley's own clients always send the whole envelope."
  },
  InvalidMessage: {
    make: { code: -32700, problem: "it is no JSON" },
    means: "A server got what is no JSON (-32700), no JSON-RPC message, or one that has no place here (-32600).",
    todo: "Mend the client; `problem` says what is wrong. The next message is read all the same."
  },
  SessionUnknown: {
    make: { problem: "unknown" },
    means:
      "The legacy HTTP session has ended, or never was. A connection opens a new one by itself, once, unless `onLostSession` is `fail`.",
    todo: "Connect again. If it happens often, the server's sessions live in the memory of one node: see [serving](serving.md#sessions)."
  },
  OriginRefused: {
    make: { header: "Host", received: "mcp.example.com" },
    means:
      "A server got a request whose `Origin` or `Host` its profile does not list (403). It protects servers on a developer's machine from web pages. Default: loopback alone.",
    todo: "If the name is yours, add it to `hosts` or `origins` of the profile."
  },
  PayloadTooLarge: {
    make: { limitBytes: 4194304 },
    means:
      "A server got a body or a line over its limit (413 over HTTP). A line is skipped to its end, and the next one is read.",
    todo: "Send less, or raise `limits.bodyBytes` or `limits.lineBytes` of the profile."
  },
  Unauthorized: {
    make: {
      status: 401,
      challenge: 'Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource"'
    },
    means:
      "The server demands a credential (401) or denies access (403). Never a verdict on the era: nothing else is tried. `challenge` is its `WWW-Authenticate`.",
    todo: "Give `headers` to the carrier, as a value or as an Effect that is run for each request; `onChallenge` may renew a token once."
  },
  Busy: {
    make: { status: 503, retryAfterMillis: 2000 },
    means: "The server is overloaded or not ready (408, 429, 503). Never a verdict on the era.",
    todo: "`Effect.retry(Retry.respectingRetryAfter(Retry.transient))` waits for as long as the server asked, up to a bound of yours."
  },
  TransportFailure: {
    make: {
      reason: "The program ended before it answered (exit code 1).",
      exitCode: 1,
      stderr: "Error: DATABASE_URL is not set",
      retryable: true
    },
    means:
      "The carrier failed, or what came back is no MCP: a refused or broken connection, a name that does not resolve, a status without a JSON-RPC body, a web page, a program that cannot be started or ended. `retryable` differs from case to case, and so does `fault`: `peer` where something came back or its program ended, else `network` where trying again can help, else `owner`.",
    todo: "Read `reason`, `status`, `head` (the beginning of what came instead), `exitCode` and `stderr` (the end of what a program wrote there)."
  },
  PolicyForbids: {
    make: { policy: "pinned:2026-07-28", what: "this client knows the handshake only" },
    means:
      'The policy, or the client that it is used with, cannot open at all. Told before a byte is sent: `pinned("2026-07-28")` with a client of SDK 1.x, a pin to what is no revision.',
    todo: "Choose another policy, or a client that lives in that era. `what` names the remedy where one is known."
  },
  ErrorResponse: {
    make: { method: "tools/call", code: -32000, serverMessage: "the index is being rebuilt" },
    means: "After the opening: the server answered a request with an error that has no meaning of its own here.",
    todo: "It is an answer, not a failure of the connection: read `code`, `serverMessage` and `data`."
  },
  MalformedResult: {
    make: { method: "tools/list", path: "result.resultType", problem: 'the kind "later" is not known' },
    means: "After the opening: the answer to a request is no result that its revision allows.",
    todo: "The server must be mended. Kinds of result from an extension that both sides declared are allowed by `resultTypes`."
  }
}

const wrappers = {
  NegotiationError:
    "what `Negotiation.negotiate` and `Connection.connect` fail with. `trace` holds every step that led there.",
  RequestError: "what `connection.request` and `connection.notify` fail with. `method` is the one that was called.",
  AdmissionError: "what a server's `onRefused` is told, after the client was answered."
}

/** Returns the page, or throws where a class has no entry, an entry no class, or a sample no message. */
export const errorsPage = () => {
  const classes = Object.entries(Errors)
    .filter(([, value]) => typeof value === "function")
    .map(([name]) => name)
  const told = [...Object.keys(entries), ...Object.keys(wrappers)]
  for (const name of classes) if (!told.includes(name)) throw new Error(`scripts/docs/errors.mjs lacks ${name}`)
  for (const name of told) if (!classes.includes(name)) throw new Error(`core has no error ${name}`)
  return `${[...head(), ...Object.entries(entries).flatMap(section)].join("\n")}\n`
}

const head = () => [
  "<!-- Generated by `npm run docs` from packages/core/src/Errors.ts and scripts/docs/errors.mjs. Do not edit by hand. -->",
  "",
  "# Errors",
  "",
  "Every failure has a tag. Three classes carry a `reason`, which is one of the tags below:",
  "",
  ...Object.entries(wrappers).map(([name, text]) => `- \`${name}\` is ${text}`),
  "",
  "Each reason says whose `fault` it is (`peer`: the other side; `network`: what lies between; `owner`: this side's policy or profile; `caller`: whoever makes the call) and whether trying again can help (`retryable`). Its `message` is made of its fields: what happened, then what to do about it. A server's own text is bounded before it is kept, and credentials never are.",
  "",
  "| tag | fault | retryable | opening | request | admission |",
  "| --- | --- | --- | --- | --- | --- |",
  ...Object.entries(entries).map(([name, { make }]) => {
    const [opening, request, admission] = places.map((place) => (place.has(name) ? "yes" : ""))
    return `| [${name}](#${name.toLowerCase()}) | ${fault(name, make)} | ${retryable(name, make)} | ${opening} | ${request} | ${admission} |`
  }),
  "",
  "_opening_: in a `NegotiationError`; _request_: in a `RequestError`; _admission_: in an `AdmissionError`. A `RequestError` may also have a whole `NegotiationError` as its reason, where a lost session could not be opened anew.",
  "",
  "```ts run",
  'import { HttpClient } from "@parley/node"',
  'import { Connection } from "@parley/runtime"',
  'import { Console, Effect } from "effect"',
  "",
  "const connecting = Connection.connect({",
  '  transport: HttpClient.make({ url: "http://127.0.0.1:1/mcp" }),',
  '  client: { info: { name: "my-app", version: "1.0.0" }, capabilities: {} }',
  "})",
  "",
  "const program = connecting.pipe(",
  "  Effect.asVoid,",
  '  Effect.catchReason("NegotiationError", "Unauthorized", ({ status }) => Console.log(`sign in first (${status})`)),',
  '  Effect.catchTag("NegotiationError", ({ fault, message, reason, retryable }) =>',
  '    Console.log(`${reason._tag} (${fault}${retryable ? ", retryable" : ""}): ${message}`)',
  "  )",
  ")",
  "",
  "await Effect.runPromise(Effect.scoped(program))",
  "",
  "// prints TransportFailure (network, retryable)",
  "```"
]

const section = ([name, { make, means, todo }]) => {
  const error = new Errors[name](make)
  return [
    "",
    `## ${name}`,
    "",
    `Fault: ${fault(name, make)}. Retryable: ${retryable(name, make)}.`,
    "",
    means,
    "",
    `**What to do.** ${todo}`,
    "",
    "```text",
    `${name}: ${error.message}`,
    "```"
  ]
}

// What differs from case to case an error is told when it is made.
const differs = (make) => "retryable" in make

const fault = (name, make) => (differs(make) ? "it says itself" : new Errors[name](make).fault)

const retryable = (name, make) => (differs(make) ? "it says itself" : new Errors[name](make).retryable ? "yes" : "no")

// Which tags a union of Errors.ts names.
const source = readFileSync(new URL("../../packages/core/src/Errors.ts", import.meta.url), "utf8")
const places = ["NegotiationReason", "RequestReason", "AdmissionReason"].map((union) => {
  const [, members = ""] = new RegExp(`export type ${union} =\\n((?:  \\| \\w+\\n)+)`).exec(source) ?? []
  return new Set(members.match(/\w+/g))
})
