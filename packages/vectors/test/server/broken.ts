// Server machines that are wrong on purpose, one for each law, to see that the laws bite.
import { follow } from "@parley/core/Machine"
import type { Command } from "@parley/core/server/Command"
import type { Compiled } from "@parley/core/server/Compiled"
import type { Event } from "@parley/core/server/Event"
import type { Evidence, EvidenceTag } from "@parley/core/server/Evidence"
import { describe } from "@parley/core/server/Evidence"
import * as Moves from "@parley/core/server/Moves"
import type { Context, Transition } from "@parley/core/server/Rules"
import * as Server from "@parley/core/server/Server"
import type { Open, OpenTag, State } from "@parley/core/server/State"
import { weigh } from "@parley/core/server/Weigh"
import type { ServerMachine } from "@parley/vectors/server/Walk"
import { serverMachine } from "@parley/vectors/server/Walk"

/** A wrong machine, the subject to see it on, and exactly the laws that it breaks. */
export interface WrongServer {
  readonly what: string
  readonly breaks: ReadonlyArray<string>
  readonly subject: string
  readonly machine: ServerMachine
}

/** The machine with one cell of its table replaced. */
export const withCell = (
  state: OpenTag,
  evidence: EvidenceTag,
  run: (context: Context) => Transition
): ServerMachine => ({
  ...serverMachine,
  step: (compiled, at, event) => {
    if (at._tag === "Closed") return { state: at, commands: [] }
    const found = weigh(compiled, at, event)
    const cell = Server.cellOf(at._tag, found._tag)
    return follow(
      at._tag === state && found._tag === evidence
        ? { move: { name: "wrong", run }, because: "wrong on purpose" }
        : cell,
      { compiled, state: at, evidence: found },
      { state: at._tag, event: event._tag, evidence: describe(found) }
    )
  }
})

const commanding = (
  change: (commands: ReadonlyArray<Command>, state: State, event: Event, compiled: Compiled) => ReadonlyArray<Command>
): ServerMachine => ({
  ...serverMachine,
  step: (compiled, state, event) => {
    const next = Server.step(compiled, state, event)
    return { ...next, commands: change(next.commands, next.state, event, compiled) }
  }
})

const weighing = (change: (compiled: Compiled, state: Open, event: Event) => Evidence): ServerMachine => ({
  ...serverMachine,
  weigh: change,
  step: (compiled, state, event) => {
    if (state._tag === "Closed") return { state, commands: [] }
    const evidence = change(compiled, state, event)
    return follow(
      Server.cellOf(state._tag, evidence._tag),
      { compiled, state, evidence },
      { state: state._tag, event: event._tag, evidence: describe(evidence) }
    )
  }
})

const opened = { version: "2025-11-25", client: { info: undefined, capabilities: {} } }

