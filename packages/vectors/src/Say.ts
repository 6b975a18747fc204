// How a walk speaks to people: commands, states, steps and broken laws, on a line or a few. Markdown and diagrams are
// in render/.
import type { Command } from "@parley/core/client/Command"
import { describe } from "@parley/core/client/Evidence"
import type { State } from "@parley/core/client/State"
import type { ClientViolation } from "./laws/ClientLaw.ts"
import type { Step } from "./Walk.ts"

/** Returns a command in a few words: `initialize #1 at 2025-11-25`. */
export const sayCommand = (command: Command): string => {
  switch (command._tag) {
    case "Open":
      return "open"
    case "Reopen":
      return "reopen"
    case "StartDeadline":
      return `start the deadline of ${sayDeadline(command.of)}, ${command.millis} ms`
    case "ClearDeadline":
      return `clear the deadline of ${sayDeadline(command.of)}`
    case "SendInitialize":
      return `initialize #${command.exchange} at ${command.version}`
    case "SendDiscover":
      return `server/discover #${command.exchange} at ${command.version}`
    case "SendInitialized":
      return `notifications/initialized at ${command.version}${command.sessionId === undefined ? "" : ` in ${command.sessionId}`}`
    case "DeleteSession":
      return `delete ${command.sessionId} at ${command.version}`
    case "Reply":
      return `reply to ${String("id" in command.message ? command.message.id : undefined)} with ${"result" in command.message ? "a result" : "an error"}`
    case "Keep":
      return `keep ${command.message.method}`
  }
}

const sayDeadline = (of: number | "negotiation"): string => (of === "negotiation" ? "the whole" : `#${of}`)

/** Returns a state in a few words: `Discovering 2026-07-28`, `Settled 2025-11-25`, `Failed Timeout`. */
export const sayState = (state: State): string => {
  switch (state._tag) {
    case "Settled":
      return state.named === state.version
        ? `Settled ${state.version}`
        : `Settled ${state.version} (named ${state.named})`
    case "Failed":
      return `Failed ${state.reason._tag}`
    default:
      return `${state._tag} ${state.asked}`
  }
}

/** Returns a step on one line: what happened, what it meant, the move, where it led and what was asked. */
export const sayStep = ({ commands, evidence, move, occurrence, state }: Step): string => {
  const asked = commands.length === 0 ? "" : `; ${commands.map(sayCommand).join("; ")}`
  return `${occurrence.id} is ${describe(evidence)}: ${move}, now ${sayState(state)}${asked}`
}

/** Returns a broken law for people: its sentence, what is wrong, and the shortest run, a step a line. */
export const sayViolation = ({ law, path, problem, walk }: ClientViolation): string => {
  const { opening, subject } = walk
  const opened = opening.commands.length === 0 ? "" : `; ${opening.commands.map(sayCommand).join("; ")}`
  return [
    `Broken: ${law.sentence}`,
    `  by ${subject.id}: ${problem}`,
    `  0. begin: ${sayState(opening.state)}${opened}`,
    ...path.map((step, index) => `  ${index + 1}. ${sayStep(step)}`)
  ].join("\n")
}
