// One negotiation over an ideal link: nothing is lost, and time passes only where the server says nothing. Client machine
// and server take turns until the client has an ending. For journeys, the compatibility matrix and conversations.
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import type { Policy } from "@parley/core/client/Policy"
import type { Failed, Settled, State } from "@parley/core/client/State"
import type { TraceEntry } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import type { Peer } from "./Peer.ts"
import type { Came, Sent } from "./Wire.ts"
import { eventsOf, isAside, sentBy } from "./Wire.ts"

/** What happened on the link, in its order. */
export type Happening =
  | { readonly _tag: "Sent"; readonly sent: Sent }
  | { readonly _tag: "Came"; readonly came: Came }
  | { readonly _tag: "Waited"; readonly millis: number }
  | { readonly _tag: "Reopened" }
  | { readonly _tag: "Decided"; readonly trace: TraceEntry }

/** How a negotiation went. */
export interface Run<S> {
  readonly ending: Settled | Failed
  readonly happenings: ReadonlyArray<Happening>
  /** Where the server stands when the client is done and everything that was sent has arrived. */
  readonly server: S
}

/** Runs one negotiation. */
export const run = <S>(policy: Policy, medium: Medium, peer: Peer<S>): Run<S> => {
  const happenings: Array<Happening> = []
  const outgoing = new Map<number, Sent>()
  const arriving: Array<Came> = []
  const deadlines = new Map<number | "negotiation", number>()
  let server = peer.begin()
  let free = Client.firstFreeExchange

  const send = (sent: Sent): void => {
    outgoing.set(sent.exchange, sent)
    happenings.push({ _tag: "Sent", sent })
    const heard = peer.hear(server, sent, medium)
    server = heard.state
    arriving.push(...heard.came)
  }

  const perform = (command: Command): void => {
    if (command._tag === "StartDeadline") deadlines.set(command.of, command.millis)
    if (command._tag === "ClearDeadline") deadlines.delete(command.of)
    if (command._tag === "Reopen") {
      peer.hangUp(server)
      server = peer.begin()
      arriving.length = 0
      happenings.push({ _tag: "Reopened" })
    }
    const sent = sentBy(medium, command, () => free++)
    if (sent !== undefined) send(sent)
  }

  const nextEvents = (): ReadonlyArray<Event> => {
    const came = arriving.shift()
    if (came !== undefined) {
      happenings.push({ _tag: "Came", came })
      return eventsOf(came, came._tag === "Answer" ? outgoing.get(came.exchange)?.outgoing : undefined)
    }
    const [first] = [...deadlines].toSorted((one, other) => one[1] - other[1])
    if (first === undefined) return [{ _tag: "Lost", cause: "Nothing is awaited any more." }]
    const [of, millis] = first
    deadlines.delete(of)
    happenings.push({ _tag: "Waited", millis })
    return [{ _tag: "DeadlinePassed", of, waitedMillis: millis }]
  }

  const take = (step: {
    readonly state: State
    readonly commands: ReadonlyArray<Command>
    readonly trace?: TraceEntry
  }) => {
    if (step.trace !== undefined) happenings.push({ _tag: "Decided", trace: step.trace })
    for (const command of step.commands) perform(command)
    return step.state
  }

  let state = take(Client.begin(policy, medium))
  while (state._tag !== "Settled" && state._tag !== "Failed") {
    for (const event of nextEvents()) {
      if (!isAside(event)) state = take(Client.step(policy, medium, state, event))
    }
  }
  for (const came of arriving) happenings.push({ _tag: "Came", came })
  return {
    ending: state,
    happenings,
    server: state._tag === "Failed" && medium.streams === "shared" ? peer.hangUp(server) : server
  }
}