/** One wrong thing for each law of the server. */
export const wrongServers: ReadonlyArray<WrongServer> = [
  {
    what: "a closed conversation that closes again",
    breaks: ["closed-is-final"],
    subject: "dual@pipe",
    machine: {
      ...serverMachine,
      step: (compiled, state, event) =>
        state._tag === "Closed"
          ? { state, commands: [{ _tag: "Close", why: state.why }] }
          : Server.step(compiled, state, event)
    }
  },
  {
    what: "a ping answered twice",
    breaks: ["every-request-one-answer"],
    subject: "handshakeOnly@pipe",
    machine: withCell("Serving", "Ping", (context) => {
      const { commands, state } = context.evidence._tag === "Ping" ? pong(context) : Moves.drop.run(context)
      return { state, commands: [...commands, ...commands] }
    })
  },
  {
    what: "a request without an answer",
    breaks: ["every-request-one-answer"],
    subject: "dual@pipe",
    machine: withCell("Serving", "LegacyRequest", Moves.drop.run)
  },
  {
    what: "a refusal that ends the conversation",
    breaks: ["refusals-change-nothing", "closes-for-a-reason"],
    subject: "dual@pipe",
    machine: withCell("Serving", "Malformed", (context) => ({
      state: { _tag: "Closed", why: "ended" },
      commands: [
        ...("refusal" in context.evidence ? [{ _tag: "Refuse", refusal: context.evidence.refusal } as const] : []),
        { _tag: "Close", why: "ended" }
      ]
    }))
  },
  {
    what: "an opening deadline that is not cleared",
    breaks: ["opening-deadline-ends"],
    subject: "dual@pipe",
    machine: commanding((commands) => commands.filter(({ _tag }) => _tag !== "ClearDeadline"))
  },
  {
    what: "a message that closes the conversation",
    breaks: ["closes-for-a-reason", "every-request-one-answer"],
    subject: "dual@pipe",
    machine: withCell("Serving", "Ping", () => ({
      state: { _tag: "Closed", why: "ended" },
      commands: [{ _tag: "Close", why: "ended" }]
    }))
  },
  {
    what: "eras mixed where the profile does not",
    breaks: ["admitted-on-its-terms"],
    subject: "separate@pipe",
    machine: withCell("Serving", "ModernRequest", (context) =>
      Moves.admitModern.run({
        ...context,
        // The cell is followed only for a ModernRequest.
        evidence: context.evidence as Context<OpenTag, "ModernRequest">["evidence"]
      })
    )
  },
  {
    what: "a handshake answered with the oldest revision",
    breaks: ["answers-what-it-serves"],
    subject: "dual@pipe",
    machine: commanding((commands) =>
      commands.map((command) =>
        command._tag === "Reply" && "protocolVersion" in command.result
          ? { ...command, result: { ...command.result, protocolVersion: "2024-11-05" } }
          : command
      )
    )
  },
  {
    what: "a session issued on a failed opening",
    breaks: ["one-handshake", "refusals-change-nothing"],
    subject: "dual@http",
    machine: withCell("AwaitingOpening", "OpenedBadly", ({ evidence, state }) => ({
      state,
      commands: [
        { _tag: "Issue", opening: opened },
        ...("refusal" in evidence ? [{ _tag: "Refuse", refusal: evidence.refusal } as const] : [])
      ]
    }))
  },
  {
    what: "a probe that opens",
    breaks: ["probes-open-nothing", "one-handshake", "opening-deadline-ends", "every-request-one-answer"],
    subject: "dual@pipe",
    machine: withCell("AwaitingOpening", "ModernRequest", () => ({
      state: { _tag: "Serving", opening: opened },
      commands: []
    }))
  },
  {
    what: "a list that leaves out a revision",
    breaks: ["one-list"],
    subject: "dual@pipe",
    machine: commanding((commands) =>
      commands.map((command) =>
        command._tag === "Reply" && "supportedVersions" in command.result
          ? { ...command, result: { ...command.result, supportedVersions: ["2026-07-28"] } }
          : command
      )
    )
  },
  {
    what: "a legacy request admitted before the handshake",
    breaks: ["nothing-before-the-handshake", "admitted-on-its-terms", "opening-deadline-ends"],
    subject: "dual@pipe",
    machine: withCell("AwaitingOpening", "LegacyRequest", ({ evidence, state }) => ({
      state,
      commands:
        evidence._tag === "LegacyRequest"
          ? [
              {
                _tag: "Deliver",
                request: evidence.request,
                admitted: { era: "legacy", version: "2025-11-25", client: opened.client, meta: undefined }
              }
            ]
          : []
    }))
  },
  {
    what: "a modern-only server that shakes hands",
    breaks: ["modern-only-names-its-versions", "every-request-one-answer"],
    subject: "modernOnly@pipe",
    machine: withCell("AwaitingOpening", "VersionUnserved", Moves.drop.run)
  },
  {
    what: "a handshake-only server that reads envelopes",
    breaks: ["handshake-only-knows-no-envelope"],
    subject: "handshakeOnly@pipe",
    machine: weighing((compiled, state, event) => weigh({ ...compiled, servesModern: true }, state, event))
  }
]

const pong = (context: Context): Transition =>
  context.evidence._tag === "Ping"
    ? { state: context.state, commands: [{ _tag: "Reply", id: context.evidence.id, result: {} }] }
    : { state: context.state, commands: [] }
