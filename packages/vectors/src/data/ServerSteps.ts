// The server's steps as data for other languages: profiles, events and steps with stable ids.
import type { Command } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import { describe } from "@parley/core/server/Evidence"
import type { Refusal } from "@parley/core/server/Refusal"
import { toError } from "@parley/core/server/Refusal"
import type { State } from "@parley/core/server/State"
import { serverCells } from "../server/Cells.ts"
import type { ServerOccurrence } from "../server/Occurrences.ts"
import { pathTo } from "../Explore.ts"
import { profiles } from "../server/Subjects.ts"
import { toolNames } from "../server/ToolNames.ts"
import type { ServerStep, ServerWalk } from "../server/Walk.ts"
import { serverKeyOf } from "../server/Walk.ts"
import { header, sorted } from "./Layout.ts"

/** Returns the file of the server's steps; `moves` is what each move does, in a sentence. */
export const serverStepsFile = (
  walks: ReadonlyArray<ServerWalk>,
  moves: { readonly [name: string]: string }
): { readonly [key: string]: unknown } => {
  const told = walks.filter(({ subject }) => subject.profile !== "sessionless")
  const events = new Map<string, unknown>()
  const states = new Map<string, unknown>()
  const eventOf = (carrier: string, occurrence: ServerOccurrence): string => {
    const id = `${carrier}.${occurrence.id}`
    events.set(id, shownEvent(occurrence))
    return id
  }
  const steps = told.flatMap((walk) => {
    const { carrier, id, profile } = walk.subject
    const keep = (node: ServerWalk["nodes"][number]): string => {
      const name = `${id}/${stateId(node.state)}`
      if (!states.has(name)) {
        states.set(name, {
          state: node.state,
          via: pathTo(node).map(({ occurrence }) => eventOf(carrier, occurrence))
        })
      }
      return name
    }
    return walk.steps.filter(isTold(walk.subject.compiled)).map((step) => ({
      id: `${id}/${stateId(step.from.state)}/${step.occurrence.id}`,
      profile,
      carrier,
      from: keep(step.from),
      event: eventOf(carrier, step.occurrence),
      cell: step.cell,
      evidence: describe(step.evidence),
      move: step.move,
      because: step.because,
      next: keep(step.to),
      commands: step.commands.map(shownCommand)
    }))
  })
  return {
    ...header("server.steps.schema.json"),
    profiles: profileRows(),
    moves,
    cells: serverCells.map(({ because, id, move }) => ({ id, move, because })),
    events: sorted(events),
    states: sorted(states),
    openings: told.map(({ opening, subject: { carrier, id, profile } }) => ({
      profile,
      carrier,
      next: `${id}/${stateId(opening.state)}`,
      commands: opening.commands.map(shownCommand)
    })),
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

/** Returns the profiles that the data speaks of, as far as they differ from one another and from a server of no tools. */
export const profileRows = (): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.entries(profiles).map(([name, compiled]) => [name, shownProfile(compiled)]))

const shownProfile = ({ profile, supported }: Compiled): unknown => ({
  versions: supported,
  serverInfo: profile.serverInfo,
  methods: profile.methods,
  capabilities: profile.capabilities,
  requires: profile.requires,
  toolHeaders: Object.fromEntries(
    Object.values(toolNames).flatMap((tool) => {
      const headers = profile.toolHeaders.get(tool)
      return headers === undefined ? [] : [[tool, headers]]
    })
  ),
  sessions: profile.sessions,
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
