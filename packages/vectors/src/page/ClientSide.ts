// The client's half of the page: every preset on every medium, walked whole. What is out of turn is counted by the machine
// and changes nothing before its bound; here it is not counted, so that a walk stays small.
import type { Step as MachineStep } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import * as Client from "@parley/core/client/Client"
import { firstFreeExchange } from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import { describe } from "@parley/core/client/Evidence"
import * as Policy from "@parley/core/client/Policy"
import type { Awaiting, State } from "@parley/core/client/State"
import { methodOf } from "@parley/core/client/State"
import { weigh } from "@parley/core/client/Weigh"
import { evidenceTags } from "../Cells.ts"
import { stateId } from "../data/ClientSteps.ts"
import type { Graph } from "../Explore.ts"
import { explore } from "../Explore.ts"
import { keyOf } from "../Key.ts"
import { sentBy } from "../link/Wire.ts"
import { offered } from "./Offered.ts"
import { aboutTable } from "../render/ClientPages.ts"
import { sayCommand, sayState } from "../Say.ts"
import type { Subject } from "../Subjects.ts"
import { media, subjects } from "../Subjects.ts"
import { mostStates } from "../Walk.ts"
import type { MenuName } from "./ClientMenu.ts"
import { clientMenu } from "./ClientMenu.ts"
import type { Side } from "./Data.ts"
import type { Order, Shown, Told } from "./Graphs.ts"
import { shelf, subjectOf } from "./Graphs.ts"
import { clientMeanings } from "./Meanings.ts"
import { requestText } from "./Lines.ts"
import type { Pool } from "./Pool.ts"

/** The walk of a subject as the page shows it: with the budgets that people have, and nothing counted. */
export const clientGraph = ({ medium, policy: walked, table }: Subject): Graph<State, Told> => {
  const policy = Policy.withBudgets(walked, Policy.defaultBudgets)
  const next = (state: State): ReadonlyArray<Told & { readonly state: State }> =>
    Client.isEnding(state)
      ? []
      : offered(medium, state).map((occurrence) => {
          const evidence = weigh(policy, medium, state, occurrence.event)
          const { because, move } = Client.cellOf(policy, state, evidence._tag)
          const made = Client.step(policy, medium, state, occurrence.event)
          return {
            occurrence,
            evidence: describe(evidence),
            cell: { id: `${table}.${state._tag}.${evidence._tag}`, evidence: evidence._tag, move: move.name, because },
            because: made.trace?.because ?? because,
            orders: made.commands.map((command) => orderOf(medium, command)),
            state: uncounted(made.state)
          }
        })
  const opening = Client.begin(policy, medium).state
  return explore({ opening, keyOf: shownKey, next }, mostStates)
}

/** Returns a state as if nothing had come out of turn. */
export const uncounted = (state: State): State =>
  Client.isEnding(state) ? state : { ...state, ledger: { ...state.ledger, outOfTurn: 0, noise: 0, strays: [] } }

/** Returns the client's half. */
export const clientSide = (texts: Pool<string>): Side => {
  const on = shelf(texts)
  const shown = subjects.filter(({ preset }) => preset)
  const found = shown.map((subject) => {
    const { medium, policy } = subject
    const begun = Client.begin(policy, medium)
    const show = (state: State): Shown => showState(medium, state)
    return [
      `${policy.name}/${medium.name}`,
      subjectOf(on, clientGraph(subject), show, openingOf(medium, begun))
    ] as const
  })
  const names = shown.filter(({ medium }) => medium.name === "stdio")
  const menus = media.flatMap((medium) =>
    (["initialize", "server/discover"] as const).flatMap((method) =>
      (["first", "later"] as const).map(
        (place) => [`${medium.name}.${method}.${place}`, clientMenu(medium, method, place)] as const
      )
    )
  )
  return {
    id: "client",
    choosing: "Policy",
    choices: names.map(({ policy, table }) => ({
      id: policy.name,
      about: aboutTable[table],
      diagram: `client-${table}`
    })),
    media: media.map(({ name }) => name),
    evidence: evidenceTags.map((tag) => [on.text(tag), on.text(clientMeanings[tag])]),
    cells: on.cells,
    commands: on.commands,
    orders: on.orders,
    facts: on.facts,
    menus: Object.fromEntries(menus.map(([name, items]) => [name, items.map(on.item)])),
    subjects: Object.fromEntries(found)
  }
}

// What a person reads is of more kinds than what a machine goes by: states that read otherwise are two here.
const shownKey = (state: State): string => {
  const opening = Client.isEnding(state) ? undefined : state.ledger.opening
  return [keyOf(state), ...factsOf(state), opening === undefined ? "" : JSON.stringify(opening.evidence)].join("\n")
}

const openingOf = (medium: Medium, { commands, trace }: MachineStep<State, Command>) => ({
  move: trace?.move ?? "",
  because: trace?.because ?? "",
  orders: commands.map((command) => orderOf(medium, command))
})

const orderOf = (medium: Medium, command: Command): Order => {
  const sent = sentBy(medium, command, () => firstFreeExchange)
  if (sent === undefined) return { words: sayCommand(command), wire: [] }
  const { headers, httpMethod, text = "" } = sent
  return {
    words: sayCommand(command),
    wire: medium.streams === "shared" ? [text] : requestText(httpMethod, headers, text)
  }
}

const showState = (medium: Medium, state: State): Shown => {
  const common = { id: stateId(state), tag: state._tag, title: sayState(state), facts: factsOf(state) }
  if (Client.isEnding(state)) return common
  const { exchanges } = state.ledger
  const menu = `${medium.name}.${methodOf(state)}.${exchanges === 1 ? "first" : "later"}` as MenuName
  return { ...common, menu, exchange: exchanges, asked: state.asked }
}

const factsOf = (state: State): ReadonlyArray<string> => {
  if (state._tag === "Settled") {
    return [
      `agreed by ${state.method}, offered ${state.offered}`,
      state.named === state.version ? "" : `the server named ${state.named}`,
      state.sessionId === undefined ? "" : `in the session ${state.sessionId}`
    ].filter((fact) => fact !== "")
  }
  if (state._tag === "Failed") {
    const { fault, message, retryable } = state.reason
    return [message, `at fault: ${fault}`, retryable ? "trying again can help" : "trying again cannot help"]
  }
  return knowledgeOf(state)
}

const knowledgeOf = (state: Awaiting): ReadonlyArray<string> => {
  const { ledger } = state
  const { opening } = ledger
  return [
    `awaits the answer to ${methodOf(state)} at ${state.asked}, request ${ledger.exchanges}`,
    opening === undefined ? "" : `opened with ${opening.method} at ${opening.asked}: ${describe(opening.evidence)}`,
    state._tag === "Keeping" ? `keeps a late DiscoverResult with ${state.late.version}` : "",
    ledger.corrected ? "the one correction is spent" : "",
    ledger.countered ? "the one counter is spent" : "",
    ledger.held ? "the one hold is spent" : "",
    ledger.reopened ? "the one fresh process is spent" : "",
    ledger.holdable === undefined ? "" : `the handshake named ${ledger.holdable} and can be held`,
    ledger.session === undefined ? "" : `${ledger.session.id} is open and not in use`,
    ledger.probe === undefined ? "" : `request ${ledger.probe} may still be answered`
  ].filter((fact) => fact !== "")
}
