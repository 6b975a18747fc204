// Tests cells one by one from rows: what happens in a state, and what must follow. Then it is shown that every cell of
// the policy's table has a row, or says why no event can reach it.
import { describe, expect, it } from "@effect/vitest"
import * as Client from "@parley/core/client/Client"
import type { Command } from "@parley/core/client/Command"
import type { EvidenceTag } from "@parley/core/client/Evidence"
import type { Policy } from "@parley/core/client/Policy"
import type { AwaitingTag, State } from "@parley/core/client/State"
import type { Step } from "@parley/core/Machine"
import type { Medium } from "@parley/core/Medium"
import type { Happening } from "./Play.ts"
import {
  awaiting,
  badParams,
  capabilityMissing,
  commandText,
  exits,
  headerMismatch,
  lost,
  methodMissing,
  noise,
  outOfTime,
  ping,
  play,
  reasonText,
  refused,
  silence,
  stateText,
  status,
  unsupported
} from "./Play.ts"

/** What happens, what it means, the move, where that leads, the commands, and the error where it fails. */
export type Row = readonly [
  happening: Happening,
  evidence: string,
  move: string,
  next: string,
  commands: ReadonlyArray<string>,
  reason?: string
]

/** A state, reached by what happened before, and the rows of what may happen then. */
export interface Column {
  readonly policy: Policy
  readonly medium: Medium
  readonly state: AwaitingTag
  readonly after: string
  readonly path: ReadonlyArray<Happening>
  readonly rows: ReadonlyArray<Row>
}

/** Declares the tests of the columns of one table, and that no cell of the table is left out. */
export const cells = (name: string, table: Policy, columns: ReadonlyArray<Column>): void => {
  describe(name, () => {
    for (const column of columns) {
      const { medium, path, policy, rows, state } = column
      describe(`${policy.name} on ${medium.name}, ${state}, ${column.after}`, () => {
        const reached = play(policy, medium, ...path).state
        it("is reached by a real sequence of events", () => {
          expect(reached._tag).toBe(state)
          expect(policy.fallback).toBe(table.fallback)
        })
        for (const [index, [happening, evidence, move, next, commands, reason]] of rows.entries()) {
          it(`${index + 1}. ${evidence}: ${move}, ${next}${reason === undefined ? "" : ` (${reason})`}`, () => {
            const step = stepFrom(policy, medium, reached, happening)
            expect(shown(step)).toEqual({ evidence, move, next, commands, reason })
            expect(step.trace?.because).not.toMatch(/^Unreachable/)
          })
        }
      })
    }
    it.each(unseen(columns))("%s, %s: no event leads there, and the cell says why", (state, evidence) => {
      const { because, move } = table.fallback[state][evidence]
      expect(because).toMatch(/^Unreachable: \S.{10,}/)
      expect(move.name).toMatch(/^fail/)
    })
  })
}

const stepFrom = (policy: Policy, medium: Medium, state: State, happening: Happening): Step<State, Command> =>
  Client.step(policy, medium, state, happening(medium, awaiting(state)))

const shown = (step: Step<State, Command>) => ({
  evidence: step.trace?.evidence,
  move: step.trace?.move,
  next: stateText(step.state),
  commands: step.commands.map(commandText),
  reason: step.state._tag === "Failed" ? reasonText(step.state.reason) : undefined
})

const unseen = (columns: ReadonlyArray<Column>): ReadonlyArray<[AwaitingTag, EvidenceTag]> => {
  const seen = new Set(
    columns.flatMap(({ rows, state }) => rows.map(([, evidence]) => `${state} ${evidenceTagOf(evidence)}`))
  )
  return states
    .flatMap((state) => evidences.map((evidence): [AwaitingTag, EvidenceTag] => [state, evidence]))
    .filter(([state, evidence]) => !seen.has(`${state} ${evidence}`))
}

const evidenceTagOf = (text: string): EvidenceTag => {
  const tag = evidences.find((one) => one === /^\w+/.exec(text)?.[0])
  if (tag === undefined) throw new Error(`no evidence begins ${text}`)
  return tag
}

export const states = [
  "Initializing",
  "Discovering",
  "DiscoveringAgain",
  "Holding",
  "Countering",
  "Keeping"
] as const satisfies ReadonlyArray<AwaitingTag>

export const evidences = [
  "Agreed",
  "ModernNamed",
  "StrangerNamed",
  "Corrected",
  "Countered",
  "Disjoint",
  "VersionRefused",
  "ModernSign",
  "MethodMissing",
  "ParamsRefused",
  "Refused",
  "HttpRefused",
  "AccessRefused",
  "Busy",
  "Outage",
  "Silence",
  "OutOfTime",
  "Ended",
  "Garbled",
  "LateAgreed",
  "OutOfTurn"
] as const satisfies ReadonlyArray<EvidenceTag>

// ---- commands and rows that many columns share

