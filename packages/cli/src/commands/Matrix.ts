// `parley matrix`: asks a list of servers what each supports, and writes the table. What is asked is in Matrix.
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { writeFile } from "node:fs/promises"
import { TaskFailed, UsageError } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import * as JsonFile from "../JsonFile.ts"
import * as Matrix from "../Matrix.ts"
import * as MatrixPage from "../render/MatrixPage.ts"
import { table } from "../render/MatrixTable.ts"
import { counted, json, oneLine } from "../render/Text.ts"
import { complain, screen, withProgress } from "../Screen.ts"
import * as Servers from "../Servers.ts"
import * as Setting from "../Setting.ts"
import type { Reading } from "../Target.ts"
import { Trailing } from "../Trailing.ts"

const commandPath = ["parley", "matrix"]

export const matrix = Command.make(
  "matrix",
  {
    file: Argument.String("targets.json").pipe(Argument.withDescription("The file that lists the servers")),
    timeout: Flag.String("timeout").pipe(
      Flag.withDescription("How long one negotiation may take. Default 30s"),
      Flag.withMetavar("duration"),
      Flag.withDefault("30s")
    ),
    json: Flags.switched("json", "Print the rows as one JSON document"),
    markdown: Flags.switched("markdown", "Print a Markdown table"),
    html: Flag.String("html").pipe(
      Flag.withDescription("Write one self-contained page to this file too"),
      Flag.withMetavar("file"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (input) {
    if ((yield* Trailing) !== undefined) return yield* wrong("matrix takes a file: nothing may follow --.")
    if (input.json && input.markdown) return yield* wrong("Choose one of --json and --markdown.")
    const millis = yield* orUsage(Setting.duration(input.timeout))
    const servers = yield* orUsage(
      Servers.read(yield* Effect.catch(JsonFile.read(input.file), (problem) => wrong(problem.message)))
    )
    const view = yield* screen
    let done = 0
    const rows = yield* withProgress(
      Matrix.ask(servers, millis, (count) => (done = count)),
      view,
      (seconds) => view.err.dim(`Asking ${counted(servers.length, "server")}: ${done} answers, ${seconds} s`)
    )
    if (input.json) yield* Console.log(json({ format: 1, rows }, 2))
    else if (input.markdown) yield* Console.log(MatrixPage.markdown(rows))
    else yield* Console.log(table(rows, view.out, view.columns).join("\n"))
    if (Option.isSome(input.html)) {
      const file = input.html.value
      yield* Effect.tryPromise(() => writeFile(file, MatrixPage.html(rows))).pipe(
        Effect.catch(() =>
          Effect.andThen(
            complain([`${view.err.bad("error")}: ${oneLine(file, 200)} cannot be written.`]),
            Effect.fail(new TaskFailed())
          )
        )
      )
    }
    if (rows.some((row) => !row.reached)) return yield* new TaskFailed()
  })
).pipe(
  Command.withDescription(
    [
      "Ask a list of servers what each supports, and write the table.",
      "",
      "  The file holds an array of URLs and commands, or the usual",
      '    { "mcpServers": { name: { "url", "headers" } or { "command", "args", "env" } } }',
      "",
      "  yes: agreed on; listed: named by server/discover; -: refused; ?: not answered.",
      "",
      "  Exit code: 0 all were reached, 1 some were not, 2 the command was not understood."
    ].join("\n")
  ),
  Command.withShortDescription("Ask a list of servers what each supports, and write the table."),
  Command.withExamples([
    { command: "parley matrix targets.json", description: "A table for you" },
    { command: "parley matrix .mcp.json --html matrix.html", description: "A page too, of your host's own servers" },
    { command: "parley matrix targets.json --markdown > matrix.md", description: "For a README" }
  ])
)

const wrong = (problem: string): Effect.Effect<never, UsageError> =>
  Effect.fail(new UsageError({ problems: [problem], commandPath }))

const orUsage = <A>(reading: Reading<A>): Effect.Effect<A, UsageError> =>
  reading.ok ? Effect.succeed(reading.value) : wrong(reading.problem)
