// `parley conform`: runs the conversations of the vectors against any client or server, and tells what is otherwise. How they
// are run and judged is in conform/.
import type { Target } from "@parley/testing/Scripted"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Client from "../conform/Client.ts"
import { conversations } from "../conform/Data.ts"
import * as Facts from "../conform/Facts.ts"
import * as Guess from "../conform/Guess.ts"
import type { Report } from "../conform/Report.ts"
import { conforms, documentOf } from "../conform/Report.ts"
import type { Options } from "../conform/Reports.ts"
import { clientReport, serverReport } from "../conform/Reports.ts"
import * as Words from "../conform/Target.ts"
import { TaskFailed, UsageError } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import * as Conformance from "../render/Conformance.ts"
import { counted, json, oneLine } from "../render/Text.ts"
import { screen, withProgress } from "../Screen.ts"
import * as Setting from "../Setting.ts"
import * as ServerTarget from "../Target.ts"
import { Trailing } from "../Trailing.ts"

const commandPath = ["parley", "conform"]

export const conform = Command.make(
  "conform",
  {
    client: Flag.String("client").pipe(
      Flag.withDescription("The command of a client: {url} or {command} in it stands for the server to meet"),
      Flag.withMetavar("command"),
      Flag.optional
    ),
    server: Flag.String("server").pipe(
      Flag.withDescription("The URL of a server, or the command that starts one on a pipe"),
      Flag.withMetavar("url|command"),
      Flag.optional
    ),
    policy: Flag.String("policy").pipe(
      Flag.withDescription("The policy that a client is held to. Default: the one that it comes nearest to"),
      Flag.withMetavar("name"),
      Flag.optional
    ),
    profile: Flag.Literals("profile", Facts.profileNames).pipe(
      Flag.withDescription("The profile that a server is held to. Default: what it shows itself to be"),
      Flag.optional
    ),
    transport: Flag.Literals("transport", ["http", "stdio"]).pipe(
      Flag.withDescription("A client meets servers over this alone. Default: what its command names, else both"),
      Flag.optional
    ),
    jobs: Flag.String("jobs").pipe(
      Flag.withDescription("The client is started once and takes jobs, a line of JSON each, in this mode"),
      Flag.withMetavar("mode"),
      Flag.optional
    ),
    only: Flag.String("only").pipe(
      Flag.withDescription("Only conversations whose id contains this. Repeatable"),
      Flag.withMetavar("text"),
      Flag.atLeast(0)
    ),
    skip: Flag.String("skip").pipe(
      Flag.withDescription("Leave out conversations whose id contains this. Repeatable"),
      Flag.withMetavar("text"),
      Flag.atLeast(0)
    ),
    timeout: Flag.String("timeout").pipe(
      Flag.withDescription("How long one answer may take. Default 5s for a client, 2s for a server"),
      Flag.withMetavar("duration"),
      Flag.optional
    ),
    concurrency: Flag.Int("concurrency").pipe(
      Flag.withDescription("How many conversations are held at the same time. Default 4"),
      Flag.withDefault(4)
    ),
    wire: Flags.switched("wire", "Show what went over the wire of one conversation of each kind"),
    json: Flags.switched("json", "Print the reports as one JSON document")
  },
  Effect.fnUntraced(function* (input) {
    if ((yield* Trailing) !== undefined) {
      return yield* wrong("conform takes its commands as --client and --server: nothing may follow --.")
    }
    const { concurrency } = input
    if (concurrency < 1 || concurrency > 64) return yield* wrong(`--concurrency is from 1 to 64, not ${concurrency}.`)
    const clientText = Option.getOrUndefined(input.client)
    const serverText = Option.getOrUndefined(input.server)
    if ((clientText === undefined) === (serverText === undefined)) {
      return yield* wrong("Name one side to test: --client COMMAND, or --server with a URL or a COMMAND.")
    }
    const asked = Option.getOrElse(input.timeout, () => (clientText === undefined ? "2s" : "5s"))
    const timeoutMillis = yield* orUsage(Setting.duration(asked))
    const view = yield* screen
    const progress = { held: 0, done: 0 }
    const common: Options = { wants: chosen(input.only, input.skip), timeoutMillis, concurrency, progress }
    const reports = yield* withProgress(
      Effect.scoped(
        clientText === undefined
          ? ofServer(serverText ?? "", Option.getOrUndefined(input.profile), common)
          : ofClient(clientText, input, common)
      ),
      view,
      (seconds) =>
        view.err.dim(
          progress.held === 0
            ? `Finding out what to hold the ${clientText === undefined ? "server" : "client"} to, ${seconds} s`
            : `${progress.done} of ${counted(progress.held, "conversation")}, ${seconds} s`
        )
    )
    if (reports.every(({ verdicts }) => verdicts.length === 0)) {
      return yield* wrong("No conversation is left to hold: --only and --skip leave none of this policy or profile.")
    }
    if (input.json) {
      const { dataVersion, specification } = conversations()
      yield* Console.log(json({ format: 1, dataVersion, specification, reports: reports.map(documentOf) }, 2))
    } else {
      const blocks = reports.map((report) => Conformance.lines(report, view.out, view.columns, input.wire).join("\n"))
      yield* Console.log(blocks.join("\n\n"))
    }
    if (!reports.every(conforms)) return yield* new TaskFailed()
  })
).pipe(
  Command.withDescription(
    [
      "Run the conversations of the vectors against a client or a server.",
      "",
      "  A client is given a scripted server for each conversation: {url} in its",
      "  command stands for the URL, {command} for the words that start it on a pipe;",
      "  without either they are added at the end. It connects, and exits with 0 if",
      "  it could. What it sent is compared by meaning: method, revision, headers,",
      "  envelope, in order; and how it ended. PARLEY_TIMEOUT_MILLIS and",
      "  PARLEY_PROBE_MILLIS in its environment say how long to wait. With --jobs it",
      "  is started once. It reads lines of JSON, with times in seconds,",
      '    { "id", "mode", "url" or "command", "timeout", "probe", "calls" }',
      "  and answers each with one of",
      '    { "id", "outcome": "established", "version" }',
      '    { "id", "outcome": "failed", "error" }',
      "",
      "  A server is asked what it is, then sent the conversations of that profile.",
      "  Compared are code, status, id, what the specification puts into data, and",
      "  revision. Words and key order are nobody's business.",
      "",
      "  Each difference tells the clause behind it: a MUST or SHOULD, `page` where a",
      "  page of the specification speaks to it, `choice` where it is Parley's own.",
      "  Those are worth a look, not a repair.",
      "",
      "  Exit code: 0 all as told, 1 something was otherwise, 2 the command was not",
      "  understood."
    ].join("\n")
  ),
  Command.withShortDescription("Run the conversations of the vectors against a client or a server."),
  Command.withExamples([
    { command: 'parley conform --client "node client.js {url}"', description: "A client over HTTP" },
    {
      command: 'parley conform --client "./client --stdio {command}" --policy discoverFirst',
      description: "A client on a pipe, held to a policy by name"
    },
    { command: "parley conform --server http://127.0.0.1:3000/mcp", description: "A server over HTTP" },
    { command: 'parley conform --server "node server.js" --json', description: "One on a pipe, for a program" },
    {
      command: 'parley conform --server "node server.js" --only fresh/discover --wire',
      description: "A few conversations, with what went over the wire"
    }
  ])
)

