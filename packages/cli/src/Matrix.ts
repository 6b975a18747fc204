// What each server of a list supports: which negotiations find it out, and the row that they make. How rows look is in
// render/MatrixTable and render/MatrixPage.
import type { Agreement } from "@parley/core/Agreement"
import * as Policy from "@parley/core/client/Policy"
import type { NegotiationError } from "@parley/core/Errors"
import type { Era } from "@parley/core/Version"
import { allVersions, eraOf, isLegacy, legacyVersions } from "@parley/core/Version"
import * as Fleet from "@parley/runtime/Fleet"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Entry } from "./Recording.ts"
import * as Recording from "./Recording.ts"
import * as Release from "./Release.ts"
import { serverName } from "./render/Summary.ts"
import { oneLine } from "./render/Text.ts"
import type { Server } from "./Servers.ts"
import * as Servers from "./Servers.ts"

/** What one server supports, as it was found. Texts are harmless on a terminal. */
export interface Row {
  readonly name: string
  /** The URL without its query, or the command without what looks like a secret. */
  readonly target: string
  readonly carrier: "http" | "stdio"
  readonly reached: boolean
  /** Who it says it is; empty where it was not reached. */
  readonly server: string
  readonly eras: ReadonlyArray<Era>
  /** Each published revision, oldest first, and any other that it lists. */
  readonly revisions: ReadonlyArray<Revision>
  /** The revision that it agrees on when all are offered, `server/discover` first. */
  readonly prefers?: string
  /** What it answers to a revision that it cannot know, by the era of the question. */
  readonly refuses: { readonly [era in Era]?: string }
  readonly capabilities: ReadonlyArray<string>
  /** What was not as it should be. */
  readonly quirks: ReadonlyArray<string>
  /** When it was asked, as an ISO date and time. */
  readonly verified: string
  /** Why it was not reached. */
  readonly error?: { readonly tag: string; readonly message: string }
}

export interface Revision {
  readonly version: string
  /** `listed`: server/discover names it. `agreed`: it was negotiated. `unknown`: the question was not answered. */
  readonly support: "agreed" | "listed" | "refused" | "unknown"
}

/** A revision of the legacy era that nobody speaks, and one of the modern era. */
export const unheardOf: { readonly [era in Era]: string } = { legacy: "1999-01-01", modern: "2999-01-01" }

/**
 * Asks each server of a list and returns its rows in the list's order. Each is negotiated with under auto and
 * discoverFirst; one that was reached is offered what it did not name, each revision alone, and one that it cannot know.
 * `millis` bounds each negotiation. Closing the scope of the effect leaves no process and no socket.
 */
export const ask = Effect.fnUntraced(function* (
  servers: ReadonlyArray<Server>,
  millis: number,
  onDone: (done: number) => void = () => undefined
) {
  let done = 0
  const round = (questions: ReadonlyArray<Question>) =>
    Effect.gen(function* () {
      const targets = yield* Effect.forEach(questions, (question) => targetOf(question, millis))
      const answers: Array<Answer> = []
      yield* Fleet.negotiate(targets, { client: Release.identity, concurrency: 8, perOrigin: 2 }).pipe(
        Stream.runForEach((result) =>
          Effect.sync(() => {
            onDone((done += 1))
            answers.push(answerOf(result))
          })
        )
      )
      return answers
    })
  const first = yield* round(
    servers.flatMap((server) => [Policy.auto, Policy.discoverFirst].map((policy) => ({ server, policy })))
  )
  const second = yield* round(servers.flatMap((server) => further(server, of(first, server))))
  const verified = new Date(yield* Clock.currentTimeMillis).toISOString()
  return servers.map((server) => rowOf(server, [...of(first, server), ...of(second, server)], verified))
})

interface Question {
  readonly server: Server
  readonly policy: Policy.Policy
}

interface Answer extends Question {
  readonly entries: ReadonlyArray<Entry>
  readonly agreement?: Agreement
  readonly error?: NegotiationError
  /** A defect of ours. */
  readonly problem?: string
}

const of = (answers: ReadonlyArray<Answer>, server: Server): ReadonlyArray<Answer> =>
  answers.filter((answer) => answer.server === server)

const targetOf = ({ policy, server }: Question, millis: number) =>
  Effect.map(Recording.record(Servers.transportOf(server)), (recording) => ({
    server,
    recording,
    transport: recording.transport,
    policy: Policy.withBudgets(policy, {
      negotiationMillis: millis,
      exchangeMillis: millis,
      probeMillis: Math.min(policy.budgets.probeMillis, Math.max(1, Math.floor(millis / 3)))
    }),
    // A command is asked by one process after another: some lock files or ports.
    ...(server.target._tag === "Stdio" ? { origin: Servers.show(server) } : undefined)
  }))

const answerOf = (result: Fleet.Result<Effect.Success<ReturnType<typeof targetOf>>, unknown>): Answer => {
  const { policy, recording, server } = result.target
  const common = { server, policy, entries: recording.entries() }
  switch (result._tag) {
    case "Agreed":
      return { ...common, agreement: result.agreement }
    case "Failed":
      return { ...common, error: result.error }
    case "Broken":
      return { ...common, problem: result.problem }
  }
}

