// A failed probe for a person: what was tried, what came back, whose fault it is, and what to do at this command line.
import type { Fault, NegotiationError, NegotiationReason, UnsupportedProtocolVersion } from "@parley/core/Errors"
import { Method } from "@parley/core/Message"
import { allVersions } from "@parley/core/Version"
import type { Finding } from "../Finding.ts"
import type { Entry } from "../Recording.ts"
import * as Target from "../Target.ts"
import type { Style } from "./Style.ts"
import { duration, hang, lastLines, oneLine, wrap } from "./Text.ts"

/** Returns the explanation as lines of at most so many columns. */
export const failure = (
  finding: Finding,
  error: NegotiationError,
  style: Style,
  columns: number
): ReadonlyArray<string> => {
  const { reason } = error
  const section = (title: string, paragraphs: ReadonlyArray<string>): ReadonlyArray<string> =>
    paragraphs
      .flatMap((paragraph) => wrap(paragraph, Math.max(20, columns - indent)))
      .map((text, index) => `  ${style.dim((index === 0 ? title : "").padEnd(indent - 2))}${text}`)
  return [
    ...hang(
      `${style.bad("No agreement")} with ${style.bold(Target.show(finding.target))}: ${reason._tag}`,
      columns,
      indent
    ),
    ...section("tried", tried(finding)),
    ...section("why", [oneLine(reason._tag === "TransportFailure" ? reason.reason : reason.message, 600)]),
    ...section("began", reason._tag === "TransportFailure" ? nonEmpty(oneLine(reason.head ?? "", 300)) : []),
    ...section("stderr", reason._tag === "TransportFailure" ? lastLines(reason.stderr ?? "") : []),
    ...section("fault", [faultOf(reason, finding)]),
    ...section("do", remedies(reason, finding)),
    ...section("more", [page(reason)])
  ]
}

/** Returns where the documents tell what an error means, and what else it may be: a page and its anchor. */
export const page = ({ _tag }: { readonly _tag: string }): string => `docs/errors.md#${_tag.toLowerCase()}`

/** Returns each request that was sent with what came back for it. */
export const tried = (finding: Finding): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let asked: string | undefined
  let answer: string | undefined
  const flush = (): void => {
    if (asked !== undefined || answer !== undefined) {
      lines.push(asked === undefined ? (answer ?? "") : `${asked} → ${answer ?? "no answer"}`)
    }
    asked = undefined
    answer = undefined
  }
  const why = finding.outcome._tag === "Failed" ? finding.outcome.error.message : ""
  for (const entry of finding.entries) {
    if (entry.kind === "request" && entry.from === "client") {
      flush()
      asked = told(entry)
    } else if (isOutcome(entry) && answer === undefined) {
      // What broke is told once, as the reason.
      answer = entry.kind === "lost" && why.includes(entry.detail) ? entry.what : told(entry)
    }
  }
  flush()
  const strays = finding.entries.filter((entry) => entry.kind === "noise")
  if (strays.length > 0) {
    const what =
      strays.length === 1 ? "1 line of output that is no MCP" : `${strays.length} lines of output that are no MCP`
    const first = strays[0]?.detail ?? ""
    lines.push(
      first === "" || why.includes(first) ? what : `${what}${strays.length === 1 ? "" : ", the first"}: ${first}`
    )
  }
  return lines.length === 0 ? ["nothing: it failed before a byte was sent"] : lines
}

const namesOnlyStrangers = ({ named, supported }: UnsupportedProtocolVersion): boolean => {
  const theirs = named === undefined ? supported : [named, ...supported]
  return theirs.length > 0 && !theirs.some((version) => allVersions.includes(version))
}

