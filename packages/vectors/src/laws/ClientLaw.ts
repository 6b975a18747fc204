// The ways to make a law about the client's walk, and its types by short names.
import type { Command } from "@parley/core/client/Command"
import type { State } from "@parley/core/client/State"
import type { Label, Step, Walk } from "../Walk.ts"
import * as Law from "./Law.ts"

export { Broken } from "./Law.ts"

/** A law of the client. */
export type ClientLaw = Law.Law<Walk, Step>

/** A run of a client that breaks a law. */
export type ClientViolation = Law.Violation<Walk, Step>

export const { only, onEveryPath, onEveryStep, onOpening } = Law.ways<State, Label, Walk>()

type Send = Extract<Command, { readonly _tag: "SendInitialize" | "SendDiscover" }>

/** Returns the requests among the commands. */
export const sends = (commands: ReadonlyArray<Command>): ReadonlyArray<Send> =>
  commands.filter((command): command is Send => command._tag === "SendInitialize" || command._tag === "SendDiscover")

/** A law about every request, the opening's too. */
export const onEverySend = (
  id: string,
  sentence: string,
  judge: (send: Send, walk: Walk) => Law.Verdict,
  applies: (walk: Walk) => boolean = () => true
): ClientLaw => {
  const judgeAll = (commands: ReadonlyArray<Command>, walk: Walk): Law.Verdict => {
    for (const send of sends(commands)) {
      const problem = judge(send, walk)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  const opening = onOpening(id, sentence, (walk) => judgeAll(walk.opening.commands, walk))
  const steps = onEveryStep(id, sentence, (step, walk) => judgeAll(step.commands, walk))
  return only(applies, { id, sentence, check: (walk) => opening.check(walk) ?? steps.check(walk) })
}
