// Every law of the client machine, in the order of the design page. What each says is beside it, in laws/.
import * as Budgets from "./laws/Budgets.ts"
import * as Endings from "./laws/Endings.ts"
import * as Eras from "./laws/Eras.ts"
import type { ClientLaw, ClientViolation } from "./laws/ClientLaw.ts"
import * as Versions from "./laws/Versions.ts"
import * as Wire from "./laws/Wire.ts"
import type { Walk } from "./Walk.ts"

export type { ClientLaw, ClientViolation } from "./laws/ClientLaw.ts"

/** The laws of the client. */
export const clientLaws: ReadonlyArray<ClientLaw> = [
  Endings.endingsAreFinal,
  Endings.everyRunEnds,
  Budgets.oneCorrection,
  Budgets.oneCounter,
  Budgets.oneHold,
  Budgets.oneReopen,
  Budgets.fourExchanges,
  Budgets.twoInitializes,
  Budgets.twoDiscovers,
  Budgets.oneAtATime,
  Budgets.timeIsBudgeted,
  Versions.settlesOnListed,
  Versions.asksWhatItSpeaks,
  Versions.handshakeOnlyNeverProbes,
  Versions.pinnedStaysPinned,
  Versions.noInitializeAgainstAList,
  Versions.asksWhatIsListed,
  Versions.noModernFromAHandshake,
  Versions.heldTwiceTheSame,
  Versions.noHoldAfterACorrection,
  Eras.noVerdictFromTrouble,
  Eras.modernErrorsAreBelieved,
  Eras.holdIsEarned,
  Eras.keptIsKept,
  Eras.httpPrecedence,
  Eras.onlyTheExactIdAnswers,
  Endings.nothingOnAClosedPipe,
  Endings.deadlinesAreCleared,
  Wire.answeredOnce,
  Endings.forbiddenBeforeAByte,
  Budgets.opensAsThePolicySays,
  Wire.handshakesAreCompleted,
  Wire.sessionsAreTidy,
  Wire.troubleSpeaksForItself,
  Wire.noiseIsBounded
]

/** Returns the violations of a walk: one for each broken law, with its shortest run. */
export const violations = (walk: Walk, laws: ReadonlyArray<ClientLaw> = clientLaws): ReadonlyArray<ClientViolation> =>
  laws.flatMap((law) => law.check(walk) ?? [])