/** Returns what a person at this command line can do about it, the likeliest first. */
export const remedies = (
  reason: NegotiationReason,
  { entries, policy, target, totalMillis }: Finding
): ReadonlyArray<string> => {
  const auto =
    policy === "auto" ? [] : [`Try --policy auto: the policy ${oneLine(policy, 40)} may be what stands in the way.`]
  switch (reason._tag) {
    case "UnsupportedProtocolVersion":
      return policy === "auto" || namesOnlyStrangers(reason)
        ? ["Upgrade the older side: no policy reaches a revision that one side lacks."]
        : auto
    case "PolicyForbids":
      return [...auto, "parley probe --help lists the policies."]
    case "HeaderMismatch":
      return [...auto, "Look for a proxy that strips or rewrites headers."]
    case "MethodNotFound":
      return [...auto, ...(isEcho(entries) ? ["It sends back what it is sent."] : []), ...endpoint(target)]
    case "MissingRequiredClientCapability":
      return ["A probe declares no capabilities, so this server cannot be probed. Connect with a client that has them."]
    case "InitializeRejected":
      return [...auto, "Look for the reason in the server's log."]
    case "MalformedInit":
      return ["Tell whoever writes the server. --json keeps everything that came, as evidence."]
    case "Timeout":
      return [
        `Allow more time: --timeout ${Math.max(1, Math.ceil((totalMillis * 2) / 60_000))}min`,
        target._tag === "Stdio"
          ? "If the command installs something first, run it once by hand."
          : "Look at the server's log."
      ]
    case "Unauthorized":
      return [
        reason.status === 403
          ? "Use a credential that may do this."
          : 'Send a credential: --header "Authorization: Bearer …"'
      ]
    case "Busy":
      return [
        reason.retryAfterMillis === undefined
          ? "Try again in a while."
          : reason.retryAfterMillis === 0
            ? "Try again: the time that the server asks to wait is over."
            : `Try again in ${duration(reason.retryAfterMillis)}, as the server asks.`
      ]
    case "SessionUnknown":
      return ["Try again: a new session is opened."]
    case "TransportFailure":
      return target._tag === "Stdio"
        ? [`Run it by hand, it must stay up and write only MCP to standard output: ${Target.show(target)}`]
        : reason.status === undefined
          ? ["Check that the server is running and that the address and port are right."]
          : reason.status >= 300 && reason.status < 400
            ? ["Give the address to which it redirects, if that is yours to trust."]
            : reason.status >= 500
              ? ["Look at the server's log, or at the gateway before it."]
              : endpoint(target)
  }
}

// A client alone asks for these: who asks a client for them repeats what it read.
const isEcho = (entries: ReadonlyArray<Entry>): boolean =>
  entries.some(
    ({ from, kind, what }) =>
      from === "server" && kind === "request" && (what === Method.Initialize || what === Method.Discover)
  )

const endpoint = (target: Target.Target): ReadonlyArray<string> =>
  target._tag === "Http"
    ? ["Check the path of the URL: many servers answer at /mcp."]
    : ["Check that the command starts an MCP server, and not something else."]

const isOutcome = (entry: Entry): boolean =>
  entry.from === "server"
    ? entry.kind === "result" || entry.kind === "error" || entry.kind === "status"
    : entry.kind === "lost" || entry.kind === "closed"

const told = ({ detail, kind, status, what }: Entry): string => {
  if (kind === "request") return detail === "" ? what : `${what} ${detail}`
  const fact = detail === "" ? what : `${what} (${detail})`
  return status === undefined || kind === "status" ? fact : `${fact}, HTTP ${status}`
}

const nonEmpty = (text: string): ReadonlyArray<string> => (text === "" ? [] : [text])

// At a command line more is known than the error tells: whether it is about a command or an address, and how far it came.
const faultOf = (reason: NegotiationReason, { entries, target }: Finding): string => {
  const isCommand = target._tag === "Stdio"
  if (reason._tag === "Timeout" && isCommand) return "the server's: it is slow, or it waits for something"
  if (reason._tag === "Busy") return "the server's: it is overloaded, or not ready"
  if (reason._tag !== "TransportFailure") return faults[reason.fault]
  if (isCommand) {
    return entries.some(({ kind }) => kind === "opened")
      ? "the server's: it ended, or what it writes is no MCP"
      : "yours: the command cannot be started as it is written"
  }
  if (reason.status === undefined) return faults.network
  return reason.status >= 500
    ? "the server's, or a gateway's before it"
    : "the address's, or that of what answers there"
}

const faults: { readonly [fault in Fault]: string } = {
  peer: "the server's",
  network: "the way to the server: the network, a proxy, or a server that is down or slow",
  owner: "this side's policy, or a server too old or too new for it",
  caller: "yours: something is missing that the server asks for"
}

const indent = 10
