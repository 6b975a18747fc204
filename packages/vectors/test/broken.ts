// Machines and tables that are wrong on purpose, one for each law, to see that the laws bite.
import * as Medium from "@parley/core/Medium"
import { follow } from "@parley/core/Machine"
import { isSuccess } from "@parley/core/Message"
import { allVersions, isLegacy } from "@parley/core/Version"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { Event } from "@parley/core/client/Event"
import type { Evidence, EvidenceTag } from "@parley/core/client/Evidence"
import { describe } from "@parley/core/client/Evidence"
import * as Moves from "@parley/core/client/Moves"
import * as Policy from "@parley/core/client/Policy"
import type { Context, Move, Transition } from "@parley/core/client/Rules"
import type { Awaiting, AwaitingTag, Ledger, State } from "@parley/core/client/State"
import { weigh } from "@parley/core/client/Weigh"
import type { Subject, TableName } from "@parley/vectors/Subjects"
import { presetOf, subjectOf, tomorrow } from "@parley/vectors/Subjects"
import type { ClientMachine } from "@parley/vectors/Walk"
import { clientMachine } from "@parley/vectors/Walk"

/** A wrong machine or table, and exactly the laws that it breaks. */
export interface Wrong {
  readonly what: string
  readonly breaks: ReadonlyArray<string>
  readonly subject: Subject
  readonly machine: ClientMachine
}

const wrong = (
  what: string,
  breaks: ReadonlyArray<string>,
  subject: Subject,
  machine: ClientMachine = clientMachine
): Wrong => ({ what, breaks, subject, machine })

// ---- wrong tables

const table = <E extends EvidenceTag>(
  name: TableName,
  medium: Medium.Medium,
  state: AwaitingTag,
  evidence: E,
  run: (context: Context<E>) => Transition,
  versions: ReadonlyArray<string> = presetOf(name).versions
): Subject => {
  const move: Move<E> = { name: "wrong", run }
  const policy = Policy.withVersions(presetOf(name), versions)
  return subjectOf(name, Policy.override(policy, state, evidence, { move, because: "wrong on purpose" }), medium)
}

const plain = (name: TableName, medium: Medium.Medium): Subject => subjectOf(name, presetOf(name), medium)

/** The context with another ledger, as if less had been spent. */
const spending = <E extends EvidenceTag>(context: Context<E>, changes: Partial<Ledger>): Context<E> => ({
  ...context,
  state: { ...context.state, ledger: { ...context.state.ledger, ...changes } }
})

/** The transition with another ledger, where it still awaits. */
const remembering = (transition: Transition, changes: Partial<Ledger>): Transition => {
  const { state } = transition
  return Client.isEnding(state)
    ? transition
    : { ...transition, state: { ...state, ledger: { ...state.ledger, ...changes } } }
}

/** Sends a probe where the table goes on awaiting a handshake. */
const probing = (context: Context): Transition => {
  const next = Moves.initialize.run(context)
  return {
    ...next,
    commands: next.commands.map((command) =>
      command._tag === "SendInitialize" ? { ...command, _tag: "SendDiscover", version: "2026-07-28" } : command
    )
  }
}

// ---- wrong machines

const commanding = (
  change: (commands: ReadonlyArray<Command>, state: State) => ReadonlyArray<Command>
): ClientMachine => ({
  ...clientMachine,
  step: (policy, medium, state, event) => {
    const next = Client.step(policy, medium, state, event)
    return { ...next, commands: change(next.commands, next.state) }
  }
})

const weighing = (
  change: (policy: Policy.Policy, medium: Medium.Medium, state: Awaiting, event: Event) => Evidence
): ClientMachine => ({
  ...clientMachine,
  weigh: change,
  step: (policy, medium, state, event) => {
    if (Client.isEnding(state)) return { state, commands: [] }
    const evidence = change(policy, medium, state, event)
    const cell = Client.cellOf(policy, state, evidence._tag)
    return follow(
      cell,
      { policy, medium, state, evidence },
      { state: state._tag, event: event._tag, evidence: describe(evidence) }
    )
  }
})

const beginning = (begin: ClientMachine["begin"]): ClientMachine => ({ ...clientMachine, begin })