const chosen =
  (only: ReadonlyArray<string>, skip: ReadonlyArray<string>) =>
  (id: string): boolean =>
    (only.length === 0 || only.some((text) => id.includes(text))) && !skip.some((text) => id.includes(text))

interface ClientInput {
  readonly policy: Option.Option<string>
  readonly transport: Option.Option<"http" | "stdio">
  readonly jobs: Option.Option<string>
}

const ofClient = (
  text: string,
  input: ClientInput,
  common: Options
): Effect.Effect<ReadonlyArray<Report>, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const words = yield* orUsage(Words.command(text))
    const data = conversations()
    const named = Option.getOrUndefined(input.policy)
    if (named !== undefined && data.policies[named] === undefined) {
      const known = Object.keys(data.policies).join(", ")
      return yield* wrong(`There are no conversations of ${oneLine(named, 40)}. Policies: ${known}.`)
    }
    const mode = Option.getOrUndefined(input.jobs)
    const client = mode === undefined ? Client.ofCommand(words) : yield* Client.ofJobs(words, mode)
    const media = Option.match(input.transport, { onNone: () => Client.mediaOf(words), onSome: (one) => [one] })
    return yield* Effect.forEach(media, (medium) =>
      Effect.gen(function* () {
        const policy = named ?? (yield* Guess.policyOf(client, medium, common.timeoutMillis))
        if (policy === undefined) {
          return yield* wrong(
            "The client opened no conversation: see whether its command is right, or name a --policy."
          )
        }
        return yield* clientReport(client, policy, medium, common)
      })
    )
  }).pipe(
    Effect.catchTag("NeverEnds", ({ conversations }) =>
      wrong(
        `The client did not end in ${conversations === 1 ? "its first conversation" : `any of ${conversations} conversations`}: it has to ` +
          "connect and then to exit, with 0 if it could."
      )
    )
  )

const ofServer = (
  text: string,
  profile: Facts.ProfileName | undefined,
  common: Options
): Effect.Effect<ReadonlyArray<Report>, UsageError> =>
  Effect.gen(function* () {
    const target: Target = /^https?:/i.test(text)
      ? { url: (yield* orUsage(ServerTarget.read([text], undefined)))._tag === "Http" ? text : "" }
      : yield* orUsage(Words.command(text))
    const report = yield* serverReport(target, profile, common)
    return report === undefined
      ? yield* wrong("The server answers neither initialize nor server/discover: see whether it is the right one.")
      : [report]
  })

const wrong = (problem: string): Effect.Effect<never, UsageError> =>
  Effect.fail(new UsageError({ problems: [problem], commandPath }))

const orUsage = <A>(reading: ServerTarget.Reading<A>): Effect.Effect<A, UsageError> =>
  reading.ok ? Effect.succeed(reading.value) : wrong(reading.problem)
