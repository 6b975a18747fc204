// Every law of the server machine. What each says is beside it, in laws/.
import * as Answers from "./laws/Answers.ts"
import * as Openings from "./laws/Openings.ts"
import type { ServerLaw, ServerViolation } from "./laws/ServerLaw.ts"
import type { ServerWalk } from "./Walk.ts"

export type { ServerLaw, ServerViolation } from "./laws/ServerLaw.ts"

/** The laws of the server. */
export const serverLaws: ReadonlyArray<ServerLaw> = [
  Answers.closedIsFinal,
  Answers.everyRequestOneAnswer,
  Answers.refusalsChangeNothing,
  Answers.openingDeadlineEnds,
  Answers.closesForAReason,
  Answers.admittedOnItsTerms,
  Openings.answersWhatItServes,
  Openings.oneHandshake,
  Openings.probesOpenNothing,
  Openings.oneList,
  Openings.nothingBeforeTheHandshake,
  Openings.modernOnlyNamesItsVersions,
  Openings.handshakeOnlyKnowsNoEnvelope
]

/** Returns the violations of a walk: one for each broken law, with its shortest run. */
export const serverViolations = (
  walk: ServerWalk,
  laws: ReadonlyArray<ServerLaw> = serverLaws
): ReadonlyArray<ServerViolation> => laws.flatMap((law) => law.check(walk) ?? [])