/** One wrong thing for each law. */
export const wrongs: ReadonlyArray<Wrong> = [
  wrong("an ending that acts on a late event", ["endings-are-final"], plain("auto", Medium.http), {
    ...clientMachine,
    step: (policy, medium, state, event) =>
      state._tag === "Settled" ? { state, commands: [{ _tag: "Reopen" }] } : Client.step(policy, medium, state, event)
  }),
  wrong(
    "noise that is not counted",
    ["every-run-ends", "noise-is-bounded"],
    table("handshakeOnly", Medium.stdio, "Initializing", "OutOfTurn", (context) => ({
      ...Moves.stay.run(context),
      state: context.state
    }))
  ),
  wrong(
    "a second correction",
    ["one-correction", "two-discovers"],
    table("auto", Medium.http, "Discovering", "Corrected", (context) =>
      Moves.discoverAt.run(spending(context, { corrected: false, discovers: 1 }))
    )
  ),
  wrong(
    "a second counter",
    ["one-counter", "two-initializes"],
    table("handshakeOnly", Medium.stdio, "Countering", "Countered", (context) =>
      Moves.counter.run(spending(context, { countered: false, initializes: 1 }))
    )
  ),
  wrong(
    "a second hold",
    ["one-hold", "two-initializes"],
    table("auto", Medium.http, "Holding", "MethodMissing", (context) =>
      Moves.holdOrFail.run(spending(context, { held: false, initializes: 1 }))
    )
  ),
  wrong(
    "a fresh process whenever one ends",
    ["one-reopen"],
    table("discoverFirst", Medium.stdio, "Initializing", "Ended", (context) =>
      Moves.reopenAndInitialize.run(spending(context, { reopened: false }))
    )
  ),
  wrong(
    "a fifth exchange",
    ["two-initializes", "four-exchanges"],
    table("handshakeOnly", Medium.stdio, "Initializing", "Refused", (context) => {
      const { exchanges } = context.state.ledger
      if (exchanges > 4) return Moves.fail.run(context)
      const next = Moves.initialize.run(spending(context, { exchanges: 1, initializes: 0 }))
      const exchange = exchanges + 1
      return remembering(
        {
          ...next,
          commands: next.commands.map((command) =>
            command._tag === "SendInitialize"
              ? { ...command, exchange }
              : command._tag === "StartDeadline"
                ? { ...command, of: exchange }
                : command._tag === "ClearDeadline"
                  ? { ...command, of: exchanges }
                  : command
          )
        },
        { exchanges: exchange }
      )
    })
  ),
  wrong(
    "a third initialize",
    ["two-initializes"],
    table("handshakeOnly", Medium.stdio, "Initializing", "Refused", (context) =>
      Moves.initialize.run(spending(context, { initializes: 0 }))
    )
  ),
  wrong(
    "a third server/discover",
    ["two-discovers"],
    table("pinnedModern", Medium.stdio, "Discovering", "Refused", (context) =>
      remembering(Moves.discover.run(spending(context, { discovers: 0 })), {})
    )
  ),
  wrong(
    "a request beside one that waits",
    ["one-at-a-time", "time-is-budgeted", "noise-is-bounded", "two-initializes", "four-exchanges"],
    plain("handshakeOnly", Medium.http),
    commanding((commands, state) =>
      state._tag === "Initializing"
        ? [...commands, { _tag: "SendInitialize", exchange: 1, version: "2025-11-25" }]
        : commands
    )
  ),
  wrong(
    "an exchange without end",
    ["time-is-budgeted"],
    plain("auto", Medium.http),
    commanding((commands) =>
      commands.map((command) => (command._tag === "StartDeadline" ? { ...command, millis: 3_600_000 } : command))
    )
  ),
  wrong(
    "a revision that nobody speaks",
    ["settles-on-listed"],
    table("handshakeOnly", Medium.stdio, "Initializing", "StrangerNamed", (context) =>
      Moves.settle.run({
        ...context,
        evidence: { _tag: "Agreed", version: context.evidence.version, result: {}, sessionId: undefined }
      })
    )
  ),
  wrong(
    "a counter at a revision that the policy does not list",
    ["asks-what-it-speaks", "asks-what-is-listed"],
    plain("handshakeOnly", Medium.stdio),
    commanding((commands) =>
      commands.map((command) => (command._tag === "SendInitialize" ? { ...command, version: "2025-01-01" } : command))
    )
  ),
  wrong(
    "a probe under handshakeOnly",
    ["handshake-only-never-probes"],
    table("handshakeOnly", Medium.stdio, "Initializing", "MethodMissing", probing, allVersions)
  ),
  wrong(
    "a second method under a pin",
    ["pinned-stays-pinned"],
    table("pinnedLegacy", Medium.stdio, "Initializing", "MethodMissing", probing, ["2025-11-25", "2026-07-28"])
  ),
  wrong(
    "a handshake with a server that lists modern revisions alone",
    ["no-initialize-against-a-list"],
    table("discoverFirst", Medium.http, "Discovering", "Disjoint", Moves.initialize.run)
  ),
  wrong(
    "a retry at a revision that the list does not hold",
    ["asks-what-is-listed"],
    table("auto", Medium.http, "Initializing", "Corrected", Moves.discover.run, [...allVersions, tomorrow])
  ),
  wrong(
    "a modern revision agreed by a handshake",
    ["no-modern-from-a-handshake"],
    plain("handshakeOnly", Medium.stdio),
    {
      ...clientMachine,
      step: (policy, medium, state, event) => {
        const next = Client.step(policy, medium, state, event)
        return next.trace !== undefined && next.state._tag === "Settled" && next.state.version === "2025-06-18"
          ? {
              ...next,
              state: { ...next.state, method: "server/discover" },
              commands: next.commands.filter(({ _tag }) => _tag !== "SendInitialized")
            }
          : next
      }
    }
  ),
  wrong(
    "a hold with a server that changes its mind",
    ["held-twice-the-same"],
    table("auto", Medium.http, "Holding", "ModernNamed", (context) =>
      Moves.settleHeld.run(spending(context, { holdable: context.evidence.version }))
    )
  ),
  wrong(
    "a hold after a correction",
    ["no-hold-after-a-correction"],
    table("auto", Medium.http, "Discovering", "Corrected", (context) => {
      const { holdable } = context.state.ledger
      const legacyToo = context.evidence.theirs.some(isLegacy)
      return remembering(Moves.discoverAt.run(context), legacyToo ? { holdable } : {})
    })
  ),
  wrong(
    "a timeout taken for a modern server",
    ["no-verdict-from-trouble"],
    table("auto", Medium.http, "Initializing", "Silence", Moves.discover.run)
  ),
  wrong(
    "a modern error taken for a legacy server",
    ["modern-errors-are-believed"],
    table("discoverFirst", Medium.http, "Discovering", "ModernSign", Moves.initialize.run)
  ),
  wrong(
    "a hold that no answer earned",
    ["hold-is-earned"],
    table("discoverFirst", Medium.http, "Initializing", "MethodMissing", (context) =>
      Moves.holdOrFail.run(spending(context, { holdable: "none" }))
    )
  ),
  wrong(
    "a late answer thrown away",
    ["kept-is-kept"],
    table("discoverFirst", Medium.stdio, "Keeping", "Refused", Moves.fail.run)
  ),
  wrong(
    "a status that outranks a modern error",
    ["http-precedence"],
    plain("auto", Medium.http),
    weighing((policy, medium, state, event) => {
      const status = event._tag === "Arrived" ? event.head?.status : undefined
      return status === 401 ? { _tag: "AccessRefused", status } : weigh(policy, medium, state, event)
    })
  ),
  wrong(
    "an answer under an id of another type",
    ["only-the-exact-id-answers"],
    plain("auto", Medium.stdio),
    weighing((policy, medium, state, event) =>
      event._tag === "Arrived" && isSuccess(event.message) && event.message.id === String(state.ledger.exchanges)
        ? weigh(policy, medium, state, { ...event, message: { ...event.message, id: state.ledger.exchanges } })
        : weigh(policy, medium, state, event)
    )
  ),
  wrong(
    "a handshake with a process that has ended",
    ["nothing-on-a-closed-pipe"],
    table("discoverFirst", Medium.stdio, "Discovering", "Ended", Moves.initialize.run)
  ),
  wrong(
    "a deadline left behind",
    ["deadlines-are-cleared"],
    plain("auto", Medium.http),
    commanding((commands, state) =>
      state._tag === "Settled"
        ? commands.filter((command) => !(command._tag === "ClearDeadline" && command.of === "negotiation"))
        : commands
    )
  ),
  wrong(
    "a ping answered twice",
    ["answered-once"],
    plain("auto", Medium.http),
    commanding((commands) => [...commands, ...commands.filter(({ _tag }) => _tag === "Reply")])
  ),
  wrong(
    "a transport opened by a policy that cannot begin",
    ["forbidden-before-a-byte"],
    subjectOf("pinnedModern", Policy.narrow(Policy.pinned("2026-07-28"), ["legacy"]), Medium.stdio),
    beginning((policy, medium) => ({ ...Client.begin(policy, medium), commands: [{ _tag: "Open" }] }))
  ),
  wrong(
    "an opening that the policy does not want",
    ["opens-as-the-policy-says"],
    plain("auto", Medium.http),
    beginning((policy, medium) => Client.begin({ ...policy, open: "discover" }, medium))
  ),
  wrong(
    "a handshake left incomplete",
    ["handshakes-are-completed"],
    plain("auto", Medium.http),
    commanding((commands) => commands.filter(({ _tag }) => _tag !== "SendInitialized"))
  ),
  wrong(
    "a session left open",
    ["sessions-are-tidy"],
    plain("auto", Medium.http),
    commanding((commands) => commands.filter(({ _tag }) => _tag !== "DeleteSession"))
  ),
  wrong(
    "a busy server called incompatible",
    ["trouble-speaks-for-itself"],
    table("auto", Medium.http, "Discovering", "Busy", Moves.failUnsupported.run)
  ),
  wrong("more noise than the budget", ["noise-is-bounded"], plain("handshakeOnly", Medium.stdio), {
    ...weighing((policy, medium, state, event) =>
      weigh(Policy.withBudgets(policy, { outOfTurn: 3, noise: 3 }), medium, state, event)
    )
  })
]
