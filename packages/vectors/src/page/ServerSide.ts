// The server's half of the page: every profile on a pipe and in an HTTP session, walked whole.
import { failure, success } from "@parley/core/Message"
import type { Command } from "@parley/core/server/Command"
import { describe } from "@parley/core/server/Evidence"
import { toError } from "@parley/core/server/Refusal"
import * as Server from "@parley/core/server/Server"
import type { State } from "@parley/core/server/State"
import { weigh } from "@parley/core/server/Weigh"
import { stateId } from "../data/ServerSteps.ts"
import type { Graph } from "../Explore.ts"
import { explore } from "../Explore.ts"
import { serverEvidenceTags } from "../server/Cells.ts"
import type { ServerOccurrence } from "../server/Occurrences.ts"
import { sayServerCommand } from "../server/Say.ts"
import type { Carrier, ServerSubject } from "../server/Subjects.ts"
import { serverSubjects } from "../server/Subjects.ts"
import { serverKeyOf } from "../server/Walk.ts"
import { mostStates } from "../Walk.ts"
import type { Side } from "./Data.ts"
import type { Happening, Order, Shown, Told } from "./Graphs.ts"
import { shelf, subjectOf } from "./Graphs.ts"
import type { Written } from "./Lines.ts"
import { answerText, requestText } from "./Lines.ts"
import { serverMeanings } from "./Meanings.ts"
import { offeredToServer } from "./Offered.ts"
import type { Pool } from "./Pool.ts"

/** What each profile of the walk is, in a sentence. */
const aboutProfile: { readonly [name: string]: string } = {
  dual: "Serves every revision of both eras.",
  modernOnly: "Serves nothing but the modern era: no handshake.",
  handshakeOnly: "Serves nothing but the legacy era: no envelope.",
  separate: "Serves both eras, but not in one conversation: after a handshake a modern request is refused.",
  tomorrow: "Serves 2026-07-28 and a modern revision of tomorrow."
}

/** The subjects that the page shows: a session of a server without sessions has one message, and is none. */
export const shownServers: ReadonlyArray<ServerSubject> = serverSubjects.filter(
  ({ profile }) => profile in aboutProfile
)

/** The walk of a subject as the page shows it. */
export const serverGraph = ({ carrier, compiled }: ServerSubject): Graph<State, Told> => {
  const next = (state: State): ReadonlyArray<Told & { readonly state: State }> =>
    state._tag === "Closed"
      ? []
      : offeredToServer(carrier).map((occurrence) => {
          const evidence = weigh(compiled, state, occurrence.event)
          const { because, move } = Server.cellOf(state._tag, evidence._tag)
          const made = Server.step(compiled, state, occurrence.event)
          return {
            occurrence,
            evidence: describe(evidence),
            cell: { id: Server.cellId(state._tag, evidence._tag), evidence: evidence._tag, move: move.name, because },
            because: made.trace?.because ?? because,
            orders: made.commands.map((command) => orderOf(carrier, command)),
            state: made.state
          }
        })
  return explore({ opening: Server.begin(compiled).state, keyOf: serverKeyOf, next }, mostStates)
}

/** Returns the server's half. */
export const serverSide = (texts: Pool<string>): Side => {
  const on = shelf(texts)
  const found = shownServers.map((subject) => {
    const { carrier, compiled, profile } = subject
    const { commands, trace } = Server.begin(compiled)
    const opening = {
      move: trace?.move ?? "await",
      because: trace?.because ?? "A conversation begins with nothing agreed",
      orders: commands.map((command) => orderOf(carrier, command))
    }
    return [
      `${profile}/${carrier}`,
      subjectOf(on, serverGraph(subject), (state) => showState(carrier, state), opening)
    ] as const
  })
  return {
    id: "server",
    choosing: "Profile",
    choices: Object.entries(aboutProfile).map(([id, about]) => ({ id, about, diagram: `server-${id}` })),
    media: carriers,
    evidence: serverEvidenceTags.map((tag) => [on.text(tag), on.text(serverMeanings[tag])]),
    cells: on.cells,
    commands: on.commands,
    orders: on.orders,
    facts: on.facts,
    menus: Object.fromEntries(carriers.map((carrier) => [carrier, serverMenu(carrier).map(on.item)])),
    subjects: Object.fromEntries(found)
  }
}