// What two negotiations left open. A server that refuses the handshake is not asked for each legacy revision.
const further = (server: Server, answers: ReadonlyArray<Answer>): ReadonlyArray<Question> => {
  const eras = erasOf(answers)
  const known = new Set([...listedBy(answers), ...agreedIn(answers)])
  const legacy = eras.includes("legacy") ? legacyVersions.filter((version) => !known.has(version)) : []
  return [...legacy, ...eras.map((era) => unheardOf[era])].map((version) => ({
    server,
    policy: Policy.pinned(version)
  }))
}

const rowOf = (server: Server, answers: ReadonlyArray<Answer>, verified: string): Row => {
  const agreements = answers.flatMap(({ agreement }) => (agreement === undefined ? [] : [agreement]))
  const [best] = agreements
  const common = {
    name: oneLine(server.name, 60),
    target: Servers.show(server),
    carrier: server.target._tag === "Http" ? ("http" as const) : ("stdio" as const),
    verified
  }
  if (best === undefined) {
    const [why] = answers
    return {
      ...common,
      reached: false,
      server: "",
      eras: [],
      revisions: [],
      refuses: {},
      capabilities: [],
      quirks: [],
      error: {
        tag: why?.error?.reason._tag ?? "Broken",
        message: oneLine(why?.error?.message ?? why?.problem ?? "", 400)
      }
    }
  }
  const preferred = answers.find(({ policy }) => policy.name === Policy.discoverFirst.name)?.agreement ?? best
  const names = new Set(agreements.flatMap(({ capabilities }) => Object.keys(capabilities)))
  return {
    ...common,
    reached: true,
    server: serverName(best),
    eras: erasOf(answers),
    revisions: revisionsOf(answers),
    prefers: preferred.version,
    refuses: Object.fromEntries(
      erasOf(answers).map((era) => [
        era,
        answerTo(answers.find(({ policy }) => policy.versions[0] === unheardOf[era])?.entries ?? [])
      ])
    ),
    capabilities: [...names].slice(0, 20).map((name) => oneLine(name, 30)),
    quirks: quirksOf(answers)
  }
}

const agreedIn = (answers: ReadonlyArray<Answer>): ReadonlyArray<string> =>
  answers.flatMap(({ agreement }) => (agreement === undefined ? [] : [agreement.version]))

const listedBy = (answers: ReadonlyArray<Answer>): ReadonlyArray<string> => [
  ...new Set(answers.flatMap(({ agreement }) => agreement?.discovered?.supportedVersions.slice(0, 20) ?? []))
]

const erasOf = (answers: ReadonlyArray<Answer>): ReadonlyArray<Era> => {
  const found = new Set([...agreedIn(answers), ...listedBy(answers)].map(eraOf))
  return (["legacy", "modern"] as const).filter((era) => found.has(era))
}

const revisionsOf = (answers: ReadonlyArray<Answer>): ReadonlyArray<Revision> => {
  const listed = listedBy(answers)
  const agreed = agreedIn(answers)
  const legacy = erasOf(answers).includes("legacy")
  const supportOf = (version: string): Revision["support"] => {
    if (agreed.includes(version)) return "agreed"
    if (listed.includes(version)) return "listed"
    const asked = answers.find(({ policy }) => policy.name === Policy.pinned(version).name)
    if (asked === undefined) return isLegacy(version) && legacy ? "unknown" : "refused"
    return asked.error === undefined || unanswered(asked.error) ? "unknown" : "refused"
  }
  const others = listed.filter((version) => !allVersions.includes(version)).map((version) => oneLine(version, 40))
  return [...allVersions, ...others].map((version) => ({ version, support: supportOf(version) }))
}

// A process that ended, a 5xx and a broken connection say nothing of a revision; a 4xx and a web page do.
const unanswered = ({ reason }: NegotiationError): boolean =>
  reason._tag === "TransportFailure"
    ? reason.status === undefined || reason.status >= 500
    : reason.fault === "network" || reason._tag === "Unauthorized"

const quirksOf = (answers: ReadonlyArray<Answer>): ReadonlyArray<string> => {
  const warnings = answers.flatMap(({ agreement }) => agreement?.warnings ?? [])
  const held = answers.flatMap(({ agreement }) =>
    agreement !== undefined && agreement.named !== agreement.version
      ? [`It names ${agreement.named} where ${agreement.offered} was offered, and is held at ${agreement.version}.`]
      : []
  )
  const failures = answers.flatMap(({ error, policy }) =>
    error !== undefined && policy.requires === undefined ? [`Policy ${policy.name}: ${error.message}`] : []
  )
  return [...new Set([...held, ...warnings, ...failures])].slice(0, 20).map((quirk) => oneLine(quirk, 300))
}

// The first answer after the first request: the code, or the revision that it names instead.
const answerTo = (entries: ReadonlyArray<Entry>): string => {
  const asked = entries.findIndex(({ from, kind }) => from === "client" && kind === "request")
  const answer = entries.slice(asked + 1).find(({ kind }) => answering.has(kind))
  if (asked === -1 || answer === undefined) return "no answer"
  const said = answer.kind === "result" ? answer.detail || "a result that names no revision" : answer.what
  return answer.status === undefined || answer.kind !== "error" ? said : `${said} (HTTP ${answer.status})`
}

const answering: ReadonlySet<Entry["kind"]> = new Set(["result", "error", "status", "lost", "closed"])
