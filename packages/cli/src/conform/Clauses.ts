// Which clause stands behind what: of what a client puts into its messages, of the cells that it meets, of the rungs on
// which a server refuses, of a server's answers. Places and levels are those of the requirements.
import { grounds } from "@parley/core/server/Grounds"
import { ladder } from "@parley/core/server/Ladder"
import { allVersions } from "@parley/core/Version"
import { cells } from "@parley/vectors/Cells"
import { requirements } from "@parley/vectors/requirements/All"
import type { Requirement } from "@parley/vectors/requirements/Requirement"
import type { Clause } from "./Difference.ts"

/** What a client's messages must hold, whatever its policy. */
export const ofMessages = {
  opening: must("basic/lifecycle#initialization", "initialize comes before anything else is said"),
  jsonRpc: must("basic/index#messages", "every message is a JSON-RPC 2.0 message"),
  id: must("basic/index#requests", "a request has an id that is a string or an integer"),
  initializeParams: must(
    "basic/lifecycle#initialization",
    "initialize carries the revision, the client's capabilities and who it is"
  ),
  envelope: must("basic/index#meta", "every request carries its revision and the client's capabilities in _meta"),
  clientInfo: should("basic/index#meta", "every request says who the client is"),
  accept: must("basic/transports/streamable-http#sending-messages", "a POST accepts JSON and event streams"),
  versionHeader: must(
    "basic/transports/streamable-http#protocol-version-header",
    "every POST names its revision in MCP-Protocol-Version"
  ),
  methodHeader: must("basic/transports/streamable-http#standard-request-headers", "Mcp-Method names the method"),
  laterVersionHeader: must(
    "basic/transports#protocol-version-header",
    "every later request names the revision in MCP-Protocol-Version"
  ),
  session: must("basic/transports#session-management", "a session id that was given is sent with every later request")
} as const

/** What a server's answers must hold, beside their codes and statuses. */
export const ofAnswers = {
  resultId: must("basic/index#result-responses", "a result bears the id of its request"),
  errorId: must("basic/index#error-responses", "an error bears the id of its request, unless the id could not be read"),
  answered: must("basic/index#result-responses", "a request is answered"),
  unanswered: must("basic/index#notifications", "a notification is not answered"),
  accepted: must("basic/transports/streamable-http#sending-messages", "an accepted notification is answered with 202"),
  initialize: must("basic/lifecycle#initialization", "the answer tells the server's capabilities and who it is"),
  version: must(
    "basic/lifecycle#version-negotiation",
    "a revision that is served is answered with itself, any other with one that is served"
  ),
  discover: must("server/discover", "server/discover tells the revisions and the capabilities"),
  resultType: must("basic/index#result-responses", "a result says of what type it is"),
  serverInfo: should("server/discover#discoverresult", "a DiscoverResult says in its _meta who the server is"),
  served: choice("what a server says that it can do, it does"),
  ping: page("ping: a ping is answered with an empty result"),
  supported: must(
    "basic/versioning#protocol-version-negotiation",
    "a request at a revision that is not served is refused with -32022 and the list of those that are"
  ),
  alive: choice("no input ends a server")
} as const

/** Returns the clause behind a cell of a client's table: the requirement that decides there, else the cell's own reason. */
export const ofCell = (id: string, medium: string): Clause => {
  const says = reasons.get(id) ?? "the table says so"
  if (!decidingCells.has(id)) return inWords(says)
  return strongest(
    requirements.filter((one) => one.who !== "server" && keeps(one, "Cell", id) && isOn(medium, one)),
    says
  )
}

/**
 * Returns the clause behind a rung or ground: the requirement that demands the refusal of a server of these revisions, else
 * the rung's own reason.
 */
export const ofRung = (id: string, medium: string, served: ReadonlyArray<string> = allVersions): Clause => {
  const says = [...ladder, ...grounds].find((ground) => ground.id === id)?.because ?? "Parley's server refuses it"
  if (!demandedRungs.has(id) && !id.startsWith("modern.")) return inWords(says)
  return strongest(
    requirements.filter(
      (one) =>
        one.who !== "client" &&
        keeps(one, "Rung", id) &&
        isOn(medium, one) &&
        one.revisions.some((revision) => served.includes(revision))
    ),
    says
  )
}

// A cell or a rung may keep a requirement by more than its decision. These are the ones where the requirement says what
// must happen there; the others speak for themselves.
const decidingCells: ReadonlySet<string> = new Set([
  "auto.Initializing.Corrected",
  "auto.Initializing.Refused",
  "auto.Initializing.StrangerNamed",
  "discoverFirst.Discovering.Corrected",
  "discoverFirst.Discovering.Disjoint",
  "discoverFirst.Discovering.Ended",
  "discoverFirst.Discovering.Garbled",
  "discoverFirst.Discovering.HttpRefused",
  "discoverFirst.Discovering.MethodMissing",
  "discoverFirst.Discovering.ModernSign",
  "discoverFirst.Discovering.Refused",
  "discoverFirst.Discovering.Silence"
])
const demandedRungs: ReadonlySet<string> = new Set([
  "origin",
  "legacy.session-missing",
  "legacy.session-unknown",
  "legacy.version-header"
])

const reasons: ReadonlyMap<string, string> = new Map(cells.map(({ because, id }) => [id, because]))

const keeps = ({ keptBy }: Requirement, tag: "Cell" | "Rung", id: string): boolean =>
  keptBy.some((owner) => owner._tag === tag && owner.id === id)

// A page on one carrier demands nothing on the other.
const isOn = (medium: string, { place }: Requirement): boolean =>
  !place.startsWith(`basic/transports/${medium === "http" ? "stdio" : "streamable-http"}`)

const strongest = (found: ReadonlyArray<Requirement>, says: string): Clause => {
  const [first] = found.toSorted((one, other) => Number(one.level > other.level) - Number(one.level < other.level))
  return first === undefined ? inWords(says) : { level: first.level, place: first.place, says }
}

const inWords = (says: string): Clause => ({
  level: pages.test(says) && !says.includes("is silent") ? "page" : "choice",
  place: "",
  says
})

// How a reason begins that cites a page.
const pages =
  /^(?:\d{4}-\d{2}-\d{2} )?(?:JSON-RPC 2\.0|authorization|cancellation|changelog|index|lifecycle|server\/discover|stdio|streamable-http|transports|versioning)\b[^:]*: /

function must(place: string, says: string): Clause {
  return { level: "MUST", place, says }
}

function should(place: string, says: string): Clause {
  return { level: "SHOULD", place, says }
}

function page(says: string): Clause {
  return { level: "page", place: "", says }
}

/** Returns a clause of Parley's own: the specification leaves it open. */
export function choice(says: string): Clause {
  return { level: "choice", place: "", says }
}
