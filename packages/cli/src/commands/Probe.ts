// `parley probe`: asks one server what it speaks, and says what was found. What it says is written in render/.
import * as Policy from "@parley/core/client/Policy"
import * as HttpClient from "@parley/node/HttpClient"
import * as StdioClient from "@parley/node/StdioClient"
import * as Connection from "@parley/runtime/Connection"
import type { Transport } from "@parley/runtime/Transport"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { TaskFailed, UsageError } from "../Exit.ts"
import type { Finding } from "../Finding.ts"
import { traceOf } from "../Finding.ts"
import * as Flags from "../Flags.ts"
import * as Recording from "../Recording.ts"
import * as Release from "../Release.ts"
import * as Diagram from "../render/Diagram.ts"
import * as Failure from "../render/Failure.ts"
import * as Json from "../render/Json.ts"
import { plain } from "../render/Style.ts"
import * as Summary from "../render/Summary.ts"
import { hang, json, oneLine } from "../render/Text.ts"
import * as Trace from "../render/Trace.ts"
import type { Screen } from "../Screen.ts"
import { complain, screen, withProgress } from "../Screen.ts"
import * as Setting from "../Setting.ts"
import * as Target from "../Target.ts"
import { Trailing } from "../Trailing.ts"

const commandPath = ["parley", "probe"]

/** How a finding is to be shown. */
interface Views {
  readonly json: boolean
  readonly trace: boolean
  readonly diagram: boolean
}

export const probe = Command.make(
  "probe",
  {
    server: Argument.String("url").pipe(
      Argument.withDescription("The server's URL; or put -- and the command that starts it"),
      Argument.variadic()
    ),
    policy: Flag.String("policy").pipe(
      Flag.withDescription("How to open, one of the above. Default auto"),
      Flag.withMetavar("name"),
      Flag.withDefault("auto")
    ),
    timeout: Flag.String("timeout").pipe(
      Flag.withDescription("How long it may take: 5s, 2min, 1500. Default 60s"),
      Flag.withMetavar("duration"),
      Flag.optional
    ),
    header: Flags.header,
    json: Flags.switched("json", "Print all that was found, as one JSON document"),
    trace: Flags.switched("trace", "Print every step, and why it was taken"),
    diagram: Flags.switched("diagram", "Print what went over the wire, as a Mermaid diagram")
  },
  Effect.fnUntraced(function* (input) {
    const target = yield* orUsage(Target.read(input.server, yield* Trailing))
    const headers = yield* orUsage(Setting.headers(input.header))
    const millis = yield* Option.match(input.timeout, {
      onNone: () => Effect.succeed(undefined),
      onSome: (text) => orUsage(Setting.duration(text))
    })
    if (target._tag === "Stdio" && input.header.length > 0) {
      return yield* new UsageError({ problems: ["A command takes no headers: --header is for URLs."], commandPath })
    }
    const { policy, warning } = Policy.fromSetting(input.policy)
    const view = yield* screen
    if (warning !== undefined) yield* complain([`${view.err.notable("warning")}: ${oneLine(warning, 300)}`])

    yield* Effect.scoped(
      Effect.gen(function* () {
        const finding = yield* find(target, millis === undefined ? policy : within(policy, millis), headers, view)
        yield* show(finding, input, view)
        if (finding.outcome._tag === "Failed") return yield* new TaskFailed()
      })
    )
  })
).pipe(
  Command.withDescription(
    [
      "Ask a server what it speaks: era, revision, name, capabilities.",
      "",
      "  Policies:",
      "    auto             initialize; server/discover only on a sure sign",
      "    discoverFirst    server/discover; initialize unless that is ruled out",
      "    hermes           as Hermes Agent does by default",
      "    stateless        as Hermes Agent's stateless setting",
      "    handshakeOnly    initialize and nothing else",
      "    pin:REVISION     that revision and no other",
      "",
      "  Exit code: 0 agreed, 1 no agreement, 2 the command was not understood."
    ].join("\n")
  ),
  Command.withShortDescription("Ask a server what it speaks: era, revision, name, capabilities."),
  Command.withExamples([
    { command: "parley probe https://example.com/mcp", description: "Ask a server over HTTP" },
    {
      command: "parley probe -- npx -y @modelcontextprotocol/server-everything",
      description: "Start a command and ask it"
    },
    {
      command: "parley probe --trace --policy discoverFirst -- python server.py",
      description: "See why it was agreed"
    },
    {
      command: 'parley probe --json --header "Authorization: $TOKEN" https://example.com/mcp',
      description: "Everything that was found, for a program"
    }
  ])
)

