// `parley serve`: a small real server, so that a client can be tried against each kind. What it serves is in host/.
import type { Era } from "@parley/core/Version"
import * as HttpServer from "@parley/node/HttpServer"
import * as StdioServer from "@parley/node/StdioServer"
import * as Admission from "@parley/runtime/Admission"
import { logRefusal } from "@parley/runtime/ObserveServer"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { fstatSync } from "node:fs"
import { TaskFailed, UsageError } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import * as Host from "../host/Host.ts"
import { complain, screen } from "../Screen.ts"
import { Trailing } from "../Trailing.ts"

const commandPath = ["parley", "serve"]

export const serve = Command.make(
  "serve",
  {
    era: Flag.Literals("era", ["dual", "modern", "legacy"]).pipe(
      Flag.withDescription("What to speak: both eras, or one. Default dual"),
      Flag.withDefault("dual")
    ),
    transport: Flag.Literals("transport", ["http", "stdio"]).pipe(
      Flag.withDescription("Where to listen. Default http"),
      Flag.withDefault("http")
    ),
    port: Flag.Int("port").pipe(
      Flag.withDescription("The port; 0 means any that is free. Default 3000"),
      Flag.withDefault(3000)
    ),
    host: Flag.String("host").pipe(
      Flag.withDescription("The address to listen on. Default 127.0.0.1"),
      Flag.withDefault("127.0.0.1")
    ),
    path: Flag.String("path").pipe(
      Flag.withDescription("The path of the endpoint. Default /mcp"),
      Flag.withDefault("/mcp")
    ),
    sessions: Flag.Boolean("sessions").pipe(
      Flag.withDescription("Issue sessions to legacy clients over HTTP. Default yes; --no-sessions serves without"),
      Flag.withDefault(true)
    ),
    tool: Flag.String("tool").pipe(
      Flag.withDescription("Offer this tool, and only those named so. Repeatable"),
      Flag.withMetavar("name"),
      Flag.atLeast(0)
    ),
    origin: Flag.String("allow-origin").pipe(
      Flag.withDescription("Allow this Origin, and only those named so. Default loopback. Repeatable"),
      Flag.withMetavar("origin"),
      Flag.atLeast(0)
    ),
    allowedHost: Flag.String("allow-host").pipe(
      Flag.withDescription("Allow this Host too, besides loopback and --host. Repeatable"),
      Flag.withMetavar("host"),
      Flag.atLeast(0)
    ),
    cors: Flags.switched("cors", "Let pages of the allowed origins call it")
  },
  Effect.fnUntraced(function* (input) {
    if ((yield* Trailing) !== undefined) return yield* wrong("serve starts no command: nothing may follow --.")
    if (input.port < 0 || input.port > 65_535) return yield* wrong(`--port is from 0 to 65535, not ${input.port}.`)
    if (!input.path.startsWith("/")) return yield* wrong(`--path begins with a slash: /${input.path}`)
    const host = Host.make({
      eras: eras[input.era],
      sessions: input.sessions ? "issued" : "none",
      tools: input.tool.length === 0 ? undefined : input.tool,
      origins: input.origin.length === 0 ? undefined : input.origin,
      hosts: ["loopback", input.host, ...input.allowedHost]
    })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const admission = yield* Admission.make(host.profile, host.handler, {
          listener: host.listener,
          onRefused: logRefusal
        })
        if (input.transport === "stdio") return yield* StdioServer.serve({ admission })
        const { err, out } = yield* screen
        const served = yield* HttpServer.serve({
          admission,
          port: input.port,
          host: input.host,
          path: input.path,
          cors: input.cors ? {} : undefined
        }).pipe(
          Effect.catch((error) =>
            Effect.andThen(complain([`${err.bad("error")}: ${error.message}`]), Effect.fail(new TaskFailed()))
          )
        )
        yield* Console.log(`${out.bold(served.url)} speaks ${admission.compiled.supported.join(", ")}`)
        return yield* starterGone
      })
    )
  })
).pipe(
  Command.withDescription(
    [
      "Serve tools, prompts and resources to try a client against.",
      "",
      "  Over HTTP it says its URL and serves until it is interrupted. On stdio it",
      "  serves one client until the input ends.",
      "",
      "  Exit code: 0 the input ended, 1 it could not listen, 2 the command was not",
      "  understood, 130 interrupted."
    ].join("\n")
  ),
  Command.withShortDescription("Serve tools, prompts and resources to try a client against."),
  Command.withExamples([
    { command: "parley serve", description: "Serve both eras at http://127.0.0.1:3000/mcp" },
    { command: "parley serve --era modern --port 0", description: "Serve 2026-07-28 alone, on any free port" },
    { command: "parley probe -- parley serve --transport stdio", description: "Ask it what it speaks" }
  ])
)

const wrong = (problem: string): Effect.Effect<never, UsageError> =>
  Effect.fail(new UsageError({ problems: [problem], commandPath }))

const eras: { readonly [name in "dual" | "modern" | "legacy"]: ReadonlyArray<Era> } = {
  dual: ["legacy", "modern"],
  modern: ["modern"],
  legacy: ["legacy"]
}

// Whoever started it through a pipe has gone when that ends, and must leave no server behind. A terminal, a file and
// /dev/null say nothing.
export const starterGone: Effect.Effect<void> = Effect.suspend(() =>
  isPipe()
    ? Effect.callback<void>((resume) => {
        const gone = (): void => resume(Effect.void)
        for (const end of ["end", "close", "error"]) process.stdin.on(end, gone)
        process.stdin.resume()
      })
    : Effect.never
)

const isPipe = (): boolean => {
  try {
    const input = fstatSync(0)
    return input.isFIFO() || input.isSocket()
  } catch {
    return false
  }
}
