// The server's steps as data for other languages: profiles, events and steps with stable ids.
import type { Command } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import { describe } from "@parley/core/server/Evidence"
import type { Refusal } from "@parley/core/server/Refusal"
import { toError } from "@parley/core/server/Refusal"
import type { State } from "@parley/core/server/State"
import { serverCells } from "../server/Cells.ts"
import type { ServerOccurrence } from "../server/Occurrences.ts"
import type { ServerStep, ServerWalk } from "../server/Walk.ts"
import { serverKeyOf } from "../server/Walk.ts"
import { header } from "./Layout.ts"

/** Returns the file of the server's steps. */
export const serverStepsFile = (walks: ReadonlyArray<ServerWalk>): { readonly [key: string]: unknown } => {
  const told = walks.filter(({ subject }) => subject.profile !== "sessionless")
  const events = new Map<string, unknown>()
  const steps = told.flatMap((walk) =>
    walk.steps.filter(isTold(walk.subject.compiled)).map((step) => {
      const { carrier, id, profile } = walk.subject
      const event = `${carrier}.${step.occurrence.id}`
      events.set(event, shownEvent(step.occurrence))
      return {
        id: `${id}/${stateId(step.from.state)}/${step.occurrence.id}`,
        profile,
        carrier,
        from: stateId(step.from.state),
        event,
        cell: step.cell,
        evidence: describe(step.evidence),
        move: step.move,
        because: step.because,
        next: stateId(step.state),
        commands: step.commands.map(shownCommand)
      }
    })
  )
  return {
    ...header("server.steps.schema.json"),
    profiles: Object.fromEntries(told.map(({ subject }) => [subject.profile, shownProfile(subject.compiled)])),
    cells: serverCells.map(({ because, id, move }) => ({ id, move, because })),
    events: Object.fromEntries([...events].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    steps: steps.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  }
}

/** Returns the stable id of a state: what {@link serverKeyOf} says, without blanks. */
export const stateId = (state: State): string => serverKeyOf(state).replaceAll(/[ ,]+/g, "-")

// What a handshake agreed on changes nothing but the revision: one of them stands for all.
const isTold =
  (compiled: Compiled) =>
  ({ from }: ServerStep): boolean =>
    !("opening" in from.state) || from.state.opening.version === compiled.newestLegacy

const shownProfile = ({ profile, supported }: Compiled): unknown => ({
  versions: supported,
  methods: profile.methods,
  capabilities: profile.capabilities,
  requires: profile.requires,
  interleave: profile.interleave,
  deadlines: profile.deadlines
})

const shownEvent = ({ event }: ServerOccurrence): unknown =>
  event._tag === "Unreadable" ? { _tag: event._tag, refusal: shownRefusal(event.refusal) } : event

const shownRefusal = (refusal: Refusal): unknown => {
  const { code, data } = toError(refusal)
  const { id: ground, status } = refusal.ground
  return { ...(refusal.id === undefined ? undefined : { id: refusal.id }), ground, status, error: { code, data } }
}

/** Returns a command as JSON shows it: a refusal as its code, data and status, a delivery as the terms of its admission. */
export const shownCommand = (command: Command): unknown => {
  switch (command._tag) {
    case "Refuse":
      return { _tag: "Refuse", ...Object(shownRefusal(command.refusal)) }
    case "Deliver": {
      const { era, version } = command.admitted
      return { _tag: "Deliver", id: command.request.id, method: command.request.method, era, version }
    }
    case "Hear":
      return { _tag: "Hear", method: command.notification.method }
    case "Resolve":
      return { _tag: "Resolve", id: command.response.id }
    case "Issue":
      return { _tag: "Issue", version: command.opening.version }
    case "Close":
      return { _tag: "Close", why: command.why }
    case "Reply":
    case "StartDeadline":
    case "ClearDeadline":
      return command
  }
}
