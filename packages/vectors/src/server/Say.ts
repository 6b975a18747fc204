// How a server's walk speaks to people: commands, steps and broken laws, on a line or a few.
import type { Command } from "@parley/core/server/Command"
import { describe } from "@parley/core/server/Evidence"
import type { ServerViolation } from "./laws/ServerLaw.ts"
import type { ServerStep } from "./Walk.ts"
import { serverKeyOf } from "./Walk.ts"

/** Returns a command in a few words: `refuse #7 with -32601 (modern.method)`. */
export const sayServerCommand = (command: Command): string => {
  switch (command._tag) {
    case "Reply":
      return `reply to #${command.id}`
    case "Refuse": {
      const { ground, id } = command.refusal
      return `refuse ${id === undefined ? "without id" : `#${id}`} with ${ground.code} (${ground.id})`
    }
    case "Deliver":
      return `deliver #${command.request.id} ${command.request.method} at ${command.admitted.version}`
    case "Hear":
      return `hear ${command.notification.method}`
    case "Resolve":
      return `resolve ${String(command.response.id)}`
    case "Issue":
      return `issue a session at ${command.opening.version}`
    case "StartDeadline":
      return `start the deadline of the ${command.of}, ${command.millis} ms`
    case "ClearDeadline":
      return `clear the deadline of the ${command.of}`
    case "Close":
      return `close (${command.why})`
  }
}

/** Returns a step on one line. */
export const sayServerStep = ({ commands, evidence, move, occurrence, state }: ServerStep): string => {
  const asked = commands.length === 0 ? "" : `; ${commands.map(sayServerCommand).join("; ")}`
  return `${occurrence.id} is ${describe(evidence)}: ${move}, now ${serverKeyOf(state)}${asked}`
}

/** Returns a broken law for people: its sentence, what is wrong, and the shortest run, a step a line. */
export const sayServerViolation = ({ law, path, problem, walk }: ServerViolation): string =>
  [
    `Broken: ${law.sentence}`,
    `  by ${walk.subject.id}: ${problem}`,
    `  0. begin: ${serverKeyOf(walk.opening.state)}; ${walk.opening.commands.map(sayServerCommand).join("; ")}`,
    ...path.map((step, index) => `  ${index + 1}. ${sayServerStep(step)}`)
  ].join("\n")
