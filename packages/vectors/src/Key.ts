// When two states of a walk are one: everything that a move, a weighing or an error's class can read, and none of the
// texts that only a person reads. That it leaves nothing out is tested: equal keys take equal steps.
import type { Opening, State } from "@parley/core/client/State"

/** Returns the structural key of a state. Equal keys go on in the same way, whatever the peer does. */
export const keyOf = (state: State): string => {
  switch (state._tag) {
    case "Settled":
      return `Settled ${state.version} named ${state.named} offered ${state.offered} by ${state.method}${state.sessionId === undefined ? "" : ` in ${state.sessionId}`}`
    case "Failed": {
      const { reason } = state
      const cause = "cause" in reason && isTagged(reason.cause) ? ` cause ${reason.cause._tag}` : ""
      return `Failed ${reason._tag}${reason.retryable ? " retryable" : ""}${cause}`
    }
    default: {
      const { ledger } = state
      return [
        state._tag,
        state.asked,
        state._tag === "Keeping" ? `late ${state.late.version}` : "",
        `exchanges ${ledger.exchanges} = ${ledger.initializes}i + ${ledger.discovers}d`,
        ledger.corrected ? "corrected" : "",
        ledger.countered ? "countered" : "",
        ledger.held ? "held" : "",
        ledger.reopened ? "reopened" : "",
        ledger.outOfTurn === 0 ? "" : `outOfTurn ${ledger.outOfTurn}`,
        ledger.noise === 0 ? "" : `noise ${ledger.noise}`,
        ledger.opening === undefined ? "" : `opened by ${openingKey(ledger.opening)}`,
        ledger.holdable === undefined ? "" : `holdable ${ledger.holdable}`,
        ledger.session === undefined ? "" : `${ledger.session.id} at ${ledger.session.version}`,
        ledger.probe === undefined ? "" : `probe ${ledger.probe}`
      ]
        .filter((part) => part !== "")
        .join(", ")
    }
  }
}

// Of the opening a move reads the tag, and an error's class the code's presence (and which, for a modern sign).
const openingKey = ({ asked, evidence, method }: Opening): string => {
  const code = "code" in evidence && evidence.code !== undefined
  const which = evidence._tag === "ModernSign" ? ` ${evidence.code}` : code ? " by error" : ""
  const foreign = evidence._tag === "Garbled" && evidence.foreign ? " foreign" : ""
  return `${method} ${asked} ${evidence._tag}${which}${foreign}`
}

const isTagged = (value: unknown): value is { readonly _tag: string } =>
  typeof value === "object" && value !== null && "_tag" in value
