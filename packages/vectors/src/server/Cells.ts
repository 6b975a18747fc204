// The cells of the server's table, with their ids, moves and reasons.
import type { EvidenceTag } from "@parley/core/server/Evidence"
import * as Server from "@parley/core/server/Server"
import type { OpenTag } from "@parley/core/server/State"

/** One cell of the server's table. */
export interface ServerCell {
  /** `server.<state>.<evidence>`. */
  readonly id: string
  readonly state: OpenTag
  readonly evidence: EvidenceTag
  readonly move: string
  readonly because: string
}

export const serverStateTags: ReadonlyArray<OpenTag> = ["AwaitingOpening", "AwaitingInitialized", "Serving"]

/** The rows, in the order of the design page. */
export const serverEvidenceTags: ReadonlyArray<EvidenceTag> = [
  "Opened",
  "OpenedBadly",
  "Initialized",
  "Ping",
  "LegacyRequest",
  "ModernRequest",
  "VersionUnserved",
  "HeadersDisagree",
  "EnvelopeInvalid",
  "MethodUnknown",
  "CapabilityMissing",
  "Notification",
  "Response",
  "Malformed",
  "DeadlinePassed",
  "EndOfInput",
  "Deleted"
]

/** Every cell of the server's table. */
export const serverCells: ReadonlyArray<ServerCell> = serverStateTags.flatMap((state) =>
  serverEvidenceTags.map((evidence) => {
    const { because, move } = Server.cellOf(state, evidence)
    return { id: Server.cellId(state, evidence), state, evidence, move: move.name, because }
  })
)
