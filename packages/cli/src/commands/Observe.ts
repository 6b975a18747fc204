// `parley observe`: serves a client that somebody points at it, and writes that client's row. What is answered is in
// Observation, how it is reached in observe/.
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { TaskFailed, UsageError } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import * as JsonFile from "../JsonFile.ts"
import * as Observation from "../Observation.ts"
import * as Carriers from "../observe/Carriers.ts"
import * as ClientRow from "../render/ClientRow.ts"
import { json, oneLine } from "../render/Text.ts"
import { complain, screen } from "../Screen.ts"
import { Trailing } from "../Trailing.ts"
import { starterGone } from "./Serve.ts"

const commandPath = ["parley", "observe"]

export const observe = Command.make(
  "observe",
  {
    transport: Flag.Literals("transport", ["http", "stdio"]).pipe(
      Flag.withDescription("Where to listen. Default http"),
      Flag.withDefault("http")
    ),
    port: Flag.Int("port").pipe(
      Flag.withDescription("The port on 127.0.0.1; 0 means any that is free. Default 3000"),
      Flag.withDefault(3000)
    ),
    row: Flag.String("row").pipe(
      Flag.withDescription("Keep the row in this file, and go on with what it holds. Needed on stdio"),
      Flag.withMetavar("file"),
      Flag.optional
    ),
    way: Flag.Literals("way", Observation.wayNames).pipe(
      Flag.withDescription("On stdio: answer in this way, however often it is started. Default: the next one"),
      Flag.optional
    ),
    json: Flags.switched("json", "Print the row as a JSON document at the end")
  },
  Effect.fnUntraced(function* (input) {
    if ((yield* Trailing) !== undefined) return yield* wrong("observe starts no command: nothing may follow --.")
    if (input.port < 0 || input.port > 65_535) return yield* wrong(`--port is from 0 to 65535, not ${input.port}.`)
    const file = Option.getOrUndefined(input.row)
    const { transport } = input
    if (transport === "stdio" && file === undefined) {
      return yield* wrong("On stdio each start of the command is one connection: name the file of the row with --row.")
    }
    const way = Option.getOrUndefined(input.way)
    if (transport === "http" && way !== undefined) {
      return yield* wrong("--way is for stdio: over HTTP each way has a URL of its own.")
    }
    const notes = yield* notesIn(file)
    const row = () => Observation.rowOf(notes, transport, new Date())
    // Written at once: a client may kill what it started.
    const write = (to: string, what: Observation.Notes): void =>
      writeFileSync(to, `${json(Observation.rowOf(what, transport, new Date()), 2)}\n`)
    const keep = (): void => {
      if (file !== undefined) write(file, notes)
    }
    if (file !== undefined)
      yield* Effect.catch(Effect.try(keep), () => failed(`${oneLine(file, 200)} cannot be written.`))

    if (transport === "stdio" && file !== undefined) {
      const next = way ?? nextWay(notes)
      return yield* Effect.promise(() =>
        Carriers.stdio((message) => {
          // A client may start the command once more to probe it, and both write to the file.
          const known = reread(file) ?? notes
          const answer = Observation.hear(known, next, message)
          write(file, known)
          return answer
        })
      )
    }
    const view = yield* screen
    yield* Effect.scoped(
      Effect.gen(function* () {
        const origin = yield* listen(input.port, (way, message, carried) => {
          const answer = Observation.hear(notes, way, message, carried)
          keep()
          return answer
        })
        yield* (input.json ? Console.error : Console.log)(
          [
            "Connect the client to each of these, in this order; then interrupt me.",
            ...Observation.wayNames.map((way) => `  ${view.out.bold(`${origin}/${way}/mcp`)}`)
          ].join("\n")
        )
        const told = Effect.suspend(() =>
          Console.log(input.json ? json(row(), 2) : ["", ...ClientRow.lines(row(), view.out, view.columns)].join("\n"))
        )
        yield* Effect.ensuring(starterGone, told)
      })
    )
  })
).pipe(
  Command.withDescription(
    [
      "Serve a client in each of the ways that matter, and write what it does.",
      "",
      ...Observation.wayNames.map((way) => `    ${way.padEnd(15)} ${Observation.ways[way]}`),
      "",
      "  Over HTTP each way has a URL; the row is printed at the end. On stdio each",
      "  start of the command is the next way that the file of --row does not hold",
      "  yet, or the one of --way: some clients start a command twice.",
      "",
      "  Exit code: 0 the input ended, 1 it could not listen, 2 the command was not",
      "  understood, 130 interrupted."
    ].join("\n")
  ),
  Command.withShortDescription("Serve a client in each way that matters; write what it does."),
  Command.withExamples([
    { command: "parley observe --port 0", description: "Six URLs to point a client at" },
    { command: "parley observe --json > client.json", description: "Its row, for a program" },
    {
      command: "parley observe --transport stdio --row client.json",
      description: "What a host is told to start, six times"
    }
  ])
)

const notesIn = (file: string | undefined): Effect.Effect<Observation.Notes, UsageError> => {
  if (file === undefined || !existsSync(file)) return Effect.succeed({ client: "", observed: new Map() })
  return Effect.catch(JsonFile.read(file), (problem) => wrong(problem.message)).pipe(
    Effect.flatMap((value) => {
      const notes = Observation.notesOf(value)
      return notes === undefined ? wrong(`${oneLine(file, 200)} holds no row of a client.`) : Effect.succeed(notes)
    })
  )
}

const reread = (file: string): Observation.Notes | undefined => {
  try {
    return Observation.notesOf(JSON.parse(readFileSync(file, "utf8")))
  } catch {
    return undefined
  }
}

// Once all were seen it begins again: the first way is noted anew.
const nextWay = (notes: Observation.Notes): Observation.Way => {
  const next = Observation.wayNames.find((way) => (notes.observed.get(way) ?? []).length === 0)
  if (next !== undefined) return next
  notes.observed.clear()
  return "agree-legacy"
}

const listen = (port: number, hear: Parameters<typeof Carriers.http>[0]) =>
  Effect.acquireRelease(
    Effect.sync(() => Carriers.http(hear)),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(
    Effect.flatMap((server) =>
      Effect.callback<string, TaskFailed, Command.Environment>((resume) => {
        server.on("error", (cause) => resume(failed(`Nothing can listen on port ${port}: ${cause.message}.`)))
        server.listen(port, "127.0.0.1", () => {
          const address = server.address()
          const bound = typeof address === "object" && address !== null ? address.port : port
          resume(Effect.succeed(`http://127.0.0.1:${bound}`))
        })
      })
    )
  )

const failed = (problem: string): Effect.Effect<never, TaskFailed, Command.Environment> =>
  Effect.flatMap(screen, ({ err }) =>
    Effect.andThen(complain([`${err.bad("error")}: ${problem}`]), Effect.fail(new TaskFailed()))
  )

const wrong = (problem: string): Effect.Effect<never, UsageError> =>
  Effect.fail(new UsageError({ problems: [problem], commandPath }))
