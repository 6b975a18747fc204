// The command line as a whole: which commands there are, how a wrong command is told, which exit code an ending has.
import * as Cause from "effect/Cause"
import type { CliError } from "effect/cli/CliError"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { conform } from "./commands/Conform.ts"
import { doctor } from "./commands/Doctor.ts"
import { explain } from "./commands/Explain.ts"
import { matrix } from "./commands/Matrix.ts"
import { observe } from "./commands/Observe.ts"
import { probe } from "./commands/Probe.ts"
import { serve } from "./commands/Serve.ts"
import { TaskFailed, UsageError } from "./Exit.ts"
import * as Release from "./Release.ts"
import * as Help from "./render/Help.ts"
import { coloured } from "./render/Style.ts"
import { hang, lastLines, oneLine } from "./render/Text.ts"
import { complain, screen } from "./Screen.ts"
import { Trailing } from "./Trailing.ts"

const parley = Command.make(
  "parley",
  {},
  Effect.fnUntraced(function* () {
    if ((yield* Trailing) !== undefined) {
      return yield* new UsageError({ problems: ["To ask a command: parley probe -- COMMAND"], commandPath: ["parley"] })
    }
    const { out } = yield* screen
    yield* Console.log(
      [
        "parley tells what an MCP server speaks, and how two sides come to agree on it.",
        "",
        out.bold("Try first"),
        "  parley probe https://example.com/mcp    ask a server over HTTP",
        "  parley probe -- npx -y @modelcontextprotocol/server-everything",
        "                                          start a command and ask it",
        "  parley serve                            serve tools to try a client against",
        "  parley observe                          see what a client of yours does",
        "  parley doctor                           check this machine",
        "",
        "parley --help lists all commands, parley probe --help all that probe can show."
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Tells what an MCP server speaks, and how two sides come to agree on it."),
  Command.withSubcommands([probe, serve, matrix, explain, doctor, observe, conform]),
  Command.withExamples([
    { command: "parley probe https://example.com/mcp", description: "Ask a server over HTTP" },
    { command: "parley probe -- node server.js", description: "Start a command and ask it" }
  ])
)

/**
 * Runs the command line on its arguments (without the program's own name). Fails with UsageError (exit code 2) or
 * TaskFailed (exit code 1), both already told to the reader.
 */
export const run = (argv: ReadonlyArray<string>): Effect.Effect<void, UsageError | TaskFailed, Command.Environment> => {
  const split = argv.indexOf("--")
  return Command.runWith(parley, { version: Release.version })(split === -1 ? argv : argv.slice(0, split)).pipe(
    Effect.provideService(Trailing, split === -1 ? undefined : argv.slice(split + 1)),
    Effect.catch((error): Effect.Effect<void, UsageError | TaskFailed> => {
      switch (error._tag) {
        case "UsageError":
        case "TaskFailed":
          return Effect.fail(error)
        case "ShowHelp":
          return error.errors.length === 0
            ? Effect.void
            : Effect.fail(new UsageError({ problems: [], commandPath: error.commandPath }))
        default:
          return Effect.fail(new UsageError({ problems: [error.message], commandPath: ["parley"] }))
      }
    }),
    Effect.tapErrorTag("UsageError", ({ commandPath, problems }) =>
      problems.length === 0 ? Effect.void : sayWrong(problems, commandPath)
    ),
    Effect.catchDefect((defect) =>
      complain([
        "parley itself failed. This is a bug in parley, not in the server; please report it with what follows.",
        ...lastLines(Cause.pretty(Cause.die(defect)), 20, 300)
      ]).pipe(Effect.andThen(Effect.fail(new TaskFailed())))
    ),
    Effect.provide(settings)
  )
}

const sayWrong = (
  problems: ReadonlyArray<string>,
  commandPath: ReadonlyArray<string>
): Effect.Effect<void, never, Stdio.Stdio | Terminal.Terminal> =>
  Effect.flatMap(screen, ({ columns, err, watched }) =>
    complain([
      ...problems.flatMap((problem) =>
        hang(`${err.bad("error")}: ${oneLine(problem, 400)}`, watched ? columns : Infinity, 2)
      ),
      `See ${commandPath.join(" ")} --help`
    ])
  )

// Help goes to standard output when it is asked for; what is wrong goes to standard error, without the help.
const presenter = Layer.effect(
  CliOutput.Presenter,
  Effect.gen(function* () {
    const context = yield* Effect.context<Stdio.Stdio | Terminal.Terminal>()
    const { columns, out } = yield* screen
    const help = (globalFlags: "full" | "summary") =>
      CliOutput.defaultFormatter({ colors: out === coloured, globalFlags })
    return {
      present: (event) => {
        switch (event._tag) {
          case "Help":
            return Console.log(
              Help.fitted(help(event.commandPath.length > 1 ? "summary" : "full").formatHelpDoc(event.helpDoc), columns)
            )
          case "Version":
            return Console.log(help("full").formatVersion(event.name, event.version))
          case "InvalidInvocation":
            return Effect.provideContext(sayWrong(event.errors.map(messageOf), event.commandPath), context)
        }
      }
    }
  })
)

// Standard output is for results; the log is for --log-level, and quiet without it.
const settings = Layer.mergeAll(
  presenter,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
  Layer.succeed(References.MinimumLogLevel, "Error")
)

// A line that ends in no mark is a sentence of its own.
const messageOf = (error: CliError): string =>
  lastLines(error.message, 8, 300)
    .map((line, index, lines) => (index < lines.length - 1 && /\w"?$/.test(line) ? `${line}.` : line))
    .join(" ")
