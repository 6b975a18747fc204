// What is known of where output goes: which of the two streams wants colour, and how wide a line may be.
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { forStream, type Style } from "./render/Style.ts"

export interface Screen {
  /** How emphasis looks on standard output. */
  readonly out: Style
  /** How emphasis looks on standard error. */
  readonly err: Style
  /** The columns of a line: the terminal's, between 40 and 120; 80 where there is none. */
  readonly columns: number
  /** Whether standard output is a terminal: only there a line that a program may read is broken. */
  readonly breaks: boolean
  /** Whether someone watches standard error: only there a warning or a usage error is broken into lines. */
  readonly watched: boolean
}

/** Reads the screen from the streams and the environment. */
export const screen: Effect.Effect<Screen, never, Stdio.Stdio | Terminal.Terminal> = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const variable = (name: string) =>
    Config.option(Config.String(name)).pipe(Effect.map(Option.getOrUndefined), Effect.orDie)
  const environment = {
    NO_COLOR: yield* variable("NO_COLOR"),
    FORCE_COLOR: yield* variable("FORCE_COLOR"),
    TERM: yield* variable("TERM")
  }
  const outIsTerminal = yield* stdio.stdoutIsTerminal
  const watched = yield* stdio.stderrIsTerminal
  const columns = yield* terminal.columns
  return {
    out: forStream(outIsTerminal, environment),
    err: forStream(watched, environment),
    breaks: outIsTerminal,
    columns: columns === 0 ? 80 : Math.min(120, Math.max(40, columns)),
    watched: watched && environment.TERM !== "dumb"
  }
})

/** Prints lines to standard error. */
export const complain = (lines: ReadonlyArray<string>): Effect.Effect<void> =>
  lines.length === 0 ? Effect.void : Console.error(lines.join("\n"))

/**
 * Shows one line on standard error while an effect takes longer than two seconds, renewed every second and wiped at the
 * end. Shows nothing where nobody watches. `line` is asked for the text, given how many seconds have passed.
 */
export const withProgress = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  screen: Screen,
  line: (seconds: number) => string
): Effect.Effect<A, E, R | Stdio.Stdio> =>
  screen.watched
    ? Effect.gen(function* () {
        const stdio = yield* Stdio.Stdio
        const write = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
        let shown = false
        const show = (seconds: number): Effect.Effect<void> =>
          Effect.andThen(
            Effect.suspend(() => {
              shown = true
              return write(`\r\u001b[2K${line(seconds)}`)
            }),
            Effect.delay(
              Effect.suspend(() => show(seconds + 1)),
              1000
            )
          )
        return yield* Effect.raceFirst(
          self,
          Effect.andThen(
            Effect.delay(
              Effect.suspend(() => show(2)),
              2000
            ),
            Effect.never
          )
        ).pipe(Effect.ensuring(Effect.suspend(() => (shown ? write("\r\u001b[2K") : Effect.void))))
      })
    : self