/** Negotiates once. The connection stays open as long as the scope does. */
export const find = Effect.fnUntraced(function* (
  target: Target.Target,
  policy: Policy.Policy,
  headers: { readonly [name: string]: string },
  view: Screen
) {
  const recording = yield* Recording.record(transportOf(target, headers))
  const started = yield* Clock.currentTimeMillis
  const result = yield* Connection.connect({ transport: recording.transport, policy, client: Release.identity }).pipe(
    Effect.result,
    (connecting) => withProgress(connecting, view, (seconds) => waiting(target, recording.entries(), seconds, view))
  )
  const totalMillis = (yield* Clock.currentTimeMillis) - started
  const entries = [...recording.entries()]
  return {
    target,
    policy: policy.name,
    outcome: Result.match(result, {
      onSuccess: ({ agreement }) => ({ _tag: "Agreed", agreement }) as const,
      onFailure: (error) => ({ _tag: "Failed", error }) as const
    }),
    entries,
    dropped: recording.dropped(),
    roundTrips: Recording.roundTrips(entries),
    totalMillis
  } satisfies Finding
})

/** Prints a finding: what was asked for to standard output, why it failed to standard error. */
const show = Effect.fnUntraced(function* (finding: Finding, views: Views, view: Screen) {
  const { outcome } = finding
  if (views.json) {
    const diagram = views.diagram ? Diagram.diagram(finding) : undefined
    yield* Console.log(json(Json.document(finding, diagram), 2))
  } else {
    const style = views.diagram ? plain : view.out
    const lines = [
      ...(outcome._tag === "Agreed"
        ? hang(Summary.summary(finding, outcome.agreement, style), view.breaks ? view.columns : Infinity, 2)
        : []),
      ...(views.trace ? Trace.trace(traceOf(finding), style, view.columns) : [])
    ]
    if (views.diagram) yield* Console.log(Diagram.diagram(finding, lines))
    else if (lines.length > 0) yield* Console.log(lines.join("\n"))
  }
  yield* complain(
    outcome._tag === "Agreed"
      ? Summary.warnings(outcome.agreement).flatMap((warning) =>
          hang(`${view.err.notable("warning")}: ${warning}`, view.watched ? view.columns : Infinity, 2)
        )
      : Failure.failure(finding, outcome.error, view.err, view.columns)
  )
})

const transportOf = (target: Target.Target, headers: { readonly [name: string]: string }): Transport =>
  target._tag === "Http"
    ? HttpClient.make({ url: target.url, headers })
    : StdioClient.make({ command: target.command, args: target.args, env: process.env })

// A probe is given a third of a short time, so that what it leads to has the rest.
export const within = (policy: Policy.Policy, millis: number): Policy.Policy =>
  Policy.withBudgets(policy, {
    negotiationMillis: millis,
    exchangeMillis: millis,
    probeMillis: Math.min(policy.budgets.probeMillis, Math.max(1, Math.floor(millis / 3)))
  })

const waiting = (
  target: Target.Target,
  entries: ReadonlyArray<Recording.Entry>,
  seconds: number,
  { columns, err }: Screen
): string => {
  const asked = entries.findLast((entry) => entry.from === "client" && entry.kind === "request")
  const text = `Waiting for ${asked === undefined ? Target.show(target) : `the answer to ${asked.what}`}, ${seconds} s`
  return err.dim(oneLine(text, columns - 1))
}

const orUsage = <A>(reading: Target.Reading<A>): Effect.Effect<A, UsageError> =>
  reading.ok ? Effect.succeed(reading.value) : Effect.fail(new UsageError({ problems: [reading.problem], commandPath }))