/** The deadlines that are cleared where a conversation ends in the exchange n. */
export const closing = (n: number, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  `clear ${n}`,
  "clear negotiation",
  ...more
]

/** What begins the exchange after n: the old deadline cleared, a new one started, then what is sent. */
export const going = (n: number, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  `clear ${n}`,
  `deadline ${n + 1} 30000`,
  ...more
]

/** Where a column stands, for the rows that it shares with others. */
export interface Standing {
  readonly medium: Medium
  /** The exchange in flight. */
  readonly n: number
  readonly method: "initialize" | "server/discover"
  /** The state as text. */
  readonly at: string
  /** Commands at the end of every ending that fails, such as the deletion of a session. */
  readonly leaving?: ReadonlyArray<string>
}

/** Access, load, outage and time: never a verdict on the era, whatever the policy. Each fails with its own error. */
export const neverAVerdict = ({ leaving = [], medium, method, n }: Standing): ReadonlyArray<Row> => {
  const own = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    "fail",
    "Failed",
    closing(n, ...leaving),
    reason
  ]
  return [
    own(lost, "Outage: The connection was refused.", "Failure lost"),
    [outOfTime, "OutOfTime after 60000 ms", "fail", "Failed", [`clear ${n}`, ...leaving], "Timeout negotiation 60000"],
    ...(medium.streams === "shared"
      ? []
      : [
          own(status(401, { challenge: "Bearer" }), "AccessRefused 401", "Unauthorized 401"),
          own(status(403), "AccessRefused 403", "Unauthorized 403"),
          own(status(408), "Busy 408", "Busy 408"),
          own(status(429, { retryAfterMillis: 2000 }), "Busy 429", "Busy 429"),
          own(status(503), "Busy 503", "Busy 503"),
          own(status(500), "Outage: The server answered 500.", "Failure 500"),
          own(exits, "Outage: The server closed the connection.", "Failure lost")
        ]),
    [silence, "Silence after 30000 ms", "fail", "Failed", ["clear negotiation", ...leaving], `Timeout ${method} 30000`]
  ]
}

/** What is out of turn: the state stays, a ping is answered. */
export const outOfTurn = ({ at }: Standing): ReadonlyArray<Row> => [
  [ping, "OutOfTurn: ping", "stay", at, ['reply "theirs" result']],
  [noise, "OutOfTurn: Server ready", "stay", at, []]
]

/** The end of a process fails with its own error. Over HTTP it is an outage. */
export const endFails = ({ leaving = [], medium, n }: Standing, move = "fail"): ReadonlyArray<Row> =>
  medium.reopens === "never"
    ? []
    : [[exits, "Ended with exit code 3", move, "Failed", closing(n, ...leaving), "Failure 3"]]

/** Every way to refuse `initialize` that fails; `because` is the opening's refusal, where it was refused. */
export const initializeRefusals = (
  { leaving = [], medium, n }: Standing,
  asked: string,
  because?: string,
  move = "fail"
): ReadonlyArray<Row> => {
  const row = (happening: Happening, evidence: string, reason: string): Row => [
    happening,
    evidence,
    move,
    "Failed",
    closing(n, ...leaving),
    because === undefined ? reason : `${because} <- ${reason}`
  ]
  return [
    row(unsupported("1999-01-01"), "Disjoint: 1999-01-01", `Unsupported ${asked} listed 1999-01-01`),
    row(unsupported(asked), `Disjoint: ${asked}`, `Unsupported ${asked} listed ${asked}`),
    row(badParams("1999-01-01"), "Disjoint: 1999-01-01", `Unsupported ${asked} listed 1999-01-01`),
    row(badParams(asked), `Disjoint: ${asked}`, `Unsupported ${asked} listed ${asked}`),
    row(unsupported(), "VersionRefused", `Unsupported ${asked}`),
    row(headerMismatch, "ModernSign -32020", "Header"),
    row(capabilityMissing, "ModernSign -32021", "Capability"),
    row(methodMissing, "MethodMissing", "NotFound initialize"),
    row(badParams(), "ParamsRefused -32602", "Rejected initialize -32602"),
    row(refused, "Refused -32000", "Rejected initialize -32000"),
    ...(medium.streams === "shared" ? [] : [row(status(404), "HttpRefused 404", "Failure 404")])
  ]
}

/** The rows whose evidence is one of these. */
export const only = (rows: ReadonlyArray<Row>, ...tags: ReadonlyArray<EvidenceTag>): ReadonlyArray<Row> =>
  rows.filter(([, evidence]) => tags.includes(evidenceTagOf(evidence)))

/** The rows whose evidence is none of these. */
export const but = (rows: ReadonlyArray<Row>, ...tags: ReadonlyArray<EvidenceTag>): ReadonlyArray<Row> =>
  rows.filter(([, evidence]) => !tags.includes(evidenceTagOf(evidence)))