const carriers: ReadonlyArray<Carrier> = ["pipe", "http"]

/** Returns what may happen to a server on a carrier, in the order of the walk. */
export const serverMenu = (carrier: Carrier): ReadonlyArray<Happening> =>
  offeredToServer(carrier).map((occurrence) => ({
    id: occurrence.id,
    label: labelOf(occurrence),
    wire: wireOf(carrier, occurrence)
  }))

const wireOf = (carrier: Carrier, { event }: ServerOccurrence): Written => {
  if (event._tag === "Unreadable") return [toError(event.refusal).message]
  if (event._tag !== "Received") return event._tag === "Deleted" ? requestText("DELETE", {}, undefined) : ["nothing"]
  const text = JSON.stringify(event.batched === true ? [event.value] : event.value)
  return carrier === "pipe" ? [text] : requestText("POST", event.headers ?? {}, text)
}

// The ids of the walk are words with marks between them; some of the words are short for something.
const labelOf = ({ event, id }: ServerOccurrence): string => {
  switch (event._tag) {
    case "Received":
      return id
        .replace("#batched", ", in a batch")
        .replace("+", ", ")
        .replaceAll(/(?<=[a-z])\.(?=[a-z\d])/g, ": ")
        .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
        .replaceAll(/ [A-Z]/g, (letter) => letter.toLowerCase())
        .replace(/: (asking|able|placed|anonymous|stamped)/, (_, word: string) => `, ${shortFor[word] ?? word}`)
    case "Unreadable":
      return id === "unreadable.bytes" ? "bytes that are no UTF-8" : "more than the size bound"
    case "DeadlinePassed":
      return `the time for the ${event.of === "opening" ? "opening" : "next message"} is over${event.unanswered === 0 ? "" : ", with a request unanswered"}`
    case "EndOfInput":
      return "the client closes its end"
    case "Deleted":
      return "the client ends the session"
  }
}

const shortFor: { readonly [word: string]: string } = {
  asking: "of a tool that needs sampling",
  able: "of a tool that needs sampling, which is declared",
  placed: "of a tool with a header parameter",
  anonymous: "without client info",
  stamped: "with an envelope"
}

const orderOf = (carrier: Carrier, command: Command): Order => {
  const words = sayServerCommand(command)
  if (command._tag === "Reply") return { words, wire: answer(carrier, 200, success(command.id, command.result)) }
  if (command._tag !== "Refuse") return { words, wire: [] }
  const { ground, id } = command.refusal
  return { words, wire: answer(carrier, ground.status, failure(id, toError(command.refusal))) }
}

const answer = (carrier: Carrier, status: number, message: unknown): Written => {
  const text = JSON.stringify(message)
  return carrier === "pipe" ? [text] : answerText(status, { "content-type": "application/json" }, text)
}

const showState = (carrier: Carrier, state: State): Shown => {
  const title = serverKeyOf(state)
  const common = { id: stateId(state), tag: state._tag, title, facts: factsOf(state) }
  return state._tag === "Closed" ? common : { ...common, menu: carrier }
}

const factsOf = (state: State): ReadonlyArray<string> => {
  switch (state._tag) {
    case "AwaitingOpening":
      return [
        "no handshake so far; modern requests stand alone",
        state.admitted
          ? "a request was admitted, so that the opening has no deadline any more"
          : "the opening has a deadline"
      ]
    case "AwaitingInitialized":
      return [
        `initialize was answered with ${state.opening.version}`,
        state.admitted ? "a request was admitted meanwhile" : "the opening has a deadline"
      ]
    case "Serving":
      return [`the handshake is complete, at ${state.opening.version}`]
    case "Closed":
      return [`nothing more is read: ${state.why}`]
  }
}
