// What the meetings taught about the other side: each with the place where it is seen, so that it cannot outlive the
// library that it is about.
import type { Results } from "./Results.ts"

export interface Finding {
  readonly language: string
  readonly peer: string
  readonly does: string
  /** The clause that it breaks, or that allows it. */
  readonly clause: string
  readonly parley: string
  /** Whether it is (still) seen. */
  readonly seen: (results: Results) => boolean
}

const served = (library: string, carriage: string, policy: string, path: string) => (results: Results) =>
  results.servers.some(
    (row) =>
      row.library === library &&
      row.carriage === carriage &&
      row.policy === policy &&
      row.path.join(", ").startsWith(path)
  )

const sent = (library: string, mode: string, what: ReadonlyArray<string>) => (results: Results) =>
  results.clients.some(
    (row) => row.library === library && row.mode === mode && what.every((wanted) => row.sent.includes(wanted))
  )

export const findings: ReadonlyArray<Finding> = [
  {
    language: "python",
    peer: "mcp 1.28.1, stdio server",
    does: "Answers `server/discover` with -32602: a method that it does not know counts as one with bad parameters.",
    clause: "JSON-RPC 2.0, section 5.1: a method that does not exist is -32601.",
    parley: "Falls back: the fallback is not keyed to one code (stdio, Backward Compatibility).",
    seen: served("mcp 1.28.1", "stdio", "discoverFirst", "Refused -32602, Agreed")
  },
  {
    language: "python",
    peer: "mcp 1.28.1, HTTP server",
    does: "Answers the probe with -32600 and 400, for want of a session or of a revision that it knows.",
    clause: "2025-11-25, Session Management and Protocol Version Header: 400 is what it should say.",
    parley: "Falls back; the refusal is kept in the trace.",
    seen: served("mcp 1.28.1", "http", "discoverFirst", "Refused -32600, Agreed")
  },
  {
    language: "python",
    peer: "mcp 2.x and fastmcp clients, pinned",
    does: "Adopt 2026-07-28 unasked and send `tools/list` first of all.",
    clause: "versioning: `server/discover` is optional for a client that knows the revision.",
    parley: "Its servers take it: each modern request stands alone. A legacy server refuses it with -32600.",
    seen: sent("mcp 2.3.0", "pinned", ["tools/list 200"])
  },
  {
    language: "python",
    peer: "hermes-agent 0.19.0",
    does: "Sends HEAD, then GET, before the first POST, to see whether a web page lives there; lists the tools twice.",
    clause: "Streamable HTTP: a server answers a GET with a stream or with 405; HEAD is not mentioned.",
    parley:
      "Its server answers 405 to both without sessions, 400 to a GET where sessions are issued; the handshake follows.",
    seen: sent("hermes-agent 0.19.0", "only", ["HEAD 405", "initialize 200"])
  },
  {
    language: "python",
    peer: "mcp 1.28.1 and hermes-agent 0.19.0, clients of a modern-only server",
    does: "Over HTTP they turn the 400 into an HTTP error; the -32022 in its body, with the revisions served, is lost.",
    clause: "2026-07-28, Streamable HTTP: the body of a 400 may hold a JSON-RPC error.",
    parley: "Its refusal cannot reach their user over HTTP; on stdio it does.",
    seen: (results) =>
      results.clients.some(
        (row) => row.library === "mcp 1.28.1" && row.eras === "modern" && row.outcome === "HTTPStatusError"
      )
  },
  {
    language: "go",
    peer: "go-sdk 1.8.0, HTTP server with sessions",
    does: "Answers `server/discover`, but lists the handshake revisions alone, and serves no modern request.",
    clause: "versioning: a server lists the revisions that it supports; it need not be dual-era on every endpoint.",
    parley: "Initializes at the newest revision of the list. `pin:2026-07-28` fails and names the list.",
    seen: served("go-sdk 1.8.0", "http", "discoverFirst", "Countered 2025-11-25, Agreed")
  },
  {
    language: "java",
    peer: "java-sdk 2.1.0, HTTP server with sessions",
    does: "Answers the probe with a 400 that is no JSON-RPC error.",
    clause: "2025-11-25, Session Management: 400 without a session id; a JSON-RPC body is optional.",
    parley: "Falls back: a 4xx without a modern error is what a legacy server says.",
    seen: served("java-sdk 2.1.0", "http", "discoverFirst", "HttpRefused 400, Agreed")
  },
  {
    language: "rust",
    peer: "rmcp 0.8.5, stdio server",
    does: "Exits on any request before `initialize`, the probe included, without an answer.",
    clause:
      "JSON-RPC 2.0: every request gets a response. lifecycle: only pings may come earlier, but nothing says to exit.",
    parley:
      "Under discoverFirst and stateless the process is started once more and initialized there. `auto` never meets it.",
    seen: served("rmcp 0.8.5", "stdio", "discoverFirst", "Ended")
  },
  {
    language: "rust",
    peer: "rmcp 0.8.5, HTTP server",
    does: "Answers the probe with 415 and a line of text: any message but `initialize` counts as a wrong content type.",
    clause: "2025-03-26, Streamable HTTP: 400 for want of a session; 415 is about the content type alone (RFC 9110).",
    parley: "Falls back: any 4xx without a modern error is what a legacy server says.",
    seen: served("rmcp 0.8.5", "http", "discoverFirst", "HttpRefused 415, Agreed")
  },
  {
    language: "rust",
    peer: "rmcp 0.8.5, stdio client of a modern-only server",
    does: "Does not take the -32022 for the answer to its `initialize`, and waits for ever.",
    clause:
      "JSON-RPC 2.0: an error with the request's id is its response. 2025-03-26, lifecycle: a refusal is an error.",
    parley: "Answers once, at once, with the revisions served; the client has to bring its own deadline.",
    seen: (results) =>
      results.clients.some(
        (row) => row.library === "rmcp 0.8.5" && row.carriage === "stdio" && row.outcome === "Elapsed"
      )
  }
]

/** Returns the findings of a language that are seen no more, one sentence each. Only for whole runs. */
export const gone = (results: Results): ReadonlyArray<string> =>
  findings
    .filter((finding) => finding.language === results.language && !finding.seen(results))
    .map((finding) => `no longer seen: ${finding.peer}: ${finding.does}`)
