// What each word of the two alphabets means, in a sentence for the page. When an event means which is core's business.
import type { EvidenceTag } from "@parley/core/client/Evidence"
import type { EvidenceTag as ServerEvidenceTag } from "@parley/core/server/Evidence"

/** What an event can mean to a client. */
export const clientMeanings: { readonly [E in EvidenceTag]: string } = {
  Agreed: "a revision that the client speaks, in the era of the method",
  ModernNamed: "the answer to initialize names a modern revision, which has no handshake",
  StrangerNamed: "the answer to initialize names a revision that the client does not speak",
  Corrected: "a refusal whose list holds a modern revision that the client speaks",
  Countered: "a list with a legacy revision that the client speaks, and no modern one",
  Disjoint: "a list with nothing that the client speaks",
  VersionRefused: "the revision is refused (-32022), and no usable list says what would do",
  ModernSign: "a code that only a modern server may give: -32020 or -32021",
  MethodMissing: "the method that was asked is unknown (-32601)",
  ParamsRefused: "the parameters of initialize are refused (-32602), without a list",
  Refused: "any other JSON-RPC error",
  HttpRefused: "a 4xx without a JSON-RPC error, or a redirection",
  AccessRefused: "401 or 403: a question of access, never of the era",
  Busy: "408, 429 or 503: a server under load says nothing on the era",
  Outage: "a failure of the server or of what lies between",
  Silence: "the time for this answer is over",
  OutOfTime: "the time for the whole negotiation is over",
  Ended: "the process closed its output or exited",
  Garbled: "an answer that is no usable result",
  LateAgreed: "a DiscoverResult for the probe that was given up",
  OutOfTurn: "anything else: it is counted, and the state stays"
}

/** What an event can mean to a server. */
export const serverMeanings: { readonly [E in ServerEvidenceTag]: string } = {
  Opened: "a good initialize",
  OpenedBadly: "an initialize that is no good",
  Initialized: "notifications/initialized",
  Ping: "a ping of the legacy era",
  LegacyRequest: "a request without an envelope",
  ModernRequest: "a request with a good envelope",
  VersionUnserved: "a revision that is not served",
  HeadersDisagree: "headers that are missing or say something else than the body",
  EnvelopeInvalid: "an envelope in which something is missing or wrong",
  MethodUnknown: "a method that is not served",
  CapabilityMissing: "a call that needs a capability which the client did not declare",
  Notification: "any other notification",
  Response: "an answer to a request of the server",
  Malformed: "no JSON, or no JSON-RPC message",
  DeadlinePassed: "a deadline is over",
  EndOfInput: "the client closed its end",
  Deleted: "the client ended its session"
}
