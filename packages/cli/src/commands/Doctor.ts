// `parley doctor`: checks the machine and a server, and prints what a bug report needs. What is checked is in Checkup and
// in Probe's find.
import * as Policy from "@parley/core/client/Policy"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Checkup from "../Checkup.ts"
import { TaskFailed, UsageError } from "../Exit.ts"
import { type Finding, traceOf } from "../Finding.ts"
import * as Flags from "../Flags.ts"
import type { Entry } from "../Recording.ts"
import * as Release from "../Release.ts"
import * as Failure from "../render/Failure.ts"
import { plain, type Style } from "../render/Style.ts"
import * as Summary from "../render/Summary.ts"
import { duration, hang, oneLine } from "../render/Text.ts"
import * as Trace from "../render/Trace.ts"
import { screen } from "../Screen.ts"
import * as Secrets from "../Secrets.ts"
import * as Setting from "../Setting.ts"
import * as Target from "../Target.ts"
import { Trailing } from "../Trailing.ts"
import { find, within } from "./Probe.ts"

const commandPath = ["parley", "doctor"]

export const doctor = Command.make(
  "doctor",
  {
    server: Argument.String("url").pipe(
      Argument.withDescription("A server to ask too; or put -- and the command that starts it"),
      Argument.variadic()
    ),
    timeout: Flag.String("timeout").pipe(
      Flag.withDescription("How long the server may take, each time. Default 30s"),
      Flag.withMetavar("duration"),
      Flag.withDefault("30s")
    ),
    header: Flags.header
  },
  Effect.fnUntraced(function* (input) {
    const trailing = yield* Trailing
    const asked = input.server.length > 0 || trailing !== undefined
    const target = asked ? yield* orUsage(Target.read(input.server, trailing)) : undefined
    const headers = yield* orUsage(Setting.headers(input.header))
    const millis = yield* orUsage(Setting.duration(input.timeout))
    const view = yield* screen
    const clean = Secrets.remover([...Object.values(headers), ...Secrets.inEnvironment(process.env)])
    const print = (lines: ReadonlyArray<string>) => Console.log(lines.map(clean).join("\n"))

    const checks = [Checkup.node(process.versions.node), yield* Checkup.loopback, ...Checkup.proxies(process.env)]
    yield* print([
      `${view.out.bold(`parley ${Release.version}`)} on ${process.platform} ${process.arch}`,
      ...checks.flatMap((check) => hang(checked(check, view.out), view.columns, 8))
    ])
    let sound = checks.every(({ state }) => state !== "bad")
    for (const policy of target === undefined ? [] : [Policy.auto, Policy.discoverFirst]) {
      if (target === undefined) break
      // The second asks anew: a connection of the first says nothing about an opening.
      const finding = yield* Effect.scoped(find(target, within(policy, millis), headers, view))
      sound &&= finding.outcome._tag === "Agreed"
      yield* print(["", ...reported(finding, view.out, view.columns)])
    }
    yield* print([
      "",
      sound ? view.out.good("Nothing is wrong here.") : view.out.bad("Something is wrong: see above."),
      ...hang(
        view.out.dim("For a bug report, copy all of this. Known secrets are removed; look once more yourself."),
        view.columns,
        0
      )
    ])
    if (!sound) return yield* new TaskFailed()
  })
).pipe(
  Command.withDescription(
    [
      "Check this machine, and a server if you name one; print what a bug report needs.",
      "",
      "  A server is asked twice: under auto, and under discoverFirst. Values of",
      "  --header, of variables whose names say that they are secret, and what looks",
      "  like a token are printed as ***.",
      "",
      "  Exit code: 0 nothing is wrong, 1 something is, 2 the command was not",
      "  understood."
    ].join("\n")
  ),
  Command.withShortDescription("Check this machine and a server; print what a bug report needs."),
  Command.withExamples([
    { command: "parley doctor", description: "Check Node and the loopback network" },
    { command: "parley doctor https://example.com/mcp", description: "Ask a server too" },
    { command: "parley doctor -- node server.js > report.txt", description: "Write a report of a command" }
  ])
)

const checked = ({ state, what }: Checkup.Check, style: Style): string =>
  `  ${state === "ok" ? style.good("ok  ") : state === "note" ? style.notable("note") : style.bad("bad ")}  ${oneLine(what, 300)}`

/** Returns everything that a finding holds, as lines. */
const reported = (finding: Finding, style: Style, columns: number): ReadonlyArray<string> => {
  const { outcome } = finding
  return [
    ...hang(style.bold(`${Target.show(finding.target)} under ${finding.policy}`), columns, 2),
    ...(outcome._tag === "Agreed"
      ? [
          ...hang(Summary.summary(finding, outcome.agreement, style), columns, 2),
          ...Summary.warnings(outcome.agreement).flatMap((warning) =>
            hang(`${style.notable("warning")}: ${warning}`, columns, 2)
          )
        ]
      : Failure.failure(finding, outcome.error, style, columns)),
    style.dim("steps"),
    ...Trace.trace(traceOf(finding), plain, columns),
    style.dim("messages"),
    ...finding.entries.slice(0, 40).flatMap((entry) => hang(line(entry), columns, 13))
  ]
}

const line = ({ atMillis, detail, from, kind, status, what }: Entry): string => {
  // What a carrier did is named by its kind alone.
  const words = kind === what ? [from, what] : [from, kind, what]
  const told = `${words.join(" ")}${detail === "" ? "" : `: ${detail}`}${status === undefined ? "" : ` (HTTP ${status})`}`
  return `${duration(atMillis).padStart(9)}  ${oneLine(told, 160)}`
}

const orUsage = <A>(reading: Target.Reading<A>): Effect.Effect<A, UsageError> =>
  reading.ok ? Effect.succeed(reading.value) : Effect.fail(new UsageError({ problems: [reading.problem], commandPath }))
